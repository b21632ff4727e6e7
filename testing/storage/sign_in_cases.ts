import assert from "node:assert/strict";
import { AccountTakenError } from "@framework/auth/storage";
import type { StorageCase } from "./complete_storage.ts";
import { account, HOUR, NOW, passkey, record, secret, session } from "./records.ts";
import { inSuite } from "./suites.ts";

/**
 * Cases about proving a mailbox, and about changes together with a sign-in, that every storage must
 * pass.
 */
export const SIGN_IN_CASES: Record<string, StorageCase> = inSuite("operations", {
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
    await storage.endEverything("ada", ["links"], { at: late, credentials: true });
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
  // Tracks: R101, F05
  "a sign-in replaces no proved address, nor one that changed after it began": async (storage) => {
    const said = (email: string, begun: number, name?: string) =>
      record({ id: "ada", email, ...name && { name } }, NOW + begun);
    const stored = async () => (await storage.getUser("ada"))?.email;
    await storage.createUser(record({ id: "ada", email: "first@example.com" }));
    // Unproved, and as it was when the sign-in began.
    await storage.insertSession(session("s1", "ada"), { owner: said("old@example.com", 100) });
    assert.equal(await stored(), "old@example.com");
    await storage.updateUser(record({ id: "ada", email: "new@example.com" }, NOW + 200));
    // Unproved, and changed since; the second time somebody else has signed in meanwhile.
    for (const begun of [150, 160]) {
      const { user, ...rest } = said("old@example.com", begun, `Ada ${begun}`);
      // Also one that is said to be proved.
      const owner = {
        ...rest,
        user: { ...user, emailVerified: begun === 150 ? null : new Date(NOW) },
      };
      const saved = await storage.insertSession(session(`s${begun}`, "ada"), { owner });
      assert.deepEqual([saved?.user.email, saved?.user.name], ["new@example.com", `Ada ${begun}`]);
      assert.equal(saved?.user.emailVerified, null);
      assert.equal((await storage.getUserByEmail("new@example.com"))?.id, "ada");
    }
    // The one that the user has, said again: its proof is the user's to give.
    const again = record({
      ...{ id: "ada", email: "new@example.com", name: "Ada" },
      emailVerified: new Date(NOW),
    }, NOW + 250);
    assert.equal((await storage.saveUser(again))?.user.emailVerified, null);
    await storage.saveUser(said("last@example.com", 300));
    assert.equal(await stored(), "last@example.com");
    await storage.saveUser(said("new@example.com", 301));
    assert.equal(await stored(), "new@example.com");
    // Proved; and the one of before is somebody else's by now.
    await storage.proveEmail("ada", { emailIdentity: "new@example.com", at: NOW, keepOwn: true });
    await storage.createUser(record({ id: "bob", email: "old@example.com" }));
    for (const existing of [true, false]) {
      const name = `Proved, ${existing}`;
      const saved = await storage.saveUser(said("old@example.com", 1000, name), { existing });
      assert.deepEqual([saved?.user.email, saved?.user.name], ["new@example.com", name]);
      assert.deepEqual(saved?.user.emailVerified, new Date(NOW));
    }
    const proof = record({
      ...{ id: "ada", email: "late@example.com", name: "Late" },
      emailVerified: new Date(NOW),
    });
    await storage.insertSession(session("s3", "ada"), { owner: proof });
    assert.equal(await stored(), "new@example.com");
    assert.equal((await storage.getUserByEmail("new@example.com"))?.id, "ada");
  },
  // Tracks: R127, F05
  "a sign-in by an account or a passkey that is gone by then stores nothing": async (storage) => {
    for (const id of ["ada", "eve"]) await storage.createUser(record({ id }));
    const existing = true;
    const linked = { account: account("code", "ada"), linked: true, existing };
    const used = { passkey: storage.preparePasskeyUse("ada", "key"), existing };
    const owner = record({ id: "ada", name: "Stale" });
    const refused = async () => {
      for (const options of [linked, used]) {
        for (
          const attempt of [
            () => storage.insertSession(session("s", "ada"), options),
            () => storage.insertSession(session("s", "ada"), { owner, ...options }),
            () => storage.saveUser(owner, options),
          ]
        ) {
          await assert.rejects(attempt, AccountTakenError);
        }
      }
      assert.equal(await storage.readSession("hash-of-s"), null);
      assert.equal((await storage.getUser("ada"))?.name, null);
    };
    // Others of theirs are not the one.
    for (
      const other of [
        account("code", "ada", { providerAccountId: "second" }),
        account("chat", "ada"),
      ]
    ) await storage.linkAccount(other);
    await refused();
    assert.equal(await storage.findAccount("code", "id-of-ada"), null);
    // Somebody else's by now.
    await storage.linkAccount(account("code", "eve", { providerAccountId: "id-of-ada" }));
    await storage.insertPasskey(passkey("key", "eve"));
    await refused();
    assert.equal((await storage.findAccount("code", "id-of-ada"))?.userId, "eve");
    const last = { keep: null };
    await storage.unlinkAccount("eve", "code", "id-of-ada", last);
    await storage.deletePasskey("eve", "key", last);
    await storage.linkAccount(account("code", "ada"));
    await storage.insertPasskey(passkey("key", "ada"));
    for (const [index, options] of [linked, used].entries()) {
      const saved = await storage.insertSession(session(`s${index}`, "ada"), options);
      assert.equal(saved?.created, false);
      assert.equal((await storage.saveUser(owner, options))?.created, false);
    }
    const at = NOW + 1;
    const tokens = {
      ...linked,
      account: account("code", "ada", { accessToken: "t", updatedAt: at }),
    };
    await storage.insertSession(session("s2", "ada"), tokens);
    assert.equal((await storage.findAccount("code", "id-of-ada"))?.accessToken, "t");
  },
  // Tracks: R101, F05
  "a sign-in by a mailbox that is another's or nobody's by then stores nothing": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada", email: "old@example.com" }));
    const options = {
      mailbox: "old@example.com",
      existing: true,
      owner: record({ id: "ada", name: "Stale" }),
      account: account("code", "ada"),
    };
    assert.notEqual(await storage.insertSession(session("s1", "ada"), options), null);
    await storage.unlinkAccount("ada", "code", "id-of-ada", { keep: null });
    await storage.updateUser(record({ id: "ada", email: "new@example.com", name: "Ada" }));
    assert.equal(await storage.insertSession(session("s2", "ada"), options), null);
    assert.equal(await storage.saveUser(options.owner, options), null);
    assert.equal((await storage.getUser("ada"))?.name, "Ada");
    assert.deepEqual(await storage.listAccounts("ada"), []);
  },
  // Tracks: R127, F05
  "a way in that is added in a session is not stored when that has ended": async (storage) => {
    for (const id of ["ada", "eve"]) await storage.createUser(record({ id }));
    await storage.insertSession(session("s1", "ada"));
    await storage.insertSession(session("s2", "eve"));
    for (const sessionId of ["s2", "s3"]) {
      assert.equal(await storage.linkAccount(account("code", "ada"), { sessionId }), "absent");
      assert.equal(await storage.insertPasskey(passkey("key", "ada"), { sessionId }), false);
    }
    assert.deepEqual(await storage.listAccounts("ada"), []);
    assert.deepEqual(await storage.listPasskeys("ada"), []);
    const own = { sessionId: "s1" };
    assert.equal(await storage.linkAccount(account("code", "ada"), own), "linked");
    assert.equal(await storage.insertPasskey(passkey("key", "ada"), own), true);
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
  "endEverything() refuses credentials whose check began before, and stores nothing of them":
    async (
      storage,
    ) => {
      await storage.createUser(record({ id: "ada", name: "Ada" }));
      assert.equal(
        await storage.endEverything("nobody", ["links"], { at: NOW, credentials: true }),
        false,
      );
      assert.equal(
        await storage.endEverything("ada", ["links"], { at: NOW, credentials: true }),
        true,
      );
      const owner = record({ id: "ada", name: "Eve", email: "eve@example.com" });
      const before = { proofBegunAt: NOW - 1, account: account("code", "ada") };
      assert.equal(await storage.insertSession(session("s1", "ada"), { ...before, owner }), null);
      assert.equal(await storage.saveUser(owner, before), null);
      assert.equal((await storage.getUser("ada"))?.name, "Ada");
      assert.deepEqual(await storage.listAccounts("ada"), []);
      const after = { proofBegunAt: NOW };
      assert.equal((await storage.saveUser(record({ id: "ada" }), after))?.user.name, "Ada");
      // From that very moment on everything of theirs is stored.
      const full = {
        ...after,
        account: account("chat", "ada"),
        passkey: storage.preparePasskey(passkey("key", "ada")),
      };
      const renamed = record({ id: "ada", name: "Ada L." });
      assert.equal((await storage.saveUser(renamed, full))?.user.name, "Ada L.");
      assert.equal((await storage.listAccounts("ada")).length, 1);
      assert.equal((await storage.listPasskeys("ada")).length, 1);
      assert.notEqual(await storage.insertSession(session("s2", "ada"), after), null);
      assert.notEqual(await storage.insertSession(session("s3", "ada")), null);
    },
  // Tracks: R164, A-17
  "credentialsCount() is false for who is shut out and for a check of before, and true for nobody":
    async (storage) => {
      assert.equal(await storage.credentialsCount("ada", NOW), true);
      await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
      assert.equal(await storage.credentialsCount("ada", NOW), true);
      await storage.endEverything("ada", ["links"], { at: NOW, credentials: true });
      assert.equal(await storage.credentialsCount("ada", NOW - 1), false);
      assert.equal(await storage.credentialsCount("ada", NOW), true);
      await storage.proveEmail("ada", { emailIdentity: "ada@example.com", at: NOW });
      assert.equal(await storage.credentialsCount("ada", NOW + 1000 * 365 * 24 * HOUR), false);
      await storage.endEverything("ada", ["links"], { at: NOW, credentials: true });
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
});
