import { isAuthError, RequestError } from "@framework/auth";
import { drainBody, limitBody } from "@framework/auth/convention";
import { readBodyLimit } from "./manifest.ts";

/** Media types of forms. */
export const FORMS: readonly string[] = [
  "application/x-www-form-urlencoded",
  "multipart/form-data",
];

/**
 * Prepares the request for application code: its body is limited, and a client's mistake in it is a
 * 4xx response, not an error of the application.
 *
 * @param request The request, from the platform or from a middleware.
 * @param module What answers it: the file's `bodyLimit` counts.
 * @throws {RequestError} `PAYLOAD_TOO_LARGE` when it announces too much.
 */
export function takeBody(request: Request, module: Record<string, unknown>): Request {
  if (request.method === "GET" || request.method === "HEAD") return request;
  const limited = limitBody(request, readBodyLimit(module["bodyLimit"]));
  return judge(limited);
}

/** Milliseconds that an answer waits for what is left of its request's body. */
const REST_TIMEOUT = 1000;

/**
 * Reads what a handler left of a body, where workerd itself has the connection, as on the machine of a developer: it
 * closes it behind such an answer, and `wrangler dev` then fails the next request, and ends. Cloudflare's network, which
 * names each request, does not need it. What is read is a copy of at most 16 MiB, since the answer may read the body while it
 * is sent. Code that has taken the stream out of its request, and reads it first behind its answer, finds it locked there.
 *
 * @param request The request that the handler was given.
 * @param response The answer, of which nothing is sent.
 */
export async function readRest(request: Request, response: Response): Promise<void> {
  const { body, headers } = request;
  if (body === null || body === response.body || headers.has("cf-ray")) return;
  if (globalThis.navigator?.userAgent !== "Cloudflare-Workers") return;
  try {
    // As behind a refusal, with its bounds: nothing is sent of that answer.
    await drainBody(request.clone(), new Response(null, { status: 413 }), REST_TIMEOUT);
  } catch {
    // Somebody reads it, or the client has gone.
  }
}

/**
 * Adds the checks to the object itself: a `Request` made from it has only the platform's own
 * behaviour.
 */
function judge(request: Request): Request {
  judgeReading(request, "json", "The body is not JSON");
  judgeReading(request, "formData", "The body is not the form that it claims to be");
  const clone = request.clone.bind(request);
  Object.defineProperty(request, "clone", { configurable: true, value: () => judge(clone()) });
  return request;
}

function judgeReading(request: Request, name: "json" | "formData", message: string): void {
  const read = request[name].bind(request);
  Object.defineProperty(request, name, {
    configurable: true,
    async value() {
      // Reading a body twice is a mistake of the application.
      if (request.bodyUsed) return await read();
      const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
      if (name === "formData" && !FORMS.includes(type ?? "")) {
        throw new RequestError("Send a form", { code: "UNSUPPORTED_MEDIA_TYPE" });
      }
      try {
        return await read();
      } catch (cause) {
        throw isAuthError(cause) ? cause : new RequestError(message, { cause });
      }
    },
  });
}
