import assert from "node:assert/strict";
import { readSettings } from "../app/settings.ts";
import { UserUnavailableError } from "../errors.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { sessionListGroup } from "../storage/sessions.ts";
import { groupOf, type Storage } from "../storage/storage.ts";
import { mintSession } from "./mint.ts";

function settingsFor(database: Storage, more: Parameters<typeof readSettings>[0] = {}) {
  return readSettings({ database, now: () => 1000, ...more }, undefined);
}

async function storageWithAda(changes: Partial<Storage> = {}): Promise<Storage> {
  const database = createMemoryStorage();
  await database.createUser({ user: { id: "ada" }, emailIdentity: null, at: 0 });
  return { ...database, ...changes };
}

const OPTIONS = { userAgent: null, waitUntil: (work: Promise<unknown>) => void work };

Deno.test("mintSession() throws and stores nothing when there is no such user", async () => {
  await assert.rejects(
    mintSession(settingsFor(createMemoryStorage()), { ...OPTIONS, userId: "nobody" }),
    UserUnavailableError,
  );
});

Deno.test("mintSession() ends with absoluteMaxAge when that is sooner", async () => {
  for (const strategy of ["database", jwtSessions] as const) {
    const settings = settingsFor(await storageWithAda(), {
      session: { strategy, absoluteMaxAge: 60 },
      secret: "s".repeat(32),
    });
    const { session, lifetime } = await mintSession(settings, { ...OPTIONS, userId: "ada" });
    assert.equal(lifetime, 60_000);
    assert.deepEqual(session.expires, new Date(61_000));
  }
});

// Tracks: R150
Deno.test("mintSession() removes ended sessions now and then, in the background", async () => {
  const rounds = 3000;
  for (const strategy of ["database", jwtSessions] as const) {
    let sweeps = 0;
    const database = await storageWithAda({ sweep: () => Promise.resolve(++sweeps) });
    const settings = settingsFor(database, { session: { strategy }, secret: "s".repeat(32) });
    const background: Promise<unknown>[] = [];
    for (let index = 0; index < rounds; index++) {
      await mintSession(settings, {
        userId: "ada",
        userAgent: null,
        waitUntil: (work) => void background.push(work),
      });
    }
    await Promise.all(background);
    assert.equal(background.length, sweeps);
    // 3 of 256: 35 on average; no run in a billion leaves this range.
    assert.ok(sweeps > 2 && sweeps < 100, `${sweeps} of ${rounds}`);
  }
});

Deno.test("mintSession() keeps at most 256 characters of the browser's name", async () => {
  const memory = await storageWithAda();
  let stored: string | null = "";
  const settings = settingsFor({
    ...memory,
    insertSession(...given) {
      stored = given[0].userAgent;
      return memory.insertSession(...given);
    },
  });
  await mintSession(settings, { ...OPTIONS, userId: "ada", userAgent: "x".repeat(5000) });
  assert.equal(stored.length, 256);
});

// Tracks: GHSA-wmjr-v86c-m9jj
Deno.test("mintSession() ends no session in place of which something else was sent", async () => {
  const settings = settingsFor(await storageWithAda());
  const { token } = await mintSession(settings, { ...OPTIONS, userId: "ada" });
  for (const replaces of [`${token}x`, token.slice(1), `${token}.`, ""]) {
    await mintSession(settings, { ...OPTIONS, userId: "ada", replaces });
  }
  const how = { source: "cookie", waitUntil: OPTIONS.waitUntil } as const;
  assert.equal((await settings.strategy.read(token, how)).status, "valid");
});

Deno.test("mintSession() leaves no session behind when the session callback throws", async () => {
  const database = await storageWithAda();
  const failure = new Error("no");
  const settings = settingsFor(database, { callbacks: { session: () => Promise.reject(failure) } });
  await assert.rejects(
    mintSession(settings, { ...OPTIONS, userId: "ada" }),
    (error) => error === failure,
  );
  assert.deepEqual(
    await groupOf(database, sessionListGroup).listSessions("ada", { now: 0, limit: 10 }),
    [],
  );
  const broken = settingsFor({
    ...database,
    deleteSession: () => Promise.reject(new Error("down")),
  }, {
    callbacks: { session: () => Promise.reject(failure) },
  });
  await assert.rejects(
    mintSession(broken, { ...OPTIONS, userId: "ada" }),
    (error) => error === failure,
  );
});
