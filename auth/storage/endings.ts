/**
 * Ending of what a user has: port, SQL and accessor.
 *
 * @module
 */

import { endApiKeys } from "./api_keys.ts";
import { endAccounts, endProviderTokens } from "./accounts.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import { endKnownBrowsers } from "./known_browsers.ts";
import { endImpersonations } from "./impersonations.ts";
import { endPasskeys } from "./passkeys.ts";
import { endCredentials, endPassword, endSignUps } from "./passwords.ts";
import { endFactors, endPendingSteps, endTrustedBrowsers } from "./second_factors.ts";
import { endLinks } from "./secrets.ts";
import { lockUser } from "./sql.ts";
import { endSessions } from "./statements.ts";

/**
 * Writes the statements that end something of the user `?1`. Each feature has its own beside its SQL.
 *
 * @param holds A further condition of each, which begins with AND. Default: none.
 */
export type EndingText = (holds?: string) => readonly string[];

/** Name of something of a user that can be ended. */
export interface Endings {
  /** Sessions. With the session strategy 'jwt' they are no rows, and the revocation store ends them. */
  readonly sessions: EndingText;
  /** Browsers that have attempts to sign in of their own. */
  readonly knownBrowsers: EndingText;
  /**
   * Links and codes in mails, one-time tokens, links to a new password or address, ceremonies that are under way: all
   * secrets of the user, and those of the purposes "email-link" and "email-code" whose `identifier` is the user's mailbox,
   * which have no user.
   */
  readonly links: EndingText;
  /** The password of `passwords()`, and the checks of credentials that are running. */
  readonly password: EndingText;
  /** Sign-ups for the address of the user that wait for its proof. */
  readonly signUps: EndingText;
  /** Passkeys. */
  readonly passkeys: EndingText;
  /**
   * The second factor, with its recovery codes, the trusted browsers and what sessions have proved: the first factor
   * signs in alone.
   */
  readonly factors: EndingText;
  /** Browsers in which the second factor need not be proved to sign in. */
  readonly trustedBrowsers: EndingText;
  /**
   * Secrets of the user with the purposes `STEP_PURPOSE`, `RECOVERY_PURPOSE` and `IMPERSONATION_PURPOSE`: sign-ins that wait
   * for the second factor, the request to do without it, and whoever acts for the user.
   */
  readonly pendingSteps: EndingText;
  /** API keys of the user; those of a tenant stay, also what the user has made. */
  readonly apiKeys: EndingText;
  /** Accounts at providers, as ways to sign in, with their tokens. */
  readonly accounts: EndingText;
  /** Tokens of providers: the accounts stay ways to sign in. `updatedAt` grows, so that no refresh under way stores any. */
  readonly providerTokens: EndingText;
}

/** Name of something that can be ended of a user. */
export type Ending = keyof Endings;

/** The statements of each name, in the order in which a batch runs them: what reads a row comes before what ends it. */
export const ENDINGS: Endings = {
  sessions: endSessions,
  knownBrowsers: endKnownBrowsers,
  links: endLinks,
  password: endPassword,
  signUps: endSignUps,
  passkeys: endPasskeys,
  factors: endFactors,
  trustedBrowsers: endTrustedBrowsers,
  pendingSteps: (holds) => [...endPendingSteps(holds), endImpersonations(holds)],
  apiKeys: endApiKeys,
  accounts: endAccounts,
  providerTokens: endProviderTokens,
};

/** Time of an ending, and exceptions from it. */
export interface EndEverythingOptions {
  /** Now, in milliseconds since 1970. */
  at: number;
  /** Public id of a session that goes on. Default: none does. */
  exceptId?: string | undefined;
  /**
   * True when the time from which checks of credentials count rises to `at`, see {@linkcode Storage}, so that those that are
   * running sign nobody in, as it does when `password` ends. Default false.
   */
  credentials?: boolean;
  /**
   * True when the user was read as unproved: when the mailbox has been proved meanwhile, the time from which checks
   * count stays as it is. Default false.
   */
  unproved?: boolean;
}

/** The operation that ends several things of a user at once. */
export interface EndingStorage {
  /**
   * Ends what is named of a user, all of it or nothing; nothing else. A session or a secret that is stored at the same
   * time is there before, and ends, or afterwards. Safe to repeat; the time from which
   * credentials count may move on once more.
   *
   * @returns False when there is no such user.
   */
  endEverything(
    userId: string,
    what: readonly Ending[],
    options: EndEverythingOptions,
  ): Promise<boolean>;
}

function createEndingOperations(parts: SqlParts): EndingStorage {
  const { executor: { prepare, batch, repeat } } = parts;
  return {
    endEverything(userId, what, { at, exceptId, credentials = false, unproved = false }) {
      return repeat("end what the user has", async () => {
        const names = Object.keys(ENDINGS) as Ending[];
        const results = await batch([
          ...lockUser(parts, userId),
          ...names.filter((name) => what.includes(name)).flatMap((name) =>
            name === "sessions" && exceptId !== undefined
              ? endSessions(" AND id <> ?2").map((sql) => prepare(sql).bind(userId, exceptId))
              : ENDINGS[name]().map((sql) => prepare(sql).bind(userId))
          ),
          ...credentials || what.includes("password")
            ? [prepare(endCredentials).bind(userId, at, unproved ? 1 : 0)]
            : [],
          prepare("SELECT 1 AS found FROM users WHERE id = ?1").bind(userId),
        ]);
        return results.at(-1)!.results.length > 0;
      });
    },
  };
}

/**
 * Group of the operation that ends several things of a user at once, for `groupOf()`: from a command or a scheduled
 * task, which have no request.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, endingGroup, groupOf } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryStorage(); // or auth.storage(env)
 * const at = Date.now();
 * await storage.createUser({ user: { id: "ada" }, emailIdentity: null, at });
 * const endings = groupOf(storage, endingGroup);
 * equal(await endings.endEverything("ada", ["sessions", "links", "passkeys"], { at }), true);
 * equal(await endings.endEverything("nobody", ["sessions"], { at }), false);
 * ```
 */
export const endingGroup: StorageGroup<EndingStorage> = {
  name: "endings",
  sql: createEndingOperations,
};
