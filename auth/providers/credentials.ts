import { checkKeys, isOptions, wrongOption } from "../config/check.ts";
import { limitsOf } from "../rate_limit/sign_in_limits.ts";
import { credentialsEndpoint } from "../sign_in/credentials_endpoint.ts";
import type {
  CheckedCredentials,
  CredentialsConfig,
  CredentialsField,
} from "./credentials_config.ts";
import { credentialsForm } from "./credentials_form.ts";
import { defineMethod, type Provider, type SignInMethod } from "./provider.ts";

const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
// The form's own field; and names that every object has, which would be read where nothing was sent.
const RESERVED = new Set(["callbackUrl", "constructor", "toString", "valueOf", "hasOwnProperty"]);

function readField(key: string, value: unknown): CheckedCredentials["fields"][number] {
  const path = `credentials.${key}`;
  if (!FIELD_NAME.test(key) || RESERVED.has(key)) {
    throw wrongOption(
      path,
      key,
      "another name: letters, digits, - and _, and not one that is reserved",
    );
  }
  if (!isOptions(value)) throw wrongOption(path, value, '{ label: "E-mail", type: "email" }');
  checkKeys(value, ["label", "type", "placeholder", "required"], path);
  const { label, type, placeholder, required } = value as Partial<CredentialsField>;
  if (typeof label !== "string" || label === "") {
    throw wrongOption(`${path}.label`, label, "what stands beside the field");
  }
  if (type !== "text" && type !== "email" && type !== "password") {
    throw wrongOption(`${path}.type`, type, '"text", "email" or "password"');
  }
  if (placeholder !== undefined && typeof placeholder !== "string") {
    throw wrongOption(`${path}.placeholder`, placeholder, "a text");
  }
  if (required !== undefined && typeof required !== "boolean") {
    throw wrongOption(`${path}.required`, required, "true or false");
  }
  const field = { key, label, type, required: required ?? false };
  return placeholder === undefined ? field : { ...field, placeholder };
}

function readConfig(config: unknown): CheckedCredentials {
  if (!isOptions(config)) throw wrongOption("credentials()", config, "an object");
  checkKeys(config, ["id", "name", "credentials", "authorize"], "");
  const { id = "credentials", name = "Credentials", credentials: fields, authorize } = config;
  if (typeof id !== "string" || !/^[a-z0-9][a-z0-9-]{0,63}$/.test(id)) {
    throw wrongOption("id", id, "lower-case letters, digits and -");
  }
  if (typeof name !== "string" || name === "") throw wrongOption("name", name, "a display name");
  if (!isOptions(fields) || Object.keys(fields).length === 0) {
    throw wrongOption("credentials", fields, "at least one field of the sign-in form");
  }
  if (typeof authorize !== "function") {
    throw wrongOption("authorize", authorize, "a function that returns a user or null");
  }
  return {
    id,
    name,
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
    form: (form) => credentialsForm(checked, form),
    check: (settings) => void limitsOf(settings),
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
 * import { createAuth, createMemoryStorage, credentials, verifyPassword } from "@framework/auth";
 *
 * const passwords = new Map<string, string>();
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
 * ```
 */
export function credentials<Env = unknown>(
  config: CredentialsConfig<Env> | ((env: Env) => CredentialsConfig<Env>),
): Provider {
  return defineMethod(config, createMethod);
}
