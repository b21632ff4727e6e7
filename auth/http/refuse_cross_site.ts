import { CrossSiteRequestError } from "../errors/request_errors.ts";
import { assertSameOrigin } from "./same_origin.ts";
import type { RequestStore } from "./contracts.ts";

/**
 * Refuses a request that another site's page made, and reports it.
 *
 * @throws {CrossSiteRequestError} When the request is refused.
 */
export function refuseCrossSite({ request, auth, report }: RequestStore): void {
  try {
    assertSameOrigin(request, {
      ownOrigin: auth.origin(),
      trustedOrigins: auth.settings.trustedOrigins,
    });
  } catch (error) {
    if (error instanceof CrossSiteRequestError) {
      const path = new URL(request.url).pathname;
      report({ type: "origin-refused", path, origin: request.headers.get("origin") });
    }
    throw error;
  }
}
