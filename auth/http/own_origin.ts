import { ConfigurationError } from "../errors/configuration_error.ts";
import { RequestError } from "../errors/request_errors.ts";
import type { TrustedProxies } from "./trusted_proxies.ts";

/** What the application says about its own address. */
export interface AddressOptions {
  /** The origin, when there is exactly one. */
  baseOrigin: string | null;
  /** The hosts it answers for. */
  allowedHosts: ReadonlySet<string> | null;
  /** True for the address of a tenant's own host, where tenants have such. */
  isTenantHost?: ((url: URL) => boolean) | undefined;
  /** Whether the platform vouches for the URL of a request, as workers do. */
  platformRoutesByHost: boolean;
  /** The proxies in front of it; null for none. */
  trustedProxies: TrustedProxies | null;
}

/** True for hosts that never leave the machine: localhost, *.localhost, 127.0.0.0/8 and [::1]. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/**
 * The origin of the application, on which redirects, origin checks and Secure cookies rest.
 *
 * A server that takes the host from the request lets any client choose it, so it is believed only where
 * it cannot be chosen or cannot matter. What proxies say is in the address already, see `requestedUrl()`.
 *
 * @param requested Gives the address of the request, where that matters.
 * @throws {RequestError} `HOST_NOT_ALLOWED` for a host that is not in `allowedHosts`.
 * @throws {ConfigurationError} When nothing says what the own address is.
 */
export function ownOrigin(requested: () => URL, options: AddressOptions): string {
  const { baseOrigin, allowedHosts, platformRoutesByHost } = options;
  if (baseOrigin !== null) return baseOrigin;
  const url = requested();
  if (allowedHosts !== null) {
    if (allowedHosts.has(url.host) || options.isTenantHost?.(url)) return url.origin;
    throw new RequestError(undefined, { code: "HOST_NOT_ALLOWED" });
  }
  if (platformRoutesByHost || isLoopbackHost(url.hostname)) return url.origin;
  throw new ConfigurationError(
    `Cannot believe that this is "${url.host}", which any client can write here. ` +
      'Set baseUrl: "https://…", or allowedHosts: ["…"].',
    { field: "baseUrl" },
  );
}

/** Whether cookies of this origin are Secure: all but those of plain http on a loopback host. */
export function isSecureOrigin(origin: string): boolean {
  return origin.startsWith("https:") || !isLoopbackHost(new URL(origin).hostname);
}
