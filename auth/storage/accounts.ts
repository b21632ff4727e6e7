/**
 * Accounts at providers: port, SQL and accessors.
 *
 * @module
 */

import type { User } from "../types/user.ts";
import { HOLDER, writeProof } from "./first_proof.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import { columnsOf, type Row, valuesOf } from "./rows.ts";
import { conditionValues, firstUser, lockUser, saveBatch } from "./sql.ts";
import { changesOf } from "./sql_executor.ts";
import { ACCOUNT } from "./statements.ts";
import type { AccountRecord, AccountTokens } from "./records.ts";

/** Options for storing the proof of a mailbox. */
export interface ProveEmailOptions {
  /**
   * The mailbox, see `parseEmailAddress()`. The user must have this one, or have kept its address without the
   * identity while nobody else has that: an address which in lower case is this mailbox. With the proof the user has it.
   */
  emailIdentity: string;
  /** Now, in milliseconds since 1970. */
  at: number;
  /**
   * True when what is there is known to be the owner's: the mailbox is proved, nothing is removed, and checks of
   * credentials count as before. The library says so where whoever proves the mailbox is known to be who uses the
   * account: in the session in which they asked for the confirmation, or with the password of the account; never where
   * somebody signs in by the mailbox. When it was proved before, it makes no difference. Default false.
   */
  keepOwn?: boolean;
}

/** Operations for a sign-in with an account at a provider, or with a mailbox. */
export interface AccountStorage {
  /** Reads the account; null when there is none. Safe to repeat. */
  findAccount(provider: string, providerAccountId: string): Promise<AccountRecord | null>;
  /**
   * Reads the user with this mailbox, see `parseEmailAddress()`; null when there is none, and for a disabled one. Safe
   * to repeat.
   */
  getUserByEmail(emailIdentity: string): Promise<User | null>;
  /**
   * Stores that a user has proved their mailbox. The first proof also removes whatever somebody who never
   * proved it may have left to come back by: sessions, accounts, passkeys, the password, known and trusted browsers,
   * what sessions have proved, API keys and secrets of the user, and memberships where the store has tenants. A second
   * factor stays. Checks of credentials never count from then on, also those that begin later, until a password is set
   * or `endEverything()` says from when they do. Of several proofs at once one is the first.
   * Safe to repeat: the second call says "already".
   *
   * @returns "already" when it was proved, "absent" when there is no such user with this mailbox, or a disabled one.
   */
  proveEmail(userId: string, options: ProveEmailOptions): Promise<"proved" | "already" | "absent">;
}

/** The statements. Each is one wherever a race would matter. */
function writeAccountStatements() {
  return {
    /** ?1 provider, ?2 id there. */
    find: `SELECT ${columnsOf(ACCOUNT)} FROM accounts
WHERE provider = ?1 AND provider_account_id = ?2`,
    ...writeProof(),
    /** ?1 user, ?2 mailbox. */
    hasMailbox: `SELECT 1 AS found FROM users WHERE ${HOLDER}`,
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const accountText = /* @__PURE__ */ writeAccountStatements();

/** Makes the operations that a sign-in with an account needs. */
function createAccountOperations(parts: SqlParts): AccountStorage {
  const { executor, reader, statements } = parts;
  const { prepare, repeat } = executor;
  return {
    findAccount(provider, providerAccountId) {
      return repeat("find the account", async () => {
        const row = await prepare(accountText.find).bind(provider, providerAccountId).first<Row>();
        return reader.record(row, ACCOUNT);
      });
    },
    getUserByEmail(emailIdentity) {
      return repeat(
        "find the user",
        () => firstUser(parts, prepare(statements.selectUserByEmail).bind(emailIdentity)),
      );
    },
    proveEmail(userId, { emailIdentity, at, keepOwn = false }) {
      return repeat("store the proof of the mailbox", async () => {
        const results = await saveBatch(executor, [
          ...lockUser(parts, userId),
          ...keepOwn ? [] : accountText.ends.map((sql) => prepare(sql).bind(userId, emailIdentity)),
          prepare(keepOwn ? accountText.proveKeeping : accountText.prove).bind(
            userId,
            emailIdentity,
            at,
          ),
          prepare(accountText.hasMailbox).bind(userId, emailIdentity),
        ]);
        if (results.at(-2)!.results.length > 0) return "proved";
        return results.at(-1)!.results.length > 0 ? "already" : "absent";
      });
    },
  };
}

/**
 * Group of operations on accounts at providers, and of users by their mailbox, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { accountGroup, createMemoryStorage, groupOf } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const accounts = groupOf(createMemoryStorage(), accountGroup);
 * equal(await accounts.findAccount("github", "583231"), null);
 * ```
 */
export const accountGroup: StorageGroup<AccountStorage> = {
  name: "accounts",
  sql: createAccountOperations,
};

/**
 * Outcome for an account that is to be linked: `"linked"` when it is the user's from now on; `"updated"` when it was the
 * user's already and its tokens are written; `"taken"` when it is another user's; `"absent"` when the user does not exist or
 * is disabled, or the options refuse. Nothing is written with the last two.
 */
export type LinkOutcome = "linked" | "updated" | "taken" | "absent";

/** Conditions of a way in that is added to a user. */
export interface AddWayOptions {
  /**
   * True when the user was read as unproved, as in `SaveUserOptions`: refused when the mailbox was proved meanwhile.
   * Default false.
   */
  unproved?: boolean;
  /**
   * Public name of the session in which the user asked for it, stored as a row: refused when that row is gone.
   * Default: none.
   */
  sessionId?: string;
}

/** The ways to sign in that the configuration of an application opens. */
export interface OpenWays {
  /** Ids of the providers whose accounts sign in. */
  accounts: readonly string[];
  /** True when a passkey signs in. */
  passkeys: boolean;
  /** True when a mailbox that is proved signs in, or sets a new password. */
  mailbox: boolean;
  /** True when the stored password of a user with a mailbox signs in. */
  passwords: boolean;
}

/** Condition of the removal of a way to sign in. */
export interface RemoveWayOptions {
  /** The ways of which the user must have one afterwards; null when none has to remain. */
  keep: OpenWays | null;
}

/** Place of {@linkcode andWayRemains} in a statement. */
interface WayRemains {
  /** Placeholder of the user's id, such as "?1". */
  user: string;
  /** Number of the first free placeholder. */
  first: number;
  /** Conditions on the `others` that remain of accounts and of passkeys. Default: all of them remain. */
  removed: { accounts?: string; passkeys?: string };
}

/**
 * Condition that a user has a way to sign in afterwards, in the very statement that removes one: an address that is
 * proved meanwhile, or is not any more, counts as it is then.
 */
export function andWayRemains(
  keep: OpenWays | null,
  { user, first, removed }: WayRemains,
): string {
  if (keep === null) return "";
  const { accounts, passkeys, mailbox, passwords } = keep;
  const ids = accounts.map((_, index) => `?${first + index}`).join(", ");
  const own = `FROM users WHERE id = ${user} AND email_identity IS NOT NULL`;
  const ways = [
    accounts.length > 0 && `SELECT 1 FROM accounts AS others WHERE others.user_id = ${user}
  AND others.provider IN (${ids})${removed.accounts ?? ""}`,
    passkeys &&
    `SELECT 1 FROM passkeys AS others WHERE others.user_id = ${user}${removed.passkeys ?? ""}`,
    mailbox && `SELECT 1 ${own} AND email_verified IS NOT NULL`,
    passwords &&
    `SELECT 1 ${own} AND EXISTS (SELECT 1 FROM password_hashes WHERE user_id = ${user})`,
  ].filter((way) => way !== false).map((way) => `EXISTS (${way})`);
  return ways.length === 0 ? " AND 1 = 0" : `\nAND (${ways.join("\n  OR ")})\n`;
}

/** The tokens after a refresh. */
export interface SwapTokensOptions extends AccountTokens {
  /** The `updatedAt` that was read; another value in the meantime means that somebody was faster. */
  from: number;
  /** Now, in milliseconds since 1970. */
  at: number;
}

/** The ways to sign in that a user has, whatever the configuration opens. */
export interface UserWays {
  /** Ids of the providers at which the user has an account, each once. */
  accounts: string[];
  /** True when the user has a passkey. */
  passkeys: boolean;
  /** True when there is a password of `passwords()`. */
  password: boolean;
}

/** Operations on the accounts of somebody who is signed in. */
export interface LinkedAccountStorage {
  /** Reads the ways to sign in of a user, in one statement. Safe to repeat. */
  readWays(userId: string): Promise<UserWays>;
  /**
   * Makes an account a user's, whose `updatedAt` is then its `createdAt`. Of a known one of theirs `email` is written, and
   * the tokens unless `accessToken` is null; a refresh token that is null does not replace one; `type` and `createdAt`
   * stay, and `updatedAt` becomes the given one, or one more than it was where that is later. Unique: provider and id
   * there belong to one user, also when two link the account at once. Not safe to repeat: the second call says "updated".
   */
  linkAccount(account: AccountRecord, options?: AddWayOptions): Promise<LinkOutcome>;
  /** Lists the accounts of a user, the one linked first first. Safe to repeat. */
  listAccounts(userId: string): Promise<AccountRecord[]>;
  /**
   * Removes an account of this user and of no other. With `keep` it is "last", and stays, when none of those ways
   * would remain, also when several are removed at once. Safe to repeat: the second call says "absent".
   */
  unlinkAccount(
    userId: string,
    provider: string,
    providerAccountId: string,
    options: RemoveWayOptions,
  ): Promise<"unlinked" | "absent" | "last">;
  /**
   * Writes the tokens of a refresh, each as it is given, null too; false when the account is gone or was written
   * meanwhile. `updatedAt` becomes `at`, or one more than `from` where that is later. Of several at once that read the
   * same account one writes. Safe to repeat: the second call writes nothing and says false.
   */
  swapAccountTokens(
    provider: string,
    providerAccountId: string,
    tokens: SwapTokensOptions,
  ): Promise<boolean>;
}

/** Condition of an addition to `users`: its user asked for it in a session that has not ended, "" for none. */
export function askedIn(index: number): string {
  return ` AND (?${index} = '' OR EXISTS (SELECT 1 FROM sessions WHERE id = ?${index} AND user_id = users.id))`;
}

/** The account that is to be removed. */
const OTHER_ACCOUNTS = {
  accounts: " AND (others.provider <> ?1 OR others.provider_account_id <> ?2)",
};

/** Ends the accounts of the user ?1 at providers, see `endEverything()`. */
export function endAccounts(holds = ""): string[] {
  return [`DELETE FROM accounts WHERE user_id = ?1${holds}`];
}

/**
 * Ends the tokens of the providers of the user ?1, see `endEverything()`. A refresh that is under way reads that
 * somebody was faster, and stores none.
 */
export function endProviderTokens(holds = ""): string[] {
  return [`UPDATE accounts SET access_token = NULL, refresh_token = NULL, expires_at = NULL,
  token_type = NULL, scope = NULL, updated_at = updated_at + 1 WHERE user_id = ?1${holds}`];
}

/** The statements. Each is one wherever a race would matter. */
function writeLinkStatements() {
  return {
    /** ?1 user. No provider's id is a name with a space. */
    ways: `SELECT provider FROM accounts WHERE user_id = ?1
UNION SELECT 'a passkey' FROM passkeys WHERE user_id = ?1
UNION SELECT 'a password' FROM password_hashes WHERE user_id = ?1`,
    /** ?1 user. */
    list: `SELECT ${columnsOf(ACCOUNT)} FROM accounts WHERE user_id = ?1
ORDER BY created_at, provider, provider_account_id`,
    /** ?1 provider, ?2 id there, ?3 user, the providers of the ways to keep from ?4 on. */
    unlink: (keep: OpenWays | null) =>
      `DELETE FROM accounts WHERE provider = ?1 AND provider_account_id = ?2
AND user_id = ?3${
        andWayRemains(keep, { user: "?3", first: 4, removed: OTHER_ACCOUNTS })
      } RETURNING provider`,
    /** ?1 provider, ?2 id there, ?3 user. */
    isOwn: `SELECT 1 AS found FROM accounts
WHERE provider = ?1 AND provider_account_id = ?2 AND user_id = ?3`,
    /**
     * ?1 provider, ?2 id there, ?3 the updated_at that was read, ?4 now, ?5 access token, ?6 refresh token,
     * ?7 expires, ?8 token type, ?9 scope.
     */
    swap: `UPDATE accounts SET updated_at = ?4, access_token = ?5, refresh_token = ?6,
  expires_at = ?7, token_type = ?8, scope = ?9
WHERE provider = ?1 AND provider_account_id = ?2 AND updated_at = ?3`,
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const linkText = /* @__PURE__ */ writeLinkStatements();

/** Makes the operations on the accounts of somebody who is signed in. */
function createLinkedAccountOperations(parts: SqlParts): LinkedAccountStorage {
  const { executor: { prepare, batch, repeat, once, failureOf }, reader, statements } = parts;
  const saveAccount = statements.saveAccount(askedIn(17));
  return {
    readWays(userId) {
      return repeat("read the ways to sign in", async () => {
        const { results } = await prepare(linkText.ways).bind(userId).all<{ provider: string }>();
        const found = results.map(({ provider }) => provider);
        return {
          accounts: found.filter((one) => !one.includes(" ")),
          passkeys: found.includes("a passkey"),
          password: found.includes("a password"),
        };
      });
    },
    linkAccount(account, options) {
      return once("link the account", async () => {
        try {
          const row = await prepare(saveAccount)
            .bind(
              ...valuesOf(ACCOUNT, account),
              ...conditionValues(options),
              0,
              options?.sessionId ?? "",
            ).first<Row>();
          if (row === null) return "absent";
          return row.created_at === row.updated_at ? "linked" : "updated";
        } catch (error) {
          const failure = failureOf(error);
          if (failure === "account-taken") return "taken";
          if (failure === "owner-gone") return "absent";
          throw error;
        }
      });
    },
    listAccounts(userId) {
      return repeat("list the accounts", async () => {
        const { results } = await prepare(linkText.list).bind(userId).all<Row>();
        return results.map((row) => reader.record(row, ACCOUNT))
          .filter((account) => account !== null);
      });
    },
    unlinkAccount(userId, provider, providerAccountId, { keep }) {
      return repeat("unlink the account", async () => {
        const key = [provider, providerAccountId, userId];
        const results = await batch([
          ...lockUser(parts, userId),
          prepare(linkText.unlink(keep)).bind(...key, ...keep?.accounts ?? []),
          prepare(linkText.isOwn).bind(...key),
        ]);
        if (results.at(-2)!.results.length > 0) return "unlinked";
        return results.at(-1)!.results.length > 0 ? "last" : "absent";
      });
    },
    // Repeated when the answer is lost: a refresh token that is not stored may be the only one that works.
    swapAccountTokens(provider, providerAccountId, tokens) {
      const { from, at, accessToken, refreshToken, expiresAt, tokenType, scope } = tokens;
      return repeat("store the tokens of the account", async () => {
        const swapped = await prepare(linkText.swap).bind(
          provider,
          providerAccountId,
          from,
          Math.max(at, from + 1),
          accessToken,
          refreshToken,
          expiresAt,
          tokenType,
          scope,
        ).run();
        return changesOf(swapped) > 0;
      });
    },
  };
}

/**
 * Group of operations on the accounts of somebody who is signed in, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, linkedAccountGroup } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const accounts = groupOf(createMemoryStorage(), linkedAccountGroup);
 * deepEqual(await accounts.listAccounts("ada"), []);
 * ```
 */
export const linkedAccountGroup: StorageGroup<LinkedAccountStorage> = {
  name: "linkedAccounts",
  sql: createLinkedAccountOperations,
};
