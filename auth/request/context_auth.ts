import { type RequireAuthOptions, requireUser, requireUserRole, userOf } from "../rbac/require.ts";
import { userHasRole } from "../rbac/roles.ts";
import type { Session } from "../session/session.ts";
import type { User } from "../users/user.ts";
import type { RequestAuth } from "./request_auth.ts";

/** The operations on the session of one request, as promises. The session is read when it is asked for. */
export interface ContextAuth {
  /** The signed-in user, or null. */
  getUser(): Promise<User | null>;
  /** The session, or null. */
  getSession(): Promise<Session | null>;
  /** Whether somebody is signed in. */
  isAuthenticated(): Promise<boolean>;
  /** The signed-in user; without one a redirect to the sign-in page, or what the options say. */
  requireAuth(options?: RequireAuthOptions): Promise<User>;
  /** Whether the user has the role, or any of several. */
  hasRole(role: string | string[]): Promise<boolean>;
  /** Throws `ForbiddenError` when the user has none of the roles. */
  requireRole(role: string | string[]): Promise<void>;
  /** Begins a session for a user, in place of the present one. */
  startSession(userId: string): Promise<Session>;
  /** Ends the present session. */
  endSession(): Promise<void>;
}

/** Makes the operations for one request. */
export function createContextAuth(request: Request, auth: RequestAuth): ContextAuth {
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
    async hasRole(role) {
      const user = userOf(await auth.load());
      return user !== null && userHasRole(user, role);
    },
    async requireRole(role) {
      requireUserRole(await auth.load(), role);
    },
    async startSession(userId) {
      return (await auth.start(userId)).session;
    },
    endSession() {
      return auth.end();
    },
  };
}
