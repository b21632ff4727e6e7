/**
 * The e-mail provider.
 *
 * @module
 */

import type { SignInMethod } from "../../core/contracts.ts";
import type { Provider } from "../../core/provider.ts";
import { parseEmailAddress } from "../../lib/email_address.ts";
import { type Definition, optionsOf, readFlag, readText, wrongOption } from "../../lib/options.ts";
import { accountGroup } from "../../storage/accounts.ts";
import { secretGroup } from "../../storage/secrets.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import type { DefaultEnv } from "../../types/application.ts";
import { ACCOUNT_GUARD } from "../known_browsers.ts";
import { DEFAULT_PAGES } from "../pages.ts";
import { readProviderId } from "../sign_in.ts";
import { codeEndpoint, verifyRequestEndpoint } from "./code.ts";
import { confirmEndpoint, showConfirmPage } from "./link.ts";
import type { CheckedEmail, EmailConfig } from "./pending.ts";
import { requestEndpoint } from "./request.ts";

const MAX_AGE = 86_400;
const LONGEST_AGE = 31_536_000;

/** One address, or a name and one address in angle brackets. */
function isSender(value: unknown): value is string {
  // deno-lint-ignore no-control-regex -- controls are what is looked for
  if (typeof value !== "string" || /[\0-\x1f\x7f-\x9f]/.test(value)) return false;
  const address = /^[^<>]*<([^<>]+)>$/.exec(value)?.[1] ?? value;
  return parseEmailAddress(address) !== null;
}

const KEYS = ["id", "name", "from", "maxAge", "sameBrowser", "code", "sendVerificationRequest"];

function readConfig(config: unknown): CheckedEmail {
  const options = optionsOf(config, "email()", KEYS);
  const { id = "email", name = "Email", from, maxAge = MAX_AGE, sendVerificationRequest } = options;
  if (!isSender(from)) throw wrongOption("from", from, 'a sender: "App <hello@app.example>"');
  if (!Number.isInteger(maxAge) || maxAge as number < 1 || maxAge as number > LONGEST_AGE) {
    throw wrongOption("maxAge", maxAge, `whole seconds, 1 to ${LONGEST_AGE} (a year)`);
  }
  if (typeof sendVerificationRequest !== "function") {
    throw wrongOption("sendVerificationRequest", sendVerificationRequest, "a function that sends");
  }
  return {
    id: readProviderId(id),
    name: readText(name, "name", "a display name"),
    from,
    maxAge: maxAge as number,
    sameBrowser: readFlag(options.sameBrowser, "sameBrowser") ?? false,
    code: readFlag(options.code, "code") ?? false,
    send: async (params, context) => {
      await sendVerificationRequest.call(config, params, context);
    },
  };
}

function createMethod(config: unknown): SignInMethod {
  const checked = readConfig(config);
  const { id, name } = checked;
  const callback = `/callback/${id}`;
  return {
    type: "email",
    id,
    name,
    endpoints: [
      { path: `/signin/${id}`, method: "POST", endpoint: requestEndpoint(checked) },
      { path: "/verify-request", method: "GET", endpoint: verifyRequestEndpoint(checked) },
      { path: callback, method: "GET", endpoint: showConfirmPage(checked) },
      { path: callback, method: "POST", endpoint: confirmEndpoint(checked) },
      ...checked.code
        ? [{ path: `${callback}/code`, method: "POST", endpoint: codeEndpoint(checked) } as const]
        : [],
    ],
    guard: ACCOUNT_GUARD,
    pages: DEFAULT_PAGES,
    form: {
      fields: [{ key: "email", label: "Email", type: "email", required: true }],
      submit: "Continue",
    },
    check({ hasDatabase, storage }) {
      if (!hasDatabase) {
        throw wrongOption("database", undefined, "a database, which sign-in by e-mail needs");
      }
      groupOf(storage, secretGroup);
      groupOf(storage, sentSecretGroup);
      groupOf(storage, accountGroup);
    },
  };
}

/**
 * Sign-in by a link that is sent to an e-mail address. It needs a database, for what was sent and not yet
 * used.
 *
 * A link is 256 random bits, of which only a hash is stored; it holds for `maxAge`, once. The newest
 * twenty of an address hold, until one of them is used. The page behind it consumes nothing, so mail scanners that
 * follow links sign nobody in. Whether an address is known shows nowhere.
 *
 * @param config How mail is sent, or a function that makes that from the environment.
 * @throws {ConfigurationError} When the configuration is wrong; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, email } from "@framework/auth";
 * import { match } from "node:assert/strict";
 *
 * const outbox: string[] = [];
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [email({
 *     from: "App <hello@app.example>",
 *     sendVerificationRequest({ identifier, url }) {
 *       outbox.push(`To ${identifier}: ${url}`);
 *       return Promise.resolve();
 *     },
 *   })],
 * });
 * await auth.handle(
 *   new Request("http://localhost/auth/signin/email", {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: JSON.stringify({ email: "ada@example.com" }),
 *   }),
 *   {},
 * );
 * match(outbox[0]!, /^To ada@example\.com: http:\/\/localhost\/auth\/callback\/email\?token=/);
 * ```
 */
export function email<Env = DefaultEnv>(
  config: EmailConfig<Env> | ((env: Env) => EmailConfig<Env>),
): Provider {
  if (typeof config !== "function") return { kind: "provider", definition: createMethod(config) };
  const definition: Definition<SignInMethod, Env> = (env) => createMethod(config(env));
  return { kind: "provider", definition };
}
