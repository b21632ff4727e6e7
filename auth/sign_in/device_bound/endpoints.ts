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
import { createSecret } from "../../lib/secret.ts";
import { limitHeaders, limitKey, secondsOf } from "../../rate_limit/keys.ts";
import { limitsOf } from "../../rate_limit/sign_in.ts";
import type { DeviceKey } from "./binding.ts";
import { CHALLENGE_LIFE, createChallenge, readChallenge, readField, readProof } from "./proof.ts";
import { longOf } from "./token.ts";

/** A session that a request names, and what its strategy does with its key. */
export interface NamedSession {
  /** Public name. */
  id: string;
  /** Owner. */
  userId: string;
  /** Start, in milliseconds since 1970. */
  startedAt: number;
  /** Secrets of its challenges: the first makes them, all count. */
  secrets: readonly [string, ...string[]];
  /** Key of its device; null for none. */
  key: DeviceKey | null;
  /** Time of the newest challenge that was answered, where that is known; else 0. */
  provedAt: number;
  /** True when its token was replaced: the cookie of the one in its place is on its way. */
  replaced: boolean;
  /** Binds it, once. Null when another request was faster, or it is over. */
  bind(key: DeviceKey): Promise<Granted | null>;
  /** Answers the proof of a challenge, each once. Null when it was answered before, or the session is over. */
  refresh(time: number): Promise<Granted | null>;
  /** Counts a wrong proof. True when this was the third, which ends it; null when it is over. */
  refuse(): Promise<boolean | null>;
}

/** Answer to a proof that is right. */
export interface Granted {
  /** Public name of the session. */
  id: string;
  /** Line of the short cookie. */
  line: string;
}

/** Options of the endpoints. */
export interface DeviceEndpointOptions {
  /** Finds the session of a long cookie; null for none, and for one that was never offered a binding. */
  find(store: RequestStore, long: string): Promise<NamedSession | null>;
  /** Told of a session that the third wrong proof has ended. */
  tellOwner(store: RequestStore, userId: string): void;
}

/** Paths of the endpoints. */
export const PATHS = { start: "/device/start", refresh: "/device/refresh" };

/** Wrong proofs that end a session. */
export const WRONG_PROOFS = 3;
// Two requests for each refresh, and the browser may refresh ahead of time.
const LIMIT = { limit: 60, window: 600 };

/**
 * Counts a request for its session and its address together: whoever has copied the long cookie uses up nothing of its
 * owner's.
 *
 * @returns The refusal; null for one that may go on.
 */
async function limit(store: RequestStore, id: string): Promise<Response | null> {
  const { settings } = store.auth;
  const limits = limitsOf(settings);
  if (limits === null) return null;
  const name = "device";
  const { limit, window } = LIMIT;
  const now = settings.now();
  const key = await limitKey({ name, identifier: `${id} ${store.address() ?? ""}` });
  const rule = { limit, window: window * 1000, now };
  const { allowed, resetAt } = await limits.storage.takeRateLimit(key, rule);
  if (allowed) return null;
  const reset = secondsOf(resetAt - now, window);
  const headers = limitHeaders({ name, limit, window, remaining: 0, reset, allowed });
  return busy(headers);
}

/** An answer after which Chromium tries again with the same key: any of 4xx is the end of that. */
function busy(headers: Record<string, string>): Response {
  return new Response(null, { status: 503, headers: { ...SECURITY_HEADERS, ...headers } });
}

/** Finds the session of a request; a response for one that goes no further. */
async function findSession(
  store: RequestStore,
  { find }: DeviceEndpointOptions,
): Promise<NamedSession | Response | null> {
  const { presented, origin } = store.auth;
  if (!origin().startsWith("https:")) return null;
  // A planted cookie beside it takes the key from nobody.
  if (presented.found === "unclear") return busy({});
  if (presented.found !== "one" || presented.source !== "cookie") return null;
  if (presented.before !== undefined) return null;
  const named = await find(store, longOf(presented.token));
  // A stranger's cookies, of which there is no end, are not counted: each costs what a page with it does.
  return named && (await limit(store, named.id) ?? named);
}

function refused(): Response {
  return new Response(null, { status: 400, headers: SECURITY_HEADERS });
}

/** Counts a wrong proof. The third ends the session: whoever brings it has the cookie and not the device. */
async function refuseProof(
  store: RequestStore,
  { tellOwner }: DeviceEndpointOptions,
  { userId, refuse }: NamedSession,
): Promise<Response> {
  const ended = await refuse();
  if (ended === null) return refused();
  store.report({ type: "device-proof-refused", userId, ended });
  if (ended) tellOwner(store, userId);
  return refused();
}

/** Id of the binding that a browser refreshes; null for none. */
function bindingId({ headers }: Request): string | null {
  const id = readField(headers.get("sec-secure-session-id") ?? "");
  return /^[\w-]{1,64}$/.test(id) ? id : null;
}

/** Asks for a proof. Without a session the challenge is one that nobody can answer. */
async function askForProof(
  { request, auth: { settings } }: RequestStore,
  named: NamedSession | null,
): Promise<Response> {
  const { secrets: [secret], provedAt } = named ?? { secrets: [createSecret()], provedAt: 0 };
  // The clock of another server may be ahead.
  const time = Math.max(settings.now(), provedAt + 1);
  const text = await createChallenge(secret, "refresh", time);
  const id = bindingId(request);
  const value = id === null ? `"${text}"` : `"${text}";id="${id}"`;
  return new Response(null, {
    status: 403,
    headers: { ...SECURITY_HEADERS, "secure-session-challenge": value },
  });
}

/** Gives the browser its short cookie, and says for what it is to be refreshed. */
function grant({ auth: { settings }, cookiesOut }: RequestStore, { id, line }: Granted): Response {
  cookiesOut.set(line);
  const [pair, ...attributes] = line.split("; ");
  return jsonResponse({
    session_identifier: id,
    refresh_url: settings.basePath + PATHS.refresh,
    scope: { include_site: false, scope_specification: [] },
    credentials: [{
      type: "cookie",
      name: pair!.split("=", 1)[0],
      attributes: attributes.filter((one) => !one.startsWith("Max-Age=")).join("; "),
    }],
  });
}

/**
 * `POST /device/start`: binds a session to a key. Once, within two minutes of the sign-in, and only with the challenge of
 * that sign-in's own answer, which nobody has who has copied the cookie.
 */
export function startEndpoint(options: DeviceEndpointOptions): Endpoint {
  return async ({ store }: EndpointContext) => {
    const header = store.request.headers.get("secure-session-response");
    const named = await findSession(store, options);
    if (named instanceof Response) return named;
    if (named === null || header === null) return refused();
    const age = store.auth.settings.now() - named.startedAt;
    if (named.key !== null || !(age <= CHALLENGE_LIFE)) return refused();
    const proof = readProof(header);
    const isRight = proof !== null && proof.key !== null &&
      await readChallenge(proof.challenge, named.secrets, "start") !== null &&
      await proof.isSignedBy(proof.key);
    if (!isRight) return await refuseProof(store, options, named);
    const granted = await named.bind(proof.key!);
    return granted === null ? refused() : grant(store, granted);
  };
}

/**
 * `POST /device/refresh`: without a proof it gives a challenge, with the proof of one the next short cookie. Each challenge
 * is accepted once.
 */
export function refreshEndpoint(options: DeviceEndpointOptions): Endpoint {
  return async ({ store }: EndpointContext) => {
    const header = store.request.headers.get("secure-session-response");
    const named = await findSession(store, options);
    if (named instanceof Response) return named;
    const id = bindingId(store.request);
    // A key of a sign-in before, which the browser still has, or of a sibling host that names this address as its own. Its
    // proof would count as a wrong one, and this drops it.
    const isReplaced = named?.replaced === true;
    if (id !== null && id !== named?.id && !isReplaced) return refused();
    // After a replaced token the browser tries again, with the one in its place.
    if (header === null || isReplaced) return await askForProof(store, named);
    if (named === null || named.key === null) return refused();
    const proof = readProof(header);
    const time = proof && await readChallenge(proof.challenge, named.secrets, "refresh");
    if (proof === null || time === null || !await proof.isSignedBy(named.key)) {
      return await refuseProof(store, options, named);
    }
    // The clock of the server that made it may be ahead.
    const isInTime = store.auth.settings.now() - time <= CHALLENGE_LIFE;
    const granted = isInTime ? await named.refresh(time) : null;
    // Its device has answered, too late or twice: that is no theft, and the browser tries again.
    return granted === null ? await askForProof(store, named) : grant(store, granted);
  };
}
