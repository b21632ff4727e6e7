/**
 * Requests to the endpoints, and their errors.
 *
 * @module
 */

/** Base path of the endpoints, and the function that calls them. */
export interface AuthClientOptions {
  /**
   * The `basePath` of the server's options, or the whole address where the server is on another origin, as in
   * `"https://api.example.com/auth"`: it names the page's origin in `trustedOrigins` and answers CORS with credentials.
   * Default "/auth".
   */
  basePath?: string;
  /** Function that sends requests, with cookies (`credentials: "include"`). Default: the platform's `fetch`. */
  fetch?: typeof fetch;
}

/** Response of an endpoint. */
export type Reply =
  | { ok: true; body: Record<string, unknown> | null; at: number }
  | { ok: false; error: AuthClientFailure };

// Times out for a server that does not answer.
const TIMEOUT = 15_000;

/** Path of the endpoints. */
export function basePathOf({ basePath = "/auth" }: AuthClientOptions): string {
  return basePath;
}

/** Failure for a request without a response. */
export function unreachable(): Reply & { ok: false } {
  const message = "The server cannot be reached. Check the connection and try again.";
  return { ok: false, error: { code: "NETWORK_ERROR", message, status: 0 } };
}

/** Failure for a response with an error status, or one that is not of this library. */
function readFailure(
  { status, headers }: Response,
  body: Partial<AuthClientFailure> | null | undefined,
): AuthClientFailure {
  const retryAfter = Number(headers.get("retry-after"));
  return {
    code: body?.code ?? "UNEXPECTED_RESPONSE",
    message: body?.message ?? "Something went wrong. Try again in a moment.",
    status,
    ...(retryAfter > 0 && { retryAfter }),
  };
}

/**
 * Calls an endpoint as a client that prefers JSON. It never throws.
 *
 * @param path Below `basePath`.
 * @param options The client's, and `fields` to post; without them it is a GET.
 */
export async function call(
  path: string,
  { fetch: send = fetch, fields, ...options }: AuthClientOptions & {
    fields?: Record<string, unknown>;
  },
): Promise<Reply> {
  let response: Response;
  let text: string;
  try {
    response = await send(basePathOf(options) + path, {
      headers: { accept: "application/json", "content-type": "application/json" },
      cache: "no-store",
      // The server may be on another origin, whose cookies go along only when asked for.
      credentials: "include",
      signal: AbortSignal.timeout(TIMEOUT),
      ...(fields && { method: "POST", body: JSON.stringify(fields) }),
    });
    text = await response.text();
  } catch {
    return unreachable();
  }
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    // A page of a proxy, or of the application where the endpoints are not.
  }
  if (!response.ok || body === undefined) return { ok: false, error: readFailure(response, body) };
  return { ok: true, body, at: Date.parse(response.headers.get("date")!) || Date.now() };
}

/** Failure with a code for programs and a message for people. */
export interface AuthClientFailure {
  /**
   * The code of the server, such as `INVALID_CREDENTIALS` or `RATE_LIMITED`; `NETWORK_ERROR` when there was no
   * answer, `UNEXPECTED_RESPONSE` when it was none of the library.
   */
  code: string;
  /** A sentence that can be shown. */
  message: string;
  /** The status of the response; 0 without one. */
  status: number;
  /** Seconds to wait before a retry, where the server sets `Retry-After`. */
  retryAfter?: number;
}

/**
 * Error of `getSession()` and `signOut()` when the state of the session is unknown: the server
 * could not be reached, or answered with an error. It has the fields of an {@linkcode
 * AuthClientFailure}.
 *
 * @example
 * ```ts
 * import { AuthClientError, getSession } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * const fetch = () => Promise.reject(new TypeError("No connection"));
 * try {
 *   await getSession({ fetch });
 * } catch (error) {
 *   if (!(error instanceof AuthClientError)) throw error;
 *   equal(error.code, "NETWORK_ERROR");
 * }
 * ```
 */
export class AuthClientError extends Error implements AuthClientFailure {
  /** `"AuthClientError"`, also in minified code, where the class has another name. */
  override readonly name = "AuthClientError";
  /** The code of the server, or `NETWORK_ERROR`. */
  declare readonly code: string;
  /** The status of the response; 0 without one. */
  declare readonly status: number;
  /** Seconds to wait before a retry, where the server sets `Retry-After`. */
  declare readonly retryAfter?: number;
  /** The same fields as one object, as `signIn()` has them in its result. */
  declare readonly failure: AuthClientFailure;

  /**
   * Makes the error. Applications catch it rather than make it.
   *
   * @param failure What went wrong; its message becomes that of the error.
   */
  constructor(failure: AuthClientFailure) {
    super(failure.message);
    Object.assign(this, failure, { failure });
  }
}
