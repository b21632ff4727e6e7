/**
 * Endpoints at which a browser binds its session to its device, and proves it.
 *
 * Both change nothing without a proof, and answer the same whether there is a session or not.
 *
 * @module
 */

import type { Endpoint, EndpointContext, RequestStore } from "../../core/contracts.ts";
import { SECURITY_HEADERS } from "../../core/error_response.ts";
import { jsonResponse } from "../../core/redirect.ts";
import { RateLimitedError } from "../../errors.ts";
import { hashText } from "../../lib/hash.ts";
import { createSecret, isSecret } from "../../lib/secret.ts";
import { limitHeaders, limitKey, secondsOf } from "../../rate_limit/keys.ts";
import { limitsOf } from "../../rate_limit/sign_in.ts";
import { ONE_COOKIE, sessionCookieLines } from "../../session/cookie.ts";
import { type BindableSession, deviceBindingGroup } from "../../storage/device_bindings.ts";
import { groupOf } from "../../storage/storage.ts";
import { type Binding, graceUntil, readBinding, writeBinding } from "./binding.ts";
import { CHALLENGE_LIFE, createChallenge, readChallenge, readProof } from "./proof.ts";
import { longOf, SHORT } from "./strategy.ts";

/** Options of the endpoints. */
export interface DeviceEndpointOptions {
  /** Lifetime of the short cookie, in milliseconds. */
  life: number;
  /** Told of a session that the third wrong proof has ended. */
  tellOwner(store: RequestStore, userId: string): void;
}

/** Paths of the endpoints. */
export const PATHS = { start: "/device/start", refresh: "/device/refresh" };

const WRONG_PROOFS = 3;
// A page loads what it shows while the registration is answered. A copy of the cookie opened the session until then anyway.
const GRACE = 10_000;
// Two requests for each refresh, and the browser may refresh ahead of time.
const LIMIT = { limit: 60, window: 600 };

/** The session that a request names, and its binding. */
interface Named {
  hash: string;
  stored: BindableSession;
  binding: Binding;
}

/** Counts a request for the session that it names, whether that exists or not. */
async function count({ auth: { settings } }: RequestStore, hash: string): Promise<void> {
  const limits = limitsOf(settings);
  if (limits === null) return;
  const name = "device";
  const { limit, window } = LIMIT;
  const now = settings.now();
  const key = await limitKey({ name, identifier: hash });
  const rule = { limit, window: window * 1000, now };
  const { allowed, resetAt } = await limits.storage.takeRateLimit(key, rule);
  if (allowed) return;
  const reset = secondsOf(resetAt - now, window);
  throw new RateLimitedError(undefined, {
    headers: limitHeaders({ name, limit, window, remaining: 0, reset, allowed }),
  });
}

/** Finds the session of the long cookie; null for none, and for one that was never offered a binding. */
async function findSession(store: RequestStore): Promise<Named | null> {
  const { presented, settings } = store.auth;
  if (presented.found !== "one" || presented.source !== "cookie") return null;
  const long = longOf(presented.token);
  if (presented.before !== undefined || !isSecret(long)) return null;
  const hash = await hashText(long);
  await count(store, hash);
  return await read(store, hash, settings.now());
}

async function read(
  { auth: { settings } }: RequestStore,
  hash: string,
  now: number,
): Promise<Named | null> {
  const stored = await groupOf(settings.storage, deviceBindingGroup).readBindable(hash);
  const binding = readBinding(stored?.device ?? null);
  if (stored === null || binding === null) return null;
  return settings.strategy.endOf!(stored.session) > now ? { hash, stored, binding } : null;
}

/**
 * Changes a binding as it is at that moment, however many requests do so at once.
 *
 * @param make Makes the new one of the one that was read; null to leave it.
 * @returns The new one; null when it was left, or the session is gone.
 */
async function change(
  store: RequestStore,
  named: Named,
  make: (binding: Binding) => Binding | null,
): Promise<Binding | null> {
  const { settings } = store.auth;
  const bindings = groupOf(settings.storage, deviceBindingGroup);
  let known: Named | null = named;
  // Each round somebody has written, and what is written ends soon: the session by its third wrong proof.
  for (let round = 0; round < 20 && known !== null; round++) {
    const { hash, stored }: Named = known;
    const made = make(known.binding);
    if (made === null) return null;
    const change = { from: stored.device, to: writeBinding(made) };
    if (await bindings.changeDevice(stored.session.id, change)) return made;
    known = await read(store, hash, settings.now());
  }
  return null;
}

function refused(): Response {
  return new Response(null, { status: 400, headers: SECURITY_HEADERS });
}

/** Counts a wrong proof. The third ends the session: whoever brings it has the cookie and not the device. */
async function refuseProof(
  store: RequestStore,
  options: DeviceEndpointOptions,
  named: Named,
): Promise<Response> {
  const { settings } = store.auth;
  const { userId } = named.stored.session;
  const made = await change(store, named, (known) => ({ ...known, wrong: known.wrong + 1 }));
  if (made === null) return refused();
  const ended = made.wrong >= WRONG_PROOFS && await settings.storage.deleteSession(named.hash);
  store.report({ type: "device-proof-refused", userId, ended });
  if (ended) options.tellOwner(store, userId);
  return refused();
}

/** Asks for a proof. Without a session the challenge is one that nobody can answer. */
async function askForProof(
  { request, auth: { settings } }: RequestStore,
  named: Named | null,
): Promise<Response> {
  const { secret, provedAt } = named?.binding ?? { secret: createSecret(), provedAt: 0 };
  // The clock of another server may be ahead.
  const time = Math.max(settings.now(), provedAt + 1);
  const text = await createChallenge(secret, "refresh", time);
  const id = /^"?([\w-]{1,64})"?$/.exec(request.headers.get("sec-secure-session-id") ?? "")?.[1];
  const value = id === undefined ? `"${text}"` : `"${text}";id="${id}"`;
  return new Response(null, {
    status: 403,
    headers: { ...SECURITY_HEADERS, "secure-session-challenge": value },
  });
}

/** Gives the browser a short cookie, and says for what it is to be refreshed. */
function grant(
  store: RequestStore,
  named: Named,
  cookie: { short: string; life: number },
): Response {
  const { settings, origin } = store.auth;
  // The browser asks for the next one while this one still opens the session.
  const life = { token: cookie.short, milliseconds: cookie.life * 0.9 };
  const place = { ...settings.cookie, name: settings.cookie.name + SHORT, tokens: ONE_COOKIE };
  const [line] = sessionCookieLines(place, life, origin);
  store.cookiesOut.set(line!);
  const [pair, ...attributes] = line!.split("; ");
  return jsonResponse({
    session_identifier: named.stored.session.id,
    refresh_url: settings.basePath + PATHS.refresh,
    scope: { include_site: false, scope_specification: [] },
    credentials: [{
      type: "cookie",
      name: pair!.split("=", 1)[0],
      attributes: attributes.filter((one) => !one.startsWith("Max-Age=")).join("; "),
    }],
  });
}

function isSecure({ auth }: RequestStore): boolean {
  return auth.origin().startsWith("https:");
}

/**
 * `POST /device/start`: binds a session to a key. Once, within two minutes of the sign-in, and only with the challenge of
 * that sign-in's own answer, which nobody has who has copied the cookie.
 */
export function startEndpoint(options: DeviceEndpointOptions): Endpoint {
  return async ({ store }: EndpointContext) => {
    const header = store.request.headers.get("secure-session-response");
    const named = isSecure(store) ? await findSession(store) : null;
    if (named === null || header === null) return refused();
    const now = store.auth.settings.now();
    const { binding: { key, secret }, stored: { session } } = named;
    if (key !== null || !(now - session.createdAt <= CHALLENGE_LIFE)) return refused();
    const proof = readProof(header);
    const isRight = proof !== null && proof.key !== null &&
      await readChallenge(proof.challenge, secret, "start") !== null &&
      await proof.isSignedBy(proof.key);
    if (!isRight) return await refuseProof(store, options, named);
    const short = createSecret();
    const hash = await hashText(short);
    const { life } = options;
    const made = await change(
      store,
      named,
      (known) =>
        known.key === null
          ? { ...known, key: proof.key, cookies: [[hash, now + life], graceUntil(now + GRACE)] }
          : null,
    );
    return made === null ? refused() : grant(store, named, { short, life });
  };
}

/**
 * `POST /device/refresh`: without a proof it gives a challenge, with the proof of one the next short cookie. Each challenge
 * is accepted once, and none that is older than one that was.
 */
export function refreshEndpoint(options: DeviceEndpointOptions): Endpoint {
  return async ({ store }: EndpointContext) => {
    const header = store.request.headers.get("secure-session-response");
    const named = isSecure(store) ? await findSession(store) : null;
    // A replaced token: the cookie of the one in its place is on its way, and the browser tries again with it.
    const isReplaced = named !== null &&
      !(named.stored.session.refreshedAt < named.stored.session.expiresAt);
    if (header === null || isReplaced) return await askForProof(store, named);
    if (named === null || named.binding.key === null) return refused();
    const { key, secret } = named.binding;
    const proof = readProof(header);
    const time = proof && await readChallenge(proof.challenge, secret, "refresh");
    if (proof === null || time === null || !await proof.isSignedBy(key)) {
      return await refuseProof(store, options, named);
    }
    const now = store.auth.settings.now();
    const short = createSecret();
    const hash = await hashText(short);
    const { life } = options;
    const made = !(Math.abs(now - time) <= CHALLENGE_LIFE) ? null : await change(
      store,
      named,
      (known) =>
        time > known.provedAt
          ? { ...known, provedAt: time, cookies: [[hash, now + life], known.cookies[0]!] }
          : null,
    );
    // Its device has answered, too late or twice: that is no theft, and the browser tries again.
    return made === null ? await askForProof(store, named) : grant(store, named, { short, life });
  };
}
