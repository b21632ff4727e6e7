/**
 * OpenAPI documents of an application's authentication.
 *
 * @module
 */

import { createEndpointTable } from "../app/endpoints.ts";
import type { EndpointEntry, Settings, SignInMethod } from "../core/contracts.ts";
import { isSecureOrigin } from "../core/origin.ts";
import { keysOf } from "../core/request.ts";
import { sessionCookieName } from "../session/cookie.ts";
import { settingsOf } from "../session/settings_of.ts";
import type { Auth } from "../session/context_auth.ts";
import { ACCOUNT_OPERATIONS, API_KEY_OPERATIONS, TEAM_OPERATIONS } from "./account.ts";
import { ADMINISTRATION_OPERATIONS } from "./administration.ts";
import { byStatus } from "./codes.ts";
import type { Operation, Operations } from "./operation.ts";
import { type JsonObject, SCHEMAS } from "./schemas.ts";
import {
  CREDENTIALS_OPERATIONS,
  DEVICE_OPERATIONS,
  EMAIL_OPERATIONS,
  OAUTH_OPERATIONS,
  PASSKEY_OPERATIONS,
  PASSWORD_OPERATIONS,
  SECOND_FACTOR_OPERATIONS,
  SESSION_OPERATIONS,
} from "./sign_in.ts";

/** Options for `describeAuth()`. */
export interface DescribeAuthOptions {
  /** Name of the API in the document. Default "Authentication". */
  title?: string;
  /** Version of the API in the document. Default "1.0.0". */
  version?: string;
  /**
   * True for the document of the endpoints for administrators, which the other one leaves out. Default false.
   */
  administration?: boolean;
}

/** An OpenAPI 3.1 document: plain JSON. */
export interface OpenApiDocument {
  /** Version of the specification, "3.1.1". */
  openapi: string;
  /** Name and version of the API. */
  info: { title: string; version: string };
  /** Address of the endpoints: the `baseUrl`, if there is one, with the `basePath`. */
  servers: { url: string }[];
  /** The operations by path and method, in lower case. */
  paths: Record<string, Record<string, JsonObject>>;
  /** Schemas and the ways to say who asks. */
  components: JsonObject;
  /** The groups of operations. */
  tags: { name: string }[];
}

const GROUPS: readonly { tag: string; operations: Operations; administration?: boolean }[] = [
  { tag: "Session", operations: SESSION_OPERATIONS },
  { tag: "Passwords", operations: PASSWORD_OPERATIONS },
  { tag: "Mails", operations: EMAIL_OPERATIONS },
  { tag: "Passkeys", operations: PASSKEY_OPERATIONS },
  { tag: "Second factor", operations: SECOND_FACTOR_OPERATIONS },
  { tag: "Device", operations: DEVICE_OPERATIONS },
  { tag: "Account", operations: ACCOUNT_OPERATIONS },
  { tag: "API keys", operations: API_KEY_OPERATIONS },
  { tag: "Teams", operations: TEAM_OPERATIONS },
  { tag: "Administration", operations: ADMINISTRATION_OPERATIONS, administration: true },
];

const BY_TYPE: Readonly<Record<SignInMethod["type"], Operations>> = {
  credentials: CREDENTIALS_OPERATIONS,
  email: EMAIL_OPERATIONS,
  oauth: OAUTH_OPERATIONS,
  oidc: OAUTH_OPERATIONS,
  webauthn: {},
};

/** Every endpoint that has a description, by method and path. */
export const DESCRIPTIONS: readonly string[] = [
  ...GROUPS.map(({ operations }) => operations),
  ...Object.values(BY_TYPE),
].flatMap((operations) => Object.keys(operations));

/** An endpoint with its description. */
interface Described {
  operation: Operation;
  tag: string;
  /** Path with its parameters named. */
  path: string;
  method: EndpointEntry["method"];
  /** True for a request that other sites' pages are refused. */
  guarded: boolean;
  administration: boolean;
  /** The provider whose id is part of the path; null for none. */
  provider: SignInMethod | null;
}

/** Finds the description of an endpoint; null for one of a provider that the application has written itself. */
function describe(
  { path: pattern, method, crossSite = false }: EndpointEntry,
  settings: Settings,
): Described | null {
  const path = pattern.replace(/\*$/, "{id}");
  const common = { path, method, guarded: method !== "GET" && !crossSite };
  for (const { tag, operations, administration = false } of GROUPS) {
    const operation = operations[`${method} ${path}`];
    if (operation) return { ...common, operation, tag, administration, provider: null };
  }
  const [, first, id = "", ...rest] = path.split("/");
  const provider = settings.providers.get(id);
  if (provider === undefined) return null;
  const operation =
    BY_TYPE[provider.type][`${method} /${[first, "{provider}", ...rest].join("/")}`];
  if (operation === undefined) return null;
  return { ...common, operation, tag: provider.name, administration: false, provider };
}

/** Turns words into the rest of a name, such as "GitHub" and "sign-in" into "GitHubSignIn". */
function inName(id: string): string {
  return id.split(/[^A-Za-z0-9]+/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}

function parameters(
  fields: Readonly<Record<string, string>>,
): { name: string; description: string; required: boolean }[] {
  return Object.entries(fields).map(([key, description]) => {
    const isOptional = key.endsWith("?");
    return { name: isOptional ? key.slice(0, -1) : key, description, required: !isOptional };
  });
}

/** Fields of the body: those of the description, and of a provider with a form of its own. */
function fieldsOf({ operation: { fields }, provider }: Described): ReturnType<typeof parameters> {
  const form = provider?.type === "credentials" && typeof provider.form !== "function"
    ? provider.form.fields ?? []
    : [];
  return [
    ...form.map(({ key, label, required }) => ({ name: key, description: label, required })),
    ...parameters(fields ?? {}),
  ];
}

function bodyOf(described: Described): JsonObject {
  if (described.operation.fields === undefined) return {};
  const fields = fieldsOf(described);
  const schema: JsonObject = {
    type: "object",
    properties: Object.fromEntries(
      fields.map(({ name, description }) => [name, { type: "string", description }]),
    ),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
  return {
    requestBody: {
      // A client that names no origin is told from a form by its JSON, also where no field is needed.
      required: described.guarded || fields.some(({ required }) => required),
      content: { "application/json": { schema } },
    },
  };
}

function refer(schema: string): JsonObject {
  return { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } };
}

/** Names of the cookies, as browsers are given them here, and the ways to say who asks. */
interface Naming {
  session: string;
  step: string;
  /** The ways by name. */
  schemes: Readonly<Record<string, JsonObject>>;
}

function namingOf({ address: { baseOrigin }, cookie, bearer }: Settings): Naming {
  const origin = baseOrigin ?? "https://";
  const session = sessionCookieName(cookie, () => origin);
  return {
    session,
    step: `${isSecureOrigin(origin) ? "__Host-" : ""}framework.second-step`,
    schemes: {
      session: {
        type: "apiKey",
        in: "cookie",
        name: session,
        description: "The session, in the cookie that the answers to sign-ins set.",
      },
      // One that holds for API keys alone opens nothing here.
      ...bearer !== true ? {} : {
        token: {
          type: "http",
          scheme: "bearer",
          description: `The token of the session: the value of the cookie ${session}.`,
        },
      },
    },
  };
}

/** Answers with which a session begins, or gets another token. */
const WITH_TOKEN: ReadonlySet<string> = new Set(
  ["SignedIn", "SignedInOrNext", "SessionOrNull", "PasskeyAdded", "RecoveryCodes"],
);

function cookieOf({ session, step, schemes }: Naming): JsonObject {
  const token = schemes["token"] === undefined
    ? ""
    : " A client without a cookie jar keeps the value and sends it as `Authorization: Bearer`.";
  return {
    "set-cookie": {
      description:
        `Where a session begins or its token changes: the cookie ${session}, whose value is the ` +
        `token.${token} Where a second factor is asked for first: the cookie ${step}.`,
      schema: { type: "string" },
    },
  };
}

/** Answers to clients that prefer JSON, where there is any; generators know neither ranges of statuses nor two types well. */
function answersOf({ json, page, redirect, empty, media }: Operation, naming: Naming): JsonObject {
  if (json !== undefined) {
    const headers = WITH_TOKEN.has(json) ? { headers: cookieOf(naming) } : {};
    return { 200: { description: "The answer.", ...headers, content: refer(json) } };
  }
  const text = page === true ? "text/html" : media;
  return {
    ...text === undefined ? {} : {
      200: { description: "The answer.", content: { [text]: { schema: { type: "string" } } } },
    },
    ...empty === true ? { 204: { description: "It is done." } } : {},
    ...redirect === true
      ? {
        303: {
          description: "A redirect.",
          headers: { location: { schema: { type: "string", format: "uri" } } },
        },
      }
      : {},
  };
}

const RETRY_AFTER: JsonObject = {
  "retry-after": {
    description: "Seconds after which to try again.",
    schema: { type: "integer", minimum: 0 },
  },
};

function errorsOf(
  { operation: { codes = [] }, guarded }: Described,
  settings: Settings,
): JsonObject {
  const all = [
    ...codes.filter((code) => code !== "RATE_LIMITED" || settings.rateLimit !== false),
    ...guarded ? ["CROSS_SITE_REQUEST"] : [],
    ...keysOf(settings) === undefined ? [] : ["API_KEY_REFUSED"],
  ];
  const known = [...byStatus(all)].map(([status, names]) => {
    const schema = {
      allOf: [{ $ref: "#/components/schemas/Error" }],
      properties: { code: { enum: names } },
    };
    const description = `One of ${names.join(", ")}.`;
    const headers = status === 429 || status === 503 ? { headers: RETRY_AFTER } : {};
    return [status, { description, ...headers, content: { "application/json": { schema } } }];
  });
  return { ...Object.fromEntries(known), default: { $ref: "#/components/responses/Error" } };
}

function securityOf({ signedIn }: Operation, { schemes }: Naming): JsonObject {
  if (!signedIn) return {};
  const ways = Object.keys(schemes).map((name) => ({ [name]: [] }));
  return { security: [...signedIn === "optional" ? [{}] : [], ...ways] };
}

/** Answers that browsers get in the place of JSON. */
function forBrowsers({ json, page, redirect }: Operation): JsonObject {
  if (json === undefined || !page && !redirect) return {};
  return { "x-for-browsers": [...page ? ["page"] : [], ...redirect ? ["redirect"] : []] };
}

function operationOf(described: Described, settings: Settings, naming: Naming): JsonObject {
  const { operation, tag, path, provider } = described;
  const inPath = path.endsWith("{id}")
    ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }]
    : [];
  const inQuery = parameters(operation.query ?? {}).map(({ name, description, required }) => ({
    name,
    in: "query",
    required,
    description,
    schema: { type: "string" },
  }));
  return {
    operationId: operation.id + (provider === null ? "" : inName(provider.id)),
    summary: operation.summary,
    ...operation.waiting === true
      ? {
        description: `It needs the cookie ${naming.step} that the answer to the sign-in has set${
          operation.signedIn === undefined ? "" : ", unless somebody is signed in"
        }.`,
      }
      : {},
    tags: [tag],
    ...inPath.length + inQuery.length === 0 ? {} : { parameters: [...inPath, ...inQuery] },
    ...bodyOf(described),
    responses: { ...answersOf(operation, naming), ...errorsOf(described, settings) },
    ...forBrowsers(operation),
    ...securityOf(operation, naming),
  };
}

/** Answer to an endpoint that the library does not know. */
function unknownOperation(): JsonObject {
  return {
    responses: { default: { description: "An answer." } },
    "x-undescribed": "A provider of the application brings this endpoint.",
  };
}

/**
 * Describes the endpoints of an application's authentication as an OpenAPI 3.1 document: those below `basePath` that this
 * configuration has, with their fields, answers and errors. Nothing serves it unless the application does; the endpoints for
 * administrators are in a document of their own.
 *
 * Pages and JSON are at the same addresses: clients made from it send `Accept: application/json`. Without it, as of a
 * browser, the answer is what `x-for-browsers` says: a page, or a redirect. Forms are accepted wherever JSON is.
 *
 * @param auth What `createAuth()` returned.
 * @param env The environment, where the options are made from it. Default: none.
 * @param options Title and version; `administration` for the other document.
 * @throws {TypeError} For what `createAuth()` did not make.
 * @throws {ConfigurationError} When an option is wrong.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, passwords } from "@framework/auth";
 * import { describeAuth } from "@framework/auth/openapi";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   baseUrl: "https://app.example",
 *   secret: "a secret of at least thirty-two bytes",
 *   database: createMemoryStorage(),
 *   providers: [passwords({ sendMail: async () => {} })],
 * });
 * const { servers, paths } = describeAuth(auth);
 * equal(servers[0]?.url, "https://app.example/auth");
 * equal(paths["/signup"]?.post?.operationId, "signUp");
 * ```
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function describeAuth<Env = unknown>(
  auth: Auth<Env>,
  env?: Env,
  { title = "Authentication", version = "1.0.0", administration = false }: DescribeAuthOptions = {},
): OpenApiDocument {
  const settings = settingsOf(auth, env as Env);
  const { basePath, address: { baseOrigin } } = settings;
  const naming = namingOf(settings);
  const paths: Record<string, Record<string, JsonObject>> = {};
  const tags = new Set<string>();
  for (const methods of createEndpointTable(settings).values()) {
    for (const entry of methods.values()) {
      const described = describe(entry, settings);
      if ((described?.administration ?? false) !== administration) continue;
      if (described !== null) tags.add(described.tag);
      const path = described?.path ?? entry.path.replace(/\*$/, "{id}");
      (paths[path] ??= {})[entry.method.toLowerCase()] = described === null
        ? unknownOperation()
        : operationOf(described, settings, naming);
    }
  }
  return {
    openapi: "3.1.1",
    info: { title, version },
    servers: [{ url: `${baseOrigin ?? ""}${basePath}` }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: {
      schemas: SCHEMAS,
      responses: {
        Error: {
          description: "An error.",
          content: refer("Error"),
        },
      },
      securitySchemes: naming.schemes,
    },
  };
}
