import assert from "node:assert/strict";
import { apiKeys } from "../api_key/provider.ts";
import { createApiKey } from "../api_key/operations.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { createEndpointTable } from "../app/endpoints.ts";
import type { AuthOptions } from "../app/options.ts";
import { currentRequest } from "../core/request.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { endEverything } from "../session/end_everything.ts";
import { endSession, getUser, startSession } from "../session/operations.ts";
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
import { deviceBound } from "../sign_in/device_bound/provider.ts";
import { email } from "../sign_in/email/provider.ts";
import { issueOneTimeToken } from "../sign_in/one_time_token.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import { passwords } from "../sign_in/password/provider.ts";
import { secondFactor } from "../sign_in/second_factor/provider.ts";
import { outbox } from "../outbox/outbox.ts";
import { createMemoryRevocationStore } from "../storage/revocations.ts";
import { teamPage } from "../team/page.ts";
import { createMemoryTenantMembers, createMemoryTenantStorage } from "../tenant/memory.ts";
import { addMember, deleteTenant, removeMember, setMemberRoles } from "../tenant/operations.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import { cookieOf, ORIGIN, visit } from "../tests/application.ts";
import { createDevice } from "../tests/device.ts";
import { cheapHasher } from "../tests/password_application.ts";
import { identityProvider } from "../tests/identity_provider.ts";
import { browserAfter } from "../tests/token_application.ts";
import { auditTrail } from "./audit.ts";
import { impersonate, stopImpersonating } from "./impersonation.ts";
import {
  createApplication,
  ROLES,
  seen,
  signInAll,
  withPeople,
} from "../tests/impersonation_application.ts";

/** Options of an application with everything. */
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

// A sibling host can plant the cookie without the prefix: nobody is acted for in its session.
// Tracks: R185, A-06
Deno.test("where sessions move to the prefix, the administrator's moves as their own while they act", async () => {
  const stores: Partial<AuthOptions>[] = [{}, {
    secret: "s".repeat(32),
    session: { strategy: jwtSessions, revocation: createMemoryRevocationStore(() => 0) },
  }];
  for (const options of stores) {
    const before = createApplication(options);
    const { clock, database } = before;
    const acting = await before.act((await signInAll(before)).support);
    const hostOnlySince = new Date(clock.now + 60_000);
    const after = createApplication({
      ...options,
      database,
      now: () => clock.now,
      cookies: { sessionToken: { hostOnly: true, hostOnlySince } },
    });
    clock.now += 120_000;
    assert.deepEqual(await before.within(acting, seen), ["reader", "support"]);
    const moving = await visit(after, () => Response.json(seen()), { cookie: acting });
    assert.deepEqual(await moving.json(), ["support", null]);
    const [moved, ...others] = browserAfter("", moving).split("; ");
    assert.match(moved!, /^__Host-framework\.session-token=/);
    assert.deepEqual(others, []);
    assert.deepEqual(await after.within(moved!, seen), ["support", null]);
    after.close();
    before.close();
  }
});

// Tracks: R185
Deno.test("who acts for somebody looks at a page by HEAD as by GET", () =>
  withPeople(async (application, { support }) => {
    const acting = await application.act(support);
    const look = async (method: string) =>
      (await application.send("/account", { method, cookie: acting })).status;
    assert.deepEqual([await look("GET"), await look("HEAD")], [200, 200]);
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

// Tracks: R182, R185
Deno.test("an administrator who acts is in no tenant that their own session is of and the user no member of", async () => {
  const tenants = createMemoryTenantStorage();
  const members = createMemoryTenantMembers();
  for (const id of ["support", "users"]) await tenants.create({ id, slug: id, name: id });
  await withPeople(async ({ send, auth }, { reader }) => {
    await members.add({ tenantId: "users", userId: "reader", roles: [], createdAt: new Date(0) });
    const at = (tenant: string) => ({ headers: { "x-tenant-id": tenant } });
    const fields = { name: "support", password: "right" };
    const own = cookieOf(await send("/signin/credentials", { fields, ...at("support") }));
    const begun = await send("/impersonation", {
      ...{ cookie: own, fields: { id: "reader", reason: "Ticket 17" } },
      ...at("support"),
    });
    const acting = browserAfter(own, begun);
    const userIn = async (tenant: string, cookie: string) => {
      const request = new Request(`${ORIGIN}/app`, {
        headers: { cookie, "x-tenant-id": tenant },
      });
      const state = () => Response.json(getUser()?.id ?? null);
      return await (await auth.run(request, {}, undefined, state)).json();
    };
    assert.equal(await userIn("support", own), "support");
    // As the user sees it, who is a member of the one and not of the other.
    for (const cookie of [acting, reader]) {
      assert.equal(await userIn("support", cookie), null);
      assert.equal(await userIn("users", cookie), "reader");
      assert.equal(await userIn("", cookie), "reader");
    }
  }, { tenancy: defineTenancy({ strategy: "header", storage: tenants, members }) });
});

// Tracks: R185
Deno.test("the state of the user's session has no device of the administrator's", () =>
  withPeople(async (application) => {
    const device = await createDevice(application);
    await device.signIn("support");
    await device.register();
    const own = device.cookie();
    const stateWith = (cookie: string) =>
      application.within(cookie, () => currentRequest("test").auth.load());
    const state = await stateWith(own);
    assert.ok(state.status === "valid" && state.device?.text);
    const acted = await stateWith(await application.act(own));
    assert.ok(acted.status === "valid");
    assert.deepEqual([acted.session.user.id, acted.device], ["reader", undefined]);
  }, { session: { deviceBound: deviceBound({ sendMail() {} }) } }));

// Else the session would lose its proof of the device while its administrator acts.
Deno.test("the administrator's own session goes on to prove its device while they act", () =>
  withPeople(async (application, { support }) => {
    const acting = await application.act(support);
    const paths = [...createEndpointTable(settingsOf(application.auth, {})).keys()]
      .filter((path) => path.startsWith("/device/"));
    assert.ok(paths.length > 0);
    for (const path of paths) {
      const response = await application.send(path, { method: "POST", cookie: acting });
      assert.doesNotMatch(await response.text(), /Only the owner of the account/, path);
    }
  }, { session: { deviceBound: deviceBound({ sendMail() {} }) } }));

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
    const stopped = await application.act(owner);
    application.told.length = 0;
    const twice = await within(
      stopped,
      async () => [await stopImpersonating(), await stopImpersonating()],
    );
    assert.deepEqual(twice, [true, false]);
    assert.deepEqual(application.told.map(({ type }) => type), ["impersonation-ended"]);
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

Deno.test("readSession() and readAuth() see the user, too", () =>
  withPeople(async (application, { support }) => {
    const acting = await application.act(support);
    const request = () => new Request(`${ORIGIN}/ws`, { headers: { cookie: acting } });
    assert.equal((await readSession(application.auth, request(), {}))?.user.id, "reader");
    assert.equal((await readAuth(application.auth, request(), {}).getUser())?.id, "reader");
  }));
