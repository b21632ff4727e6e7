const startAgain = "This sign-in took too long or began elsewhere. Please start again.";

/** Messages of the sign-in page, by the error code in its address. */
const messages: Record<string, string> = {
  INVALID_CREDENTIALS: "That email or password is wrong.",
  REAUTHENTICATION_REQUIRED: "Please sign in once more: this is to be sure that it is you.",
  RATE_LIMITED: "There have been too many attempts. Please try again later.",
  RATE_LIMITED_ACCOUNT:
    "There have been too many attempts for this account. Sign in by a link, or set a new password.",
  INVALID_EMAIL: "This is not an email address.",
  INVALID_LINK: "This link does not hold any more. Please ask for a new one.",
  EMAIL_NOT_SENT: "We could not send the email. Please try again in a moment.",
  ACCOUNT_NOT_LINKED: "This address has an account already. Sign in as you did before.",
  USER_UNAVAILABLE: "This account cannot sign in.",
  ACCESS_DENIED: "You are not allowed to sign in.",
  OAUTH_DENIED: "The sign-in was cancelled.",
  OAUTH_UNAVAILABLE: "The other site does not answer. Please try again in a moment.",
  OAUTH_STATE_MISSING: startAgain,
  OAUTH_STATE_UNKNOWN: startAgain,
  OAUTH_STATE_EXPIRED: startAgain,
  OAUTH_STATE_FOREIGN: startAgain,
  PASSKEY_REFUSED: "This passkey does not work here. Please try another one.",
  PASSKEY_EXPIRED: "That took too long. Please try again.",
};

/** The sentence for a code; none of it comes from the address itself. */
export function signInMessage(code: string): string {
  return Object.hasOwn(messages, code)
    ? messages[code]!
    : "Signing in did not work. Please try again.";
}

/** Confirmations of the sign-in page. */
const done: Record<string, string> = {
  password: "Your new password is set. Sign in with it.",
  joined: "You are a member of the team now. Sign in to see it.",
  // The same for an address that had an account: who has it gets a mail.
  signup:
    "Sign in with your password. Had the address an account already, its owner has a mail now.",
};

/** The sentence for what has been done; none of it comes from the address itself. */
export function doneMessage(what: string | undefined): string | undefined {
  return what !== undefined && Object.hasOwn(done, what) ? done[what] : undefined;
}
