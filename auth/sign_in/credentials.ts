/**
 * Sign-in by credentials: provider and endpoint.
 *
 * @module
 */

import type {
  CredentialsField,
  Endpoint,
  Settings,
  SignInField,
  SignInMethod,
} from "../core/contracts.ts";
import { defineMethod, type Provider } from "../core/provider.ts";
import { prefersJson } from "../core/request.ts";
import { accountOf } from "../core/request.ts";
import {
  type AuthError,
  InvalidCredentialsError,
  InvalidEmailError,
  isAuthError,
  RequestError,
  UserUnavailableError,
} from "../errors.ts";
import { readFields } from "../lib/body.ts";
import { parseEmailAddress } from "../lib/email_address.ts";
import {
  checkKeys,
  isOptions,
  optionsOf,
  readChoice,
  readFlag,
  readText,
  wrongOption,
} from "../lib/options.ts";
import { limitAttempts, limitsOf } from "../rate_limit/sign_in.ts";
import { d1Error } from "../storage/sql_executor.ts";
import { createSignInRecord } from "../storage/user_record.ts";
import type { AuthContext, DefaultEnv } from "../types/application.ts";
import type { User } from "../types/user.ts";
import { ACCOUNT_GUARD } from "./known_browsers.ts";
import { completeSignIn, failurePage, readProviderId } from "./sign_in.ts";

const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

function readField(key: string, value: unknown): CheckedCredentials["fields"][number] {
  const path = `credentials.${key}`;
  // The form's own field; and names that every object has, which would be read where nothing was sent.
  if (!FIELD_NAME.test(key) || key === "callbackUrl" || key in {}) {
    throw wrongOption(
      path,
      key,
      "another name: letters, digits, - and _, and not one that is reserved",
    );
  }
  if (!isOptions(value)) throw wrongOption(path, value, '{ label: "Email", type: "email" }');
  checkKeys(value, ["label", "type", "placeholder", "required"], path);
  const { label, type, placeholder, required } = value as Partial<CredentialsField>;
  const field = {
    key,
    label: readText(label, `${path}.label`, "the label of the field"),
    type: readChoice(type, `${path}.type`, ["text", "email", "password"]),
    required: readFlag(required, `${path}.required`) ?? false,
  };
  if (placeholder !== undefined && typeof placeholder !== "string") {
    throw wrongOption(`${path}.placeholder`, placeholder, "a text");
  }
  return placeholder === undefined ? field : { ...field, placeholder };
}

function readConfig(config: unknown): CheckedCredentials {
  const options = optionsOf(config, "credentials()", ["id", "name", "credentials", "authorize"]);
  const { id = "credentials", name = "Credentials", credentials: fields, authorize } = options;
  if (!isOptions(fields) || Object.keys(fields).length === 0) {
    throw wrongOption("credentials", fields, "at least one field of the sign-in form");
  }
  if (typeof authorize !== "function") {
    throw wrongOption("authorize", authorize, "a function that returns a user or null");
  }
  return {
    id: readProviderId(id),
    name: readText(name, "name", "a display name"),
    fields: Object.entries(fields).map(([key, value]) => readField(key, value)),
    authorize: (values, context) => Promise.resolve(authorize.call(config, values, context)),
  };
}

function createMethod(config: unknown): SignInMethod {
  const checked = readConfig(config);
  const { id, name } = checked;
  return {
    type: "credentials",
    id,
    name,
    endpoints: [{ path: `/signin/${id}`, method: "POST", endpoint: credentialsEndpoint(checked) }],
    guard: ACCOUNT_GUARD,
    form: { fields: checked.fields, submit: "Sign in" },
    check(settings) {
      // The default limits in a SQL database need no check.
      if (settings.rateLimit !== undefined || !settings.hasSqlDatabase) limitsOf(settings);
    },
  };
}

/**
 * Sign-in by whatever the application can check itself, such as email and password.
 *
 * @param config The form and the check, or a function that makes them from the environment.
 * @throws {ConfigurationError} When the configuration is wrong; of a function, at the first request.
 *
 * @example
 * ```ts
 * import {
 *   createAuth,
 *   createMemoryStorage,
 *   credentials,
 *   hashPassword,
 *   verifyPassword,
 * } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const passwords = new Map([["ada@example.com", await hashPassword("correct horse")]]);
 * const provider = credentials({
 *   credentials: {
 *     email: { label: "Email", type: "email", required: true },
 *     password: { label: "Password", type: "password", required: true },
 *   },
 *   async authorize({ email, password }) {
 *     const known = await verifyPassword(password!, passwords.get(email!));
 *     return known ? { id: email!, email: email! } : null;
 *   },
 * });
 * const auth = createAuth({ database: createMemoryStorage(), providers: [provider] });
 *
 * const request = new Request("http://localhost/auth/signin/credentials", {
 *   method: "POST",
 *   headers: { origin: "http://localhost" },
 *   body: new URLSearchParams({ email: "ada@example.com", password: "correct horse" }),
 * });
 * equal((await auth.handle(request, {}))?.status, 303);
 * ```
 */
export function credentials<Env = DefaultEnv>(
  config: CredentialsConfig<Env> | ((env: Env) => CredentialsConfig<Env>),
): Provider {
  return defineMethod(config, createMethod);
}

/** Options for `credentials()`. */
export interface CredentialsConfig<Env = DefaultEnv> {
  /** Its name in addresses and in the list of providers. Default 'credentials'. */
  id?: string;
  /** Its name on the sign-in page. Default 'Credentials'. */
  name?: string;
  /** The fields of the form, in order. */
  credentials: Record<string, CredentialsField>;
  /**
   * Returns the user whom these credentials prove, or null. A field that was left empty is "". Pass
   * `verifyPassword()` what you found also when you found nothing, so that both take the same time.
   */
  authorize(credentials: Record<string, string>, context: AuthContext<Env>): Promise<User | null>;
}

/** Validated configuration of `credentials()`. */
interface CheckedCredentials {
  /** Its name in addresses. */
  id: string;
  /** Its name on the sign-in page. */
  name: string;
  /** The fields of the form, in order. */
  fields: readonly SignInField[];
  /** See {@linkcode CredentialsConfig}. */
  authorize(
    credentials: Record<string, string>,
    context: AuthContext<unknown>,
  ): Promise<User | null>;
}

/** Values submitted with the sign-in form. */
interface Typed {
  /** The declared fields and nothing else of what was sent. */
  values: ReadonlyMap<string, string>;
  /** Reason to refuse the values; null when they are acceptable. */
  problem: AuthError | null;
}

/**
 * Reads the form. An address comes in the one form in which it is checked, so that nothing behind the check
 * reads another one (GHSA-7rqj-j65f-68wh).
 */
function readTyped({ fields }: CheckedCredentials, sent: ReadonlyMap<string, string>): Typed {
  const values = new Map<string, string>();
  let problem: AuthError | null = null;
  for (const { key, type, required } of fields) {
    const value = sent.get(key) ?? "";
    const email = type === "email" && value !== "" ? parseEmailAddress(value) : undefined;
    values.set(key, email?.address ?? value);
    if (email === null) problem ??= new InvalidEmailError();
    if (required && value === "") problem ??= new RequestError("Fill in every required field");
  }
  return { values, problem };
}

/** Submitted values that may be shown again, without passwords. */
function withoutPasswords(
  { fields }: CheckedCredentials,
  values: ReadonlyMap<string, string>,
): Map<string, string> {
  const visible = fields.filter(({ type }) => type !== "password");
  return new Map(visible.map(({ key }) => [key, values.get(key)!]));
}

/**
 * Identifier among the submitted values: the email address, else the first text field, never a
 * password.
 */
function identifierOf(
  { fields }: CheckedCredentials,
  values: ReadonlyMap<string, string>,
): string | null {
  const typed = (wanted: string) =>
    fields.find(({ key, type }) => type === wanted && values.get(key) !== "");
  const field = typed("email") ?? typed("text");
  return field === undefined ? null : values.get(field.key)!;
}

// What the visitor can mend by trying again, as opposed to what the server must mend.
const REFUSALS = new Set([
  "INVALID_CREDENTIALS",
  "ACCESS_DENIED",
  "BAD_REQUEST",
  "INVALID_EMAIL",
  "RATE_LIMITED",
]);

/**
 * Refuses a disabled user before the application is asked. Asked about nobody too, when the
 * credentials are wrong: neither the answer nor its time may tell that a password is right which
 * has ended, for it may still be right elsewhere.
 */
async function assertCounts(
  { hasDatabase, storage }: Settings,
  userId: string,
  proofBegunAt: number,
): Promise<void> {
  if (hasDatabase && !await storage.credentialsCount(userId, proofBegunAt)) {
    throw new UserUnavailableError();
  }
}

/** `POST /signin/<id>`: checks the credentials and begins a session. */
function credentialsEndpoint(provider: CheckedCredentials): Endpoint {
  return async function signInWithCredentials(context) {
    const { store: { request, env, auth, report } } = context;
    const sent = await readFields(request, { optional: false });
    const { values, problem } = readTyped(provider, sent);
    const callbackUrl = sent.get("callbackUrl");
    const identifier = identifierOf(provider, values);
    let userId: string | undefined;

    try {
      if (problem !== null) throw problem;
      const refund = await limitAttempts(context, {
        of: "login",
        provider: provider.id,
        identifier,
      });
      // Read before the check: a password or an address that is changed meanwhile was the old one.
      const proofBegunAt = auth.settings.now();
      const user = await provider.authorize(Object.fromEntries(values), { env, request });
      const owner = user === null || user === undefined
        ? null
        : createSignInRecord(user, proofBegunAt, "authorize()");
      userId = owner?.user.id;
      const asked = userId ?? crypto.randomUUID();
      await assertCounts(auth.settings, asked, proofBegunAt);
      // Asked about nobody too, as above. What is let in by attempts of a browser's own is its own user.
      const opens = !refund.ownOnly ||
        await ACCOUNT_GUARD.find(context.store, "", { proved: false, userId: asked }) !== null;
      if (owner === null || !opens) throw new InvalidCredentialsError();
      const response = await completeSignIn(context, {
        owner,
        save: { proofBegunAt },
        identifier: identifier ?? "",
        account: { provider: provider.id, providerAccountId: owner.user.id, type: "credentials" },
        credentials: Object.fromEntries(values),
        callbackUrl,
      });
      refund();
      return response;
    } catch (error) {
      if (!isAuthError(error) || error.status >= 500) throw d1Error(error);
      const { code } = error;
      if (code !== "RATE_LIMITED") {
        const who = { provider: provider.id, ...(userId !== undefined && { userId }) };
        const account = await accountOf(auth.settings, identifier);
        report({ type: "sign-in-failed", code, ...who, ...account });
      }
      const shown = code === "USER_UNAVAILABLE" ? new InvalidCredentialsError() : error;
      if (!REFUSALS.has(shown.code) || prefersJson(request)) throw shown;
      return await failurePage(shown, context, {
        values: withoutPasswords(provider, values),
        callbackUrl,
      });
    }
  };
}
