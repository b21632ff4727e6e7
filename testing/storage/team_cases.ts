import assert from "node:assert/strict";
import type { InvitationRecord } from "@framework/auth/storage";
import type { StorageCase } from "./complete_storage.ts";
import { repeat, rivals } from "./race.ts";
import { HOUR, NOW, record } from "./records.ts";
import { inSuite } from "./suites.ts";

function invitation(id: string, rest: Partial<InvitationRecord> = {}): InvitationRecord {
  return {
    id,
    tenantId: "t1",
    emailIdentity: `${id}@example.com`,
    email: `${id}@Example.com`,
    hash: `hash-of-${id}`,
    roles: ["editor"],
    invitedBy: "ada",
    createdAt: NOW,
    expiresAt: NOW + HOUR,
    ...rest,
  };
}

const PART = { now: NOW, limit: 10 };

/** Cases about invitations that every storage must pass. */
export const TEAM_CASES: Record<string, StorageCase> = inSuite("operations", {
  "readUsers() reads those that are there": async (storage) => {
    for (const id of ["ada", "bob"]) await storage.createUser(record({ id, name: id }));
    const read = async (ids: string[]) => (await storage.readUsers(ids)).map(({ id }) => id).sort();
    assert.deepEqual(await read([]), []);
    assert.deepEqual(await read(["ada", "nobody"]), ["ada"]);
    const many = ["bob", "ada", ...Array.from({ length: 48 }, (_, index) => `u${index}`)];
    assert.deepEqual(await read(many), ["ada", "bob"]);
    assert.equal((await storage.readUsers(["ada"]))[0]?.name, "ada");
  },
  "an invitation is read as it was stored, until it expires": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.putInvitation(invitation("i1", { roles: ["editor", 'a"b'] }));
    const read = await storage.readInvitation("hash-of-i1", NOW + HOUR - 1);
    assert.deepEqual(read, invitation("i1", { roles: ["editor", 'a"b'] }));
    assert.equal(await storage.readInvitation("hash-of-i1", NOW + HOUR), null);
    assert.equal(await storage.readInvitation("i1", NOW), null);
    await storage.putInvitation(invitation("i2", { invitedBy: "nobody" }));
    assert.equal(await storage.readInvitation("hash-of-i2", NOW), null);
  },
  "a new invitation of a mailbox to a tenant ends the one before": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const same = { emailIdentity: "bob@example.com" };
    await storage.putInvitation(invitation("i1", same));
    await storage.putInvitation(invitation("i2", { ...same, roles: ["owner"] }));
    await storage.putInvitation(invitation("i3", { ...same, tenantId: "t2" }));
    assert.equal(await storage.readInvitation("hash-of-i1", NOW), null);
    assert.deepEqual((await storage.readInvitation("hash-of-i2", NOW))?.roles, ["owner"]);
    assert.deepEqual((await storage.listInvitations("t1", PART)).map(({ id }) => id), ["i2"]);
    assert.deepEqual((await storage.listInvitations("t2", PART)).map(({ id }) => id), ["i3"]);
  },
  "listInvitations() goes through those of one tenant in parts": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    for (const id of ["c", "a", "b"]) await storage.putInvitation(invitation(id));
    await storage.putInvitation(invitation("d", { tenantId: "t2" }));
    await storage.putInvitation(invitation("e", { expiresAt: NOW + 1 }));
    const first = await storage.listInvitations("t1", { now: NOW + 1, limit: 2 });
    assert.deepEqual(first.map(({ id }) => id), ["a", "b"]);
    const after = first.at(-1)!.emailIdentity;
    const rest = await storage.listInvitations("t1", { now: NOW + 1, limit: 2, after });
    assert.deepEqual(rest.map(({ id }) => id), ["c"]);
  },
  "removeInvitation() removes one of this tenant alone": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.putInvitation(invitation("i1"));
    assert.equal(await storage.removeInvitation("t2", "i1"), false);
    assert.equal(await storage.findInvitation("t2", "i1", NOW), null);
    assert.equal(await storage.findInvitation("t1", "i1", NOW + HOUR), null);
    assert.deepEqual(await storage.findInvitation("t1", "i1", NOW), invitation("i1"));
    assert.equal(await storage.removeInvitation("t1", "i1"), true);
    assert.equal(await storage.removeInvitation("t1", "i1"), false);
    assert.equal(await storage.readInvitation("hash-of-i1", NOW), null);
  },
  "renameInvitation() gives another id to an invitation that is there, and leaves the rest": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.putInvitation(invitation("i1"));
    await storage.putInvitation(invitation("i2"));
    for (const _again of [1, 2]) {
      assert.equal(await storage.renameInvitation("hash-of-i1", "i3", NOW), true);
    }
    assert.equal(await storage.renameInvitation("hash-of-i1", "i4", NOW + HOUR), false);
    assert.equal(await storage.renameInvitation("hash-of-i3", "i4", NOW), false);
    assert.equal(await storage.removeInvitation("t1", "i1"), false);
    const read = await storage.readInvitation("hash-of-i1", NOW);
    assert.deepEqual(read, { ...invitation("i1"), id: "i3" });
    assert.deepEqual(await storage.findInvitation("t1", "i2", NOW), invitation("i2"));
  },
  "invitations end with their inviter, and with the inviter's membership": async (storage) => {
    for (const id of ["ada", "bob"]) await storage.createUser(record({ id }));
    await storage.putInvitation(invitation("i1"));
    await storage.putInvitation(invitation("i2", { tenantId: "t2" }));
    await storage.putInvitation(invitation("i3", { invitedBy: "bob" }));
    await storage.removeInvitationsBy("t1", "ada");
    assert.equal(await storage.readInvitation("hash-of-i1", NOW), null);
    assert.notEqual(await storage.readInvitation("hash-of-i2", NOW), null);
    await storage.deleteUser("ada");
    assert.equal(await storage.readInvitation("hash-of-i2", NOW), null);
    assert.deepEqual((await storage.listInvitations("t1", PART)).map(({ id }) => id), ["i3"]);
  },
});

/** Races about invitations that every storage must pass. */
export const TEAM_RACES: Record<string, StorageCase> = inSuite("races", {
  // Tracks: R182
  "of many that take an invitation at once, one does": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.putInvitation(invitation("i1"));
    assert.equal(await storage.takeInvitation("hash-of-i1", NOW + HOUR), false);
    const taken = await Promise.all(
      Array.from({ length: 100 }, () => storage.takeInvitation("hash-of-i1", NOW)),
    );
    assert.equal(taken.filter(Boolean).length, 1);
    assert.equal(await storage.readInvitation("hash-of-i1", NOW), null);
  },
  "putInvitation() of several at once leaves one invitation of a mailbox to a tenant": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    await repeat(async (round) => {
      const about = { tenantId: `t${round}`, emailIdentity: "bob@example.com" };
      const ids = rivals((index) => `i${round}-${index}`);
      await Promise.all(ids.map((id) => storage.putInvitation(invitation(id, about))));
      const [only, ...others] = await storage.listInvitations(about.tenantId, PART);
      assert.deepEqual(others, []);
      const read = await Promise.all(ids.map((id) => storage.readInvitation(`hash-of-${id}`, NOW)));
      assert.deepEqual(read.filter((one) => one !== null), [only]);
    });
  },
});
