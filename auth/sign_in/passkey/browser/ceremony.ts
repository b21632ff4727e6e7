// What runs in a browser: no dependency, and of the platform only what is written down here, since the types
// of the DOM are not those of a server.

/** A credential as the browser gives it. */
interface Credential {
  id: string;
  type: string;
  response: Record<string, unknown>;
  toJSON?(): unknown;
}

interface CredentialRequest {
  publicKey: unknown;
  mediation?: "conditional";
  signal?: AbortSignal;
}

interface Platform {
  navigator?: {
    credentials?: {
      create(request: CredentialRequest): Promise<unknown>;
      get(request: CredentialRequest): Promise<unknown>;
    };
  };
  PublicKeyCredential?: {
    parseCreationOptionsFromJSON?(options: object): unknown;
    parseRequestOptionsFromJSON?(options: object): unknown;
    isConditionalMediationAvailable?(): Promise<boolean>;
    getClientCapabilities?(): Promise<Record<string, boolean>>;
    signalAllAcceptedCredentials?(options: object): Promise<void>;
    signalCurrentUserDetails?(options: object): Promise<void>;
    signalUnknownCredential?(options: object): Promise<void>;
  };
}

type Json = Record<string, unknown>;

/** Options for requesting a passkey. */
export interface CeremonyOptions {
  /**
   * True to wait until the user picks one in the list that a field of the page offers; for a new one, to have the password
   * manager make it without asking. Default false.
   */
  conditional?: boolean;
  /** Ends the wait. */
  signal?: AbortSignal;
}

const platform = globalThis as unknown as Platform;

/**
 * Tests for Web Authentication in a secure context, which is https or a loopback host (WebAuthn,
 * 5.1). Without it, hide the button.
 *
 * @example
 * ```ts
 * import { isPasskeySupported } from "@framework/auth/client-passkey";
 * import { equal } from "node:assert/strict";
 *
 * const label = isPasskeySupported() ? "Sign in with a passkey" : null;
 * equal(label, null); // outside of a browser
 * ```
 */
export function isPasskeySupported(): boolean {
  return platform.PublicKeyCredential !== undefined &&
    platform.navigator?.credentials !== undefined;
}

/**
 * Tests for passkeys in the autofill of a field, for `signInWithPasskey({ conditional: true })`
 * (WebAuthn, 5.1.7). Resolves to false in a browser without the query.
 *
 * @example
 * ```ts
 * import { isConditionalSupported, signInWithPasskey } from "@framework/auth/client-passkey";
 * import { equal } from "node:assert/strict";
 *
 * const isSupported = await isConditionalSupported();
 * if (isSupported) void signInWithPasskey({ conditional: true });
 * equal(isSupported, false); // outside of a browser
 * ```
 */
export async function isConditionalSupported(): Promise<boolean> {
  return await platform.PublicKeyCredential?.isConditionalMediationAvailable?.() ?? false;
}

/** Tests for passkeys that a password manager makes without asking (WebAuthn Level 3, 5.1.7, `conditionalCreate`). */
export async function isConditionalCreateSupported(): Promise<boolean> {
  const capabilities = await platform.PublicKeyCredential?.getClientCapabilities?.();
  return capabilities?.conditionalCreate ?? false;
}

function toBytes(text: unknown): Uint8Array {
  const binary = atob(String(text).replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function toText(bytes: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function withBytes(descriptors: unknown): Json[] {
  return ((descriptors ?? []) as Json[]).map((one) => ({ ...one, id: toBytes(one.id) }));
}

function creationOf(options: Json): unknown {
  const native = platform.PublicKeyCredential?.parseCreationOptionsFromJSON;
  if (native !== undefined) return native.call(platform.PublicKeyCredential, options);
  const user = options.user as Json;
  return {
    ...options,
    challenge: toBytes(options.challenge),
    user: { ...user, id: toBytes(user.id) },
    excludeCredentials: withBytes(options.excludeCredentials),
  };
}

function requestOf(options: Json): unknown {
  const native = platform.PublicKeyCredential?.parseRequestOptionsFromJSON;
  if (native !== undefined) return native.call(platform.PublicKeyCredential, options);
  return {
    ...options,
    challenge: toBytes(options.challenge),
    allowCredentials: withBytes(options.allowCredentials),
  };
}

const PARTS = [
  "clientDataJSON",
  "attestationObject",
  "authenticatorData",
  "signature",
  "userHandle",
];

function toJson(credential: Credential): unknown {
  if (credential.toJSON !== undefined) return credential.toJSON();
  const { id, type, response } = credential;
  const parts: Json = {};
  for (const name of PARTS) {
    if (response[name] instanceof ArrayBuffer) parts[name] = toText(response[name]);
  }
  const transports = response.getTransports;
  if (typeof transports === "function") parts.transports = transports.call(response);
  return { id, rawId: id, type, response: parts, clientExtensionResults: {} };
}

/**
 * Has an authenticator make a passkey.
 *
 * @param options What `POST /passkey/options/register` answered.
 * @returns What `POST /passkey/register` takes as `credential`.
 * @throws {DOMException} `NotAllowedError` when the user did not want to or was too slow, `InvalidStateError`
 * when the authenticator has one already.
 */
export async function createPasskey(
  options: object,
  { conditional = false, signal }: CeremonyOptions = {},
): Promise<string> {
  const credential = await platform.navigator!.credentials!.create({
    publicKey: creationOf(options as Json),
    ...(conditional && { mediation: "conditional" as const }),
    ...(signal !== undefined && { signal }),
  });
  return JSON.stringify(toJson(credential as Credential));
}

/**
 * Has an authenticator prove that it has a passkey.
 *
 * @param options What `POST /passkey/options/authenticate` answered.
 * @returns What `POST /signin/passkey` takes as `credential`.
 * @throws {DOMException} `NotAllowedError` when the user did not want to or was too slow.
 */
export async function getPasskey(
  options: object,
  { conditional = false, signal }: CeremonyOptions = {},
): Promise<string> {
  const credential = await platform.navigator!.credentials!.get({
    publicKey: requestOf(options as Json),
    ...(conditional && { mediation: "conditional" as const }),
    ...(signal !== undefined && { signal }),
  });
  return JSON.stringify(toJson(credential as Credential));
}

const TEXTS: Record<string, string> = {
  NotAllowedError: "That was cancelled, or took too long. Try again.",
  AbortError: "That was cancelled, or took too long. Try again.",
  ConstraintError:
    "This device cannot check that it is you. Set up a PIN, fingerprint or face on it, or use another one.",
  SecurityError: "Passkeys do not work at this address.",
};

const TEXTS_OF_NEW: Record<string, string> = {
  InvalidStateError: "This device already has a passkey for this account.",
  NotSupportedError: "This device cannot make a passkey that works here. Use another one.",
};

/**
 * Says what the exception of a ceremony means to the user.
 *
 * @param name The name of the exception.
 * @param isNew True for a passkey that was to be made.
 * @returns An English sentence; undefined for an exception that tells the user nothing.
 */
export function describeFailure(name: string, isNew: boolean): string | undefined {
  if (!(name in TEXTS_OF_NEW)) return TEXTS[name];
  return isNew ? TEXTS_OF_NEW[name] : "This passkey does not work here. Try another one.";
}

// A password manager that does not answer keeps nobody from the next page.
const PATIENCE = 1000;

async function within(work: Promise<unknown>[]): Promise<void> {
  const limit = new Promise((resolve) => setTimeout(resolve, PATIENCE));
  await Promise.race([Promise.allSettled(work), limit]);
}

/** Tests for the Signal API (WebAuthn Level 3, 5.1.10). */
export function isSignalSupported(): boolean {
  return platform.PublicKeyCredential?.signalAllAcceptedCredentials !== undefined;
}

/**
 * Tells the password manager which passkeys still sign the user in, and how the user is named now (WebAuthn Level 3,
 * 5.1.10). It never fails.
 *
 * @param accepted What `GET /passkey/accepted` answered.
 * @returns False in a browser without it.
 */
export async function signalAccepted(accepted: Json): Promise<boolean> {
  if (!isSignalSupported()) return false;
  const signals = platform.PublicKeyCredential!;
  const { name, displayName, allAcceptedCredentialIds, ...user } = accepted;
  // One after the other: Chromium takes one request of a page at a time.
  await within([
    signals.signalAllAcceptedCredentials!({ ...user, allAcceptedCredentialIds }).catch(() => {})
      .then(() => signals.signalCurrentUserDetails?.({ ...user, name, displayName })),
  ]);
  return true;
}

/**
 * Tells the password manager that the server knows nothing of a passkey. It never fails.
 *
 * @param options What the server answered before the ceremony, of either kind.
 * @param credential What the ceremony came to.
 */
export async function signalUnknown(options: object, credential: string): Promise<void> {
  const { rp, rpId = (rp as Json).id } = options as Json;
  const { id: credentialId } = JSON.parse(credential);
  const { PublicKeyCredential: signals } = platform;
  const signalled = signals?.signalUnknownCredential?.({ rpId, credentialId });
  if (signalled !== undefined) await within([signalled]);
}
