/**
 * Operations on a user's passkeys.
 *
 * @module
 */

import type { EndpointContext, RequestStore } from "../../core/contracts.ts";
import { SECURITY_HEADERS } from "../../core/error_response.ts";
import { jsonResponse } from "../../core/redirect.ts";
import { reportChange } from "../../core/report.ts";
import { currentRequest, gateOf } from "../../core/request.ts";
import { LastWayInError, RequestError, UnauthenticatedError } from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { isStorable } from "../../lib/encoding.ts";
import { requireRecentUser, requireUser } from "../../session/require.ts";
import { passkeyGroup, type PasskeyRecord } from "../../storage/passkeys.ts";
import { groupOf } from "../../storage/storage.ts";
import { openWays } from "../identity.ts";
import { keepHandle } from "./signal.ts";

/**
 * The passkeys of the user who is signed in, the oldest first.
 *
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, listPasskeys, startSession } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/signup", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   const { id } = await createUser({ name: "Ada" });
 *   await startSession(id);
 *   return Response.json(await listPasskeys());
 * });
 * deepEqual(await response.json(), []);
 * ```
 */
export async function listPasskeys(): Promise<UserPasskey[]> {
  return await listUserPasskeys(currentRequest("listPasskeys"));
}

/** As {@linkcode listPasskeys}, for an endpoint. */
export async function listUserPasskeys(store: RequestStore): Promise<UserPasskey[]> {
  const { auth } = store;
  const { id } = requireUser(await auth.load(), { throwError: true }, store);
  const passkeys = await groupOf(auth.settings.storage, passkeyGroup).listPasskeys(id);
  return passkeys.map(describePasskey);
}

/**
 * Removes a passkey of the user who is signed in. The last way in stays, as with `unlinkAccount()`. Ask
 * `requireRecentAuth()` before.
 *
 * @param id Which, see {@linkcode listPasskeys}.
 * @returns False when the user has no such passkey.
 * @throws {LastWayInError} When the user could not sign in any more.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import {
 *   createAuth,
 *   createMemoryStorage,
 *   createUser,
 *   removePasskey,
 *   requireRecentAuth,
 *   startSession,
 * } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/passkeys", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   await startSession((await createUser({ name: "Ada" })).id);
 *   requireRecentAuth();
 *   return Response.json({ removed: await removePasskey("an-id-of-hers") });
 * });
 * deepEqual(await response.json(), { removed: false }); // she has no such passkey
 * ```
 */
export async function removePasskey(id: string): Promise<boolean> {
  return await removeUserPasskey(currentRequest("removePasskey"), id);
}

/** As {@linkcode removePasskey}, for an endpoint. */
export async function removeUserPasskey(
  store: RequestStore,
  id: string,
): Promise<boolean> {
  const { auth, request } = store;
  const { settings } = auth;
  const { id: userId } = requireUser(await auth.load(), { throwError: true }, { request, auth });
  const passkeys = groupOf(settings.storage, passkeyGroup);
  const removed = await passkeys.getPasskey(id);
  // Nobody knows which of them browsers list unless all are made so. Where others did not count, none could be removed, not
  // even a thief's.
  const keep = { ...openWays(settings), passkeys: true };
  const provider = [...settings.providers.values()].find(({ type }) => type === "webauthn")?.id;
  const by = provider !== undefined && { provider };
  const outcome = await reportChange(store, {
    events: [{ type: "passkey-removed", userId, passkeyId: id, ...by }],
    happened: (result) => result === "deleted",
  }, () => passkeys.deletePasskey(userId, id, { keep }));
  if (outcome === "last") throw new LastWayInError();
  if (outcome === "absent") return false;
  if (removed?.userId === userId) await keepHandle(store, removed);
  return true;
}

/**
 * Id of the signed-in user. The owner of the passkeys follows from the session and from nothing in
 * the request.
 */
async function requireOwner({ store }: EndpointContext): Promise<string> {
  const state = await store.auth.load();
  if (state.status !== "valid") throw new UnauthenticatedError();
  return state.session.user.id;
}

function passkeyId({ url }: EndpointContext): string {
  return url.pathname.split("/").at(-1)!;
}

function done(): Response {
  return new Response(null, { status: 204, headers: SECURITY_HEADERS });
}

/** Another user's passkey is answered as one that does not exist. */
function notThere(): RequestError {
  return new RequestError("This passkey does not exist", { code: "NOT_FOUND" });
}

/** `GET /passkeys`: the visitor's own. */
export async function listOwnPasskeys({ store }: EndpointContext): Promise<Response> {
  return jsonResponse(await listUserPasskeys(store));
}

/** `PATCH /passkeys/<id>`: gives one of the visitor's own another name. */
export async function renameOwnPasskey(context: EndpointContext): Promise<Response> {
  const userId = await requireOwner(context);
  const { auth, request } = context.store;
  const fields = await readFields(request, { optional: false });
  const name = readPasskeyName(fields.get("name"));
  const renamed = await groupOf(auth.settings.storage, passkeyGroup)
    .renamePasskey(userId, passkeyId(context), name);
  if (!renamed) throw notThere();
  return done();
}

/** `DELETE /passkeys/<id>`: removes one of the visitor's own, but never their last way in. */
export async function removeOwnPasskey(context: EndpointContext): Promise<Response> {
  const { store } = context;
  requireRecentUser(await store.auth.load(), { throwError: true }, store);
  await gateOf(store.auth.settings)?.assertFresh(store);
  if (!await removeUserPasskey(store, passkeyId(context))) throw notThere();
  return done();
}

const MAX_NAME = 64;

/** A passkey as its owner sees it. */
export interface UserPasskey
  extends Pick<PasskeyRecord, "id" | "name" | "deviceType" | "backedUp" | "transports"> {
  /** Time of registration. */
  createdAt: Date;
  /** Time of the last use; null for never. */
  lastUsedAt: Date | null;
}

/** Public description of a passkey for its owner. */
export function describePasskey(passkey: PasskeyRecord): UserPasskey {
  const { id, name, deviceType, backedUp, transports, createdAt, lastUsedAt } = passkey;
  return {
    id,
    name,
    deviceType,
    backedUp,
    transports,
    createdAt: new Date(createdAt),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
  };
}

/**
 * Validates the name of a passkey; null for an empty one.
 *
 * @throws {RequestError} When it is too long, or no plain text.
 */
export function readPasskeyName(sent: string | undefined): string | null {
  const name = sent?.trim() ?? "";
  if (isStorable(name, MAX_NAME)) return name === "" ? null : name;
  throw new RequestError(`A name has at most ${MAX_NAME} characters, and no control characters`);
}
