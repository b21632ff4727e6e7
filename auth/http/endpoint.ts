import { guardRedirect, type RedirectBounds } from "./redirect_guard.ts";
import { SECURITY_HEADERS } from "./page.ts";
import type { SafeRedirect } from "../errors/redirect_error.ts";
import type { EndpointContext } from "./contracts.ts";

/** Where this request may be redirected. */
export function redirectBounds({ store }: EndpointContext): RedirectBounds {
  return { ownOrigin: store.auth.origin(), trustedOrigins: store.auth.settings.trustedOrigins };
}

/** The `callbackUrl` of a request when it may be followed, else null: for a page that carries it along. */
export function safeCallback(target: unknown, context: EndpointContext): SafeRedirect | null {
  return guardRedirect(target ?? null, redirectBounds(context));
}

/** A JSON response of the library. */
export function jsonResponse(body: unknown): Response {
  return Response.json(body, { headers: SECURITY_HEADERS });
}
