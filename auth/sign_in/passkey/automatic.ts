/**
 * Passkeys that a password manager makes by itself after a sign-in by password, the mail about one, and the link in it that
 * removes it.
 *
 * @module
 */

import type { Endpoint, EndpointContext, RequestStore } from "../../core/contracts.ts";
import { SECURITY_HEADERS } from "../../core/error_response.ts";
import { jsonResponse, ownRedirect } from "../../core/redirect.ts";
import { reportChange } from "../../core/report.ts";
import { gateOf, isOf, prefersJson } from "../../core/request.ts";
import { type AuthError, EmailProofError, LastWayInError } from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { optionsOf } from "../../lib/options.ts";
import { createSecret, hashSecret, isSecret } from "../../lib/secret.ts";
import { lookOf, pageResponse } from "../../pages/frame.ts";
import { automaticPasskeyMail } from "../../pages/mails.ts";
import { passkeyRemovedPage, removalOverPage, removalPage } from "../../pages/passkey.ts";
import { limitAttempts } from "../../rate_limit/sign_in.ts";
import { requireUser } from "../../session/require.ts";
import { readSecretCookie, writeHostCookie } from "../../session/cookie.ts";
import { MAX_PASSKEYS, passkeyGroup, type PasskeyRecord } from "../../storage/passkeys.ts";
import { secretGroup, type StoredSecret } from "../../storage/secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import type { AuthContext, DefaultEnv, Mail } from "../../types/application.ts";
import type { Awaitable } from "../../types/callbacks.ts";
import { developmentMailEndpoints, readSendMail } from "../development_mail.ts";
import { openWays } from "../identity.ts";
import { mailOwner } from "../owner_mail.ts";
import { accountPath, pathOf } from "../password/pages.ts";
import {
  accountName,
  type AutomaticPasskeys,
  type CheckedPasskey,
  creationOptions,
  issueChallenge,
  relyingParty,
} from "./challenge.ts";
import { attemptOf } from "./sign_in.ts";

/** The mail about a passkey that was made by itself. */
export interface AutomaticPasskeyMail extends Mail {
  /** Tells it from the other mails. */
  kind: "automatic-passkey";
}

/** Options for `automaticPasskeys()`. */
export interface AutomaticPasskeysConfig<Env = DefaultEnv> {
  /**
   * Sends the mail to the owner of the account, with the link that removes the passkey. What it throws is logged, and fails
   * nothing. Default: in development the mails go to the terminal and to `/auth/dev/mail`; in production it must be given.
   */
  sendMail?(mail: AutomaticPasskeyMail, context: AuthContext<Env>): Awaitable<unknown>;
}

/** Path below `basePath` at which the script of a page asks for a passkey to be made. */
export const AUTOMATIC_PATH = "/passkey/options/automatic";

const REMOVAL_PATH = "/passkey/remove";
const COOKIE = "framework.passkey-offer";
const OFFER = "passkey-offer";
const REMOVAL = "passkey-removal";
const OFFER_AGE = 300_000;
/** Seconds for which a browser that has been offered one is offered no other. */
const PAUSE = 86_400;
/** Lifetime of the link that removes a passkey, in seconds: a week. */
const REMOVAL_AGE = 604_800;

/**
 * Offers a passkey: a secret in the cookie of this browser and a row of five minutes for this session. It is called where
 * a sign-in by password is complete and nowhere else, so a session of any other kind, an older one, and one in which
 * somebody would act for another user have no offer and can make none.
 */
async function offerPasskey(store: RequestStore, userId: string): Promise<void> {
  const { settings } = store.auth;
  const state = await store.auth.load();
  if (!isOf(state, userId) || !state.session.user.emailVerified) return;
  if (readSecretCookie(store, COOKIE) !== null) return;
  const secret = createSecret();
  const createdAt = settings.now();
  await groupOf(settings.storage, secretGroup).putSecret({
    purpose: OFFER,
    hash: await hashSecret(secret),
    identifier: state.id,
    userId,
    payload: null,
    createdAt,
    expiresAt: createdAt + OFFER_AGE,
  });
  writeHostCookie(store, { name: COOKIE, value: secret, maxAge: PAUSE }, "strict");
}

/** Takes the offer of this browser and this session; null for none. */
async function takeOffer({ store }: EndpointContext): Promise<StoredSecret | null> {
  const { auth, auth: { settings } } = store;
  const secret = readSecretCookie(store, COOKIE);
  const state = secret === null ? null : await auth.load();
  if (secret === null || state?.status !== "valid") return null;
  const taken = await groupOf(settings.storage, secretGroup)
    .takeSecret(OFFER, await hashSecret(secret), { now: settings.now(), identifier: state.id });
  return taken !== null && isOf(state, taken.userId!) ? taken : null;
}

/** Tests if this session may make a further credential: a trusted browser has proved no second factor. */
async function provesEnough(store: RequestStore): Promise<boolean> {
  try {
    await gateOf(store.auth.settings)?.assertFresh(store);
    return true;
  } catch (error) {
    if ((error as AuthError).code !== "SECOND_FACTOR_REQUIRED") throw error;
    return false;
  }
}

/**
 * `POST /passkey/options/automatic`: what a browser needs to make a passkey without asking (WebAuthn Level 3, 5.1.3, with
 * `mediation: "conditional"`); null where none is offered. That the user need not be present stands with the challenge: no
 * answer of a browser can say so.
 */
function automaticEndpoint(config: CheckedPasskey): Endpoint {
  return async function startAutomatic(context) {
    const { store } = context;
    await limitAttempts(context, attemptOf(config, "prepare"));
    const offer = await takeOffer(context);
    if (offer === null || !await provesEnough(store)) return jsonResponse(null);
    const { storage } = store.auth.settings;
    const user = await storage.getActiveUser(offer.userId!);
    if (!user?.emailVerified) return jsonResponse(null);
    const passkeys = await groupOf(storage, passkeyGroup).listPasskeys(user.id);
    if (passkeys.length >= MAX_PASSKEYS) return jsonResponse(null);
    const userHandle = passkeys[0]?.userHandle ?? createSecret();
    const challenge = await issueChallenge(context, {
      ceremony: "passkey-register",
      userId: user.id,
      payload: JSON.stringify({
        userHandle,
        sessionId: offer.identifier,
        automaticUntil: offer.expiresAt,
      }),
    });
    const party = relyingParty(config, store);
    // Browsers refuse a ceremony of this kind that asks for a verified user, and a list needs no name.
    const quiet = { ...config, userVerification: "preferred", residentKey: "required" } as const;
    return jsonResponse(creationOptions(quiet, challenge, {
      user: { id: userHandle, ...accountName(user, party) },
      exclude: passkeys,
      party,
    }));
  };
}

/** The passkey that a link removes. */
interface Removal {
  userId: string;
  passkeyId: string;
}

/**
 * Writes to the owner, with a link that removes the passkey. Its row names no user: a new password, by which somebody who
 * has planted the passkey could end the owner's links, leaves it.
 */
async function tellOfPasskey(
  store: RequestStore,
  { id: passkeyId, userId, name }: PasskeyRecord,
  send: (mail: AutomaticPasskeyMail, context: AuthContext<unknown>) => unknown,
): Promise<void> {
  const { settings, origin } = store.auth;
  const token = createSecret();
  const createdAt = settings.now();
  const expiresAt = createdAt + REMOVAL_AGE * 1000;
  const payload: Removal = { userId, passkeyId };
  await groupOf(settings.storage, secretGroup).putSecret({
    purpose: REMOVAL,
    hash: await hashSecret(token),
    identifier: null,
    userId: null,
    payload: JSON.stringify(payload),
    createdAt,
    expiresAt,
  });
  const url = ownRedirect(settings.basePath + REMOVAL_PATH, origin(), { token });
  mailOwner(store, {
    userId,
    kind: "automatic-passkey",
    url,
    expires: new Date(expiresAt),
    token,
    written: automaticPasskeyMail(lookOf(store), {
      at: new Date(createdAt),
      name,
      url,
      seconds: REMOVAL_AGE,
    }),
    mailer: "sendMail() of automaticPasskeys()",
    send,
  });
}

async function findRemoval(
  { auth: { settings: { storage, now } } }: RequestStore,
  token: unknown,
): Promise<{ secret: StoredSecret; passkey: PasskeyRecord | null } | null> {
  if (!isSecret(token)) return null;
  const secret = await groupOf(storage, secretGroup)
    .readSecret(REMOVAL, await hashSecret(token), now());
  if (secret === null) return null;
  const { userId, passkeyId } = JSON.parse(secret.payload!) as Removal;
  const found = await groupOf(storage, passkeyGroup).getPasskey(passkeyId);
  return { secret, passkey: found?.userId === userId ? found : null };
}

/** The page for a link that does not hold. */
function overResponse({ store }: EndpointContext): Response {
  const { settings } = store.auth;
  const look = lookOf(store);
  const page = removalOverPage(look, { next: accountPath(settings) ?? settings.pages.signIn });
  return pageResponse(look, page, { status: 400 });
}

/**
 * Asks for a session of the owner where there are second factors: the passkey may be one, which a mailbox alone takes from nobody.
 *
 * @throws {RedirectError} To the sign-in page and back; for a client that prefers JSON the error.
 * @throws {EmailProofError} In a session of somebody else.
 */
async function assertMayRemove(store: RequestStore, { userId }: PasskeyRecord): Promise<void> {
  const { auth, request } = store;
  if (gateOf(auth.settings) === undefined) return;
  const { id } = requireUser(await auth.load(), { throwError: prefersJson(request) }, store);
  if (id !== userId) throw new EmailProofError();
}

/** `GET /passkey/remove`: where the link leads. It changes nothing, however often mail scanners follow it. */
async function showRemoval(context: EndpointContext): Promise<Response> {
  const { store, url } = context;
  const token = url.searchParams.get("token");
  const found = await findRemoval(store, token);
  if (found === null || found.passkey === null) return overResponse(context);
  await assertMayRemove(store, found.passkey);
  const { name, createdAt } = found.passkey;
  const look = lookOf(store);
  const action = store.auth.settings.basePath + REMOVAL_PATH;
  const at = new Date(createdAt);
  return pageResponse(look, removalPage(look, { action, hidden: { token }, name, at }));
}

/** `POST /passkey/remove`: removes the passkey. The link is the proof, once. */
async function removeByLink(context: EndpointContext): Promise<Response> {
  const { store, store: { auth: { settings }, request } } = context;
  const { storage, now, providers } = settings;
  const fields = await readFields(request, { optional: false });
  const found = await findRemoval(store, fields.get("token"));
  const secrets = groupOf(storage, secretGroup);
  if (found?.passkey) await assertMayRemove(store, found.passkey);
  const taken = found && await secrets.takeSecret(REMOVAL, found.secret.hash, { now: now() });
  if (found === null || taken === null) {
    if (prefersJson(request)) throw new EmailProofError();
    return overResponse(context);
  }
  if (found.passkey !== null) {
    const { id, userId } = found.passkey;
    const provider = [...providers.values()].find(({ type }) => type === "webauthn")?.id;
    const by = provider !== undefined && { provider };
    const outcome = await reportChange(
      store,
      {
        events: [{ type: "passkey-removed", userId, passkeyId: id, ...by }],
        happened: (result) => result === "deleted",
      },
      () =>
        groupOf(storage, passkeyGroup)
          .deletePasskey(userId, id, { keep: openWays(settings) }),
    );
    if (outcome === "last") {
      // The owner may come back with it when there is another way in.
      await secrets.putSecret(found.secret);
      throw new LastWayInError();
    }
  }
  if (prefersJson(request)) return new Response(null, { status: 204, headers: SECURITY_HEADERS });
  const look = lookOf(store);
  const page = passkeyRemovedPage(look, { reset: pathOf(settings, "forgotPassword") });
  return pageResponse(look, page);
}

/**
 * Passkeys that a password manager makes by itself, for `passkey({ automatic })`: in the five minutes after a sign-in with
 * the password of `passwords()`, with the second factor where one is on, by a user who has proved their address, once a day
 * in a browser. The browser asks nothing (WebAuthn Level 3, 5.1.3 and 7.1, conditional create), so the user need not have
 * been present; every sign-in with it is a ceremony as with any other passkey, and only one that verifies its user counts
 * as two factors. The owner gets a mail with a link that removes the passkey, for a week.
 *
 * The page after the sign-in asks for it: `createPasskeyAfterSignIn()`, or an element `data-passkey-automatic` with the
 * library's script. The account page does so by itself.
 *
 * @param config How the owner of an account is told. Default: mails are shown to the developer.
 * @throws {ConfigurationError} When the configuration is wrong, or in production without `sendMail`.
 *
 * @example
 * ```ts
 * import { automaticPasskeys, createAuth, createMemoryStorage, passkey, passwords } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const sendMail = ({ to, subject, text }: { to: string; subject: string; text: string }) => {};
 * const auth = createAuth({
 *   baseUrl: "https://app.example",
 *   database: createMemoryStorage(),
 *   providers: [passwords({ sendMail }), passkey({ automatic: automaticPasskeys({ sendMail }) })],
 * });
 * const request = new Request("https://app.example/auth/passkey/options/automatic", {
 *   method: "POST",
 *   headers: { origin: "https://app.example", accept: "application/json" },
 * });
 * const response = await auth.handle(request, {});
 * equal(await response!.json(), null); // nobody has just signed in
 * ```
 */
export function automaticPasskeys<Env = DefaultEnv>(
  config: AutomaticPasskeysConfig<Env> = {},
): AutomaticPasskeys {
  const { sendMail } = optionsOf(config, "automaticPasskeys()", ["sendMail"]);
  const send = readSendMail(sendMail, {
    provider: "automaticPasskeys()",
    reason: "by which owners learn of a passkey that was made",
  }) as (mail: AutomaticPasskeyMail, context: AuthContext<unknown>) => unknown;
  return {
    kind: "automatic-passkeys",
    endpoints: (passkeys) => [
      { path: AUTOMATIC_PATH, method: "POST", endpoint: automaticEndpoint(passkeys) },
      { path: REMOVAL_PATH, method: "GET", endpoint: showRemoval },
      { path: REMOVAL_PATH, method: "POST", endpoint: removeByLink },
      ...developmentMailEndpoints(),
    ],
    offer: offerPasskey,
    tell: (store, passkey) => tellOfPasskey(store, passkey, send),
  };
}
