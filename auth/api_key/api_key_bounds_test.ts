import assert from "node:assert/strict";
import { defineRBAC } from "../rbac/roles.ts";
import { authMiddleware } from "../session/auth_middleware.ts";
import { settingsOf } from "../session/settings_of.ts";
import { teamPage } from "../team/page.ts";
import { createKeyApplication, type KeyApplication } from "../tests/api_key_application.ts";
import { ORIGIN } from "../tests/application.ts";
import { during } from "../tests/during.ts";
import { withFactor } from "../tests/second_factor_application.ts";
import { createApiKey, listApiKeys, type NewApiKey, rotateApiKey } from "./operations.ts";
import { apiKeys } from "./provider.ts";

const JSON_PLEASE = { accept: "application/json" };
const HERE = { "x-tenant-id": "t1" };

/** A team of which ada manages the keys. */
async function createTeam(app: KeyApplication, roles = ["keeper"]): Promise<string> {
  await app.tenants.create({ id: "t1", slug: "acme", name: "Acme" });
  const cookie = await app.signIn();
  await app.members.add({ tenantId: "t1", userId: "ada", roles, createdAt: new Date(0) });
  return cookie;
}

/** The status of an operation in a request. */
async function statusOf(
  app: KeyApplication,
  cookie: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const { result } = await during(
    app,
    cookie,
    () => work().then(() => 200, ({ status }) => Number(status)),
  );
  return result;
}

// Tracks: R188
Deno.test("a team's key is counted against its own limit, as one of a user is, and says when there is room", async () => {
  const app = createKeyApplication();
  const cookie = await createTeam(app);
  const of = { tenant: "t1", permissions: "posts:read", limit: "2/60" };
  const { key } = await app.make(of, cookie);
  const guard = { apiKey: true, permission: "posts:read" };
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) {
    statuses.push((await app.ask(key, { guard, headers: HERE })).status);
  }
  assert.deepEqual(statuses, [200, 200, 429]);
  app.clock.now += 20_000;
  const refused = await app.ask(key, { guard, headers: HERE });
  assert.equal(refused.headers.get("ratelimit"), '"api-key";r=0;t=40');
  assert.equal(refused.headers.get("retry-after"), "40");
  app.close();
});

Deno.test("guards within each other count the request of a key once", async () => {
  const app = createKeyApplication();
  const { key } = await app.make({ limit: "1/60" });
  const within = await app.ask(key, {
    work: (auth) =>
      authMiddleware({ apiKey: true })(
        new Request(`${ORIGIN}/`),
        () => Promise.resolve(new Response("in")),
        { auth },
      ),
  });
  assert.equal(await within.text(), "in");
  assert.equal((await app.ask(key)).status, 429);
  app.close();
});

// Tracks: R188
Deno.test("what is asked about another user is not answered by the key and its owner", async () => {
  const app = createKeyApplication();
  const cookie = await createTeam(app);
  const permissions = "posts:read posts:update";
  const keys = [
    await app.make({ permissions, tenant: "t1" }, cookie),
    await app.make({ permissions }, cookie),
  ];
  const { rbac } = settingsOf(app.auth, {});
  for (const { key } of keys) {
    const answer = await app.ask(key, {
      guard: { apiKey: true, permission: "posts:read" },
      headers: HERE,
      work: () =>
        Response.json(
          ["posts:read", "posts:update"].map((one) => rbac!.permits({ id: "eve" }, one)),
        ),
    });
    assert.deepEqual(await answer.json(), [true, false]);
  }
  // A team has nothing of its own, whatever its row says.
  app.database.sqlite.exec(`UPDATE api_keys SET permissions = '["posts:read","posts:update:own"]'`);
  const team = await app.ask(keys[0]!.key, {
    guard: { apiKey: true, permission: "posts:read" },
    headers: HERE,
    may: ["posts:update:own", "posts:update"],
  });
  assert.deepEqual((await team.json()).may, [false, false]);
  app.close();
});

// Tracks: R188
Deno.test("nobody manages the keys of a team that is suspended", async () => {
  const app = createKeyApplication();
  const cookie = await createTeam(app);
  const { id } = await app.make({ tenant: "t1", permissions: "posts:read" }, cookie);
  await app.tenants.update("t1", { suspended: true });
  const of = { tenantId: "t1" };
  const wanted = { ...of, name: "More", permissions: ["posts:read"] };
  assert.equal(await statusOf(app, cookie, () => createApiKey(wanted)), 403);
  assert.equal(await statusOf(app, cookie, () => listApiKeys(of)), 403);
  assert.equal(await statusOf(app, cookie, () => rotateApiKey(id, of)), 403);
  app.close();
});

Deno.test("a key of a team has what its maker names, and never everything for want of that", async () => {
  const app = createKeyApplication();
  const cookie = await createTeam(app, ["admin"]);
  const json = { name: "Key", tenant: "t1" };
  const made = await app.send("/api-keys", { cookie, json, headers: JSON_PLEASE });
  assert.equal(made.status, 400);
  app.close();
});

// Tracks: R188
Deno.test("a team's key is rotated as that of a user is: by a fresh proof, for the seconds that were said", async () => {
  const app = createKeyApplication();
  const cookie = await createTeam(app);
  const { id, key } = await app.make({ tenant: "t1", permissions: "posts:read" }, cookie);
  const rotate = async (json: Record<string, string>) =>
    await app.send("/api-keys/rotate", { cookie, json, headers: JSON_PLEASE });
  // It is none of the user's own.
  assert.equal((await rotate({ id })).status, 404);
  for (const grace of ["604801", "-1", "1.5"]) {
    assert.equal((await rotate({ id, tenant: "t1", grace })).status, 400, grace);
  }
  assert.equal((await rotate({ id, tenant: "t1", grace: "60" })).status, 200);
  const guard = { apiKey: true, permission: "posts:read" };
  const until = async () => {
    const { result } = await during(app, cookie, () => listApiKeys({ tenantId: "t1" }));
    return result[0]!.previousUntil?.getTime() ?? null;
  };
  const end = app.clock.now + 60_000;
  app.clock.now = end - 1;
  assert.equal((await app.ask(key, { guard, headers: HERE })).status, 200);
  assert.equal(await until(), end);
  app.clock.now = end;
  assert.equal((await app.ask(key, { guard, headers: HERE })).status, 401);
  // What is over is shown to nobody as if it counted.
  assert.equal(await until(), null);
  app.clock.now += 700_000;
  assert.equal((await rotate({ id, tenant: "t1" })).status, 401);
  assert.equal((await app.send("/api-keys", { cookie })).status, 200);
  app.close();
});

Deno.test("what code of the application asks for is bounded as what a form says", async () => {
  const app = createKeyApplication();
  const cookie = await app.signIn();
  const { now } = app.clock;
  const wrong: Partial<NewApiKey>[] = [
    { permissions: Array.from({ length: 101 }, (_, index) => `posts:n${index}`) },
    { permissions: [`posts:${"x".repeat(200)}`] },
    { permissions: [] },
    { expires: new Date(now) },
    { expires: new Date(NaN) },
    { limit: { limit: 0, window: 60 } },
    { limit: { limit: 5, window: 0 } },
  ];
  for (const one of wrong) {
    const status = await statusOf(app, cookie, () => createApiKey({ name: "Key", ...one }));
    assert.notEqual(status, 200, JSON.stringify(one));
  }
  const twice = ["posts:read", "posts:update", "posts:read"];
  const { result } = await during(
    app,
    cookie,
    () => createApiKey({ name: "Key", permissions: twice, expires: new Date(now + 1) }),
  );
  assert.deepEqual(result.permissions, ["posts:read", "posts:update"]);
  assert.equal((await (await app.send("/api-keys", { cookie })).json()).keys.length, 1);
  app.close();
});

Deno.test("beside keys a token of a session counts as before, and a word that has a key within is none", async () => {
  const app = createKeyApplication({ session: { bearer: true } });
  const cookie = await app.signIn();
  const token = cookie.slice(cookie.indexOf("=") + 1);
  const seen = await app.ask(token, { guard: {} });
  assert.equal((await seen.json()).user.id, "ada");
  app.close();

  const plain = createKeyApplication();
  const own = await plain.signIn();
  const { key } = await plain.make({}, own);
  const other = await plain.ask(`x${key}`, { guard: {}, headers: { cookie: own } });
  assert.equal((await other.json()).user.id, "ada");
  plain.close();
});

Deno.test("a page offers a key no permission that its owner lacks, and a team's none of its own", async () => {
  const app = createKeyApplication({
    rbac: defineRBAC({
      roles: [{ id: "reader", name: "Reader", permissions: ["posts:read"] }],
      teamRoles: [
        { id: "owner", name: "Owner", permissions: ["team:*", "posts:*"] },
        { id: "keys", name: "Keys", permissions: ["team:keys", "posts:read"] },
        { id: "member", name: "Member", permissions: ["posts:read"] },
      ],
      defaultRole: "reader",
    }),
    providers: [teamPage({ sendMail() {} })],
  }, {
    teamPermission: "team:keys",
    permissions: {
      "posts:read": "Read posts",
      "posts:update": "Change posts",
      "posts:update:own": "Change own posts",
    },
  });
  const cookie = await createTeam(app, ["owner"]);
  const [bob, cy] = [await app.signIn("bob"), await app.signIn("cy")];
  const at = { tenantId: "t1", createdAt: new Date(0) };
  await app.members.add({ ...at, userId: "bob", roles: ["keys"] });
  await app.members.add({ ...at, userId: "cy", roles: ["member"] });
  const page = async (path: string, sender: string) => {
    const response = await app.send(path, { cookie: sender, headers: { accept: "text/html" } });
    assert.equal(response.status, 200);
    return await response.text();
  };
  const offered = (text: string) =>
    [...text.matchAll(/name="can:([^"]+)"/g)].map(([, permission]) => permission);
  assert.deepEqual(offered(await page("/account", cookie)), ["posts:read"]);
  assert.deepEqual(offered(await page("/team?team=acme", cookie)), ["posts:read", "posts:update"]);
  assert.deepEqual(offered(await page("/team?team=acme", bob)), ["posts:read"]);
  // Whoever may not manage them sees the page all the same.
  assert.equal((await page("/team?team=acme", cy)).includes('id="api-keys"'), false);

  // The address of a maker without a name is for who manages the members.
  await app.make({ tenant: "t1", permissions: "posts:read" }, cookie);
  app.database.sqlite.exec(
    "UPDATE users SET name = NULL, email = 'ada@example.com' WHERE id = 'ada'",
  );
  const keysOf = async (sender: string) => {
    const text = await page("/team?team=acme", sender);
    return text.slice(text.indexOf('id="api-keys"'));
  };
  assert.match(await keysOf(cookie), /Created by <bdi>ada@example\.com/);
  assert.doesNotMatch(await keysOf(bob), /ada@example\.com/);
  app.close();
});

// Tracks: R174, R188
Deno.test("a key is made and rotated by who has proved the second factor of late, and the page says so", () =>
  withFactor(
    async (application) => {
      const member = await application.member();
      const { secret } = await application.enrol(member);
      const browser = application.browser();
      await application.begin(browser);
      await application.answer(browser, await application.code(secret), { trust: "yes" });
      application.wait(30_000);
      await browser.send("/signout", { fields: {} });
      // The browser is trusted: nobody has looked at the app.
      await application.begin(browser);
      assert.equal(await browser.user(), application.userId());
      const make = async () => {
        const response = await browser.send("/api-keys", { fields: { name: "Key" } });
        return [response.status, (await response.json()).code];
      };
      const offers = async () =>
        (await (await browser.send("/account")).text()).includes('action="/auth/api-keys"');
      assert.deepEqual(await make(), [401, "SECOND_FACTOR_REQUIRED"]);
      assert.equal(await offers(), false);
      await application.answer(browser, await application.code(secret));
      assert.deepEqual(await make(), [200, undefined]);
      assert.equal(await offers(), true);
    },
    "database",
    {},
    { providers: [apiKeys({ prefix: "acme" })] },
  ));
