import assert from "node:assert/strict";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { ConfigurationError } from "../errors.ts";
import { type Ending, endingGroup } from "../storage/endings.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createSqlRevocationStore } from "../storage/revocations.ts";
import { createSqlStorage } from "../storage/sql.ts";
import type { Storage } from "../storage/storage.ts";
import { createTestApplication } from "../tests/application.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { during, userAt } from "../tests/during.ts";
import type { AuthEvent } from "../types/events.ts";
import { endEverything } from "./end_everything.ts";
import { endSessions } from "./user_sessions.ts";
import { passwordChanged } from "./users.ts";

const ALL: Ending[] = [
  ...["sessions", "knownBrowsers", "links", "password"] as const,
  ...["signUps", "passkeys", "factors", "trustedBrowsers", "pendingSteps"] as const,
  ...["apiKeys", "accounts", "providerTokens"] as const,
];

// Tracks: R162
Deno.test("endEverything() ends what is named of a user, with the session of this request or without", async () => {
  const application = createTestApplication();
  const [here, there] = [await application.signIn(), await application.signIn()];
  const eve = await application.signIn("eve");
  const spared = await during(
    application,
    here,
    () => endEverything("ada", ["sessions", "links"], { except: "current" }),
  );
  assert.equal(spared.result, true);
  assert.deepEqual(spared.cookies, []);
  assert.equal(await userAt(application, here), "ada");
  assert.equal(await userAt(application, there), null);
  // Who named no session is signed out of none.
  const links = await during(application, here, () => endEverything("ada", ["links"]));
  assert.deepEqual([links.result, links.cookies], [true, []]);
  assert.equal(await userAt(application, here), "ada");
  const all = await during(application, here, () => endEverything("ada", ALL));
  assert.match(all.cookies.join(), /Max-Age=0/);
  assert.equal(await userAt(application, here), null);
  assert.equal(await userAt(application, eve), "eve");
  assert.equal((await during(application, eve, () => endEverything("nobody", ALL))).result, false);
  assert.equal(await userAt(application, eve), "eve");
  application.close();
});

Deno.test("endEverything() is an event where it ends sessions, and where it finds the user", async () => {
  const told: AuthEvent[] = [];
  const application = createTestApplication({ events: { "*": (event) => void told.push(event) } });
  await application.signIn();
  told.length = 0;
  for (const [userId, what] of [["ada", "links"], ["nobody", "sessions"]] as const) {
    await during(application, undefined, () => endEverything(userId, [what]));
  }
  assert.deepEqual(told, []);
  await during(application, undefined, () => endEverything("ada", ["links", "sessions"]));
  assert.deepEqual(told.map(({ type, userId }) => [type, userId]), [["session-revoked", "ada"]]);
  application.close();
});

Deno.test("endEverything() ends tokens by the revocation store, and says what is missing before anything ends", async () => {
  const secret = "s".repeat(32);
  for (const revocable of [true, false]) {
    const base = createTestApplication();
    const revocation = createSqlRevocationStore(base.database);
    const application = createTestApplication({
      database: base.database,
      secret,
      session: { strategy: jwtSessions, ...revocable && { revocation } },
    });
    const cookie = await application.signIn();
    const { sqlite } = base.database;
    sqlite.exec("INSERT INTO known_browsers VALUES ('b1', 'ada', 1, 8640000000000000)");
    const ending = during(
      application,
      undefined,
      () => endEverything("ada", ["sessions", "knownBrowsers"]),
    );
    if (revocable) await ending;
    else await assert.rejects(ending, ConfigurationError);
    assert.equal(await userAt(application, cookie), revocable ? null : "ada");
    const left = sqlite.prepare("SELECT id_hash FROM known_browsers").all();
    assert.equal(left.length === 0, revocable);
    base.close();
  }
});

Deno.test("endEverything() refuses a name that is none, and ends nothing", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  for (const what of [["sessions", "toString"], ["session"], "sessions", { sessions: true }]) {
    await assert.rejects(
      during(application, undefined, () => endEverything("ada", what as never)),
      /Wrong option "endEverything": found .*write a list of "sessions", "knownBrowsers", "links"/,
    );
  }
  assert.equal(await userAt(application, cookie), "ada");
  application.close();
});

// Tracks: R162
Deno.test("passwordChanged() and endSessions() end what they end in one transaction", async () => {
  for (const run of [() => passwordChanged("ada"), () => endSessions("ada")]) {
    const application = createTestApplication();
    const cookie = await application.signIn();
    const { database } = application;
    const { batch } = database;
    const batches: number[] = [];
    database.batch = (statements) => {
      batches.push(statements.length);
      return batch(statements);
    };
    await during(application, undefined, run);
    assert.equal(batches.length, 1, String(batches));
    assert.equal(await userAt(application, cookie), null);
    application.close();
  }
});

Deno.test("a storage of one's own without the group still ends sessions, and says what it lacks", async () => {
  const { group: _, ...storage } = createMemoryStorage();
  const application = createTestApplication({ database: storage, rateLimit: false });
  const cookie = await application.signIn();
  await assert.rejects(
    during(application, undefined, () => endEverything("ada", ["sessions", "links"])),
    /The storage has no group "endings"/,
  );
  const again = await application.signIn();
  await during(application, undefined, () => endSessions("ada"));
  assert.equal(await userAt(application, again), null);
  assert.equal(await userAt(application, cookie), null);
});

// Half of a session, which a thief would have left.
Deno.test("over a storage of one's own without the group no browser of a user is known after they are signed out", async () => {
  const database = createD1Double();
  const storage = createSqlStorage(database);
  const own: Storage = {
    ...storage,
    group: (wanted) => wanted.name === endingGroup.name ? null : storage.group!(wanted),
  };
  const application = createTestApplication({ database: own });
  const cookie = await application.signIn();
  const known = () => database.sqlite.prepare("SELECT user_id FROM known_browsers").all();
  await application.signIn("eve");
  assert.equal(known().length, 2);
  await during(application, undefined, () => endSessions("ada"));
  assert.equal(await userAt(application, cookie), null);
  assert.deepEqual(known().map(({ user_id: id }) => id), ["eve"]);
  database.close();
});
