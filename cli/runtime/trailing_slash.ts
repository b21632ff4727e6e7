import { isUnsafe } from "./methods.ts";

/**
 * Sends `/users/` to `/users`, so that one page has one address.
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
  // An absolute address: a path such as //elsewhere.example would be another host's.
  return new Response(null, { status: 308, headers: { location: url.href } });
}

/** Counts instead of matching: `/\/+$/` takes quadratic time on a path of slashes. */
function withoutSlashes(pathname: string): string {
  let end = pathname.length;
  while (pathname[end - 1] === "/") end--;
  return pathname.slice(0, end) || "/";
}
