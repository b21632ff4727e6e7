/**
 * The provider of the second factor.
 *
 * @module
 */

import type { EndpointModule } from "../../core/contracts.ts";
import type { Provider } from "../../core/provider.ts";
import { ConfigurationError } from "../../errors.ts";
import { optionsOf, readFunction, readText, wrongOption } from "../../lib/options.ts";
import { secondFactorGroup } from "../../storage/second_factors.ts";
import { secretGroup } from "../../storage/secrets.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import type { DefaultEnv } from "../../types/application.ts";
import { developmentMailEndpoints, readSendMail } from "../development_mail.ts";
import { type CheckedSecondFactor, PATHS, type SecondFactorConfig } from "./factor.ts";
import { recoveryEndpoints } from "./recovery.ts";
import { assertFreshFactor, keepProof, passTenant, requireFactor } from "./require.ts";
import {
  browsersEndpoint,
  codesEndpoint,
  factorSection,
  offEndpoint,
  setUpEndpoint,
  showSetUp,
} from "./set_up.ts";
import { passkeyQuestion, passSecondFactor, showStep, stepEndpoint } from "./step.ts";

const KEYS = ["sendMail", "issuer", "trustBrowsersFor", "required", "recovery"];
const LONGEST_TRUST = 7_776_000;
// In less a mail is not read; after more nobody waits.
const RECOVERY = { shortest: 86_400, usual: 259_200, longest: 2_592_000 };

/** The delay of a request for recovery, in milliseconds; null where there are none. */
function readRecoveryDelay(recovery: unknown): number | null {
  if (recovery === undefined) return null;
  const { after = RECOVERY.usual } = optionsOf(recovery, "recovery", ["after"]);
  const { shortest, longest } = RECOVERY;
  if (
    typeof after !== "number" || !Number.isInteger(after) || after < shortest || after > longest
  ) {
    throw wrongOption(
      "recovery.after",
      after,
      `whole seconds from ${shortest}, which are a day, to ${longest}, which are 30 days`,
    );
  }
  return after * 1000;
}

function readConfig(config: unknown): CheckedSecondFactor {
  const options = optionsOf(config ?? {}, "secondFactor()", KEYS);
  const { sendMail, issuer, trustBrowsersFor = 2_592_000, required, recovery } = options;
  if (required !== undefined) {
    readFunction(required, "required", "a function that is given the user");
  }
  if (
    typeof trustBrowsersFor !== "number" || !Number.isInteger(trustBrowsersFor) ||
    trustBrowsersFor < 0 || trustBrowsersFor > LONGEST_TRUST
  ) {
    throw wrongOption(
      "trustBrowsersFor",
      trustBrowsersFor,
      `whole seconds from 0 to ${LONGEST_TRUST}, which are 90 days`,
    );
  }
  return {
    id: "second-factor",
    send: readSendMail(sendMail, {
      provider: "secondFactor()",
      reason: "by which owners learn what happens to their second factor",
    }) as CheckedSecondFactor["send"],
    issuer: issuer === undefined ? null : readText(issuer, "issuer", "a display name"),
    trust: trustBrowsersFor * 1000,
    required: required as SecondFactorConfig<unknown>["required"],
    recovery: readRecoveryDelay(recovery),
  };
}

/** The module, with the options that `resetSecondFactor()` needs. */
interface SecondFactorModule extends EndpointModule {
  secondFactor: CheckedSecondFactor;
}

function createModule(config: unknown): SecondFactorModule {
  const checked = readConfig(config);
  return {
    id: checked.id,
    secondFactor: checked,
    endpoints: () => [
      { path: PATHS.step, method: "GET", endpoint: showStep(checked) },
      { path: PATHS.step, method: "POST", endpoint: stepEndpoint(checked) },
      { path: PATHS.passkey, method: "POST", endpoint: passkeyQuestion },
      { path: PATHS.setUp, method: "GET", endpoint: showSetUp(checked) },
      { path: PATHS.setUp, method: "POST", endpoint: setUpEndpoint(checked) },
      { path: PATHS.codes, method: "POST", endpoint: codesEndpoint(checked) },
      { path: PATHS.off, method: "POST", endpoint: offEndpoint(checked) },
      { path: PATHS.browsers, method: "POST", endpoint: browsersEndpoint() },
      ...checked.recovery === null ? [] : recoveryEndpoints(checked, checked.recovery),
      ...developmentMailEndpoints(),
    ],
    accountSection: (store, look, user) => factorSection(store, look, user, checked),
    gate: {
      pass: passSecondFactor(checked),
      assertFresh: assertFreshFactor(checked),
      keep: keepProof,
      require: requireFactor,
      enters: passTenant(checked),
    },
    check({ hasDatabase, storage, strategy, secrets }) {
      if (!hasDatabase) {
        throw wrongOption("database", undefined, "a database, which secondFactor() needs");
      }
      for (const group of [secondFactorGroup, secretGroup, sentSecretGroup]) {
        groupOf<unknown>(storage, group);
      }
      if (secrets.length === 0) {
        throw new ConfigurationError(
          "secondFactor() needs `secret`, which seals the secrets of authenticator apps: write secret: " +
            "process.env.AUTH_SECRET, at least 32 bytes, as of openssl rand -hex 32",
          { field: "secret" },
        );
      }
      if (!strategy.revocable) {
        throw new ConfigurationError(
          'secondFactor() cannot be used with the session strategy "jwt" alone: turning it on ends the other sessions, and ' +
            "nobody remembers which tokens are over. Write session: { …, revocation: createSqlRevocationStore(env.DB) }.",
          { field: "session.revocation" },
        );
      }
    },
  };
}

/**
 * Two-step sign-in: a code of an authenticator app (TOTP, RFC 6238) beside the first factor, recovery codes, trusted browsers.
 * Its users turn it on themselves, at `/auth/second-factor/setup` or on the account page; `requireSecondFactor()` makes those
 * of a page do so.
 *
 * It is asked for where a session begins, whatever the way in: every provider, a link or a code by mail, `startSession()` and
 * `issueSession()`. A passkey that has verified its user in this sign-in is two factors itself. Each code is accepted once,
 * and 20 wrong ones a day close the app's codes for that day; only who has proved the first factor can type any. It needs a
 * database and `secret`.
 *
 * @param config How the owner of an account is told; or a function that makes that from the environment. Default: mails are
 * shown to the developer.
 * @throws {ConfigurationError} When the configuration is wrong, or in production without `sendMail`; of a function, at the
 * first request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, passwords, secondFactor } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   secret: "a secret of at least thirty-two bytes",
 *   providers: [
 *     passwords({ sendMail: ({ to, subject, text }) => {} }),
 *     secondFactor({ sendMail: ({ to, subject, text }) => {} }),
 *   ],
 * });
 * const response = await auth.handle(new Request("http://localhost/auth/second-factor/setup"), {});
 * equal(response?.status, 303); // to the sign-in page
 * ```
 */
export function secondFactor<Env = DefaultEnv>(
  config?: SecondFactorConfig<Env> | ((env: Env) => SecondFactorConfig<Env>),
): Provider {
  if (typeof config !== "function") return { kind: "provider", definition: createModule(config) };
  return { kind: "provider", definition: (env: Env) => createModule(config(env)) };
}
