import type { RequestStore, Settings } from "./contracts.ts";

/** Adds a name to Vary unless it is there. */
function addVary(headers: Headers, name: string): void {
  const names = headers.get("vary")?.toLowerCase().split(",").map((part) => part.trim()) ?? [];
  if (!names.includes("*") && !names.includes(name.toLowerCase())) headers.append("vary", name);
}

function addHeaders(headers: Headers, lines: readonly string[], settings: Settings): void {
  if (lines.length > 0 || !headers.has("cache-control")) headers.set("cache-control", "no-store");
  addVary(headers, "Cookie");
  if (settings.bearer) addVary(headers, "Authorization");
  if (settings.tenancy?.vary) addVary(headers, settings.tenancy.vary);
  for (const line of lines) headers.append("set-cookie", line);
}

/**
 * Gives a response the cookies of its request. What carries a cookie, or depends on who asked, must not
 * be kept for somebody else (CVE-2025-48947): with a cookie it is never stored; without one the
 * application's own Cache-Control stands, and where there is none the response is not stored either.
 */
export function finishResponse(response: Response, { auth, cookiesOut }: RequestStore): Response {
  const lines = cookiesOut.close();
  const { settings } = auth;
  // Where a header or a cookie names the tenant, every response is for one tenant.
  if (lines.length === 0 && !auth.consulted() && !settings.tenancy?.vary) return response;
  // A switched protocol has no headers left to add to.
  if (response.status === 101) return response;
  try {
    addHeaders(response.headers, lines, settings);
    return response;
  } catch {
    // Headers that cannot be changed, as of what fetch() gave: all of them or none.
    const copy = new Response(response.body, response);
    addHeaders(copy.headers, lines, settings);
    return copy;
  }
}
