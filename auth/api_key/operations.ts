/**
 * API keys of the signed-in user, and of the teams whose keys they manage.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import { type ChangeEvents, reportChange } from "../core/report.ts";
import { currentRequest, enterTenant, gateOf } from "../core/request.ts";
import { ForbiddenError, RequestError } from "../errors.ts";
import { isStorable } from "../lib/encoding.ts";
import { hashText } from "../lib/hash.ts";
import { isPermission, PERMISSION_PATTERNS, type RoleHolder } from "../rbac/permissions.ts";
import { requireRecentUser, requireUser } from "../session/require.ts";
import type { ApiKeyOwner, ApiKeyRecord } from "../storage/api_keys.ts";
import { checkLimit, type RateLimit } from "../storage/rate_limits.ts";
import type { User } from "../types/user.ts";
import { createKeyId, createKeySecret, writeApiKey } from "./key.ts";
import { apiKeysOf, type CheckedApiKeys, keyStorageOf } from "./options.ts";

/** An API key, for a list. It does not contain the key itself, which nobody has but who made it. */
export interface ApiKeyInfo {
  /** Public id, which is a part of the key, for `rotateApiKey()` and `revokeApiKey()`. */
  id: string;
  /** Name that its maker gave it. */
  name: string;
  /** Permissions, as roles have them; `["*"]` is all that the owner may. */
  permissions: string[];
  /** Requests that it may make; null for any number. */
  limit: RateLimit | null;
  /** Id of the tenant whose key it is; null for one of the user. */
  tenantId: string | null;
  /** Id of the user who made it; null when that user is gone. */
  createdBy: string | null;
  /** Time at which it was made. */
  createdAt: Date;
  /** Time at which it ends; null for never. */
  expires: Date | null;
  /** Time of a use in the last hour before the latest; null for none. */
  lastUsedAt: Date | null;
  /** Time at which the secret before the last rotation ends; null when there is none that counts. */
  previousUntil: Date | null;
}

/** A key that has just been made, or has a new secret. */
export interface MadeApiKey extends ApiKeyInfo {
  /** The key. It is stored nowhere: show it once. */
  key: string;
}

/** A key to be made. */
export interface NewApiKey extends OfTeam {
  /** Name for lists: 1 to 64 characters, no control characters. */
  name: string;
  /**
   * Permissions, as roles have them. Each request has those of them that its owner has too, then. Default: `["*"]`, all that
   * the owner may; a key of a team names each.
   */
  permissions?: readonly string[];
  /** Time at which it ends. Default: never. */
  expires?: Date | null;
  /** Requests that it may make, counted exactly where the storage of limits is exact. Default: any number. */
  limit?: RateLimit | null;
}

/** The owner of the keys that an operation is about. */
export interface OfTeam {
  /** Id of the tenant whose keys they are. Default: those of the signed-in user. */
  tenantId?: string | null | undefined;
}

/** Options for `listApiKeys()`. */
export interface ListApiKeys extends OfTeam {
  /** Only those that this user has made, such as a member who leaves. Default: whoever made them. */
  createdBy?: string;
}

/** Options for `rotateApiKey()`. */
export interface RotateApiKey extends OfTeam {
  /** Seconds for which the secret before still counts, 0 to 604,800 (a week). Default 86,400 (a day). */
  grace?: number;
}

/** Most keys of one owner. */
const MAX_KEYS = 50;
const MAX_PERMISSIONS = 100;
const LONGEST_GRACE = 604_800;

/** The owner of keys, and whoever manages them. */
interface Managed {
  config: CheckedApiKeys;
  user: User;
  owner: ApiKeyOwner;
  tenantId: string | null;
  /** Roles of the user in the team alone; null for keys of the user. */
  holder: RoleHolder | null;
}

function refused(message: string): RequestError {
  return new RequestError(message);
}

/** A member as the roles in the team alone make them: with one that nobody has, so that no default of the site counts. */
export function holderIn(id: string, roles: readonly string[]): RoleHolder {
  return { id, roles: [...roles, ""] };
}

/**
 * The user as a member of a team whose keys they may manage: by the roles in that team, at this moment, and by none of
 * the site.
 */
async function managerOf(
  store: RequestStore,
  { id }: User,
  { tenantId, config }: { tenantId: string; config: CheckedApiKeys },
): Promise<RoleHolder> {
  const { tenancy, rbac } = store.auth.settings;
  const [tenant, member] = await Promise.all([
    tenancy?.storage.get(tenantId) ?? null,
    tenancy?.members?.get(tenantId, id) ?? null,
  ]);
  const isThere = tenant !== null && tenant.suspendedAt === undefined && member !== null;
  if (isThere) await enterTenant(store, { tenantId, member });
  const holder = holderIn(id, isThere ? tenancy!.rolesHere(member.roles) : []);
  const { teamPermission } = config;
  if (teamPermission === null || !rbac?.permits(holder, teamPermission)) throw new ForbiddenError();
  return holder;
}

/** Manager of keys: the user of the session, and nobody that the request names. */
async function managed(
  store: RequestStore,
  operation: string,
  { tenantId = null, isRecent }: OfTeam & { isRecent: boolean },
): Promise<Managed> {
  const config = apiKeysOf(store.auth.settings, operation);
  const state = await store.auth.load();
  const options = { throwError: true };
  const user = isRecent
    ? requireRecentUser(state, options, store)
    : requireUser(state, options, store);
  if (state.status === "valid" && state.id.startsWith("key:")) throw new ForbiddenError();
  if (isRecent) await gateOf(store.auth.settings)?.assertFresh(store);
  if (tenantId === null) {
    return { config, user, owner: { userId: user.id }, tenantId, holder: null };
  }
  const holder = await managerOf(store, user, { tenantId, config });
  return { config, user, owner: { tenantId }, tenantId, holder };
}

/** Describes a key, without anything of its secret. */
function infoOf(key: ApiKeyRecord, now: number): ApiKeyInfo {
  const { limitCount, limitWindow, expiresAt, lastUsedAt, previousUntil } = key;
  const dateOf = (time: number | null) => time === null ? null : new Date(time);
  return {
    id: key.id,
    name: key.name,
    permissions: key.permissions,
    limit: limitCount === null || limitWindow === null
      ? null
      : { limit: limitCount, window: limitWindow },
    tenantId: key.tenantId,
    createdBy: key.createdBy,
    createdAt: new Date(key.createdAt),
    expires: dateOf(expiresAt),
    lastUsedAt: dateOf(lastUsedAt),
    previousUntil: (previousUntil ?? 0) > now ? dateOf(previousUntil) : null,
  };
}

function assertHolds(
  { auth: { settings: { rbac } } }: RequestStore,
  { holder }: Managed,
  permissions: readonly string[],
): void {
  if (holder === null) return;
  for (const permission of permissions) {
    // `a:b:own` is of a user, and a team is none.
    if (permission.endsWith(":own")) {
      throw refused(`A key of a team has nothing of its own: leave "${permission}" out`);
    }
    if (!rbac?.permits(holder, permission)) {
      throw new ForbiddenError("A key of a team cannot do more than you may in that team");
    }
  }
}

function readPermissions(
  given: unknown,
  { config: { permissions: known }, holder }: Managed,
): string[] {
  const list = given ?? (holder === null && known === null ? ["*"] : undefined);
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_PERMISSIONS) {
    throw refused("Choose what the key may do");
  }
  for (const one of list) {
    if (!isPermission(one) || !isStorable(one, 200)) {
      throw refused(`A permission is ${PERMISSION_PATTERNS}`);
    }
    if (known !== null && !known.has(one)) {
      throw refused(`No key can have the permission ${JSON.stringify(one)}`);
    }
  }
  return [...new Set<string>(list)];
}

function readName(name: unknown): string {
  const text = typeof name === "string" ? name.trim() : "";
  if (text !== "" && isStorable(text, 64)) return text;
  throw refused("Give the key a name of at most 64 characters");
}

function readEnd(expires: Date | null | undefined, now: number): number | null {
  if (expires === null || expires === undefined) return null;
  const time = expires instanceof Date ? expires.getTime() : NaN;
  if (time > now) return time;
  throw refused("The end of a key is a time to come");
}

/** Makes a key, see {@linkcode createApiKey}. */
export async function makeApiKey(store: RequestStore, wanted: NewApiKey): Promise<MadeApiKey> {
  const { tenantId } = wanted;
  const manager = await managed(store, "createApiKey", { tenantId, isRecent: true });
  const { config, user, holder } = manager;
  const now = store.auth.settings.now();
  const permissions = readPermissions(wanted.permissions, manager);
  assertHolds(store, manager, permissions);
  const { limit = null } = wanted;
  if (limit !== null) checkLimit({ ...limit }, "limit.");
  const secret = createKeySecret();
  const key: ApiKeyRecord = {
    id: createKeyId(),
    userId: holder === null ? user.id : null,
    tenantId: manager.tenantId,
    name: readName(wanted.name),
    hash: await hashText(secret),
    previousHash: null,
    previousUntil: null,
    permissions,
    limitCount: limit?.limit ?? null,
    limitWindow: limit?.window ?? null,
    createdBy: user.id,
    createdAt: now,
    expiresAt: readEnd(wanted.expires, now),
    lastUsedAt: null,
  };
  const made = await reportChange(
    store,
    eventOf("api-key-added", manager, key.id),
    () => keyStorageOf(store).insertApiKey(key, { max: MAX_KEYS }),
  );
  if (!made) throw refused(`There are ${MAX_KEYS} keys, which is the most. Revoke one first`);
  return { ...infoOf(key, now), key: writeApiKey(config.beginning, { id: key.id, secret }) };
}

function eventOf(
  type: "api-key-added" | "api-key-rotated" | "api-key-removed",
  { user, tenantId }: Managed,
  keyId: string,
): Pick<ChangeEvents<boolean>, "events"> {
  return { events: [{ type, userId: user.id, keyId, ...tenantId !== null && { tenantId } }] };
}

/** Lists keys, see {@linkcode listApiKeys}. */
export async function listOwnApiKeys(
  store: RequestStore,
  { tenantId, createdBy }: ListApiKeys = {},
): Promise<ApiKeyInfo[]> {
  const { owner } = await managed(store, "listApiKeys", { tenantId, isRecent: false });
  const keys = await keyStorageOf(store).listApiKeys(
    owner,
    createdBy === undefined ? {} : { createdBy },
  );
  const now = store.auth.settings.now();
  return keys.map((key) => infoOf(key, now));
}

/** Gives a key another secret, see {@linkcode rotateApiKey}. */
export async function rotateOwnApiKey(
  store: RequestStore,
  id: string,
  { tenantId, grace = 86_400 }: RotateApiKey = {},
): Promise<MadeApiKey | null> {
  if (!Number.isInteger(grace) || grace < 0 || grace > LONGEST_GRACE) {
    throw refused(`The key before counts for 0 to ${LONGEST_GRACE} seconds more`);
  }
  const manager = await managed(store, "rotateApiKey", { tenantId, isRecent: true });
  const { config, owner } = manager;
  const storage = keyStorageOf(store);
  const key = (await storage.listApiKeys(owner)).find((one) => one.id === id);
  if (key === undefined) return null;
  // Whoever is given the secret has what the key may do.
  assertHolds(store, manager, key.permissions);
  const now = store.auth.settings.now();
  const secret = createKeySecret();
  const to = await hashText(secret);
  const until = now + grace * 1000;
  const isRotated = await reportChange(
    store,
    { ...eventOf("api-key-rotated", manager, id), subject: to },
    () => storage.rotateApiKey(owner, id, { from: key.hash, to, until }),
  );
  if (!isRotated) return null;
  const rotated = { ...key, hash: to, previousHash: key.hash, previousUntil: until };
  return { ...infoOf(rotated, now), key: writeApiKey(config.beginning, { id, secret }) };
}

/** Revokes a key, see {@linkcode revokeApiKey}. */
export async function revokeOwnApiKey(
  store: RequestStore,
  id: string,
  { tenantId }: OfTeam = {},
): Promise<boolean> {
  // Without a fresh proof: it opens nothing, and a key that leaked is to end at once.
  const manager = await managed(store, "revokeApiKey", { tenantId, isRecent: false });
  return await reportChange(
    store,
    eventOf("api-key-removed", manager, id),
    async () => await keyStorageOf(store).dropApiKeys(manager.owner, id) > 0,
  );
}

/**
 * Makes an API key for the signed-in user, or for a team of theirs. It takes a sign-in of the last ten minutes, with the
 * second factor where the user has one.
 *
 * @param wanted Its name, what it may do, and when it ends.
 * @returns The key, which is stored nowhere: show it once.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {ReauthenticationRequiredError} When the last proof is too old, and always for a request with a key.
 * @throws {SecondFactorRequiredError} When the second factor is to be proved anew.
 * @throws {ForbiddenError} When the user may not manage the keys of the team, or gives the key more than they may there.
 * @throws {RequestError} For a name, a permission or an end that cannot be, and when there are fifty keys.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { apiKeys, createApiKey, createAuth, createMemoryStorage, createUser, startSession } from "@framework/auth";
 * import { match } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [apiKeys({ prefix: "acme" })],
 * });
 * await auth.run(new Request("http://localhost/keys", { method: "POST" }), {}, undefined, async () => {
 *   await startSession((await createUser({ name: "Ada" })).id);
 *   const { key } = await createApiKey({ name: "Nightly export", permissions: ["posts:read"] });
 *   match(key, /^acme_live_/);
 *   return new Response();
 * });
 * ```
 */
export async function createApiKey(wanted: NewApiKey): Promise<MadeApiKey> {
  return await makeApiKey(currentRequest("createApiKey"), wanted);
}

/**
 * Lists the API keys of the signed-in user, or of a team whose keys they manage, newest first.
 *
 * @param options Owner and maker of the keys.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {ForbiddenError} When the user may not manage the keys of the team.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { apiKeys, createAuth, createMemoryStorage, createUser, listApiKeys, startSession } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [apiKeys({ prefix: "acme" })],
 * });
 * await auth.run(new Request("http://localhost/keys", { method: "POST" }), {}, undefined, async () => {
 *   await startSession((await createUser({ name: "Ada" })).id);
 *   deepEqual(await listApiKeys(), []);
 *   return new Response();
 * });
 * ```
 */
export async function listApiKeys(options: ListApiKeys = {}): Promise<ApiKeyInfo[]> {
  return await listOwnApiKeys(currentRequest("listApiKeys"), options);
}

/**
 * Gives an API key another secret, and leaves the one before some time to be replaced. Whoever rotates a key of a team must
 * hold all that it may do. It takes a sign-in of the last ten minutes.
 *
 * @param id Its public id, see {@linkcode listApiKeys}.
 * @param options For how long the key before still counts.
 * @returns The key with its new secret; null when there is no such key, or somebody else has rotated it at the same time.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {ReauthenticationRequiredError} When the last proof is too old.
 * @throws {ForbiddenError} When the user may not manage the keys of the team, or lacks a permission of the key.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { apiKeys, createAuth, createMemoryStorage, createUser, rotateApiKey, startSession } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [apiKeys({ prefix: "acme" })],
 * });
 * await auth.run(new Request("http://localhost/keys", { method: "POST" }), {}, undefined, async () => {
 *   await startSession((await createUser({ name: "Ada" })).id);
 *   equal(await rotateApiKey("no such key", { grace: 3600 }), null);
 *   return new Response();
 * });
 * ```
 */
export async function rotateApiKey(
  id: string,
  options: RotateApiKey = {},
): Promise<MadeApiKey | null> {
  return await rotateOwnApiKey(currentRequest("rotateApiKey"), id, options);
}

/**
 * Revokes an API key, from this moment on. It takes no fresh proof, so that a key that has leaked ends at once.
 *
 * @param id Its public id, see {@linkcode listApiKeys}.
 * @param options Owner of the key.
 * @returns False when there is no such key.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {ForbiddenError} When the user may not manage the keys of the team.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { apiKeys, createAuth, createMemoryStorage, createUser, revokeApiKey, startSession } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [apiKeys({ prefix: "acme" })],
 * });
 * await auth.run(new Request("http://localhost/keys", { method: "POST" }), {}, undefined, async () => {
 *   await startSession((await createUser({ name: "Ada" })).id);
 *   equal(await revokeApiKey("no such key"), false);
 *   return new Response();
 * });
 * ```
 */
export async function revokeApiKey(id: string, options: OfTeam = {}): Promise<boolean> {
  return await revokeOwnApiKey(currentRequest("revokeApiKey"), id, options);
}
