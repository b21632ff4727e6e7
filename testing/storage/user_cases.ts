import assert from "node:assert/strict";
import { type User, UserChangedError, UserExistsError } from "@framework/auth/storage";
import type { StorageCase } from "./complete_storage.ts";
import { keptRecord, NOW, record, secret, session } from "./records.ts";
import { inSuite } from "./suites.ts";

/** Cases about users that every storage must pass. */
export const USER_CASES: Record<string, StorageCase> = inSuite("operations", {
  "getUser() gives back what createUser() stored": async (storage) => {
    const user: User = {
      id: "ada",
      email: "Ada@example.com",
      name: "Ada",
      image: "https://example.com/ada.png",
      emailVerified: new Date(NOW),
      role: "admin",
      roles: ["editor", "author"],
    };
    await storage.createUser(record(user));
    assert.deepEqual(await storage.getUser("ada"), user);
    assert.equal(await storage.getUser("nobody"), null);
  },
  "getUser() gives null for what was left out": async (storage) => {
    await storage.createUser(record({ id: "plain" }));
    assert.deepEqual(await storage.getUser("plain"), {
      id: "plain",
      email: null,
      name: null,
      image: null,
      emailVerified: null,
    });
  },
  "createUser() throws when the id or the mailbox is taken": async (storage) => {
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    await assert.rejects(storage.createUser(record({ id: "ada" })), UserExistsError);
    await assert.rejects(
      storage.createUser(record({ id: "eve", email: "ADA@example.com" })),
      UserExistsError,
    );
    assert.equal(await storage.getUser("eve"), null);
  },
  "createUser() lets two users be without an address": async (storage) => {
    await storage.createUser(record({ id: "one" }));
    await storage.createUser(record({ id: "two" }));
    assert.equal((await storage.getUser("two"))?.id, "two");
  },
  // Tracks: A-07, SP-A2, AU-08
  "an address without its identity is kept for any number of users, and nobody is found by it":
    async (
      storage,
    ) => {
      const email = "Ada@example.com";
      const kept = keptRecord({ id: "one", email });
      await storage.createUser(kept);
      await storage.insertSession(session("s2", "two"), {
        owner: keptRecord({ id: "two", email }),
      });
      await storage.saveUser(keptRecord({ id: "three", email }));
      for (const id of ["one", "two", "three"]) {
        const user = await storage.getUser(id);
        assert.deepEqual([user?.email, user?.emailVerified], [email, null]);
      }
      assert.equal(await storage.getUserByEmail("ada@example.com"), null);
      await storage.createUser(record({ id: "owner", email: "ada@example.com" }));
      assert.equal((await storage.getUserByEmail("ada@example.com"))?.id, "owner");
    },
  // Tracks: A-07, R162
  "a kept address is that of who proves it first, and what was there ends": async (storage) => {
    const emailIdentity = "ada@example.com";
    for (const id of ["one", "two"]) {
      await storage.createUser(keptRecord({ id, email: "Ada@example.com" }));
      await storage.insertSession(session(`of-${id}`, id));
    }
    const other = { emailIdentity: "eve@example.com", at: NOW };
    assert.equal(await storage.proveEmail("one", other), "absent");
    const about = { identifier: "one", userId: "one", sentTo: emailIdentity };
    await storage.putSecret(secret("h", about));
    const redeemed = await storage.redeemSecret({ purpose: "email", hash: "h", ...about }, {
      now: NOW,
      userId: "one",
      emailIdentity,
      ends: [],
    });
    assert.equal(redeemed, "proved");
    assert.equal(await storage.readSession("hash-of-of-one"), null);
    assert.equal((await storage.getUserByEmail(emailIdentity))?.id, "one");
    // The mailbox is somebody's now, and only that one proves it.
    assert.equal(await storage.proveEmail("two", { emailIdentity, at: NOW }), "absent");
    assert.equal((await storage.getUser("two"))?.emailVerified, null);
    assert.notEqual(await storage.readSession("hash-of-of-two"), null);
    assert.equal(await storage.proveEmail("one", { emailIdentity, at: NOW }), "already");
  },
  // Tracks: A-07
  "a sign-in that says a kept address again gives it no identity, and one that proves it does":
    async (
      storage,
    ) => {
      const email = "ada@example.com";
      await storage.createUser(keptRecord({ id: "ada", email }));
      await storage.saveUser(record({ id: "ada", email, name: "Ada" }));
      await storage.insertSession(session("s1", "ada"), { owner: record({ id: "ada", email }) });
      assert.equal((await storage.getUser("ada"))?.name, "Ada");
      assert.equal(await storage.getUserByEmail(email), null);
      const emailVerified = new Date(NOW);
      const proved = await storage.insertSession(session("s2", "ada"), {
        owner: record({ id: "ada", email, emailVerified }),
        existing: true,
      });
      assert.deepEqual(proved?.user.emailVerified, emailVerified);
      assert.equal((await storage.getUserByEmail(email))?.id, "ada");
    },
  // Tracks: A-07
  "a sign-in that proves a kept address which is another user's stores nothing": async (
    storage,
  ) => {
    const email = "ada@example.com";
    await storage.createUser(keptRecord({ id: "ada", email }));
    await storage.createUser(record({ id: "owner", email }));
    const owner = record({ id: "ada", email, name: "Ada", emailVerified: new Date(NOW) });
    await assert.rejects(storage.insertSession(session("s1", "ada"), { owner }), UserExistsError);
    await assert.rejects(storage.updateUser(owner), UserExistsError);
    assert.equal(await storage.readSession("hash-of-s1"), null);
    const { name, emailVerified } = (await storage.getUser("ada"))!;
    assert.deepEqual([name, emailVerified], [null, null]);
  },
  // Tracks: A-07
  "updateUser() proves a kept address only together with the address": async (storage) => {
    const email = "ada@example.com";
    const emailVerified = new Date(NOW);
    await storage.createUser(keptRecord({ id: "ada", email }));
    const alone = await storage.updateUser(record({ id: "ada", emailVerified }));
    assert.deepEqual([alone?.email, alone?.emailVerified], [email, null]);
    const both = await storage.updateUser(record({ id: "ada", email, emailVerified }));
    assert.deepEqual(both?.emailVerified, emailVerified);
    assert.equal((await storage.getUserByEmail(email))?.id, "ada");
  },
  "getActiveUser() gives a user who is not disabled": async (storage) => {
    await storage.createUser(record({ id: "ada", name: "Ada" }));
    assert.equal((await storage.getActiveUser("ada"))?.name, "Ada");
    assert.equal(await storage.getActiveUser("nobody"), null);
    await storage.disableUser("ada", NOW);
    assert.equal(await storage.getActiveUser("ada"), null);
    assert.equal((await storage.getUser("ada"))?.name, "Ada");
  },
  "saveUser() makes a new user and updates a known one, never roles": async (storage) => {
    const made = await storage.saveUser(record({ id: "ada", name: "Ada", roles: ["a"] }));
    assert.equal(made?.created, true);
    assert.deepEqual(made?.user, await storage.getUser("ada"));
    const email = "ada@example.com";
    const known = await storage.saveUser(record({ id: "ada", email, role: "root", roles: [] }));
    assert.equal(known?.created, false);
    assert.deepEqual(known?.user, {
      id: "ada",
      email,
      name: "Ada",
      image: null,
      emailVerified: null,
      roles: ["a"],
    });
    await assert.rejects(storage.saveUser(record({ id: "eve", email })), UserExistsError);
    assert.equal(await storage.getUser("eve"), null);
  },
  "saveUser() writes nothing to a disabled user": async (storage) => {
    await storage.createUser(record({ id: "ada", name: "Ada" }));
    await storage.disableUser("ada", NOW);
    assert.equal(await storage.saveUser(record({ id: "ada", name: "Changed" })), null);
    assert.equal((await storage.getUser("ada"))?.name, "Ada");
  },
  "updateUser() changes what is given and leaves the rest": async (storage) => {
    const user = { id: "ada", email: "ada@example.com", name: "Ada", roles: ["a"] };
    await storage.createUser(record(user));
    assert.deepEqual(await storage.updateUser(record({ id: "ada", name: "Countess" })), {
      ...user,
      name: "Countess",
      image: null,
      emailVerified: null,
    });
    const changed = await storage.updateUser(
      record({ id: "ada", name: null, emailVerified: new Date(NOW), role: "root", roles: [] }),
    );
    assert.deepEqual(changed, {
      id: "ada",
      email: "ada@example.com",
      name: null,
      image: null,
      emailVerified: new Date(NOW),
      roles: ["a"],
    });
    assert.deepEqual(await storage.getUser("ada"), changed);
    assert.equal(await storage.updateUser(record({ id: "nobody", name: "x" })), null);
    assert.equal(await storage.getUser("nobody"), null);
  },
  "updateUser() does not carry the proof of one address over to another": async (storage) => {
    const proved = { id: "ada", email: "ada@example.com", emailVerified: new Date(NOW) };
    await storage.createUser(record(proved));
    const same = await storage.updateUser(record({ id: "ada", email: "ADA@example.com" }));
    assert.deepEqual(same?.emailVerified, new Date(NOW));
    const other = await storage.updateUser(record({ id: "ada", email: "other@example.com" }));
    assert.equal(other?.emailVerified, null);
    const again = await storage.updateUser(
      record({ id: "ada", email: "third@example.com", emailVerified: new Date(NOW + 1) }),
    );
    assert.deepEqual(again?.emailVerified, new Date(NOW + 1));
    assert.equal((await storage.updateUser(record({ id: "ada", email: null })))?.email, null);
    await storage.createUser(record({ id: "eve", email: "third@example.com" }));
  },
  "updateUser() throws when the mailbox is another user's": async (storage) => {
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    await storage.createUser(record({ id: "eve", email: "eve@example.com", name: "Eve" }));
    const stolen = record({ id: "eve", email: "ADA@example.com", name: "Ada" });
    await assert.rejects(storage.updateUser(stolen), UserExistsError);
    assert.equal((await storage.getUser("eve"))?.name, "Eve");
  },
  "setUserRoles() changes what is given": async (storage) => {
    await storage.createUser(record({ id: "ada", role: "member", roles: ["a"] }));
    const at = NOW + 1;
    const admin = await storage.setUserRoles("ada", { roles: { role: "admin" }, at });
    assert.deepEqual([admin?.role, admin?.roles], ["admin", ["a"]]);
    const several = await storage.setUserRoles("ada", { roles: { roles: ["b", "c"] }, at });
    assert.deepEqual([several?.role, several?.roles], ["admin", ["b", "c"]]);
    const none = await storage.setUserRoles("ada", { roles: { role: null, roles: [] }, at });
    assert.deepEqual([none?.role, none?.roles], [undefined, undefined]);
    assert.deepEqual(await storage.getUser("ada"), none);
    assert.equal(await storage.setUserRoles("nobody", { roles: { role: "admin" }, at }), null);
  },
  "changes of users are made only while others have the roles that were read": async (storage) => {
    const roles = { role: "support", roles: ["admin"] };
    await storage.createUser(record({ id: "boss", ...roles }));
    await storage.createUser(record({ id: "ada", roles: ["writer"] }));
    const boss = { userId: "boss", roles: ["admin", "support"], active: true };
    const others = [
      { ...boss, roles: ["admin"] },
      { ...boss, roles: ["admin", "support", "writer"] },
      { ...boss, roles: ["admin", "writer"] },
      { ...boss, roles: [] },
      { userId: "nobody", roles: [] },
    ];
    for (const other of others) {
      const options = { unchanged: [{ userId: "ada", roles: ["writer"] }, other] };
      for (
        const change of [
          () => storage.setUserRoles("ada", { roles: { roles: [] }, at: NOW, ...options }),
          () => storage.disableUser("ada", NOW, options),
          () => storage.enableUser("ada", NOW, options),
          () => storage.deleteUser("ada", options),
        ]
      ) {
        await assert.rejects(change, UserChangedError);
      }
    }
    assert.deepEqual((await storage.getActiveUser("ada"))?.roles, ["writer"]);
    const held = { unchanged: [boss, { userId: "ada", roles: ["writer"] }] };
    const changed = await storage.setUserRoles("ada", {
      roles: { role: "reader", roles: [] },
      at: NOW,
      ...held,
    });
    assert.deepEqual([changed?.role, changed?.roles], ["reader", undefined]);
    await assert.rejects(storage.disableUser("ada", NOW, held), UserChangedError);
    const now = { unchanged: [boss, { userId: "ada", roles: ["reader"] }] };
    assert.equal(await storage.disableUser("ada", NOW, now), true);
    assert.equal(await storage.enableUser("ada", NOW, now), true);
    const missing = { unchanged: [boss] };
    assert.equal(await storage.disableUser("nobody", NOW, missing), false);
    await storage.disableUser("boss", NOW);
    await assert.rejects(storage.deleteUser("ada", now), UserChangedError);
    assert.equal(
      await storage.deleteUser("ada", { unchanged: [{ ...boss, active: false }] }),
      true,
    );
  },
  // Tracks: R039, CVE-2026-16103
  "disableUser() ends every session, and enableUser() brings none back": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    assert.equal(await storage.disableUser("ada", NOW), true);
    assert.equal(await storage.disableUser("ada", NOW + 1), true);
    assert.equal(await storage.readSession("hash-of-s1"), null);
    assert.equal(await storage.insertSession(session("s2", "ada")), null);
    assert.equal(
      await storage.insertSession(session("s3", "ada"), { owner: record({ id: "ada" }) }),
      null,
    );
    assert.equal(await storage.enableUser("ada", NOW + 2), true);
    for (const id of ["s1", "s2", "s3"]) {
      assert.equal(await storage.readSession(`hash-of-${id}`), null);
    }
    assert.equal((await storage.insertSession(session("s4", "ada")))?.user.id, "ada");
    assert.equal(await storage.disableUser("nobody", NOW), false);
    assert.equal(await storage.enableUser("nobody", NOW), false);
  },
  // Tracks: R039, GHSA-2vg6
  "deleteUser() takes the sessions with it, also for whoever gets the id next": async (storage) => {
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    await storage.insertSession(session("s1", "ada"));
    assert.equal(await storage.deleteUser("ada"), true);
    assert.equal(await storage.deleteUser("ada"), false);
    assert.equal(await storage.getUser("ada"), null);
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    assert.equal(await storage.readSession("hash-of-s1"), null);
    assert.deepEqual(await storage.listSessions("ada", { now: NOW, limit: 10 }), []);
  },
  // Tracks: F32
  "createUser() keeps every character of every text, and tells ids apart by each": async (
    storage,
  ) => {
    const texts = [
      "é",
      "e\u0301",
      "İ",
      "i\u0307",
      "ı",
      "ﬁ",
      "＠",
      "\u202eabc",
      "👩‍👩‍👧",
      "😀",
      "ß",
      "ss",
      "A",
      "a",
      "'; --",
      '"',
      "?1",
      "$1",
      "%00",
    ];
    for (const text of texts) {
      await storage.createUser(record({ id: text, name: text, role: text, roles: [text] }));
    }
    for (const text of texts) {
      const user = await storage.getUser(text);
      assert.deepEqual([user?.id, user?.name, user?.role, user?.roles], [text, text, text, [text]]);
    }
  },
});
