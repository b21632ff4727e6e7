import assert from "node:assert/strict";
import type { StorageCase } from "./complete_storage.ts";
import { account, HOUR, NOW, passkey, record, secret, session } from "./records.ts";
import { inSuite } from "./suites.ts";

/** Keys that a collation may take for one: by case, by accents, by width, and by spaces at the end. */
const ALIKE = ["Key", "key", "KEY", "kéy", "ke\u0301y", "ｋey", "key ", "key\u00a0"];

/** Cases about keys that look alike, of which each stands for itself. */
export const KEY_CASES: Record<string, StorageCase> = inSuite("keys", {
  // Tracks: F32
  "a token hash opens no session whose hash looks alike": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    for (const tokenHash of ALIKE) {
      await storage.insertSession(session(`of-${tokenHash}`, "ada", { tokenHash }));
    }
    for (const tokenHash of ALIKE) {
      const stored = await storage.readSession(tokenHash);
      assert.equal(stored?.session.id, `of-${tokenHash}`);
    }
    assert.equal(await storage.readSession("kEY"), null);
    assert.equal(await storage.deleteSession("kEY"), false);
    assert.equal(await storage.deleteSession("key"), true);
    for (const tokenHash of ALIKE) {
      assert.equal(await storage.readSession(tokenHash) === null, tokenHash === "key", tokenHash);
    }
  },
  // Tracks: F32
  "a session is renewed by its own id, and by none that looks alike": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    for (const id of ALIKE) await storage.insertSession(session(id, "ada"));
    const renewal = { from: NOW, at: NOW + 1, expiresAt: NOW + 2 * HOUR };
    assert.equal(await storage.renewSession("kEY", renewal), false);
    assert.equal(await storage.renewSession("KEY", renewal), true);
    for (const id of ALIKE) {
      const stored = await storage.readSession(`hash-of-${id}`);
      assert.equal(stored?.session.refreshedAt, id === "KEY" ? NOW + 1 : NOW, id);
    }
  },
  // Tracks: F32
  "the sessions of a user end, and none of a user whose id looks alike": async (storage) => {
    for (const id of ALIKE) {
      await storage.createUser(record({ id }));
      await storage.insertSession(session(`of-${id}`, id));
    }
    assert.equal(await storage.deleteSessions("kEY"), 0);
    assert.equal(await storage.deleteSessions("Key"), 1);
    for (const id of ALIKE) {
      assert.equal(await storage.readSession(`hash-of-of-${id}`) === null, id === "Key", id);
    }
  },
  // Tracks: F32
  "a secret is taken by its own hash and purpose, and by none that looks alike": async (
    storage,
  ) => {
    for (const key of ALIKE) {
      await storage.putSecret(secret(key, { payload: key }));
      await storage.putSecret(secret("hash", { purpose: key, payload: key }));
    }
    assert.equal(await storage.takeSecret("email", "kEY", { now: NOW }), null);
    assert.equal(await storage.takeSecret("kEY", "hash", { now: NOW }), null);
    for (const key of ALIKE) {
      assert.equal((await storage.takeSecret("email", key, { now: NOW }))?.payload, key);
      assert.equal((await storage.takeSecret(key, "hash", { now: NOW }))?.payload, key);
    }
  },
  // Tracks: F32
  "a secret about one subject is not taken for one that looks alike": async (storage) => {
    await storage.putSecret(secret("h1", { identifier: "key" }));
    for (const identifier of ALIKE.filter((one) => one !== "key")) {
      assert.equal(await storage.takeSecret("email", "h1", { now: NOW, identifier }), null);
    }
    assert.ok(await storage.takeSecret("email", "h1", { now: NOW, identifier: "key" }));
  },
  // Tracks: F32, R100
  "an account is found by its own id at the provider, and by none that looks alike": async (
    storage,
  ) => {
    for (const [index, providerAccountId] of ALIKE.entries()) {
      await storage.createUser(record({ id: `u${index}` }));
      const linked = await storage.linkAccount(
        account("code", `u${index}`, { providerAccountId }),
      );
      assert.equal(linked, "linked", providerAccountId);
    }
    for (const [index, providerAccountId] of ALIKE.entries()) {
      const found = await storage.findAccount("code", providerAccountId);
      assert.equal(found?.userId, `u${index}`);
    }
    assert.equal(await storage.findAccount("code", "kEY"), null);
    assert.equal(await storage.findAccount("CODE", "key"), null);
  },
  // Tracks: F32
  "a passkey is found by its own id, and by none that looks alike": async (storage) => {
    for (const [index, id] of ALIKE.entries()) {
      await storage.createUser(record({ id: `u${index}` }));
      assert.equal(await storage.insertPasskey(passkey(id, `u${index}`)), true, id);
    }
    for (const [index, id] of ALIKE.entries()) {
      assert.equal((await storage.getPasskey(id))?.userId, `u${index}`);
    }
    assert.equal(await storage.getPasskey("kEY"), null);
  },
  // Tracks: F32
  "a known browser is known by its own hash, and by none that looks alike": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const one = { idHash: "key", userId: "ada", createdAt: NOW, expiresAt: NOW + HOUR };
    await storage.putKnownBrowser(one, { keep: 10 });
    for (const idHash of ALIKE) {
      assert.equal(await storage.isKnownBrowser(idHash, { now: NOW }), idHash === "key", idHash);
    }
  },
});
