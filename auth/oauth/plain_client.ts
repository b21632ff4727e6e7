import type { Profile } from "../callbacks/callbacks.ts";
import { isOptions } from "../config/check.ts";
import { type Caller, getJson, invalidResponse } from "./call_provider.ts";
import type { OAuthGrant } from "./oauth_client.ts";

/** Who somebody is, by what the provider says to whoever has their access token. */
export async function identifyByUserinfo(
  { tokens, server }: OAuthGrant,
  caller: Caller,
): Promise<Profile> {
  const said = await getJson(server.userinfo!, caller, { token: tokens.accessToken });
  if (isOptions(said)) return said;
  throw invalidResponse("The provider's userinfo is no object");
}

/** The text, if it is one. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
