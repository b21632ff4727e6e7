import assert from "node:assert/strict";
import { account, NOW, passkey, record, secret, session } from "../../testing/storage/records.ts";
import { type CompleteStorage, completeStorage } from "../../testing/storage/complete_storage.ts";
import { runWithRequest } from "../lib/runtime.ts";
import type { OutboxRecord } from "../storage/outbox.ts";
import { CHANGE_EVENTS } from "../storage/outbox_proofs.ts";
import { createSqlStorage } from "../storage/sql.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { createSqlTenantMembers } from "../tenant/sql.ts";
import type { TenantMembers } from "../types/tenant.ts";
import type { Occurrence } from "../types/events.ts";
import type { SqlCase } from "./sql_storage_cases.ts";

/** A storage over a database, and its members of tenants. */
interface Stores extends CompleteStorage {
  members: TenantMembers;
}

/** A change, and the event that tells of it. */
interface Change {
  event: Occurrence;
  subject?: string;
  /** Makes what the change needs. Default: the users ada and bob. */
  before?(stores: Stores): Promise<unknown>;
  /** Makes the change. */
  make(stores: Stores): Promise<unknown>;
  /** The same operation where it changes nothing of whom the event is about. */
  refused(stores: Stores): Promise<unknown>;
}

const userId = "ada";
const AT = NOW + 5;
const FREE = { keep: null };
const member = { tenantId: "t1", userId, roles: ["editor"], createdAt: new Date(AT) };
const key = {
  id: "k1",
  userId,
  tenantId: null,
  name: "Name",
  hash: "hash",
  previousHash: null,
  previousUntil: null,
  permissions: ["posts:read"],
  limitCount: null,
  limitWindow: null,
  createdBy: userId,
  createdAt: AT,
  expiresAt: null,
  lastUsedAt: null,
};
const factor = {
  userId,
  secret: "sealed",
  lastStep: 1,
  createdAt: AT,
  codes: ["a"],
  replaces: null,
};
const OWNER = { userId };

const CHANGES: readonly Change[] = [
  {
    event: { type: "sign-up", userId: "eve" },
    make: (all) => all.createUser(record({ id: "eve" }, AT)),
    refused: (all) => all.createUser(record({ id: "ada" }, AT)),
  },
  {
    event: { type: "sign-in", userId },
    make: (all) => all.insertSession(session("new", userId, { createdAt: AT })),
    refused: (all) => all.insertSession(session("new", "nobody", { createdAt: AT })),
  },
  {
    event: { type: "sign-out", userId },
    subject: "s1",
    before: (all) => all.insertSession(session("s1", userId)),
    make: (all) => all.deleteSession("hash-of-s1"),
    refused: (all) => all.deleteSession("hash-of-s2"),
  },
  {
    event: { type: "session-revoked", userId, sessionId: "s1" },
    before: (all) => all.insertSession(session("s1", userId)),
    make: (all) => all.deleteSessionById(userId, "s1"),
    refused: (all) => all.deleteSessionById("bob", "s1"),
  },
  {
    event: { type: "user-disabled", userId },
    make: (all) => all.disableUser(userId, AT),
    refused: (all) => all.disableUser("bob", AT),
  },
  {
    event: { type: "user-enabled", userId },
    before: (all) => all.disableUser(userId, NOW + 1),
    make: (all) => all.enableUser(userId, AT),
    refused: (all) => all.enableUser("bob", AT),
  },
  {
    event: { type: "user-deleted", userId },
    make: (all) => all.deleteUser(userId),
    refused: (all) => all.deleteUser("bob"),
  },
  {
    event: { type: "roles-changed", userId },
    make: (all) => all.setUserRoles(userId, { roles: { role: "admin" }, at: AT }),
    refused: (all) => all.setUserRoles("bob", { roles: { role: "admin" }, at: AT }),
  },
  {
    event: { type: "email-verified", userId },
    before: (all) => all.updateUser(record({ id: userId, email: "ada@example.com" }, NOW)),
    make: (all) => all.proveEmail(userId, { emailIdentity: "ada@example.com", at: AT }),
    refused: (all) => all.proveEmail(userId, { emailIdentity: "bob@example.com", at: AT }),
  },
  {
    event: { type: "email-changed", userId },
    subject: "new@example.com",
    make: (all) => all.updateUser(record({ id: userId, email: "new@example.com" }, AT)),
    refused: (all) => all.updateUser(record({ id: userId, email: "other@example.com" }, AT)),
  },
  {
    event: { type: "password-changed", userId },
    make: (all) => all.setPassword({ userId, hash: "h", changedAt: AT }),
    refused: (all) => all.setPassword({ userId: "bob", hash: "h", changedAt: AT }),
  },
  {
    event: { type: "account-linked", userId, provider: "code" },
    make: (all) => all.linkAccount(account("code", userId, { createdAt: AT, updatedAt: AT })),
    refused: (all) => all.linkAccount(account("code", "bob", { createdAt: AT, updatedAt: AT })),
  },
  {
    event: { type: "account-unlinked", userId, provider: "code" },
    subject: "id-of-ada",
    before: (all) => all.linkAccount(account("code", userId)),
    make: (all) => all.unlinkAccount(userId, "code", "id-of-ada", FREE),
    refused: (all) => all.unlinkAccount("bob", "code", "id-of-ada", FREE),
  },
  {
    event: { type: "passkey-added", userId, passkeyId: "p1" },
    make: (all) => all.insertPasskey(passkey("p1", userId)),
    refused: (all) => all.insertPasskey(passkey("p2", userId)),
  },
  {
    event: { type: "passkey-removed", userId, passkeyId: "p1" },
    before: (all) => all.insertPasskey(passkey("p1", userId)),
    make: (all) => all.deletePasskey(userId, "p1", FREE),
    refused: (all) => all.deletePasskey("bob", "p1", FREE),
  },
  {
    event: { type: "second-factor-added", userId },
    make: (all) => all.putFactor(factor),
    refused: (all) => all.putFactor({ ...factor, userId: "bob", codes: ["b"] }),
  },
  {
    event: { type: "second-factor-removed", userId },
    before: (all) => all.putFactor({ ...factor, createdAt: NOW }),
    make: (all) => all.dropFactor(userId),
    refused: (all) => all.dropFactor("bob"),
  },
  {
    event: { type: "api-key-added", userId, keyId: "k1" },
    make: (all) => all.insertApiKey(key, { max: 3 }),
    refused: (all) => all.insertApiKey(key, { max: 0 }),
  },
  {
    event: { type: "api-key-rotated", userId, keyId: "k1" },
    subject: "other",
    before: (all) => all.insertApiKey({ ...key, createdAt: NOW }, { max: 3 }),
    make: (all) => all.rotateApiKey(OWNER, "k1", { from: "hash", to: "other", until: AT }),
    refused: (all) => all.rotateApiKey(OWNER, "k1", { from: "none", to: "other", until: AT }),
  },
  {
    event: { type: "api-key-removed", userId, keyId: "k1" },
    before: (all) => all.insertApiKey({ ...key, createdAt: NOW }, { max: 3 }),
    make: (all) => all.dropApiKeys(OWNER, "k1"),
    refused: (all) => all.dropApiKeys(OWNER, "k2"),
  },
  {
    event: { type: "member-invited", userId, tenantId: "t1", roles: ["editor"] },
    subject: "i1",
    make: (all) => all.putInvitation(invitation("t1")),
    refused: (all) => all.putInvitation({ ...invitation("t2"), id: "i2" }),
  },
  {
    event: { type: "member-added", userId, tenantId: "t1" },
    make: (all) => all.members.add(member),
    refused: (all) => all.members.add({ ...member, tenantId: "t2" }),
  },
  {
    event: { type: "member-removed", userId, tenantId: "t1", actorId: "bob" },
    before: (all) => all.members.add(member),
    make: (all) => all.members.remove("t1", userId),
    refused: (all) => all.members.remove("t2", userId),
  },
  {
    event: {
      type: "member-roles-changed",
      userId,
      tenantId: "t1",
      actorId: "bob",
      roles: ["owner", "editor"],
      before: ["editor"],
    },
    before: (all) => all.members.add(member),
    make: (all) => all.members.setRoles("t1", userId, ["owner", "editor"]),
    refused: (all) => all.members.setRoles("t2", userId, ["owner", "editor"]),
  },
  // Of any number of sessions: it is as true where there was none.
  {
    event: { type: "session-revoked", userId },
    before: (all) => all.insertSession(session("s1", userId)),
    make: (all) => all.endEverything(userId, ["sessions"], { at: AT }),
    refused: (all) => all.putSecret(secret("unasked")).then(() => all.deleteUser("bob")),
  },
];

function invitation(tenantId: string) {
  return {
    id: "i1",
    tenantId,
    emailIdentity: "eve@example.com",
    email: "eve@example.com",
    hash: `hash-${tenantId}`,
    roles: ["editor"],
    invitedBy: userId,
    createdAt: AT,
    expiresAt: AT + 1000,
  };
}

function storesOf(database: SqlDatabase): Stores {
  return {
    ...completeStorage(createSqlStorage(database)),
    members: createSqlTenantMembers(database),
  };
}

function messageOf({ type }: Occurrence): OutboxRecord {
  const fields = { destination: "", text: "{}", at: AT, tries: 0, dueAt: AT, failure: null };
  return { id: "evt_1", type, ...fields };
}

/** Makes a change in a request in which its event waits for it. */
async function within(
  stores: Stores,
  { event, subject }: Change,
  change: (stores: Stores) => Promise<unknown>,
): Promise<boolean> {
  const running = {
    request: new Request("http://localhost/"),
    waitUntil: (work: Promise<unknown>) => void work.catch(() => {}),
    cookiesOut: { isOpen: true },
    auth: {},
  };
  return await runWithRequest(running, async () => {
    const expected = stores.prepareMessage(messageOf(event), { ...event, subject }, NOW + 2);
    try {
      await change(stores);
    } catch {
      // Refused, or lost: what is stored says the rest.
    }
    return expected.end();
  });
}

async function dueOf(stores: Stores): Promise<string[]> {
  const leased = await stores.leaseMessages({ lease: "l", now: AT, until: AT + 1, limit: 9 });
  return leased.map(({ type }) => type);
}

async function prepare(database: SqlDatabase, { before }: Change): Promise<Stores> {
  const stores = storesOf(database);
  for (const id of ["ada", "bob"]) await stores.createUser(record({ id }));
  await before?.(stores);
  return stores;
}

/** Takes back what the changes write, with whatever refers to the users. */
async function empty(database: SqlDatabase): Promise<void> {
  const user = database.prepare("DELETE FROM users WHERE id = ?1");
  await database.batch([
    ...["ada", "bob", "eve"].map((id) => user.bind(id)),
    database.prepare("DELETE FROM auth_outbox WHERE id = ?1").bind("evt_1"),
  ]);
}

const nameOf = ({ event }: Change) =>
  event.type === "session-revoked" && event.sessionId === undefined
    ? "session-revoked of all"
    : event.type;

/** Cases of events that are stored in the transaction of their change, on every SQL database. */
export const OUTBOX_PROOF_CASES: Record<string, SqlCase> = {
  "every event that is promised is stored with its change, and with none that is refused": async (
    database,
  ) => {
    const types = new Set(CHANGES.map(({ event }) => event.type));
    assert.deepEqual([...types].sort(), CHANGE_EVENTS.toSorted());
    for (const change of CHANGES) {
      const stores = await prepare(database, change);
      const name = nameOf(change);
      // Of all sessions of a user the event is true with whatever is written about that user.
      if (name !== "session-revoked of all") {
        assert.equal(await within(stores, change, change.refused), false, name);
        assert.deepEqual(await dueOf(stores), [], name);
        const left = database.prepare("SELECT id FROM auth_outbox WHERE id = ?1").bind("evt_1");
        assert.equal(await left.first(), null, name);
      }
      assert.equal(await within(stores, change, change.make), true, name);
      assert.deepEqual(await dueOf(stores), [change.event.type], name);
      await empty(database);
    }
  },
  "a change whose answer is lost has its event, and one that was taken back has none": async (
    database,
  ) => {
    for (const change of CHANGES) {
      for (const lost of ["before", "after"] as const) {
        const { faulty, arm } = losing(database);
        const stores = await prepare(faulty, change);
        arm(lost);
        await within(stores, change, change.make);
        arm(null);
        assert.deepEqual(
          await dueOf(stores),
          lost === "before" ? [] : [change.event.type],
          `${nameOf(change)}, lost ${lost} it`,
        );
        await empty(database);
      }
    }
  },
  "recheck() drops an event whose change was taken back afterwards": async (database) => {
    const stores = storesOf(database);
    await stores.createUser(record({ id: "ada" }));
    const [, signIn] = CHANGES as [Change, Change];
    const running = {
      request: new Request("http://localhost/"),
      waitUntil: (work: Promise<unknown>) => void work.catch(() => {}),
      cookiesOut: { isOpen: true },
      auth: {},
    };
    for (const isTakenBack of [true, false]) {
      await runWithRequest(running, async () => {
        const expected = stores.prepareMessage(messageOf(signIn.event), signIn.event, NOW + 2);
        await signIn.make(stores);
        if (isTakenBack) await stores.deleteSession("hash-of-new");
        assert.equal(expected.end(), true);
        await expected.recheck();
      });
      assert.deepEqual(await dueOf(stores), isTakenBack ? [] : ["sign-in"]);
    }
    await empty(database);
  },
};

/** A database of whose writes all are lost, before or after they are done. */
function losing(database: SqlDatabase) {
  let lost: "before" | "after" | null = null;
  async function exchange<T>(work: () => Promise<T>): Promise<T> {
    // An error of the application's, which nothing tries again.
    if (lost === "before") throw new Error("constraint failed");
    const result = await work();
    if (lost === "after") throw new Error("constraint failed");
    return result;
  }
  const direct = database.direct ?? database;
  const faulty: SqlDatabase = {
    ...direct,
    prepare(sql) {
      const wrap = (
        inner: ReturnType<SqlDatabase["prepare"]>,
      ): typeof inner & { inner: unknown } => ({
        inner,
        bind: (...values) => wrap(inner.bind(...values)),
        first: <T>() =>
          /^\s*SELECT/i.test(sql) ? inner.first<T>() : exchange(() => inner.first<T>()),
        all: <T>() => /^\s*SELECT/i.test(sql) ? inner.all<T>() : exchange(() => inner.all<T>()),
        run: () => exchange(() => inner.run()),
      });
      return wrap(direct.prepare(sql));
    },
    batch: (statements) =>
      exchange(() =>
        direct.batch(statements.map((one) => (one as never as { inner: typeof one }).inner))
      ),
  };
  return {
    faulty,
    arm(when: typeof lost) {
      lost = when;
    },
  };
}
