import { CrossSiteRequestError } from "../errors/request_errors.ts";
import { mediaType } from "./media_type.ts";

/** Whom {@linkcode assertSameOrigin} trusts. */
export interface SameOriginOptions {
  /** The origin of the application itself. */
  ownOrigin: string;
  /** Further origins whose pages may send requests. Default: none. */
  trustedOrigins?: Iterable<string>;
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/**
 * Refuses a request that would change something, or open a WebSocket, and that another site's page made the
 * browser send. It looks at no cookie: signing somebody in from another site is an attack too.
 *
 * With the own `Origin`, `Sec-Fetch-Site` may be absent, `same-origin` or `none`; a sibling subdomain is
 * not the same origin. A trusted `Origin` passes. `Origin: null` or none needs `Sec-Fetch-Site:
 * same-origin`. With neither header the client is no browser of today, and only `application/json` passes,
 * which no form can send (OWASP Cross-Site Request Forgery Prevention), or a WebSocket's handshake, in which every
 * browser names the origin (RFC 6455, 10.2).
 *
 * @param request Its method and headers are read.
 * @param options The application's own origin, and further ones that it trusts.
 * @throws {CrossSiteRequestError} When the request is refused.
 *
 * @example
 * ```ts
 * import { assertSameOrigin } from "@framework/auth";
 * import { throws } from "node:assert/strict";
 *
 * const request = new Request("https://app.example/orders", {
 *   method: "POST",
 *   headers: { origin: "https://evil.example" },
 * });
 * throws(() => assertSameOrigin(request, { ownOrigin: "https://app.example" }));
 * ```
 */
export function assertSameOrigin(request: Request, options: SameOriginOptions): void {
  const isSafe = SAFE_METHODS.has(request.method);
  // A page of any site may open a WebSocket, and read what it says.
  if (isSafe && request.headers.get("upgrade")?.toLowerCase() !== "websocket") return;
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  if (origin === options.ownOrigin) {
    if (site === null || site === "same-origin" || site === "none") return;
    throw new CrossSiteRequestError();
  }
  if (origin === null || origin === "null") {
    if (site === "same-origin") return;
    // With a handshake every browser names its page's origin.
    const isNoForm = isSafe || mediaType(request) === "application/json";
    if (origin === null && site === null && isNoForm) return;
    throw new CrossSiteRequestError();
  }
  for (const trusted of options.trustedOrigins ?? []) {
    if (origin === trusted) return;
  }
  throw new CrossSiteRequestError();
}
