import { UnauthenticatedError } from "../errors/access_errors.ts";
import { RequestError } from "../errors/request_errors.ts";
import {
  endUserSessions,
  listUserSessions,
  revokeOwnSession,
} from "../request/session_operations.ts";
import type { ValidSession } from "../session/session_state.ts";
import { jsonResponse } from "./endpoint.ts";
import { SECURITY_HEADERS } from "./page.ts";
import type { EndpointContext } from "./contracts.ts";

/** Who asks. Whose sessions these are follows from it and from nothing in the request. */
async function requireSession({ store }: EndpointContext): Promise<ValidSession> {
  const state = await store.auth.load();
  if (state.status !== "valid") throw new UnauthenticatedError();
  return state;
}

function done(): Response {
  return new Response(null, { status: 204, headers: SECURITY_HEADERS });
}

/** `GET /sessions`: the visitor's own. */
export async function listOwnSessions(context: EndpointContext): Promise<Response> {
  const { session } = await requireSession(context);
  return jsonResponse(await listUserSessions(context.store.auth, session.user.id));
}

/** `DELETE /sessions`: ends all others of the visitor's own. */
export async function endOtherSessions(context: EndpointContext): Promise<Response> {
  const { session } = await requireSession(context);
  await endUserSessions(context.store, session.user.id, { except: "current" });
  return done();
}

/** `DELETE /sessions/<id>`: ends one of the visitor's own; the present one is signed out. */
export async function endOwnSession(context: EndpointContext): Promise<Response> {
  if (!await revokeOwnSession(context.store, context.url.pathname.split("/").at(-1)!)) {
    throw new RequestError("There is no such session", { code: "NOT_FOUND" });
  }
  return done();
}
