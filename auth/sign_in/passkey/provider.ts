/**
 * The passkey provider and its form.
 *
 * @module
 */

import type { SignInForm, SignInMethod } from "../../core/contracts.ts";
import { SECURITY_HEADERS } from "../../core/error_response.ts";
import type { Provider } from "../../core/provider.ts";
import { type Html, markup } from "../../lib/html.ts";
import {
  type Definition,
  optionsOf,
  readChoice,
  readFlag,
  readText,
  wrongOption,
} from "../../lib/options.ts";
import { readProviderId } from "../sign_in.ts";
import { type CheckedPasskey, type PasskeyConfig, readOrigins, readRpId } from "./ceremony.ts";
import {
  listOwnPasskeys,
  passkeyMessages,
  removeOwnPasskey,
  renameOwnPasskey,
} from "./operations.ts";
import { registrationEndpoint, registrationOptionsEndpoint } from "./register.ts";
import { PASSKEY_SCRIPT } from "./script_text.ts";
import { signInEndpoint, signInOptionsEndpoint } from "./sign_in.ts";

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

/** Path of the script below `basePath`. */
const SCRIPT_PATH = "/passkey.js";

/**
 * The forms of a passkey provider, hidden until the script has found out that the browser knows passkeys. What
 * a form says in `data-passkey` is what the script does when it is sent.
 */
function passkeyForm(
  { id, signUp }: CheckedPasskey,
  { basePath, callbackUrl }: SignInForm,
): Html {
  const hidden = markup`<input type="hidden" name="credential">
${callbackUrl !== null && markup`<input type="hidden" name="callbackUrl" value="${callbackUrl}">`}`;
  return markup`<p class="quiet" data-passkey="unavailable">Passkeys need a newer browser with JavaScript turned on.</p>
<div data-passkey="available" hidden>
<form method="post" action="${basePath}/signin/${id}" data-passkey="sign-in" data-options="${basePath}/passkey/options/authenticate">
${hidden}
<button type="submit">Sign in with a passkey</button>
${passkeyMessages()}</form>
${
    signUp &&
    markup`<form method="post" action="${basePath}/passkey/register" data-passkey="register" data-options="${basePath}/passkey/options/register">
<label>Your name
<input name="name" type="text" maxlength="64" autocomplete="name" required>
</label>
${hidden}
<button type="submit">Sign up with a passkey</button>
${passkeyMessages()}</form>
`
  }</div>
`;
}

/** `GET /passkey.js`: the script of the forms. */
function sendPasskeyScript(): Response {
  return new Response(PASSKEY_SCRIPT, {
    headers: { ...SECURITY_HEADERS, "content-type": "text/javascript; charset=utf-8" },
  });
}
