// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

/**
 * State of the memory storage, with accounts and passkeys.
 *
 * @module
 */

import type { ApiKeyRecord } from "./api_keys.ts";
import { AccountTakenError, UserExistsError } from "../errors.ts";
import type { User } from "../types/user.ts";
import type {
  AccountStorage,
  AddWayOptions,
  LinkedAccountStorage,
  LinkOutcome,
  OpenWays,
  ProveEmailOptions,
} from "./accounts.ts";
import type { ActivityRecord } from "./activity.ts";
import type { AuditRecord, AuditSeal } from "./audit.ts";
import type { OutboxRecord } from "./outbox.ts";
import type { WebhookEndpointRecord } from "./webhook_endpoints.ts";
import type { Ending, EndingStorage } from "./endings.ts";
import { NEVER } from "./first_proof.ts";
import type { KnownBrowserRecord } from "./known_browsers.ts";
import { MAX_PASSKEYS, type PasskeyRecord, type PasskeyStorage } from "./passkeys.ts";
import type { PasswordRecord, PendingSignUp } from "./passwords.ts";
import type {
  AccountRecord,
  NewSessionRecord,
  SavedUser,
  SaveUserOptions,
  UserRecord,
} from "./records.ts";
import {
  type FactorRecord,
  RECOVERY_PURPOSE,
  type SessionFactorRecord,
  STEP_PURPOSE,
  type TrustedBrowserRecord,
} from "./second_factors.ts";
import type { InvitationRecord } from "./teams.ts";
import { IMPERSONATION_PURPOSE } from "./impersonations.ts";
import { MAILBOX_PURPOSES, type StoredSecret } from "./secrets.ts";

/** An event to deliver, and the lease of its runner. */
export type KeptMessage = OutboxRecord & { lease: string | null };

/** A user as the memory keeps one. */
export interface Owner {
  user: User;
  emailIdentity: string | null;
  disabled: boolean;
  credentialsAfter: number;
  createdAt: number;
  updatedAt: number;
  /** Time of the disabling; null when there was none. */
  disabledAt: number | null;
}

/** Everything that the storage in memory holds. */
export interface MemoryState {
  /** By id. */
  owners: Map<string, Owner>;
  /** By token hash. */
  sessions: Map<string, NewSessionRecord>;
  /** Bindings to devices. */
  devices: WeakMap<NewSessionRecord, string>;
  /** By provider and id there. */
  accounts: Map<string, AccountRecord>;
  /** By id. */
  passkeys: Map<string, PasskeyRecord>;
  /** By purpose and hash. */
  secrets: Map<string, StoredSecret>;
  /** By id. */
  activity: Map<string, ActivityRecord>;
  /** By id. */
  audit: Map<string, AuditRecord>;
  /** By hour. */
  seals: Map<string, AuditSeal>;
  /** Addresses of tenants, by id. */
  endpoints: Map<string, WebhookEndpointRecord>;
  /** Events to deliver, by id and destination. */
  messages: Map<string, KeptMessage>;
  /** By hash. */
  knownBrowsers: Map<string, KnownBrowserRecord>;
  /** By tenant and mailbox. */
  invitations: Map<string, InvitationRecord>;
  /** By user. */
  passwords: Map<string, PasswordRecord>;
  /** By token hash. */
  signUps: Map<string, PendingSignUp>;
  /** By user. */
  factors: Map<string, FactorRecord>;
  /** By hash. */
  recoveryCodes: Map<string, { hash: string; userId: string; createdAt: number }>;
  /** By hash. */
  trustedBrowsers: Map<string, TrustedBrowserRecord>;
  /** By session. */
  sessionFactors: Map<string, SessionFactorRecord>;
  /** By id. */
  apiKeys: Map<string, ApiKeyRecord>;
}

/** A storage that holds nothing. */
export function createMemoryState(): MemoryState {
  return {
    owners: new Map(),
    sessions: new Map(),
    devices: new WeakMap(),
    accounts: new Map(),
    passkeys: new Map(),
    secrets: new Map(),
    activity: new Map(),
    audit: new Map(),
    seals: new Map(),
    endpoints: new Map(),
    messages: new Map(),
    knownBrowsers: new Map(),
    invitations: new Map(),
    passwords: new Map(),
    signUps: new Map(),
    factors: new Map(),
    recoveryCodes: new Map(),
    trustedBrowsers: new Map(),
    sessionFactors: new Map(),
    apiKeys: new Map(),
  };
}

/** The key of what two texts identify together. */
export function keyOf(first: string, second: string): string {
  return JSON.stringify([first, second]);
}

/** As a database gives it back: a copy, with null for what is not there. */
export function copyUser(user: User): User {
  const copy: User = {
    id: user.id,
    email: user.email ?? null,
    name: user.name ?? null,
    image: user.image ?? null,
    emailVerified: user.emailVerified ? new Date(user.emailVerified) : null,
  };
  if (user.role !== undefined) copy.role = user.role;
  if (user.roles !== undefined && user.roles.length > 0) copy.roles = [...user.roles];
  return copy;
}

/** Writes what a record gives of a known user. */
export function updateOwner(owner: Owner, record: UserRecord): void {
  const { email, name, image, emailVerified } = record.user;
  if (email !== undefined) {
    if (owner.emailIdentity !== record.emailIdentity) {
      owner.user.emailVerified = emailVerified ?? null;
    }
    owner.user.email = email;
    owner.emailIdentity = record.emailIdentity;
  }
  if (name !== undefined) owner.user.name = name;
  if (image !== undefined) owner.user.image = image;
  owner.updatedAt = Math.max(owner.updatedAt, record.at);
}

/** Removes the entries of a map that match, at most `limit`; returns how many. */
export function removeFrom<Value>(
  map: Map<string, Value>,
  matches: (value: Value) => boolean,
  limit: number = Infinity,
): number {
  let removed = 0;
  for (const [key, value] of map) {
    if (removed === limit) break;
    if (!matches(value)) continue;
    map.delete(key);
    removed++;
  }
  return removed;
}

/** Ways to end what a user has, by name. */
const ENDINGS: {
  readonly [Name in Ending]: (state: MemoryState, userId: string, exceptId?: string) => void;
} = {
  sessions: ({ sessions }, userId, exceptId) =>
    removeFrom(sessions, (session) => session.userId === userId && session.id !== exceptId),
  knownBrowsers: ({ knownBrowsers }, userId) =>
    removeFrom(knownBrowsers, (browser) => browser.userId === userId),
  links({ secrets, owners }, userId) {
    const mailbox = owners.get(userId)?.emailIdentity ?? null;
    const purposes: readonly string[] = MAILBOX_PURPOSES;
    removeFrom(secrets, ({ userId: owner, purpose, identifier }) =>
      owner === userId ||
      mailbox !== null && identifier === mailbox && purposes.includes(purpose));
  },
  password: ({ passwords }, userId) => passwords.delete(userId),
  signUps({ signUps, owners }, userId) {
    const mailbox = owners.get(userId)?.emailIdentity ?? null;
    removeFrom(signUps, ({ emailIdentity }) => emailIdentity === mailbox);
  },
  factors({ factors, recoveryCodes, trustedBrowsers, sessionFactors }, userId) {
    factors.delete(userId);
    removeFrom(sessionFactors, (factor) => factor.userId === userId);
    for (const table of [recoveryCodes, trustedBrowsers]) {
      removeFrom<{ userId: string }>(table, (row) => row.userId === userId);
    }
  },
  trustedBrowsers: ({ trustedBrowsers }, userId) =>
    removeFrom(trustedBrowsers, (browser) => browser.userId === userId),
  pendingSteps: ({ secrets }, userId) =>
    removeFrom(
      secrets,
      ({ userId: owner, purpose }) =>
        owner === userId &&
        [STEP_PURPOSE, RECOVERY_PURPOSE, IMPERSONATION_PURPOSE].includes(purpose),
    ),
  passkeys(state, userId) {
    removeFrom(state.passkeys, (passkey) => passkey.userId === userId);
    endPasskeyProofs(state, userId);
  },
  apiKeys: ({ apiKeys }, userId) => removeFrom(apiKeys, (key) => key.userId === userId),
  accounts: ({ accounts }, userId) => removeFrom(accounts, (account) => account.userId === userId),
  providerTokens({ accounts }, userId) {
    for (const account of accounts.values()) {
      if (account.userId !== userId) continue;
      const none = { accessToken: null, refreshToken: null, expiresAt: null };
      Object.assign(account, { ...none, tokenType: null, scope: null });
      account.updatedAt++;
    }
  },
};

/** Ends what sessions of a user have proved by a passkey, where there is neither one nor an app any more. */
function endPasskeyProofs(
  { passkeys, factors, sessionFactors }: MemoryState,
  userId: string,
): void {
  if (factors.has(userId) || [...passkeys.values()].some((one) => one.userId === userId)) return;
  removeFrom(sessionFactors, (one) => one.userId === userId && one.method === "passkey");
}

/** Ends what is named of a user, with the exception of one session. */
export function endInMemory(
  state: MemoryState,
  userId: string,
  what: readonly Ending[],
  exceptId?: string,
): void {
  for (const name of what) ENDINGS[name](state, userId, exceptId);
}

/**
 * Has credentials count from a moment on, or from right after the later one from which they have counted so far. The same
 * moment once more changes nothing.
 */
export function raiseCredentials(owner: Owner, at: number): void {
  const { credentialsAfter: after } = owner;
  owner.credentialsAfter = after > at && after < NEVER ? after + 1 : at;
}

/** Makes the operation that ends several things of a user. No body waits, which is what makes it atomic. */
export function createMemoryEndings(state: MemoryState): EndingStorage {
  return {
    async endEverything(userId, what, { at, exceptId, credentials = false, unproved = false }) {
      endInMemory(state, userId, what, exceptId);
      const owner = state.owners.get(userId);
      const counts = owner !== undefined && !(unproved && owner.user.emailVerified);
      if (counts && (credentials || what.includes("password"))) raiseCredentials(owner, at);
      return owner !== undefined;
    },
  };
}

/** Throws when the mailbox is another user's. */
export function assertFree({ owners }: MemoryState, record: UserRecord): void {
  if (record.emailIdentity === null) return;
  for (const [id, owner] of owners) {
    const sameMailbox = owner.emailIdentity === record.emailIdentity;
    if (sameMailbox && id !== record.user.id) throw new UserExistsError();
  }
}

/** Stores a new user. */
export function addOwner({ owners }: MemoryState, record: UserRecord): void {
  owners.set(record.user.id, {
    user: copyUser(record.user),
    emailIdentity: record.emailIdentity,
    disabled: false,
    credentialsAfter: 0,
    createdAt: record.at,
    updatedAt: record.at,
    disabledAt: null,
  });
}

/** The user who is not disabled. */
export function activeOwner({ owners }: MemoryState, id: string): Owner | undefined {
  const owner = owners.get(id);
  return owner?.disabled === true ? undefined : owner;
}

/** The user to whom something may be added: not disabled, and of whom what the options say still holds. */
export function ownerFor(
  state: MemoryState,
  id: string,
  options: AddWayOptions & SaveUserOptions = {},
): Owner | undefined {
  const owner = activeOwner(state, id);
  const { unproved, mailbox, sessionId } = options;
  const isAsked = ({ id: asked, userId }: NewSessionRecord) => asked === sessionId && userId === id;
  const holds = !(unproved && owner?.user.emailVerified) &&
    (!mailbox || owner?.emailIdentity === mailbox) &&
    (!sessionId || [...state.sessions.values()].some(isAsked));
  return holds ? owner : undefined;
}

/** Makes an account a user's, or writes its tokens. */
function saveAccount(
  state: MemoryState,
  account: AccountRecord,
  options?: AddWayOptions,
): LinkOutcome {
  const key = keyOf(account.provider, account.providerAccountId);
  const known = state.accounts.get(key);
  if (ownerFor(state, account.userId, options) === undefined) return "absent";
  if (known === undefined) {
    state.accounts.set(key, { ...account, updatedAt: account.createdAt });
    return "linked";
  }
  if (known.userId !== account.userId) return "taken";
  known.email = account.email;
  known.refreshToken = account.refreshToken ?? known.refreshToken;
  if (account.accessToken !== null) {
    const { accessToken, expiresAt, tokenType, scope } = account;
    Object.assign(known, { accessToken, expiresAt, tokenType, scope });
  }
  known.updatedAt = Math.max(account.updatedAt, known.updatedAt + 1);
  return "updated";
}

/**
 * Changes to a known user at sign-in: an address is written in the place of an unproved one that has not changed
 * since the sign-in began, and one stored without its identity gets that only by a proof.
 */
function changesBySignIn({ user: stored, updatedAt }: Owner, record: UserRecord): UserRecord {
  const { email, ...rest } = record.user;
  const isNew = email !== stored.email || record.user.emailVerified;
  if (isNew && !stored.emailVerified && updatedAt <= record.at) return record;
  return { ...record, user: rest, emailIdentity: null };
}

/** Writes what a sign-in changes of a known user; nothing when nothing is new. */
function updateBySignIn(owner: Owner, record: UserRecord): void {
  const { email, name = owner.user.name, image = owner.user.image } = record.user;
  const isSame = email === undefined && name === owner.user.name && image === owner.user.image;
  if (!isSame) updateOwner(owner, record);
}

/** A passkey that is prepared to be stored with a sign-in, or the id of the one that is used. */
interface PreparedInMemory {
  made?: PasskeyRecord;
  used?: string;
}

/** Stores who signs in with what comes along: all of it, or nothing. */
export function saveSignIn(
  state: MemoryState,
  userId: string,
  options: SaveUserOptions & { owner?: UserRecord | undefined },
): SavedUser | null {
  const { owner: given, account, proofBegunAt = Infinity, existing = false } = options;
  const { made: passkey, used } = (options.passkey?.prepared ?? {}) as PreparedInMemory;
  const known = state.owners.get(userId);
  const record = given && known ? changesBySignIn(known, given) : given;
  const created = known === undefined && record !== undefined && !existing;
  const owner = ownerFor(state, userId, options);
  if (!created && (owner === undefined || owner.credentialsAfter > proofBegunAt)) return null;
  if (used !== undefined && state.passkeys.get(used)?.userId !== userId) {
    throw new AccountTakenError();
  }
  if (record !== undefined) assertFree(state, record);
  const key = account && keyOf(account.provider, account.providerAccountId);
  const holder = key === undefined ? undefined : state.accounts.get(key);
  const isTheirs = holder === undefined ? !options.linked : holder.userId === userId;
  if (key !== undefined && !isTheirs) throw new AccountTakenError();
  if (passkey !== undefined && !hasRoom(state, passkey)) throw new AccountTakenError();
  if (created) addOwner(state, record);
  else if (record !== undefined) updateBySignIn(known!, record);
  if (account !== undefined) saveAccount(state, account);
  if (passkey !== undefined) state.passkeys.set(passkey.id, structuredClone(passkey));
  return { user: copyUser(state.owners.get(userId)!.user), created };
}

/** Tells whether a passkey can be stored: its id is free, and its user has fewer than there may be. */
function hasRoom({ passkeys }: MemoryState, { id, userId }: PasskeyRecord): boolean {
  const theirs = [...passkeys.values()].filter((passkey) => passkey.userId === userId);
  return !passkeys.has(id) && theirs.length < MAX_PASSKEYS;
}

/** Tells whether a user can sign in without this account or passkey. */
function wayRemains(
  { owners, accounts, passkeys, passwords }: MemoryState,
  userId: string,
  { keep, removed }: { keep: OpenWays; removed: AccountRecord | PasskeyRecord },
): boolean {
  const isOther = (way: AccountRecord | PasskeyRecord) => way.userId === userId && way !== removed;
  const owner = owners.get(userId);
  const hasMailbox = owner !== undefined && owner.emailIdentity !== null;
  return [...accounts.values()]
    .some((way) => isOther(way) && keep.accounts.includes(way.provider)) ||
    (keep.passkeys && [...passkeys.values()].some(isOther)) ||
    (keep.mailbox && hasMailbox && Boolean(owner.user.emailVerified)) ||
    (keep.passwords && hasMailbox && passwords.has(userId));
}

/**
 * Returns true when a mailbox belongs to a user; also by an address stored without its identity, as
 * long as no user has that.
 */
function holds({ owners }: MemoryState, { emailIdentity, user }: Owner, mailbox: string): boolean {
  if (emailIdentity !== null) return emailIdentity === mailbox;
  return user.email?.toLowerCase() === mailbox &&
    [...owners.values()].every((other) => other.emailIdentity !== mailbox);
}

/** Stores the proof of a user's mailbox; the first one ends what was there before. */
export function proveMailbox(
  state: MemoryState,
  userId: string,
  { emailIdentity, at, keepOwn = false }: ProveEmailOptions,
): "proved" | "already" | "absent" {
  const owner = activeOwner(state, userId);
  if (owner === undefined || !holds(state, owner, emailIdentity)) return "absent";
  if (owner.user.emailVerified) return "already";
  owner.emailIdentity = emailIdentity;
  owner.user.emailVerified = new Date(at);
  owner.updatedAt = at;
  if (keepOwn) return "proved";
  owner.credentialsAfter = NEVER;
  const { sessions, accounts, passkeys, secrets, knownBrowsers, passwords } = state;
  const { trustedBrowsers, sessionFactors, apiKeys } = state;
  for (
    const table of [
      ...[sessions, accounts, passkeys, secrets, knownBrowsers, passwords],
      ...[trustedBrowsers, sessionFactors, apiKeys],
    ]
  ) {
    removeFrom<{ userId: string | null }>(table, (row) => row.userId === userId);
  }
  return "proved";
}

function compare(a: AccountRecord, b: AccountRecord): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  if (a.provider !== b.provider) return a.provider < b.provider ? -1 : 1;
  return a.providerAccountId < b.providerAccountId ? -1 : 1;
}

/** The operations on accounts. No body waits, which is what makes it atomic. */
export function createMemoryAccounts(
  state: MemoryState,
): AccountStorage & LinkedAccountStorage {
  const { owners, accounts } = state;

  return {
    async findAccount(provider, providerAccountId) {
      const account = accounts.get(keyOf(provider, providerAccountId));
      return account === undefined ? null : { ...account };
    },
    async readWays(userId) {
      const own = [...accounts.values()].filter((account) => account.userId === userId);
      return {
        accounts: [...new Set(own.map(({ provider }) => provider))],
        passkeys: [...state.passkeys.values()].some((passkey) => passkey.userId === userId),
        password: state.passwords.has(userId),
      };
    },
    async linkAccount(account, options) {
      return saveAccount(state, account, options);
    },
    async listAccounts(userId) {
      return [...accounts.values()]
        .filter((account) => account.userId === userId)
        .sort(compare)
        .map((account) => ({ ...account }));
    },
    async unlinkAccount(userId, provider, providerAccountId, { keep }) {
      const key = keyOf(provider, providerAccountId);
      const removed = accounts.get(key);
      if (removed?.userId !== userId) return "absent";
      if (keep !== null && !wayRemains(state, userId, { keep, removed })) return "last";
      accounts.delete(key);
      return "unlinked";
    },
    async swapAccountTokens(provider, providerAccountId, { from, at, ...tokens }) {
      const account = accounts.get(keyOf(provider, providerAccountId));
      if (account?.updatedAt !== from) return false;
      Object.assign(account, tokens, { updatedAt: Math.max(at, from + 1) });
      return true;
    },
    async getUserByEmail(emailIdentity) {
      for (const owner of owners.values()) {
        if (owner.emailIdentity !== emailIdentity) continue;
        return owner.disabled ? null : copyUser(owner.user);
      }
      return null;
    },
    async proveEmail(userId, options) {
      return proveMailbox(state, userId, options);
    },
  };
}

/** The operations on passkeys. No body waits, which is what makes it atomic. */
export function createMemoryPasskeys(state: MemoryState): PasskeyStorage {
  const { passkeys } = state;

  function findOwn(userId: string, id: string): PasskeyRecord | undefined {
    const passkey = passkeys.get(id);
    return passkey?.userId === userId ? passkey : undefined;
  }

  function listOwn(userId: string): PasskeyRecord[] {
    return [...passkeys.values()]
      .filter((passkey) => passkey.userId === userId)
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  return {
    preparePasskey: (made) => ({ prepared: { made } satisfies PreparedInMemory }),
    preparePasskeyUse: (_userId, used) => ({ prepared: { used } satisfies PreparedInMemory }),
    async insertPasskey(passkey, options) {
      if (ownerFor(state, passkey.userId, options) === undefined) return false;
      if (!hasRoom(state, passkey)) return false;
      passkeys.set(passkey.id, structuredClone(passkey));
      return true;
    },
    async getPasskey(id) {
      return structuredClone(passkeys.get(id) ?? null);
    },
    async listPasskeys(userId) {
      return listOwn(userId).map((passkey) => structuredClone(passkey));
    },
    async hasPasskey(id) {
      return passkeys.has(id);
    },
    async listPasskeyIds(userId) {
      return listOwn(userId).map(({ id }) => id);
    },
    async renamePasskey(userId, id, name) {
      const passkey = findOwn(userId, id);
      if (passkey === undefined) return false;
      passkey.name = name;
      return true;
    },
    async advancePasskey(id, { from, to, backedUp, at }) {
      const passkey = passkeys.get(id);
      if (passkey?.counter !== from) return false;
      Object.assign(passkey, { counter: to, backedUp, lastUsedAt: at });
      return true;
    },
    async deletePasskey(userId, id, { keep }) {
      const removed = findOwn(userId, id);
      if (removed === undefined) return "absent";
      if (keep !== null && !wayRemains(state, userId, { keep, removed })) return "last";
      passkeys.delete(id);
      endPasskeyProofs(state, userId);
      return "deleted";
    },
  };
}
