import { copyThrown } from "./rpc_values.ts";

const MAX_REDIRECTS = 20;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Lets an object answer a request, following redirects to the same object as the request says.
 *
 * @param deliver Lets the object handle an event.
 */
export async function fetchObject(
  deliver: (event: (object: object) => Promise<Response>) => Promise<Response>,
  request: Request,
): Promise<Response> {
  request.signal.throwIfAborted();
  // A body can be sent again only if it was kept.
  const kept = request.redirect === "follow" && request.body !== null
    ? await request.clone().arrayBuffer()
    : null;
  let current = request;
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const response = await deliver((object) => ask(object, current));
    const location = response.headers.get("location");
    if (!REDIRECTS.has(response.status) || location === null) return response;
    if (current.redirect === "manual") return response;
    if (current.redirect === "error") {
      throw new TypeError("Redirect returned but redirect mode is error.");
    }
    await response.body?.cancel();
    current = redirected(current, response.status, { location, kept });
  }
  throw new TypeError("Too many redirects.");
}

function redirected(
  { url, method, headers }: Request,
  status: number,
  { location, kept }: { location: string; kept: ArrayBuffer | null },
): Request {
  const becomesGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  const next = new Request(new URL(location, url), {
    method: becomesGet ? "GET" : method,
    headers,
    body: becomesGet ? null : kept,
  });
  if (becomesGet) {
    for (const name of ["content-type", "content-length"]) next.headers.delete(name);
  }
  return next;
}

async function ask(object: object, request: Request): Promise<Response> {
  const { fetch } = object as { fetch?: (request: Request) => unknown };
  try {
    if (typeof fetch !== "function") {
      throw new Error("Handler does not export a fetch() function.");
    }
    const response = await fetch.call(object, request);
    if (response instanceof Response) return response;
    throw new TypeError(
      "Incorrect type for Promise: the Promise did not resolve to 'Response'.",
    );
  } catch (error) {
    throw copyThrown(error);
  }
}
