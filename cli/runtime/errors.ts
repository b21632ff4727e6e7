import { errorResponse, isAuthError, RequestError } from "@framework/auth";
import { prefersJson } from "@framework/auth/convention";
import { escapeHtml } from "./document.ts";
import { InvalidInputError } from "./invalid_input.ts";
import type { ManifestRoute } from "./manifest.ts";
import { errorHeader, toErrorHeader } from "./response_headers.ts";
import { NotFoundError } from "./results.ts";
import type { PageError } from "./types.ts";

/** Called with every unexpected error. */
export type ErrorListener = (
  error: unknown,
  details: { request: Request; requestId: string },
) => void;

/** Circumstances of an error's response. */
export interface ErrorSituation {
  request: Request;
  requestId: string;
  /**
   * Default form of the error, JSON for an API route and HTML for a page, unless the Accept header
   * says otherwise.
   */
  kind: ManifestRoute["kind"];
  /** True when the response may show the error's message and stack. */
  dev: boolean;
  onError: ErrorListener;
}

/**
 * Converts a thrown value into a response. Of an unexpected error only the request id leaves the
 * worker.
 */
export function answerError(error: unknown, situation: ErrorSituation): Response {
  if (error instanceof Response) return error;
  const { request, requestId, kind, dev } = situation;
  const accept = chooseAccept(request, kind);
  const asking = new Request(request.url, { headers: { accept } });
  const response = errorResponse(asAuthError(error), asking, { requestId });
  if (!isExpected(error)) {
    situation.onError(error, { request, requestId });
    if (dev) return showError(error, { accept, requestId, response });
  }
  if (!(error instanceof InvalidInputError) || !prefersJson(asking)) return response;
  const { code, message, fields } = error;
  return Response.json({ code, message, fields }, response);
}

/** Returns the public part of an error, as in the JSON response to it. */
export async function toPageError(
  error: unknown,
  { request, requestId, dev }: ErrorSituation,
): Promise<PageError> {
  const asking = new Request(request.url, { headers: { accept: "application/json" } });
  const response = errorResponse(asAuthError(error), asking, { requestId });
  const { code, message } = await response.json() as { code: string; message: string };
  const shown = { message, status: response.status, code, requestId };
  if (!dev || isExpected(error)) return shown;
  return {
    ...shown,
    message: error instanceof Error ? error.message : textOf(error),
    stack: describeError(error),
  };
}

/** Returns true for an error that is a regular response, not a defect to investigate. */
export function isExpected(error: unknown): boolean {
  return error instanceof Response || error instanceof NotFoundError ||
    (isAuthError(error) && error.status < 500);
}

function asAuthError(error: unknown): unknown {
  if (!(error instanceof NotFoundError)) return error;
  return new RequestError(error.message, { code: error.code });
}

/**
 * Returns the Accept header that decides the form of an error: the client's own when it names one
 * of the two forms.
 */
function chooseAccept(request: Request, kind: ManifestRoute["kind"]): string {
  const accept = request.headers.get("accept") ?? "";
  if (/json|html/i.test(accept)) return accept;
  return kind === "route" ? "application/json" : "text/html";
}

function showError(
  error: unknown,
  { accept, requestId, response }: { accept: string; requestId: string; response: Response },
): Response {
  const text = describeError(error);
  const told = toErrorHeader(text);
  if (!/html/i.test(accept)) {
    response.headers.set(errorHeader, told);
    // For some clients that name neither form the production's answer is a page.
    response.headers.set("content-type", "application/json");
    const body = { code: "INTERNAL_ERROR", message: text, requestId };
    return Response.json(body, { status: 500, headers: response.headers });
  }
  const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/>` +
    `<meta name="color-scheme" content="light dark"/><title>Something went wrong</title></head>` +
    `<body><h1>Something went wrong</h1><pre>${escapeHtml(text)}</pre>` +
    `<p>Request ${escapeHtml(requestId)}</p></body></html>`;
  return new Response(html, {
    status: 500,
    headers: {
      [errorHeader]: told,
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
    },
  });
}

/** Formats an error's stack with its causes, for the log and for error pages in development. */
function describeError(error: unknown, depth = 4): string {
  if (!(error instanceof Error)) return `Thrown: ${textOf(error)}`;
  const parts = [error.stack ?? `${error.name}: ${error.message}`];
  // One may be its own cause.
  if (!depth--) return parts[0]!;
  if (error instanceof AggregateError) {
    parts.push(...error.errors.map((each) => `One of its errors: ${describeError(each, depth)}`));
  }
  const cause = isTold(error.cause, error) ? error.cause.cause : error.cause;
  if (cause !== undefined) parts.push(`Caused by: ${describeError(cause, depth)}`);
  return parts.join("\n");
}

/** Returns the text of a thrown value that is no error; it may be anything. */
export function textOf(thrown: unknown): string {
  try {
    return typeof thrown === "object" ? JSON.stringify(thrown) : String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}

/**
 * Returns true for a cause that adds nothing: its message is part of the error's, and the same function threw both.
 * D1 makes its errors so.
 */
function isTold(cause: unknown, { message, stack = "" }: Error): cause is Error {
  if (!(cause instanceof Error) || !message.includes(cause.message)) return false;
  const frames = cause.stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
  return frames.slice(1).every((frame) => stack.includes(frame));
}

/** Logs the line that the request id of a 500 response leads to. */
export const logError: ErrorListener = (error, { request, requestId }) => {
  // The query may hold tokens: only the path is logged.
  const { pathname } = new URL(request.url);
  // deno-lint-ignore no-console -- a worker's log is its console.
  console.error(`[${requestId}] ${request.method} ${pathname} failed. ${describeError(error)}`);
};
