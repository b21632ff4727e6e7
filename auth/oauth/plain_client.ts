import type { Profile } from "../callbacks/callbacks.ts";
import { isOptions } from "../config/check.ts";
import { type Caller, getJson, invalidResponse } from "./call_provider.ts";
import type { OAuthGrant, OAuthServer } from "./oauth_client.ts";

/** Where a provider is that describes itself nowhere. */
export type DeclaredServer = Pick<OAuthServer, "authorization" | "token" | "userinfo" | "issuer">;

/** The server of such a provider. */
export function declareServer(server: DeclaredServer): OAuthServer {
  return { ...server, saysIssuer: false, authMethods: null, pushed: null };
}

/** Who somebody is, by what the provider says to whoever has their access token. */
export async function identifyByUserinfo(
  { tokens, server }: OAuthGrant,
  caller: Caller,
): Promise<Profile> {
  const said = await getJson(server.userinfo!, caller, { token: tokens.accessToken });
  if (isOptions(said)) return said;
  throw invalidResponse("The provider's userinfo is no object");
}

/** A date when the provider says, in one of the two ways that there are, that an address is verified. */
export function verifiedAt(said: unknown, at: Date): Date | null {
  return said === true || said === "true" ? at : null;
}

/** The fields that are there. */
export function withoutHoles(
  texts: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const there = Object.entries(texts).filter(([, text]) => text !== undefined);
  return Object.fromEntries(there) as Record<string, string>;
}

/** The text, if it is one. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
