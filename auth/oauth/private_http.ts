import { wrongOption } from "../config/check.ts";
import { readFlag } from "../config/read_values.ts";
import { isLoopbackHost } from "../http/own_origin.ts";
import { type Caller, isProviderUrl } from "./call_provider.ts";
import type { OAuthMethod } from "./oauth_method.ts";

/**
 * True for hosts that no public name is: one word as in a compose file, names that are reserved for private
 * networks (RFC 6762, RFC 8375, RFC 6761, `internal` of ICANN), and private addresses (RFC 1918, RFC 4193).
 */
function isPrivateHost(hostname: string): boolean {
  return /^(?:[a-z0-9_-]+|.+\.(?:internal|local|test|home\.arpa))$/.test(hostname) ||
    /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)[\d.]+$/.test(hostname) ||
    /^\[f[cd][0-9a-f]{2}:[0-9a-f:]+\]$/.test(hostname) ||
    isLoopbackHost(hostname);
}

/** An address with http at a private host, and nothing else that {@linkcode isProviderUrl} refuses. */
function isPrivateUrl(value: unknown): value is string {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === "http:" && isPrivateHost(hostname) &&
    isProviderUrl(value.replace(/^http:/i, "https:"));
}

/** Which addresses a provider may have beside those with https. */
export interface PrivateHttp {
  /** True for http at a host of the provider's own addresses. */
  allows(value: unknown): value is string;
  /** What calls the provider, and may call these. */
  callerOf(caller: Caller): Caller;
}

/**
 * Reads `insecureHttp`; null unless it is true.
 *
 * @param addresses The addresses of the provider. At every other host http stays refused.
 * @throws {ConfigurationError} When it is neither true nor false, or none of the addresses needs it.
 */
export function readPrivateHttp(
  value: unknown,
  addresses: readonly unknown[],
): PrivateHttp | null {
  if (readFlag(value, "insecureHttp") !== true) return null;
  const hosts = new Set(addresses.filter(isPrivateUrl).map((address) => new URL(address).host));
  if (hosts.size === 0) {
    throw wrongOption("insecureHttp", value, "it only for http at a host of a private network");
  }
  function allows(address: unknown): address is string {
    return isPrivateUrl(address) && hosts.has(new URL(address).host);
  }
  return {
    allows,
    callerOf: ({ fetch, now, timeout }) => ({
      fetch,
      now,
      ...timeout !== undefined && { timeout },
      allowsHttp: allows,
    }),
  };
}

/** The way to sign in, of which every application that has it is warned. */
export function warnOfHttp(method: OAuthMethod, http: PrivateHttp | null): OAuthMethod {
  if (http === null) return method;
  return {
    ...method,
    check(settings) {
      settings.logger.warn("provider-without-https", { provider: method.id });
      method.check?.(settings);
    },
  };
}
