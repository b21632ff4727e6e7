import { codeOf, INVALID, overEach, REFUSED } from "../tests/api_key_application.ts";
import assert from "node:assert/strict";
import { requireAuth, requirePermission, requireRecentAuth } from "../session/operations.ts";
import { disableUser, setUserRoles } from "../session/users.ts";
import { deleteTenant, requireMember } from "../tenant/operations.ts";
import { during } from "../tests/during.ts";
import { listApiKeys, rotateApiKey } from "./operations.ts";

// Tracks: R188, R189
Deno.test(
  "a team's key is nobody: it has what it was given, in that team alone",
  overEach(async (app) => {
    const { tenants, members } = app;
    for (const id of ["t1", "t2"]) await tenants.create({ id, slug: id, name: id });
    const cookie = await app.signIn();
    const at = { createdAt: new Date(0) };
    await members.add({ tenantId: "t1", userId: "ada", roles: ["keeper"], ...at });
    await members.add({ tenantId: "t2", userId: "ada", roles: [], ...at });
    const { id, key } = await app.make({ tenant: "t1", permissions: "posts:read" }, cookie);
    const here = { "x-tenant-id": "t1" };
    const permission = "posts:read";
    const seen = await app.ask(key, {
      guard: { apiKey: true, permission },
      headers: here,
      may: [permission, "posts:update", "posts:read:own"],
    });
    const actor = { kind: "key", id, name: "Export", userId: null, tenantId: "t1" };
    assert.deepEqual(await seen.json(), { user: null, actor, may: [true, false, true] });
    // Nothing without a permission, and never as somebody.
    for (
      const guard of [{ apiKey: true }, { apiKey: true, permission: "posts:update" }, {
        apiKey: true,
        permission: "posts:update:own",
      }]
    ) {
      assert.equal((await app.ask(key, { guard, headers: here })).status, 403);
    }
    const authorize = () => true;
    assert.equal(
      (await app.ask(key, { guard: { apiKey: true, permission, authorize }, headers: here }))
        .status,
      403,
    );
    for (
      const work of [
        () => requireAuth({ throwError: true }),
        requireMember,
        () => requireRecentAuth({ throwError: true }),
      ]
    ) {
      const refusal = await app.ask(key, {
        guard: { apiKey: true, permission },
        headers: here,
        work: () => Response.json(work()),
      });
      assert.equal(refusal.status, 401);
    }
    const required = await app.ask(key, {
      guard: { apiKey: true, permission },
      headers: here,
      work: () => {
        requirePermission(permission);
        return new Response("yes");
      },
    });
    assert.equal(await required.text(), "yes");
    for (const headers of [{ "x-tenant-id": "t2" }, { "x-tenant-id": "t3" }, {}]) {
      const elsewhere = await app.ask(key, {
        guard: { apiKey: true, permission },
        headers: headers as Record<string, string>,
      });
      assert.deepEqual(await codeOf(elsewhere), REFUSED);
    }
    // It outlives its maker there, and ends with the team.
    await members.remove("t1", "ada");
    await during(app, undefined, () => disableUser("ada"));
    const guard = { apiKey: true, permission };
    assert.equal((await app.ask(key, { guard, headers: here })).status, 200);
    await tenants.update("t1", { suspended: true });
    assert.equal((await app.ask(key, { guard, headers: here })).status, 403);
    await tenants.update("t1", { suspended: false });
    await during(app, undefined, () => deleteTenant("t1"));
    await tenants.create({ id: "t1", slug: "t1", name: "Another" });
    assert.deepEqual(await codeOf(await app.ask(key, { guard, headers: here })), INVALID);
  }),
);

// Tracks: R188, R189
Deno.test(
  "a team's key is made by who may, with no more than they hold there, and by no role of the site",
  overEach(async (app) => {
    const { tenants, members, clock } = app;
    for (const id of ["t1", "t2"]) await tenants.create({ id, slug: id, name: id });
    const at = { createdAt: new Date(0) };
    const [ada, bob, eve] = [
      await app.signIn("ada"),
      await app.signIn("bob"),
      await app.signIn("eve"),
    ];
    await during(app, undefined, () => setUserRoles("eve", { roles: ["admin", "keeper"] }));
    await members.add({ tenantId: "t1", userId: "ada", roles: ["keeper"], ...at });
    await members.add({ tenantId: "t1", userId: "bob", roles: ["clerk"], ...at });
    await members.add({ tenantId: "t1", userId: "eve", roles: [], ...at });
    async function make(cookie: string, tenant: string, permissions: string): Promise<number> {
      const json = { name: "Key", tenant, permissions };
      const headers = { accept: "application/json" };
      return (await app.send("/api-keys", { cookie, json, headers })).status;
    }
    assert.equal(await make(ada, "t1", "posts:read posts:update"), 200);
    assert.equal(await make(ada, "t1", "posts:delete"), 403);
    assert.equal(await make(ada, "t1", "*"), 403);
    assert.equal(await make(ada, "t1", "posts:read:own"), 400);
    assert.equal(await make(ada, "t1", ""), 400);
    assert.equal(await make(bob, "t1", "posts:read"), 200);
    assert.equal(await make(bob, "t1", "posts:update"), 403);
    // An administrator of the site is nobody in a team.
    assert.equal(await make(eve, "t1", "posts:read"), 403);
    assert.equal(await make(ada, "t2", "posts:read"), 403);
    assert.equal(await make(ada, "no such", "posts:read"), 403);
    // Whoever rotates is given what the key may do.
    const own = await during(app, ada, () => listApiKeys({ tenantId: "t1" }));
    const strong = own.result.find(({ permissions }) => permissions.includes("posts:update"))!;
    await assert.rejects(
      during(app, bob, () => rotateApiKey(strong.id, { tenantId: "t1" })),
      { code: "FORBIDDEN" },
    );
    const made = await during(app, ada, () => listApiKeys({ tenantId: "t1", createdBy: "bob" }));
    assert.deepEqual(made.result.map(({ createdBy }) => createdBy), ["bob"]);
    // A demotion counts from then on.
    await members.setRoles("t1", "bob", []);
    assert.equal(await make(bob, "t1", "posts:read"), 403);
    clock.now += 700_000;
    assert.equal(await make(ada, "t1", "posts:read"), 401);
  }),
);

Deno.test(
  "in a team a user's key has the rights of the member too, and shows no role",
  overEach(async (app) => {
    const { tenants, members } = app;
    await tenants.create({ id: "t1", slug: "t1", name: "t1" });
    const { key } = await app.make({ permissions: "posts:update keys:manage" });
    const headers = { "x-tenant-id": "t1" };
    assert.deepEqual(await codeOf(await app.ask(key, { headers })), REFUSED);
    await members.add({ tenantId: "t1", userId: "ada", roles: ["keeper"], createdAt: new Date(0) });
    const may = ["posts:update", "posts:read", "keys:manage"];
    const seen = await (await app.ask(key, { headers, may })).json();
    assert.deepEqual([seen.user.id, seen.user.roles, seen.may], ["ada", undefined, [
      true,
      false,
      true,
    ]]);
    const member = await app.ask(key, {
      headers,
      work: () => Response.json(requireMember().roles),
    });
    assert.deepEqual(await member.json(), []);
    // Outside of the team those rights are none.
    assert.deepEqual((await (await app.ask(key, { may })).json()).may, [false, false, false]);
    await members.remove("t1", "ada");
    assert.deepEqual(await codeOf(await app.ask(key, { headers })), REFUSED);
  }),
);

Deno.test(
  "a key that does not count says by one sentence what of its tenant may be wrong, and that of a browser at the pages alone",
  overEach(async (app) => {
    const { tenants, members } = app;
    for (const id of ["t1", "t2"]) await tenants.create({ id, slug: id, name: id });
    const at = { createdAt: new Date(0) };
    const cookie = await app.signIn();
    await members.add({ tenantId: "t1", userId: "ada", roles: ["keeper"], ...at });
    const { key } = await app.make({ tenant: "t1", permissions: "posts:read" }, cookie);
    const own = await app.make({ permissions: "posts:read" }, cookie);
    const guard = { apiKey: true, permission: "posts:read" };
    const messageOf = async (one: string, tenant?: string): Promise<string> => {
      const headers: Record<string, string> = tenant === undefined ? {} : { "x-tenant-id": tenant };
      const response = await app.ask(one, { guard, headers });
      const { code, message } = await response.json();
      assert.deepEqual([response.status, code], REFUSED);
      return message;
    };
    const said = [
      await messageOf(key),
      await messageOf(key, "t2"),
      await messageOf(key, "unknown"),
      await messageOf(own.key, "t2"),
    ];
    await tenants.update("t1", { suspended: true });
    said.push(await messageOf(key, "t1"));
    assert.deepEqual(new Set(said).size, 1, said.join("\n"));
    assert.match(
      said[0]!,
      /another tenant than the key's or none, .* suspended, or .* no access, or .* older: then make a new key, .* as old\.$/,
    );
    const headers = { authorization: `Bearer ${key}`, accept: "application/json" };
    const page = await app.send("/session", { method: "GET", headers });
    assert.match((await page.json()).message, /Sign in with a browser\.$/);
  }),
);
