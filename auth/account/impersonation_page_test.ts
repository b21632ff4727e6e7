import assert from "node:assert/strict";
import { apiKeys } from "../api_key/provider.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { passwords } from "../sign_in/password/provider.ts";
import { secondFactor } from "../sign_in/second_factor/provider.ts";
import { createMemoryTenantMembers, createMemoryTenantStorage } from "../tenant/memory.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import { ORIGIN } from "../tests/application.ts";
import { impersonationBanner } from "./impersonation.ts";
import { ROLES, withPeople } from "../tests/impersonation_application.ts";

Deno.test("a note on every page says who acts, and stops it; programs read the same", () =>
  withPeople(async (application, { support }) => {
    const { send, within } = application;
    const acting = await application.act(support);
    for (const path of ["/account", "/admin", "/signout"]) {
      const page = await (await send(path, { cookie: acting })).text();
      assert.match(page, /You act for <bdi>reader<\/bdi> until/, path);
      assert.match(page, /action="\/auth\/impersonation\/end"/, path);
    }
    // A page of the application has none of the library's styles, and may forbid those in attributes.
    const banner = await within(acting, impersonationBanner) ?? "";
    assert.match(banner, /^<div class="impersonation" role="status">\s*<p>You act for/);
    assert.doesNotMatch(banner, / style=|<svg/);
    assert.equal(await within(support, impersonationBanner), null);
    const session = await (await send("/session", { cookie: acting })).json();
    assert.equal(session.user.id, "reader");
    assert.deepEqual(session.actor, { id: "support", name: "support" });
    const end = await send("/impersonation/end", { cookie: acting, fields: {} });
    assert.equal(end.headers.get("location"), `${ORIGIN}/auth/admin/user?id=reader`);
  }));

Deno.test("the page of a user offers it to who may, with a reason and a time", () =>
  withPeople(async (application, { support, owner }) => {
    const page = async (cookie: string, id: string) =>
      await (await application.send(`/admin/user?id=${id}`, { cookie })).text();
    assert.match(await page(support, "reader"), /Sign in as this user/);
    for (const id of ["owner", "support"]) {
      assert.doesNotMatch(await page(support, id), /Sign in as this user/, id);
    }
    assert.match(await page(owner, "editor"), /<option value="900">15 minutes<\/option>/);
  }));

Deno.test("the account page offers nothing that only its owner may do, and says so", () =>
  withPeople(async ({ act, send }, { support, reader }) => {
    const offers = [
      "sign in again",
      ">Change password<",
      ">Set a password<",
      ">Set up<",
      ">Create an API key<",
      "Download your data",
      "Delete account",
      "then change how you sign in",
    ];
    const own = await (await send("/account", { cookie: reader })).text();
    const page = await (await send("/account", { cookie: await act(support) })).text();
    assert.match(page, /<p>Only <bdi>reader<\/bdi> can change this account\.<\/p>/);
    assert.doesNotMatch(own, /can change this account/);
    for (const offer of offers) assert.equal(page.includes(offer), false, offer);
    for (const offer of offers.slice(3)) assert.equal(own.includes(offer), true, offer);
    // Every link that is left can be followed.
    for (const [, href] of page.matchAll(/<a [^>]*href="(\/auth[^"]*)"/g)) {
      const { status } = await send(href!.slice("/auth".length), { cookie: await act(support) });
      assert.ok(status < 400, href);
    }
  }, {
    secret: "s".repeat(32),
    providers: [
      passwords({ sendMail() {} }),
      secondFactor({ sendMail() {} }),
      passkey(),
      apiKeys({ prefix: "acme" }),
    ],
  }));

Deno.test("the page of a user with more rights in a team says why it is not offered", async () => {
  const tenants = createMemoryTenantStorage();
  const members = createMemoryTenantMembers();
  await tenants.create({ id: "t1", slug: "acme", name: "Acme" });
  await withPeople(async ({ send }, { support, owner }) => {
    await members.add({
      tenantId: "t1",
      userId: "reader",
      roles: ["lead"],
      createdAt: new Date(0),
    });
    const page = async (cookie: string) =>
      await (await send("/admin/user?id=reader", { cookie })).text();
    const [refused, offered] = [await page(support), await page(owner)];
    const why = "This user has rights in a team that you don’t have, so you can’t sign in as them.";
    const action = 'action="/auth/impersonation"';
    assert.deepEqual([refused.includes(why), refused.includes(action)], [true, false]);
    assert.deepEqual([offered.includes(why), offered.includes(action)], [false, true]);
  }, {
    rbac: defineRBAC({
      roles: ROLES,
      teamRoles: [{ id: "lead", name: "Lead", permissions: ["team:manage"] }],
    }),
    tenancy: defineTenancy({ strategy: "header", storage: tenants, members }),
  });
});
