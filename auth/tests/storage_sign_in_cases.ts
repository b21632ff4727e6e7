import assert from "node:assert/strict";
import { AccountTakenError } from "../errors.ts";
import type { StorageCase } from "./storage_cases.ts";
import { account, HOUR, NOW, passkey, record, secret, session } from "./storage_records.ts";

/**
 * Cases about proving a mailbox, and about changes together with a sign-in, that every storage must
 * pass.
 */
export const SIGN_IN_CASES: Record<string, StorageCase> = {
  // Tracks: R029, GHSA-qq9h-g4jm-xgf3, GHSA-g38m-r43w-p2q7
  "proveEmail() takes whatever an unproven owner left, the first time": async (storage) => {
    const mailbox = { emailIdentity: "ada@example.com", at: NOW + 1 };
    for (const id of ["ada", "eve"]) {
      await storage.createUser(record({ id, email: `${id}@example.com` }));
      await storage.insertSession(session(`s-${id}`, id));
      await storage.linkAccount(account("code", id));
      await storage.insertPasskey(passkey(`key-${id}`, id));
      await storage.putSecret(secret(`secret-${id}`, { userId: id }));
    }
    assert.equal(await storage.proveEmail("ada", mailbox), "proved");
    assert.deepEqual((await storage.getUser("ada"))?.emailVerified, new Date(NOW + 1));
    assert.equal(await storage.readSession("hash-of-s-ada"), null);
    assert.deepEqual(await storage.listAccounts("ada"), []);
    assert.deepEqual(await storage.listPasskeys("ada"), []);
    assert.equal(await storage.readSecret("email", "secret-ada", NOW), null);
    assert.notEqual(await storage.readSession("hash-of-s-eve"), null);
    assert.equal((await storage.listAccounts("eve")).length, 1);
    assert.equal((await storage.listPasskeys("eve")).length, 1);
    assert.notEqual(await storage.readSecret("email", "secret-eve", NOW), null);
    // No password of before counts, whenever it is checked; other ways do.
    const late = NOW + 1000 * 365 * 24 * HOUR;
    const options = { proofBegunAt: late };
    assert.equal(await storage.insertSession(session("s1", "ada"), options), null);
    assert.notEqual(await storage.insertSession(session("s2", "ada")), null);
    // The second time there is nothing left of anybody else.
    assert.equal(await storage.proveEmail("ada", mailbox), "already");
    assert.notEqual(await storage.readSession("hash-of-s2"), null);
    // A new password counts.
    await storage.setCredentialsAfter("ada", late);
    assert.notEqual(await storage.insertSession(session("s1", "ada"), options), null);
  },
  "proveEmail() of whoever is signed in removes nothing": async (storage) => {
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    await storage.insertSession(session("s", "ada"));
    await storage.insertPasskey(passkey("key", "ada"));
    const own = { emailIdentity: "ada@example.com", at: NOW, keepOwn: true };
    assert.equal(await storage.proveEmail("ada", own), "proved");
    assert.notEqual(await storage.readSession("hash-of-s"), null);
    assert.equal((await storage.listPasskeys("ada")).length, 1);
    const password = { proofBegunAt: NOW };
    assert.notEqual(await storage.insertSession(session("s2", "ada"), password), null);
    assert.equal(await storage.proveEmail("ada", own), "already");
  },
  "proveEmail() proves no mailbox but the user's, and none of a disabled one": async (storage) => {
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    await storage.insertSession(session("s", "ada"));
    const other = { emailIdentity: "eve@example.com", at: NOW };
    assert.equal(await storage.proveEmail("ada", other), "absent");
    assert.equal(await storage.proveEmail("nobody", other), "absent");
    assert.notEqual(await storage.readSession("hash-of-s"), null);
    assert.equal((await storage.getUser("ada"))?.emailVerified, null);
    await storage.disableUser("ada", NOW);
    const own = { emailIdentity: "ada@example.com", at: NOW };
    assert.equal(await storage.proveEmail("ada", own), "absent");
  },
  // Tracks: R029, GHSA-qq9h-g4jm-xgf3
  "nothing is stored for a user who was read as unproved and has been proved since": async (
    storage,
  ) => {
    const unproved = { unproved: true };
    for (const id of ["ada", "eve"]) {
      await storage.createUser(record({ id, email: `${id}@example.com`, name: id }));
    }
    assert.equal(await storage.linkAccount(account("code", "eve"), unproved), "linked");
    assert.equal(await storage.insertPasskey(passkey("key-eve", "eve"), unproved), true);
    assert.notEqual(await storage.insertSession(session("s-eve", "eve"), unproved), null);
    await storage.proveEmail("ada", { emailIdentity: "ada@example.com", at: NOW });
    const owner = record({ id: "ada", name: "Left" });
    const save = {
      ...unproved,
      account: account("code", "ada"),
      passkey: storage.preparePasskey(passkey("key", "ada")),
    };
    assert.equal(await storage.linkAccount(save.account, unproved), "absent");
    assert.equal(await storage.insertPasskey(passkey("key", "ada"), unproved), false);
    assert.equal(await storage.insertSession(session("s", "ada"), { ...save, owner }), null);
    assert.equal(await storage.saveUser(owner, save), null);
    assert.equal((await storage.getUser("ada"))?.name, "ada");
    assert.deepEqual(await storage.listAccounts("ada"), []);
    assert.deepEqual(await storage.listPasskeys("ada"), []);
    assert.deepEqual(await storage.listSessions("ada", { now: NOW, limit: 5 }), []);
  },
  // Tracks: R039, F05
  "a sign-in of a user who must be there makes nobody": async (storage) => {
    const existing = { existing: true };
    const save = { ...existing, account: account("code", "ada") };
    const owner = record({ id: "ada", name: "Ada" });
    assert.equal(await storage.insertSession(session("s", "ada"), { ...save, owner }), null);
    assert.equal(await storage.saveUser(owner, save), null);
    assert.equal(await storage.getUser("ada"), null);
    assert.equal(await storage.findAccount("code", "id-of-ada"), null);
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    const saved = await storage.insertSession(session("s", "ada"), { ...save, owner });
    assert.deepEqual([saved?.created, saved?.user.name], [false, "Ada"]);
    assert.equal((await storage.saveUser(owner, save))?.created, false);
    assert.equal((await storage.getUser("ada"))?.email, "ada@example.com");
  },
  "setCredentialsAfter() refuses credentials whose check began before, and stores nothing of them":
    async (
      storage,
    ) => {
      await storage.createUser(record({ id: "ada", name: "Ada" }));
      assert.equal(await storage.setCredentialsAfter("nobody", NOW), false);
      assert.equal(await storage.setCredentialsAfter("ada", NOW), true);
      const owner = record({ id: "ada", name: "Eve", email: "eve@example.com" });
      const before = { proofBegunAt: NOW - 1, account: account("code", "ada") };
      assert.equal(await storage.insertSession(session("s1", "ada"), { ...before, owner }), null);
      assert.equal(await storage.saveUser(owner, before), null);
      assert.equal((await storage.getUser("ada"))?.name, "Ada");
      assert.deepEqual(await storage.listAccounts("ada"), []);
      const after = { proofBegunAt: NOW };
      assert.equal((await storage.saveUser(record({ id: "ada" }), after))?.user.name, "Ada");
      assert.notEqual(await storage.insertSession(session("s2", "ada"), after), null);
      assert.notEqual(await storage.insertSession(session("s3", "ada")), null);
    },
  // Tracks: R164, A-17
  "credentialsCount() is false for who is shut out and for a check of before, and true for nobody":
    async (storage) => {
      assert.equal(await storage.credentialsCount("ada", NOW), true);
      await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
      assert.equal(await storage.credentialsCount("ada", NOW), true);
      await storage.setCredentialsAfter("ada", NOW);
      assert.equal(await storage.credentialsCount("ada", NOW - 1), false);
      assert.equal(await storage.credentialsCount("ada", NOW), true);
      await storage.proveEmail("ada", { emailIdentity: "ada@example.com", at: NOW });
      assert.equal(await storage.credentialsCount("ada", NOW + 1000 * 365 * 24 * HOUR), false);
      await storage.setCredentialsAfter("ada", NOW);
      await storage.disableUser("ada", NOW);
      assert.equal(await storage.credentialsCount("ada", NOW), false);
      await storage.enableUser("ada", NOW);
      assert.equal(await storage.credentialsCount("ada", NOW), true);
    },
  "insertSession() and saveUser() store the account and the passkey with the user": async (
    storage,
  ) => {
    const owner = record({ id: "ada" });
    const extra = {
      account: account("code", "ada"),
      passkey: storage.preparePasskey(passkey("key", "ada")),
    };
    const made = await storage.insertSession(session("s", "ada"), { owner, ...extra });
    assert.equal(made?.created, true);
    assert.deepEqual(await storage.listAccounts("ada"), [extra.account]);
    assert.deepEqual(await storage.listPasskeys("ada"), [passkey("key", "ada")]);
    const next = {
      account: account("chat", "ada"),
      passkey: storage.preparePasskey(passkey("key2", "ada")),
    };
    assert.equal((await storage.saveUser(owner, next))?.created, false);
    assert.deepEqual(
      (await storage.listAccounts("ada")).map(({ provider }) => provider),
      ["chat", "code"],
    );
    assert.equal((await storage.listPasskeys("ada")).length, 2);
    // Of a known user, without anything to write.
    const again = { account: account("code", "ada", { accessToken: "a" }) };
    assert.notEqual(await storage.insertSession(session("s2", "ada"), again), null);
    assert.equal((await storage.findAccount("code", "id-of-ada"))?.accessToken, "a");
  },
  // Tracks: R100, F11
  "a sign-in with what is another user's stores nothing": async (storage) => {
    await storage.createUser(record({ id: "ada", name: "Ada" }));
    await storage.createUser(record({ id: "eve", name: "Eve" }));
    await storage.linkAccount(account("code", "ada"));
    await storage.insertPasskey(passkey("key", "ada"));
    const stolen = [
      { account: account("code", "ada", { providerAccountId: "id-of-ada" }) },
      { passkey: passkey("key", "ada") },
    ].map((save) => (id: string) => ({
      ...(save.account && { account: { ...save.account, userId: id } }),
      ...(save.passkey && { passkey: storage.preparePasskey({ ...save.passkey, userId: id }) }),
    }));
    for (const [index, save] of stolen.entries()) {
      for (const id of ["eve", `new${index}`]) {
        const owner = record({ id, name: "Changed" });
        await assert.rejects(
          storage.insertSession(session("s", id), { owner, ...save(id) }),
          AccountTakenError,
        );
        await assert.rejects(storage.saveUser(owner, save(id)), AccountTakenError);
      }
      assert.equal(await storage.getUser(`new${index}`), null);
    }
    assert.equal((await storage.getUser("eve"))?.name, "Eve");
    assert.equal(await storage.readSession("hash-of-s"), null);
    assert.equal((await storage.findAccount("code", "id-of-ada"))?.userId, "ada");
    assert.equal((await storage.getPasskey("key"))?.userId, "ada");
  },
  // Tracks: R039
  "a sign-in of a disabled user stores no account": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.disableUser("ada", NOW);
    const save = {
      account: account("code", "ada"),
      passkey: storage.preparePasskey(passkey("key", "ada")),
    };
    assert.equal(await storage.insertSession(session("s", "ada"), save), null);
    assert.equal(await storage.saveUser(record({ id: "ada" }), save), null);
    assert.deepEqual(await storage.listAccounts("ada"), []);
    assert.deepEqual(await storage.listPasskeys("ada"), []);
  },
  // Tracks: R039, GHSA-2vg6
  "deleteUser() takes accounts and passkeys with it": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.linkAccount(account("code", "ada"));
    await storage.insertPasskey(passkey("key", "ada"));
    await storage.deleteUser("ada");
    await storage.createUser(record({ id: "ada" }));
    assert.deepEqual(await storage.listAccounts("ada"), []);
    assert.equal(await storage.getPasskey("key"), null);
  },
  "a session keeps the tenant that it was made in": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada", { tenantId: "acme" }));
    await storage.insertSession(session("s2", "ada"));
    assert.equal((await storage.readSession("hash-of-s1"))?.session.tenantId, "acme");
    const listed = await storage.listSessions("ada", { now: NOW, limit: 5 });
    assert.deepEqual(listed.map(({ tenantId }) => tenantId), ["acme", undefined]);
    await storage.createUser(record({ id: "eve" }));
    await storage.insertSession(session("s3", "eve", { tenantId: "acme" }));
    assert.equal(await storage.deleteSessions("ada", { tenantId: "globex" }), 0);
    assert.equal(await storage.deleteSessions("ada", { tenantId: "acme", exceptId: "s1" }), 0);
    assert.equal(await storage.deleteSessions("ada", { tenantId: "acme" }), 1);
    assert.equal((await storage.readSession("hash-of-s2"))?.session.id, "s2");
    assert.equal((await storage.readSession("hash-of-s3"))?.session.id, "s3");
  },
};
