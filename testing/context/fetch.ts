import type { CookieJar } from "./cookies.ts";

/** Base of relative paths unless a test says otherwise. */
export const ORIGIN = "http://localhost";

/**
 * The address of a path, as a server sees it that is asked for that path: what begins with a slash never names another
 * host, which is what `//` does in a link.
 */
export function resolveAddress(path: string, origin: string): URL {
  return /^[/\\]/.test(path) ? new URL(origin + path) : new URL(path, origin);
}

/** Target of a request, and its settings. */
export interface Target {
  /** Base of relative paths. */
  origin: string;
  jar: CookieJar;
  answer(request: Request): Promise<Response>;
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
// A response that a handler makes does not say what it answers.
const addresses = new WeakMap<Response, URL>();

/** The address that a response came from, if it came from `send`. */
export function addressOf(response: Response): URL | undefined {
  return addresses.get(response);
}

/** Sends one request as a browser would, and keeps the cookies of the response. */
export async function send(
  { origin, jar, answer }: Target,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const url = resolveAddress(path, origin);
  const request = new Request(url, { ...init, redirect: "manual" });
  // A form's own page sends both; a test that plays another site sets its own.
  const isSafe = SAFE_METHODS.has(request.method) && !request.headers.has("upgrade");
  if (!isSafe && !request.headers.has("origin")) {
    request.headers.set("origin", url.origin);
  }
  // As every client does that knows it.
  const length = lengthOf(init.body);
  if (length !== null && !request.headers.has("content-length")) {
    request.headers.set("content-length", String(length));
  }
  const cookies = jar.header(url);
  if (cookies !== "" && !request.headers.has("cookie")) request.headers.set("cookie", cookies);
  const response = await answer(request);
  for (const line of response.headers.getSetCookie()) jar.set(line, url);
  addresses.set(response, url);
  return response;
}

/** The bytes of a body; null for a stream, and for a form whose parts are put together when it is sent. */
function lengthOf(body: BodyInit | null | undefined): number | null {
  if (typeof body === "string") return new TextEncoder().encode(body).length;
  if (body instanceof URLSearchParams) return body.toString().length;
  if (body instanceof Blob) return body.size;
  return body instanceof ArrayBuffer || ArrayBuffer.isView(body) ? body.byteLength : null;
}
