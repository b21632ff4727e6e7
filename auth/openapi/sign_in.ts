/**
 * Descriptions of the endpoints of sessions and of the ways to sign in.
 *
 * @module
 */

import { CALLBACK, type Operations } from "./operation.ts";

const PASSWORD = "The password.";
const TOKEN = "Token of the link.";
const MAILED = { "sent?": '"again" after a mail was sent once more.' };
const CREDENTIAL = "What the browser returned, as JSON in a text.";
const REFUSED = ["USER_UNAVAILABLE", "ACCESS_DENIED"];
const FACTOR_GONE = ["UNAUTHENTICATED", "SECOND_FACTOR_OVER", "SECOND_FACTOR_REQUIRED"];
const NEW_PASSWORD = ["INVALID_PASSWORD", "OVERLOADED"];

/** Endpoints that every application has, and the pages of those with a theme. */
export const SESSION_OPERATIONS: Operations = {
  "GET /session": {
    id: "getSession",
    summary: "Returns the session, or null for a visitor.",
    json: "SessionOrNull",
  },
  "POST /session": {
    id: "updateSession",
    summary: "Renews the session, with what the `jwt` callback makes of the body.",
    fields: {},
    json: "SessionOrNull",
  },
  "POST /signout": {
    id: "signOut",
    summary: "Ends the session.",
    fields: CALLBACK,
    json: "SignedOut",
    redirect: true,
  },
  "GET /providers": {
    id: "listProviders",
    summary: "Lists the ways to sign in.",
    json: "Providers",
  },
  "GET /signin": {
    id: "showSignIn",
    summary: "Shows the page to sign in.",
    query: { ...CALLBACK, "error?": "Code of an error to show." },
    page: true,
    redirect: true,
  },
  "GET /signout": {
    id: "showSignOut",
    summary: "Asks if the user wants to sign out.",
    query: CALLBACK,
    page: true,
    redirect: true,
  },
  "GET /error": {
    id: "showError",
    summary: "Shows an error.",
    query: { ...CALLBACK, "error?": "Its code." },
    page: true,
    redirect: true,
  },
  "GET /dev/mail": {
    id: "showDevelopmentMails",
    summary: "Shows the mails that were not sent, in development alone.",
    page: true,
    codes: ["NOT_FOUND"],
  },
};

/** Endpoints of `passwords()`. */
export const PASSWORD_OPERATIONS: Operations = {
  "POST /signin": {
    id: "beginSignIn",
    summary: "Asks for the password of an address, known or not.",
    fields: { "email?": "The address.", ...CALLBACK },
    json: "Proof",
    page: true,
    codes: ["INVALID_EMAIL"],
  },
  "POST /signin/passwords": {
    id: "signInWithPassword",
    summary: "Signs in with an address and its password.",
    fields: {
      email: "The address.",
      "password?": "The password. Without it the page asks for it.",
      ...CALLBACK,
    },
    json: "SignedIn",
    redirect: true,
    page: true,
    codes: ["INVALID_CREDENTIALS", "INVALID_EMAIL", "OVERLOADED", ...REFUSED],
  },
  "GET /signup": {
    id: "showSignUp",
    summary: "Shows the page to sign up.",
    query: { ...CALLBACK, "error?": "Code of an error to show." },
    page: true,
    redirect: true,
  },
  "POST /signup": {
    id: "signUp",
    summary: "Creates an account with a password.",
    fields: { email: "The address.", password: PASSWORD, "name?": "Name to show.", ...CALLBACK },
    json: "SignedInOrNext",
    redirect: true,
    codes: [
      "INVALID_EMAIL",
      "INVALID_NAME",
      "USER_EXISTS",
      "EMAIL_NOT_SENT",
      ...NEW_PASSWORD,
      ...REFUSED,
    ],
  },
  "GET /signup/sent": {
    id: "showSignUpSent",
    summary: "Says that a mail is on its way.",
    query: MAILED,
    page: true,
    redirect: true,
  },
  "POST /signup/resend": {
    id: "resendSignUp",
    summary: "Sends the mail of the sign-up once more.",
    fields: {},
    json: "Next",
    redirect: true,
    codes: ["EMAIL_NOT_SENT"],
  },
  "GET /signup/confirm": {
    id: "showSignUpConfirmation",
    summary: "Shows the page of the link in the mail.",
    query: { "token?": TOKEN, "ask?": '"new" to choose another password.', ...CALLBACK },
    page: true,
    redirect: true,
    codes: ["INVALID_LINK"],
  },
  "POST /signup/confirm": {
    id: "confirmSignUp",
    summary: "Proves the address of an account and signs in.",
    fields: {
      token: TOKEN,
      "password?": "The password, in another browser than that of the sign-up.",
      "ask?": '"new" when the password is another one.',
    },
    json: "SignedInOrNext",
    redirect: true,
    page: true,
    codes: [
      "INVALID_LINK",
      "INVALID_CREDENTIALS",
      "REAUTHENTICATION_REQUIRED",
      "USER_EXISTS",
      "ACCOUNT_TAKEN",
      ...NEW_PASSWORD,
      ...REFUSED,
    ],
  },
  "GET /forgot": {
    id: "showForgotPassword",
    summary: "Shows the page that asks for the address of a forgotten password.",
    query: { ...CALLBACK, "error?": "Code of an error to show." },
    page: true,
    redirect: true,
  },
  "POST /forgot": {
    id: "requestPasswordReset",
    summary: "Sends a link to a new password, where the address is known.",
    fields: {
      "email?": "The address. Default: that of the last request of this browser.",
      "again?": "Any text for the note that it was sent once more.",
      ...CALLBACK,
    },
    json: "Next",
    redirect: true,
    codes: ["INVALID_EMAIL", "EMAIL_NOT_SENT"],
  },
  "GET /forgot/sent": {
    id: "showForgotPasswordSent",
    summary: "Says that a mail is on its way, where the address is known.",
    query: MAILED,
    page: true,
    redirect: true,
  },
  "GET /reset": {
    id: "showNewPassword",
    summary: "Shows the page of the link in the mail.",
    query: { "token?": TOKEN, ...CALLBACK },
    page: true,
    redirect: true,
    codes: ["INVALID_LINK"],
  },
  "POST /reset": {
    id: "resetPassword",
    summary: "Sets a new password, and ends the sessions of its owner.",
    fields: {
      token: TOKEN,
      password: "The new password.",
      "remove-passkey-0?":
        "Any text to remove the first passkey that the page lists; so do the others.",
    },
    json: "Next",
    redirect: true,
    codes: ["INVALID_LINK", ...NEW_PASSWORD, ...REFUSED],
  },
  "GET /reset/done": {
    id: "showNewPasswordSet",
    summary: "Says that the new password holds.",
    query: { "passkeys?": "How many passkeys were removed.", ...CALLBACK },
    page: true,
    redirect: true,
  },
  "GET /account/password": {
    id: "showPasswordChange",
    summary: "Shows the page for another password.",
    signedIn: true,
    page: true,
    redirect: true,
    codes: ["UNAUTHENTICATED", "SECOND_FACTOR_REQUIRED"],
  },
  "POST /account/password": {
    id: "changePassword",
    summary: "Sets another password of the user, and ends the other sessions.",
    signedIn: true,
    fields: {
      password: "The new password.",
      "remove-passkey-0?":
        "Any text to remove the first passkey that the page lists; so do the others.",
    },
    json: "Next",
    redirect: true,
    codes: [
      "UNAUTHENTICATED",
      "REAUTHENTICATION_REQUIRED",
      "SECOND_FACTOR_REQUIRED",
      ...NEW_PASSWORD,
      "USER_CHANGED",
    ],
  },
};

/** Endpoints of `credentials()`; its fields are those of its options. */
export const CREDENTIALS_OPERATIONS: Operations = {
  "POST /signin/{provider}": {
    id: "signInWith",
    summary: "Signs in with what `authorize` accepts.",
    fields: CALLBACK,
    json: "SignedIn",
    redirect: true,
    page: true,
    codes: ["INVALID_CREDENTIALS", "ACCOUNT_TAKEN", "USER_EXISTS", "OVERLOADED", ...REFUSED],
  },
};

/** Endpoints of sign-in by mail. */
export const EMAIL_OPERATIONS: Operations = {
  "POST /signin/{provider}": {
    id: "signInWith",
    summary: "Sends a link, or a code, to an address.",
    fields: {
      email: "The address.",
      "again?": "Any text for the note that it was sent once more.",
      ...CALLBACK,
    },
    json: "SignedInOrNext",
    redirect: true,
    page: true,
    codes: ["INVALID_EMAIL", "EMAIL_NOT_SENT"],
  },
  "GET /verify-request": {
    id: "showMailSent",
    summary: "Says that a mail is on its way, and asks for its code.",
    query: MAILED,
    page: true,
    redirect: true,
  },
  "GET /callback/{provider}": {
    id: "showSignInBy",
    summary: "Shows the page of the link in the mail.",
    query: { "token?": TOKEN, "email?": "The address.", ...CALLBACK },
    page: true,
    codes: ["INVALID_LINK"],
  },
  "POST /callback/{provider}": {
    id: "finishSignInWith",
    summary: "Signs in with the token of a link.",
    fields: { token: TOKEN, email: "The address.", ...CALLBACK },
    json: "SignedIn",
    redirect: true,
    page: true,
    codes: ["INVALID_LINK", "OTHER_BROWSER", "ACCOUNT_NOT_LINKED", "USER_EXISTS", ...REFUSED],
  },
  "POST /callback/{provider}/code": {
    id: "enterCodeOf",
    summary: "Signs in with the code of a mail, in the browser that asked for it.",
    fields: { code: "The code.", "ends?": '"agreed" when other ways to sign in may end.' },
    json: "SignedIn",
    redirect: true,
    page: true,
    codes: ["INVALID_CODE", "INVALID_LINK", "ACCOUNT_NOT_LINKED", "USER_EXISTS", ...REFUSED],
  },
};

const OAUTH_FAILURES = [
  "OAUTH_STATE_MISSING",
  "OAUTH_STATE_UNKNOWN",
  "OAUTH_STATE_EXPIRED",
  "OAUTH_STATE_FOREIGN",
  "OAUTH_DENIED",
  "OAUTH_PROVIDER_ERROR",
  "OAUTH_RESPONSE_INVALID",
  "OAUTH_PROFILE_INVALID",
  "OAUTH_UNAVAILABLE",
  "OAUTH_LINK_SESSION",
  "ACCOUNT_NOT_LINKED",
  "ACCOUNT_TAKEN",
  "USER_EXISTS",
  "UNAUTHENTICATED",
  "REAUTHENTICATION_REQUIRED",
  "SECOND_FACTOR_REQUIRED",
  ...REFUSED,
];
const ANSWER = {
  "state?": "The state of the request.",
  "code?": "The authorization code.",
  "iss?": "The issuer (RFC 9207).",
  "error?": "What the provider refused (RFC 6749, 4.1.2.1).",
};

/** Endpoints of an OAuth 2.0 or OpenID Connect provider. */
export const OAUTH_OPERATIONS: Operations = {
  "POST /signin/{provider}": {
    id: "signInWith",
    summary: "Begins a sign-in at the provider.",
    fields: { "intent?": '"link" to link the account to the user who is signed in.', ...CALLBACK },
    json: "SignedInOrNext",
    redirect: true,
    page: true,
    codes: OAUTH_FAILURES,
  },
  "GET /signin/{provider}": {
    id: "openSignInWith",
    summary: "Begins a sign-in at the only provider there is, for a link to the page to sign in.",
    query: CALLBACK,
    redirect: true,
    json: "SignedInOrNext",
    codes: ["METHOD_NOT_ALLOWED", "OAUTH_UNAVAILABLE", "OAUTH_RESPONSE_INVALID"],
  },
  "GET /callback/{provider}": {
    id: "returnFrom",
    summary: "Finishes a sign-in: the provider sends the browser here.",
    query: ANSWER,
    json: "SignedIn",
    redirect: true,
    codes: OAUTH_FAILURES,
  },
  "POST /callback/{provider}": {
    id: "finishSignInWith",
    summary: "Finishes a sign-in with a provider that answers by a form (`form_post`).",
    fields: ANSWER,
    json: "SignedIn",
    redirect: true,
    codes: OAUTH_FAILURES,
  },
  "DELETE /accounts/{provider}/{id}": {
    id: "unlinkAccountOf",
    summary: "Unlinks an account of the user at the provider.",
    signedIn: true,
    fields: {},
    empty: true,
    codes: [
      "UNAUTHENTICATED",
      "REAUTHENTICATION_REQUIRED",
      "SECOND_FACTOR_REQUIRED",
      "NOT_FOUND",
      "LAST_WAY_IN",
    ],
  },
};

/** Endpoints of `passkey()`. */
export const PASSKEY_OPERATIONS: Operations = {
  "POST /passkey/options/authenticate": {
    id: "preparePasskeySignIn",
    summary: "Returns what the browser needs to sign in with a passkey.",
    fields: {
      "reauthenticate?": '"true" for another proof of the user who is signed in.',
    },
    json: "PasskeyRequest",
    codes: ["UNAUTHENTICATED"],
  },
  "POST /signin/passkey": {
    id: "signInWithPasskey",
    summary: "Signs in with a passkey.",
    fields: { credential: CREDENTIAL, ...CALLBACK },
    json: "SignedIn",
    redirect: true,
    page: true,
    codes: [
      "PASSKEY_REFUSED",
      "PASSKEY_UNKNOWN",
      "PASSKEY_UNVERIFIED",
      "PASSKEY_EXPIRED",
      ...REFUSED,
    ],
  },
  "POST /passkey/options/register": {
    id: "preparePasskey",
    summary: "Returns what the browser needs to make a passkey: for the user, or for a new one.",
    fields: { "name?": "Name of a new user." },
    json: "PasskeyCreation",
    codes: [
      "UNAUTHENTICATED",
      "REAUTHENTICATION_REQUIRED",
      "SECOND_FACTOR_REQUIRED",
      "PASSKEY_NOT_ADDED",
      "INVALID_NAME",
      "USER_UNAVAILABLE",
    ],
  },
  "POST /passkey/options/automatic": {
    id: "preparePasskeyUpgrade",
    summary:
      "Returns what the browser needs to make a passkey after a sign-in with a password; null for no passkey.",
    fields: {},
    json: "PasskeyCreationOrNull",
  },
  "POST /passkey/register": {
    id: "addPasskey",
    summary: "Adds a passkey to the user, or to a new one who is signed in with it.",
    fields: { credential: CREDENTIAL, "passkeyName?": "Name of the passkey.", ...CALLBACK },
    json: "PasskeyAdded",
    redirect: true,
    codes: [
      "PASSKEY_NOT_ADDED",
      "PASSKEY_EXPIRED",
      "PASSKEY_UNVERIFIED",
      "ACCOUNT_TAKEN",
      "INVALID_NAME",
      "SECOND_FACTOR_REQUIRED",
      ...REFUSED,
    ],
  },
  "GET /passkey/accepted": {
    id: "listAcceptedPasskeys",
    summary: "Returns what the password manager of the user is told; null where nothing is.",
    signedIn: true,
    json: "AcceptedPasskeys",
    codes: ["UNAUTHENTICATED"],
  },
  "GET /passkeys": {
    id: "listPasskeys",
    summary: "Lists the passkeys of the user.",
    signedIn: true,
    json: "Passkeys",
    codes: ["UNAUTHENTICATED"],
  },
  "PATCH /passkeys/{id}": {
    id: "renamePasskey",
    summary: "Names a passkey of the user.",
    signedIn: true,
    fields: { "name?": "Its name. Default: none." },
    empty: true,
    codes: ["UNAUTHENTICATED", "NOT_FOUND", "INVALID_NAME"],
  },
  "DELETE /passkeys/{id}": {
    id: "removePasskey",
    summary: "Removes a passkey of the user.",
    signedIn: true,
    fields: {},
    empty: true,
    codes: [
      "UNAUTHENTICATED",
      "REAUTHENTICATION_REQUIRED",
      "SECOND_FACTOR_REQUIRED",
      "NOT_FOUND",
      "LAST_WAY_IN",
    ],
  },
  "GET /passkey.js": {
    id: "getPasskeyScript",
    summary: "Returns the script of the pages that ask for a passkey.",
    media: "text/javascript",
  },
  "GET /passkey/remove": {
    id: "showPasskeyRemoval",
    summary: "Shows the page of the link in the mail about a new passkey.",
    query: { "token?": TOKEN },
    page: true,
    codes: ["INVALID_LINK"],
  },
  "POST /passkey/remove": {
    id: "removePasskeyByLink",
    summary: "Removes the passkey that a mail was about.",
    fields: { token: TOKEN },
    page: true,
    empty: true,
    codes: ["INVALID_LINK"],
  },
};

/** Endpoints of `secondFactor()`. */
export const SECOND_FACTOR_OPERATIONS: Operations = {
  "GET /second-factor": {
    id: "showSecondFactor",
    summary:
      "Tells how the second factor can be proved, or makes a secret for it where it is required.",
    query: { ...CALLBACK, "way?": '"recovery" for a recovery code.' },
    json: "SecondFactorStep",
    page: true,
    redirect: true,
    codes: ["UNAUTHENTICATED", "SECOND_FACTOR_OVER", "SECOND_FACTOR_UNPROVED_EMAIL"],
  },
  "POST /second-factor": {
    id: "proveSecondFactor",
    summary: "Proves the second factor, which finishes the sign-in.",
    fields: {
      "code?": "Code of the authenticator app, or a recovery code.",
      "credential?": `In place of the code, a passkey: ${CREDENTIAL}`,
      "trust?": '"yes" to ask no more in this browser.',
      "setUp?": "What came with the secret, where it is set up.",
      "way?": '"recovery" where a page asks for a recovery code.',
      ...CALLBACK,
    },
    json: "SignedIn",
    page: true,
    redirect: true,
    codes: [
      "UNAUTHENTICATED",
      "SECOND_FACTOR_WRONG",
      "SECOND_FACTOR_OVER",
      "SECOND_FACTOR_TRIES_OVER",
      "SECOND_FACTOR_CLOSED",
      "SECOND_FACTOR_CHANGED",
      "SECOND_FACTOR_UNPROVED_EMAIL",
      "PASSKEY_REFUSED",
      "PASSKEY_UNKNOWN",
      "PASSKEY_UNVERIFIED",
      "PASSKEY_EXPIRED",
      ...REFUSED,
    ],
  },
  "POST /passkey/options/second-factor": {
    id: "preparePasskeyFactor",
    summary: "Returns what the browser needs to prove the second factor by a passkey.",
    fields: {},
    json: "PasskeyRequest",
    redirect: true,
    codes: ["UNAUTHENTICATED", "SECOND_FACTOR_OVER", "SECOND_FACTOR_WRONG", "NOT_FOUND"],
  },
  "GET /second-factor/setup": {
    id: "getSecondFactor",
    summary: "Tells if the second factor is on, or makes a secret for it.",
    signedIn: true,
    query: { "replace?": '"yes" for another secret in place of the one that holds.', ...CALLBACK },
    json: "SecondFactor",
    page: true,
    redirect: true,
    codes: [
      ...FACTOR_GONE,
      "REAUTHENTICATION_REQUIRED",
      "SECOND_FACTOR_UNPROVED_EMAIL",
    ],
  },
  "POST /second-factor/setup": {
    id: "turnOnSecondFactor",
    summary: "Turns the second factor on, with the first code of the app.",
    signedIn: true,
    fields: {
      code: "Code of the authenticator app.",
      setUp: "What came with the secret.",
      ...CALLBACK,
    },
    json: "RecoveryCodes",
    page: true,
    redirect: true,
    codes: [
      ...FACTOR_GONE,
      "REAUTHENTICATION_REQUIRED",
      "SECOND_FACTOR_UNPROVED_EMAIL",
      "SECOND_FACTOR_CHANGED",
      "SECOND_FACTOR_WRONG",
      "USER_UNAVAILABLE",
    ],
  },
  "POST /second-factor/setup/codes": {
    id: "replaceRecoveryCodes",
    summary: "Makes new recovery codes; the old ones end.",
    signedIn: true,
    fields: {},
    json: "RecoveryCodes",
    page: true,
    redirect: true,
    codes: [...FACTOR_GONE, "REAUTHENTICATION_REQUIRED", "SECOND_FACTOR_CHANGED"],
  },
  "POST /second-factor/setup/off": {
    id: "turnOffSecondFactor",
    summary: "Turns the second factor off.",
    signedIn: true,
    fields: {},
    json: "SecondFactorOff",
    redirect: true,
    codes: [
      ...FACTOR_GONE,
      "REAUTHENTICATION_REQUIRED",
      "SECOND_FACTOR_CHANGED",
      "FORBIDDEN",
    ],
  },
  "POST /second-factor/setup/browsers": {
    id: "endTrustedBrowsers",
    summary: "Asks for the second factor again in browsers that were trusted.",
    signedIn: true,
    fields: { "id?": "Id of one browser. Default: all." },
    json: "EndedBrowsers",
    redirect: true,
    codes: [...FACTOR_GONE, "REAUTHENTICATION_REQUIRED", "SECOND_FACTOR_CHANGED"],
  },
  "GET /second-factor/recovery": {
    id: "getRecovery",
    summary: "Tells how the request to sign in without the second factor stands.",
    query: CALLBACK,
    json: "Recovery",
    page: true,
    redirect: true,
    codes: ["UNAUTHENTICATED", "SECOND_FACTOR_OVER", "SECOND_FACTOR_RECOVERY_REFUSED"],
  },
  "POST /second-factor/recovery": {
    id: "requestRecovery",
    summary: "Asks to sign in without the second factor, after the delay.",
    fields: CALLBACK,
    json: "Recovery",
    page: true,
    redirect: true,
    codes: [
      "UNAUTHENTICATED",
      "SECOND_FACTOR_OVER",
      "SECOND_FACTOR_RECOVERY_REFUSED",
      "EMAIL_NOT_SENT",
    ],
  },
  "POST /second-factor/recovery/finish": {
    id: "finishRecovery",
    summary: "Turns the second factor off after the delay, and signs in.",
    fields: CALLBACK,
    json: "SignedIn",
    page: true,
    redirect: true,
    codes: [
      "UNAUTHENTICATED",
      "SECOND_FACTOR_OVER",
      "SECOND_FACTOR_RECOVERY_EARLY",
      "SECOND_FACTOR_RECOVERY_REFUSED",
      ...REFUSED,
    ],
  },
  "GET /second-factor/recovery/cancel": {
    id: "showRecoveryCancellation",
    summary: "Shows the page of the link in the mail.",
    query: { "request?": "Id of the request.", "token?": TOKEN },
    page: true,
    codes: ["INVALID_LINK"],
  },
  "POST /second-factor/recovery/cancel": {
    id: "cancelRecovery",
    summary: "Cancels the request: with the token of a mail, or of the user who is signed in.",
    fields: { "request?": "Id of the request.", "token?": TOKEN },
    json: "Cancelled",
    page: true,
    redirect: true,
    codes: ["INVALID_LINK", "UNAUTHENTICATED"],
  },
};

/** Endpoints of sessions that are bound to a device, which browsers call by themselves. */
export const DEVICE_OPERATIONS: Operations = {
  "POST /device/start": {
    id: "bindSession",
    summary: "Binds the session to a key of the device.",
    fields: {},
    json: "Device",
  },
  "POST /device/refresh": {
    id: "refreshBoundSession",
    summary: "Renews the short cookie of a bound session.",
    fields: {},
    json: "Device",
  },
};
