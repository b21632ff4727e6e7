/**
 * JSON Schemas of what the endpoints answer (draft 2020-12, as OpenAPI 3.1 has it).
 *
 * @module
 */

/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | {
  readonly [key: string]: Json;
};

/** An object of JSON. */
export type JsonObject = { readonly [key: string]: Json };

const TEXT: JsonObject = { type: "string" };
const TEXT_OR_NULL: JsonObject = { type: ["string", "null"] };
const FLAG: JsonObject = { type: "boolean" };
// Generators know an enumeration better than a constant.
const TRUE: JsonObject = { type: "boolean", enum: [true] };
const FALSE: JsonObject = { type: "boolean", enum: [false] };
const COUNT: JsonObject = { type: "integer", minimum: 0 };
const TIME: JsonObject = { type: "string", format: "date-time" };
const TIME_OR_NULL: JsonObject = { type: ["string", "null"], format: "date-time" };
const TEXTS: JsonObject = { type: "array", items: TEXT };
const ANY: JsonObject = { type: "object" };

function refer(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function orNull(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: "null" }] };
}

function listOf(schema: JsonObject): JsonObject {
  return { type: "array", items: schema };
}

/** An object with exactly these properties, all of which are there but for those whose name ends in "?". */
function object(
  description: string,
  properties: Readonly<Record<string, JsonObject>>,
  { open = false }: { open?: boolean } = {},
): JsonObject {
  const names = Object.entries(properties);
  return {
    type: "object",
    description,
    properties: Object.fromEntries(names.map(([name, schema]) => [name.replace("?", ""), schema])),
    required: names.map(([name]) => name).filter((name) => !name.endsWith("?")),
    additionalProperties: open,
  };
}

const API_KEY: Readonly<Record<string, JsonObject>> = {
  id: TEXT,
  name: TEXT,
  permissions: TEXTS,
  limit: orNull({
    type: "object",
    description: "Requests within seconds.",
    properties: { limit: COUNT, window: COUNT },
    required: ["limit", "window"],
  }),
  tenantId: TEXT_OR_NULL,
  createdBy: TEXT_OR_NULL,
  createdAt: TIME,
  expires: TIME_OR_NULL,
  lastUsedAt: TIME_OR_NULL,
  previousUntil: TIME_OR_NULL,
};

const SIGNED_IN: Readonly<Record<string, JsonObject>> = {
  user: orNull(refer("User")),
  expires: TIME_OR_NULL,
  redirectTo: { type: "string", format: "uri", description: "Address to go on to." },
};

/** The set-up of an authenticator app. */
const SET_UP: JsonObject = object("It is off: a secret to put into an authenticator app.", {
  on: FALSE,
  secret: { type: "string", description: "The secret in Base32." },
  uri: {
    type: "string",
    description: "The `otpauth:` address of the secret, for a QR code.",
  },
  setUp: { type: "string", description: "Comes back with the first code." },
});

const TEAM_DONE = ["created", "invited", "revoked", "saved", "removed", "handed-over", "left"];
const USER_ACTIONS = [
  "roles-changed",
  "session-ended",
  "sessions-ended",
  "reset-sent",
  "disabled",
  "enabled",
  "recovered",
  "deleted",
];

/** The schemas, by name. */
export const SCHEMAS = {
  Error: object("An error.", {
    code: { type: "string", description: "Stable name of the condition." },
    message: { type: "string", description: "Sentence that can be shown." },
    "requestId?": {
      type: "string",
      description: "Id of the request in the log, from status 500 on.",
    },
  }),
  User: object("A user. The `session` callback may add properties.", {
    id: TEXT,
    "email?": TEXT_OR_NULL,
    "emailVerified?": TIME_OR_NULL,
    "name?": TEXT_OR_NULL,
    "image?": TEXT_OR_NULL,
    "role?": TEXT,
    "roles?": TEXTS,
  }, { open: true }),
  Session: object("A session. The `session` callback may add properties.", {
    user: refer("User"),
    expires: TIME,
    "bound?": FLAG,
    "actor?": object("Administrator who acts for the user.", { id: TEXT, name: TEXT }),
  }, { open: true }),
  SessionOrNull: orNull(refer("Session")),
  SignedIn: object(
    "Result of a sign-in. Without a user a step is left, to which `redirectTo` leads: the second factor, or another page.",
    { ...SIGNED_IN, "on?": FLAG, "recoveryCodes?": TEXTS },
  ),
  Next: object("The way on.", { redirectTo: SIGNED_IN["redirectTo"]! }),
  Proof: object("The proof that an address is asked for, known or not.", { next: TEXT }),
  SignedOut: object("Result of a sign-out.", {
    redirectTo: SIGNED_IN["redirectTo"]!,
    session: orNull(refer("Session")),
  }),
  SignedInOrNext: {
    anyOf: [refer("SignedIn"), refer("Next")],
    description: "The session, where there is one at once, or the way on.",
  },
  Providers: listOf(
    object("A way to sign in.", { id: TEXT, name: TEXT, type: TEXT }),
  ),
  Sessions: listOf(object("A session of the user.", {
    id: TEXT,
    current: FLAG,
    createdAt: TIME,
    refreshedAt: TIME,
    expires: TIME,
    userAgent: TEXT_OR_NULL,
  })),
  Account: object("An account of a provider.", {
    provider: TEXT,
    providerAccountId: TEXT,
    type: TEXT,
    email: TEXT_OR_NULL,
    scope: TEXT_OR_NULL,
    createdAt: TIME,
  }),
  Accounts: listOf(refer("Account")),
  Passkey: object("A passkey.", {
    id: TEXT,
    name: TEXT_OR_NULL,
    deviceType: TEXT,
    backedUp: FLAG,
    transports: TEXTS,
    createdAt: TIME,
    lastUsedAt: TIME_OR_NULL,
  }),
  Passkeys: listOf(refer("Passkey")),
  PasskeyAdded: { anyOf: [refer("Passkey"), refer("SignedIn")] },
  PasskeyRequest: object(
    "What `navigator.credentials.get()` is given, in JSON (Web Authentication Level 3, 5.5).",
    {
      challenge: TEXT,
      rpId: TEXT,
      timeout: COUNT,
      userVerification: TEXT,
      allowCredentials: listOf(ANY),
    },
    { open: true },
  ),
  PasskeyCreation: object(
    "What `navigator.credentials.create()` is given, in JSON (Web Authentication Level 3, 5.4).",
    {
      challenge: TEXT,
      rp: ANY,
      user: ANY,
      pubKeyCredParams: listOf(ANY),
      excludeCredentials: listOf(ANY),
      authenticatorSelection: ANY,
    },
    { open: true },
  ),
  PasskeyCreationOrNull: orNull(refer("PasskeyCreation")),
  AcceptedPasskeys: orNull(object("What `PublicKeyCredential.signal…()` is told.", {
    rpId: TEXT,
    userId: TEXT,
    name: TEXT,
    displayName: TEXT,
    allAcceptedCredentialIds: TEXTS,
  })),
  SecondFactor: {
    anyOf: [
      SET_UP,
      object("It is on.", {
        on: TRUE,
        since: TIME,
        recoveryCodes: { ...COUNT, description: "Recovery codes that are left." },
        trustedBrowsers: listOf(
          object("A browser that is not asked for it.", {
            id: TEXT,
            userAgent: TEXT_OR_NULL,
            expires: TIME,
          }),
        ),
      }),
    ],
  },
  SecondFactorStep: {
    anyOf: [
      SET_UP,
      object("It is asked for.", {
        on: TRUE,
        methods: {
          type: "array",
          description: "Ways to prove it.",
          items: { type: "string", enum: ["totp", "recovery", "passkey"] },
        },
        trustBrowserFor: {
          type: ["number", "null"],
          description: "Seconds for which this browser can be trusted; null where it cannot.",
        },
      }),
    ],
  },
  RecoveryCodes: object("The recovery codes, which are shown once.", {
    on: TRUE,
    recoveryCodes: TEXTS,
  }),
  SecondFactorOff: object("It is off.", { on: FALSE }),
  EndedBrowsers: object("How many browsers are asked for it again.", { ended: COUNT }),
  Recovery: object("A request to sign in without the second factor.", {
    status: TEXT,
    from: TIME_OR_NULL,
    until: TIME_OR_NULL,
  }),
  Cancelled: object("True when there was one.", { cancelled: FLAG }),
  ApiKeys: object("API keys.", { keys: listOf(object("An API key.", API_KEY)) }),
  MadeApiKey: object("A new API key.", {
    ...API_KEY,
    key: { type: "string", description: "The key itself, which is shown once." },
  }),
  Revoked: object("True when there was such a key.", { revoked: FLAG }),
  SavedUser: object("The user as stored now.", { user: refer("User") }),
  Renamed: object("True when there was one.", { renamed: FLAG }),
  Removed: object("True when there was one.", { removed: FLAG }),
  Unlinked: object("True when there was one.", { unlinked: FLAG }),
  SessionEnded: object("True when there was one.", { ended: FLAG }),
  Deleted: object("It is deleted.", { deleted: TRUE }),
  EmailAsked: object("A change of the address that waits for its links.", {
    changed: FALSE,
    sentTo: {
      ...TEXTS,
      description: "Addresses that get a link, unless one is another account's.",
    },
  }),
  EmailConfirmed: object(
    "Outcome of a link. With neither of the first two, the address is confirmed.",
    {
      changed: { ...FLAG, description: "True once the account has the new address." },
      waiting: { ...FLAG, description: "True while the other address has yet to agree." },
      ended: {
        ...FLAG,
        description: "True when what was on the account before has ended, this session too.",
      },
    },
  ),
  TeamChanged: object("Outcome of a form about a team.", {
    done: {
      type: ["string", "null"],
      description: "Null where there was nothing to change, and after `/team/switch`.",
      enum: [...TEAM_DONE, null],
    },
    team: object("The team.", { id: TEXT, name: TEXT, slug: TEXT }),
  }),
  UserChanged: object("Outcome of a change by an administrator.", {
    action: {
      type: ["string", "null"],
      description: "Null where there was nothing to change.",
      enum: [...USER_ACTIONS, null],
    },
    added: { ...TEXTS, description: "Roles that the user has got." },
    removed: { ...TEXTS, description: "Roles that the user has lost." },
  }),
  Export: object("Copy of what is stored about the user.", {
    user: refer("User"),
    sessions: listOf(ANY),
    accounts: listOf(ANY),
    passkeys: listOf(ANY),
    activity: listOf(ANY),
  }, { open: true }),
  Device: object("Instructions of a device-bound session (Device Bound Session Credentials).", {
    session_identifier: TEXT,
    refresh_url: TEXT,
    scope: ANY,
    credentials: listOf(ANY),
  }, { open: true }),
  Impersonation: object("End of the impersonation.", { expires: TIME }),
  ImpersonationEnded: object("True when there was one.", { ended: FLAG }),
} satisfies Record<string, JsonObject>;
