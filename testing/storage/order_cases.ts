import assert from "node:assert/strict";
import { IMPERSONATION_PURPOSE } from "@framework/auth/storage";
import type { StorageCase } from "./complete_storage.ts";
import { account, activity, HOUR, NOW, passkey, record, secret, session } from "./records.ts";
import { inSuite } from "./suites.ts";

/** Keys of one time, neither in their order nor in the opposite one. */
const KEYS = ["b", "d", "a", "c"];
const SORTED = KEYS.toSorted();

/** Cases about rows of one time: their order in lists, and which of them stay. */
export const ORDER_CASES: Record<string, StorageCase> = inSuite("operations", {
  "listSessions() lists those of one time in the order of their ids": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    for (const id of KEYS) await storage.insertSession(session(id, "ada"));
    const list = async (limit: number) =>
      (await storage.listSessions("ada", { now: NOW, limit })).map(({ id }) => id);
    assert.deepEqual(await list(9), SORTED);
    assert.deepEqual(await list(2), ["a", "b"]);
  },
  "listAccounts() lists those of one time by provider, and those of one by their ids there": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    for (const providerAccountId of KEYS) {
      for (const provider of ["mail", "code"]) {
        await storage.linkAccount(account(provider, "ada", { providerAccountId }));
      }
    }
    const listed = (await storage.listAccounts("ada"))
      .map((one) => `${one.provider} ${one.providerAccountId}`);
    const wanted = ["code", "mail"].flatMap((provider) => SORTED.map((id) => `${provider} ${id}`));
    assert.deepEqual(listed, wanted);
  },
  "listPasskeys() and listPasskeyIds() list those of one time in the order of their ids": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    for (const id of KEYS) await storage.insertPasskey(passkey(id, "ada"));
    assert.deepEqual((await storage.listPasskeys("ada")).map(({ id }) => id), SORTED);
    assert.deepEqual(await storage.listPasskeyIds("ada"), SORTED);
  },
  "listApiKeys() lists those of one time in the order of their ids": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    for (const id of KEYS) {
      await storage.insertApiKey({
        ...{ id, userId: "ada", tenantId: null, name: id, hash: id, permissions: [] },
        ...{ previousHash: null, previousUntil: null, limitCount: null, limitWindow: null },
        ...{ createdBy: "ada", createdAt: NOW, expiresAt: null, lastUsedAt: null },
      }, { max: 9 });
    }
    assert.deepEqual((await storage.listApiKeys({ userId: "ada" })).map(({ id }) => id), SORTED);
  },
  "listImpersonations() lists those of one time in the order of their hashes": async (storage) => {
    for (const id of ["ada", "eve"]) await storage.createUser(record({ id }));
    for (const hash of KEYS) {
      const about = { purpose: IMPERSONATION_PURPOSE, userId: "ada", identifier: "eve" };
      await storage.putSecret(secret(hash, about));
    }
    for (const about of [{ userId: "ada" }, { actorId: "eve" }]) {
      const listed = await storage.listImpersonations(about, NOW);
      assert.deepEqual(listed.map(({ hash }) => hash), SORTED);
    }
  },
  "listActivity() lists those of one time from the greatest id on, and those stay": async (
    storage,
  ) => {
    await storage.createUser(record({ id: "ada" }));
    const list = async (limit: number) =>
      (await storage.listActivity("ada", { since: 0, limit })).map(({ id }) => id);
    for (const id of KEYS) await storage.insertActivity(activity(id, "ada"), { keep: 9, since: 0 });
    assert.deepEqual(await list(9), SORTED.toReversed());
    assert.deepEqual(await list(2), ["d", "c"]);
    await storage.insertActivity(activity("aa", "ada"), { keep: 3, since: 0 });
    assert.deepEqual(await list(9), ["d", "c", "b"]);
  },
  "pageUsers() lists those of one time from the greatest id on": async (storage) => {
    for (const id of KEYS) await storage.createUser(record({ id }));
    const first = await storage.pageUsers({ by: "creation", after: null }, 2);
    assert.deepEqual(first.map(({ user }) => user.id), ["d", "c"]);
    const { createdAt, user: { id } } = first.at(-1)!;
    const rest = await storage.pageUsers({ by: "creation", after: { createdAt, id } }, 9);
    assert.deepEqual(rest.map(({ user }) => user.id), ["b", "a"]);
  },
  "listTrustedBrowsers() lists those of one time in the order of their hashes, and the first stay":
    async (storage) => {
      await storage.createUser(record({ id: "ada" }));
      const factor = { secret: "sealed", lastStep: 1, createdAt: NOW, codes: [], replaces: null };
      await storage.putFactor({ ...factor, userId: "ada" });
      const put = (idHash: string, keep: number) =>
        storage.putTrustedBrowser({
          ...{ idHash, userId: "ada", userAgent: null, createdAt: NOW, expiresAt: NOW + HOUR },
        }, { keep });
      const list = async () =>
        (await storage.listTrustedBrowsers("ada", NOW)).map(({ idHash }) => idHash);
      for (const idHash of KEYS) await put(idHash, 9);
      assert.deepEqual(await list(), SORTED);
      await put("e", 3);
      assert.deepEqual(await list(), ["a", "b", "c"]);
    },
  "of known browsers of one time those of the first hashes stay": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const put = (idHash: string, keep: number) =>
      storage.putKnownBrowser({
        ...{ idHash, userId: "ada", createdAt: NOW, expiresAt: NOW + HOUR },
      }, { keep });
    for (const idHash of KEYS) await put(idHash, 9);
    await put("e", 3);
    const known: string[] = [];
    for (const idHash of [...SORTED, "e"]) {
      if (await storage.isKnownBrowser(idHash, { now: NOW })) known.push(idHash);
    }
    assert.deepEqual(known, ["a", "b", "c"]);
  },
  "of secrets of one time the new one stays, and those of the first hashes": async (storage) => {
    const put = (hash: string, keep: number) =>
      storage.putNewestSecret(secret(hash, { identifier: "ada@example.com" }), { keep });
    for (const hash of KEYS) await put(hash, 9);
    await put("e", 3);
    const left: string[] = [];
    for (const hash of [...SORTED, "e"]) {
      if (await storage.readSecret("email", hash, NOW) !== null) left.push(hash);
    }
    assert.deepEqual(left, ["a", "b", "e"]);
  },
  "of sign-ups of one time the new one stays, and those of the first hashes; a browser has the first":
    async (storage) => {
      const put = (tokenHash: string, keep: number) =>
        storage.putSignUp({
          ...{ tokenHash, emailIdentity: "ada@example.com", email: "ada@example.com", name: null },
          ...{ passwordHash: "hash", browserHash: "browser", callbackUrl: null },
          ...{ createdAt: NOW, expiresAt: NOW + HOUR },
        }, { keep });
      for (const hash of KEYS) await put(hash, 9);
      assert.equal((await storage.readSignUpOfBrowser("browser", NOW))?.tokenHash, "a");
      await put("e", 3);
      const left: string[] = [];
      for (const hash of [...SORTED, "e"]) {
        if (await storage.readSignUp(hash, NOW) !== null) left.push(hash);
      }
      assert.deepEqual(left, ["a", "b", "e"]);
    },
});
