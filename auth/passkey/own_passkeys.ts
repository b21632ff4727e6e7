import { hasMailWay } from "../accounts/ways_in.ts";
import { UnauthenticatedError } from "../errors/access_errors.ts";
import { LastWayInError } from "../errors/account_errors.ts";
import { RequestError } from "../errors/request_errors.ts";
import { type Endpoint, type EndpointContext, jsonResponse } from "../http/endpoint.ts";
import { SECURITY_HEADERS } from "../http/page.ts";
import { readFields } from "../http/read_fields.ts";
import type { CheckedPasskey } from "../providers/passkey_config.ts";
import { requireRecentUser } from "../request/recent_auth.ts";
import { passkeysOf } from "../storage/passkeys_of.ts";
import { describePasskey, readPasskeyName } from "./passkey_list.ts";

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
export async function listOwnPasskeys(context: EndpointContext): Promise<Response> {
  const userId = await requireOwner(context);
  const passkeys = await passkeysOf(context.store.auth.settings.storage).listPasskeys(userId);
  return jsonResponse(passkeys.map(describePasskey));
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
export function removeOwnPasskey(config: CheckedPasskey): Endpoint {
  return async function removePasskey(context) {
    const { store } = context;
    const { auth, report } = store;
    const user = requireRecentUser(await auth.load(), { throwError: true }, store);
    const id = passkeyId(context);
    const { settings } = auth;
    // As stored: a token, or the application's own shape of a session, may say what no longer holds.
    const stored = await settings.storage.getActiveUser(user.id);
    const lastWayIn = stored === null || !hasMailWay(stored, settings);
    const outcome = await passkeysOf(settings.storage).deletePasskey(user.id, id, { lastWayIn });
    if (outcome === "absent") throw notThere();
    if (outcome === "last") throw new LastWayInError();
    report({ type: "passkey-removed", userId: user.id, provider: config.id, passkeyId: id });
    return done();
  };
}
