// One list of cases, run by the engine in process and by the one in workerd, so that a test means the
// same on both.
import {
  createTestAuthenticator,
  createTestContext,
  createTestIdentityProvider,
  type TestContext,
  type TestContextOptions,
} from "@framework/testing";
import { getUser } from "@framework/auth";
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyFixtureProject } from "../support/fixture_project.ts";

const { cwd, remove } = await copyFixtureProject();
await writeFile(join(cwd, ".dev.vars.example"), "LEVEL=4\nEXAMPLE=example\n");
const addItem = (name: string) => ({ method: "POST", body: JSON.stringify({ name }) });
const ask = (email: string) => ({ method: "POST", body: new URLSearchParams({ email }) });

async function userOf({ fetch }: TestContext) {
  return (await (await fetch("/api/me")).json()).user;
}

type Case = [
  name: string,
  run: (ctx: TestContext) => Promise<void>,
  options?: TestContextOptions,
];

const CASES: Case[] = [
  ["pages, routes and the database", async (ctx) => {
    const created = await ctx.fetch("/api/items", addItem("one"));
    assert.equal(created.status, 201);
    assert.equal((await created.json()).origin, "http://localhost");
    assert.match(await (await ctx.fetch("/")).text(), /<ul><li>one<\/li><\/ul>/);
    assert.deepEqual(await ctx.db.selectFrom("items").selectAll().execute(), [
      { id: 1, name: "one" },
    ]);
    assert.equal((await ctx.fetch("/nowhere")).status, 404);
    assert.equal((await ctx.fetch("/api/me", { method: "DELETE" })).status, 405);
  }],
  ["a form with a file", async (ctx) => {
    const sent = await ctx.submit(await ctx.fetch("/forms"), { file: new File(["b"], "a.png") });
    assert.deepEqual(await sent.json(), { kind: "picture", file: "a.png: b" });
  }],
  ["a database that is empty again", async (ctx) => {
    assert.deepEqual(await (await ctx.fetch("/api/items")).json(), []);
  }],
  ["a seed", async (ctx) => {
    assert.deepEqual(await (await ctx.fetch("/api/items")).json(), [{ name: "a" }]);
  }, { seed: (db) => db.insertInto("items").values({ name: "a" }).execute() }],
  ["variables, and those of a test", async (ctx) => {
    assert.deepEqual(await (await ctx.fetch("/api/vars")).json(), {
      greeting: "hi",
      level: 3,
      cached: "hi",
    });
    assert.equal(ctx.env["GREETING"], "hi");
    assert.deepEqual([ctx.env["LEVEL"], ctx.env["EXAMPLE"]], [3, "example"]);
  }, { env: { GREETING: "hi" } }],
  ["a service that a test passes", async (ctx) => {
    assert.deepEqual(await (await ctx.fetch("/api/upstream")).json(), { from: "double" });
  }, { env: { UPSTREAM: { fetch: () => Promise.resolve(Response.json({ from: "double" })) } } }],
  ["buckets", async (ctx) => {
    assert.equal((await ctx.fetch("/api/bucket", { method: "PUT", body: "kept" })).status, 201);
    assert.equal((await (await ctx.fetch("/api/bucket")).json()).text, "kept");
  }],
  ["an unexpected error of the application", async (ctx) => {
    await assert.rejects(ctx.fetch("/api/fail"), { name: "RangeError" });
    assert.equal((await ctx.fetch("/api/items")).status, 200);
  }],
  ["another site's request is refused", async (ctx) => {
    const headers = { origin: "https://elsewhere.example" };
    for (const name of ["x", "x".repeat(300_000)]) {
      const refused = await ctx.fetch("/api/items", { ...addItem(name), headers });
      assert.equal(refused.status, 403, `${name.length} characters that nobody reads`);
      assert.equal((await ctx.fetch("/api/items")).status, 200);
    }
  }],
  ["withAuth(), by a session that the clock ends", async (ctx) => {
    const ada = await ctx.withAuth({ userId: "ada", name: "Ada", roles: ["editor"] });
    assert.match(await (await ada.fetch("/dashboard")).text(), /Hello, Ada/);
    assert.deepEqual((await userOf(ada)).roles, ["editor"]);
    assert.equal(await userOf(ctx), null);
    assert.equal((await ctx.fetch("/dashboard")).status, 303);
    ctx.clock.advance("31d");
    assert.equal(await userOf(ada), null);
  }, { clock: new Date("2026-03-01") }],
  ["the clock, by Date in the application's own code", async (ctx) => {
    assert.equal((await (await ctx.fetch("/api/time")).json()).now, Date.UTC(2026, 2, 1));
    ctx.clock.advance("1d");
    assert.equal((await (await ctx.fetch("/api/time")).json()).now, Date.UTC(2026, 2, 2));
  }, { clock: new Date("2026-03-01") }],
  ["sign-out", async (ctx) => {
    const ada = await ctx.withAuth({ userId: "ada" });
    assert.equal((await ada.fetch("/auth/signout", { method: "POST" })).status, 303);
    assert.equal(await userOf(ada), null);
  }],
  ["runAs()", async (ctx) => {
    assert.equal(await ctx.runAs({ id: "ada", name: "Ada" }, () => getUser()?.name), "Ada");
  }],
  ["mails, with links that work once and end", async (ctx) => {
    assert.equal((await ctx.fetch("/auth/signin/email", ask("ada@example.com"))).status, 303);
    const mail = ctx.outbox.at(-1);
    assert.equal(mail!.identifier, "ada@example.com");
    assert.equal(mail!.expires.getTime(), ctx.clock.now() + 86_400_000);
    assert.equal((await ctx.submit(await ctx.fetch(mail!.url))).status, 303);
    assert.equal((await userOf(ctx)).email, "ada@example.com");
    assert.ok((await ctx.fetch(mail!.url)).status >= 400);
  }],
  ["mails that the application's own function sends", async (ctx) => {
    const mailer = ctx.onFetch("POST https://mailer.example/send", () => ({ id: "1" }));
    await ctx.fetch("/auth/signin/email", ask("ada@example.com"));
    assert.equal((await mailer.requests[0]!.json()).text, ctx.outbox[0]!.url);
  }, { sendMail: true }],
  ["outgoing calls", async (ctx) => {
    await assert.rejects(ctx.fetch("/api/rates?currency=EUR"), {
      code: "UNHANDLED_FETCH",
      message: /GET https:\/\/rates\.example\/latest\?currency=EUR/,
    });
    ctx.onFetch("https://rates.example/latest", () => ({ rate: 1.25 }));
    assert.equal((await (await ctx.fetch("/api/rates?currency=EUR")).json()).rate, 1.25);
  }],
  ["sign-in at an identity provider", async (ctx) => {
    const provider = createTestIdentityProvider(ctx);
    const response = await provider.signIn("example", { sub: "1", name: "Ada" });
    assert.equal(response.status, 303);
    assert.equal((await userOf(ctx)).name, "Ada");
  }],
  ["passkeys", async (ctx) => {
    const authenticator = createTestAuthenticator();
    const registered = await authenticator.register(await ctx.withAuth({ userId: "ada" }));
    assert.ok(registered.status < 400, await registered.text());
    await authenticator.signIn(ctx);
    assert.equal((await userOf(ctx)).id, "ada");
  }],
  ["bindings that a module imports", async (ctx) => {
    assert.deepEqual(await (await ctx.fetch("/api/imported")).json(), { greeting: "hi" });
  }, { env: { GREETING: "hi" } }],
  ["durable objects, which keep what they store", async (ctx) => {
    assert.deepEqual(await (await ctx.fetch("/api/count")).json(), { count: 1 });
    assert.deepEqual(await (await ctx.fetch("/api/count")).json(), { count: 2 });
  }],
  ["durable objects of another context, which know nothing of that", async (ctx) => {
    assert.deepEqual(await (await ctx.fetch("/api/count")).json(), { count: 1 });
  }],
  ["methods of durable objects", async (ctx) => {
    const added = await ctx.fetch("/api/room", { method: "POST", body: "hello" });
    assert.deepEqual(await added.json(), { said: ["hello"] });
    const refused = await ctx.fetch("/api/room", { method: "POST", body: "" });
    assert.deepEqual([refused.status, await refused.text()], [422, "RangeError: Say something."]);
  }],
  ["durable objects that the test itself asks", async (ctx) => {
    await ctx.fetch("/api/room", { method: "POST", body: "hello" });
    const { ROOM } = ctx.env as { ROOM: { getByName(name: string): { said(): string[] } } };
    assert.deepEqual(await ROOM.getByName("lobby").said(), ["hello"]);
  }],
  ["WebSockets that a route answers", async (ctx) => {
    const ada = await ctx.withAuth({ userId: "ada", name: "Ada" });
    const socket = await ada.connect("/api/echo");
    assert.equal(socket.response.status, 101);
    assert.equal(socket.response.headers.get("x-origin"), "http://localhost");
    socket.send("one");
    socket.send("two");
    assert.equal(await socket.receive(), "Ada: one");
    assert.equal(await socket.receive(), "Ada: two");
    socket.send(new Uint8Array([1, 2, 3]).subarray(1));
    assert.deepEqual(new Uint8Array(await socket.receive() as ArrayBuffer), new Uint8Array([2, 3]));
    socket.send("bye");
    assert.deepEqual(await socket.closed, { code: 4000, reason: "bye" });
    await assert.rejects(socket.receive(), { code: "SOCKET_CLOSED", message: /4000 \("bye"\)/ });
    await assert.rejects(ctx.connect("/api/vars"), { code: "NO_SOCKET", message: /answered 200/ });
  }],
  ["WebSockets that a test takes from the response", async (ctx) => {
    const response = await ctx.fetch("/api/echo", { headers: { upgrade: "websocket" } });
    assert.equal(response.status, 101);
    const { webSocket } = response as unknown as { webSocket: PlatformSocket };
    const heard = new Promise((resolve) =>
      webSocket.addEventListener("message", ({ data }) => resolve(data))
    );
    webSocket.accept();
    webSocket.send("hello");
    assert.equal(await heard, "nobody: hello");
    webSocket.close(1000, "enough");
    assert.equal((await ctx.fetch("/api/echo")).status, 426);
  }],
  ["WebSockets that a durable object keeps", async (ctx) => {
    const ada = await ctx.connect("/api/presence?name=ada");
    assert.equal(await ada.receive(), "ada is here");
    const bob = await ctx.connect("/api/presence?name=bob");
    assert.deepEqual([await ada.receive(), await bob.receive()], ["bob is here", "bob is here"]);
    bob.send("hello");
    assert.deepEqual([await ada.receive(), await bob.receive()], ["bob: hello", "bob: hello"]);
    bob.send("ping");
    assert.equal(await bob.receive(), "pong");
    bob.close(4001, "gone");
    assert.equal(await ada.receive(), "bob left");
    assert.deepEqual(await bob.closed, { code: 4001, reason: "gone" });
    const eve = await ctx.connect("/api/presence?name=eve");
    eve.send("kick");
    assert.deepEqual(await eve.closed, { code: 4002, reason: "kicked" });
    assert.deepEqual([await ada.receive(), await ada.receive()], ["eve is here", "eve left"]);
    const { PRESENCE } = ctx.env as {
      PRESENCE: { getByName(name: string): { noted(): Promise<string[]> } };
    };
    assert.deepEqual(await PRESENCE.getByName("lobby").noted(), [
      "bob: hello",
      "bob left by 4001 gone (2, true)",
      "eve left by 4002 kicked (3, true)",
    ]);
    ada.send("reset");
    assert.equal((await ada.closed).code, 1006);
  }],
];

/** Part of the platform's sockets that a test uses. */
interface PlatformSocket {
  accept(): void;
  send(data: string): void;
  close(code: number, reason: string): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
}

Deno.test("createTestContext() names the runtimes that there are", async () => {
  const runtime = "browser" as "process";
  await assert.rejects(createTestContext({ cwd, runtime }), {
    code: "RUNTIME",
    message: /"browser".*"process" or "workerd"/,
  });
});

/** Contexts of workerd, whose cases see nothing of those before them in the same one, in this order. */
const SHARED: [name: string, cases: string[]][] = [
  ["cases in one context", [
    "a database that is empty again",
    "a form with a file",
    "buckets",
    "an unexpected error of the application",
    "another site's request is refused",
    "outgoing calls",
    "durable objects, which keep what they store",
    "methods of durable objects",
    "runAs()",
    "WebSockets that a route answers",
    "sign-out",
    "WebSockets that a test takes from the response",
    "WebSockets that a durable object keeps",
    "sign-in at an identity provider",
    "passkeys",
    "pages, routes and the database",
  ]],
  ["cases in one context, with all options", [
    "a seed",
    "variables, and those of a test",
    "a service that a test passes",
    "bindings that a module imports",
    "durable objects of another context, which know nothing of that",
    "durable objects that the test itself asks",
    "mails that the application's own function sends",
    "the clock, by Date in the application's own code",
    "withAuth(), by a session that the clock ends",
    "mails, with links that work once and end",
  ]],
];
const caseOf = (name: string) => CASES.find(([other]) => other === name)!;

// In process first: what the emulator leaves behind would count for the tests after it.
for (const [name, run, options] of CASES) {
  Deno.test(`process: ${name}`, async () => {
    await using ctx = await createTestContext({ cwd, runtime: "process", ...options });
    await run(ctx);
  });
}

Deno.test("each case has a context of workerd", () => {
  const names = CASES.map(([name]) => name);
  assert.deepEqual(SHARED.flatMap(([, cases]) => cases).sort(), names.sort());
});

for (const [name, cases] of SHARED) {
  Deno.test({
    name: `workerd: ${name}`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async (t) => {
      const options = cases.map((name) => caseOf(name)[2] ?? {});
      const env = Object.assign({}, ...options.map(({ env }) => env));
      await using ctx = await createTestContext({
        cwd,
        runtime: "workerd",
        ...Object.assign({}, ...options),
        env,
      });
      for (const name of cases) await t.step(name, () => caseOf(name)[1](ctx));
    },
  });
}

Deno.test.afterAll(remove);

Deno.test({
  name: "workerd: contexts in parallel do not see one another",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const counts = await Promise.all([1, 2].map(async (count) => {
      await using ctx = await createTestContext({ cwd, runtime: "workerd" });
      assert.throws(() => ctx.faults({ storage: "down" }), { code: "RUNTIME" });
      for (let item = 0; item < count; item++) await ctx.fetch("/api/items", addItem(`${item}`));
      return (await (await ctx.fetch("/api/items")).json()).length;
    }));
    assert.deepEqual(counts, [1, 2]);
  },
});

Deno.test({
  name: "workerd: a double with functions is refused, and says so",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const env = { CACHE: { get: () => null } };
    await assert.rejects(createTestContext({ cwd, runtime: "workerd", env }), {
      code: "OVERRIDE",
      message: /env\.CACHE/,
    });
  },
});
