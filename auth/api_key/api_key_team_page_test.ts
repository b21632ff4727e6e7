import assert from "node:assert/strict";
import { defineRBAC } from "../rbac/roles.ts";
import { teamPage } from "../team/page.ts";
import { createKeyApplication } from "../tests/api_key_application.ts";
import { ORIGIN } from "../tests/application.ts";

const TEAM_ROLES = [
  { id: "owner", name: "Owner", permissions: ["team:*", "posts:read", "posts:update"] },
  { id: "member", name: "Member", permissions: ["posts:read"] },
];

Deno.test("the page of a team has its keys, for those who manage them, and says who made each", async () => {
  const app = createKeyApplication({
    rbac: defineRBAC({ roles: [], teamRoles: TEAM_ROLES }),
    providers: [teamPage({ sendMail() {} })],
  }, {
    teamPermission: "team:keys",
    permissions: { "posts:read": "Read posts", "posts:delete": "Delete posts" },
  });
  const { tenants, members } = app;
  await tenants.create({ id: "t1", slug: "acme", name: "Acme" });
  const at = { createdAt: new Date(0) };
  const [ada, bob] = [await app.signIn("ada"), await app.signIn("bob")];
  await members.add({ tenantId: "t1", userId: "ada", roles: ["owner"], ...at });
  await members.add({ tenantId: "t1", userId: "bob", roles: ["member"], ...at });
  const headers = { accept: "text/html" };
  const page = async (cookie: string) =>
    await (await app.send("/team?team=acme", { cookie, headers })).text();

  assert.equal((await page(bob)).includes('id="api-keys"'), false);
  const empty = await page(ada);
  assert.match(empty, /No API keys yet/);
  assert.match(empty, /<input type="hidden" name="tenant" value="t1">/);
  // What the owner of the team may not do there, no key of the team can be given.
  assert.match(empty, /name="can:posts:read"/);
  assert.equal(empty.includes("can:posts:delete"), false);

  const [, callbackUrl] = /name="callbackUrl" value="([^"]*)"/.exec(
    empty.slice(empty.indexOf('id="api-keys"')),
  )!;
  const fields = {
    name: "Import",
    tenant: "t1",
    "can:posts:read": "yes",
    days: "90",
    callbackUrl: callbackUrl!,
  };
  // A form without a permission leads back to its page, which says so.
  const { "can:posts:read": _none, ...without } = fields;
  const empties = await app.send("/api-keys", { cookie: ada, fields: without, headers });
  const { pathname, search } = new URL(empties.headers.get("location")!);
  assert.equal(pathname + search, "/auth/team?team=acme&error=BAD_REQUEST&keyName=Import");
  const again = await app.send(pathname.slice("/auth".length) + search, { cookie: ada, headers });
  assert.match(await again.text(), /Fill in every required field and try again/);
  const refused = await app.send("/api-keys", { cookie: bob, fields, headers });
  assert.equal(refused.status, 403);
  const shown = await app.send("/api-keys", { cookie: ada, fields, headers });
  assert.equal(shown.headers.get("cache-control"), "no-store");
  const text = await shown.text();
  const [key] = /acme_live_\w+/.exec(text)!;
  assert.match(text, /href="\/auth\/team\?team=acme#api-keys"/);
  const guard = { apiKey: true, permission: "posts:read" };
  assert.equal((await app.ask(key, { guard, headers: { "x-tenant-id": "acme" } })).status, 200);

  const listed = await page(ada);
  assert.match(listed, /Import/);
  assert.match(listed, /Created by <bdi>ada<\/bdi>/);
  assert.equal(listed.includes(key.split("_")[3]!), false);
  const [, id] = /name="id" value="(\w{17})"/.exec(listed)!;
  const revoked = await app.send("/api-keys/revoke", {
    cookie: ada,
    fields: { id: id!, tenant: "t1", callbackUrl: callbackUrl! },
    headers,
  });
  assert.equal(revoked.headers.get("location"), `${ORIGIN}/auth/team?team=acme#api-keys`);
  assert.equal((await app.ask(key, { guard, headers: { "x-tenant-id": "acme" } })).status, 401);
  app.close();
});

// Tracks: R188
Deno.test("who removes a member is told of the keys that the member has made", async () => {
  const app = createKeyApplication({
    rbac: defineRBAC({ roles: [], teamRoles: TEAM_ROLES }),
    providers: [teamPage({ sendMail() {} })],
  }, { teamPermission: "team:keys", permissions: { "posts:read": "Read posts" } });
  const { tenants, members } = app;
  await tenants.create({ id: "t1", slug: "acme", name: "Acme" });
  const at = { createdAt: new Date(0) };
  const people = ["ada", "bob", "cy"] as const;
  const [ada, bob] = await Promise.all(people.map((name) => app.signIn(name)));
  for (const userId of people) {
    await members.add({ tenantId: "t1", userId, roles: ["owner"], ...at });
  }
  const headers = { accept: "text/html" };
  for (const [cookie, name] of [[ada!, "Mine"], [bob!, "Import <1>"], [bob!, "Export"]] as const) {
    const fields = { name, tenant: "t1", "can:posts:read": "yes", days: "90" };
    assert.equal((await app.send("/api-keys", { cookie, fields, headers })).status, 200);
  }
  const remove = async (user: string) => {
    const fields = { team: "acme", user };
    const sent = await app.send("/team/members/remove", { cookie: ada!, fields, headers });
    const { pathname, search } = new URL(sent.headers.get("location")!);
    const page = await app.send(pathname.slice("/auth".length) + search, { cookie: ada!, headers });
    return await page.text();
  };
  const page = await remove("bob");
  assert.match(page, /They are no longer a member/);
  assert.match(
    page,
    /still work: <bdi>(?:Import &lt;1&gt;|Export)<\/bdi>, <bdi>(?:Import &lt;1&gt;|Export)<\/bdi>\. <a href="#api-keys"/,
  );
  assert.doesNotMatch(await remove("cy"), /still work/);
  app.close();
});
