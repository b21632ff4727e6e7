// The only codes that a page shows when an address names them. Whatever else stands there is not shown.
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["UNAUTHENTICATED", "Sign in to continue."],
  ["FORBIDDEN", "You are not allowed to do this."],
  ["INVALID_CREDENTIALS", "Those credentials are not right. Check them and try again."],
  ["ACCESS_DENIED", "You are not allowed to sign in."],
  ["SESSION_EXPIRED", "Your session has expired. Sign in again."],
  ["USER_UNAVAILABLE", "This account cannot sign in."],
  ["USER_EXISTS", "There is already an account with these details."],
  ["INVALID_EMAIL", "This is not an e-mail address."],
  ["BAD_REQUEST", "Fill in every required field and try again."],
  ["CROSS_SITE_REQUEST", "This request came from another site and was refused."],
  ["OVERLOADED", "We are busy right now. Try again in a moment."],
  ["STORAGE_UNAVAILABLE", "We cannot do this right now. Try again in a moment."],
]);

/** The sentence for a code that an address names, or null for a code that is not known. */
export function knownErrorMessage(code: string | null): string | null {
  return code === null ? null : MESSAGES.get(code) ?? null;
}

/** What a client is told about a failure of the server: nothing of its inside. */
export function serverErrorMessage(code: string): string {
  return MESSAGES.get(code) ?? "Something went wrong on our side. Try again in a moment.";
}
