import assert from "node:assert/strict";
import type { AuthOptions } from "../app/options.ts";
import { createAuth } from "../app/create_auth.ts";
import { readSession } from "./read_session.ts";
import { getUser, requireRecentAuth } from "./operations.ts";
import { currentRequest } from "../core/request.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { createFaultyDatabase, type Fault, type FaultyDatabase } from "../tests/faulty_database.ts";
import { github as codeHostProvider } from "../sign_in/oauth/presets/github.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import { createMemoryRevocationStore } from "../storage/revocations.ts";
import {
  cookieOf,
  createTestApplication,
  ORIGIN,
  passwordProvider,
  type SendOptions,
  sessionLines,
  type TestApplication,
  visit,
} from "../tests/application.ts";
import { userAt } from "../tests/during.ts";
import { settle } from "../tests/trips.ts";
import { browserAfter, createTokenApplication, SECRET } from "../tests/token_application.ts";

const PLAIN = "framework.session-token";
const HOST = `__Host-${PLAIN}`;
const LONG = "x".repeat(6000);
const DAY = 24 * 60 * 60 * 1000;

/** An application as it was, and the same one, over the same sessions, after the change. */
interface Moving {
  before: TestApplication;
  after: TestApplication;
  pass(milliseconds: number): void;
  close(): void;
}

type Make = (options: Partial<AuthOptions>) => TestApplication;

function move(
  make: Make,
  more: Partial<AuthOptions> = {},
  reach: (database: SqlDatabase) => SqlDatabase = (database) => database,
): Moving {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const since = clock.now + DAY;
  const before = make({ now: () => clock.now, ...more });
  const after = make({
    now: () => clock.now,
    database: reach(before.database),
    cookies: { sessionToken: { hostOnly: true, hostOnlySince: new Date(since) } },
    ...more,
  });
  return {
    before,
    after,
    pass: (milliseconds) => clock.now += milliseconds,
    close() {
      before.close();
      after.close();
    },
  };
}

const revocation = createMemoryRevocationStore(() => 0);

/** One way to make it for each in which a session can be kept. */
const KEPT: [kept: string, make: Make][] = [
  ["in a row", createTestApplication],
  ["in a token", (options) => createTokenApplication({ ...options, session: {} })],
  [
    "in a token that can be ended",
    (options) => createTokenApplication({ ...options, session: { revocation } }),
  ],
  ["in a token of several cookies", (options) =>
    createTokenApplication({
      ...options,
      session: {},
      callbacks: { jwt: ({ token }) => Promise.resolve({ ...token, long: LONG }) },
    })],
];

interface Seen {
  user: string | null;
  lines: string[];
}

async function seen(application: TestApplication, cookie: string): Promise<Seen> {
  const response = await visit(application, () => Response.json(getUser()?.id ?? null), { cookie });
  return { user: await response.json(), lines: response.headers.getSetCookie() };
}

/** Applies Set-Cookie lines to a browser's cookies. */
function told(lines: string[]): { given: string[]; taken: string[] } {
  const names = (of: string[]) => of.map((line) => line.split("=", 1)[0]!).sort();
  return {
    given: names(lines.filter((line) => !line.includes("; Max-Age=0;"))),
    taken: names(lines.filter((line) => line.includes("; Max-Age=0;"))),
  };
}

function answerWith(lines: string[]): Response {
  return new Response(null, {
    headers: lines.map((line): [string, string] => ["set-cookie", line]),
  });
}

function sessionsIn(cookie: string): string[] {
  return cookie.split("; ").filter((pair) => pair.includes(PLAIN));
}

function tokenIn(cookie: string): string {
  return sessionsIn(cookie).map((pair) => pair.slice(pair.indexOf("=") + 1)).join("");
}

function namesIn(cookie: string): string[] {
  return sessionsIn(cookie).map((pair) => pair.split("=", 1)[0]!).sort();
}

// Tracks: A-06
Deno.test("a session from before is exchanged for a new token under the name with the prefix", async () => {
  for (const [kept, make] of KEPT) {
    const { before, after, pass, close } = move(make);
    const old = await before.signIn();
    pass(2 * DAY);
    const response = await visit(after, () => Response.json(getUser()?.id ?? null), {
      cookie: old,
    });
    assert.equal(await response.json(), "ada", kept);
    const { given, taken } = told(sessionLines(response));
    assert.deepEqual(given, namesIn(old).map((name) => name.replace(PLAIN, HOST)), kept);
    for (const name of namesIn(old)) assert.ok(taken.includes(name), kept);
    const now = browserAfter(old, response);
    assert.deepEqual(namesIn(now), given, kept);
    assert.notEqual(tokenIn(now), tokenIn(old), kept);
    assert.deepEqual(await seen(after, now), { user: "ada", lines: [] }, kept);
    close();
  }
});

// Tracks: A-06
Deno.test("the exchange keeps when the session began and when it ends for good", async () => {
  for (const strategy of ["database", jwtSessions] as const) {
    const session = { strategy, absoluteMaxAge: 40 * DAY / 1000 };
    const { before, after, pass, close } = move(createTestApplication, { session, secret: SECRET });
    let cookie = await before.signIn();
    pass(20 * DAY);
    cookie = browserAfter(cookie, await visit(after, () => new Response(), { cookie }));
    pass(19 * DAY);
    cookie = browserAfter(cookie, await visit(after, () => new Response(), { cookie }));
    assert.equal(await userAt(after, cookie), "ada");
    pass(2 * DAY);
    assert.equal(await userAt(after, cookie), null);
    close();
  }
});

// Tracks: A-06
Deno.test("the token of before the exchange ends, once what was under way is answered", async () => {
  for (const make of [KEPT[0]![1], KEPT[2]![1]]) {
    const { before, after, pass, close } = move(make);
    const old = await before.signIn();
    pass(2 * DAY);
    const now = browserAfter(old, await visit(after, () => new Response(), { cookie: old }));
    pass(11_000);
    // The first request of the browser with its new cookie.
    const later = browserAfter(now, await visit(after, () => new Response(), { cookie: now }));
    const late = await seen(after, old);
    assert.equal(late.user, null);
    assert.deepEqual(told(late.lines), { given: [], taken: [PLAIN] });
    assert.equal(await userAt(after, later), "ada");
    assert.equal(await userAt(after, now), "ada");
    close();
  }
});

// Tracks: A-06
Deno.test("a hundred requests at once with the cookie of before are all served, and make one session more", async () => {
  for (const [kept, make] of KEPT) {
    const { before, after, pass, close } = move(make);
    const old = await before.signIn();
    pass(2 * DAY);
    const answers = await Promise.all(Array.from({ length: 100 }, () => seen(after, old)));
    assert.ok(answers.every(({ user }) => user === "ada"), kept);
    const given = answers.filter(({ lines }) => lines.length > 0);
    assert.ok(given.length > 0, kept);
    if (kept === "in a row") {
      assert.equal(given.length, 1);
      const { n } = before.database.sqlite.prepare("SELECT count(*) AS n FROM sessions").get()!;
      assert.equal(n, 2);
    }
    // Those that were sent before the answer came, and arrive after it was sent.
    pass(1000);
    assert.equal((await seen(after, old)).user, "ada", kept);
    for (const { lines } of given) {
      const response = answerWith(lines);
      assert.equal(await userAt(after, browserAfter(old, response)), "ada", kept);
    }
    pass(60_000);
    const { lines } = await seen(after, old);
    // Whatever comes later, no answer to the old cookie takes the new one away.
    if (told(lines).given.length === 0) {
      assert.ok(!told(lines).taken.some((name) => name.startsWith(HOST)), kept);
    }
    close();
  }
});

// Tracks: A-06
Deno.test("a browser whose answer was lost asks again and is served", async () => {
  for (const [kept, make] of KEPT) {
    const { before, after, pass, close } = move(make);
    const old = await before.signIn();
    pass(2 * DAY);
    await visit(after, () => new Response(), { cookie: old });
    pass(5000);
    const now = browserAfter(old, await visit(after, () => new Response(), { cookie: old }));
    pass(DAY / 2);
    assert.equal(await userAt(after, now), "ada", kept);
    close();
  }
});

// Tracks: A-06
Deno.test("a failing database during the exchange refuses nobody and loses no session", async () => {
  for (const when of ["before", "after"] as const) {
    // The first statement finds the session: without it there is nothing to exchange.
    for (let good = 1; good <= 4; good++) {
      const name = `${when} statement ${good + 1}`;
      let faulty: FaultyDatabase | undefined;
      const { before, after, pass, close } = move(
        createTestApplication,
        {},
        (database) => faulty = createFaultyDatabase(database),
      );
      const old = await before.signIn();
      pass(2 * DAY);
      // The first request reads the version of the tables too.
      await visit(after, () => new Response());
      await settle();
      const whole: Fault = { when: "never", message: "" };
      faulty!.faults.push(...Array.from({ length: good }, () => whole), {
        when,
        message: "broken",
      });
      const first = await visit(after, () => Response.json(getUser()?.id ?? null), { cookie: old });
      faulty!.faults.length = 0;
      assert.equal(await first.json(), "ada", name);
      let cookie = browserAfter(old, first);
      pass(3000);
      cookie = browserAfter(cookie, await visit(after, () => new Response(), { cookie }));
      pass(DAY / 2);
      assert.equal(await userAt(after, cookie), "ada", name);
      close();
    }
  }
});

// Tracks: A-06
Deno.test("signing out at the same time as the exchange leaves nothing alive", async () => {
  for (const make of [KEPT[0]![1], KEPT[2]![1]]) {
    for (let turns = 0; turns < 12; turns++) {
      const { before, after, pass, close } = move(make);
      const old = await before.signIn();
      pass(2 * DAY);
      const [{ lines }] = await Promise.all([
        seen(after, old),
        (async () => {
          for (let turn = 0; turn < turns; turn++) await null;
          await after.send("/signout", { method: "POST", cookie: old });
        })(),
      ]);
      pass(11_000);
      const response = answerWith(lines);
      const now = browserAfter(old, response);
      const survived = [await userAt(after, now), await userAt(after, old)];
      // An exchange that was through before the other began is a session that was not signed out.
      if (turns === 0) assert.deepEqual(survived, [null, null]);
      assert.equal(survived[1], null);
      close();
    }
  }
});

// Tracks: A-06
Deno.test("a session that began after the change is none without the prefix, and its cookie goes", async () => {
  for (const [kept, make] of KEPT) {
    const { before, after, pass, close } = move(make);
    pass(DAY + 1);
    // Of the old release, which still runs beside the new one, or planted.
    const planted = await before.signIn("mallory");
    const { user, lines } = await seen(after, planted);
    assert.equal(user, null, kept);
    assert.deepEqual(told(lines), { given: [], taken: namesIn(planted) }, kept);
    close();
  }
});

// Tracks: A-06, R065
Deno.test("beside a cookie with the prefix one without is neither read, nor exchanged, nor in the way", async () => {
  for (const [kept, make] of KEPT) {
    const { before, after, pass, close } = move(make);
    const planted = await before.signIn("mallory");
    pass(2 * DAY);
    const own = await after.signIn("ada");
    for (const cookie of [`${planted}; ${own}`, `${own}; ${planted}`]) {
      assert.deepEqual(await seen(after, cookie), { user: "ada", lines: [] }, kept);
    }
    const dead = namesIn(own).map((name) => `${name}=gone`).join("; ");
    for (const cookie of [`${planted}; ${dead}`, `${dead}; ${planted}`]) {
      assert.equal((await seen(after, cookie)).user, null, kept);
    }
    // The session of the planted cookie was not touched: that cookie was never read.
    assert.equal((await seen(after, planted)).user, "mallory", kept);
    close();
  }
});

// Tracks: A-06
Deno.test("maxAge after the change no cookie without the prefix is read any more", async () => {
  for (const [kept, make] of KEPT) {
    const { before, after, pass, close } = move(make);
    let old = await before.signIn();
    pass(DAY / 2);
    // The old release renews it to the last.
    for (let days = 0; days < 30; days++) {
      old = browserAfter(old, await visit(before, () => new Response(), { cookie: old }));
      pass(DAY);
    }
    assert.equal((await seen(after, old)).user, "ada", kept);
    pass(DAY / 2);
    assert.deepEqual(await seen(after, old), { user: null, lines: [] }, kept);
    close();
  }
});

// Tracks: A-06
Deno.test("a session that came without the prefix is no recent sign-in, before its exchange and after", async () => {
  for (const [kept, make] of KEPT) {
    const { before, after, pass, close } = move(make);
    pass(DAY - 1000);
    const old = await before.signIn("ada");
    assert.equal((await recent(before, old)).status, 200, kept);
    pass(2000);
    const first = await recent(after, old);
    assert.equal(first.status, 401, kept);
    assert.deepEqual((await first.json()).code, "REAUTHENTICATION_REQUIRED", kept);
    let cookie = browserAfter(old, first);
    assert.notDeepEqual(namesIn(cookie), namesIn(old), kept);
    for (let days = 0; days < 3; days++) {
      const response = await recent(after, cookie);
      assert.equal(response.status, 401, kept);
      assert.deepEqual(await hostOnly(after, cookie), false, kept);
      cookie = browserAfter(cookie, response);
      pass(DAY);
    }
    const again = await after.send("/signin/credentials", {
      cookie,
      fields: { name: "ada", password: "right" },
    });
    cookie = cookieOf(again).split("; ").filter((pair) => !pair.endsWith("=")).join("; ");
    assert.equal((await recent(after, cookie)).status, 200, kept);
    assert.equal(await hostOnly(after, cookie), true, kept);
    close();
  }
});

function recent(application: TestApplication, cookie: string): Promise<Response> {
  const request = new Request(`${ORIGIN}/page`, {
    headers: { cookie, accept: "application/json" },
  });
  return application.auth.run(
    request,
    {},
    undefined,
    () => Response.json(requireRecentAuth({ throwError: true })),
  );
}

async function hostOnly(application: TestApplication, cookie: string): Promise<boolean> {
  const response = await visit(application, async () => {
    const state = await currentRequest("test").auth.load();
    return Response.json(state.status === "valid" && state.hostOnly);
  }, { cookie });
  return await response.json();
}

// Tracks: A-06
Deno.test("nothing that asks for a recent sign-in takes a session that came without the prefix", async () => {
  const providers = [
    passwordProvider(),
    passkey({ rpName: "App", rpId: "app.example", origin: ORIGIN }),
    codeHostProvider({ clientId: "client", clientSecret: "secret" }),
  ];
  const { before, after, pass, close } = move(createTestApplication, { providers });
  pass(DAY - 1000);
  const old = await before.signIn();
  pass(2000);
  const asked: [string, SendOptions][] = [
    ["/signin/github", { fields: { intent: "link" } }],
    ["/passkey/options/register", { json: {} }],
    ["/accounts/github/1", { method: "DELETE" }],
  ];
  for (const [path, sent] of asked) {
    // The session of the old release is recent enough for all of them.
    const headers = { accept: "application/json" };
    const then = await before.send(path, { ...sent, headers, cookie: old });
    assert.notEqual(then.status, 401, path);
    const now = await after.send(path, { ...sent, headers, cookie: old });
    assert.equal(now.status, 401, path);
    assert.equal((await now.json()).code, "REAUTHENTICATION_REQUIRED", path);
  }
  close();
});

// Tracks: A-06, R034
Deno.test("signing out ends and takes away both cookies, whichever was believed", async () => {
  for (const [kept, make] of [KEPT[0]!, KEPT[2]!]) {
    const { before, after, pass, close } = move(make);
    const old = await before.signIn("eve");
    pass(2 * DAY);
    const own = await after.signIn("ada");
    const response = await after.send("/signout", { method: "POST", cookie: `${old}; ${own}` });
    assert.deepEqual(told(sessionLines(response)).taken, [HOST, PLAIN], kept);
    assert.equal((await seen(after, old)).user, null, kept);
    assert.equal((await seen(after, own)).user, null, kept);
    close();
  }
});

Deno.test("signing in takes away the cookie without the prefix", async () => {
  const { before, after, pass, close } = move(createTestApplication);
  const old = await before.signIn();
  pass(2 * DAY);
  const response = await after.send("/signin/credentials", {
    cookie: old,
    fields: { name: "ada", password: "right" },
  });
  assert.deepEqual(told(sessionLines(response)), { given: [HOST], taken: [PLAIN] });
  assert.equal((await seen(after, old)).user, null);
  close();
});

// Tracks: A-06
Deno.test("every reading of a session goes by the same rule", async () => {
  for (const [kept, make] of KEPT) {
    const { before, after, pass, close } = move(make);
    const old = await before.signIn();
    pass(2 * DAY);
    const own = browserAfter(old, await visit(after, () => new Response(), { cookie: old }));
    const fresh = await before.signIn("mallory");
    const cases: [string, string | null][] = [
      [old, "ada"],
      [own, "ada"],
      [`${fresh}; ${own}`, "ada"],
      [fresh, null],
    ];
    for (const [cookie, user] of cases) {
      const request = new Request(`${ORIGIN}/socket`, { headers: { cookie } });
      assert.equal((await readSession(after.auth, request, {}))?.user.id ?? null, user, kept);
      const told = await (await after.send("/session", { cookie })).json();
      assert.equal(told?.user.id ?? null, user, kept);
      const late = await visit(
        after,
        async ({ auth }) => Response.json((await auth.getUser())?.id ?? null),
        { cookie, info: { session: false } },
      );
      assert.equal(await late.json(), user, kept);
    }
    close();
  }
});

Deno.test("what only reads exchanges nothing", async () => {
  const { before, after, pass, close } = move(createTestApplication);
  const old = await before.signIn();
  pass(2 * DAY);
  const request = new Request(`${ORIGIN}/socket`, { headers: { cookie: old } });
  for (let round = 0; round < 3; round++) {
    assert.equal((await readSession(after.auth, request, {}))?.user.id, "ada");
    pass(20_000);
  }
  const { n } = before.database.sqlite.prepare("SELECT count(*) AS n FROM sessions").get()!;
  assert.equal(n, 1);
  close();
});

Deno.test("a session that is asked for after the headers is not exchanged", async () => {
  const { before, after, pass, close } = move(createTestApplication);
  const old = await before.signIn();
  pass(2 * DAY);
  let ask = (): Promise<string | undefined> => Promise.resolve(undefined);
  const response = await visit(after, ({ auth }) => {
    ask = async () => (await auth.getUser())?.id;
    return new Response();
  }, { cookie: old, info: { session: false } });
  assert.deepEqual(response.headers.getSetCookie(), []);
  assert.equal(await ask(), "ada");
  pass(20_000);
  assert.equal((await seen(after, old)).user, "ada");
  close();
});

Deno.test("hostOnlySince is a date, beside hostOnly", () => {
  const wrong: [object, RegExp][] = [
    [{ hostOnly: true, hostOnlySince: "2026-12-01" }, /hostOnlySince.*a Date/],
    [{ hostOnly: true, hostOnlySince: new Date(NaN) }, /hostOnlySince/],
    [{ hostOnlySince: new Date(0) }, /together with hostOnly: true/],
  ];
  for (const [sessionToken, message] of wrong) {
    const options = { cookies: { sessionToken }, providers: [passwordProvider()], secret: SECRET };
    assert.throws(
      () => createAuth({ ...options, session: { strategy: jwtSessions } } as never),
      message,
    );
  }
});
