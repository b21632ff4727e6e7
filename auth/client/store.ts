/**
 * The store of the session in the browser.
 *
 * @module
 */

import {
  createPermissionChecker,
  type PermissionOptions,
  type SerializedRbac,
} from "../rbac/permissions.ts";
import type { Session } from "../types/session.ts";
import type { User } from "../types/user.ts";
import { browser, type Channel, openChannel } from "./broadcast.ts";
import { type AuthClientFailure, type AuthClientOptions, call, type Reply } from "./request.ts";
import { reviveSession, type SerializedSession } from "./session.ts";

/** Known state of the session. The same object until something changes. */
export type AuthState =
  | { readonly status: "loading"; readonly user: null }
  | { readonly status: "authenticated"; readonly user: User }
  | { readonly status: "unauthenticated"; readonly user: null };

/** Options for `createAuthStore()`. */
export interface AuthStoreOptions extends AuthClientOptions {
  /**
   * Session that the server rendered into the page, null when nobody is signed in: the store starts
   * with it and fetches only after a change. Default: it asks.
   */
  session?: Session | SerializedSession | null;
  /** Result of `serializeRbac()` on the server, for `can()`. Default: nothing is permitted. */
  rules?: SerializedRbac;
  /** Called when the session cannot be fetched. The store keeps what it knows and tries again. */
  onError?: (error: AuthClientFailure) => void;
}

/** Store of the session state, synchronized across tabs. */
export interface AuthStore {
  /**
   * Calls a listener with the state, now and at every change. The first one makes the store ask the server,
   * the last one that leaves makes it rest.
   *
   * @returns Ends it.
   */
  subscribe(listener: (state: AuthState) => void): () => void;
  /**
   * The state of now, without asking: the same object until something changes, as React's
   * `useSyncExternalStore` needs it.
   */
  getState(): AuthState;
  /** Asks the server now. Who asks meanwhile gets the same answer. */
  refresh(): Promise<AuthState>;
  /**
   * Tests if the user has a permission, or any of several, in order to show or hide something. The
   * server decides what is allowed.
   */
  can(permission: string | readonly string[], options?: PermissionOptions): boolean;
}

// What timers take; beyond it they fire at once.
const LONGEST_WAIT = 2 ** 31 - 1;
const FIRST_RETRY = 1_000;
const SLOWEST_RETRY = 60_000;
// Who goes back and forth between windows does not ask each time.
const REST = 5_000;

/**
 * Creates a store of the session state. Its states, and what leads from one to another, are in the
 * README.
 *
 * On a server, without a page, it asks nobody and listens to nothing: give it the session.
 *
 * @param options What is known already, and where the endpoints are.
 *
 * @example
 * ```ts
 * import { createAuthStore } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * const store = createAuthStore({
 *   session: { user: { id: "ada", name: "Ada" }, expires: "2999-01-01T00:00:00.000Z" },
 * });
 * const unsubscribe = store.subscribe(({ status, user }) => {
 *   equal(status, "authenticated");
 *   equal(user?.name, "Ada");
 * });
 * unsubscribe();
 * ```
 */
export function createAuthStore(
  { session: seed, rules, onError, ...options }: AuthStoreOptions = {},
): AuthStore {
  const listeners = new Set<{ tell: (state: AuthState) => void }>();
  const permits = createPermissionChecker(rules ?? { roles: [], defaultRole: null });
  let state: AuthState = { status: "loading", user: null };
  /** Expiry of the session by the browser's clock. */
  let end = Infinity;
  let asking: Promise<AuthState> | undefined;
  let askedAt = 0;
  let failures = 0;
  let awake = false;
  let channel: Channel | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function tell(listener: (state: AuthState) => void): void {
    try {
      listener(state);
    } catch (error) {
      // As an error of its own, so that the other listeners hear of the change too.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  function settle(session: Session | null, now: number): void {
    end = session === null ? Infinity : Date.now() + session.expires.getTime() - now;
    const next: AuthState = session === null
      ? { status: "unauthenticated", user: null }
      : { status: "authenticated", user: session.user };
    if (JSON.stringify(next) === JSON.stringify(state)) return;
    state = next;
    for (const listener of [...listeners]) tell(listener.tell);
  }

  function askIn(milliseconds: number): void {
    clearTimeout(timer);
    if (awake) timer = setTimeout(refresh, Math.min(milliseconds, LONGEST_WAIT));
  }

  function conclude(reply: Reply): void {
    const now = Date.now();
    if (reply.ok) {
      failures = 0;
      settle(reviveSession(reply.body as SerializedSession | null), reply.at);
      // By another clock than the server's a session that holds may be over: the server is right.
      askIn(end > now ? Math.max(end - now, FIRST_RETRY) : SLOWEST_RETRY);
      return;
    }
    if (end <= now) settle(null, now);
    const pause = Math.min(FIRST_RETRY * 2 ** failures++, SLOWEST_RETRY);
    askIn(Math.min(pause, end - now));
    onError?.(reply.error);
  }

  function refresh(): Promise<AuthState> {
    if (asking !== undefined) return asking;
    askedAt = Date.now();
    const own = call("/session", options).then((reply): AuthState | Promise<AuthState> => {
      // Somebody signed in or out meanwhile: this answer may be from before, the next one is not.
      if (asking !== own) return asking ?? state;
      asking = undefined;
      conclude(reply);
      return state;
    });
    return asking = own;
  }

  function hear(news: unknown): void {
    if (news === "out") settle(null, 0);
    asking = undefined;
    refresh();
  }

  function look(): void {
    const rested = Date.now() - askedAt >= REST;
    if (rested && browser.document!.visibilityState !== "hidden") refresh();
  }

  function wake(): void {
    if (awake) return;
    awake = true;
    change("addEventListener");
    channel = openChannel(options);
    if (channel !== undefined) channel.onmessage = ({ data }) => hear(data);
    if (askedAt === 0 && seed !== undefined) askIn(end - Date.now());
    else refresh();
  }

  function sleep(): void {
    if (!awake) return;
    awake = false;
    clearTimeout(timer);
    change("removeEventListener");
    channel?.close();
    channel = undefined;
  }

  /** Begins to hear of what may have changed who is signed in, or ends it. */
  function change(how: "addEventListener" | "removeEventListener"): void {
    browser[how]("focus", look);
    browser[how]("online", refresh);
    // A page in the back/forward cache must hold no channel.
    browser[how]("pagehide", sleep);
    browser.document![how]("visibilitychange", look);
  }

  if (seed !== undefined) settle(reviveSession(seed), Date.now());
  return {
    getState: () => state,
    refresh,
    can: (permission, question) => permits(state.user, permission, question),
    subscribe(listener) {
      const entry = { tell: listener };
      listeners.add(entry);
      // Svelte subscribes on the server too, where nothing changes and Node has no `addEventListener()`.
      if (listeners.size === 1 && browser.document !== undefined) {
        browser.addEventListener("pageshow", wake);
        wake();
      }
      tell(listener);
      return () => {
        if (!listeners.delete(entry) || listeners.size > 0 || browser.document === undefined) {
          return;
        }
        browser.removeEventListener("pageshow", wake);
        sleep();
      };
    },
  };
}
