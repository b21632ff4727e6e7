import { formHeader } from "../client/assets.ts";
import { type ManifestRoute, routeMethods } from "./manifest.ts";

/** Methods that a page's `action` handles. */
export const actionMethods: readonly string[] = ["POST", "PUT", "PATCH", "DELETE"];

/** Returns the methods that a page or route answers, in the order of the `Allow` header. */
export function allowedMethods(
  { kind, module }: { kind: string; module: ManifestRoute["module"] },
): string[] {
  if (kind === "page") {
    return ["GET", "HEAD", ...(module["action"] ? actionMethods : []), "OPTIONS"];
  }
  return routeMethods.filter((method) =>
    module[method] !== undefined || method === "OPTIONS" ||
    (method === "HEAD" && module["GET"] !== undefined)
  );
}

/** Returns true for a method that may change something (RFC 9110, section 9.2.1). */
export function isUnsafe(method: string): boolean {
  return !["GET", "HEAD", "OPTIONS", "TRACE"].includes(method);
}

/**
 * Returns true for a request that may change something, or that opens a WebSocket, which a page of
 * any site could open and read.
 */
export function needsSameOrigin(request: Request): boolean {
  return isUnsafe(request.method) ||
    request.headers.get("upgrade")?.toLowerCase() === "websocket";
}

/**
 * Returns true for a form that a script sends. A safe method never is one: caches do not tell its responses apart by
 * the header, and anybody could have them keep the one for scripts.
 */
export function isSentByScript(request: Request): boolean {
  return isUnsafe(request.method) && request.headers.has(formHeader);
}

/**
 * Redirects `/users/` to `/users`, so that a page has one address.
 *
 * @param request The request.
 * @param exists Whether a route answers a path.
 * @returns null when there is no slash to take away, or nothing behind it.
 */
export function redirectTrailingSlash(
  request: Request,
  exists: (pathname: string) => boolean,
): Response | null {
  const url = new URL(request.url);
  if (!/.\/$/.test(url.pathname) || isUnsafe(request.method)) return null;
  url.pathname = withoutSlashes(url.pathname);
  if (!exists(url.pathname)) return null;
  // An absolute URL: a path such as //elsewhere.example would name another host.
  return new Response(null, { status: 308, headers: { location: url.href } });
}

/** Removes trailing slashes by counting: `/\/+$/` takes quadratic time on a path of slashes. */
function withoutSlashes(pathname: string): string {
  let end = pathname.length;
  while (pathname[end - 1] === "/") end--;
  return pathname.slice(0, end) || "/";
}
