import { checkKeys, isOptions, wrongOption } from "../config/check.ts";
import type { Definition } from "../config/definition.ts";
import { listOwnPasskeys, removeOwnPasskey, renameOwnPasskey } from "../passkey/own_passkeys.ts";
import { passkeyForm, SCRIPT_PATH } from "../passkey/passkey_form.ts";
import {
  registrationEndpoint,
  registrationOptionsEndpoint,
} from "../passkey/registration_endpoints.ts";
import { readOrigins, readRpId } from "../passkey/relying_party.ts";
import { sendPasskeyScript } from "../passkey/script_endpoint.ts";
import { signInEndpoint, signInOptionsEndpoint } from "../passkey/sign_in_endpoints.ts";
import type { CheckedPasskey, PasskeyConfig } from "./passkey_config.ts";
import type { Provider, SignInMethod } from "./provider.ts";

const ATTACHMENTS = ["platform", "cross-platform"] as const;
const REQUIREMENTS = ["required", "preferred", "discouraged"] as const;

function readChoice<Choice extends string>(
  value: unknown,
  field: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((known) => known === value);
  if (choice === undefined) {
    throw wrongOption(field, value, choices.map((known) => `"${known}"`).join(" or "));
  }
  return choice;
}

function readName(value: unknown, field: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw wrongOption(field, value, "a display name");
}

function readConfig(config: unknown): CheckedPasskey {
  if (!isOptions(config)) throw wrongOption("passkey()", config, "an object");
  checkKeys(config, [
    "id",
    "name",
    "rpName",
    "rpId",
    "origin",
    "authenticatorAttachment",
    "userVerification",
    "residentKey",
    "signUp",
  ], "");
  const { id = "passkey", name = "Passkey", rpName, authenticatorAttachment } = config;
  const { userVerification = "preferred", residentKey = "required", signUp = false } = config;
  if (typeof id !== "string" || !/^[a-z0-9][a-z0-9-]{0,63}$/.test(id)) {
    throw wrongOption("id", id, "lower-case letters, digits and -");
  }
  if (typeof signUp !== "boolean") throw wrongOption("signUp", signUp, "true or false");
  const rpId = readRpId(config.rpId);
  return {
    id,
    name: readName(name, "name"),
    rpName: readName(rpName, "rpName"),
    rpId,
    origin: config.origin === undefined ? null : readOrigins(config.origin, rpId),
    authenticatorAttachment: authenticatorAttachment === undefined
      ? null
      : readChoice(authenticatorAttachment, "authenticatorAttachment", ATTACHMENTS),
    userVerification: readChoice(userVerification, "userVerification", REQUIREMENTS),
    residentKey: readChoice(residentKey, "residentKey", REQUIREMENTS),
    signUp,
  };
}

function createMethod(given: unknown): SignInMethod {
  const config = readConfig(given);
  const { id, name } = config;
  return {
    type: "webauthn",
    id,
    name,
    endpoints: [
      {
        path: "/passkey/options/authenticate",
        method: "POST",
        endpoint: signInOptionsEndpoint(config),
      },
      { path: `/signin/${id}`, method: "POST", endpoint: signInEndpoint(config) },
      {
        path: "/passkey/options/register",
        method: "POST",
        endpoint: registrationOptionsEndpoint(config),
      },
      { path: "/passkey/register", method: "POST", endpoint: registrationEndpoint(config) },
      { path: "/passkeys", method: "GET", endpoint: listOwnPasskeys },
      { path: "/passkeys/*", method: "PATCH", endpoint: renameOwnPasskey },
      { path: "/passkeys/*", method: "DELETE", endpoint: removeOwnPasskey },
      { path: SCRIPT_PATH, method: "GET", endpoint: sendPasskeyScript },
    ],
    form: (form) => passkeyForm(config, form),
    scripts: [SCRIPT_PATH],
    check({ hasDatabase }) {
      if (hasDatabase) return;
      throw wrongOption("database", undefined, "a database, which passkeys need");
    },
  };
}

/**
 * Sign-in with passkeys (WebAuthn), by the browser's own list of them, without a name or a password. It needs
 * a database.
 *
 * @param config Whose passkeys they are, or a function that says it from the environment.
 * @throws {ConfigurationError} When the configuration is wrong; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, passkey } from "@framework/auth";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [passkey({
 *     rpName: "The application",
 *     rpId: "app.example",
 *     origin: "https://app.example",
 *     signUp: true,
 *   })],
 * });
 * ```
 */
export function passkey<Env = unknown>(
  config: PasskeyConfig | ((env: Env) => PasskeyConfig),
): Provider {
  if (typeof config !== "function") return { kind: "provider", definition: createMethod(config) };
  const definition: Definition<SignInMethod, Env> = (env) => createMethod(config(env));
  return { kind: "provider", definition };
}
