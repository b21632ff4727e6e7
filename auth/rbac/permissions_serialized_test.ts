import fc from "fast-check";
import assert from "node:assert/strict";
import {
  createUser,
  defineRBAC,
  hasPermission,
  requirePermission,
  requireRole,
  type SerializedRbac,
  serializeRbac,
  startSession,
} from "../mod.ts";
import { createTestApplication, visit } from "../tests/application.ts";
import { createPermissionChecker, createRbac, rulesFor } from "./permissions.ts";
import { type RbacConfig, readRbac } from "./roles.ts";

const CONFIG: RbacConfig = {
  roles: [
    { id: "reader", name: "Reader", permissions: ["posts:read"] },
    { id: "author", name: "Author", permissions: ["posts:update:own", "drafts:*"] },
    { id: "admin", name: "Admin", permissions: ["*"] },
    { id: "__proto__", name: "Prototype", permissions: ["__proto__:constructor"] },
    { id: "constructor", name: "Constructor", permissions: [] },
  ],
  hierarchy: JSON.parse('{"author":["reader"],"constructor":["__proto__","author"]}'),
  defaultRole: "reader",
};
const RBAC = createRbac(readRbac(CONFIG));

const role = fc.constantFrom("reader", "author", "admin", "__proto__", "constructor", "ghost");
const user = fc.record({
  id: fc.constant("ada"),
  role,
  roles: fc.array(role, { maxLength: 2 }),
}, { requiredKeys: ["id"] });
const asked = fc.constantFrom(
  "posts:read",
  "posts2:read",
  "posts:update",
  "posts:update:own",
  "drafts:any",
  "drafts:*",
  "*",
  "__proto__:constructor",
  "constructor",
);

// Tracks: R128, R129, R131
Deno.test("createPermissionChecker() says in a browser what the server says", () => {
  const all = createPermissionChecker(JSON.parse(JSON.stringify(RBAC)));
  const options = fc.constantFrom(undefined, {}, { ownerId: "ada" }, { ownerId: "bob" });
  fc.assert(
    fc.property(user, fc.oneof(asked, fc.array(asked)), options, (who, question, given) => {
      const expected = RBAC.permits(who, question, given);
      const own = createPermissionChecker(JSON.parse(JSON.stringify(rulesFor(RBAC.toJSON(), who))));
      assert.equal(all(who, question, given), expected);
      assert.equal(own(who, question, given), expected);
      assert.equal(all(null, question, given), false);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("rulesFor() leaves out what says nothing about the user", () => {
  const ids = (rules: SerializedRbac) => rules.roles.map(([id]) => id);
  const all = RBAC.toJSON();
  assert.deepEqual(ids(rulesFor(all, { id: "a", role: "author" })), ["reader", "author"]);
  assert.deepEqual(ids(rulesFor(all, { id: "a" })), ["reader"]);
  assert.deepEqual(ids(rulesFor(all, { id: "a", role: "ghost" })), []);
  assert.deepEqual(ids(rulesFor(all, null)), []);
});

Deno.test("serializeRbac() gives the rules of who is signed in", async () => {
  const application = createTestApplication({ rbac: defineRBAC(CONFIG) });
  const response = await visit(application, async () => {
    const before = serializeRbac();
    await createUser({ id: "eve", role: "author" });
    await startSession("eve");
    return Response.json([before, serializeRbac()]);
  }, { method: "POST" });
  assert.deepEqual(await response.json(), [
    { roles: [], defaultRole: null },
    {
      roles: [["reader", ["posts:read"], []], ["author", ["posts:update:own", "drafts:*"], [
        "reader",
      ]]],
      defaultRole: "reader",
    },
  ]);
  application.close();
});

// Tracks: R133
Deno.test("requirePermission() and requireRole() take a list of which any suffices, and say what they wanted", async () => {
  const application = createTestApplication({ rbac: defineRBAC(CONFIG) });
  const rows: [(() => void) | (() => boolean), unknown][] = [
    [() => requirePermission(["users:read", "posts:read"]), "passed"],
    [() => requirePermission("posts:read"), "passed"],
    [() => requirePermission(["users:read", "users:write"]), {
      requiredPermission: "users:read, users:write",
    }],
    [() => requirePermission("users:read"), { requiredPermission: "users:read" }],
    [() => requirePermission([]), { requiredPermission: "" }],
    [() => requireRole(["admin", "reader"]), { requiredRole: "admin, reader" }],
    [() => requireRole("admin"), { requiredRole: "admin" }],
    [() => requireRole(["admin", "author"]), "passed"],
  ];
  const response = await visit(application, async ({ auth }) => {
    await createUser({ id: "eve", role: "author" });
    await startSession("eve");
    for (const [attempt, expected] of rows) {
      try {
        attempt();
        assert.equal("passed", expected);
      } catch (error) {
        const { code, status, requiredRole, requiredPermission } = error as Record<string, unknown>;
        assert.deepEqual([code, status], ["FORBIDDEN", 403]);
        assert.deepEqual(
          {
            ...(requiredRole !== undefined && { requiredRole }),
            ...(requiredPermission !== undefined && { requiredPermission }),
          },
          expected,
        );
      }
    }
    assert.equal(hasPermission([]), false);
    assert.equal(hasPermission(["users:read", "drafts:x"]), true);
    assert.equal(await auth.hasPermission(["users:read", "drafts:x"]), true);
    await assert.rejects(auth.requirePermission(["users:read"]), { code: "FORBIDDEN" });
    return new Response("done");
  }, { method: "POST" });
  assert.equal(await response.text(), "done");
  application.close();
});

// Tracks: R130
Deno.test("createRbac() keeps no more answers than it needs, whatever is asked", () => {
  const who = { id: "ada", role: "author" };
  for (let index = 0; index < 5000; index++) {
    assert.equal(RBAC.permits(who, `drafts:${index}`), true);
    assert.equal(RBAC.permits(who, `x:${index}`), false);
  }
  assert.equal(RBAC.permits(who, `drafts:${"x".repeat(10_000)}`), true);
  assert.equal(RBAC.permits(who, "posts:read"), true);
});
