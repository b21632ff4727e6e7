/**
 * Descriptions of the endpoints that are for administrators.
 *
 * @module
 */

import { CALLBACK, type Operations } from "./operation.ts";

const USER = { id: "Id of the user." };
const CODES = [
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "SECOND_FACTOR_REQUIRED",
  "REAUTHENTICATION_REQUIRED",
];
const CHANGE = {
  signedIn: true,
  json: "UserChanged" as const,
  redirect: true,
  codes: [...CODES, "NOT_FOUND", "USER_CHANGED"],
};

/** Endpoints of `adminPage()` and `impersonation()`. */
export const ADMINISTRATION_OPERATIONS: Operations = {
  "GET /admin": {
    id: "showUsers",
    summary: "Lists users.",
    signedIn: true,
    query: {
      "search?": "Part of a name or an address.",
      "role?": "A role that they have.",
      "after?": "Where the page of users begins.",
      "done?": "What was done.",
    },
    page: true,
    redirect: true,
    codes: CODES,
  },
  "GET /admin/user": {
    id: "showUser",
    summary: "Shows a user.",
    signedIn: true,
    query: { "id?": "Id of the user.", "done?": "What was done." },
    page: true,
    redirect: true,
    codes: [...CODES, "NOT_FOUND"],
  },
  "GET /admin/user/delete": {
    id: "showUserDeletion",
    summary: "Asks if a user is to be deleted.",
    signedIn: true,
    query: { "id?": "Id of the user." },
    page: true,
    redirect: true,
    codes: [...CODES, "NOT_FOUND"],
  },
  "POST /admin/user/roles": {
    ...CHANGE,
    id: "setUserRoles",
    summary: "Changes roles of a user.",
    fields: {
      ...USER,
      shown: "The roles that the page showed, as a list of JSON.",
      "role-0?": "Any text for the first of them; so do the others.",
    },
  },
  "POST /admin/user/sessions/end": {
    ...CHANGE,
    id: "endUserSessions",
    summary: "Ends the sessions of a user.",
    fields: { ...USER, "session?": "Id of one session. Default: all." },
  },
  "POST /admin/user/reset": {
    ...CHANGE,
    id: "sendUserPasswordReset",
    summary: "Sends a link to a new password.",
    fields: USER,
    codes: [...CHANGE.codes, "EMAIL_NOT_SENT"],
  },
  "POST /admin/user/disable": {
    ...CHANGE,
    id: "disableUser",
    summary: "Disables a user.",
    fields: USER,
  },
  "POST /admin/user/enable": {
    ...CHANGE,
    id: "enableUser",
    summary: "Enables a user.",
    fields: USER,
  },
  "POST /admin/user/recover": {
    ...CHANGE,
    id: "recoverUser",
    summary: "Ends password, passkeys and connected accounts of a disabled user, and enables them.",
    fields: USER,
  },
  "POST /admin/user/delete": {
    ...CHANGE,
    id: "deleteUser",
    summary: "Deletes a user.",
    fields: USER,
  },
  "POST /impersonation": {
    id: "impersonate",
    summary: "Acts for a user in this browser, for a while.",
    signedIn: true,
    fields: {
      id: "Id of the user.",
      reason: "Reason, for the trail of changes.",
      "for?": 'Seconds for which it lasts. Default "900".',
      ...CALLBACK,
    },
    json: "Impersonation",
    redirect: true,
    codes: ["RATE_LIMITED", ...CODES, "NOT_FOUND", "USER_UNAVAILABLE"],
  },
};
