import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { createAuth } from "../app/create_auth.ts";
import { createSqlStorage } from "../storage/sql.ts";
import { cookieOf, createTestApplication, type TestApplication } from "../tests/application.ts";
import { settle } from "../tests/trips.ts";
import { credentials } from "../sign_in/credentials.ts";
import { createMemoryTenantStorage, defineTenancy } from "../tenant.ts";
import { createMemoryRateLimitStorage } from "./memory.ts";
import type { RateLimitConfig } from "../storage/rate_limits.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";

const WRONG = { name: "ada", password: "wrong" };
const RIGHT = { name: "ada", password: "right" };

async function statuses(
  { send }: TestApplication,
  count: number,
  fields: (index: number) => Record<string, string>,
  address: (index: number) => string | null = () => "192.0.2.1",
): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index++) {
    const clientAddress = address(index);
    const info = clientAddress === null ? {} : { clientAddress };
    found.push((await send("/signin/credentials", { fields: fields(index), info })).status);
  }
  return found;
}

// Tracks: R148, K4
Deno.test("sign-in lets five failures pass in 900 seconds for one address and identifier, by default", async () => {
  const application = createTestApplication();
  assert.deepEqual(await statuses(application, 7, () => WRONG), [
    401,
    401,
    401,
    401,
    401,
    429,
    429,
  ]);
  assert.deepEqual(await statuses(application, 1, () => RIGHT), [429], "nor the right password");
  assert.deepEqual(await statuses(application, 1, () => ({ ...WRONG, name: "bob" })), [401]);
  assert.deepEqual(await statuses(application, 1, () => RIGHT, () => "192.0.2.2"), [303]);
  application.clock.now += 899_999;
  assert.deepEqual(await statuses(application, 1, () => RIGHT), [429]);
  application.clock.now += 1;
  assert.deepEqual(await statuses(application, 1, () => RIGHT), [303]);
  application.close();
});

// Tracks: R146
Deno.test("sign-in never says to wait longer than the window, whichever isolate's clock was read first", async () => {
  const application = createTestApplication();
  application.clock.now += 3;
  await statuses(application, 5, () => WRONG);
  application.clock.now -= 3;
  const info = { clientAddress: "192.0.2.1" };
  const response = await application.send("/signin/credentials", { fields: WRONG, info });
  assert.equal(response.status, 429);
  assert.equal(response.headers.get("retry-after"), "900");
  application.close();
});

// Tracks: R148
Deno.test("sign-in lets 100 attempts of one address pass, whatever the identifiers, and IPv6 by its network", async () => {
  for (const address of [() => "192.0.2.1", (index: number) => `2001:db8::${index.toString(16)}`]) {
    const application = createTestApplication();
    const found = await statuses(
      application,
      102,
      (index) => ({ ...WRONG, name: `u${index}` }),
      address,
    );
    assert.deepEqual(found, [...Array(100).fill(401), 429, 429]);
    assert.deepEqual(await statuses(application, 1, () => WRONG, () => "198.51.100.1"), [401]);
    application.close();
  }
});

// Else whoever floods one account has the attempts of the address back for the next ones.
// Tracks: R148
Deno.test("an attempt that is refused for its identifier counts for its address all the same", async () => {
  const application = createTestApplication();
  const found = await statuses(application, 100, () => WRONG);
  assert.deepEqual(found, [...Array(5).fill(401), ...Array(95).fill(429)]);
  const bob = { ...WRONG, name: "bob" };
  assert.deepEqual(await statuses(application, 1, () => bob), [429]);
  assert.deepEqual(await statuses(application, 1, () => bob, () => "192.0.2.2"), [401]);
  application.close();
});

// Tracks: R148
Deno.test("sign-in does not count what succeeds", async () => {
  const application = createTestApplication();
  assert.deepEqual(await statuses(application, 120, () => RIGHT), Array(120).fill(303));
  assert.deepEqual(await statuses(application, 6, () => WRONG), [...Array(5).fill(401), 429]);
  application.close();
});

// Tracks: R143, F02
Deno.test("sign-in tries exactly five of 100 wrong passwords that come at once, 20 times of 20", async () => {
  const application = createTestApplication();
  for (let round = 0; round < 20; round++) {
    const fields = { name: `user-${round}`, password: "wrong" };
    const info = { clientAddress: `192.0.2.${round}` };
    const replies = await Promise.all(Array.from({ length: 100 }, () => {
      return application.send("/signin/credentials", { fields, info });
    }));
    assert.equal(replies.filter(({ status }) => status === 401).length, 5);
    assert.equal(replies.filter(({ status }) => status === 429).length, 95);
  }
  application.close();
});

// Tracks: R148, CVE-2025-24806
Deno.test("sign-in counts an identifier as one however it is written, and asks nothing of a password", async () => {
  const application = createTestApplication({
    providers: [credentials({
      credentials: {
        device: { label: "Device", type: "text" },
        email: { label: "Email", type: "email", required: true },
        password: { label: "Password", type: "password", required: true },
      },
      authorize: () => Promise.resolve(null),
    })],
  });
  const spellings = ["ada@example.com", "ADA@example.com", " Ada@EXAMPLE.com", "ada＠example.com"];
  const found = await statuses(application, 6, (index) => ({
    device: `device-${index}`,
    email: spellings[index % spellings.length]!,
    password: `guess-${index}`,
  }));
  assert.deepEqual(found, [401, 401, 401, 401, 401, 429]);
  application.close();
});

// Tracks: R148, CVE-2025-24806
Deno.test("sign-in takes the name for the identifier when the email address is left out", async () => {
  const application = createTestApplication({
    providers: [credentials({
      credentials: {
        email: { label: "Email", type: "email" },
        name: { label: "Name", type: "text" },
        password: { label: "Password", type: "password", required: true },
      },
      authorize: () => Promise.resolve(null),
    })],
  });
  const found = await statuses(application, 6, () => ({ name: "ada", password: "guess" }));
  assert.deepEqual(found, [401, 401, 401, 401, 401, 429]);
  application.close();
});

// Tracks: R148, Device-cookie/lockout DoS
Deno.test("sign-in lets 100 guesses a day at one account pass, from however many addresses, and locks nobody for good", async () => {
  const application = createTestApplication();
  const found = await statuses(application, 102, () => WRONG, (index) => `198.51.100.${index}`);
  assert.deepEqual(found, [...Array(100).fill(401), 429, 429]);
  assert.deepEqual(await statuses(application, 1, () => ({ ...WRONG, name: "bob" })), [401]);
  application.clock.now += 86_399_999;
  assert.deepEqual(await statuses(application, 1, () => RIGHT), [429]);
  application.clock.now += 1;
  assert.deepEqual(await statuses(application, 1, () => RIGHT), [303]);
  application.close();
});

Deno.test("sign-in without an identifier counts by address", async () => {
  const application = createTestApplication({
    providers: [credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: () => Promise.resolve(null),
    })],
    rateLimit: { login: { limit: 1, window: 60 } },
  });
  const found = await statuses(application, 21, () => ({ pin: "0000" }));
  assert.deepEqual(found, [...Array(20).fill(401), 429]);
  application.close();
});

// Tracks: R146, AU-14
Deno.test("a sign-in that is refused is a 429 page that keeps what was typed, or JSON, with the headers", async () => {
  const application = createTestApplication();
  await statuses(application, 5, () => WRONG);
  application.clock.now += 100_500;
  const fields = { name: "ada", password: "wrong" };
  const page = await application.send("/signin/credentials", { fields });
  const text = await page.text();
  assert.equal(page.status, 429);
  assert.match(
    text,
    /<b>Too many tries<\/b>\n<div><p>You can try again in <b>14 minutes<\/b>\.<\/p><\/div>/,
  );
  assert.match(text, /value="ada"/);
  assert.equal(text.includes("wrong"), false);
  const json = await application.send("/signin/credentials", {
    json: fields,
    headers: { accept: "application/json" },
  });
  assert.equal(json.status, 429);
  assert.deepEqual(await json.json(), {
    code: "RATE_LIMITED",
    message: "There have been too many attempts. Try again in 14 minutes.",
  });
  for (const { headers } of [page, json]) {
    assert.equal(headers.get("retry-after"), "800");
    assert.equal(headers.get("ratelimit"), '"login";r=0;t=800');
    assert.equal(headers.get("ratelimit-policy"), '"login";q=5;w=900');
    assert.equal(headers.get("cache-control"), "no-store");
  }
  const shown: [string, number][] = [];
  const own = await application.send("/signin/credentials", {
    fields,
    info: {
      clientAddress: "192.0.2.1",
      renderPage(url, status) {
        shown.push([url.search, status]);
        return Promise.resolve(new Response("own"));
      },
    },
  });
  assert.deepEqual([own.status, await own.text()], [429, "own"]);
  assert.equal(own.headers.get("retry-after"), "800");
  assert.deepEqual(shown, [["?name=ada&error=RATE_LIMITED&retryAfter=800", 429]]);
  application.close();
});

Deno.test("a sign-in that is refused is an event, once, and the password is not tried", async () => {
  let tried = 0;
  const events: string[] = [];
  const application = createTestApplication({
    providers: [credentials({
      credentials: { name: { label: "Name", type: "text" } },
      authorize() {
        tried++;
        return Promise.resolve(null);
      },
    })],
    rateLimit: { login: { limit: 1, window: 60 } },
    events: { "*": ({ type }) => events.push(type) },
  });
  await statuses(application, 2, () => ({ name: "ada" }));
  assert.deepEqual([events, tried], [["sign-in-failed", "rate-limited"], 1]);
  const { fields } = application.log.at(-1)!;
  assert.deepEqual([fields.limiter, fields.provider], ["login", "credentials"]);
  application.close();
});

// Tracks: R147, BA #9990
Deno.test("sign-in from nobody knows where is limited for each identifier, and reported", async () => {
  // Tracks: A-05, AU-04
  const application = createTestApplication();
  for (let turn = 0; turn < 5; turn++) {
    assert.deepEqual(await statuses(application, 22, () => WRONG, () => null), [
      ...Array(20).fill(401),
      429,
      429,
    ]);
    assert.deepEqual(await statuses(application, 1, () => ({ ...RIGHT, name: `b${turn}` })), [303]);
    application.clock.now += 900_000;
  }
  // A hundred in a day.
  assert.deepEqual(await statuses(application, 1, () => WRONG, () => null), [429]);
  assert.ok(application.log.some(({ event, level }) => {
    return event === "client-address-unknown" && level === "warn";
  }));
  application.close();
});

// Tracks: R148
Deno.test("sign-in has no further attempts in another tenant, which any request can name", async () => {
  const storage = createMemoryTenantStorage();
  for (const slug of ["acme", "globex"]) await storage.create({ slug, name: slug });
  const application = createTestApplication({
    tenancy: defineTenancy({ strategy: "header", storage }),
    rateLimit: { login: { limit: 1, window: 60 } },
  });
  const found: [string, number][] = [];
  for (const slug of ["acme", "acme", "globex", "none", "none-2", ""]) {
    const headers: Record<string, string> = slug === "" ? {} : { "x-tenant-id": slug };
    const { status } = await application.send("/signin/credentials", { fields: WRONG, headers });
    found.push([slug, status]);
  }
  assert.deepEqual(found, [
    ["acme", 401],
    ["acme", 429],
    ["globex", 429],
    ["none", 429],
    ["none-2", 429],
    ["", 429],
  ]);
  application.close();
});

// Tracks: R149
Deno.test("sign-in is refused with 503 when nobody can say how many there have been, which is logged", async () => {
  let tried = 0;
  const failing = { ...createMemoryRateLimitStorage() };
  failing.takeRateLimit = () => Promise.reject(new Error("connection refused"));
  const application = createTestApplication({
    rateLimit: { storage: failing },
    providers: [credentials({
      credentials: { name: { label: "Name", type: "text" } },
      authorize() {
        tried++;
        return Promise.resolve(null);
      },
    })],
  });
  assert.deepEqual(await statuses(application, 1, () => ({ name: "ada" })), [503]);
  assert.equal(tried, 0);
  assert.equal(application.log.at(-1)!.fields.code, "STORAGE_UNAVAILABLE");
  application.close();
});

// Tracks: R149
Deno.test("sign-in succeeds although the attempt could not be taken back, which is logged", async () => {
  const failing = { ...createMemoryRateLimitStorage() };
  failing.refundRateLimit = () => Promise.reject(new Error("connection refused"));
  const application = createTestApplication({ rateLimit: { storage: failing } });
  assert.deepEqual(await statuses(application, 1, () => RIGHT), [303]);
  await settle();
  assert.ok(application.log.some(({ event }) => event === "background-work-failed"));
  application.close();
});

// Tracks: GHSA-x732-6j76-qmhm, BA captcha #10004, hono 1d79aedc
Deno.test("no other spelling of the path signs in past the limit", async () => {
  const application = createTestApplication();
  await statuses(application, 5, () => WRONG);
  const paths = [
    "/signin/credentials",
    "/signin//credentials",
    "/signin/credentials/",
    "//signin/credentials",
    "/signin/./credentials",
    "/signin/x/../credentials",
    "/signin%2Fcredentials",
    "/signin/%63redentials",
    "/signin/Credentials",
    "/SIGNIN/credentials",
    "/signin/credentials;x",
    "/signin/credentials%00",
    "/signin/credentials?x=1",
  ];
  for (const path of paths) {
    const { status } = await application.send(path, { fields: RIGHT }).catch(() => ({ status: 0 }));
    assert.ok([0, 404, 429].includes(status), `${path}: ${status}`);
  }
  application.close();
});

Deno.test("rateLimit: the numbers can be changed, the storage too, and all of it switched off", async () => {
  const storage = createMemoryRateLimitStorage();
  const rateLimit: RateLimitConfig = { login: { limit: 2, window: 10 }, storage };
  const [one, two] = [createTestApplication({ rateLimit }), createTestApplication({ rateLimit })];
  assert.deepEqual(await statuses(one, 2, () => WRONG), [401, 401]);
  assert.deepEqual(await statuses(two, 1, () => WRONG), [429]);
  const off = createTestApplication({ rateLimit: false });
  assert.deepEqual(await statuses(off, 120, () => WRONG), Array(120).fill(401));
  // Who allows more at once than the guesses of a day has that number for the day.
  const many = createTestApplication({ rateLimit: { login: { limit: 120, window: 900 } } });
  assert.deepEqual(await statuses(many, 121, () => WRONG), [...Array(120).fill(401), 429]);
  for (const application of [one, two, off, many]) application.close();
});

Deno.test("rateLimit: counts in the SQL database, also when that is given as a storage; else in memory, with a warning", async () => {
  const plain = createTestApplication();
  await statuses(plain, 1, () => WRONG);
  const rows = (application: TestApplication) => {
    return application.database.sqlite.prepare("SELECT key FROM rate_limits").all().length;
  };
  assert.equal(rows(plain), 3, "by address, by both, and by identifier");
  const storage = createTestApplication({ database: createSqlStorage(plain.database) });
  assert.deepEqual(await statuses(storage, 5, () => WRONG), [401, 401, 401, 401, 429]);

  const none = createTestApplication({
    database: undefined as never,
    session: { strategy: jwtSessions },
    secret: "0123456789abcdef0123456789abcdef",
  });
  assert.ok(
    none.log.some(({ event, level }) => event === "rate-limits-in-memory" && level === "warn"),
  );
  assert.deepEqual(await statuses(none, 6, () => WRONG), [...Array(5).fill(401), 429]);
  const cookie = cookieOf(
    await none.send("/signin/credentials", {
      fields: RIGHT,
      info: { clientAddress: "198.51.100.7" },
    }),
  );
  assert.notEqual(cookie, "");
  for (const application of [plain, storage, none]) application.close();
});

Deno.test("rateLimit: what is wrong is a ConfigurationError that names the option, at once", () => {
  const wrong: [string, unknown][] = [
    ["rateLimit", true],
    ["rateLimit", 5],
    ["rateLimit.logn", { logn: { limit: 5, window: 5 } }],
    ["rateLimit.login", { login: 5 }],
    ["rateLimit.login.limit", { login: { window: 900 } }],
    ["rateLimit.login.limit", { login: { limit: 0, window: 900 } }],
    ["rateLimit.login.window", { login: { limit: 5, window: 0.5 } }],
    ["rateLimit.login.windw", { login: { limit: 5, window: 5, windw: 5 } }],
    ["rateLimit.emailVerification.limit", { emailVerification: { limit: 2000, window: 5 } }],
    ["rateLimit.storage", { storage: {} }],
  ];
  for (const [field, rateLimit] of wrong) {
    assert.throws(
      () =>
        createAuth({
          rateLimit: rateLimit as RateLimitConfig,
          session: { strategy: jwtSessions },
          secret: "0123456789abcdef0123456789abcdef",
          providers: [credentials({
            credentials: { name: { label: "Name", type: "text" } },
            authorize: () => Promise.resolve(null),
          })],
        }),
      (error) => error instanceof ConfigurationError && error.field === field,
      field,
    );
  }
});
