import assert from "node:assert/strict";
import { createAuth } from "../app/create_auth.ts";
import { ConfigurationError } from "../errors.ts";
import { hasPermission } from "../session/operations.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import {
  createTestApplication,
  ORIGIN,
  passwordProvider,
  type TestApplication,
} from "../tests/application.ts";
import { PASSWORD, tokenOf, withPasswords } from "../tests/password_application.ts";
import { withFactor } from "../tests/second_factor_application.ts";
import type { AuthEvent } from "../types/events.ts";
import { adminPage } from "./admin_page.ts";
import { auditTrail } from "./audit.ts";
import { accountPage } from "./page.ts";

const RBAC = defineRBAC({
  roles: [
    { id: "owner", name: "Owner", permissions: ["*"] },
    { id: "support", name: "Support", permissions: ["users:manage", "posts:read"] },
    { id: "reader", name: "Reader", permissions: ["posts:read"] },
    { id: "editor", name: "Editor", permissions: ["posts:update"] },
  ],
  hierarchy: { editor: ["reader"] },
});

interface AdminApplication extends TestApplication {
  told: AuthEvent[];
  /** Posts a form of the page. */
  change(path: string, cookie: string, fields: Record<string, string>): Promise<Response>;
  /** Gives a user roles in the table. */
  give(id: string, ...roles: string[]): void;
  rolesOf(id: string): string[];
}

function createApplication(): AdminApplication {
  const told: AuthEvent[] = [];
  const application = createTestApplication({
    rateLimit: false,
    rbac: RBAC,
    events: { "*": (event) => void told.push(event) },
    providers: [passwordProvider(), accountPage(), adminPage({ permission: "users:manage" })],
  });
  const { sqlite } = application.database;
  return {
    ...application,
    told,
    change: (path, cookie, fields) => application.send(`/admin/user/${path}`, { cookie, fields }),
    give(id, ...roles) {
      sqlite.prepare("UPDATE users SET roles = ? WHERE id = ?").run(JSON.stringify(roles), id);
    },
    rolesOf: (id) =>
      JSON.parse(String(sqlite.prepare("SELECT roles FROM users WHERE id = ?").get(id)!.roles)),
  };
}

/** An owner, somebody of the support, an editor and a reader, with their cookies. */
async function withPeople(
  work: (
    application: AdminApplication,
    cookies: Record<"owner" | "support" | "editor" | "reader", string>,
  ) => Promise<void>,
): Promise<void> {
  const application = createApplication();
  const cookies = { owner: "", support: "", editor: "", reader: "" };
  for (const name of Object.keys(cookies) as (keyof typeof cookies)[]) {
    cookies[name] = await application.signIn(name);
    application.give(name, name);
  }
  try {
    await work(application, cookies);
  } finally {
    application.close();
  }
}

Deno.test("the account page leads to the users who may see them, and from there back", () =>
  withPeople(async ({ send }, { support, editor }) => {
    const linksOf = async (path: string, cookie: string) =>
      [...(await (await send(path, { cookie })).text()).matchAll(/<a href="(\/auth[^"]*)">/g)]
        .map(([, href]) => href);
    assert.deepEqual(await linksOf("/account", editor), []);
    assert.deepEqual(await linksOf("/account", support), ["/auth/admin"]);
    assert.equal((await linksOf("/admin", support))[0], "/auth/account");
  }));

Deno.test("a refusal and who is refused are two sentences", () =>
  withPeople(async ({ send }, { editor }) => {
    const page = await send("/admin", { cookie: editor, headers: { accept: "text/html" } });
    assert.match(await page.text(), /You are not allowed to do this\. You’re signed in as /);
  }));

const CHANGES: Record<string, Record<string, string>> = {
  roles: { shown: '["reader"]' },
  "sessions/end": {},
  reset: {},
  disable: {},
  enable: {},
  recover: {},
  delete: {},
};

/** Every page and change: path, and fields of a form. */
const REQUESTS = [
  ["/admin"],
  ["/admin/user?id=reader"],
  ["/admin/user/delete?id=reader"],
  ...Object.entries(CHANGES).map((
    [path, fields],
  ) => [`/admin/user/${path}`, { id: "reader", ...fields }] as const),
] as const;

function everything({ database }: TestApplication): string {
  return JSON.stringify(
    ["users", "sessions", "user_roles"].map((table) =>
      database.sqlite.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()
    ),
  );
}

Deno.test("each change by an administrator tells a client that prefers JSON what was done", () =>
  withPeople(async ({ send }, { support }) => {
    const ask = async (path: string, fields: Record<string, string> = {}) => {
      const json = { id: "reader", ...fields };
      const response = await send(`/admin/user/${path}`, { cookie: support, json });
      assert.equal(response.status, 200, path);
      return await response.json();
    };
    assert.deepEqual(await ask("roles", { shown: '["reader"]' }), {
      action: "roles-changed",
      added: [],
      removed: ["reader"],
    });
    const none = { action: null, added: [], removed: [] };
    assert.deepEqual(await ask("sessions/end", { session: "none" }), none);
    for (
      const [path, action] of [
        ["sessions/end", "sessions-ended"],
        ["disable", "disabled"],
        ["enable", "enabled"],
        ["delete", "deleted"],
      ] as const
    ) assert.deepEqual(await ask(path), { ...none, action });
  }));

// Tracks: R186, R189
Deno.test("the pages of administrators are for who has the permission: every page and change", () =>
  withPeople(async (application, { editor, support }) => {
    const before = everything(application);
    for (const [path, fields] of REQUESTS) {
      const about = path;
      const nobody = await application.send(path, { ...fields && { fields } });
      assert.equal(nobody.status, 303, about);
      assert.match(nobody.headers.get("location")!, /\/auth\/signin\?callbackUrl=%2Fauth%2Fadmin/);
      const other = await application.send(path, { cookie: editor, ...fields && { fields } });
      assert.equal(other.status, 403, about);
      assert.equal((await other.text()).includes("support"), false, about);
      const abroad = fields && await application.send(path, {
        cookie: support,
        fields,
        headers: { origin: "https://evil.example" },
      });
      assert.ok(abroad === undefined || abroad.status === 403, about);
    }
    assert.equal(everything(application), before);
    // The right ends at once, and so does a disabled administrator's.
    assert.equal((await application.send("/admin", { cookie: support })).status, 200);
    application.give("support", "reader");
    assert.equal((await application.send("/admin", { cookie: support })).status, 403);
  }));

Deno.test("the list finds, leads from page to page, and says who is blocked", () =>
  withPeople(async (application, { owner }) => {
    for (let index = 0; index < 30; index++) {
      application.database.sqlite.prepare(
        "INSERT INTO users (id, name, email, created_at) VALUES (?, ?, ?, ?)",
      ).run(`p${index}`, `Person <${index}>`, `p${index}@example.com`, index);
    }
    await application.change("disable", owner, { id: "p7" });
    const found = await (await application.send("/admin?search=person+<7", { cookie: owner }))
      .text();
    assert.match(found, /Person &lt;7&gt;.*p7@example\.com/s);
    assert.match(found, /Blocked/);
    assert.equal(found.includes("Person &lt;8"), false);
    const first = await (await application.send("/admin", { cookie: owner })).text();
    const [, next] = /href="\/auth(\/admin\?after=[^"]+)"/.exec(first)!;
    const second = await (await application.send(next!, { cookie: owner })).text();
    const idsIn = (text: string) => [...text.matchAll(/user\?id=(\w+)/g)].map(([, id]) => id!);
    assert.deepEqual([idsIn(first).length, idsIn(second).length], [25, 9]);
    assert.equal(new Set([...idsIn(first), ...idsIn(second)]).size, 34);
    assert.match(second, /First page/);
    const byRole = await (await application.send("/admin?role=editor", { cookie: owner })).text();
    assert.deepEqual(idsIn(byRole), ["editor"]);
    const none = await (await application.send("/admin?search=nobody", { cookie: owner })).text();
    assert.match(none, /Only the beginning/);
    assert.equal((await application.send("/admin?after=x", { cookie: owner })).status, 400);
    assert.equal((await application.send("/admin/user?id=gone", { cookie: owner })).status, 404);
    assert.equal((await application.send("/admin/user", { cookie: owner })).status, 404);
  }));

// Tracks: R186
Deno.test("the page of a user shows what there is, and no token, hash or secret", () =>
  withPeople(async (application, { owner }) => {
    application.give("reader", "reader", "<b>strange");
    const text = await (await application.send("/admin/user?id=reader", { cookie: owner })).text();
    assert.match(text, /<code dir="ltr">reader<\/code>/);
    assert.match(text, /&lt;b&gt;strange/);
    assert.match(text, /Recent activity/);
    assert.match(text, /Sign out everywhere/);
    for (
      const { token_hash } of application.database.sqlite.prepare("SELECT token_hash FROM sessions")
        .all()
    ) {
      assert.equal(text.includes(String(token_hash)), false);
    }
    const note = "/admin/user?id=reader&done=%3Cscript%3E";
    assert.equal(
      (await (await application.send(note, { cookie: owner })).text()).includes('role="status"'),
      false,
    );
  }));

Deno.test("an administrator blocks, unblocks, signs out and deletes, and each is an event with both ids", () =>
  withPeople(async (application, { owner, reader }) => {
    const { change, send, told } = application;
    const signedIn = async () => await (await send("/session", { cookie: reader })).json() !== null;
    const [{ id: session }] = await (await send("/sessions", { cookie: reader })).json();
    const done = async (path: string, fields: Record<string, string> = {}) => {
      const response = await change(path, owner, { id: "reader", ...fields });
      assert.equal(response.status, 303);
      const to = new URL(response.headers.get("location")!);
      const shown = await send(to.pathname.slice("/auth".length) + to.search, { cookie: owner });
      assert.match(await shown.text(), /role="status"/);
      return to.searchParams.get("done");
    };
    assert.equal(await signedIn(), true);
    // Another user's session is none of this one's.
    const [{ id: own }] = await (await send("/sessions", { cookie: owner })).json();
    assert.equal(await done("sessions/end", { session: own }), "session-ended");
    assert.equal((await send("/admin", { cookie: owner })).status, 200);
    assert.equal(await done("sessions/end", { session }), "session-ended");
    assert.equal(await signedIn(), false);
    await application.signIn("reader");
    assert.equal(await done("sessions/end"), "sessions-ended");
    assert.equal(
      application.database.sqlite.prepare(
        "SELECT count(*) AS n FROM sessions WHERE user_id = 'reader'",
      ).get()!.n,
      0,
    );
    assert.equal(await done("disable"), "disabled");
    assert.equal(await application.signIn("reader"), "");
    assert.equal(await done("enable"), "enabled");
    assert.notEqual(await application.signIn("reader"), "");
    const page = await (await send("/account", { cookie: await application.signIn("reader") }))
      .text();
    assert.match(page, /Changed by an administrator/);
    const asked = await send("/admin/user/delete?id=reader", { cookie: owner });
    assert.match(await asked.text(), /name="id" value="reader"/);
    assert.equal(await done("delete"), "deleted");
    assert.equal(await application.auth.storage({}).getUser("reader"), null);
    const events = told.filter((event) => event.type === "user-administered");
    // The session that was another user's has not ended, and is told of to nobody.
    assert.deepEqual(events.map(({ action }) => action), [
      "session-ended",
      "sessions-ended",
      "disabled",
      "enabled",
      "deleted",
    ]);
    for (const { userId, actorId } of events) {
      assert.deepEqual([userId, actorId], ["reader", "owner"]);
    }
  }));

// Tracks: R183, R189
Deno.test("nobody changes an account with rights that they lack, or their own: every change", () =>
  withPeople(async (application, cookies) => {
    application.give("editor", "editor", "undefined role");
    const before = everything(application);
    for (
      const [actor, target] of [
        ["support", "owner"],
        ["support", "editor"],
        ["support", "support"],
        ["owner", "owner"],
      ] as const
    ) {
      for (const [path, fields] of Object.entries(CHANGES)) {
        const response = await application.change(path, cookies[actor], { ...fields, id: target });
        assert.equal(response.status, 403, `${actor} ${path} ${target}`);
      }
      const asked = await application.send(`/admin/user/delete?id=${target}`, {
        cookie: cookies[actor],
      });
      assert.equal(asked.status, 403);
      const page =
        await (await application.send(`/admin/user?id=${target}`, { cookie: cookies[actor] }))
          .text();
      assert.equal(
        /action="\/auth\/admin/.test(page.replace(/<form method="get".*?<\/form>/s, "")),
        false,
      );
    }
    assert.equal(everything(application), before);
    assert.equal(application.told.some(({ type }) => type === "user-administered"), false);
  }));

// Tracks: R183
Deno.test("nobody gives or takes a role with rights that they lack, whatever the form says", () =>
  withPeople(async (application, { owner, support }) => {
    const { change, give, rolesOf } = application;
    const shown = JSON.stringify(["owner", "support", "reader", "editor"]);
    const all = Object.fromEntries([0, 1, 2, 3].map((index) => [`role-${index}`, "on"]));
    await change("roles", support, { id: "reader", shown, ...all });
    assert.deepEqual(rolesOf("reader").sort(), ["reader", "support"]);
    // Nothing is checked: what they can give goes, and nothing else; and what the page did not show stays.
    give("reader", "reader", "support");
    await change("roles", support, { id: "reader", shown: '["reader"]' });
    assert.deepEqual(rolesOf("reader"), ["support"]);
    await change("roles", owner, { id: "reader", shown, "role-3": "on" });
    assert.deepEqual(rolesOf("reader"), ["editor"]);
    // A role that is not defined is nobody's to give.
    await change("roles", owner, { id: "reader", shown: '["root"]', "role-0": "on" });
    assert.deepEqual(rolesOf("reader"), ["editor"]);
    application.database.sqlite.exec("UPDATE users SET role = 'reader' WHERE id = 'reader'");
    await change("roles", owner, { id: "reader", shown: '["reader", "editor"]', "role-1": "on" });
    const { role, roles } = (await application.auth.storage({}).getUser("reader"))!;
    assert.deepEqual([role, roles], [undefined, ["editor"]]);
    for (const broken of ["", "{}", "[1]", "null"]) {
      assert.equal((await change("roles", owner, { id: "reader", shown: broken })).status, 400);
    }
  }));

// Tracks: R189, K4
Deno.test("of two administrators who take the role of the other at once one keeps it", () =>
  withPeople(async ({ change, give, rolesOf }, { owner, support }) => {
    const shown = '["owner"]';
    for (let round = 0; round < 20; round++) {
      give("owner", "owner");
      give("support", "owner");
      const requests = [
        () => change("roles", owner, { id: "support", shown }),
        () => change("roles", support, { id: "owner", shown }),
      ];
      if (round % 2 === 1) requests.reverse();
      const answers = await Promise.all(requests.map((send) => send()));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 403]);
      assert.deepEqual([rolesOf("owner"), rolesOf("support")].flat(), ["owner"]);
    }
  }));

// Tracks: R189, K4
Deno.test("changes that administrators make of one user at once are all made", () =>
  withPeople(async ({ change, give, rolesOf, told }, { owner, support }) => {
    give("support", "owner");
    for (let round = 0; round < 20; round++) {
      give("reader", "reader");
      // Each page showed all roles that can be given, and has one box more or less.
      const shown = '["reader","editor","support"]';
      told.length = 0;
      const answers = await Promise.all([
        change("roles", owner, { id: "reader", shown, "role-0": "on", "role-1": "on" }),
        change("roles", support, { id: "reader", shown, "role-2": "on" }),
      ]);
      assert.deepEqual(answers.map(({ status }) => status), [303, 303]);
      const changes = told.flatMap((event) =>
        event.type === "user-administered" ? [[event.added, event.removed]] : []
      );
      assert.equal(changes.length, 2);
      // Whoever came second has decided about what the first has left, and the events tell how it came to be.
      const held = new Set(["reader"]);
      for (const [added, removed] of changes) {
        for (const role of added!) held.add(role);
        for (const role of removed!) held.delete(role);
      }
      assert.deepEqual(rolesOf("reader").toSorted(), [...held].toSorted());
    }
  }));

// Tracks: R189
Deno.test("changes take a sign-in of the last ten minutes, and lead there and back", () =>
  withPeople(async (application, { owner }) => {
    application.clock.now += 11 * 60 * 1000;
    const before = everything(application);
    const page = await (await application.send("/admin/user?id=reader", { cookie: owner })).text();
    assert.equal(/action="\/auth\/admin/.test(page), false);
    assert.match(page, /callbackUrl=%2Fauth%2Fadmin%2Fuser%3Fid%3Dreader/);
    for (const [path, fields] of Object.entries(CHANGES)) {
      const response = await application.change(path, owner, { ...fields, id: "reader" });
      assert.equal(response.status, 303, path);
      const to = new URL(response.headers.get("location")!);
      assert.equal(to.pathname, "/auth/signin");
      assert.equal(to.searchParams.get("error"), "REAUTHENTICATION_REQUIRED");
      assert.equal(to.searchParams.get("callbackUrl"), "/auth/admin/user?id=reader");
    }
    assert.equal(
      (await application.send("/admin/user/delete?id=reader", { cookie: owner })).status,
      303,
    );
    assert.equal(everything(application), before);
  }));

// Tracks: R184
Deno.test("a role in a tenant opens no page of administrators, whatever it permits there", async () => {
  const application = createTestApplication({
    rateLimit: false,
    rbac: RBAC,
    tenancy: defineTenancy({ strategy: "header", headerName: "x-tenant" }),
    providers: [passwordProvider(), adminPage({ permission: "users:manage" })],
  });
  const headers = { "x-tenant": "acme" };
  const { sqlite } = application.database;
  sqlite.exec(
    "INSERT INTO tenants (id, slug, name, created_at, updated_at) VALUES ('t', 'acme', 'A', 1, 1)",
  );
  const cookie = await application.signIn("ada");
  sqlite.exec(`INSERT INTO tenant_members VALUES ('t', 'ada', '["owner"]', 1)`);
  const request = new Request(`${ORIGIN}/page`, { headers: { ...headers, cookie } });
  const there = await application.auth.run(
    request,
    {},
    undefined,
    () => Response.json(hasPermission("users:manage")),
  );
  assert.equal(await there.json(), true);
  for (const [path, fields] of REQUESTS) {
    const sent = { cookie, headers, ...fields && { fields } };
    assert.equal((await application.send(path, sent)).status, 403, path);
  }
  application.close();
});

Deno.test("an administrator sends a link to a new password to the mailbox of the account, and nowhere else", () =>
  withPasswords(
    async (application) => {
      const owner = await application.join("owner@example.com");
      await application.join("ada@example.com");
      const { sqlite } = application.database;
      sqlite.exec(`UPDATE users SET roles = '["owner"]' WHERE email = 'owner@example.com'`);
      const idOf = (email: string) =>
        String(sqlite.prepare("SELECT id FROM users WHERE email = ?").get(email)!.id);
      const id = idOf("ada@example.com");
      const page = await (await application.send(`/admin/user?id=${id}`, { cookie: owner })).text();
      assert.match(page, /Help signing in/);
      const { length } = application.outbox;
      const sent = await application.send("/admin/user/reset", { cookie: owner, fields: { id } });
      assert.equal(new URL(sent.headers.get("location")!).searchParams.get("done"), "reset-sent");
      await application.settle();
      const [mail, ...more] = application.outbox.slice(length);
      assert.deepEqual([mail?.kind, mail?.to, more.length], ["reset", "ada@example.com", 0]);
      assert.equal((await sent.text()).includes(tokenOf(mail!)), false);
      assert.equal(
        JSON.stringify([application.log, application.told]).includes(tokenOf(mail!)),
        false,
      );
      // The old password works until the link is used.
      assert.equal((await application.byPassword("ada@example.com", PASSWORD)).status, 303);
      // An address that nobody has proved is nobody's.
      sqlite.prepare("UPDATE users SET email_identity = NULL, email_verified = NULL WHERE id = ?")
        .run(id);
      const none = await application.send("/admin/user/reset", { cookie: owner, fields: { id } });
      assert.equal(none.status, 400);
      await application.settle();
      assert.equal(application.outbox.length, length + 1);
    },
    {},
    { rbac: RBAC, providers: [adminPage({ permission: "users:manage" })] },
  ));

// Who has stolen an account knows its password, and may have added a passkey or an account of their own.
Deno.test("an administrator gives a stolen account back: what opened it before does not, and a link by mail does", () =>
  withPasswords(
    async (application) => {
      const { auth, byPassword, outbox, send, settle, told } = application;
      const owner = await application.join("owner@example.com");
      await application.join("ada@example.com");
      const { sqlite } = application.database;
      sqlite.exec(`UPDATE users SET roles = '["owner"]' WHERE email = 'owner@example.com'`);
      const id = String(
        sqlite.prepare("SELECT id FROM users WHERE email = 'ada@example.com'").get()!.id,
      );
      sqlite.prepare(
        "INSERT INTO accounts (provider, provider_account_id, user_id, type, created_at, updated_at) VALUES ('hub', '1', ?, 'oauth', 1, 1)",
      ).run(id);
      const change = (path: string) =>
        send(`/admin/user/${path}`, { cookie: owner, fields: { id } });
      const page = async () => {
        await settle();
        return await (await send(`/admin/user?id=${id}`, { cookie: owner })).text();
      };
      // Nobody loses their ways in by a page that was open for long.
      assert.equal((await change("recover")).status, 409);
      assert.doesNotMatch(await page(), /Give back/);
      await change("disable");
      assert.match(await page(), /Give back/);
      const back = await change("recover");
      assert.equal(new URL(back.headers.get("location")!).searchParams.get("done"), "recovered");
      assert.equal((await byPassword("ada@example.com", PASSWORD)).status, 401);
      const { length: accounts } = sqlite.prepare("SELECT 1 FROM accounts").all();
      assert.equal(accounts, 0);
      assert.match(await page(), /Sends a link by email\.</);
      await change("reset");
      await settle();
      const fields = { token: tokenOf(outbox.at(-1)!), password: "another long password" };
      assert.equal((await send("/reset", { fields })).status, 303);
      assert.equal((await byPassword("ada@example.com", PASSWORD)).status, 401);
      assert.equal((await byPassword("ada@example.com", "another long password")).status, 303);
      assert.ok(
        told.some((event) =>
          event.type === "user-administered" && event.action === "recovered" && event.userId === id
        ),
      );
      const trail = sqlite.prepare(
        "SELECT 1 FROM audit_entries WHERE text LIKE '%recovered%'",
      );
      assert.equal(trail.all().length, 1);
      assert.ok(await auth.storage({}).getActiveUser(id));
      // Without an address that is theirs nothing would be left to come in by.
      await change("disable");
      sqlite.prepare("UPDATE users SET email_verified = NULL WHERE id = ?").run(id);
      assert.doesNotMatch(await page(), /Give back/);
      assert.equal((await change("recover")).status, 400);
      assert.equal(
        sqlite.prepare("SELECT 1 FROM password_hashes WHERE user_id = ?").all(id).length,
        1,
      );
    },
    {},
    {
      rbac: RBAC,
      rateLimit: false,
      providers: [adminPage({ permission: "users:manage" }), auditTrail()],
    },
  ));

Deno.test("adminPage() says what is wrong with its options and what it needs", () => {
  for (
    const options of [undefined, {}, { permission: "" }, { permission: "users" }, {
      permission: "a:b:own",
    }, { permission: "a:b", roles: [] }]
  ) {
    assert.throws(() => adminPage(options as never), ConfigurationError, JSON.stringify(options));
  }
  const providers = [adminPage({ permission: "users:manage" })];
  const start = (options: object) => createAuth({ providers, ...options } as never).storage({});
  assert.throws(() => start({ database: createMemoryStorage() }), /rbac/);
});

// Tracks: R174, R176
Deno.test("changes take a fresh second factor of an administrator who has one", () =>
  withFactor(
    async (application) => {
      const member = await application.member();
      const { secret } = await application.enrol(member);
      const { sqlite } = application.database;
      sqlite.exec(`UPDATE users SET roles = '["owner"]'`);
      sqlite.exec("INSERT INTO users (id) VALUES ('reader')");
      const browser = application.browser();
      await application.begin(browser);
      await application.answer(browser, await application.code(secret), { trust: "yes" });
      application.wait(11 * 60_000);
      // Signed in by the first factor, in a browser that stands in for the second.
      await application.begin(browser);
      const fields = { id: "reader" };
      assert.equal((await browser.send("/admin")).status, 200);
      const refused = await browser.send("/admin/user/disable", { fields });
      assert.match(await refused.text(), /SECOND_FACTOR_REQUIRED/);
      const isDisabled = () =>
        sqlite.prepare("SELECT disabled_at FROM users WHERE id = 'reader'").get()!.disabled_at !==
          null;
      assert.equal(isDisabled(), false);
      await application.answer(browser, await application.code(secret));
      assert.equal((await browser.send("/admin/user/disable", { fields })).status, 200);
      assert.equal(isDisabled(), true);
    },
    "database",
    {},
    { rbac: RBAC, providers: [adminPage({ permission: "users:manage" })] },
  ));

// Tracks: R184, R189
Deno.test("a role of a team in the row of a user opens no page of administrators, and is given by none", async () => {
  const application = createTestApplication({
    rateLimit: false,
    rbac: defineRBAC({
      roles: [{ id: "support", name: "Support", permissions: ["users:manage"] }],
      teamRoles: [{ id: "owner", name: "Owner", permissions: ["users:*"] }],
    }),
    tenancy: defineTenancy({ strategy: "path" }),
    providers: [passwordProvider(), adminPage({ permission: "users:manage" })],
  });
  const { sqlite } = application.database;
  const cookie = await application.signIn("ada");
  await application.signIn("bob");
  for (const column of ["role", "roles"]) {
    sqlite.exec("UPDATE users SET role = NULL, roles = '[]'");
    const value = column === "role" ? "team:owner" : '["team:owner"]';
    sqlite.prepare(`UPDATE users SET ${column} = ? WHERE id = 'ada'`).run(value);
    assert.equal((await application.send("/admin", { cookie })).status, 403, column);
  }
  sqlite.exec("UPDATE users SET role = 'support' WHERE id = 'ada'");
  const page = await (await application.send("/admin/user?id=bob", { cookie })).text();
  assert.doesNotMatch(page, /team:owner/);
  application.close();
});
