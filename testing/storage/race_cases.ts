import assert from "node:assert/strict";
import { AccountTakenError, UserChangedError, UserExistsError } from "@framework/auth/storage";
import type { CompleteStorage, StorageCase } from "./complete_storage.ts";
import { repeat, rivals } from "./race.ts";
import { account, HOUR, NOW, record, session } from "./records.ts";
import { inSuite } from "./suites.ts";

async function sessionsOf(storage: CompleteStorage, userId: string): Promise<string[]> {
  return (await storage.listSessions(userId, { now: NOW, limit: 100 })).map(({ id }) => id);
}

/**
 * Cases about concurrent operations that every storage must pass: the outcome is that of one after
 * the other.
 */
export const RACE_CASES: Record<string, StorageCase> = inSuite("races", {
  // Tracks: F08, K4
  "createUser() makes one of several users with one mailbox at once": async (storage) => {
    await repeat(async (round) => {
      const settled = await Promise.allSettled(
        rivals((index) =>
          storage.createUser(record({ id: `u${round}-${index}`, email: `u${round}@example.com` }))
        ),
      );
      assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
    });
  },
  // Tracks: F08, K4
  "saveUser() makes a user once when several sign in for the first time at once": async (
    storage,
  ) => {
    await repeat(async (round) => {
      const saved = await Promise.all(
        rivals(() => storage.saveUser(record({ id: `u${round}`, email: `u${round}@example.com` }))),
      );
      assert.equal(saved.filter((one) => one?.created).length, 1);
    });
  },
  // Tracks: R036, F04, K4
  "renewSession() is done by one of several at once": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await repeat(async (round) => {
      await storage.insertSession(session(`s${round}`, "ada"));
      const renewals = await Promise.all(rivals((index) =>
        storage.renewSession(`s${round}`, {
          from: NOW,
          at: NOW + 1 + index,
          expiresAt: NOW + 2 * HOUR,
        })
      ));
      assert.equal(renewals.filter(Boolean).length, 1);
    });
  },
  // Tracks: R037, F05, K4
  "renewSession() does not revive a session that is deleted at the same time": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    const ways = [
      (id: string) => storage.deleteSession(`hash-of-${id}`),
      (id: string) => storage.deleteSessionById("ada", id),
      () => storage.deleteSessions("ada"),
    ];
    for (const end of ways) {
      await repeat(async (round, start) => {
        const id = `s${round}`;
        await storage.insertSession(session(id, "ada"));
        const renewal = { from: NOW, at: NOW + 1, expiresAt: NOW + 2 * HOUR };
        await start([() => end(id), () => storage.renewSession(id, renewal)]);
        assert.equal(await storage.readSession(`hash-of-${id}`), null);
        assert.equal(await storage.renewSession(id, renewal), false);
      });
    }
  },
  // Tracks: R039, F05, K4
  "disableUser() leaves no session to a sign-in at the same time": async (storage) => {
    await repeat(async (round, start) => {
      const id = `u${round}`;
      await storage.createUser(record({ id }));
      await start([
        () => storage.insertSession(session(`a${round}`, id)),
        () => storage.disableUser(id, NOW),
        () => storage.insertSession(session(`b${round}`, id), { owner: record({ id, name: "x" }) }),
      ]);
      assert.deepEqual(await sessionsOf(storage, id), []);
      await storage.enableUser(id, NOW + 1);
      assert.deepEqual(await sessionsOf(storage, id), []);
    });
  },
  // Tracks: R162, K4
  "endEverything() leaves no session to a sign-in whose credentials were checked before": async (
    storage,
  ) => {
    await repeat(async (round, start) => {
      const id = `u${round}`;
      await storage.createUser(record({ id }));
      const before = { proofBegunAt: NOW - 1 };
      await start([
        () => storage.insertSession(session(`a${round}`, id), before),
        () => storage.endEverything(id, ["password", "sessions", "links"], { at: NOW }),
        () => storage.insertSession(session(`b${round}`, id), before),
        () => storage.endEverything(id, ["links", "sessions"], { at: NOW, credentials: true }),
      ]);
      assert.deepEqual(await sessionsOf(storage, id), []);
    });
  },
  // Tracks: R039, F05, K4
  "deleteUser() leaves no session to a sign-in at the same time": async (storage) => {
    await repeat(async (round, start) => {
      const id = `u${round}`;
      await storage.createUser(record({ id }));
      await start([
        () => storage.insertSession(session(`a${round}`, id)),
        () => storage.deleteUser(id),
        () => storage.insertSession(session(`b${round}`, id)),
      ]);
      assert.equal(await storage.getUser(id), null);
      await storage.createUser(record({ id }));
      assert.deepEqual(await sessionsOf(storage, id), []);
    });
  },
  // Tracks: R040, K4
  "deleteSessions() counts each session once among several at once": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await repeat(async (round) => {
      for (const name of ["a", "b", "c"]) {
        await storage.insertSession(session(`${name}${round}`, "ada"));
      }
      const counts = await Promise.all(rivals(() => storage.deleteSessions("ada")));
      assert.equal(counts.reduce((sum, count) => sum + count, 0), 3);
    });
  },
  // Tracks: K4
  "setUserRoles() is not undone by a sign-in at the same time": async (storage) => {
    await repeat(async (round, start) => {
      const id = `u${round}`;
      await storage.createUser(record({ id, role: "member", roles: ["a"] }));
      const owner = record({ id, name: "New", role: "root", roles: ["root"] });
      await start([
        () => storage.insertSession(session(`s${round}`, id), { owner }),
        () => storage.setUserRoles(id, { roles: { role: "admin", roles: [] }, at: NOW }),
        () => storage.saveUser(owner),
      ]);
      const user = await storage.getUser(id);
      assert.deepEqual([user?.name, user?.role, user?.roles], ["New", "admin", undefined]);
    });
  },
  // Tracks: K4
  "of two who take the role of the other at once one keeps it": async (storage) => {
    await repeat(async (round, start) => {
      const [one, two] = [`one${round}`, `two${round}`];
      for (const id of [one, two]) await storage.createUser(record({ id, role: "admin" }));
      const held = {
        unchanged: [one, two].map((userId) => ({ userId, roles: ["admin"], active: true })),
      };
      const roles = { role: null };
      const results: string[] = [];
      const change = (work: Promise<unknown>) =>
        // Nothing is changed of who is gone.
        work.then((done) => results.push(done ? "done" : "refused"), (error) => {
          assert.ok(error instanceof UserChangedError, String(error));
          results.push("refused");
        });
      await start([
        () => change(storage.setUserRoles(two, { roles, at: NOW, ...held })),
        () => change(storage.disableUser(one, NOW, held)),
        () => change(storage.deleteUser(two, held)),
        () => change(storage.setUserRoles(one, { roles, at: NOW, ...held })),
      ]);
      assert.deepEqual(results.toSorted(), ["done", "refused", "refused", "refused"]);
      const left = await Promise.all([one, two].map((id) => storage.getActiveUser(id)));
      assert.equal(left.filter((user) => user?.role === "admin").length, 1);
    });
  },
  // Tracks: F11, K4
  "nobody reads what an operation takes back": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    await storage.linkAccount(account("code", "ada"));
    await repeat(async (round) => {
      const id = `u${round}`;
      let isOver = false;
      // The account is another user's: no user and no session come of it.
      const refused = storage.insertSession(session(id, id), {
        owner: record({ id }),
        account: account("code", id, { providerAccountId: "id-of-ada" }),
      }).finally(() => isOver = true);
      const seen: unknown[] = [];
      const watch = async () => {
        while (!isOver) {
          // Several in a row: whoever writes in the process has taken it back by the next timer.
          for (let reads = 0; reads < 10; reads++) {
            seen.push(await storage.getUser(id), await storage.readSession(`hash-of-${id}`));
          }
          // Else a storage in the process, which waits for a timer, would wait for ever.
          await new Promise((resolve) => setTimeout(resolve));
        }
      };
      const [settled] = await Promise.allSettled([refused, watch()]);
      assert.equal(settled.status, "rejected");
      assert.ok(settled.reason instanceof AccountTakenError, String(settled.reason));
      assert.deepEqual(seen.filter((one) => one !== null), []);
      assert.equal(await storage.getUser(id), null);
    });
  },
  // Tracks: R150, K4
  "sweep() counts each row once among several at once": async (storage) => {
    await storage.createUser(record({ id: "ada" }));
    for (let index = 0; index < 20; index++) {
      await storage.insertSession(session(`s${index}`, "ada", { expiresAt: NOW }));
    }
    const removed = await Promise.all(rivals(() => storage.sweep(NOW, 100)));
    assert.equal(removed.reduce((sum, count) => sum + count, 0), 20);
  },
  // Tracks: F08, K4
  "createUser() makes one of several users with one id at once": async (storage) => {
    await repeat(async (round) => {
      const settled = await Promise.allSettled(
        rivals((index) => storage.createUser(record({ id: `u${round}`, name: `${index}` }))),
      );
      const made = settled.findIndex(({ status }) => status === "fulfilled");
      assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
      for (const one of settled) {
        if (one.status === "rejected") assert.ok(one.reason instanceof UserExistsError);
      }
      assert.equal((await storage.getUser(`u${round}`))?.name, `${made}`);
    });
  },
  // Tracks: F08, K4
  "updateUser() gives a mailbox to one of several users at once": async (storage) => {
    const ids = rivals((index) => `u${index}`);
    for (const id of ids) await storage.createUser(record({ id, email: `${id}@example.com` }));
    await repeat(async (round) => {
      const email = `wanted${round}@example.com`;
      const settled = await Promise.allSettled(
        ids.map((id) => storage.updateUser(record({ id, email }))),
      );
      for (const one of settled) {
        if (one.status === "rejected") assert.ok(one.reason instanceof UserExistsError);
      }
      const done = settled.findIndex(({ status }) => status === "fulfilled");
      assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
      const users = await Promise.all(ids.map((id) => storage.getUser(id)));
      assert.deepEqual(users.filter((user) => user?.email === email).map((user) => user?.id), [
        ids[done],
      ]);
    });
  },
  // Tracks: R039, K4
  "disableUser() leaves no API key and no known browser that come at the same time": async (
    storage,
  ) => {
    await repeat(async (round, start) => {
      const id = `u${round}`;
      await storage.createUser(record({ id }));
      const add = (name: string) => [
        () =>
          storage.insertApiKey({
            ...{ id: name + round, userId: id, tenantId: null, name, hash: name, permissions: [] },
            ...{ previousHash: null, previousUntil: null, limitCount: null, limitWindow: null },
            ...{ createdBy: id, createdAt: NOW, expiresAt: null, lastUsedAt: null },
          }, { max: 9 }),
        () =>
          storage.putKnownBrowser({
            ...{ idHash: name + round, userId: id, createdAt: NOW, expiresAt: NOW + HOUR },
          }, { keep: 9 }),
      ];
      await start([...add("a"), () => storage.disableUser(id, NOW), ...add("b")]);
      await storage.enableUser(id, NOW + 1);
      assert.deepEqual(await storage.listApiKeys({ userId: id }), []);
      for (const name of ["a", "b"]) {
        assert.equal(await storage.isKnownBrowser(name + round, { now: NOW }), false);
      }
    });
  },
});
