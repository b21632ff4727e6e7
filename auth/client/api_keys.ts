/**
 * API keys in the browser: those of who is signed in, and of the teams whose keys they manage.
 *
 * @module
 */

import { type AuthClientFailure, type AuthClientOptions, call } from "./request.ts";

/** An API key in a list. */
export interface ListedApiKey {
  /** Public id, for {@linkcode rotateApiKey} and {@linkcode revokeApiKey}. */
  id: string;
  /** Name that its maker gave it. */
  name: string;
  /** Permissions; `["*"]` is all that the owner may. */
  permissions: string[];
  /** Requests that it may make within so many seconds; null for any number. */
  limit: { limit: number; window: number } | null;
  /** Id of the tenant whose key it is; null for one of the user. */
  tenantId: string | null;
  /** Id of the user who made it; null when that user is gone. */
  createdBy: string | null;
  /** Time at which it was made. */
  createdAt: Date;
  /** Time at which it ends; null for never. */
  expires: Date | null;
  /** Time of its last use, to the hour; null for none. */
  lastUsedAt: Date | null;
  /** Time at which the secret before the last rotation ends; null when none counts. */
  previousUntil: Date | null;
}

/** Result of a call about API keys, with what it is about. */
export type ApiKeyResult<Content> =
  | { ok: true } & Content
  | {
    ok: false;
    /** Reason for the failure. */
    error: AuthClientFailure;
  };

/** A key with what is shown once. */
export interface ShownApiKey extends ListedApiKey {
  /** The key, which is stored nowhere. */
  key: string;
}

const PATH = "/api-keys";

/** Reads a key of an answer, whose times are texts. */
function read<Key extends ListedApiKey>(key: Key): Key {
  const revived = { ...key } as unknown as Record<string, unknown>;
  for (const name of ["createdAt", "expires", "lastUsedAt", "previousUntil"]) {
    if (revived[name] != null) revived[name] = new Date(revived[name] as string);
  }
  return revived as unknown as Key;
}

async function post<Content>(
  path: string,
  fields: Record<string, unknown>,
  options: AuthClientOptions,
): Promise<ApiKeyResult<Content>> {
  const reply = await call(PATH + path, { ...options, fields });
  return reply.ok ? { ok: true, ...read(reply.body as unknown as ListedApiKey) as Content } : reply;
}

/**
 * Lists the API keys of who is signed in, or of a team whose keys they manage, newest first.
 *
 * @param values `tenantId`: the team. Default: the user's own keys.
 * @param options Where the endpoints are.
 * @returns The keys, without what opens anything. `FORBIDDEN` for a team whose keys the user does not manage.
 *
 * @example
 * ```ts
 * import { listApiKeys } from "@framework/auth/client";
 * import { deepEqual } from "node:assert/strict";
 *
 * const fetch = () => Promise.resolve(Response.json({ keys: [] })); // in the place of a server
 * deepEqual(await listApiKeys({}, { fetch }), { ok: true, keys: [] });
 * ```
 */
export async function listApiKeys(
  { tenantId }: { tenantId?: string } = {},
  options: AuthClientOptions = {},
): Promise<ApiKeyResult<{ keys: ListedApiKey[] }>> {
  const query = tenantId === undefined ? "" : `?tenant=${encodeURIComponent(tenantId)}`;
  const reply = await call(PATH + query, options);
  return reply.ok ? { ok: true, keys: (reply.body!.keys as ListedApiKey[]).map(read) } : reply;
}

/**
 * Makes an API key.
 *
 * @param values Its name and permissions, when it ends, how many requests it may make within how many seconds, and the team
 * whose key it is. Defaults as of `createApiKey()` of the server.
 * @param options Where the endpoints are.
 * @returns The key, which is shown this once. `REAUTHENTICATION_REQUIRED` when the sign-in is older than ten minutes,
 * `SECOND_FACTOR_REQUIRED` when the factor is to be proved anew.
 *
 * @example
 * ```ts
 * import { createApiKey } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server.
 * const fetch = () => Promise.resolve(Response.json({ id: "k1", name: "Export", key: "acme_live_…" }));
 * const made = await createApiKey({ name: "Export", permissions: ["posts:read"] }, { fetch });
 * equal(made.ok && made.key, "acme_live_…");
 * ```
 */
export async function createApiKey(
  { name, permissions, expires, limit, tenantId }: {
    name: string;
    permissions?: readonly string[];
    expires?: Date | null;
    limit?: { limit: number; window: number } | null;
    tenantId?: string;
  },
  options: AuthClientOptions = {},
): Promise<ApiKeyResult<ShownApiKey>> {
  return await post("", {
    name,
    permissions: permissions?.join(" "),
    expires: expires?.toISOString(),
    limit: limit ? `${limit.limit}/${limit.window}` : undefined,
    tenant: tenantId,
  }, options);
}

/**
 * Gives an API key another secret; the one before counts for a while.
 *
 * @param values `id` of the key; `grace`: seconds for which the secret before still counts, default 86,400 (a day);
 * `tenantId`: the team whose key it is.
 * @param options Where the endpoints are.
 * @returns The key with its new secret, which is shown this once. `NOT_FOUND` when there is no such key.
 *
 * @example
 * ```ts
 * import { rotateApiKey } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server.
 * const fetch = () => Promise.resolve(Response.json({ id: "k1", name: "Export", key: "acme_live_…" }));
 * const made = await rotateApiKey({ id: "k1", grace: 3600 }, { fetch });
 * equal(made.ok && made.key, "acme_live_…");
 * ```
 */
export async function rotateApiKey(
  { id, grace, tenantId }: { id: string; grace?: number; tenantId?: string },
  options: AuthClientOptions = {},
): Promise<ApiKeyResult<ShownApiKey>> {
  return await post("/rotate", { id, grace: grace?.toString(), tenant: tenantId }, options);
}

/**
 * Revokes an API key, from this moment on.
 *
 * @param values `id` of the key; `tenantId`: the team whose key it is.
 * @param options Where the endpoints are.
 * @returns `revoked`: false when there was no such key.
 *
 * @example
 * ```ts
 * import { revokeApiKey } from "@framework/auth/client";
 * import { deepEqual } from "node:assert/strict";
 *
 * const fetch = () => Promise.resolve(Response.json({ revoked: true })); // in the place of a server
 * deepEqual(await revokeApiKey({ id: "k1" }, { fetch }), { ok: true, revoked: true });
 * ```
 */
export async function revokeApiKey(
  { id, tenantId }: { id: string; tenantId?: string },
  options: AuthClientOptions = {},
): Promise<ApiKeyResult<{ revoked: boolean }>> {
  return await post("/revoke", { id, tenant: tenantId }, options);
}
