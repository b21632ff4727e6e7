/**
 * The email provider.
 *
 * @module
 */

import type { SignInMethod } from "../../core/contracts.ts";
import { defineMethod, type Provider } from "../../core/provider.ts";
import { parseEmailAddress } from "../../lib/email_address.ts";
import { optionsOf, readFlag, readFunction, readText, wrongOption } from "../../lib/options.ts";
import { accountGroup } from "../../storage/accounts.ts";
import { secretGroup } from "../../storage/secrets.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import type { DefaultEnv, Mail, OutgoingMail, SendMail } from "../../types/application.ts";
import { developmentMailEndpoints } from "../development_mail.ts";
import { ACCOUNT_GUARD } from "../known_browsers.ts";
import { noticeGuard, type SendNotice } from "../new_device.ts";
import { DEFAULT_PAGES } from "../pages.ts";
import { readProviderId } from "../sign_in.ts";
import { codeEndpoint, verifyRequestEndpoint } from "./code.ts";
import { confirmEndpoint, showConfirmPage } from "./magic_link.ts";
import type { CheckedEmail, EmailConfig, EmailMailConfig } from "./pending.ts";
import { deliver, requestEndpoint } from "./request.ts";

const MAX_AGE = 86_400;
const LONGEST_AGE = 31_536_000;

/** One address, or a name and one address in angle brackets. */
function isSender(value: unknown): value is string {
  // deno-lint-ignore no-control-regex -- controls are what is looked for
  if (typeof value !== "string" || /[\0-\x1f\x7f-\x9f]/.test(value)) return false;
  const address = /^[^<>]*<([^<>]+)>$/.exec(value)?.[1] ?? value;
  return parseEmailAddress(address) !== null;
}

const KEYS = [
  "id",
  "name",
  "from",
  "maxAge",
  "sameBrowser",
  "code",
  "sendVerificationRequest",
  "sendMail",
];

/** The sender, and what sends: the application's function for this mail, or the one for all its mails. */
function readMailer(
  config: unknown,
  { from, sendVerificationRequest, sendMail }: Record<string, unknown>,
): Pick<CheckedEmail, "from" | "send" | "mailer"> {
  if (sendMail === undefined) {
    if (!isSender(from)) throw wrongOption("from", from, 'a sender: "App <hello@app.example>"');
    if (typeof sendVerificationRequest !== "function") {
      throw wrongOption(
        "sendVerificationRequest",
        sendVerificationRequest,
        'a function that sends, or leave it and "from" out and write sendMail, as passwords() has it',
      );
    }
    return {
      from,
      mailer: "sendVerificationRequest()",
      send: async (params, context) => {
        await sendVerificationRequest.call(config, params, context);
      },
    };
  }
  readFunction(sendMail, "sendMail", "a function that is given the mail");
  for (const [name, value] of Object.entries({ from, sendVerificationRequest })) {
    if (value === undefined) continue;
    throw wrongOption(name, value, "nothing beside sendMail, which knows the sender");
  }
  return {
    from: "",
    mailer: "sendMail() of email()",
    async send(params, { env, request }) {
      const { identifier: to, subject, text, html, url, expires } = params;
      const { kind = "sign-in" } = params as Partial<OutgoingMail>;
      const ends = kind === "sign-in" ? expires : null;
      const mail: Mail = { kind, to, subject, text, html, url, expires: ends };
      await (sendMail as SendMail<unknown>).call(config, mail, { env, request });
    },
  };
}

function readConfig(config: unknown): CheckedEmail {
  const options = optionsOf(config, "email()", KEYS);
  const { id = "email", name = "Email", maxAge = MAX_AGE } = options;
  const mailer = readMailer(config, options);
  if (!Number.isInteger(maxAge) || maxAge as number < 1 || maxAge as number > LONGEST_AGE) {
    throw wrongOption("maxAge", maxAge, `whole seconds, 1 to ${LONGEST_AGE} (a year)`);
  }
  return {
    id: readProviderId(id),
    name: readText(name, "name", "a display name"),
    ...mailer,
    maxAge: maxAge as number,
    sameBrowser: readFlag(options.sameBrowser, "sameBrowser") ?? false,
    code: readFlag(options.code, "code") ?? false,
  };
}

/** Makes what tells the owner of an account of a sign-in in a browser that is not known. */
function noticeSender(checked: CheckedEmail): SendNotice {
  return async (store, { to: identifier, userId, ...mail }) => {
    const params = {
      identifier,
      token: "",
      expires: new Date(0),
      ends: false,
      kind: "new-device",
      ...mail,
    };
    await deliver(checked, params, { context: { store }, userId, mailer: checked.mailer });
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
      ...developmentMailEndpoints(),
    ],
    guard: checked.from === "" ? noticeGuard(noticeSender(checked)) : ACCOUNT_GUARD,
    pages: DEFAULT_PAGES,
    form: {
      fields: [{ key: "email", label: "Email", type: "email", required: true }],
      submit: "Continue",
    },
    check({ hasDatabase, storage }) {
      if (!hasDatabase) {
        throw wrongOption("database", undefined, "a database, which sign-in by email needs");
      }
      groupOf(storage, secretGroup);
      groupOf(storage, sentSecretGroup);
      groupOf(storage, accountGroup);
    },
  };
}

/**
 * Sign-in by a link that is sent to an email address. It needs a database, for what was sent and not yet
 * used.
 *
 * A link is 256 random bits, of which only a hash is stored; it holds for `maxAge`, once. The newest
 * twenty of an address hold, until one of them is used. The page behind it consumes nothing, so mail scanners that
 * follow links sign nobody in. Whether an address is known shows nowhere.
 *
 * @param config How mail is sent: by a function of this provider (`sendVerificationRequest`, with the sender `from`),
 * or by the one that sends the application's other mails (`sendMail`); or a function that makes that from the
 * environment.
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
): Provider;
/** The same with the function that sends the application's other mails. */
export function email<Env = DefaultEnv>(
  config: EmailMailConfig<Env> | ((env: Env) => EmailMailConfig<Env>),
): Provider;
export function email(config: unknown): Provider {
  return defineMethod(config, createMethod);
}
