import type { RequestStore } from "../request/request_store.ts";

/** Adds a name to Vary unless it is there. */
function addVary(headers: Headers, name: string): void {
  const given = headers.get("vary");
  if (given === null) {
    headers.set("vary", name);
    return;
  }
  const names = given.split(",").map((part) => part.trim().toLowerCase());
  if (names.includes("*") || names.includes(name.toLowerCase())) return;
  headers.append("vary", name);
}

/** The response itself when its headers can be changed, else one that has the same and can. */
function changeable(response: Response): Response {
  try {
    response.headers.delete("x-framework-probe");
    return response;
  } catch {
    return new Response(response.body, response);
  }
}

/**
 * Gives a response the cookies of its request. What carries a cookie, or depends on who asked, must not
 * be kept for somebody else (CVE-2025-48947): with a cookie it is never stored; without one the
 * application's own Cache-Control stands, and where there is none the response is not stored either.
 */
export function finishResponse(response: Response, store: RequestStore): Response {
  const lines = store.cookiesOut.close();
  if (lines.length === 0 && !store.auth.consulted) return response;
  // A switched protocol has no headers left to add to.
  if (response.status === 101) return response;
  const finished = changeable(response);
  const { headers } = finished;
  for (const line of lines) headers.append("set-cookie", line);
  addVary(headers, "Cookie");
  if (store.auth.settings.bearer) addVary(headers, "Authorization");
  if (lines.length > 0 || !headers.has("cache-control")) headers.set("cache-control", "no-store");
  return finished;
}
