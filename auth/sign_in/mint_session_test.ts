import assert from "node:assert/strict";
import { readSettings } from "../config/settings.ts";
import { UserUnavailableError } from "../errors/storage_errors.ts";
import { createMemoryStorage } from "../storage/memory_storage.ts";
import { mintSession } from "./mint_session.ts";

function setUp() {
  const database = createMemoryStorage();
  const settings = readSettings({ database, now: () => 1000 }, undefined);
  return { database, settings };
}

const OPTIONS = { userAgent: null, waitUntil: (work: Promise<unknown>) => void work };

Deno.test("mintSession() throws and stores nothing when there is no such user", async () => {
  const { settings } = setUp();
  await assert.rejects(
    mintSession(settings, { ...OPTIONS, userId: "nobody" }),
    UserUnavailableError,
  );
});

Deno.test("mintSession() ends with absoluteMaxAge when that is sooner", async () => {
  const database = createMemoryStorage();
  await database.createUser({ user: { id: "ada" }, emailIdentity: null, at: 0 });
  const session = { strategy: "database", absoluteMaxAge: 60 } as const;
  const settings = readSettings({ database, session, now: () => 1000 }, undefined);
  const { session: minted, lifetime } = await mintSession(settings, { ...OPTIONS, userId: "ada" });
  assert.equal(lifetime, 60_000);
  assert.deepEqual(minted.expires, new Date(61_000));
});

// Tracks: R150
Deno.test("mintSession() removes ended sessions now and then, in the background", async () => {
  const { database, settings } = setUp();
  await database.createUser({ user: { id: "ada" }, emailIdentity: null, at: 0 });
  let sweeps = 0;
  const counted = {
    ...settings,
    storage: {
      ...database,
      sweep: (...given: [number, number]) => (sweeps++, database.sweep(...given)),
    },
  };
  const background: Promise<unknown>[] = [];
  const rounds = 3000;
  for (let index = 0; index < rounds; index++) {
    await mintSession(counted, {
      userId: "ada",
      userAgent: null,
      waitUntil: (work) => void background.push(work),
    });
  }
  await Promise.all(background);
  assert.equal(background.length, sweeps);
  // 3 of 256: 35 on average; no run in a billion leaves this range.
  assert.ok(sweeps > 2 && sweeps < 100, `${sweeps} of ${rounds}`);
});

Deno.test("mintSession() keeps at most 256 characters of the browser's name", async () => {
  const { database, settings } = setUp();
  await database.createUser({ user: { id: "ada" }, emailIdentity: null, at: 0 });
  let stored: string | null = "";
  const spied = {
    ...settings,
    storage: {
      ...database,
      insertSession: (...given: Parameters<typeof database.insertSession>) => {
        stored = given[0].userAgent;
        return database.insertSession(...given);
      },
    },
  };
  await mintSession(spied, { ...OPTIONS, userId: "ada", userAgent: "x".repeat(5000) });
  assert.equal(stored.length, 256);
});
