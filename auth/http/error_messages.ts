const OAUTH_STATE = "This sign-in took too long or began elsewhere. Start again.";
const OAUTH_FAILED = "The other site could not sign you in. Try again in a moment.";

// The only codes that a page shows when an address names them. Whatever else stands there is not shown.
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["UNAUTHENTICATED", "Sign in to continue."],
  ["REAUTHENTICATION_REQUIRED", "Sign in once more to continue."],
  ["FORBIDDEN", "You are not allowed to do this."],
  ["INVALID_CREDENTIALS", "That email or password is wrong."],
  ["ACCESS_DENIED", "You are not allowed to sign in."],
  ["SESSION_EXPIRED", "Your session has expired. Sign in again."],
  ["USER_UNAVAILABLE", "This account cannot sign in."],
  ["USER_EXISTS", "There is already an account with these details."],
  ["INVALID_EMAIL", "This is not an e-mail address."],
  ["INVALID_NAME", "A name has at most 256 characters, and no control characters."],
  [
    "INVALID_IMAGE",
    "The address of a picture begins with https:// and has at most 2,048 characters.",
  ],
  ["INVALID_LINK", "This link is not valid any more. Ask for a new one."],
  ["INVALID_CODE", "This code is not right, or not valid any more."],
  ["OTHER_BROWSER", "Open the link in the browser in which you asked for it."],
  ["EMAIL_NOT_SENT", "We could not send the e-mail. Try again in a moment."],
  ["RATE_LIMITED", "There have been too many attempts. Try again later."],
  [
    "RATE_LIMITED_ACCOUNT",
    "There have been too many attempts to sign in to this account. Sign in by a link in an e-mail, or set a new password.",
  ],
  ["ACCOUNT_TAKEN", "This account belongs to another user already."],
  [
    "ACCOUNT_NOT_LINKED",
    "There is already an account with this address. Sign in the way you did before, then link this one.",
  ],
  ["LAST_WAY_IN", "This is your only way to sign in: add another one first."],
  ["PASSKEY_REFUSED", "This passkey does not work here. Try another one."],
  ["PASSKEY_NOT_ADDED", "This passkey could not be added. Try again."],
  ["PASSKEY_EXPIRED", "That took too long. Try again."],
  ["OAUTH_STATE_MISSING", OAUTH_STATE],
  ["OAUTH_STATE_UNKNOWN", OAUTH_STATE],
  ["OAUTH_STATE_EXPIRED", OAUTH_STATE],
  ["OAUTH_STATE_FOREIGN", OAUTH_STATE],
  ["OAUTH_LINK_SESSION", OAUTH_STATE],
  ["OAUTH_DENIED", "The sign-in was cancelled."],
  ["OAUTH_PROVIDER_ERROR", OAUTH_FAILED],
  ["OAUTH_RESPONSE_INVALID", OAUTH_FAILED],
  ["OAUTH_PROFILE_INVALID", OAUTH_FAILED],
  ["OAUTH_UNAVAILABLE", OAUTH_FAILED],
  ["BAD_REQUEST", "Fill in every required field and try again."],
  ["CROSS_SITE_REQUEST", "This request came from another site and was refused."],
  ["OVERLOADED", "We are busy right now. Try again in a moment."],
  ["STORAGE_UNAVAILABLE", "We cannot do this right now. Try again in a moment."],
]);

/** The sentence for a code that an address names, or null for a code that is not known. */
export function knownErrorMessage(code: string | null): string | null {
  return code === null ? null : MESSAGES.get(code) ?? null;
}
