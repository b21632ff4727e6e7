import { findRequest } from "../request/request_store.ts";
import { respondToError } from "./respond_to_error.ts";

/** The response to an error by whatever stands in front of the application, with the application's pages. */
export function answerError(error: unknown, request: Request): Response {
  const theme = findRequest()?.auth.settings.pages.theme ?? null;
  return respondToError(error, request, { theme });
}
