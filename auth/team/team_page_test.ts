import assert from "node:assert/strict";
import type { AuthOptions } from "../app/options.ts";
import { accountPage } from "../account/page.ts";
import { apiKeys } from "../api_key/provider.ts";
import { createAuth } from "../app/create_auth.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { ConfigurationError, ForbiddenError, UnauthenticatedError } from "../errors.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { startSession } from "../session/operations.ts";
import { createMemoryTenantMembers, createMemoryTenantStorage } from "../tenant/memory.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import { createTestApplication, ORIGIN } from "../tests/application.ts";
import { createTeamApplication, TEAM_ROLES } from "../tests/team_application.ts";
import { invite, listInvitations, resendInvitation, revokeInvitation } from "./invitations.ts";
import { teamPage } from "./page.ts";

Deno.test("GET /team sends visitors to the sign-in page and back, and tells strangers of no team", async () => {
  const application = await createTeamApplication();
  const away = await application.send("/team?team=acme");
  assert.equal(
    away.headers.get("location"),
    "https://app.example/auth/signin?callbackUrl=%2Fauth%2Fteam%3Fteam%3Dacme",
  );
  await application.addUser("eve");
  const cookie = await application.enter("eve");
  const [known, unknown] = await Promise.all(
    ["acme", "none"].map((slug) => application.send(`/team?team=${slug}`, { cookie })),
  );
  assert.equal(known!.status, 404);
  assert.equal(await known!.text(), await unknown!.text());
  for (const path of ["/invite", "/members/roles", "/members/remove", "/leave", "/hand-over"]) {
    const fields = { email: "x@example.com", role: "owner", user: "ada" };
    assert.equal((await application.post(path, cookie, fields)).status, 404, path);
  }
  assert.deepEqual(await application.rolesOf("ada"), ["owner"]);
  application.close();
});

Deno.test("the page shows each member what they may do", async () => {
  const application = await createTeamApplication();
  for (const id of ["bob", "leo"]) {
    await application.addUser(id, { roles: [id === "leo" ? "lead" : "editor"] });
  }
  const pages = new Map<string, string>();
  for (const id of ["ada", "leo", "bob"]) {
    const cookie = await application.enter(id);
    pages.set(id, await (await application.send("/team", { cookie })).text());
  }
  const has = (id: string, text: string) => pages.get(id)!.includes(text);
  for (const id of ["ada", "leo"]) {
    assert.ok(has(id, "Invite by email"), id);
    assert.ok(has(id, "bob@example.com"), id);
  }
  assert.ok(!has("bob", "Invite by email") && !has("bob", "ada@example.com"));
  assert.ok(has("bob", "Leave the team") && has("bob", "Lead"));
  assert.ok(has("ada", 'value="owner"') && !has("leo", 'value="owner"'));
  assert.ok(has("ada", "Make the owner") && !has("leo", "Make the owner"));
  assert.ok(!has("bob", "Remove from the team"));
  application.close();
});

Deno.test("the page of a team and that of the account lead to each other", async () => {
  const application = await createTeamApplication({ providers: [accountPage()] });
  const cookie = await application.enter("ada");
  const team = await (await application.send("/team", { cookie })).text();
  assert.match(team, /<header[^]*<a href="\/auth\/account">Your account<\/a>[^]*<\/header>/);
  const account = await (await application.send("/account", { cookie })).text();
  assert.match(account, /<header[^]*<a href="\/auth\/team">Your teams<\/a>[^]*<\/header>/);
  application.close();
});

// Tracks: R184, R189
Deno.test("roles are changed and members removed by who may do more than they", async () => {
  const application = await createTeamApplication();
  await application.addUser("bob", { roles: ["editor"] });
  await application.addUser("leo", { roles: ["lead"] });
  await application.addUser("dan", { roles: ["deleter"] });
  const [asAda, asLeo, asBob] = await Promise.all(["ada", "leo", "bob"].map(application.enter));
  const change = (cookie: string, user: string, role: string) =>
    application.post("/members/roles", cookie, { user, role });
  assert.equal((await change(asLeo!, "bob", "lead")).status, 303);
  assert.deepEqual(await application.rolesOf("bob"), ["lead"]);
  assert.equal((await change(asLeo!, "bob", "owner")).status, 403);
  assert.equal((await change(asLeo!, "leo", "owner")).status, 403);
  assert.equal((await change(asLeo!, "ada", "editor")).status, 403);
  assert.equal((await change(asLeo!, "dan", "editor")).status, 403);
  assert.equal((await change(asAda!, "bob", "no such role")).status, 403);
  assert.equal((await change(asAda!, "bob", "editor")).status, 303);
  assert.equal((await change(asBob!, "bob", "lead")).status, 403);
  const remove = (cookie: string, user: string) =>
    application.post("/members/remove", cookie, { user });
  assert.equal((await remove(asBob!, "leo")).status, 403);
  assert.equal((await remove(asLeo!, "ada")).status, 403);
  assert.equal((await remove(asLeo!, "dan")).status, 403);
  assert.equal((await remove(asLeo!, "bob")).status, 303);
  assert.deepEqual(await application.rolesOf("bob"), null);
  assert.equal((await application.send("/team?team=acme", { cookie: asBob! })).status, 404);
  const types = application.told.map(({ type }) => type).filter((type) =>
    type.startsWith("member")
  );
  assert.deepEqual(types, ["member-roles-changed", "member-roles-changed", "member-removed"]);
  application.close();
});

Deno.test("each form of the page tells a client that prefers JSON what was done, and in which team", async () => {
  const application = await createTeamApplication({ team: { canCreate: true } });
  await application.addUser("bob", { roles: ["editor"] });
  const [asAda, asBob] = await Promise.all(["ada", "bob"].map(application.enter));
  const tell = async (path: string, cookie: string, json: Record<string, string>) => {
    const response = await application.send(`/team${path}`, { cookie, json });
    assert.equal(response.status, 200, path);
    return await response.json();
  };
  const { id, name, slug } = (await application.tenants.getBySlug("acme"))!;
  const team = { id, name, slug };
  const here = { team: slug };
  const invited = { ...here, email: "eve@example.com", role: "editor" };
  assert.deepEqual(await tell("/invite", asAda!, invited), { done: "invited", team });
  const invitation = /name="id" value="([^"]+)"/.exec(
    await (await application.send("/team?team=acme", { cookie: asAda! })).text(),
  )![1]!;
  const none = { ...here, id: "none" };
  assert.deepEqual(await tell("/invitations/resend", asAda!, none), { done: null, team });
  assert.deepEqual(await tell("/invitations/revoke", asAda!, { ...here, id: invitation }), {
    done: "revoked",
    team,
  });
  assert.deepEqual(await tell("/switch", asAda!, here), { done: null, team });
  const bob = { ...here, user: "bob" };
  const changed = await tell("/members/roles", asAda!, { ...bob, role: "lead" });
  assert.deepEqual(changed, { done: "saved", team });
  assert.deepEqual(await tell("/hand-over", asAda!, bob), { done: "handed-over", team });
  assert.deepEqual(await tell("/leave", asAda!, here), { done: "left", team });
  await application.addUser("dan", { roles: ["editor"] });
  assert.deepEqual(await tell("/members/remove", asBob!, { ...here, user: "dan" }), {
    done: "removed",
    team,
  });
  const made = await tell("/create", asBob!, { name: "Base" });
  assert.deepEqual([made.done, made.team.name, made.team.slug], ["created", "Base", "base"]);
  application.close();
});

Deno.test("the last owner stays one, also of two that leave at once", async () => {
  const application = await createTeamApplication();
  const asAda = await application.enter("ada");
  const alone = await application.post("/leave", asAda);
  assert.equal(alone.status, 409);
  assert.ok((await alone.text()).includes("A team keeps an owner."));
  assert.equal(
    (await application.post("/members/roles", asAda, { user: "ada", role: "editor" })).status,
    409,
  );
  for (let round = 0; round < 5; round++) {
    const { tenantId, members } = application;
    await application.addUser(`bob${round}`, { roles: ["owner"] });
    const asBob = await application.enter(`bob${round}`);
    const left = await Promise.all([
      application.post("/leave", await application.enter("ada")),
      application.post("/leave", asBob),
    ]);
    assert.ok(left.some(({ status }) => status === 409), String(round));
    const { members: here } = await members.listOfTenant(tenantId);
    assert.ok(here.some(({ roles }) => roles.includes("owner")));
    // For the next round.
    await members.remove(tenantId, `bob${round}`);
    await members.remove(tenantId, "ada");
    await members.add({ tenantId, userId: "ada", roles: ["owner"], createdAt: new Date(0) });
  }
  application.close();
});

Deno.test("the last owner of others cannot delete the account, also of two who go at once", async () => {
  const application = await createTeamApplication({ providers: [accountPage()] });
  const { addUser, enter, members, rolesOf, send, tenantId, tenants } = application;
  const remove = (cookie: string, more = {}) =>
    send("/account/delete", { cookie, fields: {}, ...more });
  await addUser("cy", { roles: ["editor"] });
  for (const method of ["GET", "POST"]) {
    const asked = await send("/account/delete", {
      cookie: await enter("ada"),
      ...(method === "POST" && { fields: {} }),
    });
    assert.equal(asked.headers.get("location"), `${ORIGIN}/auth/team?team=acme&error=LAST_OWNER`);
  }
  const page = await send("/team?team=acme&error=LAST_OWNER", { cookie: await enter("ada") });
  assert.ok((await page.text()).includes("Make somebody else the owner first."));
  const accept = { headers: { accept: "application/json" } };
  const refused = await remove(await enter("ada"), accept);
  assert.equal((await refused.json()).code, "LAST_OWNER");
  assert.deepEqual(await rolesOf("ada"), ["owner"]);

  const second = await tenants.create({ slug: "base", name: "Base" });
  const owners = async (id: string) =>
    (await members.listOfTenant(id)).members.filter(({ roles }) => roles.includes("owner")).length;
  for (let round = 0; round < 5; round++) {
    const [one, other] = [`one${round}`, `other${round}`];
    await members.setRoles(tenantId, "ada", ["owner"]);
    for (const id of [one, other]) {
      await addUser(id, { roles: ["owner"] });
      await members.add({
        tenantId: second.id,
        userId: id,
        roles: ["owner"],
        createdAt: new Date(0),
      });
    }
    // Of acme ada stays the owner; base has these two, and cy, who needs one of them.
    if (round === 0) {
      await members.add({
        tenantId: second.id,
        userId: "cy",
        roles: ["x"],
        createdAt: new Date(0),
      });
    }
    const cookies = [await enter(one), await enter(other)];
    const gone = await Promise.all([
      remove(cookies[0]!),
      round % 2 === 0
        ? remove(cookies[1]!)
        : application.post("/leave", cookies[1]!, { team: "base" }),
    ]);
    assert.equal(await owners(second.id), 1, `${round}: ${gone.map(({ status }) => status)}`);
    // Whoever stays has what was given up on the way.
    for (const id of [one, other]) {
      const stays = await members.get(second.id, id) !== null;
      if (round % 2 === 0) assert.deepEqual(await rolesOf(id), stays ? ["owner"] : null);
      await members.remove(second.id, id);
      await members.remove(tenantId, id);
    }
  }

  // Nobody is left behind where nobody else is.
  const own = await tenants.create({ slug: "own", name: "Own" });
  await addUser("eve");
  await members.add({ tenantId: own.id, userId: "eve", roles: ["owner"], createdAt: new Date(0) });
  const alone = await remove(await enter("eve"));
  assert.equal(alone.status, 200);
  assert.equal((await members.listOfTenant(own.id)).members.length, 0);
  application.close();
});

// Tracks: R182
Deno.test("a suspended team keeps its last owner too, also of two who go at once", async () => {
  const application = await createTeamApplication({ providers: [accountPage()] });
  const { addUser, enter, members, rolesOf, send, tenantId, tenants } = application;
  await addUser("cy", { roles: ["editor"] });
  await tenants.update(tenantId, { suspended: true });
  const cookie = await enter("ada");
  const refused = `${ORIGIN}/auth/team?error=SUSPENDED_OWNER`;
  assert.equal((await send("/account/delete", { cookie })).headers.get("location"), refused);
  const gone = await send("/account/delete", { cookie, fields: {} });
  assert.equal(gone.headers.get("location"), refused);
  const shown = await send("/team?error=SUSPENDED_OWNER", { cookie });
  assert.equal(shown.status, 200);
  const page = await shown.text();
  assert.ok(page.includes("A suspended team keeps its owner. The people who run this site can"));
  assert.ok(page.includes("Acme Ltd") && page.includes("This team is suspended."));
  assert.ok(!page.includes("Make somebody else the owner"));
  for (let round = 0; round < 5; round++) {
    await addUser(`bob${round}`, { roles: ["owner"] });
    const cookies = [await enter("ada"), await enter(`bob${round}`)];
    await Promise.all(cookies.map((cookie) => send("/account/delete", { cookie, fields: {} })));
    const { members: here } = await members.listOfTenant(tenantId);
    assert.equal(here.filter(({ roles }) => roles.includes("owner")).length, 1, String(round));
    if (await rolesOf("ada") === null) await addUser("ada", { roles: ["owner"] });
    await members.remove(tenantId, `bob${round}`);
  }
  application.close();
});

// Tracks: R182
Deno.test("an owner who is disabled is not the one that stays", async () => {
  const application = await createTeamApplication({ providers: [accountPage()] });
  const { addUser, database, enter, post, rolesOf, send } = application;
  await addUser("bob", { roles: ["owner"] });
  await addUser("cy", { roles: ["editor"] });
  database.sqlite.exec("UPDATE users SET disabled_at = 1 WHERE id IN ('bob', 'cy')");
  const cookie = await enter("ada");
  assert.equal((await post("/leave", cookie)).status, 409);
  const demoted = await post("/members/roles", cookie, { user: "ada", role: "editor" });
  assert.equal(demoted.status, 409);
  const deleted = await send("/account/delete", { cookie, fields: {} });
  assert.match(deleted.headers.get("location")!, /error=LAST_OWNER/);
  // Nor is a team handed over to somebody who cannot sign in.
  const handed = await post("/hand-over", cookie, { user: "cy" });
  assert.equal(handed.status, 400);
  assert.ok((await handed.text()).includes("This account cannot sign in."));
  assert.deepEqual([await rolesOf("ada"), await rolesOf("cy")], [["owner"], ["editor"]]);
  assert.equal((await post("/members/remove", cookie, { user: "bob" })).status, 303);
  application.close();
});

Deno.test("a suspended team is named to its members, as such and with nothing to do there", async () => {
  const application = await createTeamApplication();
  const { addUser, enter, post, send, tenantId, tenants } = application;
  await addUser("eve");
  const [asAda, asEve] = [await enter("ada"), await enter("eve")];
  await tenants.update(tenantId, { suspended: true });
  const text = "This team is suspended. Ask the people who run this site.";
  for (const [path, status] of [["/team", 200], ["/team?team=acme", 404]] as const) {
    const response = await send(path, { cookie: asAda });
    assert.equal(response.status, status, path);
    const page = await response.text();
    assert.ok(page.includes(text) && page.includes("Acme Ltd"), path);
    assert.ok(!page.includes("You’re not in a team yet.") && !page.includes("team=acme"), path);
    assert.ok(!page.includes("Members") && !page.includes("Leave"), path);
  }
  const invited = await post("/invite", asAda, { email: "x@example.com", role: "editor" });
  assert.equal(invited.status, 404);
  assert.ok((await invited.text()).includes(text));
  const headers = { accept: "application/json" };
  const left = await send("/team/leave", { cookie: asAda, fields: { team: "acme" }, headers });
  assert.deepEqual(await left.json(), { code: "TENANT_NOT_FOUND", message: text });
  // Strangers are told nothing of it.
  assert.ok((await (await send("/team", { cookie: asEve })).text()).includes("not in a team yet."));
  const [known, none] = await Promise.all(
    ["acme", "none"].map((slug) => send(`/team?team=${slug}`, { cookie: asEve })),
  );
  const page = await known!.text();
  assert.equal(page, await none!.text());
  assert.ok(page.includes("You are not a member of this team.") && !page.includes(text));
  application.close();
});

Deno.test("changing, removing or promoting somebody who is no member says so", async () => {
  const application = await createTeamApplication();
  await application.addUser("eve");
  const cookie = await application.enter("ada");
  for (const path of ["/members/roles", "/members/remove", "/hand-over"]) {
    const response = await application.post(path, cookie, { user: "eve", role: "editor" });
    assert.equal(response.status, 400, path);
    assert.ok((await response.text()).includes("They are not a member of this team."), path);
  }
  assert.equal(application.told.some(({ type }) => type.startsWith("member-")), false);
  application.close();
});

Deno.test("the copy of an account has its teams", async () => {
  const application = await createTeamApplication({ providers: [accountPage()] });
  const { enter, send, tenantId } = application;
  const copy = await (await send("/account/export", { cookie: await enter("ada"), fields: {} }))
    .json();
  const [{ since, ...team }] = copy.teams;
  assert.deepEqual(team, { id: tenantId, name: "Acme Ltd", roles: ["owner"] });
  assert.ok(Date.parse(since) > 0);
  application.close();
});

Deno.test("a deletion that the database refuses leaves the owner of a team", async () => {
  const application = await createTeamApplication({ providers: [accountPage()] });
  const { addUser, database, enter, rolesOf, send } = application;
  await addUser("bob", { roles: ["owner", "editor"] });
  await database.prepare(
    "CREATE TABLE orders (user_id TEXT REFERENCES users (id) ON DELETE RESTRICT)",
  ).run();
  await database.prepare("INSERT INTO orders VALUES ('bob')").run();
  const cookie = await enter("bob");
  await assert.rejects(send("/account/delete", { cookie, fields: {} }), /FOREIGN KEY/);
  assert.deepEqual(await rolesOf("bob"), ["owner", "editor"]);
  application.close();
});

// Tracks: R182
Deno.test("nobody makes an owner, or takes that from one, by a session that was left open", async () => {
  const application = await createTeamApplication();
  for (const [id, role] of [["bob", "editor"], ["eve", "owner"]] as const) {
    await application.addUser(id, { roles: [role] });
  }
  const asAda = await application.enter("ada");
  application.clock.now += 11 * 60_000;
  const forms: [string, Record<string, string>][] = [
    ["/members/roles", { user: "bob", role: "owner" }],
    ["/members/roles", { user: "eve", role: "editor" }],
    ["/members/remove", { user: "eve" }],
    ["/invite", { email: "mallory@example.com", role: "owner" }],
    ["/hand-over", { user: "bob" }],
  ];
  for (const [path, fields] of forms) {
    const late = await application.post(path, asAda, fields);
    assert.match(late.headers.get("location") ?? "", /error=REAUTHENTICATION_REQUIRED/, path);
  }
  assert.deepEqual(await application.rolesOf("bob"), ["editor"]);
  assert.deepEqual(await application.rolesOf("eve"), ["owner"]);
  assert.equal(application.outbox.length, 0);
  // What gives nothing away is done as before.
  const role = await application.post("/members/roles", asAda, { user: "bob", role: "deleter" });
  assert.match(role.headers.get("location")!, /done=saved/);
  assert.deepEqual(await application.rolesOf("bob"), ["deleter"]);
  const fresh = await application.enter("ada");
  const done = await application.post("/members/roles", fresh, { user: "bob", role: "owner" });
  assert.match(done.headers.get("location")!, /done=saved/);
  application.close();
});

// Tracks: R182
Deno.test("an invitation of somebody who has left and come back since opens nothing", async () => {
  const application = await createTeamApplication();
  await application.addUser("leo", { roles: ["lead"] });
  const token = await application.invite("bob@example.com", {
    cookie: await application.enter("leo"),
  });
  const { members, tenantId } = application;
  await members.remove(tenantId, "leo");
  application.clock.now += 1000;
  const createdAt = new Date(application.clock.now);
  await members.add({ tenantId, userId: "leo", roles: ["lead"], createdAt });
  await application.addUser("bob");
  const cookie = await application.enter("bob");
  assert.equal((await application.send("/team/join", { fields: { token }, cookie })).status, 400);
  assert.equal(await application.rolesOf("bob"), null);
  application.close();
});

Deno.test("an owner hands over by a fresh sign-in, and stays a member", async () => {
  const application = await createTeamApplication();
  await application.addUser("bob", { roles: ["editor"] });
  const asBob = await application.enter("bob");
  assert.equal((await application.post("/hand-over", asBob, { user: "bob" })).status, 403);
  const asAda = await application.enter("ada");
  application.clock.now += 11 * 60_000;
  const late = await application.post("/hand-over", asAda, { user: "bob" });
  assert.ok(late.headers.get("location")!.includes("REAUTHENTICATION_REQUIRED"));
  assert.deepEqual(await application.rolesOf("bob"), ["editor"]);
  const fresh = await application.enter("ada");
  for (
    const [user, text] of [
      ["nobody", "They are not a member of this team."],
      ["ada", "A team keeps an owner. Make somebody else the owner first."],
    ] as const
  ) {
    const refused = await application.post("/hand-over", fresh, { user });
    assert.equal(refused.status, 400);
    assert.ok((await refused.text()).includes(text), user);
  }
  assert.deepEqual(await application.rolesOf("ada"), ["owner"]);
  assert.equal((await application.post("/hand-over", fresh, { user: "bob" })).status, 303);
  assert.deepEqual(await application.rolesOf("bob"), ["editor", "owner"]);
  assert.deepEqual(await application.rolesOf("ada"), ["deleter"]);
  application.close();
});

// Tracks: R182
Deno.test("what a removed member has invited ends with the membership", async () => {
  const application = await createTeamApplication();
  await application.addUser("leo", { roles: ["lead"] });
  const token = await application.invite("bob@example.com", {
    cookie: await application.enter("leo"),
  });
  await application.post("/members/remove", await application.enter("ada"), { user: "leo" });
  const rows = application.database.sqlite.prepare("SELECT * FROM tenant_invitations").all();
  assert.equal(rows.length, 0);
  assert.equal((await application.send(`/team/join?token=${token}`)).status, 400);
  application.close();
});

// Tracks: AB-08
Deno.test("members are shown 20 at a time, and found by name and address", async () => {
  const application = await createTeamApplication();
  for (let n = 10; n < 75; n++) {
    await application.addUser(`m${n}`, { roles: ["editor"], name: `Member ${n}` });
  }
  const cookie = await application.enter("ada");
  let path = "/team?team=acme";
  const seen = new Set<string>();
  let pages = 0;
  for (; path !== ""; pages++) {
    const text = await (await application.send(path, { cookie })).text();
    for (const [, name] of text.matchAll(/<bdi>(Member \d+|ada)<\/bdi>/g)) seen.add(name!);
    const next = text.match(/href="\/auth([^"]*after=[^"]*)"/)?.[1] ?? "";
    path = next.replaceAll("&amp;", "&");
  }
  assert.equal(seen.size, 66);
  assert.equal(pages, 4);
  const found = async (search: string) => {
    const url = `/team?team=acme&search=${encodeURIComponent(search)}`;
    const text = await (await application.send(url, { cookie })).text();
    return [...text.matchAll(/<b><bdi>(Member \d+|ada)<\/bdi>/g)].map(([, name]) => name);
  };
  assert.deepEqual(await found("MEMBER 42"), ["Member 42"]);
  assert.deepEqual(await found("m42@"), ["Member 42"]);
  assert.deepEqual(await found("nobody at all"), []);
  // Who does not see addresses finds nobody by one.
  const asMember = await application.enter("m42");
  const text = await (await application.send("/team?team=acme&search=m43%40", { cookie: asMember }))
    .text();
  assert.ok(text.includes("Nobody found"));
  application.close();
});

Deno.test("users make teams where the application allows it, five in a day, with a proved address", async () => {
  const application = await createTeamApplication({
    team: { canCreate: (user) => user.id !== "mallory" },
    rateLimit: {},
  });
  await application.addUser("bob");
  await application.addUser("mallory");
  await application.addUser("carl", { proved: false });
  const create = async (id: string, name: string) =>
    await application.send("/team/create", {
      cookie: await application.enter(id),
      fields: { name },
    });
  for (const id of ["mallory", "carl"]) assert.equal((await create(id, "Mine")).status, 403);
  const made = await create("bob", "Müller & Söhne");
  assert.equal(
    made.headers.get("location"),
    "https://app.example/auth/team?team=muller-sohne&done=created",
  );
  const team = await application.tenants.getBySlug("muller-sohne");
  assert.equal(team?.name, "Müller & Söhne");
  assert.deepEqual((await application.members.get(team!.id, "bob"))?.roles, ["owner"]);
  // The same name again, one that is none, and one that no address can show.
  const again = await create("bob", "Muller Sohne");
  assert.match(again.headers.get("location")!, /team=muller-sohne-[0-9a-f]{8}&/);
  assert.equal((await create("bob", "")).status, 400);
  assert.match((await create("bob", "日本")).headers.get("location")!, /team=team-[0-9a-f]{8}&/);
  assert.equal((await create("bob", "Fifth")).status, 303);
  assert.equal((await create("bob", "Sixth")).status, 429);
  application.close();
});

Deno.test("no team of a user has the name of a host or a page of the site", async () => {
  const application = await createTeamApplication({
    team: { canCreate: true, reservedSlugs: ["pricing"] },
    rateLimit: false,
  });
  await application.addUser("bob");
  const cookie = await application.enter("bob");
  for (const name of ["WWW", "Login", "Ädmin", "Pricing"]) {
    const made = await application.send("/team/create", { cookie, fields: { name } });
    const slug = new URL(made.headers.get("location")!).searchParams.get("team")!;
    assert.match(slug, /^(?:www|login|admin|pricing)-[0-9a-f]{8}$/);
    assert.equal((await application.tenants.getBySlug(slug))?.name, name);
  }
  application.close();
  for (const reservedSlugs of ["pricing", ["Not a slug"], [1]]) {
    await assert.rejects(
      createTeamApplication({ team: { reservedSlugs: reservedSlugs as string[] } }),
      /reservedSlugs/,
    );
  }
});

Deno.test("with tenants by cookie the page switches between teams", async () => {
  const application = await createTeamApplication({ strategy: "cookie" });
  const other = await application.tenants.create({ slug: "globex", name: "Globex" });
  const createdAt = new Date(0);
  await application.members.add({ tenantId: other.id, userId: "ada", roles: [], createdAt });
  const cookie = await application.enter("ada");
  const page = await (await application.send("/team", { cookie })).text();
  assert.ok(page.includes("/auth/team?team=globex") && page.includes("Switch"));
  const response = await application.post("/switch", cookie, { team: "globex" });
  const line = response.headers.getSetCookie().find((one) => one.startsWith("tenant="));
  assert.match(line!, /^tenant=globex; .*Secure/);
  const there = await (await application.send("/team", { cookie: `${cookie}; tenant=globex` }))
    .text();
  assert.ok(there.includes("<h1><bdi>Globex</bdi></h1>"));
  application.close();
});

Deno.test("a form that fails keeps what was typed, and says why on the page", async () => {
  const application = await createTeamApplication();
  const cookie = await application.enter("ada");
  const response = await application.post("/invite", cookie, {
    email: "no address",
    role: "editor",
  });
  assert.ok(response.status >= 400 && response.status < 500);
  const text = await response.text();
  assert.ok(text.includes('value="no address"') && text.includes("Enter a whole email address"));
  application.close();
});

Deno.test("a mail that cannot be sent is told, and the invitation can be sent again", async () => {
  let fails = true;
  const application = await createTeamApplication({
    team: {
      sendMail() {
        if (fails) throw new Error("Mailbox full");
      },
    },
  });
  const cookie = await application.enter("ada");
  const fields = { email: "bob@example.com", role: "editor" };
  assert.equal((await application.post("/invite", cookie, fields)).status, 503);
  fails = false;
  const id = application.database.sqlite.prepare("SELECT id FROM tenant_invitations").get()!
    .id as string;
  assert.equal((await application.post("/invitations/resend", cookie, { id })).status, 303);
  application.close();
});

Deno.test("invite(), listInvitations(), resendInvitation() and revokeInvitation() ask for the same rights", async () => {
  const application = await createTeamApplication({ strategy: "cookie" });
  await application.addUser("bob", { roles: ["editor"] });
  const run = async (cookie: string, work: () => Promise<unknown>) => {
    const headers = { cookie: `${cookie}; tenant=acme` };
    const response = await application.auth.run(
      new Request("https://app.example/x", { method: "POST", headers }),
      {},
      undefined,
      async () => {
        await work();
        return new Response();
      },
    );
    assert.equal(response.status, 200, await response.text());
  };
  const asAda = await application.enter("ada");
  await run(asAda, async () => {
    await invite("zoe@example.com", { roles: ["lead"], expires: 3600 });
    await invite("yan@example.com");
    const { invitations, cursor } = await listInvitations();
    assert.deepEqual(invitations.map(({ email, roles }) => [email, roles]), [
      ["yan@example.com", ["deleter"]],
      ["zoe@example.com", ["lead"]],
    ]);
    assert.equal(cursor, null);
    const [yan, zoe] = invitations;
    assert.equal(zoe!.expiresAt.getTime(), application.clock.now + 3_600_000);
    assert.equal(await resendInvitation(zoe!.id), true);
    assert.equal(await revokeInvitation(yan!.id), true);
    assert.equal(await revokeInvitation(yan!.id), false);
    assert.equal(await resendInvitation(yan!.id), false);
    await assert.rejects(invite("x@example.com", { expires: 5 }), ConfigurationError);
  });
  const asBob = await application.enter("bob");
  await run(asBob, async () => {
    for (const call of [() => invite("x@example.com"), () => listInvitations()]) {
      await assert.rejects(call, ForbiddenError);
    }
    await assert.rejects(revokeInvitation("x"), ForbiddenError);
    await assert.rejects(resendInvitation("x"), ForbiddenError);
  });
  await run("", async () => {
    await assert.rejects(invite("x@example.com"), UnauthenticatedError);
  });
  assert.equal(application.outbox.length, 3);
  application.close();
});

Deno.test("teamPage() says which option is wrong or missing", () => {
  const sendMail = () => {};
  const wrong: [unknown, RegExp][] = [
    [undefined, /sendMail/],
    [{}, /sendMail/],
    [{ sendMail: 5 }, /sendMail/],
    [{ sendMail, expires: 5 }, /expires/],
    [{ sendMail, canCreate: "yes" }, /canCreate/],
    [{ sendMail, expire: 60 }, /expires/],
    [{ sendMail, firstInvitations: 0 }, /firstInvitations/],
  ];
  for (const [options, message] of wrong) {
    assert.throws(() => teamPage(options as never), message);
  }
  const tenancy = defineTenancy({
    strategy: "path",
    storage: createMemoryTenantStorage(),
    members: createMemoryTenantMembers(),
  });
  const roles = [{ id: "admin", name: "Administrator", permissions: ["*"] }];
  const options: [Partial<AuthOptions>, RegExp][] = [
    [{}, /tenancy/],
    [
      { tenancy, rbac: defineRBAC({ roles }) },
      /^ConfigurationError: teamPage\(\) needs .+ Add to defineRBAC\(\) \(app\/auth\/rbac\.ts\): teamRoles: \[/,
    ],
    // What no binding changes is said before what one may lack.
    [
      { rbac: defineRBAC({ roles }) },
      /^ConfigurationError: teamPage\(\) needs/,
    ],
    [
      { tenancy, rbac: defineRBAC({ roles, teamRoles: TEAM_ROLES.slice(1) }) },
      /teamPage\(\) needs a role with the id "owner" among teamRoles/,
    ],
  ];
  for (const [given, message] of options) {
    const made = () =>
      createAuth({
        database: createMemoryStorage(),
        providers: [teamPage({ sendMail })],
        ...given,
      });
    assert.throws(made, message);
  }
});

// Tracks: R184
Deno.test("defineRBAC() refuses roles of teams that would reach the site", () => {
  const roles = [{ id: "admin", name: "Administrator", permissions: ["*"] }];
  const wrong: [unknown, RegExp][] = [
    [{ roles, teamRoles: 5 }, /teamRoles/],
    [{ roles, teamRoles: [{ id: "owner", name: "Owner", permissions: ["*"] }] }, /"\*".*by name/],
    [{ roles, teamRoles: [...TEAM_ROLES, TEAM_ROLES[0]] }, /no other role of teams/],
    [{ roles: [{ ...roles[0], id: "team:owner" }] }, /does not begin with "team:"/],
  ];
  for (const [config, message] of wrong) assert.throws(() => defineRBAC(config as never), message);
});

Deno.test("a member of a team keeps the site's default role", async () => {
  const { hasPermission } = await import("../session/operations.ts");
  const application = await createTeamApplication({
    strategy: "cookie",
    rbac: defineRBAC({
      roles: [{ id: "reader", name: "Reader", permissions: ["posts:read"] }],
      defaultRole: "reader",
      teamRoles: TEAM_ROLES,
    }),
  });
  const cookie = `${await application.enter("ada")}; tenant=acme`;
  const request = new Request("https://app.example/page", { headers: { cookie } });
  const response = await application.auth.run(
    request,
    {},
    undefined,
    () => Response.json([hasPermission("posts:read"), hasPermission("posts:write")]),
  );
  assert.deepEqual(await response.json(), [true, true]);
  application.close();
});

Deno.test("two lines make a team page over the memory storage, with the roles of the library", async () => {
  const application = createTestApplication({
    database: createMemoryStorage(),
    rateLimit: false,
    tenancy: defineTenancy({
      strategy: "path",
      storage: createMemoryTenantStorage(),
      members: createMemoryTenantMembers(),
    }),
    providers: [teamPage({ sendMail() {}, canCreate: true })],
  });
  const { createUser } = await import("../session/users.ts");
  const begun = await application.auth.run(
    new Request("https://app.example/", { method: "POST" }),
    {},
    undefined,
    async () => {
      await createUser({ id: "ada", email: "ada@example.com", emailVerified: new Date() });
      await startSession("ada");
      return new Response();
    },
  );
  const cookie = begun.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
  await application.send("/team/create", { cookie, fields: { name: "Acme" } });
  const page = await (await application.send("/team", { cookie })).text();
  assert.ok(page.includes("Owner") && page.includes("Invite by email"));
  const invited = await application.send("/team/invite", {
    cookie,
    fields: { team: "acme", email: "bob@example.com", role: "member" },
  });
  assert.equal(invited.status, 303);
  application.close();
});

// Tracks: R184, R188
Deno.test("the page has the keys of the team for who may manage them by a role of the team", async () => {
  const application = await createTeamApplication({
    rbac: defineRBAC({
      roles: [{ id: "lead", name: "Site lead", permissions: ["*"] }],
      teamRoles: [
        ...TEAM_ROLES.filter(({ id }) => id !== "owner"),
        { id: "owner", name: "Owner", permissions: ["team:*", "posts:write"] },
      ],
    }),
    providers: [
      apiKeys({
        prefix: "acme",
        permissions: { "posts:write": "Write posts", "users:manage": "Manage users" },
        teamPermission: "team:keys",
      }),
    ],
  });
  await application.addUser("leo", { roles: ["lead"] });
  const show = async (id: string) =>
    await (await application.send("/team?team=acme", { cookie: await application.enter(id) }))
      .text();
  const page = await show("ada");
  assert.ok(page.includes("Create an API key"));
  assert.ok(page.includes("Write posts") && !page.includes("Manage users"));
  // The role of the site with the same name, which permits everything, gives nothing here.
  assert.ok(!(await show("leo")).includes("Create an API key"));
  application.close();
});

Deno.test("a form that was refused keeps what was typed, and says at its field why", async () => {
  const application = await createTeamApplication({ team: { canCreate: true } });
  const cookie = await application.enter("ada");
  const forms: [path: string, fields: Record<string, string>, id: string, value: string | null][] =
    [
      ["/invite", { team: "acme", email: "bad", role: "editor" }, "email", "bad"],
      ["/create", { name: " " }, "team-name", " "],
    ];
  for (const [path, fields, id, value] of forms) {
    const response = await application.post(path, cookie, fields);
    assert.equal(response.status, 400, path);
    const text = await response.text();
    const [input] = new RegExp(`<input id="${id}"[^>]*>`).exec(text)!;
    assert.ok(input.includes(`value="${value}"`), input);
    assert.match(input, new RegExp(`aria-describedby="${id}-error" aria-invalid="true"`));
    assert.equal(text.split(" aria-invalid=").length, 2, path);
    assert.match(text, /<title>Error: /);
  }
  application.close();
});
