/**
 * Passkeys in the browser.
 *
 * @module
 */

import {
  createPasskey,
  describeFailure,
  getPasskey,
  isConditionalCreateSupported,
  isConditionalSupported,
  isPasskeySupported,
  isSignalSupported,
  signalAccepted,
  signalUnknown,
} from "../sign_in/passkey/browser/ceremony.ts";
import type { UserPasskey } from "../sign_in/passkey/operations.ts";
import type { Session } from "../types/session.ts";
import { type AuthClientFailure, type AuthClientOptions, call, type Reply } from "./request.ts";
import { concludeSignIn, type SignInResult } from "./session.ts";

/** Options for `signInWithPasskey()`. */
export interface PasskeySignInOptions {
  /**
   * True to wait until the user picks a passkey in the list of a field whose `autocomplete` ends with "webauthn".
   * It waits as long as the page is open; any other ceremony ends it. Default false: the browser asks at once.
   */
  conditional?: boolean;
  /**
   * Reauthenticates the signed-in user, for actions that require recent authentication. Default false.
   */
  reauthenticate?: boolean;
  /**
   * Answers the question for the second factor: of a sign-in whose result said `secondFactor`, in the same browser and
   * within five minutes, or anew for who is signed in. Default false.
   */
  secondFactor?: boolean;
  /** Ends the wait, which then comes to `PASSKEY_CANCELLED`. */
  signal?: AbortSignal;
  /** Destination after sign-in. Default: the start page. */
  redirectTo?: string;
  /** False to stay on this page. Default true. */
  redirect?: boolean;
  /** Id of the provider. Default "passkey". */
  providerId?: string;
}

/** Options for registering a passkey, for a signed-in user or a new one. */
export interface PasskeyRegistrationOptions {
  /** Name that the owner gives the passkey. Default: none. */
  passkeyName?: string;
  /** Name of a new user, who signs up with the passkey, where the application allows it. */
  name?: string;
  /** Ends the wait, which then comes to `PASSKEY_CANCELLED`. */
  signal?: AbortSignal;
  /** Destination after a sign-up. Default: the page for new users, or the start page. */
  redirectTo?: string;
  /** False to stay on this page after a sign-up. Default true. */
  redirect?: boolean;
}

/** Result of registering a passkey. */
export type PasskeyRegistrationResult =
  | {
    ok: true;
    /** Registered passkey; null for a new user. */
    passkey: UserPasskey | null;
    /** Session of a new user; null for a user who was signed in already. */
    session: Session | null;
  }
  | {
    ok: false;
    /** Reason for the failure. */
    error: AuthClientFailure;
  };

// The challenge of the server holds for five minutes.
const RENEWAL = 4 * 60 * 1000;

const CANCELLED = "PASSKEY_CANCELLED";

const CODES: Record<string, string> = {
  NotAllowedError: CANCELLED,
  AbortError: CANCELLED,
  SecurityError: "PASSKEY_WRONG_ADDRESS",
};

/** Ends the ceremony that is under way: browsers take one at a time. */
let current: AbortController | undefined;

function fail([code, message]: readonly [string, string]): Reply & { ok: false } {
  return { ok: false, error: { code, message, status: 0 } };
}

interface Ceremony {
  /** Path below `basePath` that returns the options. */
  path: string;
  /** Fields of the request for options. */
  fields: Record<string, unknown>;
  /** Browser ceremony for the options; returns the credential as JSON. */
  work: (options: object, signal: AbortSignal) => Promise<string>;
  /** True for a passkey that is to be made. */
  isNew: boolean;
  /** Ends it from outside. */
  signal: AbortSignal | undefined;
}

/** Asks the server what to prove, and has the browser prove it. */
async function perform(
  { path, fields, work, isNew, signal }: Ceremony,
  options: AuthClientOptions,
): Promise<{ ok: true; credential: string; question: object } | Reply & { ok: false }> {
  if (!isPasskeySupported()) {
    return fail(["PASSKEY_UNSUPPORTED", "Passkeys need a newer browser."]);
  }
  current?.abort();
  const own = current = new AbortController();
  const stop = () => own.abort();
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop);
  try {
    const reply = await call(path, { ...options, fields });
    if (!reply.ok) return reply;
    own.signal.throwIfAborted();
    const question = reply.body!;
    return { ok: true, credential: await work(question, own.signal), question };
  } catch (error) {
    const { name, message } = error as Error;
    const exists = isNew && name === "InvalidStateError" && "PASSKEY_EXISTS";
    return fail([
      exists || (CODES[name] ?? "PASSKEY_FAILED"),
      describeFailure(name, isNew) ?? message,
    ]);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** As {@linkcode perform}, with a new challenge for as long as somebody takes to pick a passkey in a list. */
async function performInList(ceremony: Ceremony, options: AuthClientOptions) {
  for (;;) {
    const renewal = AbortSignal.timeout(RENEWAL);
    const { signal = renewal } = ceremony;
    const result = await perform(
      { ...ceremony, signal: AbortSignal.any([signal, renewal]) },
      options,
    );
    if (result.ok || !renewal.aborted || ceremony.signal?.aborted) return result;
  }
}

/**
 * Signs in with a passkey.
 *
 * @param values How, and where to go.
 * @param options Where the endpoints are.
 * @returns How far it came. `PASSKEY_CANCELLED` when the user did not want to or took too long, `PASSKEY_UNSUPPORTED`
 * in a browser without passkeys or, with `conditional`, without the list, `PASSKEY_UNKNOWN` for a passkey that was
 * removed: the password manager has then been told to drop it.
 *
 * @example
 * ```ts
 * import { signInWithPasskey } from "@framework/auth/client-passkey";
 * import { equal } from "node:assert/strict";
 *
 * async function onLoad(): Promise<void> {
 *   // <input autocomplete="username webauthn"> offers them from now on.
 *   await signInWithPasskey({ conditional: true, redirectTo: "/dashboard" });
 * }
 * async function onClick(): Promise<string | null> {
 *   const result = await signInWithPasskey({ redirectTo: "/dashboard" });
 *   return result.ok ? null : result.error.message;
 * }
 * // Nothing throws, even where there are no passkeys at all, as outside of a browser.
 * await onLoad();
 * equal(await onClick(), "Passkeys need a newer browser.");
 * ```
 */
export async function signInWithPasskey(
  values: PasskeySignInOptions = {},
  options: AuthClientOptions = {},
): Promise<SignInResult> {
  const { conditional = false, reauthenticate, secondFactor, signal, redirectTo, redirect } =
    values;
  const { providerId = "passkey" } = values;
  if (conditional && !await isConditionalSupported()) {
    return fail(["PASSKEY_UNSUPPORTED", "This browser offers no passkeys in a list."]);
  }
  const ceremony: Ceremony = {
    path: `/passkey/options/${secondFactor ? "second-factor" : "authenticate"}`,
    fields: reauthenticate ? { reauthenticate: "true" } : {},
    work: (question, ended) => getPasskey(question, { conditional, signal: ended }),
    isNew: false,
    signal,
  };
  const proof = await (conditional ? performInList : perform)(ceremony, options);
  if (!proof.ok) return proof;
  const path = secondFactor ? "/second-factor" : `/signin/${encodeURIComponent(providerId)}`;
  const reply = await call(path, {
    ...options,
    fields: { credential: proof.credential, callbackUrl: redirectTo },
  });
  if (reply.ok) await signalPasskeys(options);
  else if (reply.error.code === "PASSKEY_UNKNOWN") {
    await signalUnknown(proof.question, proof.credential);
  }
  return concludeSignIn(reply, { ...options, redirect });
}

/**
 * Tells the password manager which passkeys still sign in the visitor, and how they are named now, so that it offers no
 * passkey that was removed. A sign-in by passkey does it by itself; call it after a passkey was removed, after a change
 * of name or address, and on your account page (WebAuthn Level 3, 5.1.10).
 *
 * @param options Where the endpoints are.
 * @returns False for a visitor without passkeys, and in a browser that cannot be told.
 *
 * @example
 * ```ts
 * import { signalPasskeys } from "@framework/auth/client-passkey";
 * import { equal } from "node:assert/strict";
 *
 * async function remove(id: string): Promise<void> {
 *   await fetch(`/auth/passkeys/${id}`, { method: "DELETE" });
 *   await signalPasskeys();
 * }
 * equal(typeof remove, "function");
 * equal(await signalPasskeys(), false); // outside of a browser
 * ```
 */
export async function signalPasskeys(options: AuthClientOptions = {}): Promise<boolean> {
  if (!isSignalSupported()) return false;
  const reply = await call("/passkey/accepted", options);
  return reply.ok && reply.body !== null && await signalAccepted(reply.body);
}

/** Sends a new passkey, and has the password manager drop it when the server refuses it. */
async function sendNew(
  { credential, question }: { credential: string; question: object },
  fields: Record<string, unknown>,
  options: AuthClientOptions,
): Promise<Reply> {
  const reply = await call("/passkey/register", { ...options, fields: { ...fields, credential } });
  // A fault, an answer that was lost, or one to what came twice says nothing of what is stored.
  const isRefused = !reply.ok && reply.error.status >= 400 && reply.error.status < 500 &&
    !["PASSKEY_EXPIRED", "ACCOUNT_TAKEN"].includes(reply.error.code);
  if (isRefused) {
    await signalUnknown(question, credential);
  }
  return reply;
}

/**
 * Registers a passkey for the signed-in user after recent authentication, or signs up a new user
 * with one. Of a passkey that the server refused the password manager is told to drop it.
 *
 * @param values What it is called, and by `name` who is new.
 * @param options Where the endpoints are.
 * @returns How far it came. `REAUTHENTICATION_REQUIRED` when the last proof is too old, `PASSKEY_EXISTS` when the
 * device has one already.
 *
 * @example
 * ```ts
 * import { registerPasskey } from "@framework/auth/client-passkey";
 * import { equal } from "node:assert/strict";
 *
 * async function add(passkeyName: string): Promise<string> {
 *   const result = await registerPasskey({ passkeyName });
 *   return result.ok ? `Added ${result.passkey?.name}` : result.error.code;
 * }
 * // Outside of a browser.
 * equal(await add("Laptop"), "PASSKEY_UNSUPPORTED");
 * ```
 */
export async function registerPasskey(
  values: PasskeyRegistrationOptions = {},
  options: AuthClientOptions = {},
): Promise<PasskeyRegistrationResult> {
  const { passkeyName, name, signal, redirectTo: callbackUrl, redirect } = values;
  const proof = await perform({
    path: "/passkey/options/register",
    fields: { name },
    work: (question, ended) => createPasskey(question, { signal: ended }),
    isNew: true,
    signal,
  }, options);
  if (!proof.ok) return proof;
  const reply = await sendNew(proof, { passkeyName, callbackUrl }, options);
  if (!reply.ok) return reply;
  if (reply.body !== null && "redirectTo" in reply.body) {
    const result = concludeSignIn(reply, { ...options, redirect });
    return result.ok ? { ok: true, passkey: null, session: result.session } : result;
  }
  return { ok: true, passkey: readPasskey(reply.body), session: null };
}

function readPasskey(body: unknown): UserPasskey {
  const { createdAt, lastUsedAt, ...passkey } = body as
    & Omit<UserPasskey, "createdAt" | "lastUsedAt">
    & { createdAt: string; lastUsedAt: string | null };
  return {
    ...passkey,
    createdAt: new Date(createdAt),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
  };
}

// A password manager that does not answer keeps no other ceremony of the page waiting.
const PATIENCE = 10_000;

/**
 * Has the password manager make a passkey without asking, after a sign-in with a password, where the application has
 * `passkey({ automatic })` (WebAuthn Level 3, 5.1.3, conditional create). Call it when your own sign-in form has succeeded,
 * or on the page after it; do not wait for it. It takes ten seconds at most, and any other ceremony ends it.
 *
 * @param options Where the endpoints are.
 * @returns The passkey; null when none is offered, as to a visitor who has not just signed in. `PASSKEY_UNSUPPORTED` in a
 * browser without it, `PASSKEY_CANCELLED` when the password manager has no saved password for this site or does not want to,
 * `PASSKEY_EXISTS` when it has one already.
 *
 * @example
 * ```ts
 * import { createPasskeyAfterSignIn } from "@framework/auth/client-passkey";
 * import { equal } from "node:assert/strict";
 *
 * const result = await createPasskeyAfterSignIn();
 * equal(result.ok ? null : result.error.code, "PASSKEY_UNSUPPORTED"); // outside of a browser
 * ```
 */
export async function createPasskeyAfterSignIn(
  options: AuthClientOptions = {},
): Promise<PasskeyRegistrationResult> {
  if (!await isConditionalCreateSupported()) {
    return fail(["PASSKEY_UNSUPPORTED", "This browser makes no passkeys by itself."]);
  }
  let isOffered = true;
  const proof = await perform({
    path: "/passkey/options/automatic",
    fields: {},
    async work(question, signal) {
      isOffered = question !== null;
      return isOffered ? await createPasskey(question, { conditional: true, signal }) : "";
    },
    isNew: true,
    signal: AbortSignal.timeout(PATIENCE),
  }, options);
  if (!proof.ok) return proof;
  if (!isOffered) return { ok: true, passkey: null, session: null };
  const reply = await sendNew(proof, {}, options);
  return reply.ok ? { ok: true, passkey: readPasskey(reply.body), session: null } : reply;
}
