/**
 * The passkey provider and its form.
 *
 * @module
 */

import type { SignInForm, SignInMethod } from "../../core/contracts.ts";
import { SECURITY_HEADERS } from "../../core/error_response.ts";
import type { Provider } from "../../core/provider.ts";
import { alsoListening } from "../../core/report.ts";
import { type Html, markup } from "../../lib/html.ts";
import {
  type Definition,
  isOptions,
  optionsOf,
  readChoice,
  readFlag,
  readText,
  wrongOption,
} from "../../lib/options.ts";
import { say } from "../../pages/frame.ts";
import { field, form, icon, lastUsedTag } from "../../pages/parts.ts";
import { passkeyMessages } from "../../pages/passkey.ts";
import { DEFAULT_PAGES } from "../pages.ts";
import { readProviderId } from "../sign_in.ts";
import {
  type AutomaticPasskeys,
  type CheckedPasskey,
  type PasskeyConfig,
  readOrigins,
  readRpId,
} from "./challenge.ts";
import { passkeyFactor } from "./factor.ts";
import { listOwnPasskeys, removeOwnPasskey, renameOwnPasskey } from "./operations.ts";
import type { PasskeyMails } from "./mails.ts";
import { readRelatedOrigins } from "./related.ts";
import { registrationEndpoint, registrationOptionsEndpoint } from "./registration.ts";
import { PASSKEY_SCRIPT } from "./script_text.ts";
import { acceptedEndpoint } from "./signal.ts";
import { signInEndpoint, signInOptionsEndpoint } from "./sign_in.ts";

const ATTACHMENTS = ["platform", "cross-platform"] as const;
const REQUIREMENTS = ["required", "preferred", "discouraged"] as const;

const KEYS = [
  "id",
  "name",
  "rpName",
  "rpId",
  "origin",
  "relatedOrigins",
  "authenticatorAttachment",
  "userVerification",
  "residentKey",
  "signUp",
  "automatic",
  "mails",
];

const isPart = (value: unknown, kind: string) => isOptions(value) && value.kind === kind;

function readConfig(given: unknown): CheckedPasskey {
  const config = optionsOf(given, "passkey()", KEYS);
  const { id = "passkey", name = "Passkey", rpName, authenticatorAttachment } = config;
  const { userVerification = "preferred", residentKey = "required", signUp } = config;
  const { origin, automatic, mails } = config;
  if (mails !== undefined && !isPart(mails, "passkey-mails")) {
    throw wrongOption("mails", mails, "passkeyMails({ sendMail })");
  }
  if (automatic !== undefined && !isPart(automatic, "automatic-passkeys")) {
    throw wrongOption("automatic", automatic, "automaticPasskeys({ sendMail })");
  }
  if (automatic !== undefined && authenticatorAttachment === "cross-platform") {
    throw wrongOption(
      "authenticatorAttachment",
      authenticatorAttachment,
      "nothing beside `automatic`: no password manager is one",
    );
  }
  // Origins of one's own say nothing without the domain.
  const isOwn = config.rpId === undefined && origin === undefined &&
    config.relatedOrigins === undefined;
  const rpId = isOwn ? null : readRpId(config.rpId);
  return {
    id: readProviderId(id),
    name: readText(name, "name", "a display name"),
    rpName: rpName === undefined ? null : readText(rpName, "rpName", "a display name"),
    rpId,
    origin: origin === undefined ? null : readOrigins(origin, rpId!),
    relatedOrigins: readRelatedOrigins(config.relatedOrigins ?? [], rpId ?? ""),
    authenticatorAttachment: authenticatorAttachment === undefined
      ? null
      : readChoice(authenticatorAttachment, "authenticatorAttachment", ATTACHMENTS),
    userVerification: readChoice(userVerification, "userVerification", REQUIREMENTS),
    residentKey: readChoice(residentKey, "residentKey", REQUIREMENTS),
    signUp: readFlag(signUp, "signUp") ?? false,
    automatic: automatic === undefined ? null : automatic as AutomaticPasskeys,
    mails: mails === undefined ? null : mails as PasskeyMails,
  };
}

function createMethod(given: unknown): SignInMethod {
  const config = readConfig(given);
  const { id, name, automatic, mails } = config;
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
      { path: "/passkey/accepted", method: "GET", endpoint: acceptedEndpoint(config) },
      { path: "/passkeys", method: "GET", endpoint: listOwnPasskeys },
      { path: "/passkeys/*", method: "PATCH", endpoint: renameOwnPasskey },
      { path: "/passkeys/*", method: "DELETE", endpoint: removeOwnPasskey },
      { path: SCRIPT_PATH, method: "GET", endpoint: sendPasskeyScript },
      ...automatic?.endpoints(config) ?? [],
      ...mails?.endpoints ?? [],
    ],
    ...mails && { listen: ({ events }) => alsoListening(events, mails.hear) },
    ...automatic && { afterPassword: automatic.offer },
    form: (form) => passkeyForm(config, form),
    // Nobody types a name here, and a browser lists only those that an authenticator keeps itself: of "preferred" nobody
    // knows which it keeps, since what it says of that (credProps) is not signed.
    opens: { passkeys: config.residentKey === "required" },
    factor: passkeyFactor(config),
    pages: DEFAULT_PAGES,
    scripts: [SCRIPT_PATH],
    relatedOrigins: config.relatedOrigins,
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
 * @param config Whose passkeys they are, or a function that says it from the environment. Default: passkeys of the own
 * address.
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
  config: PasskeyConfig | ((env: Env) => PasskeyConfig) = {},
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
  { look, alone, basePath, callbackUrl, lastUsed, confirms, listOnly = false }: SignInForm,
): Html {
  const hidden = { credential: "", callbackUrl };
  const options = (purpose: string) =>
    markup` data-passkey="${
      purpose === "authenticate" ? "sign-in" : "register"
    }" data-options="${basePath}/passkey/options/${purpose}"`;
  if (listOnly) {
    return form({
      action: `${basePath}/signin/${id}`,
      hidden,
      attributes: markup`${options("authenticate")} hidden`,
      content: passkeyMessages(look, "sign-in"),
    });
  }
  const signIn = form({
    action: `${basePath}/signin/${id}`,
    // The passkeys of who is signed in and no others; also those that the authenticator does not list.
    hidden: { ...hidden, ...confirms && { reauthenticate: "true" } },
    kind: "ways",
    attributes: options("authenticate"),
    content: [
      markup`<button>${icon("key")}<span>${say(look, "Continue with a passkey")}</span>${
        lastUsedTag(look, lastUsed)
      }</button>\n`,
      passkeyMessages(look, "sign-in"),
    ],
  });
  const register = signUp && !confirms && form({
    action: `${basePath}/passkey/register`,
    hidden,
    attributes: options("register"),
    content: [
      field({
        id: "passkey-name",
        name: "name",
        label: say(look, "Your name"),
        autocomplete: "name",
        required: true,
        attributes: markup` maxlength="64"`,
      }),
      markup`<button>${icon("key")}${say(look, "Create an account with a passkey")}</button>\n`,
      passkeyMessages(look, "register"),
    ],
  });
  return markup`${
    alone &&
    markup`<p class="quiet" data-passkey="unavailable">${
      say(look, "Passkeys need a newer browser with JavaScript turned on.")
    }</p>\n`
  }<section data-passkey="available" hidden>
${signIn}${
    register &&
    markup`<details><summary>${
      say(look, "Create an account with a passkey")
    }</summary>\n${register}</details>\n`
  }</section>
`;
}

/** `GET /passkey.js`: the script of the forms. */
function sendPasskeyScript(): Response {
  return new Response(PASSKEY_SCRIPT, {
    headers: { ...SECURITY_HEADERS, "content-type": "text/javascript; charset=utf-8" },
  });
}
