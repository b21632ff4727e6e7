import assert from "node:assert/strict";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { getActor } from "../session/actor.ts";
import { getUser, hasPermission, requireRecentAuth } from "../session/operations.ts";
import { settingsOf } from "../session/settings_of.ts";
import { endSessions } from "../session/user_sessions.ts";
import { disableUser, passwordChanged } from "../session/users.ts";
import { createMemoryRevocationStore } from "../storage/revocations.ts";
import { createMemoryTenantMembers, createMemoryTenantStorage } from "../tenant/memory.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import { impersonation, stopImpersonating } from "./impersonation.ts";
import {
  createApplication,
  ROLES,
  seen,
  signInAll,
  withPeople,
} from "../tests/impersonation_application.ts";

// Tracks: R185
Deno.test("an administrator acts for a user until they stop, and stays signed in", () =>
  withPeople(async (application, { support }) => {
    const { within } = application;
    const acting = await application.act(support);
    assert.deepEqual(await within(acting, seen), ["reader", "support"]);
    assert.deepEqual(await within(support, seen), ["support", null]);
    assert.deepEqual(await within(acting, getActor), {
      kind: "administrator",
      id: "support",
      name: "support",
      reason: "Ticket 17",
      expires: new Date(application.clock.now + 900_000),
    });
    // The rights are the user's.
    assert.equal(await within(acting, () => hasPermission("users:manage")), false);
    assert.equal(await within(acting, () => hasPermission("posts:read")), true);
    await assert.rejects(
      within(acting, () => requireRecentAuth({ throwError: true })),
      { code: "REAUTHENTICATION_REQUIRED" },
    );
    assert.equal(await within(acting, stopImpersonating), true);
    assert.deepEqual(await within(acting, seen), ["support", null]);
    assert.equal(await within(acting, stopImpersonating), false);
    assert.deepEqual(
      application.told.map(({ type, userId, actorId }) => [type, userId, actorId]),
      [
        ["impersonation-started", "reader", "support"],
        ["impersonation-ended", "reader", "support"],
      ],
    );
  }));

// Tracks: R185
Deno.test("it ends with its time, the administrator's session, right or account, and the user's", () =>
  withPeople(async (application, { support, owner, reader }) => {
    const { within, clock, database: { sqlite } } = application;
    const ends: [string, () => Promise<unknown> | unknown, string | null][] = [
      ["time", () => clock.now += 900_001, "support"],
      ["a right more", () => application.give("reader", "editor"), "support"],
      ["permission", () => application.give("support", "reader"), "support"],
      ["user disabled", () => within(owner, () => disableUser("reader")), "support"],
      // By the application's own statement, which knows nothing of impersonations.
      [
        "user disabled in the table",
        () => sqlite.exec("UPDATE users SET disabled_at = 1 WHERE id = 'reader'"),
        "support",
      ],
      ["the user's password", () => within(owner, () => passwordChanged("reader")), "support"],
      ["sign-out everywhere", () => within(owner, () => endSessions("reader")), "support"],
      ["user deleted", () => sqlite.exec("DELETE FROM users WHERE id = 'reader'"), "support"],
      [
        "session",
        () => sqlite.exec("DELETE FROM sessions WHERE user_id = 'support'"),
        null,
      ],
    ];
    for (const [name, ending, after] of ends) {
      const own = await application.signIn("support");
      await application.signIn("reader");
      sqlite.exec("UPDATE users SET disabled_at = NULL");
      application.give("reader", "reader");
      application.give("support", "support");
      const acting = await application.act(own);
      assert.deepEqual(await within(acting, seen), ["reader", "support"], name);
      await ending();
      assert.deepEqual(await within(acting, seen), [after, null], name);
      // For good, also when what ended it is as before.
      sqlite.exec("UPDATE users SET disabled_at = NULL");
      application.give("reader", "reader");
      application.give("support", "support");
      assert.deepEqual(await within(acting, seen), [after, null], name);
    }
    void [support, reader];
  }));

// Tracks: R185
Deno.test("sign-out ends both, and the user ends it on the account page", () =>
  withPeople(async (application, { support, reader, editor }) => {
    const { send, within } = application;
    const acting = await application.act(support);
    const page = await (await send("/account", { cookie: reader })).text();
    assert.match(page, /support<\/bdi> is signed in as you/);
    assert.match(page, /Ticket 17/);
    const id = /name="id" value="([\w-]{43})"/.exec(page)![1]!;
    // Nobody else ends it, and it opens nothing.
    for (const cookie of [editor, acting]) {
      await send("/impersonation/end", { cookie: editor, fields: { id } });
      assert.deepEqual(
        await within(cookie, getUser).then((user) => user?.id),
        cookie === editor ? "editor" : "reader",
      );
    }
    const own = await (await send("/account", { cookie: support })).text();
    assert.match(own, /You act for <bdi>reader/);
    await send("/impersonation/end", { cookie: reader, fields: { id } });
    assert.deepEqual(await within(acting, seen), ["support", null]);

    const again = await application.act(support);
    application.told.length = 0;
    const response = await send("/signout", { cookie: again, fields: {} });
    assert.equal(response.status, 303);
    assert.deepEqual(await within(again, seen), [null, null]);
    assert.deepEqual(
      application.told.map(({ type, userId }) => [type, userId]),
      [["impersonation-ended", "reader"], ["sign-out", "support"]],
    );
  }));

// Tracks: R185
Deno.test("impersonate() refuses: rights, proof, chains, oneself, nobody, and what is no reason or time", () =>
  withPeople(async (application, { support, owner, editor, reader }) => {
    const { send, clock } = application;
    const ask = async (cookie: string, fields: Record<string, string>) => {
      const response = await send("/impersonation", {
        cookie,
        fields: { id: "reader", reason: "Ticket", ...fields },
        headers: { accept: "application/json" },
      });
      await response.body?.cancel();
      assert.equal(
        response.headers.getSetCookie().some((line) => line.includes("impersonation")),
        false,
      );
      return response.status;
    };
    assert.equal(await ask("", {}), 401);
    assert.equal(await ask(reader, { id: "editor" }), 403);
    assert.equal(await ask(editor, {}), 403);
    assert.equal(await ask(support, { id: "owner" }), 403);
    assert.equal(await ask(support, { id: "editor" }), 403);
    assert.equal(await ask(support, { id: "support" }), 403);
    assert.equal(await ask(support, { id: "nobody" }), 404);
    for (
      const reason of [
        "",
        " ",
        "a".repeat(201),
        "a\nb",
        "\u200b",
        "\u2800",
        "\u3164\u00ad",
        "a\u202eb",
      ]
    ) {
      assert.equal(await ask(support, { reason }), 400, reason);
    }
    for (const time of ["0", "59", "3601", "x", "900.5", "-900"]) {
      assert.equal(await ask(support, { for: time }), 400, time);
    }
    const acting = await application.act(owner);
    assert.equal(await ask(acting, { id: "editor" }), 403);
    await application.within(owner, () => disableUser("editor"));
    assert.equal(await ask(owner, { id: "editor" }), 404);
    const stranger = await send("/impersonation", {
      cookie: support,
      fields: { id: "reader", reason: "Ticket" },
      headers: { origin: "https://evil.example" },
    });
    assert.equal(stranger.status, 403);
    clock.now += 600_001;
    assert.equal(await ask(support, {}), 401);
    const form = await send("/impersonation", {
      cookie: support,
      fields: { id: "reader", reason: "Ticket" },
    });
    assert.match(form.headers.get("location")!, /\/auth\/signin\?error=.*admin%2Fuser/);
  }));

// Tracks: R184, R185
Deno.test("a role of a team in the row of an administrator gives no right to act", () =>
  withPeople(async (application, { support }) => {
    application.give("support", "support", "team:lead");
    application.give("reader", "reader");
    const status = async (id: string) =>
      (await application.send("/impersonation", {
        cookie: support,
        fields: { id, reason: "Ticket" },
      })).status;
    application.give("editor", "editor");
    assert.equal(await status("editor"), 403);
    application.give("support", "team:lead");
    assert.equal(await status("reader"), 403);
  }, {
    rbac: defineRBAC({
      roles: ROLES,
      teamRoles: [{
        id: "lead",
        name: "Lead",
        permissions: ["posts:update", "users:impersonate", "posts:read"],
      }],
    }),
    tenancy: defineTenancy({
      strategy: "header",
      storage: createMemoryTenantStorage(),
      members: createMemoryTenantMembers(),
    }),
  }));

// Tracks: R187
Deno.test("an administrator begins twenty impersonations in an hour, and no more", () =>
  withPeople(async (application, { owner }) => {
    const fields = { id: "reader", reason: "Ticket" };
    for (let index = 0; index < 20; index++) await application.act(owner);
    assert.equal((await application.send("/impersonation", { cookie: owner, fields })).status, 429);
  }, { rateLimit: {} }));

// Tracks: R185
Deno.test("rights are those of the site and of each team of the user", async () => {
  const tenants = createMemoryTenantStorage();
  const members = createMemoryTenantMembers();
  await tenants.create({ id: "t1", slug: "acme", name: "Acme" });
  await withPeople(async (application, { support, owner }) => {
    await members.add(
      { tenantId: "t1", userId: "reader", roles: ["lead"], createdAt: new Date() } as never,
    );
    const ask = async (cookie: string) =>
      (await application.send("/impersonation", {
        cookie,
        fields: { id: "reader", reason: "Ticket" },
      })).status;
    assert.equal(await ask(support), 403);
    assert.equal(await ask(owner), 303);
    await members.add(
      { tenantId: "t1", userId: "support", roles: ["guest"], createdAt: new Date() } as never,
    );
    assert.equal(await ask(support), 403);
    await members.setRoles("t1", "support", ["lead"]);
    const acting = await application.act(support);
    assert.deepEqual(await application.within(acting, seen), ["reader", "support"]);
    await members.setRoles("t1", "support", ["guest"]);
    assert.deepEqual(await application.within(acting, seen), ["support", null]);
  }, {
    rbac: defineRBAC({
      roles: ROLES,
      teamRoles: [
        { id: "lead", name: "Lead", permissions: ["team:manage"] },
        { id: "guest", name: "Guest", permissions: ["team:see"] },
      ],
    }),
    tenancy: defineTenancy({ strategy: "header", storage: tenants, members }),
  });
});

// Tracks: R185
Deno.test("the teams of a user count to the last page, and rights of the site count in each", async () => {
  const tenants = createMemoryTenantStorage();
  const members = createMemoryTenantMembers();
  const createdAt = new Date(0);
  await withPeople(async (application, { support, owner }) => {
    const ask = async (cookie: string) =>
      (await application.send("/impersonation", {
        cookie,
        fields: { id: "reader", reason: "Ticket" },
      })).status;
    for (let index = 0; index < 250; index++) {
      const tenantId = `t${String(index).padStart(3, "0")}`;
      await tenants.create({ id: tenantId, slug: tenantId, name: tenantId });
      const roles = [index < 249 ? "guest" : "lead"];
      await members.add({ tenantId, userId: "reader", roles, createdAt });
    }
    assert.notEqual((await members.listOfUser("reader")).cursor, null);
    // Somebody of the site who may see every team, and is in none.
    assert.equal(await ask(support), 403);
    assert.equal(await ask(owner), 303);
    await members.setRoles("t249", "reader", ["guest"]);
    assert.equal(await ask(support), 303);
  }, {
    rbac: defineRBAC({
      roles: ROLES.map((role) =>
        role.id === "support" ? { ...role, permissions: [...role.permissions, "team:see"] } : role
      ),
      teamRoles: [
        { id: "lead", name: "Lead", permissions: ["team:manage"] },
        { id: "guest", name: "Guest", permissions: ["team:see"] },
      ],
    }),
    tenancy: defineTenancy({ strategy: "header", storage: tenants, members }),
  });
});

Deno.test("signed tokens need a revocation store, and end with the administrator's", async () => {
  const signed = (revocation?: ReturnType<typeof createMemoryRevocationStore>) =>
    createApplication({
      secret: "s".repeat(32),
      session: { strategy: jwtSessions, ...revocation && { revocation } },
    });
  assert.throws(() => signed(), { code: "CONFIGURATION", message: /session\.revocation/ });
  const application = signed(createMemoryRevocationStore());
  await signInAll(application);
  const support = await application.signIn("support");
  const acting = await application.act(support);
  assert.deepEqual(await application.within(acting, seen), ["reader", "support"]);
  // They are in no table whose storage would refuse.
  const reader = await application.signIn("reader");
  const endAll = () => settingsOf(application.auth, {}).strategy.endAll("reader");
  const status = await application.within(
    acting,
    () => endAll().then(() => 200, ({ status }) => status),
  );
  assert.equal(status, 403);
  assert.deepEqual(await application.within(reader, seen), ["reader", null]);
  await application.send("/signout", { cookie: support, fields: {} });
  assert.deepEqual(await application.within(acting, seen), [null, null]);
  application.close();
});

Deno.test("impersonation() says which option is wrong or missing", () => {
  for (
    const options of [undefined, {}, { permission: "x:own" }, { permission: 1 }, {
      permision: "a:b",
    }]
  ) {
    assert.throws(() => impersonation(options as never), { name: "ConfigurationError" });
  }
});
