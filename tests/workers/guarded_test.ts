// `assertGuarded()` for a worker and a handler, by a list of routes: each request has a copy of the data.
import { assertGuarded, createTestContext, type TestAuth } from "@framework/testing";
import { Hono } from "hono";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

interface Env {
  CACHE: { get(key: string): Promise<string | null>; delete(key: string): Promise<void> };
}

const auth: TestAuth = { signIn: ({ userId }) => ({ cookies: { user: userId } }) };
const cwd = fileURLToPath(new URL("./plain", import.meta.url));

/** @param refuses False for the change that took a guard away. */
function createNotes(refuses: boolean) {
  const app = new Hono<{ Bindings: Env }>();
  app.on(["GET", "DELETE"], "/notes/:id", async (c) => {
    const user = /user=(\w+)/.exec(c.req.header("cookie") ?? "")?.[1];
    const id = c.req.param("id");
    const isForeign = c.req.header("origin") !== undefined &&
      c.req.header("origin") !== new URL(c.req.url).origin;
    if (refuses && (user === undefined || isForeign)) return c.text("Sign in", 401);
    const owner = await c.env.CACHE.get(id);
    if (owner === null || (refuses && owner !== user)) return c.notFound();
    if (c.req.method === "DELETE") await c.env.CACHE.delete(id);
    return c.text(`A note of ${owner}`);
  });
  return app;
}

const open = async (refuses: boolean) => {
  const ctx = await createTestContext({ cwd, handler: createNotes(refuses), auth });
  const cache = ctx.env["CACHE"] as { put(key: string, value: string): Promise<void> };
  await cache.put("1", "ada");
  await cache.put("2", "bob");
  return ctx;
};

const ROUTES = {
  routes: ["GET /notes/:id", "DELETE /notes/:id"],
  params: { id: { own: "1", foreign: "2" } },
};

Deno.test("assertGuarded() asks a handler on copies of its bindings", async () => {
  await using ctx = await open(true);
  const [ada, user, other] = await Promise.all(
    ["ada", "eve", "bob"].map((userId) => ctx.withAuth({ userId })),
  );
  const { routes } = await assertGuarded(ada!, { ...ROUTES, user: user!, other: other! });
  assert.equal(routes, 2);
  assert.equal((await ada!.fetch("/notes/1")).status, 200, "the context itself has not changed");
});

Deno.test("assertGuarded() names the route of a handler that lost its guard, and what changed", async () => {
  await using ctx = await open(false);
  const [ada, user, other] = await Promise.all(
    ["ada", "eve", "bob"].map((userId) => ctx.withAuth({ userId })),
  );
  await assert.rejects(assertGuarded(ada!, { ...ROUTES, user: user!, other: other! }), {
    message: /DELETE \/notes\/:id[^]*200[^]*CACHE\.1/,
  });
});

Deno.test({
  name: "assertGuarded() asks for the routes of a worker",
  // The bundler's own process ends a moment after what it was started for.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using ctx = await createTestContext({ cwd });
    await assert.rejects(assertGuarded(ctx, {}), { code: "OPTIONS", message: /routes or openapi/ });
  },
});
