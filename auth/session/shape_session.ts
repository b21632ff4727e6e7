import type { AuthCallbacks } from "../callbacks/callbacks.ts";
import { describe, isOptions } from "../config/check.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Session } from "./session.ts";
import type { ValidSession } from "./session_state.ts";

function wrongResult(what: string): ConfigurationError {
  return new ConfigurationError(`The session callback ${what}`, { field: "callbacks.session" });
}

/**
 * Lets the application shape the session that it sees. Whose session it is and when it ends are not
 * the callback's to say.
 *
 * @throws {ConfigurationError} For a result that is no session, or another user's.
 */
export async function shapeSession<T extends ValidSession>(
  state: T,
  shape: AuthCallbacks["session"],
): Promise<T> {
  if (shape === undefined) return state;
  const { session: { user, expires }, claims } = state;
  const { id } = user;
  const time = expires.getTime();
  const given: unknown = await shape({
    session: { user: { ...user }, expires: new Date(time) },
    user,
    ...(claims !== null && { token: { ...claims } }),
  });
  if (!isOptions(given) || !isOptions(given.user)) {
    throw wrongResult(`gave ${describe(given)}: return the session, with its user`);
  }
  if (given.user.id !== id) throw wrongResult("changed the id of the user: leave it as it is");
  if (!(given.expires instanceof Date) || given.expires.getTime() !== time) {
    throw wrongResult('changed "expires": how long a session lasts is session.maxAge');
  }
  return { ...state, session: given as unknown as Session };
}
