/**
 * Admission of the API key of a request.
 *
 * A key stands in the place of the session cookie, known by its beginning alone, and nothing of it is read until a guard
 * lets keys count. Then the state of the session is that of its owner, with the rights of both.
 *
 * @module
 */

import type { RequestStore, Settings } from "../core/contracts.ts";
import { answerError } from "../core/error_response.ts";
import { pathBelow } from "../core/redirect.ts";
import { findRequest } from "../core/request.ts";
import { ApiKeyError, RateLimitedError } from "../errors.ts";
import { constantTimeEqualText, hashText } from "../lib/hash.ts";
import { limitHeaders, limitKey, secondsOf } from "../rate_limit/keys.ts";
import { limitsOf } from "../rate_limit/sign_in.ts";
import {
  grantsFor,
  type PermissionOptions,
  type Rbac,
  type RoleHolder,
} from "../rbac/permissions.ts";
import { setActor } from "../session/actor.ts";
import { presentedNames } from "../session/cookie.ts";
import type { ApiKeyRecord, FoundApiKey } from "../storage/api_keys.ts";
import { type RateLimit, rateLimitGroup, type RateLimitStorage } from "../storage/rate_limits.ts";
import { groupOf } from "../storage/storage.ts";
import type { SessionState, ValidSession } from "../types/session.ts";
import type { RequestTenant, Tenancy } from "../types/tenant.ts";
import type { User } from "../types/user.ts";
import { parseApiKey } from "./key.ts";
import { type CheckedApiKeys, keyStorageOf } from "./options.ts";

/** An admitted key, and what its owner may do beside it. */
interface Admitted {
  key: ApiKeyRecord;
  /** The owner, with all roles; null for a key of a team. */
  holder: RoleHolder | null;
  /** State of the session of the owner; null for a key of a team. */
  state: ValidSession | null;
}

const NONE: SessionState = Object.freeze({ status: "none" });
// Times beyond it are none (ECMA-262, 21.4.1.1).
const NEVER = 8.64e15;
const HOUR = 3_600_000;
/** One sentence for all of them: to whom a tenant is closed, nobody tells that it is there. */
const ELSEWHERE =
  "This API key does not count here: the request names another tenant than the key's or none, that tenant is suspended, " +
  "or the key's owner has no access, or must have an authenticator app there, and the key is older: then make a new key, " +
  "since one that is rotated stays as old.";
/** Unknown and wrong keys from one address. */
const WRONG: RateLimit = { limit: 60, window: 900 };

/** Compared when there is no such key, so that it takes as long. */
const NOBODY = { hash: "A".repeat(43), previousHash: null, previousUntil: null };

const admissions = new WeakMap<RequestStore, Promise<"user" | "team">>();
const admitted = new WeakMap<RequestStore, Admitted>();

function current(): Admitted | undefined {
  const store = findRequest();
  return store && admitted.get(store);
}

/** Tests a secret against the present one, and the one before as long as it counts. Both are compared, whatever comes first. */
function isSecretOf(
  { hash, previousHash, previousUntil }: Pick<
    ApiKeyRecord,
    "hash" | "previousHash" | "previousUntil"
  >,
  given: string,
  now: number,
): boolean {
  const isPresent = constantTimeEqualText(hash, given);
  const isBefore = constantTimeEqualText(previousHash ?? NOBODY.hash, given);
  return isPresent || isBefore && previousHash !== null && (previousUntil ?? 0) > now;
}

/** Storage that counts requests: the application may have turned the limits of sign-ins off, and not those of keys. */
function countingOf(settings: Settings): RateLimitStorage {
  return limitsOf(settings)?.storage ?? groupOf(settings.storage, rateLimitGroup);
}

/** Counts one request against a limit. */
async function count(
  store: RequestStore,
  { key, rule, name }: { key: string; rule: RateLimit; name: string },
): Promise<void> {
  const { settings } = store.auth;
  const { limit, window } = rule;
  const now = settings.now();
  const { allowed, resetAt } = await countingOf(settings)
    .takeRateLimit(key, { limit, window: window * 1000, now });
  if (allowed) return;
  store.report({ type: "rate-limited", limiter: name });
  const reset = secondsOf(resetAt - now, window);
  throw new RateLimitedError("This API key has made too many requests. Try again later", {
    headers: limitHeaders({ name, limit, window, remaining: 0, reset, allowed: false }),
  });
}

/** Refuses a key that the database does not know, or whose secret is another one. Both cost the same. */
async function refuseWrong(store: RequestStore): Promise<never> {
  const { settings } = store.auth;
  if (limitsOf(settings) !== null) {
    const address = store.address();
    const name = "api-key-wrong";
    const key = await limitKey({ name, address, identifier: address === null ? "?" : null });
    await count(store, { key, rule: WRONG, name });
  }
  throw new ApiKeyError();
}

/** Finds a key that counts, by one statement. */
async function findKey(store: RequestStore, config: CheckedApiKeys): Promise<FoundApiKey> {
  const { presented, settings: { now } } = store.auth;
  const token = presented.found === "one" ? presented.token : "";
  // No statement for what no key can be.
  const parts = parseApiKey(config.beginning, token);
  if (parts === null) throw new ApiKeyError();
  const hash = await hashText(parts.secret);
  const found = await keyStorageOf(store).readApiKey(parts.id);
  const isRight = isSecretOf(found?.key ?? NOBODY, hash, now());
  const ends = found?.key.expiresAt ?? NEVER;
  if (found === null || !isRight || !(ends > now())) return await refuseWrong(store);
  return found;
}

/** A user as a key shows them: with no role, since a role may do more than the key. */
function withoutRoles(user: User): User {
  const { role: _role, roles: _roles, ...rest } = user;
  return rest;
}

/** The session of a key's owner. Its last proof is no moment, so that it is never recent. */
function stateOf(key: ApiKeyRecord, user: User, token: string): ValidSession {
  return {
    status: "valid",
    id: `key:${key.id}`,
    startedAt: key.createdAt,
    authenticatedAt: NaN,
    hostOnly: false,
    session: { user: withoutRoles(user), expires: new Date(key.expiresAt ?? NEVER) },
    token,
    renewed: false,
    claims: null,
  };
}

/** Counts the request of a key against its own limit, and notes its use, at most once an hour. */
async function use(store: RequestStore, key: ApiKeyRecord): Promise<void> {
  const { id, limitCount: limit, limitWindow: window, lastUsedAt } = key;
  if (limit !== null && window !== null) {
    const name = "api-key";
    const counted = await limitKey({ name, identifier: id });
    await count(store, { key: counted, rule: { limit, window }, name });
  }
  const now = store.auth.settings.now();
  if (lastUsedAt === null || now - lastUsedAt >= HOUR) {
    store.waitUntil(keyStorageOf(store).touchApiKey(id, now));
  }
}

async function admitOnce(store: RequestStore, config: CheckedApiKeys): Promise<"user" | "team"> {
  const { auth } = store;
  const { key, user } = await findKey(store, config);
  const { id, name, userId, tenantId } = key;
  if (user === null) {
    const tenant = await auth.tenant?.load() ?? null;
    if (tenantId === null || tenant?.id !== tenantId) {
      throw new ApiKeyError(ELSEWHERE, { code: "API_KEY_REFUSED" });
    }
    await use(store, key);
    admitted.set(store, { key, holder: null, state: null });
  } else {
    await use(store, key);
    const token = auth.presented.found === "one" ? auth.presented.token : "";
    admitted.set(store, { key, holder: user, state: stateOf(key, user, token) });
    // The strategy gives that state now, to which tenant and callback have their say as to any.
    if ((await auth.update()).status !== "valid") {
      admitted.delete(store);
      throw new ApiKeyError(ELSEWHERE, { code: "API_KEY_REFUSED" });
    }
  }
  setActor(store, { kind: "key", id, name, userId, tenantId });
  return user === null ? "team" : "user";
}

/** Admits the key of a request, see `ApiKeyGate`. */
export async function admitKey(
  store: RequestStore,
  counts: boolean,
  config: CheckedApiKeys,
): Promise<"user" | "team" | null> {
  if (keysIn(store, config) === 0) return null;
  const admission = admissions.get(store);
  if (!counts) {
    // A guard around this one has let it pass, and this one does not.
    if (admission !== undefined) throw new ApiKeyError(undefined, { code: "API_KEY_REFUSED" });
    return null;
  }
  if (admission !== undefined) return await admission;
  const admitting = admitOnce(store, config);
  admissions.set(store, admitting);
  return await admitting;
}

/** Number of keys in the Authorization header of a request. */
function keysIn({ request }: RequestStore, { inHeader }: CheckedApiKeys): number {
  const header = request.headers.get("authorization");
  return header === null ? 0 : header.match(inHeader)?.length ?? 0;
}

/** Tells if a key has a permission. Of a team's nothing is its own. */
function keyPermits(
  { permissions, userId }: ApiKeyRecord,
  asked: string,
  options: PermissionOptions | undefined,
): boolean {
  const grants = grantsFor(asked);
  if (grants === null) return false;
  if (grants.full.some((one) => permissions.includes(one))) return true;
  if (grants.own === null || userId === null || !permissions.includes(grants.own)) return false;
  return options === undefined || !("ownerId" in options) || options.ownerId === userId;
}

/** Roles and permissions, of which a request with a key has what both its owner and the key have. */
function boundRbac(rbac: Rbac): Rbac {
  return {
    ...rbac,
    permits(user, asked, options) {
      const keyed = current();
      if (keyed === undefined) return rbac.permits(user, asked, options);
      const { key, holder } = keyed;
      const isTeam = user === null && holder === null;
      const holds = user !== null && user.id === holder?.id ? holder : user;
      return [asked].flat().some((one) =>
        typeof one === "string" && keyPermits(key, one, options) &&
        (isTeam || rbac.permits(holds, one, options))
      );
    },
  };
}

/** The tenant of a request, in which the owner of a key has the rights of the roles there, and shows none. */
function boundTenant(tenant: RequestTenant): RequestTenant {
  return {
    ...tenant,
    async admit(given) {
      const keyed = current();
      if (keyed?.state == null || given.session !== keyed.state.session) {
        return await tenant.admit(given);
      }
      // With the owner's roles, of which the tenant says what they are in its place.
      const { role, roles } = keyed.holder!;
      const user = { ...given.session.user, ...role !== undefined && { role } };
      if (roles !== undefined) user.roles = roles;
      const seen = await tenant.admit({ ...given, session: { ...given.session, user } });
      if (seen === null) return null;
      keyed.holder = seen.session.user;
      return { ...seen, session: { ...seen.session, user: withoutRoles(seen.session.user) } };
    },
    memberNow(userId) {
      const member = tenant.memberNow(userId);
      return current() === undefined ? member : member && { ...member, roles: [] };
    },
  };
}

/** Tenants, as a request with a key has them. */
function boundTenancy(tenancy: Tenancy): Tenancy {
  return { ...tenancy, open: (request, url) => boundTenant(tenancy.open(request, url)) };
}

/** Answers a request with a key: a 401 says what a client is to send (RFC 6750, 3). */
async function answerKeyed(
  { request }: RequestStore,
  work: () => Response | Promise<Response>,
): Promise<Response> {
  let response: Response;
  try {
    response = await work();
  } catch (error) {
    if (!(error instanceof ApiKeyError)) throw error;
    response = answerError(error, request);
  }
  if (response.status !== 401) return response;
  const copy = new Response(response.body, response);
  copy.headers.set("www-authenticate", 'Bearer error="invalid_token"');
  return copy;
}

/** Puts the keys between the requests and the settings. */
export function bindSettings(settings: Settings, config: CheckedApiKeys): void {
  const { strategy, rbac, tenancy } = settings;
  const { isKey } = config;
  if (settings.bearer === false) settings.bearer = config.bearer;
  if (rbac !== null) settings.rbac = boundRbac(rbac);
  if (tenancy !== null) settings.tenancy = boundTenancy(tenancy);
  settings.strategy = {
    ...strategy,
    // A key is no token of a session: nobody is asked about it.
    read: (token, how) => isKey(token) ? NONE : strategy.read(token, how),
    update: (token, how) => isKey(token) ? current()?.state ?? NONE : strategy.update(token, how),
    end: (token) => isKey(token) ? Promise.resolve() : strategy.end(token),
    around(store, work) {
      const answer = () => strategy.around?.(store, work) ?? work();
      const keys = keysIn(store, config);
      if (keys === 0) return answer();
      if (keys > 1 || presentedNames(store.request, settings).length > 0) {
        throw new ApiKeyError(undefined, { code: "API_KEY_CONFLICT" });
      }
      if (pathBelow(new URL(store.request.url).pathname, settings.basePath) !== null) {
        throw new ApiKeyError(undefined, { code: "API_KEY_REFUSED" });
      }
      return answerKeyed(store, answer);
    },
  };
}
