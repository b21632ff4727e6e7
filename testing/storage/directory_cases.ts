import assert from "node:assert/strict";
import type { DirectoryRange } from "@framework/auth/storage";
import type { CompleteStorage, StorageCase } from "./complete_storage.ts";
import { NOW, record, session } from "./records.ts";
import { inSuite } from "./suites.ts";

async function idsOf(
  storage: CompleteStorage,
  range: DirectoryRange,
  limit = 100,
): Promise<string[]> {
  return (await storage.pageUsers(range, limit)).map(({ user }) => user.id);
}

const inRole = (role: string): DirectoryRange => ({ by: "role", role, after: "" });

/** Cases about the directory of users that every storage must pass. */
export const DIRECTORY_CASES: Record<string, StorageCase> = inSuite("operations", {
  "describeUser() gives a user with the times, also a disabled one": async (storage) => {
    const user = { id: "ada", email: "Ada@example.com", name: "Ada", role: "admin" };
    await storage.createUser(record(user));
    const stored = { ...user, image: null, emailVerified: null };
    const entry = { user: stored, emailIdentity: "ada@example.com", createdAt: NOW };
    assert.deepEqual(await storage.describeUser("ada"), { ...entry, disabledAt: null });
    await storage.disableUser("ada", NOW + 5);
    await storage.disableUser("ada", NOW + 9);
    assert.deepEqual(await storage.describeUser("ada"), { ...entry, disabledAt: NOW + 5 });
    await storage.enableUser("ada", NOW + 10);
    assert.deepEqual(await storage.describeUser("ada"), { ...entry, disabledAt: null });
    assert.equal(await storage.describeUser("nobody"), null);
  },
  "pageUsers() lists everybody once, the newest first, page by page": async (storage) => {
    for (const [index, id] of ["a", "b", "c", "d", "e"].entries()) {
      await storage.createUser(record({ id }, NOW + Math.floor(index / 2)));
    }
    assert.deepEqual(await idsOf(storage, { by: "creation", after: null }), [
      "e",
      "d",
      "c",
      "b",
      "a",
    ]);
    assert.deepEqual(await idsOf(storage, { by: "creation", after: null }, 2), ["e", "d"]);
    const after = { createdAt: NOW + 1, id: "d" };
    assert.deepEqual(await idsOf(storage, { by: "creation", after }, 2), ["c", "b"]);
  },
  // Tracks: R186
  "pageUsers() finds by the beginning of an address, and takes no sign of it for a pattern": async (
    storage,
  ) => {
    for (
      const [id, email] of [
        ["1", "ada@example.com"],
        ["2", "adam@example.com"],
        ["3", "bob@example.com"],
        ["4", "a_a@example.com"],
        ["5", "a%a@example.com"],
        ["6", "ad"],
      ] as const
    ) {
      await storage.createUser({ ...record({ id, email }), emailIdentity: email });
    }
    await storage.createUser(record({ id: "none" }));
    const by = "address";
    assert.deepEqual(await idsOf(storage, { by, prefix: "ada", after: "" }), ["1", "2"]);
    assert.deepEqual(await idsOf(storage, { by, prefix: "a_", after: "" }), ["4"]);
    assert.deepEqual(await idsOf(storage, { by, prefix: "%", after: "" }), []);
    assert.deepEqual(await idsOf(storage, { by, prefix: "example.com", after: "" }), []);
    assert.deepEqual(await idsOf(storage, { by, prefix: "a", after: "ad" }), ["1", "2"]);
    assert.deepEqual(await idsOf(storage, { by, prefix: "a", after: "ada@example.com" }, 1), ["2"]);
  },
  "pageUsers() finds by the beginning of a name, in either case, page by page": async (storage) => {
    for (
      const [id, name] of [
        ["1", "Ada Lovelace"],
        ["2", "ADA"],
        ["3", "ada"],
        ["4", "Özil"],
        ["5", "Bob Ada"],
        ["6", "Adb"],
        ["7", "Ad"],
        ["8", "\u{1f600} Ada"],
      ] as const
    ) await storage.createUser(record({ id, name }));
    await storage.createUser(record({ id: "none" }));
    const by = "name";
    assert.deepEqual(await idsOf(storage, { by, prefix: "ada", after: null }), ["2", "3", "1"]);
    assert.deepEqual(await idsOf(storage, { by, prefix: "Özi", after: null }), ["4"]);
    assert.deepEqual(await idsOf(storage, { by, prefix: "\u{1f600}", after: null }), ["8"]);
    const after = { name: "ada", id: "2" };
    assert.deepEqual(await idsOf(storage, { by, prefix: "ad", after }, 2), ["3", "1"]);
    // A change of the name counts at once.
    await storage.updateUser(record({ id: "5", name: "adalbert" }));
    assert.ok((await idsOf(storage, { by, prefix: "ada", after: null })).includes("5"));
  },
  "pageUsers() finds by a role, whatever has written it": async (storage) => {
    await storage.createUser(record({ id: "a", role: "admin", roles: ["admin", "editor"] }));
    await storage.insertSession(session("s", "b"), {
      owner: record({ id: "b", roles: ["admin"] }),
    });
    await storage.saveUser(record({ id: "c", role: "editor" }));
    await storage.createUser(record({ id: "d" }));
    assert.deepEqual(await idsOf(storage, inRole("admin")), ["a", "b"]);
    assert.deepEqual(await idsOf(storage, inRole("admin"), 1), ["a"]);
    assert.deepEqual(await idsOf(storage, { ...inRole("admin"), after: "a" } as never), ["b"]);
    assert.deepEqual(await idsOf(storage, inRole("editor")), ["a", "c"]);
    assert.deepEqual(await idsOf(storage, inRole("edit")), []);
  },
  // Tracks: R186
  "setUserRoles() changes by which roles a user is found, and deleteUser() ends it": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "a", role: "admin", roles: ["editor"] }));
    await storage.setUserRoles("a", { roles: { roles: ["author"] }, at: NOW });
    assert.deepEqual(await idsOf(storage, inRole("editor")), []);
    assert.deepEqual(await idsOf(storage, inRole("admin")), ["a"]);
    assert.deepEqual(await idsOf(storage, inRole("author")), ["a"]);
    await storage.setUserRoles("a", { roles: { role: null }, at: NOW });
    assert.deepEqual(await idsOf(storage, inRole("admin")), []);
    // A sign-in says what it knew of the roles, and changes none.
    await storage.saveUser(record({ id: "a", name: "Ada", roles: ["admin"] }));
    assert.deepEqual(await idsOf(storage, inRole("admin")), []);
    assert.deepEqual(await idsOf(storage, inRole("author")), ["a"]);
    await storage.deleteUser("a");
    await storage.createUser(record({ id: "a" }));
    assert.deepEqual(await idsOf(storage, inRole("author")), []);
  },
  "pageUsers() finds by the text of a role, whatever signs are in it": async (storage) => {
    await storage.createUser(record({ id: "a", roles: ['a "quoted" one', "ö", "\\"] }));
    for (const role of ['a "quoted" one', "ö", "\\"]) {
      assert.deepEqual(await idsOf(storage, inRole(role)), ["a"]);
    }
  },
});
