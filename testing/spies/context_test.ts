import { defineRBAC } from "@framework/auth/convention";
import { authMiddleware } from "@framework/auth/middleware";
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { createD1Database } from "../platform/d1.ts";
import { createDatabaseImage } from "../platform/sqlite.ts";
import { createMockContext } from "./context.ts";
import { createMockRequest } from "./loader_args.ts";

const user = { id: "ada", role: "admin", roles: ["editor"] };
const signedIn = { auth: { getUser: () => Promise.resolve(user) } };

Deno.test("createMockContext() knows nobody by default", async () => {
  const { auth } = createMockContext();
  assert.equal(await auth.getUser(), null);
  assert.equal(await auth.getSession(), null);
  assert.equal(await auth.isAuthenticated(), false);
  assert.equal(await auth.hasRole("admin"), false);
  await assert.rejects(auth.requireAuth(), { code: "UNAUTHENTICATED" });
  await assert.rejects(auth.requireRole("admin"), { code: "UNAUTHENTICATED" });
});

Deno.test("createMockContext() derives every operation from getUser", async () => {
  const { auth } = createMockContext(signedIn);
  assert.equal((await auth.getSession())?.user.id, "ada");
  assert.equal(await auth.isAuthenticated(), true);
  assert.deepEqual(await auth.requireAuth(), user);
  assert.equal(await auth.hasRole(["x", "editor"]), true);
  await auth.requireRole("admin");
  await assert.rejects(auth.requireRole(["x", "y"]), { code: "FORBIDDEN", requiredRole: "x, y" });
  await assert.rejects(auth.startSession("ada"), { code: "NOT_MOCKED" });
});

Deno.test("createMockContext() prefers the operations that it is given", async () => {
  const endSession = () => Promise.resolve();
  const { auth } = createMockContext({ auth: { ...signedIn.auth, endSession } });
  assert.equal(auth.endSession, endSession);
  await auth.endSession();
});

Deno.test("createMockContext() carries env, params and values", () => {
  const context = createMockContext({ env: { KEY: "x" }, params: { id: "1" } });
  assert.equal(context.env.KEY, "x");
  assert.equal(context.params.id, "1");
  context.set("tenant", "acme");
  assert.equal(context.get("tenant"), "acme");
});

Deno.test("createMockContext() builds queries over env.DB", async () => {
  const sqlite = createDatabaseImage([{ name: "1", sql: "CREATE TABLE a (id)" }]).open();
  try {
    const { db } = createMockContext({ env: { DB: createD1Database(sqlite) } });
    const result = await db.insertInto("a").values({ id: "x" }).executeTakeFirst();
    assert.equal(result.numInsertedOrUpdatedRows, 1n);
    assert.deepEqual(await db.selectFrom("a").selectAll().execute(), [{ id: "x" }]);
    await assert.rejects(db.transaction().execute(() => Promise.resolve()), /batch\(\)/);
  } finally {
    sqlite.close();
  }
});

Deno.test("createMockContext() has an empty database in a folder without a project", async () => {
  const { db } = createMockContext({ cwd: tmpdir() });
  await db.schema.createTable("a").addColumn("id", "text").execute();
  await db.insertInto("a").values({ id: "x" }).execute();
  assert.deepEqual(await db.selectFrom("a").selectAll().execute(), [{ id: "x" }]);
});

// Tracks: SP-A2
Deno.test("createMockContext() derives permissions from roles", async () => {
  const rbac = defineRBAC({
    roles: [{ id: "editor", name: "Editor", permissions: ["posts:write"] }],
  });
  const auth = { getUser: () => Promise.resolve({ id: "ada", roles: ["editor"] }) };
  const next = () => Promise.resolve(new Response());
  for (const [permission, status] of [["posts:write", 200], ["posts:delete", 403]] as const) {
    const context = createMockContext({ auth, rbac });
    const middleware = authMiddleware({ permission });
    const response = await middleware(createMockRequest("/"), next, context);
    assert.equal(response.status, status);
    assert.equal(await context.auth.hasPermission(permission), status === 200);
  }
  const { auth: own } = createMockContext({ auth, rbac });
  await own.requirePermission("posts:write");
  await assert.rejects(own.requirePermission("posts:delete"), {
    code: "FORBIDDEN",
    requiredPermission: "posts:delete",
  });
  const visitor = createMockContext({ rbac });
  assert.equal(await visitor.auth.hasPermission("posts:write"), false);
  await assert.rejects(visitor.auth.requirePermission("posts:write"), { code: "UNAUTHENTICATED" });
  await assert.rejects(createMockContext({ auth }).auth.hasPermission("posts:write"), {
    code: "NOT_MOCKED",
    message: /hasPermission.*\{ rbac \}/,
  });
});
