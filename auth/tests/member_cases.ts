import type { TenantMembers } from "../types/tenant.ts";

import assert from "node:assert/strict";

/** Checks one behaviour of an empty store of memberships; the users ada, bob and cy exist. */
export type MemberCase = (members: TenantMembers) => Promise<void>;

const createdAt = new Date(Date.UTC(2026, 0, 1));

/** Cases that every store of memberships must pass. */
export const MEMBER_CASES: Record<string, MemberCase> = {
  "add() makes a member of one tenant": async (members) => {
    const ada = { tenantId: "t1", userId: "ada", roles: ["owner", "editor"], createdAt };
    assert.equal(await members.add(ada), true);
    assert.deepEqual(await members.get("t1", "ada"), ada);
    assert.equal(await members.get("t2", "ada"), null);
    assert.equal(await members.get("t1", "bob"), null);
    assert.equal(await members.add({ ...ada, roles: ["admin"] }), false);
    assert.deepEqual((await members.get("t1", "ada"))?.roles, ["owner", "editor"]);
  },
  // Tracks: BA 12a9de02
  "setRoles() changes the roles of a member in one tenant": async (members) => {
    for (const tenantId of ["t1", "t2"]) {
      await members.add({ tenantId, userId: "ada", roles: ["reader"], createdAt });
    }
    assert.equal(await members.setRoles("t1", "ada", ["owner", "owner", "__proto__"]), true);
    assert.deepEqual((await members.get("t1", "ada"))?.roles, ["owner", "__proto__"]);
    assert.deepEqual((await members.get("t2", "ada"))?.roles, ["reader"]);
    assert.equal(await members.setRoles("t1", "bob", ["owner"]), false);
    assert.equal(await members.get("t1", "bob"), null);
    for (const roles of [["x", ""], "owner", [5], null]) {
      const wrong = roles as string[];
      await assert.rejects(members.setRoles("t1", "ada", wrong), { code: "CONFIGURATION" });
    }
  },
  // Tracks: R182, F02
  "giveUp() leaves the role with somebody, whoever gives it up at once": async (members) => {
    for (let round = 0; round < 25; round++) {
      const tenantId = `race-${round}`;
      const people = ["ada", "bob", "cy"];
      for (const userId of people) {
        await members.add({ tenantId, userId, roles: ["owner", "editor"], createdAt });
      }
      const done = await Promise.all(
        people.map((userId, index) =>
          members.giveUp!(tenantId, userId, {
            role: "owner",
            roles: (round + index) % 2 === 0 ? null : ["editor"],
          })
        ),
      );
      assert.deepEqual(done.filter((one) => one).length, 2, `round ${round}: ${done}`);
      const left = (await members.listOfTenant(tenantId)).members;
      assert.equal(left.filter(({ roles }) => roles.includes("owner")).length, 1);
    }
  },
  "giveUp() changes nothing for the last one, nor for who is no member": async (members) => {
    await members.add({ tenantId: "t1", userId: "ada", roles: ["owner"], createdAt });
    await members.add({ tenantId: "t1", userId: "bob", roles: ["co-owner"], createdAt });
    await members.add({ tenantId: "t2", userId: "cy", roles: ["owner"], createdAt });
    for (const roles of [null, ["editor"]]) {
      assert.equal(await members.giveUp!("t1", "ada", { role: "owner", roles }), false);
      assert.equal(await members.giveUp!("t1", "cy", { role: "owner", roles }), false);
    }
    assert.deepEqual((await members.get("t1", "ada"))?.roles, ["owner"]);
    await members.setRoles("t1", "bob", ["x", "owner"]);
    assert.equal(await members.giveUp!("t1", "ada", { role: "owner", roles: [] }), true);
    assert.deepEqual((await members.get("t1", "ada"))?.roles, []);
    assert.equal(await members.get("t1", "cy"), null);
    await assert.rejects(
      members.giveUp!("t1", "bob", { role: "owner", roles: [""] }),
      { code: "CONFIGURATION" },
    );
  },
  "hasOther() finds a role of another member, as it is written": async (members) => {
    await members.add({ tenantId: "t1", userId: "ada", roles: ["owner"], createdAt });
    await members.add({ tenantId: "t1", userId: "bob", roles: ["Owner", "co-owner"], createdAt });
    await members.add({ tenantId: "t2", userId: "cy", roles: ["owner", 'a"b'], createdAt });
    assert.equal(await members.hasOther!("t1", "bob", "owner"), true);
    assert.equal(await members.hasOther!("t1", "ada", "owner"), false);
    assert.equal(await members.hasOther!("t1", "ada", "Owner"), true);
    assert.equal(await members.hasOther!("t1", "ada", "own%"), false);
    assert.equal(await members.hasOther!("t2", "ada", 'a"b'), true);
    assert.equal(await members.hasOther!("t2", "ada", "b"), false);
  },
  "remove() and removeAll() end memberships": async (members) => {
    for (const userId of ["ada", "bob"]) {
      for (const tenantId of ["t1", "t2"]) {
        await members.add({ tenantId, userId, roles: [], createdAt });
      }
    }
    assert.equal(await members.remove("t1", "ada"), true);
    assert.equal(await members.remove("t1", "ada"), false);
    assert.equal(await members.get("t1", "ada"), null);
    assert.deepEqual((await members.get("t1", "bob"))?.roles, []);
    assert.equal(await members.removeAll("t2"), 2);
    assert.equal(await members.removeAll("t2"), 0);
    assert.equal(await members.get("t2", "bob"), null);
    assert.deepEqual((await members.listOfUser("bob")).members.map((one) => one.tenantId), ["t1"]);
  },
  "listOfTenant() and listOfUser() go through them in parts": async (members) => {
    for (const userId of ["cy", "ada", "bob"]) {
      await members.add({ tenantId: "t1", userId, roles: [userId], createdAt });
    }
    for (const tenantId of ["t3", "t2"]) {
      await members.add({ tenantId, userId: "ada", roles: [], createdAt });
    }
    const first = await members.listOfTenant("t1", { limit: 2 });
    assert.deepEqual(first.members.map(({ userId, roles }) => [userId, ...roles]), [
      ["ada", "ada"],
      ["bob", "bob"],
    ]);
    const second = await members.listOfTenant("t1", { limit: 2, cursor: first.cursor! });
    assert.deepEqual(second.members.map(({ userId }) => userId), ["cy"]);
    assert.equal(second.cursor, null);
    const own = await members.listOfUser("ada", { limit: 2 });
    assert.deepEqual(own.members.map(({ tenantId }) => tenantId), ["t1", "t2"]);
    const rest = await members.listOfUser("ada", { limit: 2, cursor: own.cursor! });
    assert.deepEqual(rest.members.map(({ tenantId }) => tenantId), ["t3"]);
    assert.deepEqual((await members.listOfTenant("t9")).members, []);
  },
};
