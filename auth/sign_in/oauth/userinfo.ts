/**
 * The userinfo endpoint.
 *
 * @module
 */

import { isOptions } from "../../lib/options.ts";
import type { Profile } from "../../types/callbacks.ts";
import { type Caller, getJson, invalidResponse } from "./request.ts";
import type { OAuthGrant } from "./client.ts";

/** Identifies the user by the userinfo endpoint. */
export async function identifyByUserinfo(
  { tokens, server }: OAuthGrant,
  caller: Caller,
): Promise<Profile> {
  const said = await getJson(server.userinfo!, caller, { token: tokens.accessToken });
  if (isOptions(said)) return said;
  throw invalidResponse("The provider's userinfo is not an object");
}

/** The text, if it is one. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Fetches the claims of the userinfo endpoint, whose `sub` must equal that of the ID token (OpenID Connect
 * Core, 5.3.2).
 */
export async function fetchUserinfo(
  { tokens, server }: OAuthGrant,
  subject: unknown,
  caller: Caller,
): Promise<Profile> {
  if (server.userinfo === null) return {};
  const said = await getJson(server.userinfo, caller, { token: tokens.accessToken });
  if (isOptions(said) && said.sub === subject) return said;
  throw invalidResponse("The provider's userinfo speaks of another user than its ID token");
}
