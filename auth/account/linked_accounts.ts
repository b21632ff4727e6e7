/**
 * Linked accounts: operations and endpoints.
 *
 * @module
 */

import type {
  EndpointContext,
  EndpointEntry,
  EndpointModule,
  RequestStore,
  Settings,
} from "../core/contracts.ts";
import { SECURITY_HEADERS } from "../core/error_response.ts";
import type { Provider } from "../core/provider.ts";
import { jsonResponse } from "../core/redirect.ts";
import { reportChange } from "../core/report.ts";
import { currentRequest, gateOf } from "../core/request.ts";
import { LastWayInError, RequestError } from "../errors.ts";
import { requireRecentUser, requireUser } from "../session/require.ts";
import { endOtherSessions, endOwnSession, listOwnSessions } from "../session/user_sessions.ts";
import { openWays } from "../sign_in/identity.ts";
import { LINKING } from "../sign_in/oauth/link.ts";
import { linkedAccountGroup } from "../storage/accounts.ts";
import { groupOf } from "../storage/storage.ts";
import type { Account } from "../types/callbacks.ts";

/** One account of a user at a provider, for a list. It contains no token. */
export interface UserAccount {
  /** Id of the provider, for `unlinkAccount()`. */
  provider: string;
  /** Id of the user at the provider, for `unlinkAccount()`. */
  providerAccountId: string;
  /** Kind of proof by which the user signs in with it. */
  type: Account["type"];
  /** The address as the provider said it last, for telling accounts apart: it proves nothing. Null for none. */
  email: string | null;
  /** Scope that the provider granted; null when unknown. */
  scope: string | null;
  /** Time at which the account was linked. */
  createdAt: Date;
}

/**
 * Lists the provider accounts of the signed-in user, oldest link first.
 *
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, listAccounts, startSession } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/signup", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   const { id } = await createUser({ name: "Ada" });
 *   await startSession(id);
 *   return Response.json(await listAccounts());
 * });
 * deepEqual(await response.json(), []);
 * ```
 */
export async function listAccounts(): Promise<UserAccount[]> {
  return await listOwnAccounts(currentRequest("listAccounts"));
}

/** As {@linkcode listAccounts}, for an endpoint. */
export async function listOwnAccounts(store: RequestStore): Promise<UserAccount[]> {
  const { auth } = store;
  const { id } = requireUser(await auth.load(), { throwError: true }, store);
  const accounts = await groupOf(auth.settings.storage, linkedAccountGroup).listAccounts(id);
  return accounts.map(({ provider, providerAccountId, type, email, scope, createdAt }) => ({
    provider,
    providerAccountId,
    type,
    email,
    scope,
    createdAt: new Date(createdAt),
  }));
}

/**
 * Unlinks a provider account from the signed-in user. The last way in stays. Other ways are what the
 * configuration opens: an account of a configured provider; a passkey where `passkey()` is configured, with
 * `residentKey: "required"` as by default; a password of `passwords()`; a proved address with `email()`, `passwords()` or
 * `credentials()`. Ask {@linkcode requireRecentAuth} before.
 *
 * @param provider Id of the provider.
 * @param providerAccountId Who the user is there, see {@linkcode listAccounts}.
 * @returns False when the user has no such account.
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
 *   requireRecentAuth,
 *   startSession,
 *   unlinkAccount,
 * } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/accounts", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   await startSession((await createUser({ name: "Ada" })).id);
 *   requireRecentAuth();
 *   return Response.json({ unlinked: await unlinkAccount("github", "583231") });
 * });
 * deepEqual(await response.json(), { unlinked: false }); // she has no such account
 * ```
 */
export async function unlinkAccount(provider: string, providerAccountId: string): Promise<boolean> {
  const store = currentRequest("unlinkAccount");
  return await unlinkOwnAccount(store, { provider, providerAccountId });
}

/** As {@linkcode unlinkAccount}, for an endpoint. */
export async function unlinkOwnAccount(
  store: RequestStore,
  { provider, providerAccountId }: { provider: string; providerAccountId: string },
): Promise<boolean> {
  const { auth } = store;
  const { settings } = auth;
  const { id: userId } = requireUser(await auth.load(), { throwError: true }, store);
  const outcome = await reportChange(
    store,
    {
      events: [{ type: "account-unlinked", userId, provider }],
      subject: providerAccountId,
      happened: (result) => result === "unlinked",
    },
    () =>
      groupOf(settings.storage, linkedAccountGroup)
        .unlinkAccount(userId, provider, providerAccountId, { keep: openWays(settings) }),
  );
  if (outcome === "last") throw new LastWayInError();
  return outcome === "unlinked";
}

/** `GET /accounts`: the visitor's own, without tokens. */
async function showAccounts({ store }: EndpointContext): Promise<Response> {
  return jsonResponse(await listOwnAccounts(store));
}

/** The last segment of the path, which a client has encoded. */
function readAccountId(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

/** `DELETE /accounts/<provider>/<id there>`: unlinks one of the visitor's own. It takes fresh proof. */
async function removeAccount({ store, url }: EndpointContext): Promise<Response> {
  requireRecentUser(await store.auth.load(), { throwError: true }, store);
  await gateOf(store.auth.settings)?.assertFresh(store);
  const [provider = "", encoded = ""] = url.pathname.split("/").slice(-2);
  const providerAccountId = readAccountId(encoded);
  const unlinked = providerAccountId !== null &&
    await unlinkOwnAccount(store, { provider, providerAccountId });
  // Another user's account is answered as one that does not exist.
  if (!unlinked) throw new RequestError("This account does not exist", { code: "NOT_FOUND" });
  return new Response(null, { status: 204, headers: SECURITY_HEADERS });
}

const SESSIONS: readonly EndpointEntry[] = [
  { path: "/sessions", method: "GET", endpoint: listOwnSessions },
  { path: "/sessions", method: "DELETE", endpoint: endOtherSessions },
  { path: "/sessions/*", method: "DELETE", endpoint: endOwnSession },
];

/**
 * Endpoints that an application can serve: sessions that can be listed, accounts that can be
 * linked.
 */
function endpointsFor({ strategy, providers }: Settings): readonly EndpointEntry[] {
  const linked = [...providers.values()].filter(({ type }) => type === "oauth" || type === "oidc");
  return [
    ...strategy.endOf === null ? [] : SESSIONS,
    ...linked.length === 0
      ? []
      : [{ path: "/accounts", method: "GET", endpoint: showAccounts } as const],
    ...linked.map(({ id }) =>
      ({ path: `/accounts/${id}/*`, method: "DELETE", endpoint: removeAccount }) as const
    ),
  ];
}

/** JSON endpoints for a user's own sessions, accounts and passkeys. */
export const ACCOUNT_ENDPOINTS: EndpointModule = {
  id: "account-endpoints",
  endpoints: endpointsFor,
  linking: LINKING,
};

/**
 * Endpoints by which a page of the application's own shows users what is theirs, and lets them change it:
 *
 * - `GET /sessions`, `DELETE /sessions` (all others) and `DELETE /sessions/<id>`;
 * - `GET /accounts` and `DELETE /accounts/<provider>/<id there>`;
 * - `POST /signin/<provider>` with `intent=link`, which links another account to the user who is signed in.
 *
 * Changes of how somebody signs in take a sign-in of the last ten minutes. It stands among the providers.
 * Applications by convention have it, and so have those with `accountPage()`; others do not bundle it.
 *
 * @example
 * ```ts
 * import { accountEndpoints, createAuth, createMemoryStorage } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), providers: [accountEndpoints()] });
 * const response = await auth.handle(new Request("http://localhost/auth/sessions"), {});
 * equal(response?.status, 401);
 * ```
 */
export function accountEndpoints(): Provider {
  return { kind: "provider", definition: ACCOUNT_ENDPOINTS };
}
