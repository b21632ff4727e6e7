import { optionsOf, wrongOption } from "../config/check.ts";
import type { Definition } from "../config/definition.ts";
import { readChoice, readFlag, readText } from "../config/read_values.ts";
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
import type { Provider } from "./provider.ts";
import { readProviderId } from "./provider_id.ts";
import type { SignInMethod } from "../http/contracts.ts";

const ATTACHMENTS = ["platform", "cross-platform"] as const;
const REQUIREMENTS = ["required", "preferred", "discouraged"] as const;

const KEYS = [
  "id",
  "name",
  "rpName",
  "rpId",
  "origin",
  "authenticatorAttachment",
  "userVerification",
  "residentKey",
  "signUp",
];

function readConfig(given: unknown): CheckedPasskey {
  const config = optionsOf(given, "passkey()", KEYS);
  const { id = "passkey", name = "Passkey", rpName, authenticatorAttachment } = config;
  const { userVerification = "preferred", residentKey = "required", signUp } = config;
  const rpId = readRpId(config.rpId);
  return {
    id: readProviderId(id),
    name: readText(name, "name", "a display name"),
    rpName: readText(rpName, "rpName", "a display name"),
    rpId,
    origin: config.origin === undefined ? null : readOrigins(config.origin, rpId),
    authenticatorAttachment: authenticatorAttachment === undefined
      ? null
      : readChoice(authenticatorAttachment, "authenticatorAttachment", ATTACHMENTS),
    userVerification: readChoice(userVerification, "userVerification", REQUIREMENTS),
    residentKey: readChoice(residentKey, "residentKey", REQUIREMENTS),
    signUp: readFlag(signUp, "signUp") ?? false,
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
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   baseUrl: "https://app.example",
 *   database: createMemoryStorage(),
 *   providers: [passkey({
 *     rpName: "The application",
 *     rpId: "app.example",
 *     origin: "https://app.example",
 *     signUp: true,
 *   })],
 * });
 * const request = new Request("https://app.example/auth/passkey/options/authenticate", {
 *   method: "POST",
 *   headers: { origin: "https://app.example", accept: "application/json" },
 *   body: new URLSearchParams(),
 * });
 * const options = await (await auth.handle(request, {}))!.json();
 * equal(options.rpId, "app.example");
 * ```
 */
export function passkey<Env = unknown>(
  config: PasskeyConfig | ((env: Env) => PasskeyConfig),
): Provider {
  if (typeof config !== "function") return { kind: "provider", definition: createMethod(config) };
  const definition: Definition<SignInMethod, Env> = (env) => createMethod(config(env));
  return { kind: "provider", definition };
}
