import assert from "node:assert/strict";
import { getSession, getUser } from "../session/operations.ts";
import { createTestApplication, type TestApplication, visit } from "../tests/application.ts";

const DAY = 24 * 60 * 60 * 1000;

async function userAt(application: TestApplication, cookie: string): Promise<string | null> {
  const response = await visit(application, () => Response.json(getUser()?.id ?? null), { cookie });
  return await response.json();
}

// Tracks: R032, R016
Deno.test("a session: no value in its row appears in the cookie", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const row = application.database.sqlite.prepare("SELECT * FROM sessions").get()!;
  for (const [column, value] of Object.entries(row)) {
    assert.equal(cookie.includes(String(value)), false, column);
  }
  for (const value of [row.id, row.token_hash]) {
    assert.equal(await userAt(application, `framework.session-token=${value}`), null);
  }
  application.close();
});

// Tracks: R035, R018, CVE-2024-35220
Deno.test("a session ends on the server, to the millisecond", async () => {
  const application = createTestApplication({
    session: { strategy: "database", maxAge: 3600, updateAge: 3600 },
  });
  const cookie = await application.signIn();
  application.clock.now += 3600_000 - 1;
  assert.equal(await userAt(application, cookie), "ada");
  application.clock.now += 1;
  assert.equal(await userAt(application, cookie), null);
  application.close();
});

Deno.test("an expired session is removed, and its cookie too", async () => {
  const application = createTestApplication({ session: { strategy: "database", maxAge: 60 } });
  const cookie = await application.signIn();
  application.clock.now += 60_000;
  const background: Promise<unknown>[] = [];
  const response = await visit(application, () => new Response("page"), {
    cookie,
    info: { waitUntil: (work) => void background.push(work) },
  });
  assert.match(
    response.headers.getSetCookie()[0]!,
    /^framework\.session-token=; Path=\/; Max-Age=0/,
  );
  assert.equal(background.length, 1);
  await Promise.all(background);
  assert.equal(
    application.database.sqlite.prepare("SELECT count(*) AS n FROM sessions").get()!.n,
    0,
  );
  application.close();
});

Deno.test("a session is renewed at most once in updateAge", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.clock.now += DAY - 1;
  const early = await visit(application, () => new Response("page"), { cookie });
  assert.deepEqual(early.headers.getSetCookie(), []);
  application.clock.now += 1;
  const due = await visit(application, () => Response.json(getSession()), { cookie });
  assert.match(due.headers.getSetCookie()[0]!, /; Max-Age=2592000;/);
  assert.equal(due.headers.getSetCookie()[0]!.split(";")[0], cookie);
  assert.equal(
    (await due.json()).expires,
    new Date(application.clock.now + 30 * DAY).toISOString(),
  );
  const again = await visit(application, () => new Response("page"), { cookie });
  assert.deepEqual(again.headers.getSetCookie(), []);
  application.clock.now += 29 * DAY;
  assert.equal(await userAt(application, cookie), "ada");
  application.close();
});

// Tracks: R036, F04
Deno.test("a session is renewed by one of 100 requests at once, and every cookie works", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.clock.now += DAY;
  const responses = await Promise.all(Array.from(
    { length: 100 },
    () => visit(application, () => Response.json(getUser()?.id ?? null), { cookie }),
  ));
  const cookies = responses.flatMap(({ headers }) => headers.getSetCookie());
  assert.equal(cookies.length, 1);
  for (const response of responses) assert.equal(await response.json(), "ada");
  assert.equal(await userAt(application, cookies[0]!.split(";")[0]!), "ada");
  application.close();
});

// Tracks: R038, PF-s04
Deno.test("a session ends at absoluteMaxAge however active it is", async () => {
  const session = {
    strategy: "database",
    maxAge: 7200,
    updateAge: 0,
    absoluteMaxAge: 10_000,
  } as const;
  const application = createTestApplication({ session });
  const cookie = await application.signIn();
  const end = application.clock.now + 10_000_000;
  for (let elapsed = 0; elapsed < 9000; elapsed += 3000) {
    application.clock.now += 3_000_000;
    const response = await visit(application, () => Response.json(getSession()), { cookie });
    const { user, expires } = await response.json();
    assert.equal(user.id, "ada");
    // Neither what it says of itself nor the cookie nor the row goes beyond the end.
    const renewed = Math.min(application.clock.now + 7_200_000, end);
    const row = application.database.sqlite.prepare("SELECT expires_at AS at FROM sessions").get()!;
    const [line = ""] = response.headers.getSetCookie();
    const lasts = (renewed - application.clock.now) / 1000;
    assert.equal(Date.parse(expires), renewed);
    assert.equal(row.at, renewed);
    if (line !== "") assert.match(line, new RegExp(`; Max-Age=${lasts};`));
    assert.equal(line === "", elapsed > 0, "a renewal that moves nothing writes nothing");
  }
  application.clock.now += 999_999;
  assert.equal(await userAt(application, cookie), "ada");
  application.clock.now += 1;
  assert.equal(await userAt(application, cookie), null);
  application.close();
});

// Tracks: R038
Deno.test("absoluteMaxAge ends sessions too that began before it was configured", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const stricter = createTestApplication({
    database: application.database,
    session: { strategy: "database", absoluteMaxAge: 3600 },
  });
  stricter.clock.now += 3600_000;
  assert.equal(await userAt(stricter, cookie), null);
  application.close();
});

// Tracks: F26
Deno.test("a clock that jumps back extends no session", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const end = application.clock.now + 30 * DAY;
  application.clock.now -= 5 * DAY;
  const response = await visit(application, () => Response.json(getSession()), { cookie });
  assert.equal((await response.json()).expires, new Date(end).toISOString());
  assert.deepEqual(response.headers.getSetCookie(), []);
  application.close();
});

// Tracks: R039, CVE-2026-16103
Deno.test("the sessions of a user who is disabled or deleted are dead at once", async () => {
  const application = createTestApplication();
  const ada = await application.signIn("ada");
  const eve = await application.signIn("eve");
  application.database.sqlite.exec("UPDATE users SET disabled_at = 1 WHERE id = 'ada'");
  application.database.sqlite.exec("DELETE FROM users WHERE id = 'eve'");
  assert.equal(await userAt(application, ada), null);
  assert.equal(await userAt(application, eve), null);
  application.close();
});

// Tracks: GHSA-2vg6, R034
Deno.test("a user who is made again under the same id gets no old session back", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn("eve");
  application.database.sqlite.exec("DELETE FROM users WHERE id = 'eve'");
  application.database.sqlite.exec("INSERT INTO users (id) VALUES ('eve')");
  assert.equal(await userAt(application, cookie), null);
  application.close();
});

// Tracks: R041, F33
Deno.test("a cookie with any one bit changed, or cut, opens nothing and is removed", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const [name, token] = cookie.split("=") as [string, string];
  const tampered = [...token].flatMap((character, index) =>
    [1, 2, 4, 8, 16, 32, 64].map((bit) =>
      token.slice(0, index) + String.fromCharCode(character.charCodeAt(0) ^ bit) +
      token.slice(index + 1)
    )
  );
  // What no header can carry would not arrive.
  for (
    const value of [
      ...tampered.filter((text) => /^[\x21-\x7e]*$/.test(text)),
      token.slice(1),
      "",
      "x",
    ]
  ) {
    assert.equal(await userAt(application, `${name}=${value}`), null);
  }
  const response = await visit(application, () => new Response("page"), { cookie: `${name}=x` });
  assert.match(response.headers.getSetCookie()[0]!, /Max-Age=0/);
  assert.equal(await userAt(application, cookie), "ada");
  application.close();
});

// Tracks: R065
Deno.test("a second cookie of the same name, tossed from a sibling host, signs nobody in", async () => {
  const application = createTestApplication();
  const mine = await application.signIn("ada");
  const tossed = await application.signIn("eve");
  assert.equal(await userAt(application, `${mine}; ${tossed}`), null);
  assert.equal(await userAt(application, `${tossed}; ${mine}`), null);
  assert.equal(await userAt(application, `${mine}; ${mine}`), "ada");
  application.close();
});

// Tracks: F19
Deno.test("a session whose row or whose owner's row is corrupt is no session", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const corruptions: [string, string, string][] = [
    ["users", "roles", "'not json'"],
    ["users", "roles", `'{"a":1}'`],
    ["users", "roles", "'[1]'"],
    ["users", "name", "x'00ff'"],
    ["users", "email_verified", "'yesterday'"],
    ["users", "role", "x'01'"],
    ["sessions", "expires_at", "'never'"],
    ["sessions", "expires_at", "1e300"],
    ["sessions", "created_at", "'then'"],
    ["sessions", "refreshed_at", "x'00'"],
  ];
  for (const [table, column, value] of corruptions) {
    const { sqlite } = application.database;
    const { healthy } = sqlite.prepare(`SELECT ${column} AS healthy FROM ${table}`).get()!;
    sqlite.exec(`UPDATE ${table} SET ${column} = ${value}`);
    assert.equal(await userAt(application, cookie), null, `${table}.${column} = ${value}`);
    sqlite.prepare(`UPDATE ${table} SET ${column} = ?`).run(healthy!);
  }
  assert.equal(await userAt(application, cookie), "ada");
  application.close();
});

Deno.test("a session check is one statement, prepared once, and none without a cookie", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  await userAt(application, cookie);
  const { prepared, trips } = application.database;
  for (let index = 0; index < 10; index++) await userAt(application, cookie);
  assert.equal(application.database.trips - trips, 10);
  assert.equal(application.database.prepared, prepared);
  await userAt(application, "other=1");
  await userAt(application, "framework.session-token=short");
  assert.equal(application.database.trips - trips, 10);
  application.close();
});
