import { UnauthenticatedError } from "../errors/access_errors.ts";
import { RequestError } from "../errors/request_errors.ts";
import { jsonResponse } from "../http/endpoint.ts";
import { SECURITY_HEADERS } from "../http/page.ts";
import { readFields } from "../http/read_fields.ts";
import { requireRecentUser } from "../request/recent_auth.ts";
import { passkeysOf } from "../storage/passkeys_of.ts";
import { readPasskeyName } from "./passkey_list.ts";
import { listUserPasskeys, removeUserPasskey } from "./passkey_operations.ts";
import type { EndpointContext } from "../http/contracts.ts";

/** Who asks. Whose passkeys these are follows from it and from nothing in the request. */
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
  return new RequestError("There is no such passkey", { code: "NOT_FOUND" });
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
  const renamed = await passkeysOf(auth.settings.storage)
    .renamePasskey(userId, passkeyId(context), name);
  if (!renamed) throw notThere();
  return done();
}

/** `DELETE /passkeys/<id>`: removes one of the visitor's own, but never their last way in. */
export async function removeOwnPasskey(context: EndpointContext): Promise<Response> {
  const { store } = context;
  requireRecentUser(await store.auth.load(), { throwError: true }, store);
  if (!await removeUserPasskey(store, passkeyId(context))) throw notThere();
  return done();
}
