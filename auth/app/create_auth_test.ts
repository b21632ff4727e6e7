import { accountPage } from "../account/page.ts";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { issueSession } from "../session/read_session.ts";
import {
  ConfigurationError,
  CrossSiteRequestError,
  ForbiddenError,
  OutsideRequestError,
  RequestError,
} from "../errors.ts";
import { credentials } from "../sign_in/credentials.ts";
import { getUser, startSession } from "../session/operations.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { createUser } from "../session/users.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { authSchema } from "../storage/schema.ts";
import { sqlite } from "../storage/sqlite.ts";
import type { Storage } from "../storage/storage.ts";
import type { LoggedError } from "../lib/logger.ts";
import { createTestApplication, type LogLine, ORIGIN, visit } from "../tests/application.ts";
import { createAuth } from "./create_auth.ts";
import { jwtSessions } from "./jwt_sessions.ts";

Deno.test("createAuth() checks at once what does not depend on the environment", () => {
  assert.throws(() => createAuth({}), ConfigurationError);
  assert.throws(
    () => createAuth({ database: createMemoryStorage(), session: { strategy: jwtSessions } }),
    /"jwt" needs `secret`/,
  );
  createAuth(() => ({}));
});

Deno.test("createAuth() makes its options once per environment object", async () => {
  let made = 0;
  const auth = createAuth((_env: object) => {
    made++;
    return { database: createMemoryStorage() };
  });
  const first = {};
  const second = {};
  const request = new Request("http://localhost/auth/session");
  for (const env of [first, first, second, first, second]) await auth.handle(request, env);
  assert.equal(made, 2);
  assert.equal(auth.storage(first), auth.storage(first));
  assert.notEqual(auth.storage(first), auth.storage(second));
});

Deno.test("createAuth() gives providers and options the environment", async () => {
  interface Env {
    PIN: string;
  }
  const database = createMemoryStorage();
  const auth = createAuth<Env>(() => ({
    database,
    providers: [credentials((env: Env) => ({
      credentials: { pin: { label: "PIN", type: "password" } },
      authorize: ({ pin }) => Promise.resolve(pin === env.PIN ? { id: "owner" } : null),
    }))],
  }));
  const body = JSON.stringify({ pin: "1234" });
  const headers = { "content-type": "application/json" };
  const url = "http://localhost/auth/signin/credentials";
  const request = () => new Request(url, { method: "POST", headers, body });
  assert.equal((await auth.handle(request(), { PIN: "1234" }))?.status, 200);
  assert.equal((await auth.handle(request(), { PIN: "9999" }))?.status, 401);
});

Deno.test("createAuth() gives roles the environment, and refuses what are no options", async () => {
  const auth = createAuth<{ ROLE: string }>({
    database: createMemoryStorage(),
    rbac: defineRBAC((env: { ROLE: string }) => ({
      roles: [{ id: env.ROLE, name: "Role", permissions: ["*"] }],
      defaultRole: env.ROLE,
    })),
  });
  const request = new Request("http://localhost/", { method: "POST" });
  const response = await auth.run(request, { ROLE: "owner" }, undefined, async ({ auth }) => {
    await createUser({ id: "ada" });
    await auth.startSession("ada");
    return Response.json(await auth.hasPermission("a:b"));
  });
  assert.equal(await response.json(), true);
  for (const wrong of [null, undefined, 5, "x"]) {
    assert.throws(() => createAuth(wrong as never), ConfigurationError);
  }
});

Deno.test("handle() rejects with a ConfigurationError at the first request when the function's options are wrong", async () => {
  const auth = createAuth(() => ({}));
  await assert.rejects(auth.handle(new Request("http://localhost/"), {}), ConfigurationError);
  const run = auth.run(new Request("http://localhost/"), {}, undefined, () => new Response());
  await assert.rejects(run, ConfigurationError);
});

Deno.test("handle() returns null outside of basePath", async () => {
  const auth = createAuth({ database: createMemoryStorage(), basePath: "/api/auth" });
  assert.equal(await auth.handle(new Request("http://localhost/auth/session"), {}), null);
  assert.equal(
    (await auth.handle(new Request("http://localhost/api/auth/session"), {}))?.status,
    200,
  );
});

Deno.test("run() answers the library's errors and lets all others pass", async () => {
  const application = createTestApplication();
  function failing(error: unknown) {
    return visit(application, () => {
      throw error;
    });
  }
  assert.equal((await failing(new ForbiddenError())).status, 403);
  await assert.rejects(failing(new Error("a defect")), /a defect/);
  await assert.rejects(failing(new ConfigurationError("wrong")), ConfigurationError);
  await assert.rejects(failing(new OutsideRequestError()), OutsideRequestError);
  application.close();
});

// Tracks: OP-02
Deno.test("run() and handle() log what they let pass, once, with the name of the request", async () => {
  const application = createTestApplication();
  const { auth, log } = application;
  const info = { requestId: "r1" };
  async function failing(error: unknown, host: () => Promise<unknown>): Promise<LogLine[]> {
    log.length = 0;
    await assert.rejects(host, (thrown) => thrown === error);
    return [...log];
  }
  for (const error of [new Error("a defect"), new ConfigurationError("wrong")]) {
    const request = new Request(`${ORIGIN}/page`);
    const inner = () =>
      auth.run(request, {}, info, () => {
        throw error;
      });
    // As with a middleware around a middleware.
    const lines = await failing(error, () => auth.run(request, {}, info, inner));
    assert.equal(lines.length, 1);
    const [{ level, event, fields }] = lines as [LogLine];
    assert.deepEqual([level, event, fields.requestId], ["error", "request-failed", "r1"]);
    assert.equal((fields.error as LoggedError).message, error.message);
  }
  application.close();
  const broken = createTestApplication({
    providers: [credentials({
      credentials: { name: { label: "Name", type: "text" } },
      authorize() {
        throw new Error("a defect");
      },
    })],
  });
  await assert.rejects(broken.send("/signin/credentials", { fields: { name: "ada" } }), /a defect/);
  const failed = broken.log.filter(({ event }) => event === "request-failed");
  assert.deepEqual(failed.map(({ fields }) => (fields.error as LoggedError).message), ["a defect"]);
  broken.close();
});

// Tracks: OP-02
Deno.test("options that are wrong in this environment are logged where the application says", async () => {
  const lines: unknown[] = [];
  const auth = createAuth(() => ({
    providers: "none" as never,
    logger: { info() {}, warn() {}, error: (event, { error }) => lines.push([event, error]) },
  }));
  await assert.rejects(auth.handle(new Request("http://localhost/"), {}), ConfigurationError);
  assert.equal(lines.length, 1);
  assert.match(JSON.stringify(lines), /configuration-failed.*CONFIGURATION/);
});

// Tracks: R044, CVE-2025-48947, CVE-2025-64762, hono 12c51174
Deno.test("run() never lets a response with a cookie, or about a user, be stored for others", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const cached = { "cache-control": "public, max-age=600", "vary": "Accept" };

  const withCookie = await visit(application, async () => {
    await startSession("ada");
    return new Response("x", { headers: cached });
  });
  assert.equal(withCookie.headers.get("cache-control"), "no-store");
  assert.equal(withCookie.headers.get("vary"), "Accept, Cookie");

  const aboutUser = await visit(application, () => Response.json(getUser()), { cookie });
  assert.equal(aboutUser.headers.get("cache-control"), "no-store");
  assert.equal(aboutUser.headers.get("vary"), "Cookie");

  const chosen = await visit(application, () => {
    getUser();
    return new Response("x", {
      headers: { "cache-control": "private, max-age=5", "vary": "cookie" },
    });
  }, { cookie });
  assert.equal(chosen.headers.get("cache-control"), "private, max-age=5");
  assert.equal(chosen.headers.get("vary"), "cookie");

  const unrelated = await visit(application, () => new Response("x", { headers: cached }), {
    cookie,
  });
  assert.equal(unrelated.headers.get("cache-control"), "public, max-age=600");
  assert.equal(unrelated.headers.get("vary"), "Accept");
  application.close();
});

/** A body in which it is asked who is signed in when the headers have gone. */
function late(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      controller.enqueue(new TextEncoder().encode(`Late ${getUser()?.name ?? "stranger"}`));
      controller.close();
    },
  });
}

// Tracks: R044, CVE-2025-48947
Deno.test("run() keeps caches from what is streamed to a user who is asked for when the headers have gone", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();

  const plain = await visit(application, () => new Response(late()), { cookie });
  assert.equal(plain.headers.get("cache-control"), "no-store");
  assert.equal(plain.headers.get("vary"), "Cookie");
  assert.equal(await plain.text(), "Late ada");
  // Nobody's is for everybody.
  const nobodys = await visit(application, () => new Response(late()));
  assert.equal(nobodys.headers.get("cache-control"), null);
  assert.equal(await nobodys.text(), "Late stranger");

  for (const policy of ["no-store", "private, max-age=5", "max-age=0,no-cache"]) {
    const headers = { "cache-control": policy };
    const own = await visit(application, () => new Response(late(), { headers }), { cookie });
    assert.equal(own.headers.get("cache-control"), policy);
    assert.equal(await own.text(), "Late ada");
  }

  // What is made already is left as it is.
  for (const name of ["content-length", "etag", "last-modified"]) {
    const headers = { [name]: "1" };
    const made = await visit(application, () => new Response("x", { headers }), { cookie });
    assert.equal(made.headers.get("cache-control"), null, name);
    assert.equal(made.headers.get("vary"), null, name);
  }
  for (const name of ["etag", "last-modified"]) {
    const headers = { [name]: "1" };
    const versioned = await visit(application, () => new Response(late(), { headers }), { cookie });
    await assert.rejects(versioned.text(), /HeadersSentError|headers/, name);
  }
  const targeted = { "cdn-cache-control": "max-age=60", "surrogate-control": "max-age=60" };
  const toCaches = await visit(
    application,
    () => new Response(getUser()?.name ?? "", { headers: targeted }),
    { cookie },
  );
  assert.equal(toCaches.headers.get("cache-control"), "no-store");
  assert.equal(toCaches.headers.get("cdn-cache-control"), null);
  assert.equal(toCaches.headers.get("surrogate-control"), null);
  const empty = await visit(application, () => new Response(null, { status: 204 }), { cookie });
  assert.equal(empty.headers.get("cache-control"), null);
  application.close();
});

// Tracks: R044, CVE-2025-48947
Deno.test("run() tells a stream that caches keep for others nothing about anybody, and says so", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const policies = [
    "public, max-age=60",
    "max-age=60",
    "s-maxage=60",
    'private="x-name", max-age=60',
  ];
  for (const policy of policies) {
    const headers = { "cache-control": policy };
    for (const sent of [{ cookie }, {}]) {
      const before = application.log.length;
      const response = await visit(application, () => new Response(late(), { headers }), sent);
      assert.equal(response.headers.get("cache-control"), policy);
      await assert.rejects(response.text(), {
        code: "HEADERS_SENT",
        message: /Call getUser\(\) before/,
      });
      const told = application.log.slice(before).map(({ event }) => event);
      assert.deepEqual(told, ["session-asked-after-headers"]);
    }
    // Who asks before the headers, as with a guard, may ask again.
    const guarded = await visit(application, () => {
      getUser();
      return new Response(late(), { headers });
    }, { cookie });
    assert.equal(guarded.headers.get("vary"), "Cookie");
    assert.equal(await guarded.text(), "Late ada");
  }
  application.close();
});

Deno.test("run() adds cookies to a response whose headers cannot be changed", async () => {
  const application = createTestApplication();
  await application.signIn();
  const response = await visit(application, async () => {
    await startSession("ada");
    return Response.redirect(`${ORIGIN}/next`, 303);
  });
  assert.equal(response.status, 303);
  assert.equal(response.headers.get("location"), `${ORIGIN}/next`);
  assert.equal(response.headers.getSetCookie().length, 1);
  application.close();
});

Deno.test("run() keeps the body of the response a stream", async () => {
  const application = createTestApplication();
  await application.signIn();
  let pulled = 0;
  const response = await visit(application, async () => {
    await startSession("ada");
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (++pulled > 2) controller.close();
          else controller.enqueue(new TextEncoder().encode("part "));
        },
      }, { highWaterMark: 0 }),
    );
  });
  assert.equal(pulled, 0);
  assert.equal(await response.text(), "part part ");
  application.close();
});

Deno.test("issueSession() makes a session that works like any other", async () => {
  const application = createTestApplication();
  await application.signIn("ada");
  const { cookies, session } = await issueSession(application.auth, "ada", {});
  assert.equal(session.user.id, "ada");
  assert.equal(cookies.length, 1);
  assert.match(cookies[0]!, /; HttpOnly; Secure; SameSite=Lax$/);
  const cookie = cookies[0]!.split(";")[0]!;
  assert.equal((await (await application.send("/session", { cookie })).json()).user.id, "ada");
  await assert.rejects(issueSession(application.auth, "nobody", {}), /cannot sign in/);
  application.close();
});

// Tracks: R071, R190
Deno.test("run() refuses WebSockets of other sites, and renews nothing with one", async () => {
  let now = Date.UTC(2026, 0, 1);
  const application = createTestApplication({ now: () => now });
  const cookie = await application.signIn();
  let calls = 0;
  const open = (headers: Record<string, string>, work = () => new Response("open")) =>
    application.auth.fetch(
      new Request(`${ORIGIN}/chat`, { headers: { upgrade: "websocket", cookie, ...headers } }),
      {},
      { next: () => (calls++, work()) },
    );
  for (const origin of ["https://evil.example", "null", `${ORIGIN}.evil.example`]) {
    assert.equal((await open({ origin })).status, 403, origin);
  }
  assert.equal(calls, 0);
  now += 3 * 86_400_000; // long enough for a renewal
  for (const headers of [{ origin: ORIGIN }, {}] as Record<string, string>[]) {
    const own = await open(headers, () => new Response(getUser()?.id));
    assert.equal(await own.text(), "ada");
    assert.deepEqual(own.headers.getSetCookie(), []);
  }
  assert.equal(
    (await visit(application, () => new Response(), { cookie })).headers.getSetCookie().length,
    1,
  );
  await assert.rejects(
    application.auth.run(
      new Request(ORIGIN, { headers: { upgrade: "websocket" } }),
      {},
      undefined,
      async () => Response.json(await startSession("ada")),
    ),
    { code: "HEADERS_SENT", message: /handshake of a WebSocket/ },
  );
  application.close();
});

// Tracks: R071, R152, CVE-2024-43787
Deno.test("assertSameOrigin() knows the own address and the trusted origins from the options, and reports", () => {
  const heard: unknown[] = [];
  const application = createTestApplication({
    trustedOrigins: ["https://admin.example"],
    events: {
      "origin-refused": ({ path, origin, requestId }) => heard.push([path, origin, requestId]),
    },
  });
  function post(origin: string, url = "http://internal.example:9000/orders"): Request {
    return new Request(url, { method: "POST", headers: { origin } });
  }
  const info = { requestId: "r1" };
  for (const origin of [ORIGIN, "https://admin.example"]) {
    application.auth.assertSameOrigin(post(origin), {}, info);
  }
  for (const origin of ["https://evil.example", "http://internal.example:9000", "null"]) {
    assert.throws(
      () => application.auth.assertSameOrigin(post(origin), {}, info),
      CrossSiteRequestError,
    );
  }
  application.auth.assertSameOrigin(new Request(`${ORIGIN}/orders`), {});
  assert.deepEqual(heard, [
    ["/orders", "https://evil.example", "r1"],
    ["/orders", "http://internal.example:9000", "r1"],
    ["/orders", "null", "r1"],
  ]);
  const hosts = createAuth({ database: createMemoryStorage(), allowedHosts: ["app.example"] });
  hosts.assertSameOrigin(post(ORIGIN, `${ORIGIN}/orders`), {});
  assert.throws(
    () => hosts.assertSameOrigin(post("https://evil.example", "https://evil.example/orders"), {}),
    (error) => error instanceof RequestError && error.code === "HOST_NOT_ALLOWED",
  );
  application.close();
});

// Tracks: R071, R045
Deno.test("what one environment trusts, a request of another at the same time does not", async () => {
  const auth = createAuth((env: { trusted: string }) => ({
    database: createMemoryStorage(),
    trustedOrigins: [env.trusted],
  }));
  const [one, two] = [{ trusted: "https://one.example" }, { trusted: "https://two.example" }];
  async function status(origin: string, env: { trusted: string }): Promise<number | undefined> {
    const headers = { origin };
    const request = new Request("http://localhost/auth/signout", { method: "POST", headers });
    return (await auth.handle(request, env))?.status;
  }
  const rounds = Array.from({ length: 20 }, () => [
    status(one.trusted, one),
    status(two.trusted, one),
    status(one.trusted, two),
    status(two.trusted, two),
  ]);
  for (const round of rounds) assert.deepEqual(await Promise.all(round), [303, 403, 403, 303]);
});

// Tracks: R045
Deno.test("what was set up for an environment that is no object is not used for another one", async () => {
  const auth = createAuth((env: { storage: Storage } | string | undefined) => ({
    database: typeof env === "object" ? env.storage : createMemoryStorage(),
  }));
  const none = auth.storage(undefined);
  const env = { storage: createMemoryStorage() };
  await env.storage.createUser({ user: { id: "ada" }, emailIdentity: null, at: 0 });
  assert.equal((await auth.storage(env).getUser("ada"))?.id, "ada");
  assert.equal(auth.storage(undefined), none);
  assert.notEqual(auth.storage("one"), none);
  assert.notEqual(auth.storage("one"), auth.storage("two"));
});

Deno.test("a request that nobody logs gets no name", async () => {
  const application = createTestApplication();
  const { randomUUID } = crypto;
  let made = 0;
  crypto.randomUUID = () => {
    made++;
    return randomUUID.call(crypto);
  };
  try {
    assert.equal((await application.send("/session")).status, 200);
    assert.equal((await application.send("/providers")).status, 200);
    assert.ok((await application.send("/signout", { fields: {} })).status < 400);
    assert.equal(made, 0);
    await application.send("/signout", {
      fields: {},
      headers: { origin: "https://evil.example" },
    });
    assert.equal(made, 1);
  } finally {
    crypto.randomUUID = randomUUID;
    application.close();
  }
});

Deno.test("fetch() answers the endpoints, runs the application's own work in a request, and answers 404 without any", async () => {
  const auth = createAuth({ database: createMemoryStorage() });
  const get = (path: string) => new Request(`http://localhost${path}`);
  assert.equal(await (await auth.fetch(get("/auth/session"))).json(), null);
  const info = { next: () => Response.json({ user: getUser() }) };
  assert.deepEqual(await (await auth.fetch(get("/"), {}, info)).json(), { user: null });
  assert.equal((await auth.fetch(get("/"))).status, 404);
  const { fetch } = auth; // as the handler of a worker
  assert.equal((await fetch(get("/nowhere"), {}, { waitUntil() {} })).status, 404);
  const refusing = () => {
    throw new ForbiddenError();
  };
  assert.equal((await auth.fetch(get("/"), undefined, { next: refusing })).status, 403);
});

Deno.test("fetch() without work of the application has a start page where sign-ins lead: the account page, else one that says so", async () => {
  const html = { accept: "text/html" };
  const get = (path: string) => new Request(`http://localhost${path}`, { headers: html });
  const options = { database: createMemoryStorage() };
  const withPage = createAuth({ ...options, providers: [accountPage()] });
  const there = await withPage.fetch(get("/"));
  assert.equal(there.status, 303);
  assert.equal(there.headers.get("location"), "http://localhost/auth/account");
  for (
    const answer of [
      await withPage.fetch(get("/nowhere")),
      await createAuth(options).fetch(get("/")),
    ]
  ) {
    assert.equal(answer.status, 404);
    assert.match(await answer.text(), /nothing at this address/);
  }
  // An application that has a start page has its own.
  const next = () => new Response("own");
  assert.equal(await (await withPage.fetch(get("/"), {}, { next })).text(), "own");
});

// Tracks: F37
Deno.test("migrate() makes the tables by a handle of its own, and says what to write where the database brings none", async () => {
  using file = new DatabaseSync(":memory:");
  const database = sqlite(file);
  const auth = createAuth({ database });
  assert.deepEqual(await auth.migrate(), { from: null, to: authSchema.version });
  assert.deepEqual(await auth.migrate(), { from: authSchema.version, to: authSchema.version });
  using other = new DatabaseSync(":memory:");
  const { from } = await auth.migrate(undefined, { database: sqlite(other) });
  assert.equal(from, null);
  assert.ok(other.prepare("SELECT version FROM auth_schema").get());
  const { prepare, batch } = database;
  for (const without of [{ prepare, batch }, createMemoryStorage()]) {
    await assert.rejects(createAuth({ database: without }).migrate(), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, /write sqlite\(…\), postgres\(…\) or d1\(…\) around the handle/);
      return true;
    });
  }
});

Deno.test("migrate() refuses tables that migrations of the command line made, with the command to run", async () => {
  for (const name of ["0001_auth.sql", "0007_auth_version_2.sql"]) {
    using file = new DatabaseSync(":memory:");
    file.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)");
    const insert = file.prepare("INSERT INTO d1_migrations (name) VALUES (?)");
    insert.run("0000_authors.sql");
    const auth = createAuth({ database: sqlite(file) });
    await auth.migrate();
    insert.run(name);
    await assert.rejects(auth.migrate(), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, new RegExp(`the migration ${name} made them`));
      assert.match(
        error.message,
        /Run framework generate auth --upgrade, then framework migrate up/,
      );
      return true;
    });
  }
});
