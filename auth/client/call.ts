import type { AuthClientFailure } from "./client_error.ts";

/** Where the endpoints are, and what calls them. */
export interface AuthClientOptions {
  /** The `basePath` of the server's options. Default "/auth". */
  basePath?: string;
  /** What sends the requests. Default: the platform's `fetch`. */
  fetch?: typeof fetch;
}

/** What an endpoint answered. */
export type Reply =
  | { ok: true; body: Record<string, unknown> | null; at: number }
  | { ok: false; error: AuthClientFailure };

// Nobody is kept waiting for a server that does not answer.
const TIMEOUT = 15_000;

/** Where the endpoints are. */
export function basePathOf({ basePath = "/auth" }: AuthClientOptions): string {
  return basePath;
}

/** What is told when nothing came back. */
export function unreachable(): Reply & { ok: false } {
  const message = "The server cannot be reached. Check the connection and try again.";
  return { ok: false, error: { code: "NETWORK_ERROR", message, status: 0 } };
}

/** What is told of a response that is an error, or is no answer of the library at all. */
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
      signal: AbortSignal.timeout(TIMEOUT),
      ...(fields !== undefined && { method: "POST", body: JSON.stringify(fields) }),
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
