import assert from "node:assert/strict";
import type { OpenWays, User } from "@framework/auth/storage";
import type { StorageCase } from "./complete_storage.ts";
import { account, HOUR, NOW, passkey, record, WAYS } from "./records.ts";
import { inSuite } from "./suites.ts";

const FREE = { keep: null };
const LAST = { keep: WAYS };

/** Cases about accounts that every storage must pass. */
export const ACCOUNT_CASES: Record<string, StorageCase> = inSuite("operations", {
  "findAccount() gives back what linkAccount() stored": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const full = account("code", "ada", {
      type: "oidc",
      accessToken: "a",
      refreshToken: "r",
      expiresAt: NOW + HOUR,
      tokenType: "bearer",
      scope: "read",
      email: "Ada@example.com",
    });
    assert.equal(await storage.linkAccount(full), "linked");
    assert.deepEqual(await storage.findAccount("code", "id-of-ada"), full);
    assert.equal(await storage.findAccount("chat", "id-of-ada"), null);
    assert.equal(await storage.findAccount("code", "ada"), null);
  },
  // Tracks: A-07
  "an account has the address that its provider said last, and no user is found by it": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.linkAccount(account("code", "ada", { email: "ada@example.com" }));
    await storage.saveUser(record({ id: "ada" }), {
      account: account("code", "ada", { email: "new@example.com" }),
    });
    const emails = async () => (await storage.listAccounts("ada")).map(({ email }) => email);
    assert.deepEqual(await emails(), ["new@example.com"]);
    assert.equal(await storage.getUserByEmail("new@example.com"), null);
    await storage.linkAccount(account("code", "ada"));
    assert.deepEqual(await emails(), [null]);
  },
  // Tracks: R100, BA #8983
  "one id at two providers is two accounts": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    const own = account("code", "ada", { providerAccountId: "7" });
    const hers = account("chat", "eve", { providerAccountId: "7" });
    assert.equal(await storage.linkAccount(own), "linked");
    assert.equal(await storage.linkAccount(hers), "linked");
    assert.equal((await storage.findAccount("code", "7"))?.userId, "ada");
    assert.equal((await storage.findAccount("chat", "7"))?.userId, "eve");
  },
  "linkAccount() refuses another user's account and changes nothing": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    const own = account("code", "ada", { accessToken: "a" });
    await storage.linkAccount(own);
    const stolen = { ...own, userId: "eve", accessToken: "e" };
    assert.equal(await storage.linkAccount(stolen), "taken");
    assert.deepEqual(await storage.findAccount("code", "id-of-ada"), own);
    assert.deepEqual(await storage.listAccounts("eve"), []);
  },
  "linkAccount() links to nobody who does not exist or is disabled": async (storage) => {
    assert.equal(await storage.linkAccount(account("code", "nobody")), "absent");
    await storage.createUser(record({ id: "ada" }));
    await storage.disableUser("ada", NOW);
    assert.equal(await storage.linkAccount(account("code", "ada")), "absent");
    assert.equal(await storage.findAccount("code", "id-of-ada"), null);
  },
  "linkAccount() of a known account writes the tokens that there are": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const first = account("code", "ada", {
      accessToken: "a1",
      refreshToken: "r1",
      expiresAt: NOW,
      tokenType: "bearer",
      scope: "all",
    });
    await storage.linkAccount(first);
    const second = {
      ...first,
      accessToken: "a2",
      refreshToken: null,
      expiresAt: null,
      scope: null,
    };
    assert.equal(await storage.linkAccount(second), "updated");
    const stored = await storage.findAccount("code", "id-of-ada");
    // Written in the same millisecond, and yet later.
    assert.deepEqual(stored, { ...second, refreshToken: "r1", updatedAt: NOW + 1 });
    const without = account("code", "ada", { updatedAt: NOW + 9 });
    assert.equal(await storage.linkAccount(without), "updated");
    assert.deepEqual(await storage.findAccount("code", "id-of-ada"), {
      ...stored,
      updatedAt: NOW + 9,
    });
  },
  "listAccounts() gives the user's own, the one linked first first": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.linkAccount(account("b", "ada", { createdAt: NOW + 1, updatedAt: NOW + 1 }));
    await storage.linkAccount(account("c", "ada"));
    await storage.linkAccount(account("a", "ada"));
    await storage.linkAccount(account("d", "eve"));
    const providers = (await storage.listAccounts("ada")).map(({ provider }) => provider);
    assert.deepEqual(providers, ["a", "c", "b"]);
    assert.deepEqual(await storage.listAccounts("nobody"), []);
  },
  // Tracks: GHSA-4vcf-q4xf-f48m
  "unlinkAccount() removes an account of this user and of no other": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.linkAccount(account("code", "ada"));
    assert.equal(await storage.unlinkAccount("eve", "code", "id-of-ada", FREE), "absent");
    assert.equal(await storage.unlinkAccount("eve", "code", "id-of-ada", LAST), "absent");
    assert.equal(await storage.unlinkAccount("ada", "code", "id-of-ada", FREE), "unlinked");
    assert.equal(await storage.unlinkAccount("ada", "code", "id-of-ada", FREE), "absent");
    assert.equal(await storage.findAccount("code", "id-of-ada"), null);
  },
  "unlinkAccount() removes one of several accounts of a user, by provider and id there": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    const others = [
      account("code", "ada", { providerAccountId: "second" }),
      account("chat", "ada"),
    ];
    const ids = async () =>
      (await storage.listAccounts("ada")).map((one) => `${one.provider} ${one.providerAccountId}`);
    for (const options of [FREE, LAST]) {
      for (const one of [account("code", "ada"), ...others]) await storage.linkAccount(one);
      assert.equal(await storage.unlinkAccount("ada", "code", "none", options), "absent");
      assert.equal(await storage.unlinkAccount("ada", "mail", "id-of-ada", options), "absent");
      assert.equal(await storage.unlinkAccount("ada", "code", "id-of-ada", options), "unlinked");
      assert.deepEqual(await ids(), ["chat id-of-ada", "code second"]);
    }
  },
  "unlinkAccount() leaves the last way in, among accounts and passkeys": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.linkAccount(account("hers", "eve"));
    await storage.insertPasskey(passkey("hers", "eve"));
    await storage.linkAccount(account("code", "ada"));
    await storage.linkAccount(account("chat", "ada"));
    assert.equal(await storage.unlinkAccount("ada", "code", "id-of-ada", LAST), "unlinked");
    assert.equal(await storage.unlinkAccount("ada", "chat", "id-of-ada", LAST), "last");
    await storage.insertPasskey(passkey("key", "ada"));
    assert.equal(await storage.unlinkAccount("ada", "chat", "id-of-ada", LAST), "unlinked");
  },
  // Tracks: R127
  "readWays() tells which ways to sign in a user has": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    const none = { accounts: [], passkeys: false, password: false };
    assert.deepEqual(await storage.readWays("ada"), none);
    await storage.linkAccount(account("code", "ada"));
    await storage.linkAccount(account("chat", "ada"));
    await storage.linkAccount({ ...account("chat", "ada"), providerAccountId: "another" });
    const { accounts, ...others } = await storage.readWays("ada");
    assert.deepEqual([accounts.toSorted(), others], [
      ["chat", "code"],
      { passkeys: false, password: false },
    ]);
    await storage.insertPasskey(passkey("p1", "ada"));
    assert.equal((await storage.readWays("ada")).passkeys, true);
    await storage.setPassword({ userId: "ada", hash: "hash", changedAt: NOW });
    assert.equal((await storage.readWays("ada")).password, true);
    assert.deepEqual(await storage.readWays("eve"), none);
  },
  "unlinkAccount() counts the ways that the application opens, and no others": async (storage) => {
    const proved = { email: "ada@example.com", emailVerified: new Date(NOW) };
    const users: [id: string, user: Omit<User, "id">][] = [
      ["nobody", {}],
      ["mail", proved],
      ["unproved", { ...proved, emailVerified: null, email: "eve@example.com" }],
    ];
    const none: OpenWays = { accounts: [], passkeys: false, mailbox: false, passwords: false };
    const rows: [id: string, prepare: string, opened: Partial<OpenWays>, outcome: string][] = [
      ["nobody", "account", { accounts: ["gone"] }, "unlinked"],
      ["nobody", "account", { accounts: ["code"] }, "last"],
      ["nobody", "account", none, "last"],
      ["nobody", "passkey", { passkeys: true }, "unlinked"],
      ["nobody", "passkey", { accounts: ["gone", "code"], mailbox: true, passwords: true }, "last"],
      ["mail", "", { mailbox: true }, "unlinked"],
      ["mail", "", { accounts: ["code"], passkeys: true, passwords: true }, "last"],
      ["unproved", "", { mailbox: true }, "last"],
      ["unproved", "password", { passwords: true }, "unlinked"],
      ["unproved", "password", { mailbox: true, passkeys: true }, "last"],
      // Without a mailbox nobody can say whose password it is.
      ["nobody", "password", { passwords: true }, "last"],
    ];
    // Whose ways are nobody else's.
    await storage.createUser(record({ ...proved, id: "other", email: "other@example.com" }));
    await storage.setPassword({ userId: "other", hash: "h", changedAt: NOW });
    for (const [index, [name, prepare, opened, outcome]] of rows.entries()) {
      const id = `u${index}`;
      const user = { ...users.find(([key]) => key === name)![1], id };
      const email = user.email && `${index}-${user.email}`;
      await storage.createUser(record(email ? { ...user, email } : user));
      await storage.linkAccount(account("code", id));
      if (prepare === "account") await storage.linkAccount(account("gone", id));
      if (prepare === "passkey") await storage.insertPasskey(passkey(`key-${id}`, id));
      if (prepare === "password") {
        await storage.setPassword({ userId: id, hash: "h", changedAt: NOW });
      }
      const keep = { ...none, ...opened };
      const row = JSON.stringify(rows[index]);
      assert.equal(await storage.unlinkAccount(id, "code", `id-of-${id}`, { keep }), outcome, row);
    }
  },
  "swapAccountTokens() writes once for what was read": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const first = account("code", "ada", { accessToken: "a1", refreshToken: "r1" });
    await storage.linkAccount(first);
    // Written at the same moment.
    const others = [
      account("code", "ada", { providerAccountId: "second" }),
      account("chat", "ada"),
    ];
    for (const other of others) await storage.linkAccount(other);
    const tokens = {
      accessToken: "a2",
      refreshToken: "r2",
      expiresAt: NOW + HOUR,
      tokenType: "bearer",
      scope: "read",
    };
    // At the very millisecond of the link.
    const swap = { ...tokens, from: NOW, at: NOW };
    assert.equal(await storage.swapAccountTokens("code", "id-of-ada", swap), true);
    assert.deepEqual(await storage.findAccount("code", "id-of-ada"), {
      ...first,
      ...tokens,
      updatedAt: NOW + 1,
    });
    assert.equal(await storage.swapAccountTokens("code", "id-of-ada", swap), false);
    assert.equal(await storage.swapAccountTokens("mail", "id-of-ada", swap), false);
    for (const other of others) {
      const stored = await storage.findAccount(other.provider, other.providerAccountId);
      assert.deepEqual(stored, other);
    }
  },
  "getUserByEmail() finds the user who is not disabled": async (storage) => {
    await storage.createUser(record({ id: "ada", email: "Ada@example.com", name: "Ada" }));
    assert.deepEqual(
      await storage.getUserByEmail("ada@example.com"),
      await storage.getUser("ada"),
    );
    assert.equal(await storage.getUserByEmail("Ada@example.com"), null);
    assert.equal(await storage.getUserByEmail("eve@example.com"), null);
    await storage.disableUser("ada", NOW);
    assert.equal(await storage.getUserByEmail("ada@example.com"), null);
  },
});
