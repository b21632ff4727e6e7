// Applications that are a `fetch`, without a project, and `withAuth()` by a test's own way to sign in.
import { createTestContext, type TestAuth, type TestContextOptions } from "@framework/testing";
import { WorkerEntrypoint } from "@framework/testing/cloudflare";
import { Hono } from "hono";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inMatrix } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { BUILT, openBuilt } from "./built_handlers.ts";

const cwd = await mkdtemp(join(tmpdir(), "handler-"));
Deno.test.afterAll(() => rm(cwd, { recursive: true }));

function createApp() {
  const app = new Hono<{ Bindings: { GREETING?: string } }>();
  app.get("/", (c) => c.text(`${c.env?.GREETING ?? "Hello"} ${new Date().toISOString()}`));
  app.get("/me", (c) => c.json([c.req.header("cookie"), c.req.header("authorization")]));
  app.post("/sign-in", async (c) => {
    c.header("set-cookie", `user=${await c.req.text()}; Path=/; Max-Age=60; HttpOnly`);
    return c.redirect("/");
  });
  app.get("/rates", async (c) => c.json(await (await fetch("https://rates.example/")).json()));
  app.get("/later", (c) => {
    c.executionCtx.waitUntil(Promise.reject(new RangeError("too late")));
    return c.text("now");
  });
  return app;
}

const app = createApp();
const clock = Date.UTC(2026, 0, 1);
const HANDLERS = {
  "an object with fetch": { fetch: app.fetch },
  "an application of Hono": app,
  "a function": (request: Request, env: object, ctx: ExecutionContext) =>
    app.fetch(request, env, ctx),
  "a class with fetch": new (class {
    #app = app;
    fetch(request: Request, env: object, ctx: ExecutionContext) {
      return this.#app.fetch(request, env, ctx);
    }
  })(),
};

type ExecutionContext = Parameters<typeof app.fetch>[2];

for (const [name, handler] of Object.entries(HANDLERS)) {
  Deno.test(`${name}: variables, clock, outgoing calls and work after the answer`, async () => {
    const env = { GREETING: "Good morning" };
    await using ctx = await createTestContext({ cwd, handler, env, clock });
    assert.equal(await (await ctx.fetch("/")).text(), "Good morning 2026-01-01T00:00:00.000Z");
    ctx.onFetch("https://rates.example/", () => [1]);
    assert.deepEqual(await (await ctx.fetch("/rates")).json(), [1]);
    await ctx.fetch("/later");
    await assert.rejects(ctx.settled(), { name: "RangeError", message: "too late" });
    assert.throws(() => ctx.db, { code: "NO_DATABASE" });
    await assert.rejects(ctx.withAuth({ userId: "ada" }), {
      code: "NO_AUTH",
      message: /auth: \{ signIn/,
    });
  });
}

const WAYS: Record<string, { auth: TestAuth; me: unknown }> = {
  "a plain cookie": {
    auth: { signIn: ({ userId }) => ({ cookies: { user: userId } }) },
    me: ["user=ada", null],
  },
  "a line of Set-Cookie": {
    auth: { signIn: ({ userId }) => ({ cookies: [`user=${userId}; Path=/; HttpOnly`] }) },
    me: ["user=ada", null],
  },
  "a header": {
    auth: { signIn: ({ userId }) => ({ headers: { Authorization: `Bearer ${userId}` } }) },
    me: [null, "Bearer ada"],
  },
  "the application's own form": {
    auth: {
      async signIn({ userId }, visitor) {
        await visitor.fetch("/sign-in", { method: "POST", body: userId });
      },
    },
    me: ["user=ada", null],
  },
};

for (const [name, { auth, me }] of Object.entries(WAYS)) {
  Deno.test(`withAuth() signs in by ${name}`, async () => {
    await using ctx = await createTestContext({ cwd, handler: createApp(), auth });
    const ada = await ctx.withAuth({ userId: "ada" });
    const bob = await ctx.withAuth({ userId: "bob" });
    assert.deepEqual(await (await ada.fetch("/me")).json(), me);
    assert.deepEqual(
      await (await bob.fetch("/me")).json(),
      JSON.parse(JSON.stringify(me).replace("ada", "bob")),
    );
    assert.deepEqual(await (await ctx.fetch("/me")).json(), [null, null]);
  });
}

Deno.test("a session of withAuth() ends by the clock, as its cookie says", async () => {
  const { auth } = WAYS["the application's own form"]!;
  await using ctx = await createTestContext({ cwd, handler: createApp(), auth });
  const ada = await ctx.withAuth({ userId: "ada" });
  await ctx.clock.advance("2m");
  assert.deepEqual(await (await ada.fetch("/me")).json(), [null, null]);
});

Deno.test("Date is the machine's outside of contexts, and dates stay dates", async () => {
  const before = Date.now();
  let seen: unknown[] = [];
  const handler = () => {
    seen = [
      new Date().getTime(),
      new Date(5).getTime(),
      new Date(2020, 1).getFullYear(),
      new Date() instanceof Date,
      new Date().constructor === Date,
      structuredClone(new Date(7)) instanceof Date,
      class extends Date {}.now(),
      new (class Own extends Date {})() instanceof Date,
    ];
    return new Response();
  };
  await using ctx = await createTestContext({ cwd, handler, clock: 1000 });
  await ctx.fetch("/");
  assert.deepEqual(seen, [1000, 5, 2020, true, true, true, 1000, true]);
  assert.ok(Date.now() >= before);
  assert.ok(new Date().getTime() >= before);
});

const account = {
  name: "Ada",
  email: "ada@example.com",
  password: "a sentence that nobody guesses",
};

for (const name of inMatrix && nodeIsAvailable ? Object.keys(BUILT) : []) {
  Deno.test({
    name: `what ${name} has built: sign-up by a mail, a page for users, a form, and the clock`,
    // It keeps its database open.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const { handler, remove } = await openBuilt(name);
      try {
        await using ctx = await createTestContext({ cwd, handler });
        const { requests } = ctx.onFetch("https://mailer.example/send", () => ({ sent: true }));
        assert.match((await ctx.fetch("/account")).headers.get("location") ?? "", /auth\/signin/);
        await ctx.submit(await ctx.fetch("/auth/signup"), account);
        await ctx.settled();
        const { url } = await requests.at(-1)!.json();
        await ctx.submit(await ctx.fetch(url));
        const page = await ctx.fetch("/account");
        assert.match(await page.text(), /Hello Ada/);

        const stranger = { origin: "https://elsewhere.example" };
        const form = { method: "POST", body: new URLSearchParams() };
        assert.equal((await ctx.fetch("/account", { ...form, headers: stranger })).status, 403);
        await ctx.submit(await ctx.fetch("/account"));
        assert.match((await ctx.fetch("/account")).headers.get("location") ?? "", /auth\/signin/);

        const { email, password } = account;
        const body = new URLSearchParams({ email, password });
        await ctx.fetch("/auth/signin/passwords", { method: "POST", body });
        assert.match(await (await ctx.fetch("/account")).text(), /Hello Ada/);
        await ctx.clock.advance("31d");
        assert.match((await ctx.fetch("/account")).headers.get("location") ?? "", /auth\/signin/);
      } finally {
        await remove();
      }
    },
  });
}

Deno.test("a typed environment takes the class of another worker for its service binding", async () => {
  interface Env {
    PRICES: { of(name: string): Promise<number> };
    LIMIT: number;
  }
  class Prices extends WorkerEntrypoint {
    of(name: string): number {
      return name.length;
    }
  }
  const handler = async (_request: Request, { PRICES, LIMIT }: Env) =>
    Response.json([await PRICES.of("bread"), LIMIT]);
  await using ctx = await createTestContext<Env>({ handler, env: { PRICES: Prices, LIMIT: 2 } });
  assert.deepEqual(await (await ctx.fetch("/")).json(), [5, 2]);
  assert.equal(await ctx.env.PRICES.of("egg"), 3);
  // @ts-expect-error: variables are of their type.
  const wrong: TestContextOptions<Env>["env"] = { LIMIT: "2" };
  assert.ok(wrong);
});
