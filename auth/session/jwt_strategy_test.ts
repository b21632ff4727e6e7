import assert from "node:assert/strict";
import process from "node:process";
import { issueSession } from "./read_session.ts";
import { getSession, getUser } from "./operations.ts";
import {
  createTestApplication,
  inVisit,
  type TestApplication,
  visit,
} from "../tests/application.ts";
import { createAuth } from "../app/create_auth.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import {
  browserAfter,
  claimsOf,
  COOKIE,
  createTokenApplication,
  SECRET,
  userBehind,
} from "../tests/token_application.ts";

const DAY = 24 * 60 * 60 * 1000;

function page(application: TestApplication, cookie: string): Promise<Response> {
  return visit(application, () => Response.json(getSession()), { cookie });
}

for (const users of [true, false]) {
  const where = users ? "with a database" : "without a database";

  Deno.test(`a jwt session ${where}: signs in, is read, and signs out`, async () => {
    const application = createTokenApplication({ users });
    const cookie = await application.signIn();
    const seconds = application.clock.now / 1000;
    const claims = claimsOf(cookie);
    assert.deepEqual(claims, {
      sub: "ada",
      name: "ada",
      iat: seconds,
      exp: seconds + 30 * 86_400,
      jti: claims.jti,
      aud: COOKIE,
      "auth_time": seconds,
    });
    assert.match(String(claims.jti), /^[\w-]{22}$/);
    assert.equal(await userBehind(application, { cookie }), "ada");
    const session = await (await application.send("/session", { cookie })).json();
    assert.deepEqual(session, {
      user: { id: "ada", email: null, name: "ada", image: null, emailVerified: null },
      expires: new Date(application.clock.now + 30 * DAY).toISOString(),
    });
    const out = await application.send("/signout", { fields: {}, cookie });
    assert.match(out.headers.getSetCookie()[0]!, /^framework\.session-token=; Path=\/; Max-Age=0/);
    assert.equal(out.headers.getSetCookie().length, 1);
    application.close();
  });
}

Deno.test("a jwt session is read without asking the database", async () => {
  const application = createTokenApplication();
  const cookie = await application.signIn();
  const { trips } = application.database;
  assert.equal(await userBehind(application, { cookie }), "ada");
  assert.equal(application.database.trips, trips);
  application.close();
});

// Tracks: R067
Deno.test("a jwt session carries what is known of a user, readable, and nothing else", async () => {
  const application = createTokenApplication();
  const user = {
    id: "grace",
    email: "grace@example.com",
    name: "Grace Hopper ✓",
    image: "https://example.com/g.png",
    emailVerified: new Date(1_700_000_000_123),
    role: "admin",
    roles: ["editor", "author"],
  };
  await application.auth.storage({}).createUser({
    user,
    emailIdentity: user.email,
    at: application.clock.now,
  });
  const { cookies, session } = await issueSession(application.auth, "grace", {});
  assert.deepEqual(session.user, user);
  const cookie = cookies[0]!.split(";")[0]!;
  const { iat: _, exp: _exp, jti: _jti, aud: _aud, auth_time: _time, ...rest } = claimsOf(cookie);
  assert.deepEqual(rest, {
    sub: "grace",
    email: user.email,
    name: user.name,
    image: user.image,
    emailVerified: 1_700_000_000_123,
    role: "admin",
    roles: user.roles,
  });
  await inVisit(application, () => {
    assert.deepEqual(getUser(), user);
    assert.deepEqual(getSession(), session);
    return new Response();
  }, { cookie });
  application.close();
});

// Tracks: K10, R035, R018, CVE-2024-35220, CVE-2024-31999
Deno.test("a jwt session ends at its moment, and its cookie is removed", async () => {
  const application = createTokenApplication({ session: { maxAge: 60 } });
  const cookie = await application.signIn();
  application.clock.now += 59_999;
  assert.notEqual(await (await page(application, cookie)).json(), null);
  application.clock.now += 1;
  const ended = await page(application, cookie);
  assert.equal(await ended.json(), null);
  assert.equal(browserAfter(cookie, ended), "");
  application.close();
});

Deno.test("a jwt session is renewed at most once in updateAge, and keeps its id and its beginning", async () => {
  const application = createTokenApplication({ users: false });
  const cookie = await application.signIn();
  application.clock.now += DAY - 1;
  assert.deepEqual((await page(application, cookie)).headers.getSetCookie(), []);
  application.clock.now += 1;
  const due = await page(application, cookie);
  const renewed = browserAfter(cookie, due);
  assert.match(due.headers.getSetCookie()[0]!, /; Max-Age=2592000;/);
  const [before, after] = [claimsOf(cookie), claimsOf(renewed)];
  const seconds = application.clock.now / 1000;
  assert.deepEqual(after, { ...before, iat: seconds, exp: seconds + 30 * 86_400 });
  assert.deepEqual((await page(application, renewed)).headers.getSetCookie(), []);
  application.clock.now += 29 * DAY;
  assert.equal(await userBehind(application, { cookie: renewed }), "ada");
  assert.equal(await userBehind(application, { cookie }), null, "the old token ends when it said");
  application.close();
});

// Tracks: R036, F04
Deno.test("a jwt session that 100 requests renew at once is one session, and every cookie works", async () => {
  const application = createTokenApplication();
  const cookie = await application.signIn();
  application.clock.now += DAY;
  const responses = await Promise.all(
    Array.from({ length: 100 }, () => page(application, cookie)),
  );
  const renewed = responses.map((response) => browserAfter(cookie, response));
  assert.equal(new Set(renewed.map((one) => claimsOf(one).jti)).size, 1);
  for (const one of renewed) assert.equal(await userBehind(application, { cookie: one }), "ada");
  application.close();
});

// Tracks: R038
Deno.test("a jwt session ends at absoluteMaxAge however active it is, also one from before it was set", async () => {
  const times = { maxAge: 7200, updateAge: 0 };
  const loose = createTokenApplication({ session: times });
  const application = createTokenApplication({ session: { ...times, absoluteMaxAge: 10_000 } });
  for (let cookie of [await application.signIn(), await loose.signIn()]) {
    const start = application.clock.now;
    for (let elapsed = 3000; elapsed <= 9000; elapsed += 3000) {
      application.clock.now = start + elapsed * 1000;
      const response = await page(application, cookie);
      assert.notEqual(await response.json(), null);
      cookie = browserAfter(cookie, response);
    }
    application.clock.now = start + 9_999_999;
    assert.equal(await userBehind(application, { cookie }), "ada");
    application.clock.now = start + 10_000_000;
    assert.equal(await userBehind(application, { cookie }), null);
    application.clock.now = start;
  }
  application.close();
  loose.close();
});

// Tracks: F26
Deno.test("a clock that jumps back extends no jwt session; within a minute it stays", async () => {
  const application = createTokenApplication();
  const cookie = await application.signIn();
  const { exp } = claimsOf(cookie);
  for (const [back, expected] of [[1000, "ada"], [60_000, "ada"], [DAY, null]] as const) {
    application.clock.now -= back;
    const response = await page(application, cookie);
    const session = await response.json();
    assert.equal(session?.user.id ?? null, expected);
    if (session !== null) assert.equal(Date.parse(session.expires), Number(exp) * 1000);
    assert.equal(response.headers.getSetCookie().length, expected === null ? 1 : 0);
    application.clock.now += back;
  }
  application.close();
});

// Tracks: R055, F47
Deno.test("a new secret before the old one signs out none of 100 sessions; without the old one they all end", async () => {
  const application = createTokenApplication({ users: false });
  const cookies = await Promise.all(
    Array.from({ length: 100 }, (_, index) => application.signIn(`user-${index}`)),
  );
  const fresh = "fedcba9876543210fedcba9876543210";
  const rotated = createTokenApplication({ users: false, secret: [fresh, SECRET] });
  rotated.clock.now += DAY;
  const renewed: string[] = [];
  for (const [index, cookie] of cookies.entries()) {
    const response = await page(rotated, cookie);
    assert.equal((await response.json()).user.id, `user-${index}`);
    renewed.push(browserAfter(cookie, response));
  }
  const finished = createTokenApplication({ users: false, secret: fresh });
  finished.clock.now += DAY;
  for (const [index, cookie] of cookies.entries()) {
    assert.equal(await userBehind(finished, { cookie }), null);
    assert.equal(await userBehind(finished, { cookie: renewed[index]! }), `user-${index}`);
    assert.equal(await userBehind(application, { cookie: renewed[index]! }), null);
  }
  for (const one of [application, rotated, finished]) one.close();
});

// Tracks: F33, R041
Deno.test("a jwt cookie with any one bit changed opens nothing and is removed", async () => {
  const application = createTokenApplication();
  const cookie = await application.signIn();
  for (let index = COOKIE.length + 1; index < cookie.length; index++) {
    for (let bit = 0; bit < 7; bit++) {
      const code = cookie.charCodeAt(index) ^ (1 << bit);
      if (code < 0x21 || code > 0x7e) continue;
      const tampered = cookie.slice(0, index) + String.fromCharCode(code) + cookie.slice(index + 1);
      assert.equal(await userBehind(application, { cookie: tampered }), null);
    }
  }
  const response = await page(application, `${cookie}x`);
  assert.equal(browserAfter(cookie, response), "");
  assert.equal(await userBehind(application, { cookie }), "ada");
  application.close();
});

// Tracks: R065
Deno.test("a second jwt cookie of the same name, tossed from a sibling host, signs nobody in", async () => {
  const application = createTokenApplication();
  const mine = await application.signIn("ada");
  const tossed = await application.signIn("eve");
  assert.equal(await userBehind(application, { cookie: `${mine}; ${tossed}` }), null);
  assert.equal(await userBehind(application, { cookie: `${tossed}; ${mine}` }), null);
  assert.equal(await userBehind(application, { cookie: `${mine}; ${mine}` }), "ada");
  application.close();
});

// Tracks: R050, R051
Deno.test("a token for another cookie, and a cookie of the other strategy, open nothing", async () => {
  const application = createTokenApplication();
  const other = createTokenApplication({ cookies: { sessionToken: { name: "other" } } });
  const [, token] = (await other.signIn()).split("=");
  assert.equal(await userBehind(application, { cookie: `${COOKIE}=${token}` }), null);
  assert.equal(await userBehind(application, { cookie: `${COOKIE}=${"A".repeat(43)}` }), null);
  application.close();
  other.close();
});

// Tracks: R033, CVE-2022-25896, CVE-2023-29019, CVE-2021-41246
Deno.test("a sign-in always makes a new jwt session, whatever the browser brought", async () => {
  const application = createTokenApplication();
  const first = await application.signIn();
  const fields = { name: "ada", password: "right" };
  const again = await application.send("/signin/credentials", { fields, cookie: first });
  assert.notEqual(claimsOf(browserAfter(first, again)).jti, claimsOf(first).jti);
  application.close();
});

// Tracks: R039, CVE-2026-16103
Deno.test("a disabled or deleted user is out at the next renewal at the latest, and a new role is in", async () => {
  for (
    const [sql, expected] of [
      ["UPDATE users SET disabled_at = 1", null],
      ["DELETE FROM users", null],
      ["UPDATE users SET role = 'admin'", "admin"],
    ] as const
  ) {
    const application = createTokenApplication();
    const cookie = await application.signIn();
    application.database.sqlite.exec(sql);
    application.clock.now += DAY - 1;
    assert.equal(await userBehind(application, { cookie }), "ada");
    application.clock.now += 1;
    const response = await page(application, cookie);
    assert.equal((await response.json())?.user.role ?? null, expected);
    assert.equal(browserAfter(cookie, response) === "", expected === null);
    application.close();
  }
});

// Tracks: CVE-2026-16103
Deno.test("whose data outgrow a jwt cookie keeps the session and its end, and not the roles of before", async () => {
  const application = createTokenApplication();
  application.database.sqlite.exec("INSERT INTO users (id, role) VALUES ('ada', 'admin')");
  const cookie = await application.signIn();
  application.database.sqlite.exec(`UPDATE users SET role = NULL, image = '${"x".repeat(9000)}'`);
  application.clock.now += DAY;
  const response = await page(application, cookie);
  const { user, expires } = await response.json();
  assert.deepEqual([user.id, user.role], ["ada", undefined]);
  assert.equal(Date.parse(expires), application.clock.now + 29 * DAY);
  assert.deepEqual(response.headers.getSetCookie(), []);
  assert.ok(application.log.some(({ event }) => event === "session-renewal-failed"));
  const update = await application.send("/session", { method: "POST", cookie });
  assert.equal(update.status, 500);
  application.close();
});

Deno.test("a bearer token that is due tells the session callback what is known now, and its own end", async () => {
  const tokens: unknown[] = [];
  const application = createTokenApplication({
    session: { bearer: true },
    callbacks: {
      session({ session, token }) {
        tokens.push(token);
        return session;
      },
    },
  });
  application.database.sqlite.exec("INSERT INTO users (id, role) VALUES ('ada', 'admin')");
  const token = (await application.signIn()).split("=")[1]!;
  const { iat, exp } = claimsOf(token);
  application.database.sqlite.exec("UPDATE users SET role = NULL");
  application.clock.now += DAY;
  await userBehind(application, { authorization: `Bearer ${token}` });
  const told = tokens.at(-1) as Record<string, unknown>;
  assert.deepEqual([told.role, told.iat, told.exp], [undefined, iat, exp]);
  application.close();
});

// Tracks: R043
Deno.test("a jwt session that is due stays as it is while the database does not answer", async () => {
  const application = createTokenApplication();
  const cookie = await application.signIn();
  application.clock.now += DAY;
  application.database.fail = "D1_ERROR: Network connection lost";
  const response = await page(application, cookie);
  assert.equal((await response.json()).user.id, "ada");
  assert.deepEqual(response.headers.getSetCookie(), []);
  assert.ok(application.log.some(({ event }) => event === "session-renewal-failed"));
  const update = await application.send("/session", {
    method: "POST",
    cookie,
    headers: { accept: "application/json" },
  });
  assert.equal(update.status, 503);
  application.close();
});

Deno.test("operations that need a database say so without one", async () => {
  const application = createTokenApplication({ users: false });
  const storage = application.auth.storage({});
  await assert.rejects(storage.getUser("ada"), /no database/);
  assert.equal((await Promise.resolve(storage)) === storage, true);
  const { session } = await issueSession(application.auth, "anybody", {});
  assert.equal(session.user.id, "anybody");
  application.close();
});

Deno.test("POST /session makes a new token from what is known now, and takes no data", async () => {
  const application = createTokenApplication();
  const cookie = await application.signIn();
  application.database.sqlite.exec("UPDATE users SET name = 'Countess', role = 'admin'");
  application.clock.now += 1000;
  const response = await application.send("/session", {
    cookie,
    json: { user: { id: "eve", role: "owner" }, role: "owner" },
  });
  const session = await response.json();
  assert.deepEqual([session.user.id, session.user.name, session.user.role], [
    "ada",
    "Countess",
    "admin",
  ]);
  const renewed = claimsOf(browserAfter(cookie, response));
  assert.equal(renewed.jti, claimsOf(cookie).jti);
  assert.equal(renewed.role, "admin");
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(await (await application.send("/session", { method: "POST" })).json(), null);
  const crossSite = { origin: "https://evil.example" };
  const refused = await application.send("/session", { method: "POST", headers: crossSite });
  assert.equal(refused.status, 403);
  application.database.sqlite.exec("UPDATE users SET disabled_at = 1");
  const ended = await application.send("/session", { method: "POST", cookie });
  assert.equal(await ended.json(), null);
  assert.equal(browserAfter(cookie, ended), "");
  application.close();
});

Deno.test("startSession() and endSession() in one request leave no jwt cookie behind", async () => {
  const application = createTokenApplication();
  const cookie = await application.signIn();
  const response = await inVisit(application, async ({ auth }) => {
    await auth.startSession("ada");
    assert.equal(await auth.isAuthenticated(), true);
    await auth.endSession();
    assert.equal(await auth.isAuthenticated(), false);
    return new Response();
  }, { cookie });
  assert.equal(browserAfter(cookie, response), "");
  application.close();
});

// Tracks: R038, K10
Deno.test("a jwt session that began within a second ends at absoluteMaxAge to the millisecond", async () => {
  const application = createTokenApplication({ session: { updateAge: 0, absoluteMaxAge: 60 } });
  application.clock.now += 300;
  const cookie = await application.signIn();
  for (const [step, expected] of [[59_999, "ada"], [1, null]] as const) {
    application.clock.now += step;
    const update = await application.send("/session", { method: "POST", cookie });
    assert.equal((await update.json())?.user.id ?? null, expected);
    assert.equal(await userBehind(application, { cookie }), expected);
  }
  application.close();
});

// Tracks: F27
Deno.test("a session works the same in 1970, in 2038 and on a leap day, with either strategy", async () => {
  for (const strategy of ["database", jwtSessions] as const) {
    for (
      const moment of [
        0,
        Date.UTC(2038, 0, 19, 3, 14, 7),
        Date.UTC(2028, 1, 29),
        Date.UTC(2106, 1, 7),
      ]
    ) {
      const application = createTestApplication({
        session: { strategy, maxAge: 60, updateAge: 30 },
        secret: SECRET,
      });
      application.clock.now = moment;
      const cookie = await application.signIn();
      application.clock.now = moment + 59_999;
      const due = await page(application, cookie);
      assert.equal((await due.json()).user.id, "ada");
      assert.equal(due.headers.getSetCookie().length, 1);
      application.clock.now = moment + 200_000;
      assert.equal(await userBehind(application, { cookie }), null);
      application.close();
    }
  }
});

// Tracks: R044, CVE-2025-48947, CVE-2025-64762
Deno.test("a response that carries a jwt cookie, or depends on one, is not kept", async () => {
  const application = createTokenApplication({ session: { updateAge: 0 } });
  const cookie = await application.signIn();
  const cached = () => new Response("page", { headers: { "cache-control": "public, max-age=60" } });
  const response = await visit(application, cached, { cookie });
  assert.equal(response.headers.getSetCookie().length, 1);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(response.headers.get("vary"), "Cookie");
  application.close();
});

Deno.test("the strategy makes a secret for itself where NODE_ENV says development, says so once, and nowhere else", () => {
  const before = process.env.NODE_ENV;
  const target = globalThis.console;
  const { info } = target;
  const said: string[] = [];
  target.info = (line: string) => void said.push(line);
  const make = () => createAuth({ session: { strategy: jwtSessions } });
  try {
    for (const mode of [undefined, "production", "test"]) {
      if (mode === undefined) delete process.env.NODE_ENV;
      else process.env.NODE_ENV = mode;
      assert.throws(make, /write secret: process\.env\.AUTH_SECRET, at least 32 bytes/);
    }
    assert.deepEqual(said, []);
    process.env.NODE_ENV = "development";
    make();
    assert.equal(said.length, 1);
    assert.match(said[0]!, /a restart signs everybody out/);
  } finally {
    target.info = info;
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
});
