import { knownErrorMessage } from "./error_messages.ts";
import { markup } from "./html.ts";
import { pageResponse } from "./page.ts";
import type { PublicError } from "./contracts.ts";

const TITLES: ReadonlyMap<number, string> = new Map([
  [401, "Sign in first"],
  [403, "Not allowed"],
  [404, "Not found"],
  [429, "Too many attempts"],
  [503, "Try again in a moment"],
]);

/** The built-in page for an error that has just happened. */
export function failedPage({ status, code, message, requestId }: PublicError): Response {
  return pageResponse({
    title: TITLES.get(status) ?? (status >= 500 ? "Something went wrong" : "This did not work"),
    status,
    body: markup`<p class="alert">${status >= 500 && knownErrorMessage(code) || message}</p>
${requestId !== undefined && markup`<p class="quiet">Request ${requestId}</p>`}
<p><a href="/">Go to the start page</a></p>`,
  });
}
