import { PasskeyError } from "../errors/passkey_errors.ts";
import { isSecureOrigin } from "../http/own_origin.ts";
import { createSecret, hashSecret, isSecret } from "../one_time/secret.ts";
import { readCookie } from "../session/read_cookie.ts";
import { serializeCookie } from "../session/set_cookie.ts";
import type { StoredSecret } from "../storage/secret_storage.ts";
import { secretsOf } from "../storage/secrets_of.ts";
import { sentSecretsOf } from "../storage/sent_secrets_of.ts";
import type { EndpointContext } from "../http/contracts.ts";

/** The ceremonies. A challenge of one is none of the other. */
export type Ceremony = "passkey-register" | "passkey-authenticate";

/** What a challenge is for. */
export interface ChallengePurpose {
  /** Which ceremony. */
  ceremony: Ceremony;
  /** Whose passkey it is about; null when nobody is known yet. */
  userId: string | null;
  /** What is needed when the answer comes; null for nothing. */
  payload: string | null;
}

/** How long an answer may take, in milliseconds. ASVS 6.7.2 asks for a challenge that ends. */
export const CHALLENGE_LIFETIME: number = 300_000;

// One for each tab in which somebody may be about to sign in.
const MAX_OPEN = 10;

/** The name of the cookie. With the prefix no other host of the site can plant one. */
function cookieName(secure: boolean): string {
  return `${secure ? "__Host-" : ""}framework.passkey`;
}

/** The secret that tells this browser from all others, if it has one. */
function browserSecret({ store: { request, auth } }: EndpointContext): string | null {
  const name = cookieName(isSecureOrigin(auth.origin()));
  const cookie = readCookie(request.headers.get("cookie"), name);
  return cookie.found === "one" && isSecret(cookie.value) ? cookie.value : null;
}

function rememberBrowser(context: EndpointContext): string {
  const { auth: { origin }, cookiesOut } = context.store;
  const value = browserSecret(context) ?? createSecret();
  const secure = isSecureOrigin(origin());
  const cookie = { name: cookieName(secure), value, maxAge: CHALLENGE_LIFETIME / 1000 };
  const attributes = { path: "/", domain: null, httpOnly: true, sameSite: "strict" } as const;
  cookiesOut.set(serializeCookie(cookie, { ...attributes, secure }));
  return value;
}

/** Makes a challenge that only this browser can answer, once. */
export async function issueChallenge(
  context: EndpointContext,
  { ceremony, userId, payload }: ChallengePurpose,
): Promise<string> {
  const { settings } = context.store.auth;
  const challenge = createSecret();
  const at = settings.now();
  await sentSecretsOf(settings.storage).putNewestSecret({
    purpose: ceremony,
    hash: await hashSecret(challenge),
    identifier: await hashSecret(rememberBrowser(context)),
    userId,
    payload,
    createdAt: at,
    expiresAt: at + CHALLENGE_LIFETIME,
  }, { keep: MAX_OPEN });
  return challenge;
}

/**
 * Takes a challenge: of any number of answers at once one gets it, and it is gone whatever becomes of that
 * answer.
 *
 * @throws {PasskeyError} `PASSKEY_EXPIRED`, when it is not there for this browser and this ceremony.
 */
export async function takeChallenge(
  context: EndpointContext,
  ceremony: Ceremony,
  challenge: string,
): Promise<StoredSecret> {
  const { settings } = context.store.auth;
  const browser = browserSecret(context);
  const taken = browser === null || !isSecret(challenge)
    ? null
    : await secretsOf(settings.storage).takeSecret(ceremony, await hashSecret(challenge), {
      now: settings.now(),
      identifier: await hashSecret(browser),
    });
  if (taken === null) throw new PasskeyError(undefined, { code: "PASSKEY_EXPIRED" });
  return taken;
}
