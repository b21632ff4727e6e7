// A request whose last byte is held back: what its sender may do is asked when all of it is here.
import assert from "node:assert/strict";
import { defineRBAC } from "../rbac/roles.ts";
import { disableUser } from "../session/users.ts";
import { endSessions } from "../session/user_sessions.ts";
import { teamPage } from "../team/page.ts";
import { createSqlTenantMembers, createSqlTenantStorage } from "../tenant/sql.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import { createTestApplication, ORIGIN, passwordProvider } from "../tests/application.ts";
import { adminPage } from "./admin_page.ts";
import { accountPage } from "./page.ts";

async function createApplication() {
  const application = createTestApplication({
    rateLimit: false,
    rbac: defineRBAC({
      roles: [{ id: "admin", name: "Administrator", permissions: ["*"] }],
      teamRoles: [{ id: "owner", name: "Owner", permissions: ["team:*"] }, {
        id: "member",
        name: "Member",
        permissions: [],
      }],
    }),
    tenancy: defineTenancy({ strategy: "path" }),
    providers: [
      passwordProvider(),
      accountPage({ sendEmailChange: () => Promise.resolve() }),
      adminPage({ permission: "users:manage" }),
      teamPage({ sendMail() {}, canCreate: true }),
    ],
  });
  const { auth, database } = application;
  const { sqlite } = database;
  const thief = await application.signIn("ada");
  await application.signIn("bob");
  sqlite.exec("UPDATE users SET role = 'admin' WHERE id = 'ada'");
  sqlite.exec("UPDATE users SET email_verified = 1, email = id || '@example.com'");
  const { id: tenantId } = await createSqlTenantStorage(database).create({
    slug: "acme",
    name: "Acme",
  });
  const members = createSqlTenantMembers(database);
  for (const [userId, role] of [["ada", "owner"], ["bob", "member"]] as const) {
    await members.add({ tenantId, userId, roles: [role], createdAt: new Date(0) });
  }

  /** Sends all but the last byte, does something else, and sends that one. */
  async function hold(
    path: string,
    fields: Record<string, string>,
    meanwhile: () => Promise<unknown> | unknown,
  ): Promise<Response> {
    const bytes = new TextEncoder().encode(new URLSearchParams(fields).toString());
    let rest: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        rest = controller;
        controller.enqueue(bytes.subarray(0, -1));
      },
    });
    const headers = {
      cookie: thief,
      origin: ORIGIN,
      "content-type": "application/x-www-form-urlencoded",
    };
    const answer = auth.handle(
      new Request(`${ORIGIN}/auth${path}`, { method: "POST", headers, body }),
      {},
    );
    // Long enough for every statement before the body.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await meanwhile();
    rest!.enqueue(bytes.subarray(-1));
    rest!.close();
    return (await answer)!;
  }
  const stored = () =>
    JSON.stringify(
      ["users", "user_roles", "tenants", "tenant_members", "tenant_invitations", "verifications"]
        .map((table) => sqlite.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()),
    );
  const within = (work: () => Promise<unknown>) =>
    auth.run(new Request(`${ORIGIN}/`, { method: "POST" }), {}, undefined, async () => {
      await work();
      return new Response();
    });
  return { ...application, members, tenantId, hold, stored, within };
}

const FORMS: readonly [path: string, fields: Record<string, string>][] = [
  ["/admin/user/roles", { id: "bob", shown: '["admin"]', "role-0": "admin" }],
  ["/admin/user/disable", { id: "bob" }],
  ["/admin/user/delete", { id: "bob" }],
  ["/account/profile", { name: "Mallory", image: "" }],
  ["/account/email", { email: "mallory@example.com" }],
  ["/account/delete", { confirm: "yes" }],
  ["/team/members/roles", { team: "acme", user: "bob", role: "owner" }],
  ["/team/members/remove", { team: "acme", user: "bob" }],
  ["/team/invite", { team: "acme", email: "mallory@example.com", role: "member" }],
  ["/team/hand-over", { team: "acme", user: "bob" }],
  ["/team/create", { name: "Mallory" }],
];

for (const [path, fields] of FORMS) {
  // Tracks: R186
  Deno.test(`a held POST ${path} does nothing for a session that ended before its last byte`, async () => {
    for (const end of ["sign-out everywhere", "disabling"]) {
      const application = await createApplication();
      const { hold, within, stored } = application;
      let before = "";
      const response = await hold(path, fields, async () => {
        await within(() => end === "disabling" ? disableUser("ada") : endSessions("ada"));
        before = stored();
      });
      assert.ok(response.status === 303 || response.status >= 400, String(response.status));
      assert.equal(stored(), before, end);
      application.close();
    }
  });
}

// Tracks: R186
Deno.test("a held request does nothing for who has lost the right before its last byte", async () => {
  for (
    const [path, fields] of FORMS.filter(([path]) => /^\/(?:admin|team)\/(?!create)/.test(path))
  ) {
    const application = await createApplication();
    const { hold, database, members, tenantId, stored } = application;
    let before = "";
    const response = await hold(path, fields, async () => {
      database.sqlite.exec("UPDATE users SET role = NULL WHERE id = 'ada'");
      await members.setRoles(tenantId, "ada", ["member"]);
      before = stored();
    });
    assert.equal(response.status, 403, path);
    assert.equal(stored(), before, path);
    application.close();
  }
});
