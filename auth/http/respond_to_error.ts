import { type AuthError, isAuthError } from "../errors/auth_error.ts";
import type { OverloadedError } from "../errors/input_errors.ts";
import type { RateLimitedError } from "../errors/rate_limited_error.ts";
import type { RedirectError } from "../errors/redirect_error.ts";
import { RequestError } from "../errors/request_errors.ts";
import { prefersJson } from "./negotiate.ts";
import { SECURITY_HEADERS } from "./page.ts";
import type { PublicError, Theme } from "./contracts.ts";

/** How an error is answered. */
export interface ErrorAnswer {
  /** Names the request. Default: a random UUID. */
  requestId?: string;
  /** What makes its page. Default: the sentence alone, as plain text. */
  theme?: Pick<Theme, "failure"> | null;
}

const OUR_FAULT = "Something went wrong on our side. Try again in a moment.";
const UNKNOWN: Pick<AuthError, "status" | "code" | "message" | "publicMessage"> = {
  status: 500,
  code: "INTERNAL_ERROR",
  message: "",
};

/** Below 500 the error's own words, from there on those that are meant for clients. */
function publicError(error: unknown, requestId: string | undefined): PublicError {
  const known = isAuthError(error) && Number.isInteger(error.status) && error.status >= 400 &&
    error.status <= 599;
  const { status, code, message, publicMessage = OUR_FAULT } = known ? error : UNKNOWN;
  if (status < 500) return { status, code, message };
  return { status, code, message: publicMessage, requestId: requestId ?? crypto.randomUUID() };
}

/** Adds the headers of an error to the response about it. */
export function withErrorHeaders(response: Response, error: unknown): Response {
  const { headers } = response;
  if (error instanceof RequestError && error.allow !== undefined) headers.set("allow", error.allow);
  if (isAuthError(error) && error.code === "RATE_LIMITED") {
    const limits = (error as RateLimitedError).headers;
    for (const [name, value] of Object.entries(limits)) headers.set(name, value);
  }
  if (response.status === 503) {
    const { retryAfter = 2 } = error as Partial<OverloadedError>;
    headers.set("retry-after", String(retryAfter));
  }
  return response;
}

function json({ status, ...body }: PublicError): Response {
  return Response.json(body, { status, headers: SECURITY_HEADERS });
}

function plainText({ status, message, requestId }: PublicError): Response {
  const named = requestId === undefined ? "" : `Request ${requestId}\n`;
  return new Response(`${message}\n${named}`, {
    status,
    headers: { ...SECURITY_HEADERS, "content-type": "text/plain; charset=utf-8" },
  });
}

/** The response to an error, in the form that the client prefers. Nothing is logged here. */
export function respondToError(
  error: unknown,
  request: Request,
  { requestId, theme }: ErrorAnswer,
): Response {
  if (isRedirect(error)) return error.toResponse();
  const answer = prefersJson(request) ? json : theme?.failure ?? plainText;
  return withErrorHeaders(answer(publicError(error, requestId)), error);
}

/** Also one that another copy of the library in the bundle made. */
function isRedirect(error: unknown): error is RedirectError {
  if (!isAuthError(error) || error.code !== "REDIRECT") return false;
  return typeof (error as AuthError & { toResponse?: unknown }).toResponse === "function";
}
