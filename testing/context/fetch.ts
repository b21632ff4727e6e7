import type { CookieJar } from "./cookies.ts";
import type { TestRequestInit } from "./types.ts";

/** Default base URL of relative paths. */
export const ORIGIN = "http://localhost";

/**
 * Resolves a request path as a server does: a path that begins with a slash never names another
 * host, unlike `//` in a link.
 */
export function resolveAddress(path: string, origin: string): URL {
  return /^[/\\]/.test(path) ? new URL(origin + path) : new URL(path, origin);
}

/** Target of a request, and its settings. */
export interface Target {
  /** Base of relative paths. */
  origin: string;
  jar: CookieJar;
  /** Headers of requests that do not have them. */
  headers: Readonly<Record<string, string>>;
  answer(request: Request): Promise<Response>;
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
// A response that a handler creates has no `url`.
const addresses = new WeakMap<Response, URL>();

/** Returns the URL of a response that came from `send`; undefined for any other. */
export function addressOf(response: Response): URL | undefined {
  return addresses.get(response);
}

/** Sends one request as a browser would, and stores the cookies of the response. */
export async function send(
  { origin, jar, headers, answer }: Target,
  path: string,
  init: TestRequestInit = {},
): Promise<Response> {
  const url = resolveAddress(path, origin);
  const request = withCf(new Request(url, { ...init, redirect: "manual" }), init.cf);
  for (const [name, value] of Object.entries(headers)) {
    if (!request.headers.has(name)) request.headers.set(name, value);
  }
  // A same-origin form sends both headers; a test of another site sets its own. A program with a token has none.
  const isSafe = SAFE_METHODS.has(request.method) && !request.headers.has("upgrade");
  const isProgram = /^bearer /i.test(request.headers.get("authorization") ?? "");
  if (!isSafe && !isProgram && !request.headers.has("origin")) {
    request.headers.set("origin", url.origin);
  }
  // HTTP clients send the length when they know it.
  const length = lengthOf(init.body);
  if (length !== null && !request.headers.has("content-length")) {
    request.headers.set("content-length", String(length));
  }
  const cookies = jar.header(url);
  if (cookies !== "" && !request.headers.has("cookie")) request.headers.set("cookie", cookies);
  const response = await answer(request);
  for (const line of response.headers.getSetCookie()) jar.set(line, url);
  return withAddress(response, url);
}

/** Adds what the platform says of a request, where the runtime's own requests have no place for it. */
function withCf(request: Request, cf: TestRequestInit["cf"]): Request {
  if (cf === undefined || "cf" in request) return request;
  const clone = request.clone.bind(request);
  return Object.assign(request, { cf, clone: () => withCf(clone(), cf) });
}

/** Remembers the URL of a response, and of its copies, whose forms are sent to the same page. */
function withAddress(response: Response, url: URL): Response {
  addresses.set(response, url);
  const clone = response.clone.bind(response);
  response.clone = () => withAddress(clone(), url);
  return response;
}

/**
 * Returns the length of a body in bytes; null for a stream and for multipart form data, whose
 * length is unknown before sending.
 */
function lengthOf(body: BodyInit | null | undefined): number | null {
  if (typeof body === "string") return new TextEncoder().encode(body).length;
  if (body instanceof URLSearchParams) return body.toString().length;
  if (body instanceof Blob) return body.size;
  return body instanceof ArrayBuffer || ArrayBuffer.isView(body) ? body.byteLength : null;
}
