import assert from "node:assert/strict";
import { cookieOf, ORIGIN } from "../tests/application.ts";
import { createTeamApplication, type TeamApplication, tokenIn } from "../tests/team_application.ts";
import { strangersName } from "../pages/team.ts";
import { accountPage } from "../account/page.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { secondFactor } from "../sign_in/second_factor/provider.ts";

function accept(application: TeamApplication, token: string, cookie?: string): Promise<Response> {
  return application.send("/team/join", {
    fields: { token },
    ...(cookie !== undefined && { cookie }),
  });
}

function open(application: TeamApplication, token: string, cookie?: string): Promise<Response> {
  return application.send(`/team/join?token=${token}`, cookie === undefined ? {} : { cookie });
}

async function textOf(response: Response): Promise<string> {
  return await response.text();
}

// Tracks: R021, R182
Deno.test("the link of an invitation changes nothing until its button is pressed, and works once", async () => {
  const application = await createTeamApplication();
  await application.addUser("bob");
  const token = await application.invite("bob@example.com");
  const cookie = await application.enter("bob");
  for (let follow = 0; follow < 3; follow++) {
    const text = await textOf(await open(application, token, cookie));
    for (const said of ["Acme Ltd", "ada", "Editor", "Join the team"]) {
      assert.ok(text.includes(said), said);
    }
  }
  assert.equal(await application.rolesOf("bob"), null);
  const response = await accept(application, token, cookie);
  assert.equal(response.status, 303);
  assert.equal(
    response.headers.get("location"),
    "https://app.example/auth/team?team=acme&done=joined",
  );
  assert.equal(response.headers.get("referrer-policy"), "no-referrer");
  assert.deepEqual(await application.rolesOf("bob"), ["editor"]);
  assert.equal((await accept(application, token, cookie)).status, 400);
  assert.equal((await open(application, token, cookie)).status, 400);
  application.close();
});

// Tracks: R182
Deno.test("the secret of an invitation is in the mail, and in no answer, log line or event", async () => {
  const application = await createTeamApplication();
  const cookie = await application.enter("ada");
  const response = await application.post("/invite", cookie, {
    email: "bob@example.com",
    role: "editor",
  });
  const token = tokenIn(application.outbox[0]);
  const page = await textOf(await application.send("/team?team=acme", { cookie }));
  assert.ok(page.includes("bob@example.com"));
  const rows = application.database.sqlite.prepare("SELECT * FROM tenant_invitations").all();
  assert.equal(rows.length, 1);
  const seen = [
    JSON.stringify([...response.headers]),
    await response.text(),
    page,
    JSON.stringify(application.log),
    JSON.stringify(application.told),
    JSON.stringify(rows),
  ];
  for (const text of seen) assert.equal(text.includes(token), false);
  assert.equal(JSON.stringify(application.told).includes("bob@example.com"), false);
  application.close();
});

// Tracks: R182, GHSA-fmh4-wcc4-5jm3
Deno.test("a session with the invited address joins only when the address is proved, which ends what was on the account", async () => {
  const application = await createTeamApplication();
  // Mallory has signed up with the address of bob, who has never heard of it.
  await application.addUser("mallory", { proved: false });
  const token = await application.invite("mallory@example.com");
  const planted = await application.enter("mallory");
  const other = await application.enter("mallory");
  // The page warns before.
  const page = await textOf(await open(application, token, planted));
  assert.ok(page.includes("Confirm this address and join"));
  const response = await accept(application, token, planted);
  assert.equal(response.status, 200);
  assert.deepEqual(await application.rolesOf("mallory"), ["editor"]);
  // Whoever had made the account before is out, everywhere.
  for (const cookie of [planted, other]) {
    assert.equal((await application.send("/team", { cookie })).status, 303);
  }
  assert.ok(application.told.some(({ type }) => type === "email-verified"));
  application.close();
});

Deno.test("who accepts by a client that prefers JSON is told the way on, or what is to be done first", async () => {
  const application = await createTeamApplication();
  for (const id of ["bob", "eve"]) await application.addUser(id);
  await application.addUser("carl", { proved: false });
  const join = async (token: string, by: string | null, path = "/team/join") => {
    const cookie = by === null ? {} : { cookie: await application.enter(by) };
    const response = await application.send(path, { json: { token }, ...cookie });
    const { user, code, redirectTo } = await response.json();
    return [response.status, code ?? user?.id ?? null, redirectTo];
  };
  const page = `${ORIGIN}/auth/team?team=acme`;
  const asBob = await application.invite("bob@example.com");
  assert.deepEqual(await join(asBob, null), [401, "UNAUTHENTICATED", undefined]);
  assert.deepEqual(await join(asBob, "eve"), [403, "FORBIDDEN", undefined]);
  const link = `${ORIGIN}/auth/team/join?token=${asBob}`;
  assert.deepEqual(await join(asBob, "eve", "/team/join/switch"), [200, null, link]);
  assert.deepEqual(await join(asBob, "bob"), [200, "bob", `${page}&done=joined`]);
  assert.deepEqual(await join(asBob, "bob"), [400, "INVALID_INVITATION", undefined]);
  // The proof of the address has ended the session.
  const callbackUrl = encodeURIComponent("/auth/team?team=acme");
  const signIn = `${ORIGIN}/auth/signin?callbackUrl=${callbackUrl}`;
  const asCarl = await application.invite("carl@example.com");
  assert.deepEqual(await join(asCarl, "carl"), [200, null, signIn]);
  assert.deepEqual(await application.rolesOf("carl"), ["editor"]);
  application.close();
});

// Tracks: R182
Deno.test("an invitation signs nobody in to an account that is there, and merges nothing", async () => {
  const application = await createTeamApplication();
  for (const id of ["bob", "eve"]) await application.addUser(id);
  await application.addUser("carl", { proved: false });
  for (const address of ["bob@example.com", "BOB@example.com", "carl@example.com"]) {
    const token = await application.invite(address);
    const page = await textOf(await open(application, token));
    assert.ok(page.includes("to join."), address);
    const refused = await accept(application, token);
    assert.equal(refused.status, 403);
    assert.equal(cookieOf(refused), "");
    const asEve = await application.enter("eve");
    assert.ok(
      (await textOf(await open(application, token, asEve))).includes("Use another account"),
    );
    assert.equal((await accept(application, token, asEve)).status, 403);
    assert.equal(await application.rolesOf("eve"), null);
    assert.equal(await application.rolesOf("bob"), null);
    const away = await application.send("/team/join/switch", { cookie: asEve, fields: { token } });
    assert.equal(away.headers.get("location"), `https://app.example/auth/team/join?token=${token}`);
    assert.equal((await application.send("/team", { cookie: asEve })).status, 303);
  }
  application.close();
});

// Tracks: R182
Deno.test("for an address without an account the link makes one, proved, once", async () => {
  const application = await createTeamApplication();
  const token = await application.invite("Grace@Example.com");
  const page = await textOf(await open(application, token));
  assert.ok(page.includes("Create account and join"));
  const response = await accept(application, token);
  assert.equal(response.status, 303, await response.clone().text());
  const cookie = cookieOf(response);
  assert.notEqual(cookie, "");
  const shown = await textOf(await application.send("/team?team=acme", { cookie }));
  assert.ok(shown.includes("Grace@Example.com"));
  const users = application.database.sqlite
    .prepare("SELECT email_verified FROM users WHERE email_identity = 'grace@example.com'").all();
  assert.equal(users.length, 1);
  assert.notEqual(users[0]!.email_verified, null);
  assert.equal((await accept(application, token)).status, 400);
  application.close();
});

Deno.test("who joins without an account is led to a name and a way to sign in, and the account says where it comes from", async () => {
  const application = await createTeamApplication({ providers: [accountPage()] });
  const token = await application.invite("new@example.com");
  const joined = await application.send("/team/join", { fields: { token } });
  const cookie = joined.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
  const led = new URL(joined.headers.get("location")!);
  const page = await (await application.send(led.pathname.slice(5) + led.search, { cookie }))
    .text();
  assert.match(
    page,
    /Add your name and a way to sign in on <a href="\/auth\/account">your account page/,
  );
  const account = await (await application.send("/account", { cookie })).text();
  assert.match(account, /Account created by an invitation/);
  assert.match(account, /Signed in by an invitation/);
  assert.doesNotMatch(account, /with team/);
  // Who has a name by now, or had an account before, is told no more than before.
  for (const [id, name] of [["bob", "Bob"], ["eve", ""]] as const) {
    await application.addUser(id, { name });
    const again = await application.invite(`${id}@example.com`);
    const own = await application.enter(id);
    const to = await application.send("/team/join", { cookie: own, fields: { token: again } });
    const { pathname, search } = new URL(to.headers.get("location")!);
    const plain = await (await application.send(pathname.slice(5) + search, { cookie: own }))
      .text();
    assert.match(plain, /You’re a member now\.</);
  }
  application.close();
});

Deno.test("the application's signIn callback is asked about who joins, and a refusal consumes nothing", async () => {
  let verdict = false;
  const application = await createTeamApplication({
    callbacks: {
      signIn: ({ account }) => account?.provider !== "team" || verdict,
    },
  });
  const token = await application.invite("grace@example.com");
  assert.equal((await accept(application, token)).status, 403);
  verdict = true;
  assert.equal((await accept(application, token)).status, 303);
  application.close();
});

// Tracks: R182, CVE-2026-16072
Deno.test("an inviter who has lost the right, the membership or the account invites nobody any more", async () => {
  const application = await createTeamApplication();
  await application.addUser("bob");
  const asBob = await application.enter("bob");
  const ends: Record<string, () => Promise<unknown>> = {
    demoted: () => application.members.setRoles(application.tenantId, "leo", ["editor"]),
    removed: () => application.members.remove(application.tenantId, "leo"),
    lacking: () => application.members.setRoles(application.tenantId, "leo", []),
    suspended: () => application.tenants.update(application.tenantId, { suspended: true }),
  };
  await application.addUser("leo", { roles: ["lead"] });
  for (const [name, end] of Object.entries(ends)) {
    await application.tenants.update(application.tenantId, { suspended: false });
    await application.members.remove(application.tenantId, "leo");
    const createdAt = new Date(application.clock.now - 7 * 86_400_000);
    const { tenantId } = application;
    await application.members.add({ tenantId, userId: "leo", roles: ["lead"], createdAt });
    const cookie = await application.enter("leo");
    const token = await application.invite("bob@example.com", { cookie });
    await end();
    assert.equal((await open(application, token, asBob)).status, 400, name);
    assert.equal((await accept(application, token, asBob)).status, 400, name);
    assert.equal(await application.rolesOf("bob"), null, name);
  }
  application.close();
});

// Tracks: R182, R184
Deno.test("nobody invites to more than they may do themselves, and roles that grew meanwhile are judged anew", async () => {
  const application = await createTeamApplication();
  await application.addUser("leo", { roles: ["lead"] });
  await application.addUser("ed", { roles: ["editor"] });
  const asLeo = await application.enter("leo");
  for (const role of ["owner", "deleter", "no such role"]) {
    const response = await application.post("/invite", asLeo, { email: "x@example.com", role });
    assert.equal(response.status, 403, role);
  }
  const asEd = await application.enter("ed");
  const response = await application.post("/invite", asEd, {
    email: "x@example.com",
    role: "editor",
  });
  assert.equal(response.status, 403);
  assert.equal(application.outbox.length, 0);
  // As if the list had been changed between: a row with a role that the inviter may not give.
  await application.addUser("bob");
  const token = await application.invite("bob@example.com", { cookie: asLeo });
  application.database.sqlite.exec(`UPDATE tenant_invitations SET roles = '["owner"]'`);
  assert.equal((await accept(application, token, await application.enter("bob"))).status, 400);
  assert.equal(await application.rolesOf("bob"), null);
  application.close();
});

// Tracks: R182
Deno.test("of 100 that accept one invitation at once, one makes one account and one membership", async () => {
  const application = await createTeamApplication();
  const token = await application.invite("grace@example.com");
  const responses = await Promise.all(
    Array.from({ length: 100 }, () => accept(application, token)),
  );
  const statuses = responses.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 303).length, 1);
  assert.equal(statuses.filter((status) => status === 400).length, 99);
  const count = (sql: string) => application.database.sqlite.prepare(sql).get()!.n;
  assert.equal(count("SELECT COUNT(*) AS n FROM tenant_members"), 2);
  assert.equal(
    count("SELECT COUNT(*) AS n FROM users WHERE email_identity = 'grace@example.com'"),
    1,
  );
  application.close();
});

// Tracks: R182
Deno.test("inviting answers the same for strangers, members and who has left, and asks nothing about them", async () => {
  const application = await createTeamApplication();
  await application.addUser("bob", { roles: ["editor"] });
  await application.addUser("carl");
  await application.addUser("dora", { roles: ["editor"] });
  const asDora = await application.enter("dora");
  assert.equal((await application.post("/leave", asDora)).status, 303);
  const cookie = await application.enter("ada");
  const answers = new Set<string>();
  for (const id of ["stranger", "bob", "carl", "dora", "ada"]) {
    const email = `${id}@example.com`;
    const response = await application.post("/invite", cookie, { email, role: "editor" });
    const headers = [...response.headers].filter(([name]) => name !== "set-cookie");
    answers.add(JSON.stringify([response.status, headers, await response.text()]));
    const page = await textOf(await application.send("/team?team=acme", { cookie }));
    assert.ok(page.includes(email));
  }
  assert.equal(answers.size, 1);
  assert.equal(application.outbox.length, 5);
  // A member who accepts keeps the roles they have.
  const token = await application.invite("bob@example.com", { cookie, role: "owner" });
  await accept(application, token, await application.enter("bob"));
  assert.deepEqual(await application.rolesOf("bob"), ["editor"]);
  application.close();
});

Deno.test("a new invitation ends the one before; a revoked one and an expired one open nothing", async () => {
  const application = await createTeamApplication();
  const cookie = await application.enter("ada");
  const first = await application.invite("bob@example.com", { cookie });
  const second = await application.invite("bob@example.com", { cookie });
  assert.equal((await open(application, first)).status, 400);
  assert.equal((await open(application, second)).status, 200);
  const id = application.database.sqlite.prepare("SELECT id FROM tenant_invitations").get()!
    .id as string;
  await application.post("/invitations/resend", cookie, { id });
  const third = tokenIn(application.outbox.at(-1));
  assert.equal((await open(application, second)).status, 400);
  assert.equal((await open(application, third)).status, 200);
  application.clock.now += 7 * 86_400_000;
  assert.equal((await open(application, third)).status, 400);
  application.clock.now -= 7 * 86_400_000;
  const now = application.database.sqlite.prepare("SELECT id FROM tenant_invitations").get()!
    .id as string;
  assert.notEqual(now, id);
  await application.post("/invitations/revoke", cookie, { id: now });
  assert.equal((await accept(application, third)).status, 400);
  application.close();
});

// Tracks: R182
Deno.test("invitations are limited per inviter, more so for new members, and per mailbox", async () => {
  const application = await createTeamApplication({
    rateLimit: { emailVerification: { limit: 3, window: 3600 } },
  });
  const cookie = await application.enter("ada");
  const invite = (cookie: string, email: string) =>
    application.post("/invite", cookie, { email, role: "editor" });
  for (let n = 0; n < 20; n++) {
    assert.equal((await invite(cookie, `m${n}@example.com`)).status, 303);
  }
  const refused = await invite(cookie, "m20@example.com");
  assert.equal(refused.status, 429);
  assert.equal(application.outbox.length, 20);
  application.clock.now += 3_600_000;
  // A mailbox gets no more, and whoever asks is not told.
  for (let n = 0; n < 5; n++) assert.equal((await invite(cookie, "same@example.com")).status, 303);
  assert.equal(application.outbox.filter(({ to }) => to === "same@example.com").length, 3);
  await application.addUser("neo");
  const { tenantId } = application;
  const createdAt = new Date(application.clock.now);
  await application.members.add({ tenantId, userId: "neo", roles: ["lead"], createdAt });
  const asNeo = await application.enter("neo");
  for (let n = 0; n < 5; n++) assert.equal((await invite(asNeo, `n${n}@example.com`)).status, 303);
  assert.equal((await invite(asNeo, "n5@example.com")).status, 429);
  application.close();
});

// Tracks: R182
Deno.test("a new owner has twenty invitations on the first day, and is told when it goes on", async () => {
  const application = await createTeamApplication({ rateLimit: {}, team: { canCreate: true } });
  const { clock, send } = application;
  await application.addUser("bob");
  const cookie = await application.enter("bob");
  const created = await send("/team/create", { cookie, fields: { name: "Base" } });
  assert.equal(created.status, 303);
  const post = (email: string, team = "base", headers = {}) =>
    send("/team/invite", { cookie, fields: { team, email, role: "editor" }, headers });
  clock.now += 2 * 3_600_000;
  for (let n = 0; n < 20; n++) assert.equal((await post(`b${n}@example.com`)).status, 303);
  // Another team, and hours, change nothing.
  await send("/team/create", { cookie, fields: { name: "Second" } });
  clock.now += 4 * 3_600_000;
  assert.equal((await post("b20@example.com", "second")).status, 429);
  const refused = await post("b20@example.com");
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("retry-after"), String(18 * 3600));
  const page = await refused.text();
  assert.ok(page.includes("You can try again in <b>18 hours</b>"));
  assert.ok(page.includes('value="b20@example.com"'));
  const json = await post("b20@example.com", "base", { accept: "application/json" });
  assert.equal(json.headers.get("retry-after"), String(18 * 3600));
  assert.match((await json.json()).message, /Try again in 18 hours\./);
  clock.now += 18 * 3_600_000;
  assert.equal((await post("b20@example.com")).status, 303);
  application.close();
});

Deno.test("the application says how many a new owner may invite", async () => {
  const application = await createTeamApplication({
    rateLimit: {},
    team: { canCreate: true, firstInvitations: 2 },
  });
  await application.addUser("bob");
  const cookie = await application.enter("bob");
  await application.send("/team/create", { cookie, fields: { name: "Base" } });
  const statuses = [];
  for (const n of [1, 2, 3]) {
    const fields = { team: "base", email: `b${n}@example.com`, role: "editor" };
    statuses.push((await application.post("/invite", cookie, fields)).status);
  }
  assert.deepEqual(statuses, [303, 303, 429]);
  application.close();
});

// Tracks: R182, R184
Deno.test("nobody revokes somebody's invitation to a role that they could not give", async () => {
  const application = await createTeamApplication();
  await application.addUser("leo", { roles: ["lead"] });
  const [asAda, asLeo] = [await application.enter("ada"), await application.enter("leo")];
  const rows = () =>
    application.database.sqlite.prepare("SELECT id, email FROM tenant_invitations").all();
  const revoke = (cookie: string, email: string) => {
    const { id } = rows().find((one) => one.email === email)!;
    return application.post("/invitations/revoke", cookie, { id: id as string });
  };
  await application.invite("a@example.com", { cookie: asAda, role: "owner" });
  const page = async (cookie: string) =>
    await (await application.send("/team?team=acme", { cookie })).text();
  assert.ok(!(await page(asLeo)).includes("/invitations/"));
  assert.ok((await page(asAda)).includes("/invitations/revoke"));
  assert.equal((await revoke(asLeo, "a@example.com")).status, 403);
  assert.equal((await revoke(asAda, "a@example.com")).status, 303);
  // One of a role that one may give, and one's own, whatever it has become.
  await application.invite("b@example.com", { cookie: asAda, role: "editor" });
  assert.equal((await revoke(asLeo, "b@example.com")).status, 303);
  await application.invite("c@example.com", { cookie: asLeo, role: "editor" });
  application.database.sqlite.exec(`UPDATE tenant_invitations SET roles = '["owner"]'`);
  assert.ok((await page(asLeo)).includes("/invitations/revoke"));
  assert.equal((await revoke(asLeo, "c@example.com")).status, 303);
  // A role that is in the list no longer is no reason to keep one.
  await application.invite("d@example.com", { cookie: asLeo, role: "editor" });
  application.database.sqlite.exec(`UPDATE tenant_invitations SET roles = '["gone"]'`);
  assert.equal((await revoke(asAda, "d@example.com")).status, 303);
  assert.equal(rows().length, 0);
  application.close();
});

// Tracks: R166, R182
Deno.test("names of people and teams in the mail are bounded, plain, and no links", async () => {
  const application = await createTeamApplication();
  await application.tenants.update(application.tenantId, {
    name: `<a href="https://evil.example">Win</a> www.evil.example ${"x".repeat(120)}`,
  });
  await application.addUser("eve", {
    roles: ["owner"],
    name: "see http://evil.example/now@evil.example",
  });
  await application.invite("bob@example.com", { cookie: await application.enter("eve") });
  const { subject, text, html, url } = application.outbox[0]!;
  assert.ok(subject.length < 90, subject);
  for (const part of [subject, text.replaceAll(url, ""), html.replaceAll(url, "")]) {
    assert.equal(
      /evil\.example|www\.|https?:|@evil|<a href="https:\/\/evil/i.test(part),
      false,
      part,
    );
  }
  const cases: [string, string][] = [
    ["J. R. Tolkien & Söhne", "J. R. Tolkien & Söhne"],
    ["evil.example", "evil. example"],
    ["evil\u3002example", "evil\u3002 example"],
    ["a\u202Eb\u0000c\u200B\nd", "a b c d"],
    ["mail@evil.example", "mail evil. example"],
    ["www evil", "evil"],
  ];
  for (const [name, plain] of cases) assert.equal(strangersName(name), plain);
  assert.equal([...strangersName("😀".repeat(200))].length, 60);
  application.close();
});

// Tracks: R184
Deno.test("a role of a team is no role of the site, whatever its name, and counts in its team alone", async () => {
  const { hasPermission, hasRole, getUser } = await import("../session/operations.ts");
  const application = await createTeamApplication({ strategy: "cookie" });
  const cookie = await application.enter("ada");
  async function seen(team: string | null): Promise<unknown[]> {
    const headers = { cookie: team === null ? cookie : `${cookie}; tenant=${team}` };
    const request = new Request("https://app.example/page", { headers });
    const response = await application.auth.run(request, {}, undefined, async () => {
      await Promise.resolve();
      return Response.json([
        getUser()?.roles ?? [],
        hasRole("owner"),
        hasRole("team:owner"),
        hasPermission("users:manage"),
        hasPermission("posts:write"),
      ]);
    });
    return await response.json();
  }
  assert.deepEqual(await seen("acme"), [["team:owner"], false, true, false, true]);
  assert.deepEqual(await seen(null), [[], false, false, false, false]);
  // Nor does a role of the site become one of a team.
  application.database.sqlite.exec(
    `UPDATE users SET roles = '["team:owner"]', role = 'team:owner' WHERE id = 'ada'`,
  );
  await application.members.remove(application.tenantId, "ada");
  assert.deepEqual(await seen(null), [[], false, false, false, false]);
  application.close();
});

Deno.test("an account without a proved address joins nowhere while its tokens cannot be ended", async () => {
  const application = await createTeamApplication({
    session: { strategy: jwtSessions },
    secret: "s".repeat(32),
    providers: [],
  });
  await application.addUser("carl", { proved: false });
  const token = await application.invite("carl@example.com");
  const cookie = await application.enter("carl");
  const page = await textOf(await open(application, token, cookie));
  assert.ok(page.includes("on your account page"));
  assert.equal((await accept(application, token, cookie)).status, 403);
  assert.equal(await application.rolesOf("carl"), null);
  application.close();
});

// Tracks: R170, R182
Deno.test("an account that an invitation makes passes the second step where one is required, and is a member then", async () => {
  const application = await createTeamApplication({
    secret: "s".repeat(32),
    providers: [
      secondFactor({
        sendMail() {},
        required: (user) => user.email?.startsWith("grace") === true,
      }),
    ],
  });
  const token = await application.invite("grace@example.com");
  const response = await accept(application, token);
  assert.equal(response.status, 303, await response.clone().text());
  assert.match(response.headers.get("location")!, /second-factor|factor/);
  const [user] = application.database.sqlite
    .prepare("SELECT id, email_verified FROM users WHERE email_identity = 'grace@example.com'")
    .all();
  assert.notEqual(user?.email_verified ?? null, null);
  assert.deepEqual(await application.rolesOf(user!.id as string), ["editor"]);
  const sessions = application.database.sqlite
    .prepare("SELECT COUNT(*) AS n FROM sessions WHERE user_id = ?").get(user!.id as string)!;
  assert.equal(sessions.n, 0);
  application.close();
});

// Tracks: R170, R182
Deno.test("who joins without an account, into a role of the team that must have a second factor, gets no session before it", async () => {
  const application = await createTeamApplication({
    secret: "s".repeat(32),
    providers: [
      secondFactor({
        sendMail() {},
        required: (user, { memberRoles }) => user.id !== "ada" && memberRoles.includes("owner"),
      }),
    ],
  });
  for (const [role, isAsked] of [["owner", true], ["editor", false]] as const) {
    const token = await application.invite(`${role}@example.com`, { role });
    const response = await accept(application, token);
    assert.equal(response.status, 303, await response.clone().text());
    assert.equal(response.headers.get("location")!.includes("/auth/second-factor"), isAsked);
    const { id, n } = application.database.sqlite.prepare(
      `SELECT id, (SELECT count(*) FROM sessions WHERE user_id = users.id) AS n
FROM users WHERE email_identity = ?`,
    ).get(`${role}@example.com`)!;
    assert.equal(n, isAsked ? 0 : 1, role);
    assert.deepEqual(await application.rolesOf(id as string), [role]);
    assert.equal((await open(application, token)).status, 400);
  }
  application.close();
});
