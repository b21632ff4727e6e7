import assert from "node:assert/strict";
import type { SealedTokensKey } from "@framework/auth/storage";
import type { CompleteStorage, StorageCase } from "./complete_storage.ts";
import { repeat, rivals } from "./race.ts";
import { account, HOUR, NOW, record } from "./records.ts";
import { inSuite } from "./suites.ts";

const TOKENS = { expiresAt: NOW + HOUR, tokenType: "bearer", scope: "read" };

/** A user with a second factor. */
async function settle(storage: CompleteStorage, userId: string): Promise<void> {
  await storage.createUser(record({ id: userId }));
  const factor = { userId, secret: `sealed-${userId}`, lastStep: 7, createdAt: NOW };
  assert.ok(await storage.putFactor({ ...factor, codes: [`code-${userId}`], replaces: null }));
}

/** A user with an account that has tokens. */
async function link(storage: CompleteStorage, userId: string, provider = "code"): Promise<void> {
  const given = { accessToken: `access-${userId}`, refreshToken: `refresh-${userId}`, ...TOKENS };
  assert.equal(await storage.linkAccount(account(provider, userId, given)), "linked");
}

/** Everything of a kind, page by page. */
async function readAll<Entry>(
  page: (after: Entry | undefined) => Promise<Entry[]>,
): Promise<Entry[]> {
  const all: Entry[] = [];
  for (;;) {
    const found = await page(all.at(-1));
    if (found.length === 0) return all;
    all.push(...found);
    assert.ok(all.length < 100, "The pages come to no end");
  }
}

/** Cases about values that are sealed anew, which every storage must pass. */
export const SEALED_CASES: Record<string, StorageCase> = inSuite("operations", {
  // Tracks: R106
  "pageFactorSecrets() and pageSealedTokens() give every row once, page by page": async (
    storage,
  ) => {
    const ids = ["B", "a", "b", "c", "d"];
    for (const id of ids) await settle(storage, id);
    for (const id of ids) await link(storage, id);
    // Ids that differ from provider to provider, so that a page ends within one and between two.
    await link(storage, "c", "app");
    await storage.linkAccount(account("mail", "a"));
    for (const limit of [1, 2, 3, 100]) {
      const factors = await readAll((after: { userId: string; secret: string } | undefined) =>
        storage.pageFactorSecrets(after?.userId ?? "", limit)
      );
      const byId = factors.map(({ userId, secret }) => `${userId} ${secret}`).sort();
      assert.deepEqual(byId, ids.map((id) => `${id} sealed-${id}`).sort(), `${limit} a page`);
      const none = { provider: "", providerAccountId: "" };
      const accounts = await readAll((after: SealedTokensKey | undefined) =>
        storage.pageSealedTokens(after ?? none, limit)
      );
      const keys = accounts.map((one) => `${one.provider} ${one.providerAccountId}`).sort();
      const expected = [...ids.map((id) => `code id-of-${id}`), "app id-of-c", "mail id-of-a"];
      assert.deepEqual(keys, expected.sort(), `${limit} a page`);
    }
    assert.equal((await storage.pageFactorSecrets("", 2)).length, 2);
    assert.equal(
      (await storage.pageSealedTokens({ provider: "", providerAccountId: "" }, 2)).length,
      2,
    );
    const [tokens] = await storage.pageSealedTokens({ provider: "app", providerAccountId: "" }, 1);
    assert.deepEqual(tokens, {
      ...{ provider: "app", providerAccountId: "id-of-c", userId: "c", updatedAt: NOW },
      ...{ accessToken: "access-c", refreshToken: "refresh-c" },
    });
    const [empty] = await storage.pageSealedTokens({ provider: "mail", providerAccountId: "" }, 1);
    assert.deepEqual([empty?.accessToken, empty?.refreshToken], [null, null]);
  },
  // Tracks: R106
  "swapFactorSecret() replaces the secret that was read, and nothing else": async (storage) => {
    for (const id of ["ada", "eve"]) await settle(storage, id);
    await storage.tryCode("ada", { at: NOW, since: 0, max: 5 });
    const trusted = { idHash: "t", userId: "ada", userAgent: null, createdAt: NOW };
    await storage.putTrustedBrowser({ ...trusted, expiresAt: NOW + HOUR }, { keep: 5 });
    const before = await storage.readFactor("ada");
    const swap = { from: "sealed-ada", to: "anew-ada" };
    assert.equal(await storage.swapFactorSecret("nobody", swap), false);
    assert.equal(await storage.swapFactorSecret("ada", { from: "sealed-eve", to: "x" }), false);
    assert.deepEqual(await storage.readFactor("ada"), before);
    assert.equal(await storage.swapFactorSecret("ada", swap), true);
    assert.deepEqual(await storage.readFactor("ada"), { ...before, secret: "anew-ada" });
    assert.equal(await storage.swapFactorSecret("ada", swap), false);
    assert.equal(await storage.countRecoveryCodes("ada"), 1);
    assert.equal((await storage.listTrustedBrowsers("ada", NOW)).length, 1);
    assert.equal((await storage.readFactor("eve"))?.secret, "sealed-eve");
    // Of the secret as it was sealed before, no code is accepted; of the present one it is.
    assert.equal(await storage.takeStep("ada", 8, "sealed-ada"), false);
    assert.equal(await storage.takeStep("ada", 8, "anew-ada"), true);
  },
  // Tracks: R106
  "swapSealedTokens() writes the two tokens where the account is as it was read, and nothing else":
    async (storage) => {
      for (const id of ["ada", "eve"]) await storage.createUser(record({ id }));
      for (const id of ["ada", "eve"]) await link(storage, id);
      const key = { provider: "code", providerAccountId: "id-of-ada" };
      const before = (await storage.findAccount("code", "id-of-ada"))!;
      const anew = { accessToken: "anew", refreshToken: null };
      assert.equal(await storage.swapSealedTokens(key, { from: NOW - 1, ...anew }), false);
      assert.equal(
        await storage.swapSealedTokens({ ...key, provider: "mail" }, { from: NOW, ...anew }),
        false,
      );
      assert.deepEqual(await storage.findAccount("code", "id-of-ada"), before);
      assert.equal(await storage.swapSealedTokens(key, { from: NOW, ...anew }), true);
      const after = { ...before, ...anew, updatedAt: NOW + 1 };
      assert.deepEqual(await storage.findAccount("code", "id-of-ada"), after);
      assert.equal(await storage.swapSealedTokens(key, { from: NOW, ...anew }), false);
      // Of a refresh that read the account before, nothing is written over what is sealed anew.
      const stale = { ...TOKENS, accessToken: "stale", refreshToken: "stale", from: NOW, at: NOW };
      assert.equal(await storage.swapAccountTokens("code", "id-of-ada", stale), false);
      assert.deepEqual(await storage.findAccount("code", "id-of-ada"), after);
      assert.equal((await storage.findAccount("code", "id-of-eve"))?.accessToken, "access-eve");
    },
});

/** Races about values that are sealed anew. */
export const SEALED_RACES: Record<string, StorageCase> = inSuite("races", {
  // Tracks: R106
  "swapFactorSecret() is done by one of several at once, and never over another factor": async (
    storage,
  ) => {
    await repeat(async (round, start) => {
      const userId = `u${round}`;
      await settle(storage, userId);
      const done: string[] = [];
      const swap = (index: number) => async () => {
        const to = `anew-${index}`;
        if (await storage.swapFactorSecret(userId, { from: `sealed-${userId}`, to })) done.push(to);
      };
      await start(rivals(swap));
      assert.equal(done.length, 1);
      assert.equal((await storage.readFactor(userId))?.secret, done[0]);
      // The user gets another app at the same moment.
      const other = { userId, secret: "other", lastStep: 9, createdAt: NOW + 1, codes: ["c"] };
      await start([
        () => storage.swapFactorSecret(userId, { from: done[0]!, to: "late" }),
        () => storage.putFactor({ ...other, codes: [`c${round}`], replaces: NOW }),
      ]);
      assert.equal((await storage.readFactor(userId))?.secret, "other");
    });
  },
  // Tracks: R106
  "swapSealedTokens() and swapAccountTokens() of one account at once: one of them writes": async (
    storage,
  ) => {
    await repeat(async (round, start) => {
      const userId = `u${round}`;
      const id = `id-of-${userId}`;
      await storage.createUser(record({ id: userId }));
      await link(storage, userId);
      const done: string[] = [];
      const seal = (index: number) => async () => {
        const key = { provider: "code", providerAccountId: id };
        const tokens = { from: NOW, accessToken: `seal-${index}`, refreshToken: `seal-${index}` };
        if (await storage.swapSealedTokens(key, tokens)) done.push(tokens.accessToken);
      };
      const refresh = (index: number) => async () => {
        const accessToken = `fresh-${index}`;
        const tokens = { ...TOKENS, accessToken, refreshToken: accessToken, from: NOW, at: NOW };
        if (await storage.swapAccountTokens("code", id, tokens)) done.push(accessToken);
      };
      await start([...rivals(seal, 3), ...rivals(refresh, 3)]);
      assert.equal(done.length, 1);
      const { accessToken, refreshToken, updatedAt } = (await storage.findAccount("code", id))!;
      assert.deepEqual([accessToken, refreshToken, updatedAt], [done[0], done[0], NOW + 1]);
    });
  },
});
