import type { Worker } from "@framework/cli/runtime";
import type { Background } from "./background.ts";
import type { CookieJar } from "./cookie_jar.ts";

/** Where every relative path leads. */
export const ORIGIN = "http://localhost";

/** What a request is sent to, and with. */
export interface Target {
  worker: Worker;
  env: object;
  jar: CookieJar;
  background: Background;
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Sends one request as a browser would, and keeps the cookies of the response. */
export async function send(
  { worker, env, jar, background }: Target,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const url = new URL(path, ORIGIN);
  const request = new Request(url, { ...init, redirect: "manual" });
  // A form's own page sends both; a test that plays another site sets its own.
  if (!SAFE_METHODS.has(request.method) && !request.headers.has("origin")) {
    request.headers.set("origin", url.origin);
  }
  const cookies = jar.header(url);
  if (cookies !== "" && !request.headers.has("cookie")) request.headers.set("cookie", cookies);
  const response = await worker.fetch(request, env, { waitUntil: background.add });
  for (const line of response.headers.getSetCookie()) jar.set(line, url);
  return response;
}
