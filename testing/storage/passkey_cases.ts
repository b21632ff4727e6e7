import assert from "node:assert/strict";
import { AccountTakenError, type OpenWays, type SecondFactorMeans } from "@framework/auth/storage";
import type { StorageCase } from "./complete_storage.ts";
import { repeat, rivals } from "./race.ts";
import { account, HOUR, NOW, passkey, record, session, WAYS } from "./records.ts";
import { inSuite } from "./suites.ts";

const FREE = { keep: null };
const LAST = { keep: WAYS };

/** Cases about passkeys that every storage must pass. */
export const PASSKEY_CASES: Record<string, StorageCase> = inSuite("operations", {
  "getPasskey() gives back what insertPasskey() stored": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const full = passkey("key", "ada", {
      counter: 4_294_967_295,
      transports: ["internal", "hybrid"],
      deviceType: "multiDevice",
      backedUp: true,
      name: "Phone 📱",
      lastUsedAt: NOW,
    });
    assert.equal(await storage.insertPasskey(full), true);
    assert.deepEqual(await storage.getPasskey("key"), full);
    assert.equal(await storage.insertPasskey(passkey("plain", "ada")), true);
    assert.deepEqual(await storage.getPasskey("plain"), passkey("plain", "ada"));
    assert.equal(await storage.getPasskey("none"), null);
  },
  "insertPasskey() takes an id once, whoever comes with it": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.insertPasskey(passkey("key", "ada"));
    assert.equal(await storage.insertPasskey(passkey("key", "eve")), false);
    assert.equal(await storage.insertPasskey(passkey("key", "ada", { counter: 9 })), false);
    assert.deepEqual(await storage.getPasskey("key"), passkey("key", "ada"));
  },
  // Tracks: R150, K4
  "insertPasskey() keeps ids of 768 characters whole": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const long = "k".repeat(767);
    assert.equal(await storage.insertPasskey(passkey(`${long}A`, "ada")), true);
    assert.equal(await storage.insertPasskey(passkey(`${long}a`, "ada")), true);
    assert.equal((await storage.getPasskey(`${long}A`))?.id, `${long}A`);
    assert.equal(await storage.getPasskey(long), null);
  },
  "a sign-in that makes a fifty-first passkey stores nothing": async (storage) => {
    await storage.createUser(record({ id: "ada", name: "Ada" }));
    for (let n = 1; n < 50; n++) await storage.insertPasskey(passkey(`key-${n}`, "ada"));
    const making = (id: string) => ({ passkey: storage.preparePasskey(passkey(id, "ada")) });
    assert.notEqual(await storage.insertSession(session("s50", "ada"), making("key-50")), null);
    const owner = record({ id: "ada", name: "New" });
    const further = { ...making("key-51"), account: account("code", "ada") };
    await assert.rejects(
      storage.insertSession(session("s51", "ada"), { ...further, owner }),
      AccountTakenError,
    );
    await assert.rejects(storage.saveUser(owner, further), AccountTakenError);
    assert.equal((await storage.listPasskeys("ada")).length, 50);
    assert.deepEqual(await storage.listAccounts("ada"), []);
    assert.equal(await storage.readSession("hash-of-s51"), null);
    assert.equal((await storage.getUser("ada"))?.name, "Ada");
  },
  "insertPasskey() stores none for who does not exist or is disabled": async (storage) => {
    assert.equal(await storage.insertPasskey(passkey("key", "nobody")), false);
    await storage.createUser(record({ id: "ada" }));
    await storage.disableUser("ada", NOW);
    assert.equal(await storage.insertPasskey(passkey("key", "ada")), false);
    assert.equal(await storage.getPasskey("key"), null);
  },
  "listPasskeys() gives the user's own, the oldest first": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.insertPasskey(passkey("c", "ada", { createdAt: NOW + 1 }));
    await storage.insertPasskey(passkey("b", "ada"));
    await storage.insertPasskey(passkey("a", "ada"));
    await storage.insertPasskey(passkey("hers", "eve"));
    assert.deepEqual((await storage.listPasskeys("ada")).map(({ id }) => id), ["a", "b", "c"]);
    assert.deepEqual(await storage.listPasskeys("nobody"), []);
    assert.deepEqual(await storage.listPasskeyIds("ada"), ["a", "b", "c"]);
    assert.deepEqual(await storage.listPasskeyIds("nobody"), []);
    assert.deepEqual([await storage.hasPasskey("hers"), await storage.hasPasskey("d")], [
      true,
      false,
    ]);
    await storage.deletePasskey("ada", "b", FREE);
    assert.deepEqual(await storage.listPasskeyIds("ada"), ["a", "c"]);
    assert.equal(await storage.hasPasskey("b"), false);
  },
  // Tracks: GHSA-4vcf-q4xf-f48m
  "renamePasskey() names a passkey of this user and of no other": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.insertPasskey(passkey("key", "ada"));
    assert.equal(await storage.renamePasskey("eve", "key", "Mine"), false);
    assert.equal((await storage.getPasskey("key"))?.name, null);
    assert.equal(await storage.renamePasskey("ada", "key", "Laptop"), true);
    assert.equal((await storage.getPasskey("key"))?.name, "Laptop");
    assert.equal(await storage.renamePasskey("ada", "key", null), true);
    assert.equal((await storage.getPasskey("key"))?.name, null);
  },
  "advancePasskey() stores a use for the counter that was read": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.insertPasskey(passkey("key", "ada"));
    const use = { from: 0, to: 5, backedUp: true, at: NOW + 1 };
    assert.equal(await storage.advancePasskey("key", use), true);
    const stored = await storage.getPasskey("key");
    assert.deepEqual(stored, {
      ...passkey("key", "ada"),
      counter: 5,
      backedUp: true,
      lastUsedAt: NOW + 1,
    });
    assert.equal(await storage.advancePasskey("key", use), false);
    assert.deepEqual(await storage.getPasskey("key"), stored);
    assert.equal(await storage.advancePasskey("none", use), false);
    // One that does not count says 0 each time.
    await storage.insertPasskey(passkey("still", "ada"));
    const again = { from: 0, to: 0, backedUp: false, at: NOW + 2 };
    assert.equal(await storage.advancePasskey("still", again), true);
    assert.equal(await storage.advancePasskey("still", again), true);
  },
  // Tracks: GHSA-4vcf-q4xf-f48m
  "deletePasskey() removes a passkey of this user and of no other": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.insertPasskey(passkey("key", "ada"));
    assert.equal(await storage.deletePasskey("eve", "key", FREE), "absent");
    assert.equal(await storage.deletePasskey("ada", "key", FREE), "deleted");
    assert.equal(await storage.deletePasskey("ada", "key", FREE), "absent");
    assert.equal(await storage.getPasskey("key"), null);
  },
  "deletePasskey() leaves the last way in, among passkeys and accounts": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    await storage.insertPasskey(passkey("hers", "eve"));
    await storage.linkAccount(account("code", "eve"));
    await storage.insertPasskey(passkey("a", "ada"));
    await storage.insertPasskey(passkey("b", "ada"));
    assert.equal(await storage.deletePasskey("ada", "a", LAST), "deleted");
    assert.equal(await storage.deletePasskey("ada", "b", LAST), "last");
    await storage.linkAccount(account("code", "ada"));
    assert.equal(await storage.deletePasskey("ada", "b", LAST), "deleted");
    assert.equal(await storage.unlinkAccount("ada", "code", "id-of-ada", LAST), "last");
  },
  // Tracks: R176
  "deletePasskey() ends what sessions have proved by a passkey with the last one of who has no app":
    async (storage) => {
      await storage.createUser(record({ id: "ada" }));
      await storage.createUser(record({ id: "eve" }));
      const prove = async (sessionId: string, userId: string, method: SecondFactorMeans) =>
        await storage.putSessionFactor({
          sessionId,
          userId,
          method,
          at: NOW,
          expiresAt: NOW + HOUR,
        });
      const proves = async (sessionId: string, userId = "ada") =>
        await storage.readSessionFactor(sessionId, userId) !== null;
      await storage.insertPasskey(passkey("hers", "eve"));
      await prove("of-eve", "eve", "passkey");
      await storage.insertPasskey(passkey("a", "ada"));
      await storage.insertPasskey(passkey("b", "ada"));
      await prove("by-passkey", "ada", "passkey");
      await prove("by-provider", "ada", "provider");
      await storage.deletePasskey("ada", "a", FREE);
      assert.equal(await proves("by-passkey"), true, "there is another one");
      const factor = { userId: "ada", secret: "sealed", lastStep: 1, createdAt: NOW };
      await storage.putFactor({ ...factor, codes: ["one"], replaces: null });
      await storage.deletePasskey("ada", "b", FREE);
      assert.equal(await proves("by-passkey"), true, "there is an app");
      await storage.dropFactor("ada");
      for (const end of ["deletePasskey", "endEverything"] as const) {
        await storage.insertPasskey(passkey("c", "ada"));
        await prove("by-passkey", "ada", "passkey");
        await prove("by-provider", "ada", "provider");
        if (end === "deletePasskey") await storage.deletePasskey("ada", "c", FREE);
        else await storage.endEverything("ada", ["passkeys"], { at: NOW });
        assert.equal(await proves("by-passkey"), false, end);
        assert.equal(await proves("by-provider"), true);
      }
      assert.equal(await proves("of-eve", "eve"), true);
    },
  // Tracks: R127
  "deletePasskey() counts the ways that the application opens, and no others": async (storage) => {
    const remove = (keep: Partial<OpenWays>) =>
      storage.deletePasskey("ada", "a", { keep: { ...WAYS, ...keep } });
    await storage.createUser(record({ id: "ada", email: "ada@example.com" }));
    await storage.insertPasskey(passkey("a", "ada"));
    await storage.insertPasskey(passkey("b", "ada"));
    await storage.linkAccount(account("gone", "ada"));
    assert.equal(await remove({ passkeys: false, mailbox: true }), "last");
    await storage.proveEmail("ada", { emailIdentity: "ada@example.com", at: NOW, keepOwn: true });
    assert.equal(await remove({ passkeys: false }), "last");
    assert.equal(await remove({ passkeys: false, mailbox: true }), "deleted");
  },
});

/** Races about passkeys that every storage must pass. */
export const PASSKEY_RACES: Record<string, StorageCase> = inSuite("races", {
  "insertPasskey() stores fifty for one user, also of many at once": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.createUser(record({ id: "eve" }));
    for (let n = 0; n < 40; n++) await storage.insertPasskey(passkey(`first-${n}`, "ada"));
    const stored = await Promise.all(
      Array.from({ length: 20 }, (_, n) => storage.insertPasskey(passkey(`more-${n}`, "ada"))),
    );
    assert.equal(stored.filter((one) => one).length, 10);
    assert.equal((await storage.listPasskeys("ada")).length, 50);
    assert.equal(await storage.insertPasskey(passkey("hers", "eve")), true);
    await storage.deletePasskey("ada", "first-0", FREE);
    assert.equal(await storage.insertPasskey(passkey("again", "ada")), true);
  },
  "of several sign-ins at once that make a fiftieth passkey one stores it": async (storage) => {
    await repeat(async (round, start) => {
      const id = `u${round}`;
      await storage.createUser(record({ id }));
      for (let n = 1; n < 50; n++) await storage.insertPasskey(passkey(`${id}-${n}`, id));
      const outcomes: unknown[] = [];
      await start(rivals((index) => async () => {
        const made = storage.preparePasskey(passkey(`${id}-more-${index}`, id));
        const saved = await storage.insertSession(session(`s-${id}-${index}`, id), {
          passkey: made,
        })
          .catch((error) => error);
        outcomes.push(saved instanceof AccountTakenError ? "taken" : saved?.created);
      }));
      assert.deepEqual(outcomes.toSorted(), [false, ...rivals(() => "taken", 5)]);
      assert.equal((await storage.listPasskeys(id)).length, 50);
    }, 2);
  },
});
