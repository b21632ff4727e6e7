import type { AuthCallbacks, JwtParams } from "../callbacks/callbacks.ts";
import { describe, isOptions } from "../config/check.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { SESSION_CLAIMS, type SessionClaims } from "./jwt_claims.ts";
import type { JWT } from "./session.ts";

/** The callback's result as it will be read again from the token: what JSON cannot hold shows here, not later. */
function asStored(claims: object): JWT {
  try {
    return JSON.parse(JSON.stringify(claims));
  } catch (cause) {
    throw new ConfigurationError(
      "The jwt callback gave a token that cannot be written as JSON",
      { field: "callbacks.jwt", cause },
    );
  }
}

/**
 * Asks the application for the claims of a token. Those on which the session rests stay as they are: one
 * that is left out is put back, one that was changed is an error, since the application expects something
 * that will not happen.
 *
 * @param session The claims that stay.
 * @throws {ConfigurationError} For a result that is no token, or that changes one of those claims.
 */
export async function callJwt(
  jwt: AuthCallbacks["jwt"],
  params: JwtParams,
  session: SessionClaims,
): Promise<JWT> {
  if (jwt === undefined) return { ...params.token, ...session };
  const given: unknown = await jwt(params);
  if (!isOptions(given)) {
    throw new ConfigurationError(
      `The jwt callback gave ${describe(given)}: return the token, with the claims that you add`,
      { field: "callbacks.jwt" },
    );
  }
  for (const name of SESSION_CLAIMS) {
    if (given[name] === undefined || given[name] === session[name]) continue;
    throw new ConfigurationError(
      `The jwt callback changed "${name}", which the library sets: leave it, and add under other names`,
      { field: "callbacks.jwt" },
    );
  }
  return asStored({ ...given, ...session });
}
