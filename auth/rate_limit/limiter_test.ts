import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import type { AuthEvent } from "../types/events.ts";
import { createMemoryTenantStorage, defineTenancy } from "../tenant.ts";
import { createTestApplication, inVisit, ORIGIN, visit } from "../tests/application.ts";
import { createMemoryRateLimitStorage } from "./memory.ts";
import { createRateLimiter, type RateLimiter, type RateLimiterOptions } from "./limiter.ts";
import {
  createEmailVerificationRateLimiter,
  createLoginRateLimiter,
  createPasswordResetRateLimiter,
} from "./limiters.ts";
import { rateLimitMiddleware } from "./middleware.ts";
import { createPlatformRateLimitStorage } from "./binding.ts";
import type { RateLimitStorage } from "../storage/rate_limits.ts";
import { trustProxies } from "../core/client_address.ts";

const NOW = Date.UTC(2026, 0, 1);

function request(headers: Record<string, string> = {}): Request {
  return new Request("https://app.example/x", { headers });
}

function limiterAt(options: Partial<RateLimiterOptions> = {}, storage?: RateLimitStorage) {
  const clock = { now: NOW };
  const log: unknown[][] = [];
  const line = (event: string, fields: object) => void log.push([event, fields]);
  const limiter = createRateLimiter(storage ?? createMemoryRateLimitStorage(), {
    name: "api",
    limit: 2,
    window: 60,
    now: () => clock.now,
    clientAddress: () => "192.0.2.1",
    logger: { info: line, warn: line, error: line },
    ...options,
  });
  return { clock, log, limiter };
}

// Tracks: R146
Deno.test("check() says what is left, in whole seconds, and answers 429 with the standard headers", async () => {
  const { clock, limiter } = limiterAt();
  const table: [after: number, success: boolean, remaining: number, reset: number][] = [
    [0, true, 1, 60],
    [1, true, 0, 60],
    [500, false, 0, 60],
    [1001, false, 0, 59],
    [59_001, false, 0, 1],
    [59_999, false, 0, 1],
    [60_000, true, 0, 1],
    [60_000, false, 0, 1],
    [60_001, true, 0, 60],
  ];
  for (const [after, success, remaining, reset] of table) {
    clock.now = NOW + after;
    const result = await limiter.check(request());
    const { refund: _refund, response, ...said } = result;
    const headers: Record<string, string> = {
      "ratelimit-policy": '"api";q=2;w=60',
      "ratelimit": `"api";r=${remaining};t=${reset}`,
      ...(!success && { "retry-after": String(reset) }),
    };
    assert.deepEqual(said, { success, limit: 2, remaining, reset }, String(after));
    assert.deepEqual(limiter.headers(result), headers);
    assert.equal(response?.status, success ? undefined : 429);
    for (const [name, value] of Object.entries(headers)) {
      if (!success) assert.equal(response!.headers.get(name), value);
    }
  }
});

// Tracks: R146
Deno.test("check() never says to wait longer than the window, whichever isolate's clock was read first", async () => {
  const storage = createMemoryRateLimitStorage();
  const ahead = limiterAt({ now: () => NOW + 3, limit: 1 }, storage);
  const { limiter } = limiterAt({ limit: 1 }, storage);
  assert.equal((await ahead.limiter.check(request())).success, true);
  const { success, reset, response } = await limiter.check(request());
  assert.deepEqual([success, reset], [false, 60]);
  assert.equal(response!.headers.get("retry-after"), "60");
  assert.equal(response!.headers.get("ratelimit"), '"api";r=0;t=60');
});

// Tracks: R146
Deno.test("check() answers in JSON, text or with a page of the application, and nothing keeps it", async () => {
  const { limiter } = limiterAt({ limit: 1 });
  await limiter.check(request());
  const json = (await limiter.check(request({ accept: "application/json" }))).response!;
  assert.equal(json.status, 429);
  assert.equal((await json.json()).code, "RATE_LIMITED");
  const refuse = async () => (await limiter.check(request({ accept: "text/html" }))).response!;
  const text = await refuse();
  assert.equal(text.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.match(await text.text(), /^There have been too many attempts[^<]*$/);
  const application = createTestApplication();
  const page = await visit(application, refuse);
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(await page.text(), /Too many tries/);
  for (const { headers } of [json, text, page]) {
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
  }
  application.close();
});

async function bucketsOf(
  addresses: (string | null)[],
  options: Partial<RateLimiterOptions> = {},
  identifiers: (string | undefined)[] = [],
): Promise<number> {
  let address: string | null = null;
  const { limiter } = limiterAt({ limit: 1, clientAddress: () => address, ...options });
  let buckets = 0;
  for (const [index, next] of addresses.entries()) {
    address = next;
    const identifier = identifiers[index];
    const { success } = await limiter.check(
      request(),
      identifier === undefined ? {} : { identifier },
    );
    if (success) buckets++;
  }
  return buckets;
}

// Tracks: R147, GHSA-p6v2-xcpg-h6xw, CVE-2026-45364
Deno.test("check() counts an address as one however it is written, and IPv6 by its first 64 bits", async () => {
  const network = [
    "2001:db8::1",
    "2001:DB8::1",
    "2001:0db8:0000:0000:0000:0000:0000:0001",
    "2001:db8::ffff:ffff:ffff:ffff",
    "2001:db8:0:0:1234::",
    "2001:db8::1%eth0",
  ];
  assert.equal(await bucketsOf(network), 1);
  assert.equal(await bucketsOf(["2001:db8::1", "2001:db8:0:1::1", "2001:db9::1"]), 3);
  const mapped = ["1.2.3.4", "::ffff:1.2.3.4", "::ffff:0102:0304", "::FFFF:1.2.3.4"];
  assert.equal(await bucketsOf(mapped), 1);
  assert.equal(await bucketsOf(["1.2.3.4", "1.2.3.5"]), 2);
});

// Tracks: R147, BA #9990, hono edbf6eea
Deno.test("check() takes for an address only what is one, and says so when there is none", async () => {
  assert.equal(await bucketsOf([null, null, "unknown", "999.1.1.1", "01.2.3.4", "1.2.3", ""]), 1);
  const { limiter, log } = limiterAt({ clientAddress: () => undefined });
  await limiter.check(request());
  assert.deepEqual(log, [["client-address-unknown", { limiter: "api" }]]);
});

// Tracks: R147, R168, A-05
Deno.test("check() lets nobody without an address use up what others have", async () => {
  const { limiter } = limiterAt({ limit: 2, clientAddress: () => null });
  const strangers = [{}, { "user-agent": "curl" }, { "x-forwarded-for": "1.2.3.4" }];
  for (const headers of strangers) {
    const results = [];
    for (let n = 0; n < 5; n++) results.push((await limiter.check(request(headers))).success);
    assert.deepEqual(results, [true, true, false, false, false]);
  }
  const others = [
    { "x-forwarded-for": "5.6.7.8" },
    { "user-agent": "Firefox" },
    { cookie: "__Host-framework.known=x" },
  ];
  for (const headers of others) assert.equal((await limiter.check(request(headers))).success, true);
});

// Tracks: R168, A-05
Deno.test("the console hears once of clients without an address, where there is no logger", async () => {
  const lines: string[] = [];
  const own = Object.getOwnPropertyDescriptor(console, "warn")!;
  Object.defineProperty(console, "warn", { ...own, value: (line: string) => lines.push(line) });
  try {
    const storage = createMemoryRateLimitStorage();
    const limiter = createRateLimiter(storage, { name: "heard-of-once", limit: 5, window: 60 });
    for (let n = 0; n < 3; n++) await limiter.check(request());
  } finally {
    Object.defineProperty(console, "warn", own);
  }
  assert.equal(lines.length, 1);
  const { event, limiter, advice } = JSON.parse(lines[0]!);
  assert.deepEqual([event, limiter], ["client-address-unknown", "heard-of-once"]);
  assert.match(advice, /clientAddress/);
});

// Tracks: R168, A-05
Deno.test("check() gives an identifier four times as many attempts where nobody knows the address", async () => {
  const { limiter } = limiterAt({ limit: 5, window: 900, clientAddress: () => null });
  const results = [];
  for (let n = 0; n < 21; n++) {
    results.push(await limiter.check(request(), { identifier: "ada" }));
  }
  assert.deepEqual(results.map(({ success }) => success), [...Array(20).fill(true), false]);
  assert.equal(results[0]!.limit, 20);
  assert.equal(limiter.headers(results[20]!)["ratelimit-policy"], '"api";q=20;w=900');
  // But never more than a limit can be.
  const most = limiterAt({ limit: 500, clientAddress: () => null });
  assert.equal((await most.limiter.check(request(), { identifier: "ada" })).limit, 1000);
});

// Tracks: R147, BA #10203, hono 41adbf56
Deno.test("check() believes no header about the address, off workers", async () => {
  const { clientAddress: _own, ...options } = {
    name: "api",
    limit: 1,
    window: 60,
    clientAddress: null,
  };
  const application = createTestApplication();
  const limiter = createRateLimiter(createMemoryRateLimitStorage(), options);
  const headers = [
    {},
    { "cf-connecting-ip": "192.0.2.1" },
    { "x-forwarded-for": "192.0.2.2, 192.0.2.3" },
    { "x-real-ip": "192.0.2.4" },
    { "true-client-ip": "192.0.2.5" },
    { "forwarded": "for=192.0.2.6" },
    { "x-client-ip": "192.0.2.7" },
  ];
  const passed: boolean[] = [];
  // Of a client whose address is known, none of them says anything.
  for (const one of headers) {
    await application.auth.run(request(one), {}, { clientAddress: "192.0.2.9" }, async () => {
      passed.push((await limiter.check(request(one))).success);
      return new Response();
    });
  }
  assert.deepEqual(passed, [true, ...Array(6).fill(false)]);
  application.close();
});

// Tracks: R147
Deno.test("check() takes the address from the request that auth.run() runs, through trusted proxies only", async () => {
  const application = createTestApplication({ trustedProxies: trustProxies(["10.0.0.0/8"]) });
  const limiter = createRateLimiter(createMemoryRateLimitStorage(), {
    name: "api",
    limit: 1,
    window: 60,
  });
  async function pass(clientAddress: string, forwarded?: string): Promise<boolean> {
    const given = new Request("https://app.example/x", {
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    });
    let success: boolean | undefined;
    await application.auth.run(given, {}, { clientAddress }, async () => {
      ({ success } = await limiter.check(given));
      return new Response();
    });
    return success!;
  }
  assert.equal(await pass("192.0.2.1"), true);
  assert.equal(await pass("192.0.2.1", "198.51.100.9"), false, "no proxy of ours");
  assert.equal(await pass("10.0.0.1", "198.51.100.9, 192.0.2.1"), false, "the last hop");
  assert.equal(await pass("10.0.0.1", "192.0.2.1, 198.51.100.7"), true);
  application.close();
});

// Tracks: R148, CVE-2025-24806
Deno.test("check() counts by address, by identifier or by both, and an identifier as one however it is written", async () => {
  const spellings = ["Ada@Example.com", "ada@example.com", " ADA@EXAMPLE.COM ", "ada＠example.com"];
  const [a, b] = ["192.0.2.1", "192.0.2.2"];
  const same = Array(4).fill(a);
  assert.equal(await bucketsOf(same, { by: "identifier" }, spellings), 1);
  assert.equal(await bucketsOf(same, { by: "both" }, spellings), 1);
  assert.equal(await bucketsOf(same, {}, ["ada", "Ada", "ＡＤＡ", "bob"]), 2);
  assert.equal(await bucketsOf([a, b], { by: "identifier" }, ["ada", "ada"]), 1);
  assert.equal(await bucketsOf([a, b], { by: "both" }, ["ada", "ada"]), 2);
  assert.equal(await bucketsOf([a, a], { by: "address" }, ["ada", "bob"]), 1);
  assert.equal(await bucketsOf([a, b], { by: "identifier" }), 2, "without one: by address");
  assert.equal(await bucketsOf([null, null], {}, ["ada", "bob"]), 2, "without an address");
});

Deno.test("check() keeps tenants, limiters and what looks like another key apart, in short keys without what was typed", async () => {
  const keys: string[] = [];
  const storage: RateLimitStorage = {
    takeRateLimit(key, { now }) {
      keys.push(key);
      return Promise.resolve({ allowed: true, remaining: 1, resetAt: now, hit: null });
    },
    refundRateLimit: () => Promise.resolve(),
  };
  const { limiter } = limiterAt({}, storage);
  const long = "x".repeat(10_000);
  for (const identifier of ["ada", "ada|", "192.0.2.1", long]) {
    await limiter.check(request(), { identifier });
    await limiter.check(request(), { identifier, tenant: "t1" });
    await limiter.check(request(), { identifier, tenant: long });
  }
  await limiterAt({ name: "other" }, storage).limiter.check(request(), { identifier: "ada" });
  assert.equal(new Set(keys).size, 13);
  for (const key of keys) assert.ok(key.length <= 150 && !/ada|xxx/.test(key), key);
});

// Tracks: R148
Deno.test("createLoginRateLimiter() stops guessing at an account after 100 failures from anywhere, and locks nobody for good", async () => {
  let client = 0;
  let now = NOW;
  const limiter = createLoginRateLimiter(createMemoryRateLimitStorage(), {
    limit: 100,
    window: 86_400,
    by: "identifier",
    now: () => now,
    clientAddress: () => `192.0.2.${++client % 250}`,
  });
  let guesses = 0;
  for (let index = 0; index < 500; index++) {
    now += 1000;
    if ((await limiter.check(request(), { identifier: "ada" })).success) guesses++;
  }
  assert.equal(guesses, 100);
  now = NOW + 86_401_000;
  assert.equal((await limiter.check(request(), { identifier: "ada" })).success, true);
});

// Tracks: R148, Device-cookie/lockout DoS
Deno.test("createLoginRateLimiter() does not lock out whom a stranger tries to sign in as, and success does not count", async () => {
  let address = "198.51.100.1";
  const limiter = createLoginRateLimiter(createMemoryRateLimitStorage(), {
    limit: 5,
    window: 900,
    clientAddress: () => address,
  });
  for (let index = 0; index < 50; index++) await limiter.check(request(), { identifier: "ada" });
  address = "192.0.2.1";
  for (let index = 0; index < 50; index++) {
    const result = await limiter.check(request(), { identifier: "ada" });
    assert.equal(result.success, true);
    await result.refund?.();
  }
});

Deno.test("the three limiters have the values of the documentation, and count apart in one storage", async () => {
  const storage = createMemoryRateLimitStorage();
  const table = [
    [createLoginRateLimiter(storage, { clientAddress: () => "192.0.2.1" }), 5, 900],
    [createPasswordResetRateLimiter(storage), 3, 3600],
    [createEmailVerificationRateLimiter(storage), 5, 3600],
    [
      createPasswordResetRateLimiter(createMemoryRateLimitStorage(), { limit: 7, window: 60 }),
      7,
      60,
    ],
  ] as const;
  for (const [limiter, limit, window] of table) {
    const { success, remaining, reset, ...result } = await limiter.check(request(), {
      identifier: "ada@example.com",
    });
    assert.deepEqual([success, result.limit, remaining, reset], [true, limit, limit - 1, window]);
  }
});

const broken: RateLimitStorage = {
  takeRateLimit: () => Promise.reject(new Error("connection refused")),
  refundRateLimit: () => Promise.reject(new Error("connection refused")),
};

// Tracks: R149
Deno.test("a limiter refuses with 503 when its storage fails, which is logged; one may be told to allow", async () => {
  const log: string[] = [];
  const line = (event: string) => void log.push(event);
  const told = {
    logger: { info: line, warn: line, error: line },
    clientAddress: () => "192.0.2.1",
  };
  const closed = [
    createLoginRateLimiter(broken, told),
    createPasswordResetRateLimiter(broken, told),
    createEmailVerificationRateLimiter(broken, told),
    createRateLimiter(broken, { name: "api", limit: 1, window: 60, ...told }),
  ];
  for (const limiter of closed) {
    const { success, remaining, response, refund } = await limiter.check(request());
    assert.deepEqual([success, remaining, response?.status], [false, 0, 503]);
    // Every limiter of the library gives it: who takes attempts back asks for no reason.
    assert.equal(await refund!(), undefined);
    assert.equal((await response!.text()).includes("refused"), false);
  }
  const open = createEmailVerificationRateLimiter(broken, { onStorageFailure: "allow", ...told });
  const result = await open.check(request());
  assert.deepEqual([result.success, result.response], [true, undefined]);
  assert.equal(await result.refund!(), undefined);
  assert.deepEqual(log, Array(5).fill("rate-limit-storage-failed"));
});

Deno.test("createLoginRateLimiter() and createPasswordResetRateLimiter() cannot be told to allow when the storage fails", () => {
  const storage = createMemoryRateLimitStorage();
  for (const create of [createLoginRateLimiter, createPasswordResetRateLimiter]) {
    const options = { limit: 5, window: 60, onStorageFailure: "allow" };
    assert.throws(() => create(storage, options as object), ConfigurationError);
  }
});

Deno.test("refund() never throws, and a failure of it is logged", async () => {
  const storage = { ...createMemoryRateLimitStorage(), refundRateLimit: broken.refundRateLimit };
  const { limiter, log } = limiterAt({}, storage);
  await (await limiter.check(request())).refund?.();
  assert.equal(log[0]![0], "rate-limit-refund-failed");
});

Deno.test("createRateLimiter() throws a ConfigurationError that names the option", () => {
  const wrong: [string, object][] = [
    ["name", { name: "" }],
    ["name", { name: 'a"b' }],
    ["limit", { limit: 0 }],
    ["limit", { limit: 1.5 }],
    ["limit", { limit: 1001 }],
    ["limit", { limit: NaN }],
    ["limit", { limit: "5" }],
    ["window", { window: 0 }],
    ["window", { window: Infinity }],
    ["window", { window: undefined }],
    ["by", { by: "adress" }],
    ["clientAddress", { clientAddress: "192.0.2.1" }],
    ["perTenant", { perTenant: "yes" }],
    ["onStorageFailure", { onStorageFailure: "open" }],
    ["now", { now: 5 }],
    ["windw", { windw: 5 }],
  ];
  for (const [field, options] of wrong) {
    assert.throws(
      () => limiterAt(options),
      (error) => error instanceof ConfigurationError && error.field === field,
      field,
    );
  }
  assert.throws(
    () => createRateLimiter({} as RateLimitStorage, { name: "x", limit: 1, window: 1 }),
    ConfigurationError,
  );
});

Deno.test("check() reports who is refused as an event of the request", async () => {
  const heard: AuthEvent[] = [];
  const application = createTestApplication({
    events: { "rate-limited": (event) => heard.push(event) },
  });
  const limiter = createRateLimiter(createMemoryRateLimitStorage(), {
    name: "api",
    limit: 1,
    window: 60,
  });
  for (let index = 0; index < 2; index++) {
    await inVisit(application, async () => {
      await limiter.check(request());
      return new Response();
    }, { info: { clientAddress: "192.0.2.1", requestId: "r1" } });
  }
  const event = { limiter: "api", requestId: "r1", address: "192.0.2.1" };
  assert.deepEqual(heard, [{
    type: "rate-limited",
    ...event,
    at: new Date(application.clock.now),
  }]);
  assert.deepEqual(application.log, [{ level: "warn", event: "rate-limited", fields: event }]);
  // Of an identifier it is a tag, by which attempts at one account are found.
  heard.length = 0;
  for (const identifier of ["ada@example.com", "ADA@example.com", "eve@example.com"]) {
    for (let index = 0; index < 2; index++) {
      await inVisit(application, async () => {
        await limiter.check(request(), { identifier });
        return new Response();
      }, { info: { clientAddress: "192.0.2.1" } });
    }
  }
  const tags = heard.map((one) => (one as { account?: string }).account);
  assert.equal(tags.length, 4);
  assert.equal(new Set(tags.slice(0, 3)).size, 1);
  assert.ok(tags[0] !== undefined && tags[3] !== undefined && tags[3] !== tags[0]);
  assert.doesNotMatch(JSON.stringify(heard), /example\.com/i);
  application.close();
});

Deno.test("check() takes the clock of the application whose request it is", async () => {
  const application = createTestApplication();
  const limiter = createRateLimiter(createMemoryRateLimitStorage(), {
    name: "api",
    limit: 1,
    window: 60,
  });
  const successes: boolean[] = [];
  for (const later of [0, 59_999, 1]) {
    application.clock.now += later;
    await inVisit(application, async () => {
      successes.push((await limiter.check(request())).success);
      return new Response();
    }, { info: { clientAddress: "192.0.2.1" } });
  }
  assert.deepEqual(successes, [true, false, true]);
  application.close();
});

Deno.test("rateLimitMiddleware() answers 429 without running what is behind it, and says how much is left", async () => {
  const storage = createMemoryRateLimitStorage();
  const outer = rateLimitMiddleware(limiterAt({ name: "all", limit: 5 }, storage).limiter);
  const inner = rateLimitMiddleware<{ user: string }>(
    limiterAt({ name: "one", limit: 1, by: "identifier" }, storage).limiter,
    { identifier: (_request, { user }) => Promise.resolve(user) },
  );
  let ran = 0;
  function visitAs(user: string): Promise<Response> {
    return outer(request(), () =>
      inner(request(), () => {
        ran++;
        return Promise.resolve(Response.redirect("https://app.example/y"));
      }, { user }), {});
  }
  const first = await visitAs("ada");
  assert.equal(first.status, 302);
  assert.equal(first.headers.get("ratelimit"), '"one";r=0;t=60, "all";r=4;t=60');
  assert.equal(first.headers.get("retry-after"), null);
  assert.equal((await visitAs("ada")).status, 429);
  assert.equal((await visitAs("bob")).status, 302);
  assert.equal(ran, 2);
});

Deno.test("rateLimitMiddleware() gives the handshake of a WebSocket on as it is", async () => {
  const middleware = rateLimitMiddleware(limiterAt().limiter);
  // No script makes one: the platform does.
  const switched = Object.defineProperty(new Response(), "status", { value: 101 });
  assert.equal(await middleware(request(), () => Promise.resolve(switched), {}), switched);
  await middleware(request(), () => Promise.resolve(switched), {});
  assert.equal((await middleware(request(), () => Promise.resolve(switched), {})).status, 429);
});

Deno.test("createPlatformRateLimitStorage() asks the binding, and knows that its windows are fixed", async () => {
  const asked: string[] = [];
  const storage = createPlatformRateLimitStorage({
    limit({ key }) {
      asked.push(key);
      return Promise.resolve({ success: asked.length === 1 });
    },
  });
  const { limiter } = limiterAt({}, storage);
  const { success, reset, refund } = await limiter.check(request());
  assert.deepEqual([success, reset], [true, 60]);
  await refund?.();
  const refused = await limiter.check(request());
  assert.deepEqual([refused.remaining, refused.response?.status], [0, 429]);
  assert.deepEqual(asked, Array(2).fill("api|192.0.2.1||"));
  await assert.rejects(
    limiterAt({ window: 900 }, storage).limiter.check(request()),
    ConfigurationError,
  );
  const failing = createPlatformRateLimitStorage({ limit: () => Promise.reject(new Error("no")) });
  assert.equal((await limiterAt({}, failing).limiter.check(request())).response?.status, 503);
  await assert.rejects(failing.takeRateLimit("k", { limit: 1, window: 60_000, now: NOW }));
});

// Tracks: R141, R148
Deno.test("check() counts for the tenant of the request, but what is about users in all tenants together", async () => {
  const tenants = createMemoryTenantStorage();
  for (const slug of ["acme", "globex"]) await tenants.create({ slug, name: slug });
  const application = createTestApplication({
    tenancy: defineTenancy({ strategy: "header", storage: tenants }),
  });
  const storage = createMemoryRateLimitStorage();
  const options = { limit: 1, window: 60 };
  const limiters: [RateLimiter, boolean][] = [
    [createRateLimiter(storage, { name: "api", ...options }), true],
    [createRateLimiter(storage, { name: "own", ...options, perTenant: false }), false],
    [createLoginRateLimiter(storage, options), false],
    [createPasswordResetRateLimiter(storage, options), false],
    [createEmailVerificationRateLimiter(storage, options), false],
  ];
  for (const [limiter, expected] of limiters) {
    const successes: boolean[] = [];
    for (const slug of ["acme", "globex", "acme"]) {
      const sent = new Request(`${ORIGIN}/page`, { headers: { "x-tenant-id": slug } });
      const info = { clientAddress: "192.0.2.1" };
      await application.auth.run(sent, {}, info, async () => {
        successes.push((await limiter.check(sent, { identifier: "ada@example.com" })).success);
        return new Response();
      });
    }
    assert.deepEqual(successes, [true, expected, false]);
  }
  // Or for the one that the application names, whichever the request is of.
  const [limiter] = limiters[0]!;
  const named: boolean[] = [];
  for (const slug of ["acme", "globex"]) {
    const sent = new Request(`${ORIGIN}/page`, { headers: { "x-tenant-id": slug } });
    await application.auth.run(sent, {}, { clientAddress: "192.0.2.9" }, async () => {
      named.push((await limiter.check(sent, { tenant: "of-both" })).success);
      return new Response();
    });
  }
  assert.deepEqual(named, [true, false]);
  application.close();
});
