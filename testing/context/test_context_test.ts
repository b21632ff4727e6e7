import { authSchema } from "@framework/auth/storage";
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { QueueDouble } from "../platform/queue.ts";
import { currentScope, runInScope } from "./scope.ts";
import { createTestContext as create } from "./test_context.ts";
import type { TestContextOptions } from "./types.ts";

const cwd = fileURLToPath(new URL("./fixtures/project/", import.meta.url));
const createTestContext = (options: TestContextOptions = {}) => create({ cwd, ...options });
const addItem = (name: string) => ({ method: "POST", body: JSON.stringify({ name }) });

Deno.test("the fixture's first migration is the schema of @framework/auth", async () => {
  const file = await readFile(`${cwd}/migrations/0001_auth.sql`, "utf8");
  assert.equal(file, authSchema.up);
});

Deno.test("createTestContext() runs pages, routes and the database of the application", async () => {
  await using ctx = await createTestContext();
  const created = await ctx.fetch("/api/items", addItem("one"));
  assert.equal(created.status, 201);
  assert.deepEqual(await (await ctx.fetch("/api/items")).json(), [{ name: "one" }]);
  const page = await ctx.fetch("/");
  assert.match(await page.text(), /<ul><li>one<\/li><\/ul>/);
  assert.deepEqual(await ctx.db.selectFrom("items").selectAll().execute(), [
    { id: 1, name: "one" },
  ]);
});

Deno.test("createTestContext() gives every context a database of its own", async () => {
  await using first = await createTestContext();
  await using second = await createTestContext();
  await first.fetch("/api/items", addItem("one"));
  assert.deepEqual(await (await second.fetch("/api/items")).json(), []);
});

// Tracks: F50
Deno.test("createTestContext() keeps parallel contexts apart", async () => {
  const counts = await Promise.all(Array.from({ length: 50 }, async (_, index) => {
    await using ctx = await createTestContext({ clock: index });
    const { fetch } = await ctx.withAuth({ userId: `user-${index}` });
    for (let item = 0; item <= index; item++) await ctx.fetch("/api/items", addItem(`${item}`));
    const { user } = await (await fetch("/api/me")).json();
    const items = await (await ctx.fetch("/api/items")).json();
    return user.id === `user-${index}` ? items.length - 1 : -1;
  }));
  assert.deepEqual(counts, counts.map((_, index) => index));
});

// Tracks: F50
Deno.test("createTestContext() leaves nothing behind when cleanup is forgotten", async () => {
  const forgotten = await createTestContext();
  await forgotten.fetch("/api/items", addItem("one"));
  await using ctx = await createTestContext();
  assert.deepEqual(await (await ctx.fetch("/api/items")).json(), []);
});

Deno.test("createTestContext() seeds the database", async () => {
  await using ctx = await createTestContext({
    seed: (db) => db.insertInto("items").values([{ name: "b" }, { name: "a" }]).execute(),
  });
  assert.deepEqual(await (await ctx.fetch("/api/items")).json(), [{ name: "a" }, { name: "b" }]);
});

Deno.test("createTestContext() rejects with what the seed throws", async () => {
  const seed = (db: { insertInto: unknown }) => {
    assert.equal(typeof db.insertInto, "function");
    throw new Error("seed failed");
  };
  await assert.rejects(createTestContext({ seed }), { message: "seed failed" });
});

Deno.test("createTestContext() binds variables and namespaces, and lets a test replace them", async () => {
  await using ctx = await createTestContext();
  const vars = { greeting: "hello", level: 3, cached: "hello" };
  assert.deepEqual(await (await ctx.fetch("/api/vars")).json(), vars);
  await using other = await createTestContext({ env: { GREETING: "hi" } });
  assert.deepEqual(await (await other.fetch("/api/vars")).json(), {
    ...vars,
    greeting: "hi",
    cached: "hi",
  });
  assert.equal(ctx.env["GREETING"], "hello");
});

Deno.test("createTestContext() refuses a binding that is not emulated, at its first use", async () => {
  await using ctx = await createTestContext();
  await assert.rejects(ctx.fetch("/api/upstream"), {
    name: "NotEmulatedError",
    code: "NOT_EMULATED",
    binding: "UPSTREAM",
    kind: "services",
  });
  await using other = await createTestContext({
    env: { UPSTREAM: { fetch: () => Promise.resolve(Response.json({ from: "double" })) } },
  });
  assert.deepEqual(await (await other.fetch("/api/upstream")).json(), { from: "double" });
});

Deno.test("createTestContext() passes requests to a given object with fetch, as the platform does to a service", async () => {
  class Other {
    #asked: string[] = [];
    async fetch(request: Request): Promise<Response> {
      this.#asked.push(`${request.method} ${request.url} ${await request.text()}`);
      return new Response(request.headers.get("x-own"));
    }
    asked = () => this.#asked;
    last(): string | undefined {
      return this.#asked.at(-1);
    }
  }
  const frozen = Object.freeze({ fetch: ({ url }: Request) => Promise.resolve(new Response(url)) });
  await using ctx = await createTestContext({ env: { OTHER: new Other(), FROZEN: frozen } });
  const { OTHER, FROZEN } = ctx.env as {
    OTHER: { fetch: typeof fetch; asked(): string[]; last(): string };
    FROZEN: { fetch: typeof fetch };
  };
  const init = { method: "POST", body: "a", headers: { "x-own": "1" } };
  assert.equal(await (await OTHER.fetch("http://other/api/hello", init)).text(), "1");
  await OTHER.fetch(new URL("http://other/url"));
  await OTHER.fetch(new Request("http://other/request", { method: "PUT" }));
  assert.deepEqual(OTHER.asked(), [
    "POST http://other/api/hello a",
    "GET http://other/url ",
    "PUT http://other/request ",
  ]);
  assert.equal(OTHER.last(), "PUT http://other/request ");
  assert.equal(await (await FROZEN.fetch("http://other/")).text(), "http://other/");
  await assert.rejects(OTHER.fetch("/relative"), {
    name: "TypeError",
    message:
      /^env\.OTHER\.fetch\(\) was called with "\/relative", which is no address: .* another name/,
  });
});

Deno.test("createTestContext() leaves a given object with a fetch of its own what it is", async () => {
  const asked = { last: 0, fetch: (id: number) => Promise.resolve(id) };
  const fixed = Object.defineProperty({ calls: 0 }, "fetch", {
    value: ({ url }: Request) => Promise.resolve(new Response(url)),
  });
  const data = { fetch: true };
  await using ctx = await createTestContext({ env: { ASKED: asked, FIXED: fixed, DATA: data } });
  const env = ctx.env as {
    ASKED: typeof asked;
    FIXED: { fetch: typeof fetch };
    DATA: typeof data;
  };
  assert.equal(await env.ASKED.fetch(42), 42);
  env.ASKED.last = 42;
  const keys = Object.keys(env.ASKED);
  assert.deepEqual([asked.last, env.ASKED.last, keys], [42, 42, ["last", "fetch"]]);
  assert.equal(await (await env.FIXED.fetch("http://other/")).text(), "http://other/");
  assert.equal(env.DATA, data);
});

Deno.test("createTestContext() binds buckets and queues that store, by the context's clock", async () => {
  await using ctx = await createTestContext({ clock: 5_000 });
  const sent = await ctx.fetch("/api/bucket", { method: "PUT", body: "kept" });
  assert.equal(sent.status, 201);
  const object = await (await ctx.fetch("/api/bucket")).json();
  assert.deepEqual(object, { text: "kept", uploaded: 5_000 });
  const mails = ctx.env["MAILS"] as QueueDouble;
  assert.deepEqual(mails.take(), []);
  ctx.clock.advance("1m");
  assert.deepEqual(mails.take().map((message) => message.body), [{ stored: "file" }]);
});

Deno.test("fetch() rejects with the application's own unexpected error", async () => {
  await using ctx = await createTestContext();
  await assert.rejects(ctx.fetch("/api/fail"), RangeError);
  // And the next request is not blamed for it.
  assert.equal((await ctx.fetch("/api/items")).status, 200);
});

Deno.test("fetch() answers with the errors that the application means", async () => {
  await using ctx = await createTestContext();
  assert.equal((await ctx.fetch("/nowhere")).status, 404);
  assert.equal((await ctx.fetch("/api/me", { method: "DELETE" })).status, 405);
});

Deno.test("fetch() sends the application's origin on unsafe methods, unless given one", async () => {
  await using ctx = await createTestContext();
  const own = await ctx.fetch("/api/items", addItem("one"));
  assert.equal((await own.json()).origin, "http://localhost");
  const foreign = await ctx.fetch("/api/items", {
    ...addItem("two"),
    headers: { origin: "https://elsewhere.example" },
  });
  assert.equal(foreign.status, 403);
});

Deno.test("fetch() does not follow redirects", async () => {
  await using ctx = await createTestContext();
  const response = await ctx.fetch("/dashboard");
  assert.ok([302, 303].includes(response.status));
  assert.match(response.headers.get("location") ?? "", /\/auth\/signin/);
});

Deno.test("withAuth() signs in by a real session, in a context with its own cookies", async () => {
  await using ctx = await createTestContext();
  const ada = await ctx.withAuth({ userId: "ada", name: "Ada", role: "admin" });
  assert.match(await (await ada.fetch("/dashboard")).text(), /Hello, Ada/);
  const { user } = await (await ada.fetch("/api/me")).json();
  assert.equal(user.role, "admin");
  assert.deepEqual(await (await ctx.fetch("/api/me")).json(), { user: null });
  assert.equal(ada.db, ctx.db);
  const sessions = await ctx.db.selectFrom("sessions").select("user_id").execute();
  assert.deepEqual(sessions, [{ user_id: "ada" }]);
});

// Tracks: A-06, PF-z11
Deno.test("withAuth() gives the session cookie that the application reads at that origin, as secure as there", async () => {
  await using ctx = await createTestContext();
  const cookies: [string | undefined, string, boolean][] = [
    [undefined, "framework.session-token", false],
    ["http://localhost:8787", "framework.session-token", false],
    ["https://app.example", "__Host-framework.session-token", true],
  ];
  for (const [origin, name, secure] of cookies) {
    const ada = await ctx.withAuth({ userId: "ada", ...(origin !== undefined && { origin }) });
    assert.deepEqual(ada.cookies.all().map((one) => [one.name, one.secure]), [[name, secure]]);
    assert.equal((await (await ada.fetch("/api/me")).json()).user.id, "ada");
  }
});

Deno.test("withAuth() signs an existing user in, and does not change them", async () => {
  await using ctx = await createTestContext();
  await ctx.withAuth({ userId: "ada", email: "ada@example.com" });
  const again = await ctx.withAuth({ userId: "ada" });
  assert.equal((await (await again.fetch("/api/me")).json()).user.email, "ada@example.com");
  await assert.rejects(ctx.withAuth({ userId: "ada", role: "admin" }), { code: "USER_DIFFERS" });
});

Deno.test("withAuth() creates no user when told so, nor one with a broken address", async () => {
  await using ctx = await createTestContext();
  await assert.rejects(ctx.withAuth({ userId: "x", create: false }), { code: "NO_SUCH_USER" });
  await assert.rejects(ctx.withAuth({ userId: "x", email: "nobody" }), { code: "INVALID_EMAIL" });
});

Deno.test("what JavaScript lets through is refused with the right way to write it", async () => {
  await using ctx = await createTestContext();
  const wrong = (work: () => unknown, message: RegExp, code = "OPTIONS") =>
    assert.rejects(async () => await work(), { name: "TestingError", code, message });
  // deno-lint-ignore no-explicit-any -- as in a test that nobody checks.
  const any = ctx as any;
  await wrong(() => any.withAuth({}), /userId undefined.*withAuth\(\{ userId: "ada" \}\)/);
  await wrong(() => any.withAuth("ada"), /the user "ada".*withAuth\(\{ userId: "ada" \}\)/);
  await wrong(() => any.withAuth(), /the user undefined/);
  await wrong(() => any.withAuth({ userId: "ada", roles: "x" }), /roles "x".*a list/);
  await wrong(() => any.withAuth({ userId: "ada", role: 1 }), /role 1/);
  await wrong(() => any.submit("/forms", {}), /submit\(\) was given "\/forms".*Fetch the page/);
  await wrong(
    async () => await any.submit(await ctx.fetch("/dashboard"), {}),
    /redirect, 303 to \S+\/auth\/.*ctx\.withAuth\(\)/,
    "NO_FORM",
  );
  await wrong(() => any.queue(), /the queue undefined/);
  await wrong(() => any.queue("nope", [{ body: 1 }]), /app\/queues/, "NO_HANDLER");
  await wrong(() => any.onFetch("https://x.example/*"), /no handler for https:\/\/x\.example/);
  await wrong(
    () => create({ cwd, sed: () => {} } as TestContextOptions),
    /unknown option "sed".*seed, env/,
  );
});

Deno.test("clock.advance() ends sessions", async () => {
  await using ctx = await createTestContext({ clock: new Date("2026-01-01") });
  const ada = await ctx.withAuth({ userId: "ada" });
  ctx.clock.advance("29d");
  assert.notEqual((await (await ada.fetch("/api/me")).json()).user, null);
  ctx.clock.advance("31d");
  assert.deepEqual(await (await ada.fetch("/api/me")).json(), { user: null });
});

Deno.test("the session's own cookie is verified, not believed", async () => {
  await using ctx = await createTestContext();
  const forged = { headers: { cookie: "framework.session-token=ada" } };
  assert.deepEqual(await (await ctx.fetch("/api/me", forged)).json(), { user: null });
});

Deno.test("sign-out works with the cookies of the context", async () => {
  await using ctx = await createTestContext();
  const ada = await ctx.withAuth({ userId: "ada" });
  assert.equal((await ada.fetch("/auth/signout", { method: "POST" })).status, 303);
  assert.deepEqual(await (await ada.fetch("/api/me")).json(), { user: null });
  assert.deepEqual(await ctx.db.selectFrom("sessions").selectAll().execute(), []);
});

Deno.test("cleanup() waits for background work, and throws what failed in it", async () => {
  const ctx = await createTestContext();
  assert.equal((await ctx.fetch("/api/background", { method: "POST" })).status, 202);
  await ctx.cleanup();
  const failing = await createTestContext();
  await failing.fetch("/api/background?fail", { method: "POST" });
  await assert.rejects(failing.cleanup(), { message: "The background failed." });
});

Deno.test("settled() waits for background work, and throws what failed in it, once", async () => {
  const ctx = await createTestContext();
  const late = () => ctx.db.selectFrom("items").select("name").execute();
  for (const by of [ctx, await ctx.withAuth({ userId: "ada" })]) {
    await by.fetch("/api/background", { method: "POST" });
    assert.deepEqual(await late(), []);
    await by.settled();
    assert.deepEqual(await late(), [{ name: "late" }]);
    await ctx.db.deleteFrom("items").execute();
  }
  await ctx.fetch("/api/background?fail", { method: "POST" });
  await assert.rejects(ctx.settled(), { message: "The background failed." });
  await ctx.settled();
  await ctx.cleanup();
  await assert.rejects(ctx.settled(), { code: "CONTEXT_ENDED" });
});

Deno.test("a context that has been cleaned up says so", async () => {
  const ctx = await createTestContext();
  const ada = await ctx.withAuth({ userId: "ada" });
  await ctx.cleanup();
  await ctx.cleanup();
  const ended = { code: "CONTEXT_ENDED" };
  await assert.rejects(ctx.fetch("/"), ended);
  await assert.rejects(ada.fetch("/"), ended);
  await assert.rejects(ctx.withAuth({ userId: "ada" }), ended);
  await assert.rejects(ctx.db.selectFrom("items").selectAll().execute(), ended);
  const cache = ctx.env["CACHE"] as { get(key: string): Promise<unknown> };
  await assert.rejects(cache.get("a"), ended);
});

/** The databases that are used while some work is done. */
async function databasesOf(work: () => Promise<void>): Promise<DatabaseSync[]> {
  const used = new Set<DatabaseSync>();
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
    used.add(this);
    return prepare.call(this, sql);
  };
  try {
    await work();
  } finally {
    DatabaseSync.prototype.prepare = prepare;
  }
  return [...used];
}

// Tracks: PF-z18
Deno.test("cleanup() closes every database of the context, and those of nobody else", async () => {
  const other = await createTestContext();
  const ctx = await createTestContext();
  const own = await databasesOf(async () => {
    const ada = await ctx.withAuth({ userId: "ada" });
    await ada.fetch("/api/me");
    await ctx.db.selectFrom("items").selectAll().execute();
  });
  assert.ok(own.length > 0);
  for (const database of own) database.exec("SELECT 1");
  await ctx.cleanup();
  for (const database of own) assert.throws(() => database.exec("SELECT 1"), /not open|closed/);
  await other.withAuth({ userId: "eve" });
  await other.cleanup();
});

Deno.test("a context that withAuth() made may end first", async () => {
  await using ctx = await createTestContext();
  const ada = await ctx.withAuth({ userId: "ada" });
  await ada.cleanup();
  await assert.rejects(ada.fetch("/"), { code: "CONTEXT_ENDED" });
  assert.equal((await ctx.fetch("/api/items")).status, 200);
});

Deno.test("createTestContext() says what to do about a folder that holds no project", async () => {
  const folder = await mkdtemp(join(tmpdir(), "no-project-"));
  try {
    await assert.rejects(createTestContext({ cwd: folder }), {
      code: "PROJECT",
      message: /cannot be read\. Run the command in the folder that contains wrangler/,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

Deno.test("createTestContext() belongs to no context whose work a test before it left behind", async () => {
  await using before = await createTestContext({ cwd });
  const left = {
    env: before.env,
    now: () => 0,
    call: () => Promise.reject(new Error("no")),
    deliver: () => Promise.resolve(),
    failures: [],
  };
  await runInScope(left, async () => {
    await using ctx = await createTestContext({ cwd, handler: () => new Response() });
    assert.deepEqual(await ctx.db.selectFrom("items").select("name").execute(), []);
    assert.equal(currentScope(), undefined);
  });
});
