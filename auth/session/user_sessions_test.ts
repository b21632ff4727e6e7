import assert from "node:assert/strict";
import { createTestApplication, inVisit, visit } from "../tests/application.ts";
import { during, userAt } from "../tests/during.ts";
import { getUser } from "./operations.ts";
import { endSessions, listSessions, revokeSession } from "./user_sessions.ts";

// Tracks: R040
Deno.test("listSessions() gives the user's sessions and marks the current one", async () => {
  const application = createTestApplication();
  const first = await application.signIn();
  application.clock.now += 1000;
  const second = await application.signIn();
  await application.signIn("eve");
  const { result } = await during(application, first, () => listSessions("ada"));
  assert.deepEqual(result.map(({ current }) => current), [false, true]);
  assert.deepEqual(Object.keys(result[0]!).sort(), [
    "createdAt",
    "current",
    "expires",
    "id",
    "refreshedAt",
    "userAgent",
  ]);
  assert.deepEqual(result[0]!.createdAt, new Date(application.clock.now));
  const text = JSON.stringify(result);
  const stored = application.database.sqlite.prepare("SELECT token_hash FROM sessions").all();
  const secrets = [first, second].map((cookie) => cookie.split("=")[1]!);
  for (const secret of [...secrets, ...stored.map((row) => String(row.token_hash))]) {
    assert.equal(text.includes(secret), false);
  }
  application.close();
});

// Tracks: R038, R040
Deno.test("listSessions() leaves out what absoluteMaxAge has ended", async () => {
  const session = { strategy: "database", absoluteMaxAge: 3600 } as const;
  const lax = createTestApplication();
  await lax.signIn();
  const strict = createTestApplication({ database: lax.database, session });
  const before = await during(strict, undefined, () => listSessions("ada"));
  assert.deepEqual(before.result.map(({ expires }) => expires.getTime() - strict.clock.now), [
    3600_000,
  ]);
  strict.clock.now += 3600_000;
  assert.deepEqual((await during(strict, undefined, () => listSessions("ada"))).result, []);
  lax.close();
});

// Tracks: R040
Deno.test("endSessions() ends all sessions of a user, or all but the current one", async () => {
  const application = createTestApplication();
  const [here, there] = [await application.signIn(), await application.signIn()];
  const eve = await application.signIn("eve");
  const kept = await during(
    application,
    here,
    () => endSessions("ada", { except: "current" }),
  );
  assert.deepEqual(kept.cookies, []);
  assert.equal(await userAt(application, here), "ada");
  assert.equal(await userAt(application, there), null);
  assert.equal(await userAt(application, eve), "eve");
  const byEve = await during(
    application,
    eve,
    () => endSessions("ada", { except: "current" }),
  );
  assert.deepEqual(byEve.cookies, []);
  assert.equal(await userAt(application, here), null);
  const own = await during(application, eve, async () => {
    await endSessions("eve");
    return getUser();
  });
  assert.equal(own.result, null);
  assert.match(own.cookies[0]!, /^framework\.session-token=; .*Max-Age=0/);
  assert.equal(await userAt(application, eve), null);
  application.close();
});

Deno.test("endSessions() ends the own session after the headers have gone, too", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  let later: Promise<void> | undefined;
  await inVisit(application, () => {
    later = new Promise<void>((resolve) => setTimeout(resolve)).then(() => endSessions("ada"));
    return new Response();
  }, { cookie });
  await later;
  assert.equal(await userAt(application, cookie), null);
  application.close();
});

// Tracks: R040
Deno.test("revokeSession() ends one of the own sessions and nobody else's", async () => {
  const application = createTestApplication();
  const [here, there] = [await application.signIn(), await application.signIn()];
  const eve = await application.signIn("eve");
  const { result: sessions } = await during(application, here, () => listSessions("ada"));
  const other = sessions.find(({ current }) => !current)!.id;
  assert.equal((await during(application, eve, () => revokeSession(other))).result, false);
  assert.equal(await userAt(application, there), "ada");
  assert.equal((await during(application, here, () => revokeSession(other))).result, true);
  assert.equal(await userAt(application, there), null);
  assert.equal((await during(application, here, () => revokeSession(other))).result, false);
  const own = sessions.find(({ current }) => current)!.id;
  const ended = await during(application, here, () => revokeSession(own));
  assert.equal(ended.result, true);
  assert.match(ended.cookies[0] ?? "", /Max-Age=0/);
  assert.equal(await userAt(application, here), null);
  const response = await visit(application, () => revokeSession(own).then(() => new Response()));
  assert.equal(response.status, 401);
  application.close();
});
