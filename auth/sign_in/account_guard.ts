import { hashText } from "../crypto/sha256.ts";
import { tagAccount } from "../events/account_tag.ts";
import { isSecureOrigin } from "../http/own_origin.ts";
import { createSecret, isSecret } from "../one_time/secret.ts";
import { canonicalIdentifier } from "../rate_limit/limit_key.ts";
import { readCookie } from "../session/read_cookie.ts";
import { serializeCookie } from "../session/set_cookie.ts";
import { knownBrowsersOf, type KnownBrowserStorage } from "../storage/known_browsers.ts";
import type { AccountGuard, RequestStore, Settings } from "../http/contracts.ts";

const DAY = 24 * 60 * 60;
// Browsers keep no cookie longer (RFC 6265bis, 5.5).
const MAX_AGE = 400 * DAY;
const KEPT_BROWSERS = 10;

/** With the prefix no sibling host of the site can plant one. */
function cookieName({ auth }: RequestStore): string {
  return `${isSecureOrigin(auth.origin()) ? "__Host-" : ""}framework.known`;
}

function readId(store: RequestStore): string | null {
  const header = store.request.headers.get("cookie");
  // Most visitors have none, and nobody needs to know the own address then.
  if (!header?.includes("framework.known=")) return null;
  const reading = readCookie(header, cookieName(store));
  return reading.found === "one" && isSecret(reading.value) ? reading.value : null;
}

/**
 * What is stored of a browser: it counts for what its user typed there to say who they are and for nothing else,
 * so one id serves all users of a browser, and the table does not tell that they share it.
 */
async function hashOf(id: string, identifier: string): Promise<string> {
  return await hashText(`${id}\n${canonicalIdentifier(identifier)}`);
}

function storageOf(settings: Settings): KnownBrowserStorage | null {
  return settings.hasDatabase ? knownBrowsersOf(settings.storage) : null;
}

/**
 * Guard of the accounts at which somebody can guess. Browsers in which their owners have signed in are known, as "device cookies" (OWASP, Slow Down Online Guessing Attacks with Device
 * Cookies): what strangers guess at an account does not use up the attempts that they have there.
 */
export const ACCOUNT_GUARD: AccountGuard = {
  async find(store, identifier, { proved }) {
    const id = readId(store);
    const browsers = id === null ? null : storageOf(store.auth.settings);
    if (id === null || browsers === null) return null;
    const hash = await hashOf(id, identifier);
    const { now } = store.auth.settings;
    return await browsers.isKnownBrowser(hash, { now: now(), proved }) ? hash : null;
  },
  async remember(store, { userId, identifiers, conditions }) {
    const browsers = storageOf(store.auth.settings);
    if (browsers === null) return;
    const { now, logger } = store.auth.settings;
    const id = readId(store) ?? createSecret();
    const createdAt = now();
    const expiresAt = createdAt + MAX_AGE * 1000;
    try {
      for (const idHash of new Set(await Promise.all(identifiers.map((one) => hashOf(id, one))))) {
        const browser = { idHash, userId, createdAt, expiresAt };
        await browsers.putKnownBrowser(browser, { ...conditions, keep: KEPT_BROWSERS });
      }
    } catch (error) {
      // Who is signed in stays so; strangers can keep them out of their next sign-in, and no longer than a day.
      return logger.error("known-browser-not-stored", { error });
    }
    const line = serializeCookie({ name: cookieName(store), value: id, maxAge: MAX_AGE }, {
      secure: isSecureOrigin(store.auth.origin()),
      httpOnly: true,
      sameSite: "lax",
      path: "/",
      domain: null,
    });
    store.cookiesOut.set(line);
  },
  async forget(settings, userId) {
    await storageOf(settings)?.dropKnownBrowsers(userId);
  },
  tag: tagAccount,
};
