// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

/**
 * The storage in memory, for tests and demonstrations.
 *
 * @module
 */

import { ConfigurationError, UserChangedError, UserExistsError } from "../errors.ts";
import type { AccountStorage, LinkedAccountStorage } from "./accounts.ts";
import type { ApiKeyStorage } from "./api_keys.ts";
import type { ActivityRecord, ActivityStorage } from "./activity.ts";
import type { AdministrationStorage, AlongsideOptions, UnchangedUser } from "./users.ts";
import type { AuditRecord, AuditSeal, AuditStorage, PreparedEntry } from "./audit.ts";
import type { DeviceBindingStorage } from "./device_bindings.ts";
import { type DirectoryEntry, type DirectoryStorage, foldName } from "./directory.ts";
import type { EndingStorage } from "./endings.ts";
import type { StorageGroup } from "./group.ts";
import type { TeamStorage } from "./teams.ts";
import { IMPERSONATION_PURPOSE, type ImpersonationStorage } from "./impersonations.ts";
import type { KnownBrowserStorage } from "./known_browsers.ts";
import { createMemoryApiKeys } from "./memory_api_keys.ts";
import { createMemoryOutbox } from "./memory_outbox.ts";
import { createMemoryWebhookEndpoints } from "./memory_webhook_endpoints.ts";
import { createMemoryTeams } from "./memory_teams.ts";
import { createMemoryPasswords } from "./memory_passwords.ts";
import { createMemoryRateLimits } from "./memory_rate_limits.ts";
import { createMemorySealed } from "./memory_sealed.ts";
import { createMemorySecondFactors } from "./memory_second_factors.ts";
import {
  activeOwner,
  addOwner,
  assertFree,
  copyUser,
  createMemoryAccounts,
  createMemoryEndings,
  createMemoryPasskeys,
  createMemoryState,
  endInMemory,
  keyOf,
  type MemoryState,
  type Owner,
  ownerFor,
  proveMailbox,
  removeFrom,
  saveSignIn,
  updateOwner,
} from "./memory_state.ts";
import type { OutboxStorage } from "./outbox.ts";
import type { PasskeyStorage } from "./passkeys.ts";
import type { PasswordStorage } from "./passwords.ts";
import type { StorageGroups } from "./provide_groups.ts";
import type { StoredSession } from "./records.ts";
import type { RateLimitStorage } from "./rate_limits.ts";
import type { SavedUserStorage } from "./saved_users.ts";
import type { SealedStorage } from "./sealed.ts";
import type { SecondFactorStorage } from "./second_factors.ts";
import { type SecretRecord, type SecretStorage, type StoredSecret, UNSENT } from "./secrets.ts";
import type { SentSecretStorage } from "./sent_secrets.ts";
import type { SessionListStorage } from "./sessions.ts";
import type { Storage } from "./storage.ts";
import type { WebhookEndpointStorage } from "./webhook_endpoints.ts";

/** The storage in memory, which can do all that any way to sign in needs. */
export type MemoryStorage =
  & Storage
  & AdministrationStorage
  & AuditStorage
  & ApiKeyStorage
  & DeviceBindingStorage
  & DirectoryStorage
  & EndingStorage
  & ImpersonationStorage
  & SecretStorage
  & SentSecretStorage
  & AccountStorage
  & LinkedAccountStorage
  & PasskeyStorage
  & SavedUserStorage
  & SessionListStorage
  & ActivityStorage
  & KnownBrowserStorage
  & OutboxStorage
  & TeamStorage
  & PasswordStorage
  & SecondFactorStorage
  & SealedStorage
  & RateLimitStorage
  & WebhookEndpointStorage;

/** Groups that it has: all but transactions. */
const GROUPS: Readonly<
  Record<Exclude<keyof StorageGroups, "transactions" | "joinedTransactions">, true>
> = {
  accounts: true,
  activity: true,
  administration: true,
  audit: true,
  apiKeys: true,
  deviceBindings: true,
  directory: true,
  endings: true,
  impersonations: true,
  teams: true,
  knownBrowsers: true,
  linkedAccounts: true,
  outbox: true,
  passkeys: true,
  passwords: true,
  rateLimits: true,
  savedUsers: true,
  sealed: true,
  secondFactors: true,
  secrets: true,
  sentSecrets: true,
  sessionList: true,
  webhookEndpoints: true,
};

/**
 * A storage that lives as long as the process, for tests and for trying things out. Nothing is shared
 * between two processes or two isolates.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryStorage();
 * const auth = createAuth({ database: storage });
 * equal(auth.storage({}), storage);
 * ```
 */
export function createMemoryStorage(): MemoryStorage {
  const state = createMemoryState();
  const { owners, sessions, devices } = state;

  function readSession(tokenHash: string): StoredSession | null {
    const session = sessions.get(tokenHash);
    const owner = session === undefined ? undefined : activeOwner(state, session.userId);
    if (session === undefined || owner === undefined) return null;
    const { tokenHash: _hash, userAgent: _agent, ...record } = session;
    return { user: copyUser(owner.user), session: record };
  }

  function setDisabled(id: string, disabled: boolean, at: number): boolean {
    const owner = owners.get(id);
    if (owner === undefined) return false;
    owner.disabled = disabled;
    owner.disabledAt = disabled ? owner.disabledAt ?? at : null;
    owner.updatedAt = at;
    const ends = ["sessions", "links", "knownBrowsers", "trustedBrowsers", "apiKeys"] as const;
    endInMemory(state, id, disabled ? ends : ["sessions"]);
    return true;
  }

  function isUnchanged({ userId, roles, active = false }: UnchangedUser): boolean {
    const owner = owners.get(userId);
    if (owner === undefined || active && owner.disabled) return false;
    const { role, roles: several = [] } = owner.user;
    const held = new Set([...role === undefined ? [] : [role], ...several]);
    return held.size === roles.length && roles.every((one) => held.has(one));
  }

  function beginChange({ entry, unchanged = [] }: AlongsideOptions): void {
    if (!unchanged.every(isUnchanged)) throw new UserChangedError();
    storePrepared(entry);
  }

  // No body below waits, which is what makes it atomic.
  return {
    ...createMemorySecrets(state),
    ...createMemoryEndings(state),
    ...createMemoryAccounts(state),
    ...createMemoryPasskeys(state),
    ...createMemoryActivity(state),
    ...createMemoryAudit(state),
    ...createMemoryDirectory(state),
    ...createMemoryApiKeys(state),
    ...createMemoryKnownBrowsers(state),
    ...createMemoryPasswords(state),
    ...createMemorySecondFactors(state),
    ...createMemorySealed(state),
    ...createMemoryTeams(state),
    ...createMemoryOutbox(state),
    ...createMemoryWebhookEndpoints(state),
    ...createMemoryRateLimits(),
    group<Operations>({ name }: StorageGroup<Operations>) {
      // `this`, so that a copy with operations of an application's own gives those.
      return Object.hasOwn(GROUPS, name) ? this as Operations : null;
    },
    async createUser(record, { within } = {}) {
      if (within !== undefined) {
        throw new ConfigurationError(
          "The memory storage has no transactions, so `within` is another storage's. Configure `database` with a SQL database.",
          { field: "database" },
        );
      }
      assertFree(state, record);
      if (owners.has(record.user.id)) throw new UserExistsError();
      addOwner(state, record);
    },
    async getUser(id) {
      const owner = owners.get(id);
      return owner === undefined ? null : copyUser(owner.user);
    },
    async getActiveUser(id) {
      const owner = activeOwner(state, id);
      return owner === undefined ? null : copyUser(owner.user);
    },
    async credentialsCount(id, proofBegunAt) {
      const owner = owners.get(id);
      return owner === undefined || !owner.disabled && owner.credentialsAfter <= proofBegunAt;
    },
    async saveUser(record, options) {
      return saveSignIn(state, record.user.id, { ...options, owner: record });
    },
    async updateUser(record) {
      const owner = owners.get(record.user.id);
      if (owner === undefined) return null;
      assertFree(state, record);
      const { id, email, emailVerified } = record.user;
      if (email !== undefined && owner.emailIdentity !== record.emailIdentity) {
        endInMemory(state, id, ["links", "knownBrowsers"]);
      }
      updateOwner(owner, record);
      // A proof is of a mailbox: without the identity of one there is none.
      const counts = email !== undefined || owner.emailIdentity !== null;
      if (emailVerified !== undefined && counts) owner.user.emailVerified = emailVerified;
      return copyUser(owner.user);
    },
    async setUserRoles(id, { roles: { role, roles }, at, ...alongside }) {
      beginChange(alongside);
      const owner = owners.get(id);
      if (owner === undefined) return null;
      owner.updatedAt = at;
      if (role === null) delete owner.user.role;
      else if (role !== undefined) owner.user.role = role;
      if (roles !== undefined) owner.user.roles = [...roles];
      return copyUser(owner.user);
    },
    async disableUser(id, at, alongside = {}) {
      beginChange(alongside);
      return setDisabled(id, true, at);
    },
    async enableUser(id, at, alongside = {}) {
      beginChange(alongside);
      return setDisabled(id, false, at);
    },
    async deleteUser(id, alongside = {}) {
      beginChange(alongside);
      for (const one of state.audit.values()) {
        one.people = one.people.filter(({ userId }) => userId !== id);
      }
      const isTheirs = ({ userId }: { userId: string | null }) => userId === id;
      const all = [
        "sessions",
        "accounts",
        "passkeys",
        "knownBrowsers",
        "apiKeys",
        "password",
      ] as const;
      endInMemory(state, id, [...all, "factors"]);
      removeFrom(state.secrets, isTheirs);
      removeFrom(state.activity, isTheirs);
      for (const key of state.apiKeys.values()) if (key.createdBy === id) key.createdBy = null;
      removeFrom(state.invitations, ({ invitedBy }) => invitedBy === id);
      return owners.delete(id);
    },
    async insertSession(session, options = {}) {
      const saved = saveSignIn(state, session.userId, options);
      if (saved === null) return null;
      sessions.set(session.tokenHash, { ...session });
      if (options.replaces !== undefined) sessions.delete(options.replaces);
      return saved;
    },
    async readSession(tokenHash) {
      return readSession(tokenHash);
    },
    async readBindable(tokenHash) {
      const stored = readSession(tokenHash);
      return stored && { ...stored, device: devices.get(sessions.get(tokenHash)!) ?? null };
    },
    async changeDevice(sessionId, { from, to }) {
      const session = [...sessions.values()].find(({ id }) => id === sessionId);
      if (session === undefined || (devices.get(session) ?? null) !== from) return false;
      devices.set(session, to);
      return true;
    },
    async renewSession(id, options) {
      for (const session of sessions.values()) {
        if (session.id !== id) continue;
        if (session.refreshedAt !== options.from || session.expiresAt <= options.at) return false;
        session.refreshedAt = options.at;
        session.expiresAt = options.expiresAt;
        return true;
      }
      return false;
    },
    async listSessions(userId, { now, limit }) {
      return [...sessions.values()]
        .filter((session) => session.userId === userId && session.expiresAt > now)
        .sort((a, b) => b.refreshedAt - a.refreshedAt || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(({ tokenHash: _hash, ...listed }) => listed);
    },
    async deleteSession(tokenHash) {
      return sessions.delete(tokenHash);
    },
    async deleteSessionById(userId, id) {
      return removeFrom(sessions, (session) => session.userId === userId && session.id === id) > 0;
    },
    async deleteSessions(userId, { exceptId, tenantId = null } = {}) {
      return removeFrom(
        sessions,
        (session) =>
          session.userId === userId && session.id !== exceptId &&
          (tenantId === null || session.tenantId === tenantId),
      );
    },
    async listImpersonations(of, now) {
      return [...state.secrets.values()]
        .filter(({ purpose, expiresAt }) => purpose === IMPERSONATION_PURPOSE && expiresAt > now)
        .filter((one) => "userId" in of ? one.userId === of.userId : one.identifier === of.actorId)
        .sort((a, b) => b.createdAt - a.createdAt || compareTexts(a.hash, b.hash))
        .slice(0, 100)
        .map((one) => ({ ...one }));
    },
    async sweep(now, limit) {
      const isOver = ({ expiresAt }: { expiresAt: number }) => expiresAt <= now;
      return removeFrom(sessions, isOver, limit) + removeFrom(state.secrets, isOver, limit) +
        removeFrom(state.knownBrowsers, isOver, limit);
    },
  };
}

function storePrepared(entry: PreparedEntry | undefined): void {
  (entry?.prepared as (() => void) | undefined)?.();
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The operations on the trail. No body waits, which is what makes it atomic. */
function createMemoryAudit({ audit, seals, owners }: MemoryState): AuditStorage {
  function store(entry: AuditRecord): void {
    if (audit.has(entry.id)) return;
    const people = entry.people.filter(({ userId }) => owners.has(userId));
    audit.set(entry.id, { ...entry, people: people.map((person) => ({ ...person })) });
  }
  const sealed = () => [...seals.values()].sort((a, b) => a.hour - b.hour);

  return {
    async insertEntry(entry) {
      store(entry);
    },
    prepareEntry: (entry) => ({ prepared: () => store(entry) }),
    async listEntries({ from, to, userId, actorId, type, order, limit }) {
      const sign = order === "oldest" ? 1 : -1;
      return [...audit.values()]
        .filter(({ id }) => id >= from && id < to)
        .filter((one) => userId === undefined || one.userId === userId)
        .filter((one) => actorId === undefined || one.actorId === actorId)
        .filter((one) => type === undefined || one.type === type)
        .sort((a, b) => sign * compareTexts(a.id, b.id))
        .slice(0, limit)
        .map((one) => ({ ...one, people: one.people.map((person) => ({ ...person })) }));
    },
    async listSeals(from, limit) {
      return sealed().filter(({ hour }) => hour >= from).slice(0, limit)
        .map((seal) => ({ ...seal }));
    },
    async lastSeal() {
      const last: AuditSeal | undefined = sealed().at(-1);
      return last === undefined ? null : { ...last };
    },
    async putSeal(seal) {
      if (sealed().some(({ hour }) => hour >= seal.hour)) return false;
      seals.set(String(seal.hour), { ...seal });
      return true;
    },
    async dropEntries({ id, hour }, limit) {
      removeFrom(seals, (seal) => seal.hour <= hour);
      const old = [...audit.keys()].filter((one) => one <= id).sort().slice(0, limit);
      return removeFrom(audit, (one) => old.includes(one.id));
    },
  };
}

function newestFirst(a: ActivityRecord, b: ActivityRecord): number {
  return b.at - a.at || (a.id < b.id ? 1 : -1);
}

/** The operations on what happened. No body waits, which is what makes it atomic. */
function createMemoryActivity({ owners, activity }: MemoryState): ActivityStorage {
  function entriesOf(userId: string): ActivityRecord[] {
    return [...activity.values()].filter((entry) => entry.userId === userId).sort(newestFirst);
  }

  return {
    async insertActivity(entry, { keep, since }) {
      if (!owners.has(entry.userId)) return;
      if (!activity.has(entry.id)) activity.set(entry.id, { ...entry });
      for (const { id } of entriesOf(entry.userId).slice(keep)) activity.delete(id);
      removeFrom(activity, ({ at }) => at < since);
    },
    async listActivity(userId, { since, limit }) {
      return entriesOf(userId)
        .filter(({ at }) => at >= since)
        .slice(0, limit)
        .map((entry) => ({ ...entry }));
    },
  };
}

/** Makes the operations on the directory. No body waits, which is what makes it atomic. */
function createMemoryDirectory({ owners }: MemoryState): DirectoryStorage {
  function entryOf({ user, emailIdentity, createdAt, disabledAt }: Owner): DirectoryEntry {
    return { user: copyUser(user), emailIdentity, createdAt, disabledAt };
  }
  const nameOf = ({ user }: DirectoryEntry) => user.name == null ? null : foldName(user.name);

  return {
    async pageUsers(range, limit) {
      const entries = [...owners.values()].map(entryOf);
      function found(): DirectoryEntry[] {
        if (range.by === "creation") {
          const order = (a: { createdAt: number; id: string }, b: DirectoryEntry) =>
            b.createdAt - a.createdAt || compareTexts(b.user.id, a.id);
          const { after } = range;
          return entries.filter((one) => after === null || order(after, one) < 0)
            .sort((a, b) => order({ ...a, id: a.user.id }, b));
        }
        if (range.by === "role") {
          return entries
            .filter(({ user }) => user.role === range.role || user.roles?.includes(range.role))
            .filter(({ user }) => user.id > range.after)
            .sort((a, b) => compareTexts(a.user.id, b.user.id));
        }
        if (range.by === "address") {
          return entries.filter(({ emailIdentity }) =>
            emailIdentity?.startsWith(range.prefix) && emailIdentity > range.after
          ).sort((a, b) => compareTexts(a.emailIdentity!, b.emailIdentity!));
        }
        const { after } = range;
        const order = (a: { name: string; id: string }, b: DirectoryEntry) =>
          compareTexts(a.name, nameOf(b)!) || compareTexts(a.id, b.user.id);
        return entries
          .filter((one) => nameOf(one)?.startsWith(range.prefix))
          .filter((one) => after === null || order(after, one) < 0)
          .sort((a, b) => order({ name: nameOf(a)!, id: a.user.id }, b));
      }
      return found().slice(0, limit);
    },
    async describeUser(id) {
      const owner = owners.get(id);
      return owner === undefined ? null : entryOf(owner);
    },
  };
}

/** Makes the operations on known browsers. No body waits, which is what makes it atomic. */
function createMemoryKnownBrowsers(state: MemoryState): KnownBrowserStorage {
  const { knownBrowsers } = state;
  return {
    async putKnownBrowser(browser, options) {
      const { keep, proofBegunAt = Infinity, unproved = false, emailIdentity = null } = options;
      const { idHash, userId } = browser;
      const owner = ownerFor(state, userId, { unproved });
      if (owner === undefined || owner.credentialsAfter > proofBegunAt) return;
      if (emailIdentity !== null && owner.emailIdentity !== emailIdentity) return;
      knownBrowsers.set(idHash, { ...browser });
      const own = [...knownBrowsers.values()].filter((one) => one.userId === userId);
      if (own.length <= keep) return;
      own.sort((a, b) => b.createdAt - a.createdAt || (a.idHash < b.idHash ? -1 : 1));
      for (const { idHash } of own.slice(keep)) knownBrowsers.delete(idHash);
    },
    async isKnownBrowser(idHash, options) {
      const { now, proved = false, emailIdentity = null, userId = null } = options;
      const browser = knownBrowsers.get(idHash);
      if (browser === undefined || browser.expiresAt <= now) return false;
      if (userId !== null && browser.userId !== userId) return false;
      const owner = state.owners.get(browser.userId);
      if (proved && !owner?.user.emailVerified) return false;
      if (emailIdentity === null || owner?.emailIdentity === emailIdentity) return true;
      return !proved &&
        ![...state.owners.values()].some((one) => one.emailIdentity === emailIdentity);
    },
    async hasKnownBrowsers(userId, now) {
      return [...knownBrowsers.values()]
        .some((one) => one.userId === userId && one.expiresAt > now);
    },
    async dropKnownBrowsers(userId) {
      removeFrom(knownBrowsers, (one) => one.userId === userId);
    },
  };
}

/** The operations on one-time secrets. No body waits, which is what makes it atomic. */
function createMemorySecrets(
  state: MemoryState,
): SecretStorage & SentSecretStorage {
  const { owners, secrets } = state;

  function find(purpose: string, hash: string, now: number): StoredSecret | null {
    const secret = secrets.get(keyOf(purpose, hash));
    return secret === undefined || secret.expiresAt <= now ? null : secret;
  }

  function store(secret: SecretRecord): void {
    if (secret.userId !== null && !owners.has(secret.userId)) return;
    secrets.set(keyOf(secret.purpose, secret.hash), { ...UNSENT, ...secret, attempts: 0 });
  }

  return {
    async putSecret(secret) {
      store(secret);
    },
    async putNewestSecret(secret, { keep }) {
      store(secret);
      const { purpose, hash, identifier } = secret;
      const staying = [...secrets.values()]
        .filter((one) => one.purpose === purpose && one.identifier === identifier)
        .filter((one) => one.hash !== hash)
        .sort((a, b) => b.createdAt - a.createdAt || (a.hash < b.hash ? -1 : 1))
        .slice(0, keep - 1);
      removeFrom(
        secrets,
        (one) =>
          one.purpose === purpose && one.identifier === identifier && one.hash !== hash &&
          !staying.includes(one),
      );
    },
    async readSecret(purpose, hash, now) {
      const secret = find(purpose, hash, now);
      return secret === null ? null : { ...secret };
    },
    async takeSecret(purpose, hash, { now, identifier }) {
      const secret = find(purpose, hash, now);
      if (secret === null) return null;
      if (identifier !== undefined && secret.identifier !== identifier) return null;
      secrets.delete(keyOf(purpose, hash));
      return secret;
    },
    async countAttempt(purpose, hash, { now, max }) {
      const secret = find(purpose, hash, now);
      if (secret === null || secret.attempts >= max) return null;
      secret.attempts++;
      return { ...secret };
    },
    async redeemSecret({ purpose, hash, identifier }, options) {
      const { now, userId, emailIdentity, keepOwn = false, ends, usedAs } = options;
      const secret = find(purpose, hash, now);
      if (secret === null) return "absent";
      secrets.delete(keyOf(purpose, hash));
      removeFrom(secrets, (one) => ends.includes(one.purpose) && one.identifier === identifier);
      if (userId !== null && activeOwner(state, userId) === undefined) return "absent";
      const outcome = userId === null || emailIdentity === null
        ? "absent"
        : proveMailbox(state, userId, { emailIdentity, at: now, keepOwn });
      if (usedAs !== undefined) {
        secrets.set(keyOf(usedAs, hash), { ...secret, purpose: usedAs, payload: null });
      }
      return outcome === "absent" ? "redeemed" : outcome;
    },
  };
}
