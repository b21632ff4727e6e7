import { jsonResponse } from "./endpoint.ts";
import type { EndpointContext } from "./contracts.ts";

/**
 * `POST /session`: reads what is known about the user anew, and with the session strategy 'jwt' makes a new
 * token. It takes no data, since a token holds what the server knows and not what a browser says.
 */
export async function updateSession({ store }: EndpointContext): Promise<Response> {
  const state = await store.auth.update();
  return jsonResponse(state.status === "valid" ? state.session : null);
}
