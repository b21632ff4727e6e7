import { checkKeys, isOptions, optionsOf, wrongOption } from "../config/check.ts";
import { readChoice, readFlag, readText } from "../config/read_values.ts";
import { limitsOf } from "../rate_limit/sign_in_limits.ts";
import { credentialsEndpoint } from "../sign_in/credentials_endpoint.ts";
import { ACCOUNT_GUARD } from "../sign_in/account_guard.ts";
import type { CheckedCredentials, CredentialsConfig } from "./credentials_config.ts";
import { defineMethod, type Provider } from "./provider.ts";
import { readProviderId } from "./provider_id.ts";
import type { DefaultEnv } from "./application.ts";
import type { CredentialsField, SignInMethod } from "../http/contracts.ts";

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
  if (!isOptions(value)) throw wrongOption(path, value, '{ label: "E-mail", type: "email" }');
  checkKeys(value, ["label", "type", "placeholder", "required"], path);
  const { label, type, placeholder, required } = value as Partial<CredentialsField>;
  const field = {
    key,
    label: readText(label, `${path}.label`, "what stands beside the field"),
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
 * Sign-in by whatever the application can check itself, such as e-mail and password.
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
 *     email: { label: "E-mail", type: "email", required: true },
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
