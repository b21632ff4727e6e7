import assert from "node:assert/strict";
import { AccountTakenError, type InsertSessionOptions } from "@framework/auth/storage";
import type { StorageCase } from "./complete_storage.ts";
import { repeat, rivals } from "./race.ts";
import {
  account,
  HOUR,
  keptRecord,
  NOW,
  passkey,
  record,
  secret,
  session,
  WAYS,
} from "./records.ts";
import { inSuite } from "./suites.ts";

const LAST = { keep: WAYS };

/** Rounds of a race of a hundred, which take a database with locks seconds each. */
const FEWER = 4;

function count(outcomes: readonly unknown[], outcome: unknown): number {
  return outcomes.filter((one) => one === outcome).length;
}

/** Cases about concurrent sign-ins, and changes to them, that every storage must pass. */
export const SIGN_IN_RACE_CASES: Record<string, StorageCase> = inSuite("races", {
  // Tracks: R017, F08, K4
  "takeSecret() gives a secret to one of 100 at once": async (storage) => {
    await repeat(async (round) => {
      const hash = `h${round}`;
      await storage.putSecret(secret(hash));
      const taken = await Promise.all(
        rivals(() => storage.takeSecret("email", hash, { now: NOW }), 100),
      );
      assert.equal(count(taken, null), 99);
    }, FEWER);
  },
  // Tracks: R017, R162, A-01, K4
  "redeemSecret() takes a secret and proves with it for one of 100 at once": async (storage) => {
    await repeat(async (round) => {
      const id = `u${round}`;
      const emailIdentity = `${id}@example.com`;
      await storage.createUser(record({ id, email: emailIdentity }));
      await storage.insertPasskey(passkey(`key${round}`, id));
      const hash = `h${round}`;
      const about = { identifier: id, userId: id };
      await storage.putSecret(secret(hash, about));
      await storage.putSecret(secret(`${hash}-other`, { ...about, purpose: "other" }));
      const redeem = { now: NOW, userId: id, emailIdentity, ends: ["email"] };
      const outcomes = await Promise.all(rivals(
        () => storage.redeemSecret({ purpose: "email", hash, identifier: id }, redeem),
        100,
      ));
      assert.equal(count(outcomes, "proved"), 1, String(outcomes));
      assert.equal(count(outcomes, "absent"), 99, String(outcomes));
      assert.deepEqual(await storage.listPasskeys(id), []);
      assert.equal(await storage.readSecret("other", `${hash}-other`, NOW), null);
    }, FEWER);
  },
  // Tracks: K4
  "countAttempt() counts each of several at once, up to the limit": async (storage) => {
    await repeat(async (round) => {
      const hash = `h${round}`;
      await storage.putSecret(secret(hash));
      const counted = await Promise.all(
        rivals(() => storage.countAttempt("email", hash, { now: NOW, max: 5 }), 12),
      );
      const attempts = counted.filter((one) => one !== null).map((one) => one.attempts).sort();
      assert.deepEqual(attempts, [1, 2, 3, 4, 5]);
    });
  },
  // Tracks: K4
  "takeSecret() and countAttempt() at once: whoever counts after the taking counts nothing": async (
    storage,
  ) => {
    await repeat(async (round, start) => {
      const hash = `h${round}`;
      await storage.putSecret(secret(hash));
      await start([
        () => storage.takeSecret("email", hash, { now: NOW }),
        () => storage.countAttempt("email", hash, { now: NOW, max: 5 }),
      ]);
      assert.equal(await storage.readSecret("email", hash, NOW), null);
    });
  },
  // Tracks: K4
  "putNewestSecret() leaves as many as it keeps when several are stored at once": async (
    storage,
  ) => {
    await repeat(async (round) => {
      const identifier = `u${round}@example.com`;
      const hashes = rivals((index) => `h${round}-${index}`);
      await Promise.all(
        hashes.map((hash) => storage.putNewestSecret(secret(hash, { identifier }), { keep: 2 })),
      );
      const left = await Promise.all(hashes.map((hash) => storage.readSecret("email", hash, NOW)));
      assert.equal(left.filter((one) => one !== null).length, 2);
    });
  },
  // Tracks: R100, K4
  "linkAccount() gives an account to one of several users at once": async (storage) => {
    for (const index of rivals((index) => index)) {
      await storage.createUser(record({ id: `u${index}` }));
    }
    await repeat(async (round) => {
      const key = { providerAccountId: `id${round}` };
      const outcomes = await Promise.all(
        rivals((index) => storage.linkAccount(account("code", `u${index}`, key))),
      );
      assert.equal(count(outcomes, "linked"), 1);
      assert.equal(count(outcomes, "taken"), outcomes.length - 1);
      const again = await Promise.all(
        rivals(() => storage.linkAccount(account("chat", "u0", key))),
      );
      assert.equal(count(again, "linked"), 1);
      assert.equal(count(again, "updated"), again.length - 1);
    });
  },
  // Tracks: R100, F08, K4
  "insertSession() makes one user of several first sign-ins with one account at once": async (
    storage,
  ) => {
    await repeat(async (round, start) => {
      const settled: unknown[] = [];
      await start(rivals((index) => async () => {
        const id = `u${round}-${index}`;
        const save = { account: account("code", id, { providerAccountId: `id${round}` }) };
        const result = await storage.insertSession(session(`s${id}`, id), {
          owner: record({ id }),
          ...save,
        }).catch((error) => error);
        settled.push(result instanceof AccountTakenError ? "taken" : result?.created);
      }));
      assert.equal(count(settled, true), 1, String(settled));
      assert.equal(count(settled, "taken"), settled.length - 1);
      const { userId } = (await storage.findAccount("code", `id${round}`))!;
      const users = await Promise.all(
        rivals((index) => storage.getUser(`u${round}-${index}`)),
      );
      assert.deepEqual(users.filter((user) => user !== null).map(({ id }) => id), [userId]);
    });
  },
  // Tracks: F09, K4
  "swapAccountTokens() is done by one of several at once": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await repeat(async (round) => {
      const key = { providerAccountId: `id${round}`, accessToken: "old" };
      await storage.linkAccount(account("code", "ada", key));
      const swapped = await Promise.all(
        rivals((index) =>
          storage.swapAccountTokens("code", key.providerAccountId, {
            from: NOW,
            at: NOW,
            accessToken: `new${index}`,
            refreshToken: `refresh${index}`,
            expiresAt: NOW + HOUR,
            tokenType: null,
            scope: null,
          })
        ),
      );
      assert.equal(count(swapped, true), 1);
      const winner = swapped.indexOf(true);
      const stored = await storage.findAccount("code", key.providerAccountId);
      assert.deepEqual(
        [stored?.accessToken, stored?.refreshToken],
        [`new${winner}`, `refresh${winner}`],
      );
    });
  },
  // Tracks: K4
  "unlinkAccount() and deletePasskey() at once never leave a user without a way in": async (
    storage,
  ) => {
    await repeat(async (round, start) => {
      const id = `u${round}`;
      await storage.createUser(record({ id }));
      const ways = ["code", "chat", "mail"];
      for (const provider of ways) await storage.linkAccount(account(provider, id));
      await storage.insertPasskey(passkey(`a${round}`, id));
      await storage.insertPasskey(passkey(`b${round}`, id));
      const outcomes: string[] = [];
      await start([
        ...ways.map((provider) => async () => {
          outcomes.push(await storage.unlinkAccount(id, provider, `id-of-${id}`, LAST));
        }),
        ...["a", "b"].map((name) => async () => {
          outcomes.push(await storage.deletePasskey(id, `${name}${round}`, LAST));
        }),
      ]);
      assert.equal(count(outcomes, "last"), 1, String(outcomes));
      const left = [...await storage.listAccounts(id), ...await storage.listPasskeys(id)];
      assert.equal(left.length, 1);
    });
  },
  // Tracks: R127, F05, K4
  "an account or a passkey that is removed while it signs in leaves no session and no way in":
    async (
      storage,
    ) => {
      await repeat(async (round, start) => {
        const id = `u${round}`;
        await storage.createUser(record({ id }));
        const used = account("code", id);
        await storage.linkAccount(used);
        await storage.insertPasskey(passkey(`key${round}`, id));
        const any = { keep: null };
        const refused = (error: unknown) => assert.ok(error instanceof AccountTakenError);
        const signIn = (name: string, options: InsertSessionOptions) => () =>
          storage.insertSession(session(name + round, id), { ...options, existing: true })
            .catch(refused);
        await start([
          signIn("a", { account: used, linked: true }),
          signIn("b", { passkey: storage.preparePasskeyUse(id, `key${round}`) }),
          async () => {
            await Promise.all([
              storage.unlinkAccount(id, "code", used.providerAccountId, any),
              storage.deletePasskey(id, `key${round}`, any),
            ]);
            await storage.deleteSessions(id);
          },
        ]);
        assert.deepEqual(await storage.listSessions(id, { now: NOW, limit: 5 }), []);
        assert.deepEqual(await storage.listAccounts(id), []);
      });
    },
  // Tracks: K4
  "insertPasskey() takes an id once of several at once": async (storage) => {
    for (const index of rivals((index) => index)) {
      await storage.createUser(record({ id: `u${index}` }));
    }
    await repeat(async (round) => {
      const inserted = await Promise.all(
        rivals((index) => storage.insertPasskey(passkey(`key${round}`, `u${index}`))),
      );
      assert.equal(count(inserted, true), 1);
      const stored = await storage.getPasskey(`key${round}`);
      assert.equal(stored?.userId, `u${inserted.indexOf(true)}`);
    });
  },
  // Tracks: K4
  "advancePasskey() is done by one of several at once": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await repeat(async (round) => {
      await storage.insertPasskey(passkey(`key${round}`, "ada"));
      const use = { from: 0, to: 7, backedUp: false, at: NOW };
      const advanced = await Promise.all(
        rivals(() => storage.advancePasskey(`key${round}`, use)),
      );
      assert.equal(count(advanced, true), 1);
    });
  },
  // Tracks: R029, GHSA-qq9h-g4jm-xgf3, K4
  "proveEmail() is done by one of several at once, and leaves no unproven owner's session": async (
    storage,
  ) => {
    await repeat(async (round, start) => {
      const id = `u${round}`;
      const mailbox = { emailIdentity: `${id}@example.com`, at: NOW };
      await storage.createUser(record({ id, email: mailbox.emailIdentity }));
      await storage.insertSession(session(`old${round}`, id));
      const outcomes: string[] = [];
      const password = { proofBegunAt: NOW, owner: record({ id, name: "Left" }) };
      await start([
        () => storage.insertSession(session(`a${round}`, id), password),
        ...rivals(() => async () => {
          outcomes.push(await storage.proveEmail(id, mailbox));
        }),
        () => storage.insertSession(session(`b${round}`, id), password),
      ]);
      assert.equal(count(outcomes, "proved"), 1);
      assert.equal(count(outcomes, "already"), outcomes.length - 1);
      assert.deepEqual(await storage.listSessions(id, { now: NOW, limit: 5 }), []);
    });
  },
  // Tracks: R017, K4
  "takeSecret() and redeemSecret() of one secret at once: one of them has it": async (storage) => {
    await repeat(async (round, start) => {
      const identifier = "ada@example.com";
      const own = { purpose: "email", hash: `h${round}`, identifier };
      await storage.putSecret(secret(own.hash, { identifier }));
      const redeem = { now: NOW, userId: null, emailIdentity: null, ends: [] };
      const had: unknown[] = [];
      const take = async () => had.push(await storage.takeSecret("email", own.hash, { now: NOW }));
      await start([
        take,
        async () => had.push(await storage.redeemSecret(own, redeem) === "redeemed" || null),
        take,
      ]);
      assert.equal(count(had, null), 2);
    });
  },
  // Tracks: R029, K4
  "proveEmail() proves an address that two have kept for one of them at once": async (storage) => {
    await repeat(async (round) => {
      const emailIdentity = `kept${round}@example.com`;
      const ids = ["a", "b"].map((name) => name + round);
      for (const id of ids) await storage.createUser(keptRecord({ id, email: emailIdentity }));
      const outcomes = await Promise.all(
        ids.map((id) => storage.proveEmail(id, { emailIdentity, at: NOW })),
      );
      assert.deepEqual(outcomes.toSorted(), ["absent", "proved"]);
      const winner = ids[outcomes.indexOf("proved")];
      assert.equal((await storage.getUserByEmail(emailIdentity))?.id, winner);
    });
  },
});
