import assert from "node:assert/strict";
import { apiKeys } from "../api_key/provider.ts";
import { createApiKey } from "../api_key/operations.ts";
import { createEndpointTable } from "../app/endpoints.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import type { AuthOptions } from "../app/options.ts";
import type { RequestInfo } from "../core/client_address.ts";
import { currentRequest } from "../core/request.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { getActor } from "../session/actor.ts";
import { endEverything } from "../session/end_everything.ts";
import {
  endSession,
  getUser,
  hasPermission,
  requireRecentAuth,
  startSession,
} from "../session/operations.ts";
import { settingsOf } from "../session/settings_of.ts";
import { readAuth, readSession } from "../session/read_session.ts";
import { endSessions } from "../session/user_sessions.ts";
import {
  createUser,
  deleteUser,
  disableUser,
  passwordChanged,
  setUserRoles,
  updateUser,
} from "../session/users.ts";
import { email } from "../sign_in/email/provider.ts";
import { issueOneTimeToken } from "../sign_in/one_time_token.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import { passwords } from "../sign_in/password/provider.ts";
import { secondFactor } from "../sign_in/second_factor/provider.ts";
import type { OutboxMessage } from "../outbox/message.ts";
import { outbox } from "../outbox/outbox.ts";
import { createMemoryRevocationStore } from "../storage/revocations.ts";
import { teamPage } from "../team/page.ts";
import { createMemoryTenantMembers, createMemoryTenantStorage } from "../tenant/memory.ts";
import { addMember, deleteTenant, removeMember, setMemberRoles } from "../tenant/operations.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import {
  createTestApplication,
  ORIGIN,
  passwordProvider,
  type TestApplication,
} from "../tests/application.ts";
import { cheapHasher } from "../tests/password_application.ts";
import { identityProvider } from "../tests/identity_provider.ts";
import { type AuthEvent, EVENT_TYPES } from "../types/events.ts";
import { adminPage } from "./admin_page.ts";
import { auditLog, auditTrail } from "./audit.ts";
import {
  impersonate,
  impersonation,
  impersonationBanner,
  stopImpersonating,
} from "./impersonation.ts";
import { accountPage } from "./page.ts";

const ROLES = [
  { id: "owner", name: "Owner", permissions: ["*"] },
  {
    id: "support",
    name: "Support",
    permissions: ["users:manage", "users:impersonate", "posts:read"],
  },
  { id: "reader", name: "Reader", permissions: ["posts:read"] },
  { id: "editor", name: "Editor", permissions: ["posts:update"] },
];

interface Application extends TestApplication {
  told: AuthEvent[];
  give(id: string, ...roles: string[]): void;
  /** Runs application code in a request with these cookies. */
  within<Result>(cookie: string, work: () => Promise<Result> | Result): Promise<Result>;
  /** Has somebody act for a user; the cookies afterwards. */
  act(cookie: string, id?: string, fields?: Record<string, string>): Promise<string>;
}

/** Takes work that a response does not wait for, such as entries of the trail, and waits for it. */
function background(): { info: RequestInfo; settled(): Promise<unknown> } {
  const pending: Promise<unknown>[] = [];
  const waitUntil = (promise: Promise<unknown>) => void pending.push(promise);
  return {
    info: { clientAddress: "192.0.2.1", waitUntil },
    settled: () => Promise.all(pending),
  };
}

function createApplication(options: Partial<AuthOptions> = {}): Application {
  const told: AuthEvent[] = [];
  const application = createTestApplication({
    rateLimit: false,
    rbac: defineRBAC({ roles: ROLES }),
    events: { "*": (event) => void told.push(event) },
    ...options,
    providers: [
      ...options.providers ?? [],
      passwordProvider(),
      accountPage(),
      adminPage({ permission: "users:manage" }),
      impersonation({ permission: "users:impersonate" }),
    ],
  });
  const { sqlite } = application.database;
  return {
    ...application,
    told,
    give(id, ...roles) {
      sqlite.prepare("UPDATE users SET roles = ? WHERE id = ?").run(JSON.stringify(roles), id);
    },
    async within(cookie, work) {
      let result: Awaited<ReturnType<typeof work>>;
      const request = new Request(`${ORIGIN}/app`, {
        method: "POST",
        headers: { cookie, origin: ORIGIN },
      });
      const { info, settled } = background();
      await application.auth.run(request, {}, info, async () => {
        result = await work();
        return new Response();
      });
      await settled();
      return result!;
    },
    async act(cookie, id = "reader", fields = {}) {
      const { info, settled } = background();
      const response = await application.send("/impersonation", {
        cookie,
        fields: { id, reason: "Ticket 17", ...fields },
        info,
      });
      await settled();
      assert.equal(response.status, 303, await response.text());
      const [line] = response.headers.getSetCookie();
      assert.match(line!, /^__Host-framework\.impersonation=.*; HttpOnly/);
      return `${cookie}; ${line!.split(";")[0]}`;
    },
  };
}

type People = Record<"owner" | "support" | "editor" | "reader", string>;

async function signInAll(application: Application): Promise<People> {
  const cookies = { owner: "", support: "", editor: "", reader: "" };
  for (const name of Object.keys(cookies) as (keyof People)[]) {
    cookies[name] = await application.signIn(name);
    application.give(name, name);
  }
  application.told.length = 0;
  return cookies;
}

async function withPeople(
  work: (application: Application, cookies: People) => Promise<void>,
  options: Partial<AuthOptions> = {},
): Promise<void> {
  const application = createApplication(options);
  try {
    await work(application, await signInAll(application));
    const failed = application.log.filter(({ event }) => /failed$/.test(event));
    assert.deepEqual(failed, []);
  } finally {
    application.close();
  }
}

const seen = () => [getUser()?.id ?? null, getActor()?.id ?? null];

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
      within(acting, () => requireRecentAuth({ throwError: true })).then((user) => {
        throw new Error(`let in ${JSON.stringify(user)}`);
      }),
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
Deno.test("acting for somebody renews no session, and outlives the administrator's in no answer", () =>
  withPeople(async (application, { owner }) => {
    const { clock, within, database: { sqlite } } = application;
    const rows = () => JSON.stringify(sqlite.prepare("SELECT * FROM sessions").all());
    const [{ expires_at: end }] = sqlite.prepare(
      "SELECT expires_at FROM sessions WHERE user_id = 'owner'",
    ).all() as [{ expires_at: number }];
    const before = rows();
    clock.now += 500_000;
    const acting = await application.act(owner);
    const seenEnd = async () =>
      await within(acting, async () => {
        const state = await currentRequest("test").auth.load();
        return state.status === "valid" && state.session.expires.getTime();
      });
    // 900 seconds of acting would end after the session does.
    assert.equal(await seenEnd(), end);
    const shown = await application.send("/session", { cookie: acting });
    assert.deepEqual(shown.headers.getSetCookie(), []);
    assert.equal(rows(), before);
  }, { session: { maxAge: 1200, updateAge: 60 } }));

// Tracks: R185
Deno.test("who acts for somebody looks at a page by HEAD as by GET", () =>
  withPeople(async (application, { support }) => {
    const acting = await application.act(support);
    const look = async (method: string) =>
      (await application.send("/account", { method, cookie: acting })).status;
    assert.deepEqual([await look("GET"), await look("HEAD")], [200, 200]);
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
Deno.test("no form of a page that shows a user to who acts for them can be sent", () =>
  withPeople(async (application, { support, reader }) => {
    const { send } = application;
    const acting = await application.act(support);
    const formsOf = (text: string) =>
      [...text.matchAll(/<form[^>]* action="([^"]+)"/g)].map(([, to]) => to);
    const page = await (await send("/account", { cookie: acting })).text();
    const [before, inside, after] = page.split(/<fieldset disabled>|<\/fieldset>/);
    assert.deepEqual(formsOf(before + after!), ["/auth/signout", "/auth/impersonation/end"]);
    assert.ok(formsOf(inside!).length > 0);
    // Who is at home sends what they like.
    const own = await (await send("/account", { cookie: reader })).text();
    assert.doesNotMatch(own, /<fieldset/);
  }));

// Tracks: R185
Deno.test("it counts in the administrator's own session alone, and in a cookie alone", () =>
  withPeople(async (application, { support, owner, editor }) => {
    const { within } = application;
    const acting = await application.act(support);
    const [, cookie] = acting.split("; __Host-framework.impersonation=");
    const other = await application.signIn("support");
    for (const [session, id] of [[other, "support"], [owner, "owner"], [editor, "editor"]]) {
      const stolen = `${session}; __Host-framework.impersonation=${cookie}`;
      assert.deepEqual(await within(stolen!, seen), [id, null]);
    }
    assert.deepEqual(
      await within(`__Host-framework.impersonation=${cookie}`, seen),
      [null, null],
    );
    assert.deepEqual(await within(acting, seen), ["reader", "support"]);
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

/** What an application with everything has. */
function everything(): Partial<AuthOptions> {
  const sendMail = () => {};
  return {
    secret: "s".repeat(32),
    rbac: defineRBAC({
      roles: ROLES,
      teamRoles: [{ id: "owner", name: "Owner", permissions: ["team:manage"] }],
    }),
    tenancy: defineTenancy({
      strategy: "header",
      storage: createMemoryTenantStorage(),
      members: createMemoryTenantMembers(),
    }),
    providers: [
      identityProvider("acme"),
      email({ sendMail }),
      passwords({ sendMail, hasher: cheapHasher() }),
      passkey(),
      secondFactor(),
      apiKeys({ prefix: "acme" }),
      teamPage({ sendMail }),
      auditTrail(),
      outbox({ destinations: [{ id: "all", deliver: () => Promise.resolve() }] }),
    ],
  };
}

// Tracks: R185, R188
Deno.test("of all endpoints only those that are listed answer an administrator who acts", () =>
  withPeople(async (application, { owner }) => {
    const { auth, send, database: { sqlite } } = application;
    const acting = await application.act(owner);
    const table = createEndpointTable(settingsOf(auth, {}));
    const stored = () =>
      JSON.stringify(
        [
          "users",
          "sessions",
          "accounts",
          "passkeys",
          "verifications",
          "password_hashes",
          "api_keys",
        ]
          .map((name) => sqlite.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all()),
      );
    const before = stored();
    const answering: string[] = [];
    let refused = 0;
    for (const [path, methods] of table) {
      for (const method of methods.keys()) {
        if (path === "/signout" && method === "POST") continue;
        if (path === "/impersonation/end") continue;
        const posts = method !== "GET";
        const response = await send(path.replace("*", "reader"), {
          method,
          cookie: acting,
          ...posts && { json: { id: "reader" } },
          headers: { accept: "application/json" },
        });
        const text = await response.text();
        if (response.status === 403 && text.includes("Only the owner of the account")) refused++;
        else answering.push(`${method} ${path}`);
      }
    }
    assert.deepEqual(answering.sort(), [
      "GET /account",
      "GET /error",
      "GET /passkey.js",
      "GET /providers",
      "GET /session",
      "GET /signout",
    ]);
    assert.ok(refused > 60, String(refused));
    assert.equal(stored(), before);
  }, everything()));

// Tracks: R185
Deno.test("operations of the library change nothing of an account for an administrator who acts", () =>
  withPeople(async (application, { owner }) => {
    const acting = await application.act(owner);
    const refused: Record<string, () => Promise<unknown>> = {
      updateUser: () => updateUser("reader", { email: "mallory@example.com" }),
      "updateUser of the name": () => updateUser("reader", { name: "Mallory" }),
      deleteUser: () => deleteUser("reader"),
      disableUser: () => disableUser("reader"),
      setUserRoles: () => setUserRoles("reader", { roles: ["owner"] }),
      passwordChanged: () => passwordChanged("reader"),
      startSession: () => startSession("reader"),
      endSessions: () => endSessions("reader"),
      endEverything: () => endEverything("reader", ["links"]),
      createUser: () => createUser({ id: "new" }),
      createApiKey: () => createApiKey({ name: "k" }),
      issueOneTimeToken: () => issueOneTimeToken("reset", "reader"),
      impersonate: () => impersonate("editor", { reason: "chain" }),
    };
    for (const [name, operation] of Object.entries(refused)) {
      const error = await application.within(
        acting,
        () => operation().then(() => null, (error: Error & { status?: number }) => error),
      );
      assert.notEqual(error, null, name);
      // A proof of late is asked for before.
      const status = name === "createApiKey" ? 401 : 403;
      assert.equal(error!.status, status, `${name}: ${error}`);
    }
    const { roles, name } = application.database.sqlite
      .prepare("SELECT roles, name FROM users WHERE id = 'reader'").get()!;
    assert.deepEqual([roles, name], ['["reader"]', "reader"]);
  }, everything()));

// Tracks: R187, R188
Deno.test("the trail attributes 20 of 20 actions during impersonation to the administrator", () =>
  withPeople(async (application, { support, reader }) => {
    const { within } = application;
    const acting = await application.act(support);
    await within(reader, () => updateUser("reader", { name: "Rea" }));
    await within(acting, () => {
      const { report } = currentRequest("test");
      for (let index = 0; index < 18; index++) {
        report({ type: "email-verified", userId: "reader", provider: `n${index}` });
      }
    });
    await within(acting, stopImpersonating);
    await within(support, async () => {
      const { entries } = await auditLog({ actor: "support", limit: 100 });
      assert.equal(entries.filter(({ userId }) => userId === "reader").length, 20);
      assert.deepEqual(
        (await auditLog({ actor: "reader" })).entries.map(({ type }) => type).filter((type) =>
          type !== "sign-in" && type !== "sign-up"
        ),
        [],
      );
    });
  }, { providers: [auditTrail()] }));

Deno.test("what an outbox delivers has the beginning and the end, and each change beside them once", async () => {
  const delivered: OutboxMessage[] = [];
  const all = outbox({
    destinations: [{
      id: "all",
      events: EVENT_TYPES,
      deliver: (message) => Promise.resolve(void delivered.push(message)),
    }],
  });
  await withPeople(async (application, { support, owner }) => {
    const { within, auth, log } = application;
    const acting = await application.act(support);
    await within(
      acting,
      () => assert.rejects(updateUser("reader", { name: "Mallory" }), { name: "ForbiddenError" }),
    );
    await within(acting, stopImpersonating);
    const again = await application.act(support);
    await application.send("/signout", { cookie: again, fields: {} });
    await within(owner, () => disableUser("reader"));
    assert.deepEqual(log.filter(({ level }) => level === "error"), []);
    const { more } = await auth.deliver({});
    assert.equal(more, false);
    const types = delivered.map(({ type }) => type).filter((type) =>
      !/^sign-(?:in|up)$/.test(type)
    );
    assert.deepEqual(types.sort(), [
      "impersonation-ended",
      "impersonation-ended",
      "impersonation-started",
      "impersonation-started",
      "session-revoked",
      "sign-out",
      "user-disabled",
    ]);
    assert.equal(new Set(delivered.map(({ id }) => id)).size, delivered.length);
  }, { providers: [all, auditTrail()] });
});

// Tracks: R185
Deno.test("nothing changes in the request in which it ends, and what was begun twice ends whole", () =>
  withPeople(async (application, { owner }) => {
    const { within } = application;
    const acting = await application.act(owner);
    const refused = await within(acting, async () => {
      const { id } = getUser()!;
      assert.equal(await stopImpersonating(), true);
      return await Promise.all(
        [() => startSession(id), () => updateUser(id, { name: "M" }), () => endSessions(id)]
          .map((work) => work().then(() => 200, ({ status }) => status)),
      );
    });
    assert.deepEqual(refused, [403, 403, 403]);
    // A browser that has kept the cookies of several, begun one after the other and at once.
    const all = [await application.act(owner), await application.act(owner)];
    all.push(...await Promise.all(Array.from({ length: 10 }, () => application.act(owner))));
    const seenBy = await Promise.all(all.map((cookie) => within(cookie, seen)));
    assert.ok(seenBy.filter(([, actor]) => actor !== null).length <= 1, JSON.stringify(seenBy));
  }));

// Tracks: R182, R185
Deno.test("memberships and tenants are changed by no administrator who acts", async () => {
  const tenants = createMemoryTenantStorage();
  const members = createMemoryTenantMembers();
  await tenants.create({ id: "t1", slug: "acme", name: "Acme" });
  await withPeople(async (application, { owner }) => {
    const createdAt = new Date(0);
    for (const userId of ["reader", "editor"]) {
      await members.add({ tenantId: "t1", userId, roles: ["lead"], createdAt });
    }
    const acting = await application.act(owner);
    const of = { tenantId: "t1" };
    const changes: Record<string, () => Promise<unknown>> = {
      addMember: () => addMember("owner", { ...of, roles: ["lead"] }),
      setMemberRoles: () => setMemberRoles("reader", ["guest"], of),
      removeMember: () => removeMember("editor", of),
      deleteTenant: () => deleteTenant("t1"),
      // Nobody is taken out of a team before the deletion of the user is refused.
      deleteUser: () => deleteUser("reader"),
      removeEverywhere: () => settingsOf(application.auth, {}).tenancy!.removeEverywhere("reader"),
    };
    for (const [name, change] of Object.entries(changes)) {
      const status = await application.within(
        acting,
        () => change().then(() => 200, ({ status }) => status),
      );
      assert.equal(status, 403, name);
    }
    const left = (await members.listOfTenant("t1")).members;
    assert.deepEqual(left.map(({ userId, roles }) => [userId, roles]), [
      ["editor", ["lead"]],
      ["reader", ["lead"]],
    ]);
    assert.notEqual(await tenants.get("t1"), null);
  }, {
    rbac: defineRBAC({
      roles: ROLES,
      teamRoles: [{ id: "lead", name: "Lead", permissions: [] }, {
        id: "guest",
        name: "Guest",
        permissions: [],
      }],
    }),
    tenancy: defineTenancy({ strategy: "header", storage: tenants, members }),
  });
});

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

Deno.test("endSession() of the application signs the administrator out, and says so", () =>
  withPeople(async (application, { support }) => {
    const acting = await application.act(support);
    application.told.length = 0;
    await application.within(acting, endSession);
    assert.deepEqual(
      application.told.map(({ type, userId, actorId }) => [type, userId, actorId]),
      [["impersonation-ended", "reader", "support"], ["sign-out", "support", "support"]],
    );
    assert.deepEqual(await application.within(acting, seen), [null, null]);
  }));

// Tracks: R187
Deno.test("an administrator begins twenty impersonations in an hour, and no more", () =>
  withPeople(async (application, { owner }) => {
    const fields = { id: "reader", reason: "Ticket" };
    for (let index = 0; index < 20; index++) await application.act(owner);
    assert.equal((await application.send("/impersonation", { cookie: owner, fields })).status, 429);
  }, { rateLimit: {} }));

Deno.test("readSession() and readAuth() see the user, too", () =>
  withPeople(async (application, { support }) => {
    const acting = await application.act(support);
    const request = () => new Request(`${ORIGIN}/ws`, { headers: { cookie: acting } });
    assert.equal((await readSession(application.auth, request(), {}))?.user.id, "reader");
    assert.equal((await readAuth(application.auth, request(), {}).getUser())?.id, "reader");
  }));

Deno.test("a note on every page says who acts, and stops it; programs read the same", () =>
  withPeople(async (application, { support }) => {
    const { send, within } = application;
    const acting = await application.act(support);
    for (const path of ["/account", "/admin", "/signout"]) {
      const page = await (await send(path, { cookie: acting })).text();
      assert.match(page, /You act for <bdi>reader<\/bdi> until/, path);
      assert.match(page, /action="\/auth\/impersonation\/end"/, path);
    }
    assert.match(await within(acting, impersonationBanner) ?? "", /You act for/);
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
