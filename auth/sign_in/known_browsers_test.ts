import assert from "node:assert/strict";
import type { AuthOptions } from "../app/options.ts";
import { credentials } from "./credentials.ts";
import { discord } from "./oauth/presets/discord.ts";
import { github as codeHostProvider } from "./oauth/presets/github.ts";
import { passkey } from "./passkey/provider.ts";
import { startSession } from "../session/operations.ts";
import { createUser, deleteUser, passwordChanged, updateUser } from "../session/users.ts";
import { endSessions } from "../session/user_sessions.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { createMemoryRevocationStore } from "../storage/revocations.ts";
import { knownBrowserGroup } from "../storage/known_browsers.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import {
  createTestApplication,
  inVisit,
  type TestApplication,
  visit,
} from "../tests/application.ts";
import { assertExactGuesses, knownCookie, stranger } from "../tests/guess_race.ts";
import { createObjectDouble } from "../tests/object_double.ts";
import { createMailApplication } from "../tests/mail_application.ts";
import { createDurableObjectRateLimitStorage } from "../rate_limit/durable_object.ts";
import { createMemoryRateLimitStorage } from "../rate_limit/memory.ts";
import { createLoginRateLimiter, createPasswordResetRateLimiter } from "../rate_limit/limiters.ts";
import type { RateLimitedEvent, SignInFailedEvent } from "../types/events.ts";

const SECRET = "0123456789abcdef0123456789abcdef";

/** Storage of sessions, and storage of limits. */
const STRATEGIES: [name: string, options: () => Partial<AuthOptions>][] = [
  ["database", () => ({})],
  ["database in memory", () => ({ database: createMemoryStorage() })],
  ["limits in durable objects", () => ({
    rateLimit: { storage: createDurableObjectRateLimitStorage(createObjectDouble()) },
  })],
  ["jwt", () => ({ session: { strategy: jwtSessions }, secret: SECRET })],
];

const OWN = "192.0.2.1";

interface Try {
  name?: string;
  password?: string;
  address?: string | null;
  cookie?: string;
}

async function tryPassword(
  { send }: TestApplication,
  { name = "ada", password = "wrong", address = OWN, cookie }: Try = {},
): Promise<Response> {
  return await send("/signin/credentials", {
    fields: { name, password },
    info: address === null ? {} : { clientAddress: address },
    ...(cookie !== undefined && { cookie }),
  });
}

async function statuses(
  application: TestApplication,
  count: number,
  given: Try | ((index: number) => Try),
): Promise<number[]> {
  const found = [];
  for (let index = 0; index < count; index++) {
    const one = typeof given === "function" ? given(index) : given;
    found.push((await tryPassword(application, one)).status);
  }
  return found;
}

/** Signs in and gives back the cookie by which the browser is known then. */
async function become(
  application: TestApplication,
  name = "ada",
  cookie?: string,
): Promise<string> {
  const sent = { name, password: "right", ...(cookie !== undefined && { cookie }) };
  const response = await tryPassword(application, sent);
  assert.equal(response.status, 303);
  return knownCookie(response);
}

for (const [name, options] of STRATEGIES) {
  // Tracks: R168, R148, A-05, A-09, AU-04
  Deno.test(`${name}: 105 wrong guesses by strangers do not keep out whom the browser knows`, async () => {
    const application = createTestApplication(options());
    const known = await become(application);
    const found = await statuses(application, 105, (index) => ({ address: stranger(index) }));
    assert.deepEqual(found, [...Array(100).fill(401), ...Array(5).fill(429)]);
    assert.deepEqual(await statuses(application, 30, { address: null }), Array(30).fill(429));
    const right = { password: "right" };
    // Another browser, whether at home or elsewhere, is told when to come again: there is no other way.
    for (const address of [OWN, "198.51.100.1", null]) {
      const refused = await tryPassword(application, { ...right, address });
      assert.equal(refused.status, 429);
      const text = await refused.text();
      assert.match(text, /Too many tries[^]*You can try again in <b>24 hours/);
      assert.doesNotMatch(text, /link in an email|new password/);
    }
    for (const address of [OWN, "198.51.100.1", null]) {
      assert.deepEqual(await statuses(application, 3, { ...right, address, cookie: known }), [
        303,
        303,
        303,
      ]);
    }
    application.close();
  });

  // Tracks: R168, A-09
  Deno.test(`${name}: a browser that is known has ten wrong guesses an hour at that account, whatever strangers do`, async () => {
    const application = createTestApplication(options());
    const cookie = await become(application);
    const found = await statuses(
      application,
      12,
      (index) => ({ cookie, address: stranger(index) }),
    );
    assert.deepEqual(found, [...Array(10).fill(401), 429, 429], "stolen, it gives no more");
    assert.deepEqual(await statuses(application, 1, { cookie, password: "right" }), [429]);
    // What it uses up is its own.
    assert.deepEqual(await statuses(application, 5, { address: OWN }), Array(5).fill(401));
    application.clock.now += 3_600_000;
    assert.deepEqual(await statuses(application, 1, { cookie, password: "right" }), [303]);
    application.close();
  });

  // Tracks: R168, A-09
  Deno.test(`${name}: a known browser of somebody else, or a cookie that is none, counts as none`, async () => {
    const application = createTestApplication(options());
    await become(application);
    const foreign = await become(application, "eve");
    const prefix = "__Host-framework.known=";
    const cookies = [
      foreign,
      `${prefix}${"A".repeat(43)}`,
      `${prefix}x`,
      `${prefix}`,
      foreign.replace("__Host-", ""),
      `${foreign}; ${prefix}${"B".repeat(43)}`,
    ];
    for (const [index, cookie] of cookies.entries()) {
      const found = await statuses(application, 7, { cookie, address: `198.51.100.${index}` });
      assert.deepEqual(found, [...Array(5).fill(401), 429, 429], cookie);
    }
    application.close();
  });

  // Tracks: R168, R143, K4
  Deno.test(`${name}: of 100 guesses at once each count lets exactly its own through`, async () => {
    const application = createTestApplication(options());
    await assertExactGuesses([application], 3);
    application.close();
  });
}

// Tracks: R168
Deno.test("the tenth browser of a user is known, the eleventh takes the place of the oldest", async () => {
  const application = createTestApplication();
  const browsers = [];
  for (let index = 0; index < 11; index++, application.clock.now++) {
    browsers.push(await become(application));
  }
  assert.equal(new Set(browsers).size, 11);
  await statuses(application, 105, (index) => ({ address: stranger(index) }));
  const found = [];
  for (const cookie of browsers) {
    found.push(...await statuses(application, 1, { cookie, password: "right" }));
  }
  assert.deepEqual(found, [429, ...Array(10).fill(303)]);
  const rows = application.database.sqlite.prepare("SELECT * FROM known_browsers").all();
  assert.equal(rows.length, 10);
  const dump = JSON.stringify(rows);
  for (const cookie of browsers) assert.equal(dump.includes(cookie.split("=")[1]!), false);
  application.close();
});

// Tracks: R168
Deno.test("one browser is known for all who sign in there, under one id and apart", async () => {
  const application = createTestApplication();
  const ada = await become(application, "ada");
  assert.equal(await become(application, "eve", ada), ada);
  for (const name of ["ada", "eve"]) {
    await statuses(application, 105, (index) => ({ name, address: stranger(index) }));
    assert.deepEqual(await statuses(application, 1, { name, password: "right", cookie: ada }), [
      303,
    ]);
  }
  const hashes = application.database.sqlite.prepare("SELECT id_hash FROM known_browsers").all();
  assert.equal(new Set(hashes.map((row) => row.id_hash)).size, 2);
  application.close();
});

// Tracks: R168
Deno.test("a known browser is forgotten after 400 days without a sign-in", async () => {
  const application = createTestApplication({ session: { strategy: "database", maxAge: 60 } });
  const cookie = await become(application);
  application.clock.now += 400 * 86_400_000 - 1;
  assert.deepEqual(await statuses(application, 11, { cookie }), [...Array(10).fill(401), 429]);
  application.clock.now += 3_600_000;
  assert.deepEqual(await statuses(application, 6, { cookie }), [...Array(5).fill(401), 429]);
  application.close();
});

/** An application whose users have addresses, and sign in by them. */
function withAddresses(options: Partial<AuthOptions> = {}): TestApplication {
  return createTestApplication({
    providers: [credentials({
      credentials: {
        name: { label: "Email", type: "email", required: true },
        password: { label: "Password", type: "password", required: true },
      },
      authorize: ({ name, password }) =>
        Promise.resolve(password === "right" ? { id: name!, email: name! } : null),
    })],
    ...options,
  });
}

const ADA = "ada@example.com";

// Tracks: R168, A-09
Deno.test("a new password, the end of all sessions, another address and the end of the account forget the known browsers", async () => {
  const ends: Record<string, () => Promise<unknown>> = {
    passwordChanged: () => passwordChanged(ADA),
    "passwordChanged, but here": () => passwordChanged(ADA, { except: "current" }),
    endSessions: () => endSessions(ADA),
    updateUser: () => updateUser(ADA, { email: "other@example.com" }),
    deleteUser: () => deleteUser(ADA),
  };
  const strategies: Partial<AuthOptions>[] = [
    {},
    {
      secret: SECRET,
      session: { strategy: jwtSessions, revocation: createMemoryRevocationStore() },
    },
  ];
  for (const options of strategies) {
    for (const [what, end] of Object.entries(ends)) {
      const application = withAddresses(options);
      const cookie = await become(application, ADA);
      const stays = await become(application, "eve@example.com");
      await inVisit(application, async () => (await end(), new Response()), { method: "POST" });
      const found = await statuses(application, 7, { name: ADA, cookie });
      assert.deepEqual(found, [...Array(5).fill(401), 429, 429], what);
      const others = await statuses(application, 7, { name: "eve@example.com", cookie: stays });
      assert.deepEqual(others, Array(7).fill(401), what);
      application.close();
    }
  }
});

// Tracks: R168
Deno.test("signing out ends the session and leaves the browser known", async () => {
  const application = createTestApplication();
  const response = await tryPassword(application, { password: "right" });
  const cookie = response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
  const out = await application.send("/signout", { fields: {}, cookie });
  assert.equal(out.headers.getSetCookie().some((line) => line.includes("known")), false);
  const found = await statuses(application, 7, { cookie: knownCookie(response) });
  assert.deepEqual(found, Array(7).fill(401));
  application.close();
});

// Tracks: R168
Deno.test("a session that the application begins makes the browser known, by the address of its user", async () => {
  const application = withAddresses();
  const response = await visit(application, async () => {
    const { id } = await createUser({ email: ADA });
    await startSession(id);
    return new Response();
  }, { method: "POST" });
  const cookie = knownCookie(response);
  assert.notEqual(cookie, "");
  assert.deepEqual(await statuses(application, 7, { name: ADA, cookie }), Array(7).fill(401));
  application.close();
});

// Tracks: R168
Deno.test("the application's session callback does not keep a browser from being known", async () => {
  const application = withAddresses({
    callbacks: { session: ({ session }) => ({ ...session, user: { id: session.user.id } }) },
  });
  const response = await visit(application, async () => {
    const { id } = await createUser({ email: ADA });
    await startSession(id);
    return new Response();
  }, { method: "POST" });
  const cookie = knownCookie(response);
  assert.deepEqual(await statuses(application, 7, { name: ADA, cookie }), Array(7).fill(401));
  application.close();
});

Deno.test("the cookie has no prefix on plain http at localhost, where it could not be set", async () => {
  const application = createTestApplication({ baseUrl: "http://localhost:8000" });
  const response = await application.send("/signin/credentials", {
    fields: { name: "ada", password: "right" },
    headers: { origin: "http://localhost:8000" },
  });
  const line = response.headers.getSetCookie().find((one) => one.includes("known"))!;
  assert.match(
    line,
    /^framework\.known=[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/,
  );
  application.close();
});

Deno.test("a sign-in succeeds although the browser could not be remembered, which is logged", async () => {
  const database = createMemoryStorage();
  database.putKnownBrowser = () => Promise.reject(new Error("connection refused"));
  const application = createTestApplication({ database });
  const response = await tryPassword(application, { password: "right" });
  assert.equal(response.status, 303);
  assert.equal(knownCookie(response), "");
  assert.ok(application.log.some(({ event }) => event === "known-browser-not-stored"));
  application.close();
});

Deno.test("an application without a database, or whose storage knows no browsers, knows none", async () => {
  const own = createMemoryStorage();
  const group: typeof own.group = (wanted) =>
    (wanted as unknown) === knownBrowserGroup ? null : own.group!(wanted);
  const all: Partial<AuthOptions>[] = [
    { database: { ...own, group } },
    {
      database: undefined as never,
      session: { strategy: jwtSessions },
      secret: SECRET,
    },
  ];
  for (const options of all) {
    const application = createTestApplication(options);
    assert.equal(await become(application), "");
    const cookie = `__Host-framework.known=${"A".repeat(43)}`;
    assert.deepEqual(await statuses(application, 6, { cookie }), [...Array(5).fill(401), 429]);
    application.close();
  }
});

// Tracks: R168, A-05
Deno.test("where only a secret is typed, strangers without an address keep no known browser out", async () => {
  const application = createTestApplication({
    providers: [credentials({
      credentials: { password: { label: "PIN", type: "password", required: true } },
      authorize: ({ password }) => Promise.resolve(password === "right" ? { id: "ada" } : null),
    })],
  });
  const cookie = knownCookie(
    await application.send("/signin/credentials", { fields: { password: "right" } }),
  );
  const found = await statuses(application, 101, { address: null });
  assert.deepEqual(found, [...Array(100).fill(401), 429]);
  assert.deepEqual(await statuses(application, 1, { password: "right", address: null }), [429]);
  assert.deepEqual(
    await statuses(application, 1, { password: "right", address: null, cookie }),
    [303],
  );
  application.close();
});

// Tracks: R168, R148, A-09
Deno.test("where only a secret is typed, a known browser gets nobody else's attempts", async () => {
  const pins: Record<string, string> = { "1111": "mallory", "7361": "ada" };
  const application = createTestApplication({
    providers: [credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: ({ pin }) => Promise.resolve(pins[pin!] ? { id: pins[pin!]! } : null),
    })],
  });
  const type = async (pin: string, address: string, cookie?: string): Promise<Response> =>
    await application.send("/signin/credentials", {
      fields: { pin },
      info: { clientAddress: address },
      ...(cookie !== undefined && { cookie }),
    });
  const own = knownCookie(await type("1111", OWN));
  const found = [];
  for (let n = 0; n < 112; n++) found.push((await type(String(2000 + n), OWN, own)).status);
  assert.deepEqual(
    found,
    [...Array(110).fill(401), 429, 429],
    "a hundred of all, and ten of its own",
  );
  assert.equal((await type("7361", OWN)).status, 429);
  application.clock.now += 3_600_000;
  for (let n = 0; n < 100; n++) assert.equal((await type("0000", OWN)).status, 401);
  const strange = await type("7361", OWN, own);
  const wrong = await type("0000", OWN, own);
  assert.deepEqual(
    [strange.status, wrong.status],
    [401, 401],
    "a PIN of somebody else is as a wrong one",
  );
  assert.equal(await strange.text(), await wrong.text());
  assert.equal((await type("1111", OWN, own)).status, 303);
  application.clock.now += 3_600_000;
  assert.equal((await type("7361", OWN, own)).status, 303, "with room for everybody it opens");
  application.close();
});

// Tracks: R168, R148, A-09
Deno.test("whoever owns a name that differs by case or width has no attempts more at the other one", async () => {
  const users: Record<string, string> = { ada: "pw-1", ADA: "right", "\uff41da": "right" };
  const application = createTestApplication({
    providers: [credentials({
      credentials: {
        name: { label: "Name", type: "text", required: true },
        password: { label: "Password", type: "password", required: true },
      },
      authorize: ({ name, password }) =>
        Promise.resolve(users[name!] === password ? { id: name! } : null),
    })],
  });
  const cookies = [await become(application, "ADA"), await become(application, "\uff41da")];
  for (const [index, cookie] of cookies.entries()) {
    const found = await statuses(application, 7, { cookie, address: `198.51.100.${index}` });
    assert.deepEqual(found, [...Array(5).fill(401), 429, 429]);
  }
  application.close();
});

// Tracks: R168, R148, A-09
Deno.test("an account at a provider that only claims an address makes no browser known for its owner", async () => {
  const application = withAddresses({
    fetch: (input) =>
      Promise.resolve(
        String(input).includes("token")
          ? Response.json({ access_token: "t", token_type: "Bearer", scope: "identify email" })
          : Response.json({ id: "666", username: "mallory", email: ADA, verified: false }),
      ),
    providers: [
      discord({ clientId: "a", clientSecret: "b" }),
      credentials({
        credentials: {
          name: { label: "Email", type: "email", required: true },
          password: { label: "Password", type: "password", required: true },
        },
        // A table of its own: the library knows no address of this user.
        authorize: ({ name, password }) =>
          Promise.resolve(name === ADA && password === "right" ? { id: "ada" } : null),
      }),
    ],
  });
  const guesses = async (address: string): Promise<number[]> => {
    const begun = await application.send("/signin/discord", { fields: {} });
    const state = new URL(begun.headers.get("location")!).searchParams.get("state")!;
    const cookie = begun.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
    const done = await application.send(`/callback/discord?code=c&state=${state}`, { cookie });
    assert.equal(done.status, 303);
    return await statuses(application, 7, { name: ADA, address, cookie: knownCookie(done) });
  };
  assert.deepEqual(await guesses("198.51.100.1"), [...Array(5).fill(401), 429, 429]);
  const own = await become(application, ADA);
  assert.deepEqual(await guesses("198.51.100.2"), [...Array(5).fill(401), 429, 429]);
  assert.deepEqual(await statuses(application, 7, { name: ADA, cookie: own }), Array(7).fill(401));
  application.close();
});

// Tracks: R168, R028, A-09
Deno.test("a browser is known for an address only while no other user has it", async () => {
  const application = withAddresses({
    providers: [credentials({
      credentials: {
        name: { label: "Email", type: "text", required: true },
        password: { label: "Password", type: "password", required: true },
      },
      authorize: ({ password }) => Promise.resolve(password === "right" ? { id: "mallory" } : null),
    })],
  });
  const cookie = await become(application, ADA);
  assert.deepEqual(await statuses(application, 7, { name: ADA, cookie }), Array(7).fill(401));
  await inVisit(application, async () => {
    await createUser({ email: ADA });
    return new Response();
  }, { method: "POST" });
  const found = await statuses(application, 7, { name: ADA, cookie });
  assert.deepEqual(found, [...Array(5).fill(401), 429, 429]);
  application.close();
});

// Tracks: A-05, R168
Deno.test("without an address nobody uses up the attempts of passkeys and providers", async () => {
  const application = createTestApplication({
    providers: [
      passkey({ rpName: "App", rpId: "app.example" }),
      codeHostProvider({ clientId: "a", clientSecret: "b" }),
    ],
    rateLimit: { login: { limit: 1, window: 900 } },
  });
  const paths: [path: string, most: number, within: number][] = [
    ["/signin/passkey", 20, 401],
    ["/passkey/options/authenticate", 100, 200],
    ["/signin/github", 0, 303],
  ];
  for (const [path, most, within] of paths) {
    const headers = { accept: path === "/signin/github" ? "text/html" : "application/json" };
    const ask = async (info: { clientAddress?: string }) =>
      (await application.send(path, { json: { credential: "x" }, headers, info })).status;
    for (let n = 0; n < 110; n++) assert.notEqual(await ask({}), 429, path);
    // Of a known address they are counted; what prepares a sign-in together.
    for (let n = 0; n < most; n++) await ask({ clientAddress: OWN });
    assert.equal(await ask({ clientAddress: OWN }), 429, path);
    assert.notEqual(await ask({ clientAddress: "192.0.2.2" }), 429, `${path} ${within}`);
  }
  assert.ok(application.log.some(({ event }) => event === "client-address-unknown"));
  application.close();
});

// Tracks: A-08, F35
Deno.test("starting at a provider is limited by address, before a row is written", async () => {
  const application = createTestApplication({
    providers: [codeHostProvider({ clientId: "a", clientSecret: "b" })],
  });
  const start = async (clientAddress: string) =>
    (await application.send("/signin/github", { fields: {}, info: { clientAddress } })).status;
  const found = [];
  for (let n = 0; n < 503; n++) found.push(await start(OWN));
  assert.deepEqual(found, [...Array(500).fill(303), 429, 429, 429]);
  assert.equal(await start("192.0.2.2"), 303);
  const count = application.database.sqlite.prepare("SELECT count(*) AS n FROM verifications");
  assert.equal(count.get()!.n, 501);
  application.close();
});

// Tracks: A-09, R028, R164
Deno.test("strangers cannot keep the owner's own browser from asking for mail", async () => {
  const application = createMailApplication();
  const { ask, confirm, outbox, send } = application;
  await ask(ADA);
  const cookie = knownCookie(await confirm());
  assert.notEqual(cookie, "");
  application.clock.now += 3_600_000;
  outbox.length = 0;
  for (let n = 0; n < 8; n++) {
    const info = { clientAddress: stranger(n) };
    await send("/signin/email", { fields: { email: ADA }, info });
  }
  assert.equal(outbox.length, 5);
  await ask(ADA);
  assert.equal(outbox.length, 5, "an unknown browser of the owner");
  const answers = [];
  for (let n = 0; n < 7; n++) answers.push(await ask(ADA, { cookie }));
  assert.equal(outbox.length, 10, "the known one has five of its own");
  assert.deepEqual(answers.map(({ status }) => status), Array(7).fill(303));
  application.close();
});

// Tracks: R028, A-09
Deno.test("whoever never proved an address gets no more mail to it by a browser that is known", async () => {
  const application = createMailApplication();
  const cookie = knownCookie(
    await inVisit(application, async () => {
      const { id } = await createUser({ email: "victim@example.com" });
      await startSession(id);
      return new Response();
    }, { method: "POST" }),
  );
  assert.notEqual(cookie, "");
  for (let n = 0; n < 8; n++) await application.ask("victim@example.com", { cookie });
  assert.equal(application.outbox.length, 5);
  for (let n = 0; n < 8; n++) await application.ask("victim@example.com");
  assert.equal(application.outbox.length, 5);
  application.close();
});

// Tracks: A-09, R148
Deno.test("strangers who guess passwords do not use up the attempts of a code, nor the other way round", async () => {
  const application = createMailApplication({ code: true });
  const { ask, outbox, typeCode, send } = application;
  for (let index = 0; index < 105; index++) {
    await send("/signin/credentials", {
      fields: { name: ADA, password: "wrong" },
      info: { clientAddress: stranger(index) },
    });
  }
  const asked = await ask(ADA);
  const cookie = asked.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
  assert.equal((await typeCode(outbox.at(-1)!.code!, cookie)).status, 303);
  application.close();
});

// Tracks: R152, OP-13
Deno.test("events name the account alike whether it exists or not, and how it is written", async () => {
  const heard: (SignInFailedEvent | RateLimitedEvent)[] = [];
  const application = withAddresses({
    rateLimit: { login: { limit: 1, window: 900 } },
    events: {
      "sign-in-failed": (event) => heard.push(event),
      "rate-limited": (event) => heard.push(event),
    },
  });
  await become(application, ADA);
  for (const name of [ADA, "Ada@EXAMPLE.com", "nobody@example.com", "nobody@example.com"]) {
    await tryPassword(application, { name });
  }
  const accounts = heard.map(({ type, account }) => [type, account]);
  const [ada, nobody] = [accounts[0]![1], accounts[2]![1]];
  assert.deepEqual(accounts, [
    ["sign-in-failed", ada],
    ["rate-limited", ada],
    ["sign-in-failed", nobody],
    ["rate-limited", nobody],
  ]);
  for (const tag of [ada, nobody]) assert.match(String(tag), /^[\w-]{43}$/);
  assert.notEqual(ada, nobody);
  const warnings = application.log.filter(({ level }) => level === "warn");
  assert.equal(warnings.length, 4);
  assert.doesNotMatch(JSON.stringify(warnings), /example\.com/i);
  application.close();
});

// Tracks: A-09
Deno.test("limiters of the application's own count a known browser apart", async () => {
  const application = withAddresses();
  const cookie = await become(application, ADA);
  application.database.sqlite.exec("UPDATE users SET email_verified = 1");
  const storage = createMemoryRateLimitStorage();
  const limiters = [createLoginRateLimiter(storage), createPasswordResetRateLimiter(storage)];
  for (const [index, limiter] of limiters.entries()) {
    const ask = async (options: { cookie?: string } = {}): Promise<boolean> => {
      let success: boolean | undefined;
      await inVisit(application, async () => {
        const request = new Request("https://app.example/reset");
        ({ success } = await limiter.check(request, { identifier: ADA }));
        return new Response();
      }, { ...options, info: {} });
      return success!;
    };
    for (let n = 0; n < 25; n++) await ask();
    assert.equal(await ask(), false);
    assert.equal(await ask({ cookie }), true);
    // Whoever never proved the address has no mail more by it: it may be a stranger's.
    application.database.sqlite.exec("UPDATE users SET email_verified = NULL");
    assert.equal(await ask({ cookie }), index === 0);
    application.database.sqlite.exec("UPDATE users SET email_verified = 1");
  }
  application.close();
});
