import type { PermissionOptions } from "../rbac/rbac.ts";
import {
  type RequireAuthOptions,
  requireUser,
  requireUserPermission,
  requireUserRole,
  statePermits,
} from "../rbac/require.ts";
import { userHasRole } from "../rbac/roles.ts";
import type { Session } from "../session/session.ts";
import type { Tenant } from "../tenant/tenant.ts";
import type { User } from "../users/user.ts";
import { beginSession, finishSession } from "./change_session.ts";
import { type RequireRecentAuthOptions, requireRecentUser } from "./recent_auth.ts";
import type { RequestStore } from "../http/contracts.ts";
import { userOf } from "../session/resolve_session.ts";

/** The operations on the session of one request, as promises. The session is read when it is asked for. */
export interface ContextAuth {
  /** The signed-in user, or null. */
  getUser(): Promise<User | null>;
  /** The session of the request, or null; one read serves every question of the request. */
  getSession(): Promise<Session | null>;
  /** Whether somebody is signed in. */
  isAuthenticated(): Promise<boolean>;
  /** The signed-in user; without one a redirect to the sign-in page, or what the options say. */
  requireAuth(options?: RequireAuthOptions): Promise<User>;
  /** The signed-in user, who proved it of late. See the operation of the same name. */
  requireRecentAuth(options?: RequireRecentAuthOptions): Promise<User>;
  /** Whether the user has the role, or any of several. */
  hasRole(role: string | string[]): Promise<boolean>;
  /** Throws `ForbiddenError` when the user has none of the roles. */
  requireRole(role: string | string[]): Promise<void>;
  /** Whether the user may do something, or any of several. See the operation of the same name. */
  hasPermission(permission: string | string[], options?: PermissionOptions): Promise<boolean>;
  /** Throws `ForbiddenError` when the user may not do something. */
  requirePermission(permission: string | string[], options?: PermissionOptions): Promise<void>;
  /** The tenant of the request; null when it has none, and in an application without tenants. */
  tenant(): Promise<Tenant | null>;
  /** Begins a session for a user, in place of the present one. */
  startSession(userId: string): Promise<Session>;
  /** Ends the present session. */
  endSession(): Promise<void>;
}

/** Makes the operations for one request. */
export function createContextAuth(store: RequestStore): ContextAuth {
  const { request, auth } = store;
  return {
    async getUser() {
      return userOf(await auth.load());
    },
    async getSession() {
      const state = await auth.load();
      return state.status === "valid" ? state.session : null;
    },
    async isAuthenticated() {
      return (await auth.load()).status === "valid";
    },
    async requireAuth(options = {}) {
      return requireUser(await auth.load(), options, { request, auth });
    },
    async requireRecentAuth(options = {}) {
      return requireRecentUser(await auth.load(), options, { request, auth });
    },
    async hasRole(role) {
      const user = userOf(await auth.load());
      return user !== null && userHasRole(user, role);
    },
    async requireRole(role) {
      requireUserRole(await auth.load(), role);
    },
    async hasPermission(...question) {
      return statePermits(await auth.load(), auth.settings.rbac, question);
    },
    async requirePermission(...question) {
      requireUserPermission(await auth.load(), auth.settings.rbac, question);
    },
    async tenant() {
      return await auth.tenant?.load() ?? null;
    },
    async startSession(userId) {
      return (await beginSession(store, userId)).session;
    },
    async endSession() {
      await finishSession(store);
    },
  };
}
