import { wrongOption } from "../config/check.ts";
import { isProviderUrl } from "./call_provider.ts";
import { acceptedAlgorithms } from "./id_token.ts";
import { type FindKeys, identifyByIdToken, type IdTokenClient } from "./identify_by_id_token.ts";
import { fetchKeys } from "./oidc_server.ts";
import { createShared } from "./shared.ts";

/** The keys with which a provider signs ID tokens, and the check of these. */
export interface RemoteKeys {
  /**
   * Makes what identifies somebody by an ID token, which only the library does.
   *
   * @internal
   */
  readonly identify: (client: IdTokenClient) => ReturnType<typeof identifyByIdToken>;
}

/**
 * The keys of a provider that describes itself nowhere, for `createOAuth2Provider()`. The check of ID
 * tokens comes with it, so that who does not need it does not carry it.
 *
 * @param url Address of the keys (RFC 7517).
 * @param options `algorithms`: how the provider may sign. Default `["RS256"]`.
 * @throws {ConfigurationError} When the address is not https.
 *
 * @example
 * ```ts
 * import { createOAuth2Provider, remoteKeys } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const provider = createOAuth2Provider({
 *   id: "example",
 *   name: "Example",
 *   clientId: "app",
 *   clientSecret: "secret",
 *   authorization: "https://id.example/authorize",
 *   token: "https://id.example/token",
 *   userinfo: "https://id.example/userinfo",
 *   issuer: "https://id.example",
 *   jwks: remoteKeys("https://id.example/jwks"),
 *   scope: "openid email",
 *   profile: (claims) => ({ id: (claims as { sub: string }).sub }),
 * });
 * equal(provider.kind, "provider");
 * ```
 */
export function remoteKeys(url: string, options: { algorithms?: string[] } = {}): RemoteKeys {
  if (!isProviderUrl(url)) throw wrongOption("jwks", url, "an address with https");
  const algorithms = acceptedAlgorithms(options.algorithms);
  const shared = createShared((caller) => fetchKeys(url, caller));
  const findKeys: FindKeys = async (caller, how) => ({
    jwks: await shared.get(caller, how),
    algorithms,
  });
  return { identify: (client) => identifyByIdToken({ client, findKeys }) };
}
