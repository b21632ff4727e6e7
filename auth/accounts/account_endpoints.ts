import { RequestError } from "../errors/request_errors.ts";
import { type EndpointContext, type EndpointEntry, jsonResponse } from "../http/endpoint.ts";
import { SECURITY_HEADERS } from "../http/page.ts";
import { requireRecentUser } from "../request/recent_auth.ts";
import { listOwnAccounts, unlinkOwnAccount } from "./account_operations.ts";

/** `GET /accounts`: the visitor's own, without tokens. */
async function showAccounts({ store }: EndpointContext): Promise<Response> {
  return jsonResponse(await listOwnAccounts(store));
}

/** The last segment of the path, which a client has encoded. */
function readAccountId({ url }: EndpointContext): string | null {
  try {
    return decodeURIComponent(url.pathname.split("/").at(-1)!);
  } catch {
    return null;
  }
}

/**
 * The endpoints for accounts that a provider brings along: the list, which all of them share, and
 * `DELETE /accounts/<provider>/<id there>` for the visitor's own, but never for their last way in.
 */
export function accountEndpoints(provider: string): readonly EndpointEntry[] {
  async function removeAccount(context: EndpointContext): Promise<Response> {
    const { store } = context;
    requireRecentUser(await store.auth.load(), { throwError: true }, store);
    const providerAccountId = readAccountId(context);
    const unlinked = providerAccountId !== null &&
      await unlinkOwnAccount(store, { provider, providerAccountId });
    // Another user's account is answered as one that does not exist.
    if (!unlinked) throw new RequestError("There is no such account", { code: "NOT_FOUND" });
    return new Response(null, { status: 204, headers: SECURITY_HEADERS });
  }

  return [
    { path: "/accounts", method: "GET", endpoint: showAccounts },
    { path: `/accounts/${provider}/*`, method: "DELETE", endpoint: removeAccount },
  ];
}
