// A storage of one's own, as docs/databases.md describes it: users and what is theirs in Valkey or Redis, each operation
// a transaction that is tried again when another was faster. With `appendonly yes` and `appendfsync always` the server
// keeps in its files whatever was answered. Without the group `administration` nobody is disabled or deleted.
import { AccountTakenError, parseEmailAddress, UserExistsError } from "@framework/auth";
import {
  type AccountRecord,
  type AccountStorage,
  type ListedSession,
  type NewSessionRecord,
  provideGroups,
  type SavedUser,
  type SavedUserStorage,
  type SaveUserOptions,
  type SecretStorage,
  type SentSecretStorage,
  type SessionListStorage,
  type Storage,
  type StoredSecret,
  type User,
  type UserRecord,
} from "@framework/auth/storage";
import {
  createTransactions,
  keyOf,
  type Transaction,
  type Trip,
  type ValkeyClient,
} from "./valkey_transactions.ts";

/** A user as a row: times are numbers. */
interface UserRow {
  user: Omit<User, "emailVerified">;
  emailVerified: number | null;
  emailIdentity: string | null;
  /** Last change of the address. */
  emailSetAt: number;
  credentialsAfter: number;
}

/** From then on no check of credentials counts, see `Storage`. */
const NEVER = 8_640_000_000_000_000;

const userKey = (id: string) => keyOf("user", id);
const mailboxKey = (identity: string) => keyOf("mailbox", identity);
const sessionKey = (hash: string) => keyOf("session", hash);
const sessionIdKey = (id: string) => keyOf("session-id", id);
const accountKey = (provider: string, id: string) => keyOf("account", provider, id);
const secretKey = (purpose: string, hash: string) => keyOf("secret", purpose, hash);
const subjectKey = (purpose: string, identifier: string) => keyOf("about", purpose, identifier);
/** Names of what a user has in a table. */
const ownKey = (userId: string, table: "sessions" | "accounts" | "secrets") => keyOf(table, userId);

function toUser({ user, emailVerified }: UserRow): User {
  return { ...user, emailVerified: emailVerified === null ? null : new Date(emailVerified) };
}

function toListed({ tokenHash: _, device: __, ...session }: NewSessionRecord): ListedSession {
  return session;
}

async function putSession(within: Transaction, row: NewSessionRecord): Promise<void> {
  await within.set(sessionKey(row.tokenHash), row, row.expiresAt);
  await within.set(sessionIdKey(row.id), row.tokenHash);
  await within.add(ownKey(row.userId, "sessions"), row.tokenHash);
}

async function endSession(within: Transaction, row: NewSessionRecord): Promise<void> {
  await within.set(sessionKey(row.tokenHash), null);
  await within.set(sessionIdKey(row.id), null);
  await within.remove(ownKey(row.userId, "sessions"), row.tokenHash);
}

async function sessionsOf(within: Transaction, userId: string): Promise<NewSessionRecord[]> {
  const rows: NewSessionRecord[] = [];
  for (const hash of await within.list(ownKey(userId, "sessions"))) {
    rows.push((await within.get<NewSessionRecord>(sessionKey(hash)))!);
  }
  return rows;
}

async function putSecret(within: Transaction, row: StoredSecret): Promise<boolean> {
  const { purpose, hash, userId, identifier } = row;
  if (userId !== null && await within.get(userKey(userId)) === null) return false;
  const present = await within.get<StoredSecret>(secretKey(purpose, hash));
  if (present !== null) await endSecret(within, present);
  await within.set(secretKey(purpose, hash), row, row.expiresAt);
  if (userId !== null) await within.add(ownKey(userId, "secrets"), secretKey(purpose, hash));
  if (identifier !== null) await within.add(subjectKey(purpose, identifier), hash);
  return true;
}

async function endSecret(within: Transaction, row: StoredSecret): Promise<void> {
  const { purpose, hash, userId, identifier } = row;
  await within.set(secretKey(purpose, hash), null);
  if (userId !== null) await within.remove(ownKey(userId, "secrets"), secretKey(purpose, hash));
  if (identifier !== null) await within.remove(subjectKey(purpose, identifier), hash);
}

/** Secrets of one purpose that are about the same. */
async function secretsAbout(
  within: Transaction,
  purpose: string,
  identifier: string,
): Promise<StoredSecret[]> {
  const rows: StoredSecret[] = [];
  for (const hash of await within.list(subjectKey(purpose, identifier))) {
    rows.push((await within.get<StoredSecret>(secretKey(purpose, hash)))!);
  }
  return rows;
}

/** The secret, unless it has ended. */
async function liveSecret(
  within: Transaction,
  { purpose, hash }: { purpose: string; hash: string },
  now: number,
): Promise<StoredSecret | null> {
  const row = await within.get<StoredSecret>(secretKey(purpose, hash));
  return row === null || row.expiresAt <= now ? null : row;
}

/** Gives a mailbox to a user, in place of the one that they have. */
async function moveMailbox(within: Transaction, row: UserRow, to: string | null): Promise<void> {
  if (row.emailIdentity === to) return;
  if (to !== null) {
    if (await within.get(mailboxKey(to)) !== null) throw new UserExistsError();
    await within.set(mailboxKey(to), row.user.id);
  }
  if (row.emailIdentity !== null) await within.set(mailboxKey(row.emailIdentity), null);
}

async function makeUser(within: Transaction, record: UserRecord): Promise<UserRow> {
  const { user: { emailVerified, ...user }, emailIdentity, at } = record;
  if (await within.get(userKey(user.id)) !== null) throw new UserExistsError();
  const row: UserRow = {
    user: {
      ...user,
      email: user.email ?? null,
      name: user.name ?? null,
      image: user.image ?? null,
    },
    emailVerified: emailVerified?.getTime() ?? null,
    emailIdentity: null,
    emailSetAt: at,
    credentialsAfter: 0,
  };
  await moveMailbox(within, row, emailIdentity);
  row.emailIdentity = emailIdentity;
  await within.set(userKey(user.id), row);
  return row;
}

/** What a sign-in says of a user who is there. */
async function tellUser(
  within: Transaction,
  row: UserRow,
  { user, emailIdentity, at }: UserRecord,
): Promise<UserRow> {
  const told: UserRow = { ...row, user: { ...row.user } };
  if (user.name !== undefined) told.user.name = user.name;
  if (user.image !== undefined) told.user.image = user.image;
  const isOpen = row.emailVerified === null && row.emailSetAt <= at;
  // Said again, an address that was kept without its mailbox is given it by a proof alone.
  const isNew = user.email !== row.user.email || (user.emailVerified ?? null) !== null;
  if (user.email !== undefined && isOpen && isNew && emailIdentity !== row.emailIdentity) {
    await moveMailbox(within, row, emailIdentity);
    told.emailIdentity = emailIdentity;
    told.emailVerified = user.emailVerified?.getTime() ?? null;
    told.emailSetAt = at;
  }
  if (user.email !== undefined && isOpen) told.user.email = user.email;
  await within.set(userKey(user.id), told);
  return told;
}

/** Links an account as `linkAccount()` does. */
async function linkAccount(
  within: Transaction,
  account: AccountRecord,
  wasLinked: boolean,
): Promise<void> {
  const key = accountKey(account.provider, account.providerAccountId);
  const present = await within.get<AccountRecord>(key);
  if (present === null ? wasLinked : present.userId !== account.userId) {
    throw new AccountTakenError();
  }
  if (present === null) {
    await within.set(key, account);
    await within.add(ownKey(account.userId, "accounts"), key);
    return;
  }
  const { accessToken, refreshToken, expiresAt, tokenType, scope, email, updatedAt } = account;
  const tokens = accessToken === null ? {} : {
    accessToken,
    refreshToken: refreshToken ?? present.refreshToken,
    expiresAt,
    tokenType,
    scope,
  };
  await within.set(key, { ...present, ...tokens, email, updatedAt });
}

async function saveUser(
  within: Transaction,
  record: UserRecord,
  options: SaveUserOptions,
): Promise<SavedUser | null> {
  const { account, passkey, proofBegunAt, unproved, existing, linked, mailbox } = options;
  if (passkey !== undefined) throw new Error("This storage has no passkeys");
  const row = await within.get<UserRow>(userKey(record.user.id));
  if (row === null && existing === true) return null;
  if (unproved === true && (row?.emailVerified ?? null) !== null) return null;
  if (proofBegunAt !== undefined && (row?.credentialsAfter ?? 0) > proofBegunAt) return null;
  if (mailbox !== undefined && row?.emailIdentity !== mailbox) return null;
  const saved = row === null ? await makeUser(within, record) : await tellUser(within, row, record);
  if (account !== undefined) await linkAccount(within, account, linked ?? false);
  return { user: toUser(saved), created: row === null };
}

/** Proves a mailbox as `proveEmail()` does. */
async function proveEmail(
  within: Transaction,
  userId: string,
  { emailIdentity, at, keepOwn = false }: { emailIdentity: string; at: number; keepOwn?: boolean },
): Promise<"proved" | "already" | "absent"> {
  const row = await within.get<UserRow>(userKey(userId));
  if (row === null) return "absent";
  const holder = await within.get<string>(mailboxKey(emailIdentity));
  const hasIt = row.emailIdentity === emailIdentity;
  const keptIt = row.emailIdentity === null && holder === null &&
    parseEmailAddress(row.user.email ?? "")?.identity === emailIdentity;
  if (!hasIt && !keptIt) return "absent";
  if (hasIt && row.emailVerified !== null) return "already";
  await within.set(mailboxKey(emailIdentity), userId);
  const proof = { emailIdentity, emailVerified: at };
  await within.set(userKey(userId), {
    ...row,
    ...proof,
    ...(!keepOwn && { credentialsAfter: NEVER }),
  });
  if (keepOwn) return "proved";
  for (const session of await sessionsOf(within, userId)) await endSession(within, session);
  for (const key of await within.list(ownKey(userId, "accounts"))) await within.set(key, null);
  await within.set(ownKey(userId, "accounts"), null);
  for (const key of await within.list(ownKey(userId, "secrets"))) {
    await endSecret(within, (await within.get<StoredSecret>(key))!);
  }
  return "proved";
}

/** Removes a row if it has ended, with what names it. */
async function removeEnded(within: Transaction, key: string, now: number): Promise<boolean> {
  const row = await within.get<NewSessionRecord & StoredSecret>(key);
  if (row === null) return false;
  if (row.tokenHash !== undefined && row.expiresAt <= now) await endSession(within, row);
  else if (row.purpose !== undefined && row.expiresAt <= now) await endSecret(within, row);
  else return false;
  return true;
}

/** Options for {@linkcode createValkeyStorage}. */
export interface ValkeyStorageOptions {
  /** Makes one exchange with the server, for `testStorage()`. Default: it is made. */
  trip?: Trip;
}

/**
 * Stores users, sessions, accounts and secrets in Valkey or Redis, which `email()` and providers need. Limits are counted
 * by `createValkeyRateLimitStorage()` of `@framework/auth/rate-limit`, in one script for each attempt.
 */
export function createValkeyStorage(
  client: ValkeyClient,
  { trip = async (work) => await work() }: ValkeyStorageOptions = {},
): Storage {
  const { run, ended } = createTransactions(client, trip);

  const accounts: AccountStorage = {
    findAccount: (provider, id) => run((within) => within.get(accountKey(provider, id))),
    getUserByEmail: (emailIdentity) =>
      run(async (within) => {
        const id = await within.get<string>(mailboxKey(emailIdentity));
        const row = id === null ? null : await within.get<UserRow>(userKey(id));
        return row && toUser(row);
      }),
    proveEmail: (userId, options) => run((within) => proveEmail(within, userId, options)),
  };

  const secrets: SecretStorage = {
    async putSecret(secret) {
      const row = { sentTo: null, sessionId: null, ...secret, attempts: 0 };
      await run((within) => putSecret(within, row));
    },
    readSecret: (purpose, hash, now) => run((within) => liveSecret(within, { purpose, hash }, now)),
    takeSecret: (purpose, hash, { now, identifier }) =>
      run(async (within) => {
        const row = await liveSecret(within, { purpose, hash }, now);
        if (row === null || identifier !== undefined && row.identifier !== identifier) return null;
        await endSecret(within, row);
        return row;
      }),
  };

  const sentSecrets: SentSecretStorage = {
    putNewestSecret: (secret, { keep }) =>
      run(async (within) => {
        const row = { sentTo: null, sessionId: null, ...secret, attempts: 0 };
        if (!await putSecret(within, row)) return;
        const others = (await secretsAbout(within, secret.purpose, secret.identifier))
          .filter(({ hash }) => hash !== secret.hash)
          .sort((one, two) => two.createdAt - one.createdAt || (one.hash < two.hash ? -1 : 1));
        for (const old of others.slice(keep - 1)) await endSecret(within, old);
      }),
    countAttempt: (purpose, hash, { now, max }) =>
      run(async (within) => {
        const row = await liveSecret(within, { purpose, hash }, now);
        if (row === null || row.attempts >= max) return null;
        const counted = { ...row, attempts: row.attempts + 1 };
        await within.set(secretKey(purpose, hash), counted, row.expiresAt);
        return counted;
      }),
    redeemSecret: (secret, { now, userId, emailIdentity, keepOwn, ends, usedAs }) =>
      run(async (within) => {
        const row = await liveSecret(within, secret, now);
        if (row === null || row.identifier !== secret.identifier) return "absent";
        if (userId !== null && await within.get(userKey(userId)) === null) return "absent";
        await endSecret(within, row);
        for (const purpose of ends) {
          for (const other of await secretsAbout(within, purpose, secret.identifier)) {
            await endSecret(within, other);
          }
        }
        const proof = userId === null || emailIdentity === null
          ? "absent"
          : await proveEmail(within, userId, { emailIdentity, at: now, keepOwn: keepOwn ?? false });
        if (usedAs !== undefined) {
          await putSecret(within, { ...row, purpose: usedAs, payload: null });
        }
        return proof === "absent" ? "redeemed" : proof;
      }),
  };

  const sessionList: SessionListStorage = {
    listSessions: (userId, { now, limit }) =>
      run(async (within) =>
        (await sessionsOf(within, userId))
          .filter(({ expiresAt }) => expiresAt > now)
          .sort((one, two) => two.refreshedAt - one.refreshedAt || (one.id < two.id ? -1 : 1))
          .slice(0, limit)
          .map(toListed)
      ),
    deleteSessionById: (userId, id) =>
      run(async (within) => {
        const hash = await within.get<string>(sessionIdKey(id));
        const row = hash && await within.get<NewSessionRecord>(sessionKey(hash));
        if (!row || row.userId !== userId) return false;
        await endSession(within, row);
        return true;
      }),
  };

  const savedUsers: SavedUserStorage = {
    saveUser: (record, options = {}) => run((within) => saveUser(within, record, options)),
  };

  return {
    createUser: (record, { within: transaction } = {}) => {
      if (transaction !== undefined) throw new Error("This storage has no transactions");
      return run(async (within) => void await makeUser(within, record));
    },
    getUser: (id) =>
      run(async (within) => {
        const row = await within.get<UserRow>(userKey(id));
        return row && toUser(row);
      }),
    getActiveUser(id) {
      return this.getUser(id);
    },
    credentialsCount: (id, proofBegunAt) =>
      run(async (within) => {
        const row = await within.get<UserRow>(userKey(id));
        return (row?.credentialsAfter ?? 0) <= proofBegunAt;
      }),
    insertSession: (session, { owner, replaces, ...options } = {}) =>
      run(async (within) => {
        const record: UserRecord = owner ??
          { user: { id: session.userId }, emailIdentity: null, at: session.createdAt };
        const saved = await saveUser(within, record, {
          ...options,
          ...(owner === undefined && { existing: true }),
        });
        if (saved === null) return null;
        const old = replaces && await within.get<NewSessionRecord>(sessionKey(replaces));
        if (old) await endSession(within, old);
        await putSession(within, session);
        return saved;
      }),
    readSession: (tokenHash) =>
      run(async (within) => {
        const row = await within.get<NewSessionRecord>(sessionKey(tokenHash));
        const owner = row && await within.get<UserRow>(userKey(row.userId));
        if (!row || !owner) return null;
        const { userAgent: _, ...session } = toListed(row);
        return { session, user: toUser(owner) };
      }),
    renewSession: (id, { from, at, expiresAt }) =>
      run(async (within) => {
        const hash = await within.get<string>(sessionIdKey(id));
        const row = hash && await within.get<NewSessionRecord>(sessionKey(hash));
        if (!row || row.refreshedAt !== from || row.expiresAt <= at) return false;
        await putSession(within, { ...row, refreshedAt: at, expiresAt });
        return true;
      }),
    deleteSession: (tokenHash) =>
      run(async (within) => {
        const row = await within.get<NewSessionRecord>(sessionKey(tokenHash));
        if (row === null) return false;
        await endSession(within, row);
        return true;
      }),
    deleteSessions: (userId, { exceptId, tenantId = null } = {}) =>
      run(async (within) => {
        const rows = (await sessionsOf(within, userId)).filter((row) =>
          row.id !== exceptId && (tenantId === null || row.tenantId === tenantId)
        );
        for (const row of rows) await endSession(within, row);
        return rows.length;
      }),
    async sweep(now, limit) {
      let removed = 0;
      for (const key of await ended(now, limit)) {
        if (await run((within) => removeEnded(within, key, now))) removed++;
      }
      return removed;
    },
    group: provideGroups({
      accounts,
      savedUsers,
      secrets,
      sentSecrets,
      sessionList,
    }),
  };
}
