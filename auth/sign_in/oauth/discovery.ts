/**
 * Discovery of a provider's server.
 *
 * @module
 */

import { isOptions } from "../../lib/options.ts";
import { createPushRequest } from "./authorization.ts";
import { type Caller, getJson, invalidResponse, isProviderUrl } from "./request.ts";
import type { OAuthServer } from "./client.ts";
import { acceptedAlgorithms, type ProviderKeys } from "./id_token.ts";
import { createShared, fetchKeys, type Shared } from "./jwks.ts";

/** Metadata document of an OpenID provider. */
export interface Discovered {
  /** Its server. */
  server: OAuthServer;
  /** Its keys. */
  keys: ProviderKeys;
}

/** The issuer, and what calls it. */
interface At {
  issuer: string;
  caller: Caller;
}

/** An address of the description: as safe as that of the issuer, so that nothing leads inside. */
function readUrl(metadata: Record<string, unknown>, name: string, { issuer, caller }: At): string {
  const value = metadata[name];
  const isSafe = isProviderUrl(value) &&
    (value.startsWith("https:") || issuer.startsWith("http:"));
  if (isSafe || caller.allowsHttp?.(value) === true) return value as string;
  throw invalidResponse(`The provider's metadata has no safe "${name}"`);
}

function optionalUrl(
  metadata: Record<string, unknown>,
  name: string,
  at: At,
): string | null {
  return metadata[name] === undefined ? null : readUrl(metadata, name, at);
}

function readServer(metadata: Record<string, unknown>, at: At): OAuthServer {
  const methods = metadata.token_endpoint_auth_methods_supported;
  const mustPush = metadata.require_pushed_authorization_requests === true;
  return {
    issuer: at.issuer,
    authorization: readUrl(metadata, "authorization_endpoint", at),
    token: readUrl(metadata, "token_endpoint", at),
    userinfo: optionalUrl(metadata, "userinfo_endpoint", at),
    saysIssuer: metadata.authorization_response_iss_parameter_supported === true,
    ...Array.isArray(methods) && { authMethods: methods },
    ...mustPush && {
      push: createPushRequest(readUrl(metadata, "pushed_authorization_request_endpoint", at)),
    },
  };
}

async function discover(issuer: string, caller: Caller): Promise<Discovered> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const metadata = await getJson(url, caller);
  if (!isOptions(metadata)) throw invalidResponse("The provider's metadata is not an object");
  // Exactly: a prefix of an issuer is another issuer (OpenID Connect Discovery, 4.3).
  if (metadata.issuer !== issuer) {
    throw invalidResponse("The provider's metadata names another issuer");
  }
  const at = { issuer, caller };
  const server = readServer(metadata, at);
  const jwks = await fetchKeys(readUrl(metadata, "jwks_uri", at), caller);
  const algorithms = acceptedAlgorithms(metadata.id_token_signing_alg_values_supported);
  return { server, keys: { jwks, algorithms } };
}

/** Fetches the provider's metadata on demand and caches it. */
export function createDiscovery(issuer: string): Shared<Discovered> {
  return createShared((caller) => discover(issuer, caller));
}
