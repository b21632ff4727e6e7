import type { RequestStore } from "../request/request_store.ts";
import { guardRedirect, type RedirectBounds } from "./redirect_guard.ts";
import type { RequestInfo } from "./request_info.ts";
import { SECURITY_HEADERS } from "./page.ts";
import type { SafeRedirect } from "../errors/redirect_error.ts";

/** What an endpoint works with. */
export interface EndpointContext {
  /** The request and its session. */
  store: RequestStore;
  /** Its address, parsed once. */
  url: URL;
  /** What the host says about it. */
  info: RequestInfo;
  /** Names the request in the log. */
  requestId: string;
}

/** Answers one method at one path. */
export type Endpoint = (context: EndpointContext) => Response | Promise<Response>;

/** An endpoint with its place. */
export interface EndpointEntry {
  /** The path below `basePath`. Its last segment may be `*`, for any. */
  path: string;
  /** The method; GET answers HEAD too. */
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** What answers. */
  endpoint: Endpoint;
  /** True for one that other sites' pages may call and that something else protects. Default false. */
  crossSite?: boolean;
}

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
