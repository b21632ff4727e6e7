// Faults that somebody's own storage may have, planted in one over SQLite one at a time: for each, the tests of
// testStorage() that notice it.
import {
  authSchema,
  createSqlStorage,
  type SqlDatabase,
  type SqlResult,
  type SqlStatement,
  UserExistsError,
} from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import { type StorageTools, testStorage } from "@framework/testing/storage";
import assert, { AssertionError } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { overTrips } from "../../auth/tests/over_trips.ts";
import { type CompleteStorage, completeStorage } from "./complete_storage.ts";

/** The file behind a database, and its exchanges. */
interface Opened extends StorageTools {
  file: DatabaseSync;
}

/** Something that a storage does wrong. */
interface Fault {
  /** The tests that notice it. */
  noticed: string[];
  /** A part of its statements, and what it has in the place of that. */
  text?: [right: string, wrong: string];
  /** A part of its tables, and what it has in the place of that. */
  tables?: [right: string, wrong: string];
  /** Operations that it has in the place of its own. */
  operations?: (storage: CompleteStorage, database: SqlDatabase) => Partial<CompleteStorage>;
  /** Database that it takes it for. */
  database?: (database: SqlDatabase, opened: Opened) => SqlDatabase;
}

/** The same database, of whose results of statements that write something is told wrong. */
function withResults(
  database: SqlDatabase,
  tell: (result: SqlResult) => SqlResult,
): SqlDatabase {
  interface Wrapped extends SqlStatement {
    inner: SqlStatement;
  }
  const wrap = (inner: SqlStatement): Wrapped => ({
    inner,
    bind: (...values) => wrap(inner.bind(...values)),
    first: <T>() => inner.first<T>(),
    all: <T>() => inner.all<T>(),
    run: async () => tell(await inner.run()),
  });
  return {
    prepare: (sql) => wrap(database.prepare(sql)),
    batch: async (statements) =>
      (await database.batch((statements as Wrapped[]).map(({ inner }) => inner))).map(tell),
  };
}

/** Runs one statement of a fault. */
async function run(
  database: SqlDatabase,
  sql: string,
  ...values: (string | number)[]
): Promise<SqlResult> {
  return await database.prepare(sql).bind(...values).run();
}

const LIVE_SECRET = "purpose = ?1 AND hash = ?2 AND expires_at > ?3";

const FAULTS: Record<string, Fault> = {
  // What is read and what is written are two steps.
  "a mailbox is looked for before its user is inserted": {
    noticed: ["createUser() makes one of several users with one mailbox at once"],
    tables: ["email_identity TEXT UNIQUE", "email_identity TEXT"],
    operations: (storage) => ({
      async createUser(record) {
        const { emailIdentity } = record;
        if (emailIdentity !== null && await storage.getUserByEmail(emailIdentity) !== null) {
          throw new UserExistsError();
        }
        await storage.createUser(record);
      },
    }),
  },
  "an id is looked for before its user is inserted": {
    noticed: ["createUser() makes one of several users with one id at once"],
    text: ["INSERT INTO users\n", "INSERT OR REPLACE INTO users\n"],
    operations: (storage) => ({
      async createUser(record) {
        if (await storage.getUser(record.user.id) !== null) throw new UserExistsError();
        await storage.createUser(record);
      },
    }),
  },
  "a mailbox is looked for before a user gets it": {
    noticed: ["updateUser() gives a mailbox to one of several users at once"],
    tables: ["email_identity TEXT UNIQUE", "email_identity TEXT"],
    operations: (storage) => ({
      async updateUser(record) {
        const holder = await storage.getUserByEmail(record.emailIdentity ?? "");
        if (holder !== null && holder.id !== record.user.id) throw new UserExistsError();
        return await storage.updateUser(record);
      },
    }),
  },
  "a secret is read before it is removed": {
    noticed: [
      "takeSecret() gives a secret to one of 100 at once",
      "takeSecret() and redeemSecret() of one secret at once: one of them has it",
    ],
    operations: (storage) => ({
      async takeSecret(purpose, hash, options) {
        const found = await storage.readSecret(purpose, hash, options.now);
        const isOther = options.identifier !== undefined &&
          options.identifier !== found?.identifier;
        if (found === null || isOther) return null;
        await storage.takeSecret(purpose, hash, options);
        return found;
      },
    }),
  },
  "an attempt is counted from what was read": {
    noticed: ["countAttempt() counts each of several at once, up to the limit"],
    operations: (storage, database) => ({
      async countAttempt(purpose, hash, { now, max }) {
        const found = await storage.readSecret(purpose, hash, now);
        if (found === null || found.attempts >= max) return null;
        const attempts = found.attempts + 1;
        const sql = "UPDATE verifications SET attempts = ?3 WHERE purpose = ?1 AND hash = ?2";
        await run(database, sql, purpose, hash, attempts);
        return { ...found, attempts };
      },
    }),
  },
  "the counter of a passkey is compared before it is written": {
    noticed: ["advancePasskey() is done by one of several at once"],
    text: ["WHERE id = ?1 AND counter = ?2", "WHERE id = ?1 AND ?2 = ?2"],
    operations: (storage) => ({
      async advancePasskey(id, options) {
        if ((await storage.getPasskey(id))?.counter !== options.from) return false;
        return await storage.advancePasskey(id, options);
      },
    }),
  },
  "passkeys are counted before one is inserted": {
    noticed: [
      "insertPasskey() stores fifty for one user, also of many at once",
    ],
    text: ["user_id = ?2) < 50", "user_id = ?2) < 5000"],
    operations: (storage) => ({
      async insertPasskey(passkey, options) {
        if ((await storage.listPasskeys(passkey.userId)).length >= 50) return false;
        return await storage.insertPasskey(passkey, options);
      },
    }),
  },
  "API keys are counted before one is inserted": {
    noticed: ["insertApiKey() stores nothing for who is gone or disabled, and no more than may be"],
    operations: (storage) => ({
      async insertApiKey(key, { max }) {
        const { userId, tenantId } = key;
        const owner = userId === null ? { tenantId: tenantId! } : { userId };
        if ((await storage.listApiKeys(owner)).length >= max) return false;
        return await storage.insertApiKey(key, { max: 1000 });
      },
    }),
  },
  "tokens of a provider are compared before they are written": {
    noticed: ["swapAccountTokens() is done by one of several at once"],
    text: [
      "provider_account_id = ?2 AND updated_at = ?3",
      "provider_account_id = ?2 AND ?3 = ?3",
    ],
    operations: (storage) => ({
      async swapAccountTokens(provider, id, tokens) {
        if ((await storage.findAccount(provider, id))?.updatedAt !== tokens.from) return false;
        return await storage.swapAccountTokens(provider, id, tokens);
      },
    }),
  },
  "a sealed secret is compared before it is sealed anew": {
    noticed: [
      "swapFactorSecret() is done by one of several at once, and never over another factor",
    ],
    text: [
      "SET secret = ?3 WHERE user_id = ?1 AND secret = ?2",
      "SET secret = ?3 WHERE user_id = ?1 AND ?2 = ?2",
    ],
    operations: (storage) => ({
      async swapFactorSecret(userId, secrets) {
        if ((await storage.readFactor(userId))?.secret !== secrets.from) return false;
        return await storage.swapFactorSecret(userId, secrets);
      },
    }),
  },
  "sealed tokens are compared before they are sealed anew": {
    noticed: [
      "swapSealedTokens() and swapAccountTokens() of one account at once: one of them writes",
    ],
    text: [
      "WHERE provider = ?1 AND provider_account_id = ?2 AND updated_at = ?3",
      "WHERE provider = ?1 AND provider_account_id = ?2 AND ?3 = ?3",
    ],
    operations: (storage) => ({
      async swapSealedTokens(key, tokens) {
        const { provider, providerAccountId } = key;
        const found = await storage.findAccount(provider, providerAccountId);
        if (found?.updatedAt !== tokens.from) return false;
        return await storage.swapSealedTokens(key, tokens);
      },
    }),
  },
  "tokens that are sealed anew leave the account as old as it was": {
    noticed: [
      "swapSealedTokens() writes the two tokens where the account is as it was read, and nothing else",
    ],
    text: [
      "refresh_token = ?5, updated_at = updated_at + 1",
      "refresh_token = ?5, updated_at = updated_at",
    ],
  },
  "a page of accounts begins behind the provider of the one before": {
    noticed: ["pageFactorSecrets() and pageSealedTokens() give every row once, page by page"],
    text: [
      "WHERE provider = ?1 AND provider_account_id > ?2",
      "WHERE provider = ?1 AND provider < ?2 AND 1 = 0",
    ],
  },
  "a hash is compared before it is replaced": {
    noticed: ["replaceHash() replaces the hash that was read, and none that was set meanwhile"],
    text: ["WHERE user_id = ?1 AND hash = ?2", "WHERE user_id = ?1 AND ?2 = ?2"],
    operations: (storage) => ({
      async replaceHash(userId, hashes) {
        if ((await storage.readPassword(userId))?.hash !== hashes.from) return false;
        return await storage.replaceHash(userId, hashes);
      },
    }),
  },
  "an invitation is read before it is removed": {
    noticed: ["of many that take an invitation at once, one does"],
    operations: (storage) => ({
      async takeInvitation(hash, now) {
        if (await storage.readInvitation(hash, now) === null) return false;
        await storage.takeInvitation(hash, now);
        return true;
      },
    }),
  },
  "recovery codes are counted before one is removed": {
    noticed: ["takeRecoveryCode() takes a code of this user once, of a hundred at once"],
    operations: (storage) => ({
      async takeRecoveryCode(userId, hash) {
        const before = await storage.countRecoveryCodes(userId);
        await storage.takeRecoveryCode(userId, hash);
        return before > await storage.countRecoveryCodes(userId);
      },
    }),
  },
  "whether the user is blocked is read before the session is inserted": {
    noticed: [
      "disableUser() leaves no session to a sign-in at the same time",
    ],
    text: ["disabled_at IS NULL AND COALESCE", "COALESCE"],
    operations: (storage) => ({
      async insertSession(session, options) {
        if (await storage.getActiveUser(session.userId) === null && !options?.owner) return null;
        return await storage.insertSession(session, options);
      },
    }),
  },
  "whether credentials count is read before the session is inserted": {
    noticed: [
      "endEverything() leaves no session to a sign-in whose credentials were checked before",
      "setPassword() leaves no session to a check of before at the same time",
    ],
    operations: (storage) => ({
      async insertSession(session, { proofBegunAt, ...options } = {}) {
        const counts = proofBegunAt === undefined ||
          await storage.credentialsCount(session.userId, proofBegunAt);
        return counts ? await storage.insertSession(session, options) : null;
      },
    }),
  },
  "the ways that are left are read before one is removed": {
    noticed: ["unlinkAccount() and deletePasskey() at once never leave a user without a way in"],
    operations: (storage) => ({
      async unlinkAccount(userId, provider, id, { keep }) {
        const { accounts, passkeys } = await storage.readWays(userId);
        if (keep !== null && accounts.length + (passkeys ? 1 : 0) < 2) return "last";
        return await storage.unlinkAccount(userId, provider, id, { keep: null });
      },
    }),
  },

  // What belongs to one transaction is several.
  "the session of before ends behind the transaction": {
    noticed: [
      "insertSession() with a new owner, in place of another session happens as a whole or not at all when an exchange is lost",
    ],
    operations: (storage) => ({
      async insertSession(session, { replaces, ...options } = {}) {
        const saved = await storage.insertSession(session, options);
        if (saved !== null && replaces !== undefined) await storage.deleteSession(replaces);
        return saved;
      },
    }),
  },
  "a user is read behind the transaction that makes them": {
    noticed: ["saveUser() makes a user once when several sign in for the first time at once"],
    operations: (storage) => ({
      async saveUser(record, options) {
        const before = await storage.getUser(record.user.id);
        const saved = await storage.saveUser(record, options);
        return saved && { user: saved.user, created: before === null };
      },
    }),
  },
  "a connection whose ROLLBACK was lost is used again": {
    noticed: [
      "insertSession() with a new owner and an account happens as a whole or not at all when an exchange is lost",
    ],
    database: (database, { file, trip }) => ({
      prepare: (sql) => database.prepare(sql),
      async batch(statements) {
        const results: SqlResult[] = [];
        await trip(() => file.exec("BEGIN"));
        try {
          for (const statement of statements) results.push(await statement.run());
          await trip(() => file.exec("COMMIT"));
        } catch (error) {
          await trip(() => file.isTransaction && file.exec("ROLLBACK")).catch(() => {});
          throw error;
        }
        return results;
      },
    }),
  },
  "what is not safe to repeat is repeated": {
    noticed: ["createUser() happens as a whole or not at all when an exchange is lost"],
    operations: (storage) => ({
      createUser: (record) => storage.createUser(record).catch(() => storage.createUser(record)),
    }),
  },

  // The number of rows that a statement changed.
  "a statement is thought to have changed a row": {
    noticed: [
      "renewSession() is done by one of several at once",
      "renewSession() does not revive a session that has ended",
      "deleteSession() tells whether there was one",
    ],
    database: (database) =>
      withResults(database, (result) => ({ ...result, meta: { ...result.meta, changes: 1 } })),
  },
  "how many rows a statement changed is lost": {
    noticed: [
      "renewSession() moves the end once for one state",
      "deleteSessions() ends all of a user's, or all but one",
      "sweep() removes ended sessions, at most as many as it may",
    ],
    database: (database) =>
      withResults(database, (result) => ({ ...result, meta: { ...result.meta, changes: 0 } })),
  },

  // Ends.
  "a secret can be read at its end": {
    noticed: ["a secret that has ended is not there"],
    text: [LIVE_SECRET, "purpose = ?1 AND hash = ?2 AND expires_at >= ?3"],
  },
  "a used secret can be redeemed at its end": {
    noticed: [
      "redeemSecret() of nobody's takes the secret, what is about the same, and keeps a used one",
    ],
    text: [
      `payload = NULL WHERE ${LIVE_SECRET}`,
      "payload = NULL WHERE purpose = ?1 AND hash = ?2 AND expires_at >= ?3",
    ],
  },
  "a session is renewed at its end": {
    noticed: ["renewSession() does not revive a session that has ended"],
    text: ["refreshed_at = ?2 AND expires_at > ?3", "refreshed_at = ?2 AND expires_at >= ?3"],
  },
  "a session is listed at its end": {
    noticed: ["sessions are listed by the caller's clock"],
    text: ["sessions.expires_at > ?2", "sessions.expires_at >= ?2"],
  },
  "an invitation is read at its end": {
    noticed: ["an invitation is read as it was stored, until it expires"],
    text: ["hash = ?1 AND expires_at > ?2", "hash = ?1 AND expires_at >= ?2"],
  },
  "a sign-up is read at its end": {
    noticed: ["readSignUp() gives back what is stored until it expires, also by the browser"],
    text: ["token_hash = ?1 AND expires_at > ?2", "token_hash = ?1 AND expires_at >= ?2"],
  },
  "a browser is known at its end": {
    noticed: ["putKnownBrowser() stores a browser until it ends, for a user who is there"],
    text: ["known_browsers.expires_at > ?2", "known_browsers.expires_at >= ?2"],
  },
  "what ends at a moment is swept after it": {
    noticed: ["sweep() removes ended sessions, at most as many as it may"],
    text: ["FROM sessions WHERE expires_at <= ?1", "FROM sessions WHERE expires_at < ?1"],
  },
  "credentials count from after the moment on": {
    noticed: [
      "endEverything() refuses credentials whose check began before, and stores nothing of them",
    ],
    text: ["COALESCE(credentials_after, 0) <= ", "COALESCE(credentials_after, 0) < "],
  },
  "credentials count from where a clock that is behind says": {
    noticed: [
      "findPassword() gives the time from which checks count, which rises whatever the clock of who moves it says",
    ],
    text: ["THEN credentials_after + 1", "THEN credentials_after * 0 + ?2"],
  },
  "the time from which checks count is not read with the hash": {
    noticed: [
      "findPassword() gives the time from which checks count, which rises whatever the clock of who moves it says",
    ],
    text: [
      "users.credentials_after, password_hashes",
      "users.created_at AS credentials_after, password_hashes",
    ],
  },

  // Order.
  "sessions of one time are in no order": {
    noticed: ["listSessions() lists those of one time in the order of their ids"],
    text: [
      "ORDER BY sessions.refreshed_at DESC, sessions.id",
      "ORDER BY sessions.refreshed_at DESC",
    ],
  },
  "accounts of one provider and time are in no order": {
    noticed: [
      "listAccounts() lists those of one time by provider, and those of one by their ids there",
    ],
    text: ["ORDER BY created_at, provider, provider_account_id", "ORDER BY created_at, provider"],
  },
  "API keys of one time are in no order": {
    noticed: ["listApiKeys() lists those of one time in the order of their ids"],
    text: ["ORDER BY created_at DESC, id", "ORDER BY created_at DESC"],
  },
  "of secrets of one time any stay": {
    noticed: ["of secrets of one time the new one stays, and those of the first hashes"],
    text: ["ORDER BY created_at DESC, hash LIMIT ?4", "ORDER BY created_at DESC LIMIT ?4"],
  },
  "activity of one time is in the opposite order": {
    noticed: ["listActivity() lists those of one time from the greatest id on, and those stay"],
    text: ["ORDER BY at DESC, id DESC", "ORDER BY at DESC, id"],
  },

  // Columns and conditions that are forgotten.
  "a session forgets its tenant": {
    noticed: ["a session keeps the tenant that it was made in"],
    text: ["?7, ?8, ?9 FROM users", "?7, ?8, nullif(?9, ?9) FROM users"],
  },
  "sessions of every tenant end": {
    noticed: ["a session keeps the tenant that it was made in"],
    text: ["IS NULL OR tenant_id = ?3)", "IS NULL OR ?3 = ?3)"],
  },
  "the session of before a new token forgets its tenant": {
    noticed: [
      "replaceToken() gives a session another token, and the one of before some seconds without what is proved from then on",
    ],
    text: ["END, tenant_id", "END, NULL"],
  },
  "an invitation is removed in every tenant": {
    noticed: ["removeInvitation() removes one of this tenant alone"],
    text: ["WHERE id = ?2 AND tenant_id = ?1", "WHERE id = ?2 AND ?1 = ?1"],
  },
  "tokens are written to every account at the provider": {
    noticed: ["swapAccountTokens() writes once for what was read"],
    text: [
      "provider = ?1 AND provider_account_id = ?2 AND updated_at",
      "provider = ?1 AND ?2 = ?2 AND updated_at",
    ],
  },
  "an attempt counts at every secret of the purpose": {
    noticed: ["countAttempt() counts up to the limit"],
    text: [
      "attempts + 1\nWHERE purpose = ?1 AND hash = ?2",
      "attempts + 1\nWHERE purpose = ?1 AND ?2 = ?2",
    ],
  },
  "every secret of the purpose is used": {
    noticed: [
      "redeemSecret() of nobody's takes the secret, what is about the same, and keeps a used one",
    ],
    text: [
      "payload = NULL WHERE purpose = ?1 AND hash = ?2",
      "payload = NULL WHERE purpose = ?1 AND ?2 = ?2",
    ],
  },
  "a used secret keeps what it opens": {
    noticed: [
      "redeemSecret() of nobody's takes the secret, what is about the same, and keeps a used one",
    ],
    text: ["SET purpose = ?4, payload = NULL", "SET purpose = ?4"],
  },
  "a secret in the place of another goes on counting": {
    noticed: ["putSecret() takes the place of one with the same hash, attempts and all"],
    text: ["attempts = excluded.attempts,", ""],
  },
  "the first proof of a mailbox ends the passwords of everybody": {
    noticed: [
      "proveEmail() and redeemSecret() end nothing of another user, and nothing where they prove nothing",
    ],
    text: [
      "FROM password_hashes WHERE user_id = ?1 AND EXISTS",
      "FROM password_hashes WHERE EXISTS",
    ],
  },
  "the bound of trusted browsers is that of everybody": {
    noticed: ["putTrustedBrowser() keeps the newest of a user"],
    text: [
      "FROM trusted_browsers WHERE user_id = ?1 AND id_hash NOT IN",
      "FROM trusted_browsers WHERE id_hash NOT IN",
    ],
  },
  "sessions of everybody end but one": {
    noticed: ["endEverything() spares the session that goes on, and nothing for no name"],
    text: [
      "FROM sessions WHERE user_id = ?1 AND id <> ?2",
      "FROM sessions WHERE ?1 = ?1 AND id <> ?2",
    ],
  },
  "a refused password ends the sessions": {
    noticed: ["setPassword() gives nobody a password who is gone, disabled, or proved meanwhile"],
    text: ["user_id = ?1 AND hash = ?2) AND id <> ?3", "user_id = ?1 AND ?2 = ?2) AND id <> ?3"],
  },
  "a password is set by anybody's session": {
    noticed: [
      "setPassword() by a session sets none when the session has ended, or another password was set meanwhile",
    ],
    text: ["FROM sessions WHERE id = ?6 AND user_id = ?1", "FROM sessions WHERE id = ?6"],
  },
  "a sign-in changes a proved address together with the name": {
    noticed: ["a sign-in replaces no proved address, nor one that changed after it began"],
    text: ["?8 = 1 AND email_verified IS NULL AND updated_at <= ?7", "?8 = 1 AND updated_at <= ?7"],
  },
  "a sign-in takes any account at the provider for the one that was linked": {
    noticed: ["a sign-in by an account or a passkey that is gone by then stores nothing"],
    text: [
      "FROM accounts WHERE provider = ?1 AND provider_account_id = ?2)\n  THEN users.id",
      "FROM accounts WHERE provider = ?1 AND ?2 = ?2)\n  THEN users.id",
    ],
  },
  "a sign-in makes any number of passkeys": {
    noticed: ["a sign-in that makes a fifty-first passkey stores nothing"],
    text: ["user_id = ?2) < 50", "user_id = ?2) < 5000"],
  },
};

let planted: Fault | undefined;
let isFound = false;
const tests = new Map<string, () => Promise<void>>();
await testStorage("faulty", {
  test: (name, work) => tests.set(name.replace("faulty: ", ""), work),
  open({ trip }) {
    const { text = ["", ""], tables = ["", ""], ...rest }: Partial<Fault> = planted ?? {};
    const [right, wrong] = text;
    const [table, without] = tables;
    const file = new DatabaseSync(":memory:");
    assert.ok(authSchema.up.includes(table));
    file.exec(authSchema.up.replace(table, without));
    const handle = overTrips(sqlite(file), trip);
    const database: SqlDatabase = {
      batch: (statements) => handle.batch(statements),
      prepare(sql) {
        isFound ||= sql.includes(right);
        return handle.prepare(right === "" ? sql : sql.replaceAll(right, wrong));
      },
    };
    const storage = completeStorage(
      createSqlStorage(rest.database?.(database, { file, trip }) ?? database),
    );
    return {
      storage: { ...storage, ...rest.operations?.(storage, database) },
      close: () => file.close(),
    };
  },
});

for (const [fault, { noticed }] of Object.entries(FAULTS)) {
  // Tracks: K4, F11
  Deno.test(`testStorage() notices when ${fault}`, async () => {
    for (const title of noticed) {
      const work = tests.get(title);
      assert.ok(work, `There is no test "${title}"`);
      planted = undefined;
      await work();
      planted = FAULTS[fault]!;
      isFound = false;
      const error = await work().then(() => null, (error: unknown) => error);
      assert.ok(isFound, "No statement has the text that the fault replaces");
      // No other error: a statement that the database cannot read would tell nothing of the tests.
      const isNotice = error instanceof AssertionError || error instanceof UserExistsError;
      assert.ok(isNotice, `"${title}" notices nothing: ${error}`);
    }
  });
}
