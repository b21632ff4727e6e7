/**
 * Descriptions of the endpoints of a user's own account, of API keys and of teams.
 *
 * @module
 */

import { CALLBACK, type Operations } from "./operation.ts";

const FRESH = ["UNAUTHENTICATED", "REAUTHENTICATION_REQUIRED", "SECOND_FACTOR_REQUIRED"];

/** Endpoints of sessions and linked accounts, which programs use, and of the account page. */
export const ACCOUNT_OPERATIONS: Operations = {
  "GET /sessions": {
    id: "listSessions",
    summary: "Lists the sessions of the user.",
    signedIn: true,
    json: "Sessions",
    codes: ["UNAUTHENTICATED"],
  },
  "DELETE /sessions": {
    id: "endOtherSessions",
    summary: "Ends all other sessions of the user.",
    signedIn: true,
    fields: {},
    empty: true,
    codes: ["UNAUTHENTICATED"],
  },
  "DELETE /sessions/{id}": {
    id: "endSession",
    summary: "Ends a session of the user.",
    signedIn: true,
    fields: {},
    empty: true,
    codes: ["UNAUTHENTICATED", "NOT_FOUND"],
  },
  "GET /accounts": {
    id: "listAccounts",
    summary: "Lists the accounts of providers that the user has linked.",
    signedIn: true,
    json: "Accounts",
    codes: ["UNAUTHENTICATED"],
  },
  "GET /account": {
    id: "showAccount",
    summary: "Shows the account of the user.",
    signedIn: true,
    query: { "done?": "What was done.", "error?": "Code of an error to show." },
    page: true,
    redirect: true,
  },
  "POST /account/profile": {
    id: "saveProfile",
    summary: "Saves the name and the picture of the user.",
    signedIn: true,
    fields: { name: "The name; empty for none.", image: "Address of the picture; empty for none." },
    redirect: true,
    codes: ["UNAUTHENTICATED", "INVALID_NAME", "INVALID_IMAGE"],
  },
  "POST /account/sessions/end": {
    id: "endSessionByForm",
    summary: "Ends a session of the user.",
    signedIn: true,
    fields: { id: "Id of the session." },
    redirect: true,
  },
  "POST /account/sessions/end-others": {
    id: "endOtherSessionsByForm",
    summary: "Ends all other sessions of the user.",
    signedIn: true,
    fields: {},
    redirect: true,
  },
  "POST /account/unlink": {
    id: "unlinkAccountByForm",
    summary: "Unlinks an account of the user.",
    signedIn: true,
    fields: { provider: "Id of the provider.", providerAccountId: "Id of the account there." },
    redirect: true,
    codes: [...FRESH, "LAST_WAY_IN"],
  },
  "POST /account/passkeys/rename": {
    id: "renamePasskeyByForm",
    summary: "Names a passkey of the user.",
    signedIn: true,
    fields: { id: "Id of the passkey.", name: "Its name; empty for none." },
    redirect: true,
    codes: ["INVALID_NAME"],
  },
  "POST /account/passkeys/remove": {
    id: "removePasskeyByForm",
    summary: "Removes a passkey of the user.",
    signedIn: true,
    fields: { id: "Id of the passkey." },
    redirect: true,
    codes: [...FRESH, "LAST_WAY_IN"],
  },
  "POST /account/export": {
    id: "exportAccount",
    summary: "Returns a copy of what is stored about the user.",
    signedIn: true,
    fields: {},
    json: "Export",
    redirect: true,
    codes: FRESH,
  },
  "GET /account/delete": {
    id: "showAccountDeletion",
    summary: "Asks if the user wants to delete the account.",
    signedIn: true,
    page: true,
    redirect: true,
    codes: [...FRESH, "LAST_OWNER"],
  },
  "POST /account/delete": {
    id: "deleteAccount",
    summary: "Deletes the account of the user.",
    signedIn: true,
    fields: {},
    redirect: true,
    codes: [...FRESH, "LAST_OWNER"],
  },
  "POST /account/email": {
    id: "changeEmail",
    summary: "Sends links that agree to another address.",
    signedIn: true,
    fields: { email: "The new address." },
    redirect: true,
    codes: [...FRESH, "INVALID_EMAIL", "EMAIL_NOT_SENT"],
  },
  "GET /account/email/confirm": {
    id: "showEmailChange",
    summary: "Shows the page of a link in a mail.",
    query: {
      "part?": "Which of the two addresses it was sent to.",
      "token?": "Token of the link.",
    },
    page: true,
    codes: ["INVALID_LINK"],
  },
  "POST /account/email/confirm": {
    id: "confirmEmailChange",
    summary: "Agrees to another address.",
    fields: { part: "Which of the two addresses it was sent to.", token: "Token of the link." },
    page: true,
    codes: ["INVALID_LINK", "USER_EXISTS"],
  },
  "POST /impersonation/end": {
    id: "endImpersonation",
    summary:
      "Ends the impersonation in this browser, or with an id one of the user who is signed in.",
    fields: { "id?": "Id of the impersonation.", ...CALLBACK },
    json: "ImpersonationEnded",
    redirect: true,
    codes: ["UNAUTHENTICATED"],
  },
};

const TENANT = { "tenant?": "Id of the team. Default: keys of the user." };
const KEY_CODES = [...FRESH, "FORBIDDEN", "API_KEY_REFUSED", "TENANT_NOT_FOUND"];

/** Endpoints of `apiKeys()`. */
export const API_KEY_OPERATIONS: Operations = {
  "GET /api-keys": {
    id: "listApiKeys",
    summary: "Lists the API keys of the user, or of a team.",
    signedIn: true,
    query: TENANT,
    json: "ApiKeys",
    codes: KEY_CODES,
  },
  "POST /api-keys": {
    id: "createApiKey",
    summary: "Makes an API key of the user, or of a team.",
    signedIn: true,
    fields: {
      name: "Its name.",
      "permissions?": "Names of its permissions, with spaces between. Default: those of its owner.",
      "expires?": "Its end (RFC 3339). Default: none.",
      "days?": "Its end, in days, in place of `expires`.",
      "limit?": 'Its limit, such as "60/3600" for 60 requests in an hour. Default: none.',
      ...TENANT,
      ...CALLBACK,
    },
    json: "MadeApiKey",
    page: true,
    redirect: true,
    codes: KEY_CODES,
  },
  "POST /api-keys/rotate": {
    id: "rotateApiKey",
    summary: "Makes a new key in the place of one, which goes on for a while.",
    signedIn: true,
    fields: {
      id: "Id of the key.",
      "grace?": 'Seconds for which the old one goes on. Default "86400", a day.',
      ...TENANT,
      ...CALLBACK,
    },
    json: "MadeApiKey",
    page: true,
    redirect: true,
    codes: [...KEY_CODES, "NOT_FOUND"],
  },
  "POST /api-keys/revoke": {
    id: "revokeApiKey",
    summary: "Ends an API key at once.",
    signedIn: true,
    fields: { id: "Id of the key.", ...TENANT, ...CALLBACK },
    json: "Revoked",
    redirect: true,
    codes: KEY_CODES,
  },
};

const TEAM = { team: "Slug of the team." };
const IN_TEAM = ["UNAUTHENTICATED", "TENANT_NOT_FOUND", "NOT_FOUND", "FORBIDDEN"];

/** Endpoints of `teamPage()`, whose forms are for browsers. */
export const TEAM_OPERATIONS: Operations = {
  "GET /team": {
    id: "showTeam",
    summary: "Shows a team: its members and invitations.",
    signedIn: true,
    query: {
      "team?": "Slug of the team. Default: that of the session.",
      "search?": "Part of a name or an address.",
      "after?": "Where the page of members begins.",
      "invited?": "Where the page of invitations begins.",
      "done?": "What was done.",
      "user?": "Id of whom it was done to.",
      "error?": "Code of an error to show.",
    },
    page: true,
    redirect: true,
    codes: IN_TEAM,
  },
  "POST /team/create": {
    id: "createTeam",
    summary: "Creates a team, which the user owns.",
    signedIn: true,
    fields: { name: "Its name." },
    redirect: true,
    codes: ["INVALID_TENANT", "TENANT_EXISTS"],
  },
  "POST /team/switch": {
    id: "switchTeam",
    summary: "Makes a team that of the session.",
    signedIn: true,
    fields: TEAM,
    redirect: true,
    codes: IN_TEAM,
  },
  "POST /team/invite": {
    id: "inviteMember",
    summary: "Invites an address to a team.",
    signedIn: true,
    fields: { ...TEAM, email: "The address.", role: "Role in the team." },
    redirect: true,
    codes: [...IN_TEAM, "INVALID_EMAIL", "EMAIL_NOT_SENT"],
  },
  "POST /team/invitations/resend": {
    id: "resendInvitation",
    summary: "Sends an invitation once more.",
    signedIn: true,
    fields: { ...TEAM, id: "Id of the invitation." },
    redirect: true,
    codes: [...IN_TEAM, "EMAIL_NOT_SENT"],
  },
  "POST /team/invitations/revoke": {
    id: "revokeInvitation",
    summary: "Ends an invitation.",
    signedIn: true,
    fields: { ...TEAM, id: "Id of the invitation." },
    redirect: true,
    codes: IN_TEAM,
  },
  "POST /team/members/roles": {
    id: "changeMemberRole",
    summary: "Gives a member another role.",
    signedIn: true,
    fields: { ...TEAM, user: "Id of the member.", role: "The role." },
    redirect: true,
    codes: [...IN_TEAM, "LAST_OWNER"],
  },
  "POST /team/members/remove": {
    id: "removeMember",
    summary: "Removes a member from a team.",
    signedIn: true,
    fields: { ...TEAM, user: "Id of the member." },
    redirect: true,
    codes: [...IN_TEAM, "LAST_OWNER"],
  },
  "POST /team/hand-over": {
    id: "handOverTeam",
    summary: "Makes a member the owner in the place of the user.",
    signedIn: true,
    fields: { ...TEAM, user: "Id of the member." },
    redirect: true,
    codes: IN_TEAM,
  },
  "POST /team/leave": {
    id: "leaveTeam",
    summary: "Removes the user from a team.",
    signedIn: true,
    fields: TEAM,
    redirect: true,
    codes: [...IN_TEAM, "LAST_OWNER"],
  },
  "GET /team/join": {
    id: "showInvitation",
    summary: "Shows the page of the link of an invitation.",
    query: { "token?": "Token of the link." },
    page: true,
    redirect: true,
    codes: ["INVALID_INVITATION", "INVALID_LINK"],
  },
  "POST /team/join": {
    id: "acceptInvitation",
    summary: "Makes the user a member.",
    fields: { token: "Token of the link." },
    page: true,
    redirect: true,
    codes: ["INVALID_INVITATION", "INVALID_LINK", "FORBIDDEN"],
  },
  "POST /team/join/switch": {
    id: "switchAccount",
    summary: "Signs out, to accept an invitation as somebody else.",
    fields: { token: "Token of the link." },
    redirect: true,
  },
};
