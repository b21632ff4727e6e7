/**
 * Requests of an administrator who acts for a user.
 *
 * The session stays the administrator's; a cookie beside it names the impersonation, which counts in that session alone.
 * So it ends with that session, is never renewed, and opens nothing by itself. In such a request the state of the session
 * is the user's, who has proved nothing of late; endpoints answer only when they are listed here, and the storage of the
 * library takes no change: what nobody thought of is refused.
 *
 * @module
 */

import type { RequestStore, Settings } from "../core/contracts.ts";
import { pathBelow } from "../core/redirect.ts";
import { findRequest } from "../core/request.ts";
import type { ReadOptions, SessionStrategy } from "../core/session_strategy.ts";
import { ForbiddenError } from "../errors.ts";
import { hashText } from "../lib/hash.ts";
import { findActor, setActor } from "../session/actor.ts";
import { readSecretCookie, writeHostCookie } from "../session/cookie.ts";
import type { StorageGroup } from "../storage/group.ts";
import { IMPERSONATION_PURPOSE } from "../storage/impersonations.ts";
import { secretGroup, type SecretStorage, type StoredSecret } from "../storage/secrets.ts";
import { groupOf, type Storage } from "../storage/storage.ts";
import type { SessionState, ValidSession } from "../types/session.ts";
import type { User } from "../types/user.ts";
import { withSiteRoles } from "../rbac/permissions.ts";
import { holdsAllOf } from "./user_details.ts";

const COOKIE = "framework.impersonation";

/** Endpoints that answer an administrator who acts for a user; all others are the owner's alone. */
const ANSWERING: ReadonlySet<string> = new Set([
  "GET /session",
  "GET /providers",
  "GET /account",
  "GET /passkey.js",
  "GET /error",
  "GET /signout",
  "POST /signout",
  "POST /impersonation/end",
]);

/**
 * Operations of the storage that such a request may use: those that read, and those that count and record, also the events
 * of an outbox. Their names say so, and an operation with another name is refused.
 */
const HARMLESS =
  /^(?:get|read|list|find|count|describe|page|has|is|open|check|prepare)(?![a-z])|^(?:takeRateLimit|refundRateLimit|insertActivity|insertEntry|insertSeal|sweep|touchApiKey)$|^(?:put|drop|lease|end|putOff|dropDead)Messages?$/;

/** An administrator who acts for a user, in one request. */
export interface Impersonating {
  /** The row. */
  row: StoredSecret;
  /** The administrator. */
  actor: User;
  /** The user. */
  user: User;
  /** State of the administrator's own session. */
  own: ValidSession;
}

/** Content of a row. */
export interface ImpersonationPayload {
  /** Reason that the administrator gave. */
  reason: string;
}

const found = new WeakMap<RequestStore, Impersonating>();
/** Requests in which it has ended. */
const over = new WeakSet<RequestStore>();

/** Finds the impersonation of a request, once its session was read; null for none. */
export function impersonatingIn(store: RequestStore): Impersonating | null {
  return over.has(store) ? null : found.get(store) ?? null;
}

/** Reason of a row. */
export function reasonOf({ payload }: StoredSecret): string {
  return (JSON.parse(payload ?? "{}") as Partial<ImpersonationPayload>).reason ?? "";
}

/** Secrets of the storage itself, to which a request of an administrator who acts may not write. */
export function secretsOf(settings: Settings): SecretStorage {
  return groupOf(unguarded.get(settings) ?? settings.storage, secretGroup);
}

const unguarded = new WeakMap<Settings, Storage>();

/** Gives the browser the secret of an impersonation, or takes it away. */
export function writeImpersonationCookie(
  store: RequestStore,
  { value, maxAge }: { value: string; maxAge: number },
): void {
  if (store.cookiesOut.isOpen) writeHostCookie(store, { name: COOKIE, value, maxAge });
}

/** Secret of an impersonation that a request brings; null for none. It counts only beside a session cookie. */
function secretIn(store: RequestStore): string | null {
  const { presented } = store.auth;
  const isOwn = presented.found === "one" && presented.source === "cookie" &&
    presented.before === undefined;
  return isOwn && !over.has(store) ? readSecretCookie(store, COOKIE) : null;
}

/** Ends the impersonation of a request. Returns it; null when there was none. */
export async function endImpersonating(
  store: RequestStore,
): Promise<Impersonating | null> {
  const current = impersonatingIn(store);
  const secret = secretIn(store);
  if (secret !== null) {
    writeImpersonationCookie(store, { value: "", maxAge: 0 });
    await takeRow(store, await hashText(secret));
  }
  over.add(store);
  return current;
}

/** Ends an impersonation; null when it had ended before. */
export async function takeRow(store: RequestStore, hash: string): Promise<StoredSecret | null> {
  const { settings } = store.auth;
  return await secretsOf(settings)
    .takeSecret(IMPERSONATION_PURPOSE, hash, { now: settings.now() });
}

/** Tests that a user has the permission on the site. */
export function mayImpersonate({ rbac }: Settings, user: User, permission: string): boolean {
  return rbac !== null && rbac.permits(withSiteRoles(rbac, user), permission);
}

/**
 * Tests that an administrator has no fewer rights than a user: on the site, and in each tenant of the user, where those of
 * the site count too.
 */
export async function mayActFor(
  { rbac, tenancy }: Settings,
  stored: User,
  user: User,
): Promise<boolean> {
  if (rbac === null) return false;
  const actor = withSiteRoles(rbac, stored);
  if (actor.id === user.id || !holdsAllOf(rbac, actor, user)) return false;
  const members = tenancy?.members;
  if (tenancy === null || !members) return true;
  if (rbac.permits(actor, "*")) return true;
  let cursor: string | undefined;
  do {
    const page = await members.listOfUser(user.id, cursor === undefined ? {} : { cursor });
    for (const { tenantId, roles } of page.members) {
      const own = await members.get(tenantId, actor.id);
      const rights = [...actor.roles ?? [], ...tenancy.rolesHere(own?.roles ?? [])];
      const theirs = { id: user.id, roles: tenancy.rolesHere(roles) };
      if (!holdsAllOf(rbac, { ...actor, roles: rights }, theirs)) return false;
    }
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return true;
}

/** Name of an administrator for the user, who has no business with the address. */
function nameOf({ name, id }: User): string {
  return name || id;
}

/** The state of the user's session, which is the administrator's as far as it can end. */
function stateOf({ row, actor, user, own }: Impersonating): ValidSession {
  const { tenantId: _tenant, device: _device, ...rest } = own;
  const expires = new Date(Math.min(row.expiresAt, own.session.expires.getTime()));
  const id = `impersonation:${row.hash.slice(0, 16)}`;
  const [iat, exp] = [row.createdAt, expires.getTime()].map((time) => Math.floor(time / 1000));
  return {
    ...rest,
    id,
    startedAt: row.createdAt,
    // No moment, so that it is never recent.
    authenticatedAt: NaN,
    session: { ...own.session, user, expires, actor: { id: actor.id, name: nameOf(actor) } },
    provedIn: { sessionId: own.id, userId: actor.id },
    renewed: false,
    claims: own.claims && { sub: user.id, jti: id, iat: iat!, exp: exp! },
  };
}

/** Notes for all of a request who acts in it: whatever is reported there is the administrator's doing. */
function note(store: RequestStore, { actor, row }: Impersonating): void {
  const { report } = store;
  const { id } = actor;
  const expires = new Date(row.expiresAt);
  setActor(store, {
    kind: "administrator",
    id,
    name: nameOf(actor),
    reason: reasonOf(row),
    expires,
  });
  Object.defineProperty(store, "report", {
    value: (event: Parameters<typeof report>[0]) =>
      // The session that is signed out is the administrator's.
      report({ actorId: id, ...event, ...event.type === "sign-out" && { userId: id } }),
  });
}

/** Ends the impersonation of a request, and reports it; false when there was none. */
async function endAndTell(store: RequestStore): Promise<boolean> {
  const ended = await endImpersonating(store);
  if (ended === null) return false;
  store.report({ type: "impersonation-ended", userId: ended.user.id, actorId: ended.actor.id });
  return true;
}

/** Puts impersonation between the requests and the settings. */
export function bindImpersonation(settings: Settings, permission: string): void {
  const { strategy } = settings;

  /** The impersonation that a session of an administrator is in; null, and it is over, when anything of it is no more. */
  async function findIn(
    store: RequestStore,
    own: ValidSession,
    secret: string,
  ): Promise<Impersonating | null> {
    const hash = await hashText(secret);
    const row = await secretsOf(settings).readSecret(IMPERSONATION_PURPOSE, hash, settings.now());
    const isTheirs = row !== null && row.sessionId === own.id && row.userId !== null &&
      row.identifier === own.session.user.id;
    if (!isTheirs) {
      writeImpersonationCookie(store, { value: "", maxAge: 0 });
      return null;
    }
    const [actor, user] = await Promise.all(
      [row.identifier!, row.userId!].map((id) => settings.storage.getActiveUser(id)),
    );
    const isRight = actor && user && mayImpersonate(settings, actor, permission) &&
      await mayActFor(settings, actor, user);
    if (isRight) return { row, actor, user, own };
    writeImpersonationCookie(store, { value: "", maxAge: 0 });
    if (await takeRow(store, hash)) {
      store.report({
        type: "impersonation-ended",
        userId: row.userId!,
        actorId: row.identifier!,
      });
    }
    return null;
  }

  async function readAs(
    store: RequestStore,
    secret: string,
    reading: SessionState | Promise<SessionState>,
  ): Promise<SessionState> {
    const state = await reading;
    if (state.status !== "valid") return state;
    const impersonating = await findIn(store, state, secret);
    if (impersonating === null) {
      over.add(store);
      return state;
    }
    if (!found.has(store)) note(store, impersonating);
    found.set(store, impersonating);
    return stateOf(impersonating);
  }

  function reader(read: SessionStrategy["read"]): SessionStrategy["read"] {
    return (token: string, how: ReadOptions) => {
      const store = findRequest();
      const secret = store === undefined ? null : secretIn(store);
      if (secret === null) return read(token, how);
      return readAs(store!, secret, read(token, { ...how, mayRenew: undefined }));
    };
  }

  async function answer(
    store: RequestStore,
    work: () => Response | Promise<Response>,
  ): Promise<Response> {
    const { request, auth } = store;
    const path = pathBelow(new URL(request.url).pathname, settings.basePath);
    const method = request.method === "HEAD" ? "GET" : request.method;
    // Those of the administrator's own session, which is bound to a device.
    if (path?.startsWith("/device/")) over.add(store);
    await auth.preload();
    if (path === "/signout" && method === "POST") {
      // Whoever signs out is the administrator.
      await leave(store);
    } else if (path !== null && !ANSWERING.has(`${method} ${path}`)) assertOwner(store);
    return await work();
  }

  async function leave(store: RequestStore): Promise<void> {
    if (!await endAndTell(store)) return;
    // The state that was read is the user's: it is read again, as the administrator's own.
    await store.auth.update();
  }

  settings.strategy = {
    ...strategy,
    read: reader(strategy.read),
    update: reader(strategy.update),
    async begin(mint) {
      assertOwner(findRequest());
      return await strategy.begin(mint);
    },
    async end(token) {
      const store = findRequest();
      if (store !== undefined && found.has(store)) await endAndTell(store);
      await strategy.end(token);
    },
    async endAll(userId, options) {
      assertOwner(findRequest());
      await strategy.endAll(userId, options);
    },
    around(store, work) {
      const guarded = secretIn(store) === null ? work : () => answer(store, work);
      return strategy.around?.(store, guarded) ?? guarded();
    },
  };
  guardStorage(settings);
  const { tenancy } = settings;
  if (tenancy === null) return;
  const { members } = tenancy;
  settings.tenancy = {
    ...tenancy,
    storage: guarded(tenancy.storage),
    members: members && guarded(members),
    async removeEverywhere(userId) {
      assertOwner(findRequest());
      await tenancy.removeEverywhere(userId);
    },
  };
}

/**
 * Refuses what only the owner of an account does.
 *
 * @throws {ForbiddenError} In a request of an administrator who acts for somebody.
 */
function assertOwner(store: RequestStore | undefined): void {
  // Also once it has ended: the application may have read the user before.
  if (store === undefined || findActor(store)?.kind !== "administrator") return;
  throw new ForbiddenError(
    "Only the owner of the account can do this. Stop acting for them first.",
  );
}

/** The operations of a storage, which refuse changes in a request of an administrator who acts. */
function guarded<Operations extends object>(operations: Operations): Operations {
  const known = new Map<PropertyKey, unknown>();
  return new Proxy(operations, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (!known.has(name)) {
        const isHarmless = typeof name === "string" && HARMLESS.test(name);
        // Bound: a storage may be a class with fields of its own.
        known.set(
          name,
          // Answers as the operation does, of which some are at once.
          isHarmless ? value.bind(target) : (...values: unknown[]) => {
            try {
              assertOwner(findRequest());
            } catch (error) {
              return Promise.reject(error);
            }
            return value.apply(target, values);
          },
        );
      }
      return known.get(name);
    },
  });
}

function guardStorage(settings: Settings): void {
  const groups = new WeakMap<object, object>();
  let storage: Storage | undefined;
  const open = Object.getOwnPropertyDescriptor(settings, "storage")!.get!;
  function make(): Storage {
    const own = open() as Storage;
    unguarded.set(settings, own);
    function group<Operations>(wanted: StorageGroup<Operations>): Operations | null {
      const operations = own.group!(wanted);
      if (typeof operations !== "object" || operations === null) return operations;
      if (!groups.has(operations)) groups.set(operations, guarded(operations));
      return groups.get(operations) as Operations;
    }
    return new Proxy(guarded(own), {
      get: (target, name) =>
        name === "group" && own.group !== undefined ? group : Reflect.get(target, name),
    });
  }
  Object.defineProperty(settings, "storage", {
    configurable: true,
    enumerable: true,
    get: () => storage ??= make(),
  });
}
