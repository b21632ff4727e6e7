/**
 * The provider of passwords.
 *
 * @module
 */

import type { EndpointEntry, SignInMethod } from "../../core/contracts.ts";
import { defineMethod, type Provider } from "../../core/provider.ts";
import { ConfigurationError } from "../../errors.ts";
import {
  isOptions,
  optionsOf,
  readChoice,
  readFlag,
  readFunction,
  readText,
  wrongOption,
} from "../../lib/options.ts";
import { hashPassword, type PasswordHasher, verifyPassword } from "../../password/hash.ts";
import { type PasswordPolicy, readPolicy } from "../../password/policy.ts";
import { limitsOf } from "../../rate_limit/sign_in.ts";
import { accountGroup } from "../../storage/accounts.ts";
import { endingGroup } from "../../storage/endings.ts";
import { passwordGroup } from "../../storage/passwords.ts";
import { secretGroup } from "../../storage/secrets.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import type { DefaultEnv } from "../../types/application.ts";
import { developmentMailEndpoints, readSendMail } from "../development_mail.ts";
import { noticeGuard } from "../new_device.ts";
import { DEFAULT_PAGES } from "../pages.ts";
import { changeEndpoint, passwordSection, showChange } from "./change.ts";
import {
  type CheckedPasswords,
  type PasswordsConfig,
  PATHS,
  type SendPasswordMail,
} from "./options.ts";
import { noticeSender } from "./mail.ts";
import { confirmSignUpEndpoint, showConfirmSignUp } from "./confirmation.ts";
import {
  forgotEndpoint,
  resetEndpoint,
  sendResetTo,
  showForgot,
  showForgotSent,
  showReset,
  showResetDone,
} from "./reset.ts";
import { checkOwnPages, pageEndpoint } from "./pages.ts";
import { passwordEndpoint, startSignIn } from "./sign_in.ts";
import { resendEndpoint, showSignUp, showSignUpSent, signUpEndpoint } from "./sign_up.ts";

const KEYS = [
  "name",
  "sendMail",
  "minLength",
  "blocklist",
  "breached",
  "verifyLegacy",
  "hasher",
  "verification",
];

function readHasher(
  hasher: unknown,
  verifyLegacy: PasswordsConfig["verifyLegacy"],
): PasswordHasher {
  readFunction(verifyLegacy, "verifyLegacy", "a function that checks a hash of another library");
  const own = hasher as PasswordHasher | undefined ??
    { hash: hashPassword, verify: verifyPassword };
  if (!isOptions(own) || typeof own.hash !== "function" || typeof own.verify !== "function") {
    throw wrongOption("hasher", hasher, "what createDurableObjectHasher() returns");
  }
  if (verifyLegacy === undefined) return own;
  return {
    hash: (password) => own.hash(password),
    verify: (password, hash, of) => own.verify(password, hash, { ...of, verifyLegacy }),
  };
}

function readConfig(config: unknown): CheckedPasswords {
  const options = optionsOf(config ?? {}, "passwords()", KEYS);
  const { name = "Password", sendMail, blocklist, minLength, hasher } = options;
  const { verifyLegacy } = options as Pick<PasswordsConfig, "verifyLegacy">;
  return {
    id: "passwords",
    name: readText(name, "name", "a display name"),
    send: readSendMail(sendMail, {
      provider: "passwords()",
      reason: "without which nobody can sign up",
    }) as SendPasswordMail<unknown>,
    policy: readPolicy({ minLength, blocklist } as PasswordPolicy),
    breached: readFlag(options.breached, "breached") ?? false,
    hasher: readHasher(hasher, verifyLegacy),
    verification: options.verification === undefined
      ? "first"
      : readChoice(options.verification, "verification", ["first", "later"]),
  };
}

function endpointsOf(checked: CheckedPasswords): EndpointEntry[] {
  return [
    { path: PATHS.start, method: "POST", endpoint: startSignIn },
    { path: PATHS.signIn, method: "POST", endpoint: passwordEndpoint(checked) },
    { path: PATHS.signUp, method: "GET", endpoint: pageEndpoint("signUp", showSignUp(checked)) },
    { path: PATHS.signUp, method: "POST", endpoint: signUpEndpoint(checked) },
    { path: PATHS.sent, method: "GET", endpoint: showSignUpSent },
    { path: PATHS.resend, method: "POST", endpoint: resendEndpoint(checked) },
    {
      path: PATHS.confirm,
      method: "GET",
      endpoint: pageEndpoint("confirmSignUp", showConfirmSignUp(checked)),
    },
    { path: PATHS.confirm, method: "POST", endpoint: confirmSignUpEndpoint(checked) },
    { path: PATHS.forgot, method: "GET", endpoint: pageEndpoint("forgotPassword", showForgot) },
    { path: PATHS.forgot, method: "POST", endpoint: forgotEndpoint(checked) },
    { path: PATHS.forgotSent, method: "GET", endpoint: showForgotSent },
    {
      path: PATHS.reset,
      method: "GET",
      endpoint: pageEndpoint("resetPassword", showReset(checked)),
    },
    { path: PATHS.reset, method: "POST", endpoint: resetEndpoint(checked) },
    { path: PATHS.resetDone, method: "GET", endpoint: showResetDone },
    { path: PATHS.change, method: "GET", endpoint: showChange(checked) },
    { path: PATHS.change, method: "POST", endpoint: changeEndpoint(checked) },
    ...developmentMailEndpoints(),
  ];
}

function createMethod(config: unknown): SignInMethod {
  const checked = readConfig(config);
  const { id, name, verification } = checked;
  return {
    type: "credentials",
    id,
    name,
    endpoints: endpointsOf(checked),
    guard: noticeGuard(noticeSender(checked)),
    opens: { passwords: true },
    accountSection: passwordSection,
    sendReset: sendResetTo(checked),
    pages: DEFAULT_PAGES,
    form: {
      fields: [{ key: "email", label: "Email", type: "email", required: true }],
      submit: "Continue",
      action: PATHS.start,
    },
    leads: true,
    signUp: PATHS.signUp,
    check(settings) {
      const { hasDatabase, hasSqlDatabase, storage, strategy, logger, rateLimit } = settings;
      if (!hasDatabase) {
        throw wrongOption("database", undefined, "a database, which passwords() needs");
      }
      for (
        const group of [
          passwordGroup,
          accountGroup,
          secretGroup,
          sentSecretGroup,
          endingGroup,
        ]
      ) {
        groupOf<unknown>(storage, group);
      }
      checkOwnPages(settings);
      if (!strategy.revocable) {
        throw new ConfigurationError(
          'passwords() cannot be used with the session strategy "jwt" alone: a new password ends the sessions of before, ' +
            "and nobody remembers which tokens are over. Write session: { …, revocation: createSqlRevocationStore(env.DB) }.",
          { field: "session.revocation" },
        );
      }
      // The default limits in a SQL database need no check.
      if (rateLimit !== undefined || !hasSqlDatabase) limitsOf(settings);
      if (verification === "later") {
        logger.warn("sign-up-tells-accounts", {
          message:
            'passwords({ verification: "later" }) lets people in before they prove their address, and tells whoever signs up ' +
            "whether an address has an account",
        });
      }
    },
  };
}

/**
 * Accounts with an email address and a password: sign-up, verification, sign-in, forgotten and new password, each with
 * its page, and as JSON for pages of your own. It needs a database.
 *
 * A sign-up makes no user. It is stored for a day until the link in the mail is opened, and every address gets the same
 * answer after the same work; the owner of a known one is told by mail. Whoever opens the link in the browser that
 * signed up is signed in; in another browser the page asks for the password just chosen, or for a new one, so that
 * nobody walks into an account that a stranger has prepared (account pre-hijacking, USENIX Security 2022).
 *
 * @param config How mails are sent, and what a password must be; or a function that makes that from the environment.
 * Default: mails are shown to the developer, and a password has at least 15 characters (NIST SP 800-63B-4).
 * @throws {ConfigurationError} When the configuration is wrong, or in production without `sendMail`; of a function, at
 * the first request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, passwords } from "@framework/auth";
 * import { match } from "node:assert/strict";
 *
 * const outbox: string[] = [];
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [passwords({ sendMail: ({ to, url }) => outbox.push(`To ${to}: ${url}`) })],
 * });
 * await auth.handle(
 *   new Request("http://localhost/auth/signup", {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: JSON.stringify({ email: "ada@example.com", password: "four words in a row" }),
 *   }),
 *   {},
 * );
 * match(outbox[0]!, /^To ada@example\.com: http:\/\/localhost\/auth\/signup\/confirm\?token=/);
 * ```
 */
export function passwords<Env = DefaultEnv>(
  config: PasswordsConfig<Env> | ((env: Env) => PasswordsConfig<Env>) = {},
): Provider {
  return defineMethod(config, createMethod);
}
