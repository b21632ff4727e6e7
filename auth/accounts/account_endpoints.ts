import { RequestError } from "../errors/request_errors.ts";
import { jsonResponse } from "../http/endpoint.ts";
import { SECURITY_HEADERS } from "../http/page.ts";
import { endOtherSessions, endOwnSession, listOwnSessions } from "../http/session_endpoints.ts";
import { LINKING } from "../oauth/link_account.ts";
import type { Provider } from "../providers/provider.ts";
import { requireRecentUser } from "../request/recent_auth.ts";
import { listOwnAccounts, unlinkOwnAccount } from "./account_operations.ts";
import type {
  EndpointContext,
  EndpointEntry,
  EndpointModule,
  Settings,
} from "../http/contracts.ts";

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
  const [provider = "", encoded = ""] = url.pathname.split("/").slice(-2);
  const providerAccountId = readAccountId(encoded);
  const unlinked = providerAccountId !== null &&
    await unlinkOwnAccount(store, { provider, providerAccountId });
  // Another user's account is answered as one that does not exist.
  if (!unlinked) throw new RequestError("There is no such account", { code: "NOT_FOUND" });
  return new Response(null, { status: 204, headers: SECURITY_HEADERS });
}

const SESSIONS: readonly EndpointEntry[] = [
  { path: "/sessions", method: "GET", endpoint: listOwnSessions },
  { path: "/sessions", method: "DELETE", endpoint: endOtherSessions },
  { path: "/sessions/*", method: "DELETE", endpoint: endOwnSession },
];

/** What of it an application has: sessions that are listed, accounts that are linked. */
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

/** The endpoints by which programs show users what is theirs. */
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
 * What changes how somebody signs in takes a sign-in of the last ten minutes. It stands among the providers.
 * Applications by convention have it, and so have those with `accountPage()`; others carry nothing of it.
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
