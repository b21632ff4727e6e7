import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { ConfigurationError, isAuthError } from "../errors.ts";
import { authMiddleware } from "../session/auth_middleware.ts";
import {
  getSession,
  hasRole,
  isAuthenticated,
  requireAuth,
  requirePermission,
  requireRecentAuth,
} from "../session/operations.ts";
import { readSession } from "../session/read_session.ts";
import { disableUser, enableUser, setUserRoles } from "../session/users.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createMemoryRateLimits } from "../storage/memory_rate_limits.ts";
import { deleteTenant, requireMember } from "../tenant/operations.ts";
import {
  createKeyApplication,
  KEY_DATABASES,
  type KeyApplication,
} from "../tests/api_key_application.ts";
import { ORIGIN, visit } from "../tests/application.ts";
import { during } from "../tests/during.ts";
import { createApiKey, listApiKeys, rotateApiKey } from "./operations.ts";
import { apiKeys } from "./provider.ts";

/** Makes a test that runs over each storage. */
function overEach(
  test: (application: KeyApplication) => Promise<void>,
  ...[options, config]: Parameters<typeof createKeyApplication>
): () => Promise<void> {
  return async function runOverEach() {
    for (const [name, open] of Object.entries(KEY_DATABASES)) {
      const database = open();
      const application = createKeyApplication(
        { ...options, ...database !== undefined && { database } },
        config,
      );
      try {
        await test(application);
      } catch (error) {
        throw new Error(`Over ${name}`, { cause: error });
      } finally {
        application.close();
      }
    }
  };
}

async function codeOf(response: Response): Promise<[status: number, code: string]> {
  return [response.status, (await response.json()).code];
}

const INVALID = [401, "API_KEY_INVALID"];
const REFUSED = [403, "API_KEY_REFUSED"];
const CONFLICT = [400, "API_KEY_CONFLICT"];

Deno.test(
  "a key is shown once, counts where a guard says so, and acts for its owner",
  overEach(async (app) => {
    const cookie = await app.signIn();
    const response = await app.send("/api-keys", {
      cookie,
      json: { name: " Nightly export " },
      headers: { accept: "application/json" },
    });
    assert.equal(response.headers.get("cache-control"), "no-store");
    const { key, ...made } = await response.json();
    assert.match(key, /^acme_live_[0-9A-Za-z]{17}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    assert.deepEqual(
      { ...made, id: "", createdAt: "" },
      {
        ...{ id: "", name: "Nightly export", permissions: ["*"], limit: null, tenantId: null },
        ...{
          createdBy: "ada",
          createdAt: "",
          expires: null,
          lastUsedAt: null,
          previousUntil: null,
        },
      },
    );
    const list = await (await app.send("/api-keys", { cookie })).text();
    assert.deepEqual(JSON.parse(list).keys, [made]);
    assert.ok(!list.includes(key.split("_")[3]));

    const seen = await app.ask(key, { may: ["posts:read", "posts:delete"] });
    assert.equal(seen.status, 200);
    assert.match(seen.headers.get("vary")!, /Authorization/);
    assert.equal(seen.headers.get("cache-control"), "no-store");
    const body = await seen.json();
    assert.equal(body.user.id, "ada");
    assert.deepEqual(body.may, [true, false]);
    assert.deepEqual(body.actor, {
      ...{ kind: "key", id: made.id, name: "Nightly export", userId: "ada", tenantId: null },
    });
    // Anywhere else it is nobody.
    for (const guard of [null, { required: false }]) {
      const plain = await (await app.ask(key, { guard, may: ["posts:read"] })).json();
      assert.deepEqual(plain, { user: null, actor: null, may: [false] });
    }
    assert.equal((await app.ask(key, { guard: {} })).status, 401);
    assert.equal((await app.ask(null)).status, 401);
    const added = app.told.find(({ type }) => type === "api-key-added")!;
    assert.deepEqual([added.userId, (added as { keyId?: string }).keyId], ["ada", made.id]);
  }),
);

// Tracks: R188
Deno.test(
  "a key has what both its owner and the key have, at each request",
  overEach(async (app) => {
    const cookie = await app.signIn();
    const own = "posts:update:own";
    const { key } = await app.make({ permissions: `posts:read ${own} users:manage` }, cookie);
    const may = ["posts:read", own, "posts:update", "users:manage", "*"];
    async function rights(ownerId?: string): Promise<boolean[]> {
      const asked = { may, ...ownerId !== undefined && { ownerId } };
      return (await (await app.ask(key, asked)).json()).may;
    }
    const set = (...roles: string[]) =>
      during(app, undefined, () => setUserRoles("ada", { role: null, roles }));
    assert.deepEqual(await rights(), [true, false, false, false, false]);
    await set("author");
    assert.deepEqual(await rights("ada"), [true, true, false, false, false]);
    assert.deepEqual(await rights("bob"), [true, false, false, false, false]);
    await set("admin");
    assert.deepEqual(await rights("ada"), [true, true, false, true, false]);
    assert.deepEqual(await rights("bob"), [true, false, false, true, false]);
    // A demotion counts at once, and no role is ever a key's.
    const roles = await app.ask(key, {
      work: () => Response.json([hasRole("admin"), isAuthenticated(), getSession()?.user]),
    });
    assert.deepEqual((await roles.json()).slice(0, 2), [false, true]);
    await set("reader");
    assert.deepEqual(await rights("ada"), [true, false, false, false, false]);
    const guarded = (permission: string) => app.ask(key, { guard: { apiKey: true, permission } });
    assert.equal((await guarded("posts:read")).status, 200);
    assert.equal((await guarded("users:manage")).status, 403);
    const listed = await app.ask(key, {
      guard: { apiKey: true, permissions: ["a:b", "posts:read"] },
    });
    assert.equal(listed.status, 200);
  }),
);

// Tracks: R188
Deno.test(
  "a key is refused beside a session cookie and beside another key, and the cookie is not read",
  overEach(async (app) => {
    const cookie = await app.signIn();
    const { key } = await app.make({}, cookie);
    const [name] = cookie.split("=");
    for (const planted of [cookie, `${name}=x`, `framework.session-token=x`, `a=b; ${cookie}`]) {
      for (const guard of [{ apiKey: true }, {}, null]) {
        const both = await app.ask(key, { guard, headers: { cookie: planted } });
        assert.deepEqual(await codeOf(both), CONFLICT);
      }
    }
    const wrong = "acme_test_x";
    for (
      const two of [
        `${key}, Bearer ${key}`,
        `${key},${key}`,
        `${wrong}, ${key}`,
        `x Bearer ${key} ${key}`,
      ]
    ) {
      assert.deepEqual(await codeOf(await app.ask(two)), CONFLICT, two);
    }
    // Neither is the cookie where no guard runs.
    const request = new Request(`${ORIGIN}/`, {
      headers: { cookie, authorization: `Bearer ${key}` },
    });
    assert.equal(await readSession(app.auth, request, {}), null);
    // Another header is another program's.
    const basic = await app.ask(null, {
      guard: {},
      headers: { cookie, authorization: "Bearer other" },
    });
    assert.equal((await basic.json()).user.id, "ada");
  }),
);

// Tracks: R188, R189
Deno.test("a key opens no endpoint of the library, whatever the session strategy", async () => {
  for (const session of [{}, { bearer: true }, { bearer: true, strategy: jwtSessions }]) {
    const storage = createMemoryStorage();
    const app = createKeyApplication({
      session,
      secret: "a secret of at least thirty-two bytes",
      database: storage,
    });
    const { key } = await app.make();
    const seen = await app.ask(key);
    assert.equal((await seen.json()).user.id, "ada");
    for (
      const [path, method] of [
        ...["/session", "/sessions", "/api-keys", "/account", "/accounts", "/signin"].map((
          path,
        ) => [path, "GET"]),
        ...[
          "/session",
          "/signout",
          "/api-keys",
          "/api-keys/rotate",
          "/api-keys/revoke",
          "/signin/credentials",
          "/account/delete",
          "/account/export",
          "/no-such",
        ].map((path) => [path, "POST"]),
      ]
    ) {
      const headers = { authorization: `Bearer ${key}`, accept: "application/json" };
      const response = await app.send(path!, { method: method!, headers });
      assert.deepEqual(await codeOf(response), REFUSED, `${method} ${path}`);
    }
    app.close();
  }
});

Deno.test(
  "a key is never recent, and is refused by guards within that say nothing of keys",
  overEach(async (app) => {
    const { key } = await app.make();
    for (const maxAge of [600, 1e9, Infinity]) {
      const recent = await app.ask(key, {
        work: () => Response.json(requireRecentAuth({ throwError: true, maxAge }).id),
      });
      assert.deepEqual(await codeOf(recent), [401, "REAUTHENTICATION_REQUIRED"]);
    }
    const more = await app.ask(key, {
      work: async () => Response.json(await createApiKey({ name: "More" })),
    });
    assert.deepEqual(await codeOf(more), [401, "REAUTHENTICATION_REQUIRED"]);
    const listing = await app.ask(key, { work: async () => Response.json(await listApiKeys()) });
    assert.deepEqual(await codeOf(listing), [403, "FORBIDDEN"]);
    for (const inner of [{}, { required: false }, { permission: "posts:read" }]) {
      const nested = await app.ask(key, {
        work: (auth) =>
          authMiddleware(inner)(
            new Request(`${ORIGIN}/`),
            () => Promise.resolve(new Response("in")),
            { auth },
          ),
      });
      assert.deepEqual(await codeOf(nested), REFUSED, JSON.stringify(inner));
    }
    const again = await app.ask(key, {
      work: (auth) =>
        authMiddleware({ apiKey: true })(
          new Request(`${ORIGIN}/`),
          () => Promise.resolve(new Response(requireAuth().id)),
          { auth },
        ),
    });
    assert.equal(await again.text(), "ada");
  }),
);

// Tracks: R188
Deno.test(
  "a key dies with its owner's disabling, its end and its revocation, all alike",
  overEach(async (app) => {
    const cookie = await app.signIn();
    const { key: disabled } = await app.make({}, await app.signIn("bob"));
    await during(app, undefined, () => disableUser("bob"));
    assert.deepEqual(await codeOf(await app.ask(disabled)), INVALID);
    await during(app, undefined, () => enableUser("bob"));
    assert.deepEqual(await codeOf(await app.ask(disabled)), INVALID);

    const expires = new Date(app.clock.now + 60_000).toISOString();
    const ending = await app.make({ expires }, cookie);
    assert.equal((await app.ask(ending.key)).status, 200);
    app.clock.now += 60_000;
    const over = await app.ask(ending.key);
    assert.equal(over.headers.get("www-authenticate"), 'Bearer error="invalid_token"');
    assert.deepEqual(await codeOf(over), INVALID);

    const { id, key } = await app.make({}, cookie);
    const eve = await app.signIn("eve");
    const json = { accept: "application/json" };
    const foreign = await app.send("/api-keys/revoke", {
      cookie: eve,
      json: { id },
      headers: json,
    });
    assert.deepEqual(await foreign.json(), { revoked: false });
    app.clock.now += 3_600_000;
    const revoked = await app.send("/api-keys/revoke", { cookie, json: { id }, headers: json });
    assert.deepEqual(await revoked.json(), { revoked: true });
    assert.deepEqual(await codeOf(await app.ask(key)), INVALID);
  }),
);

// Tracks: R188
Deno.test(
  "a rotated key has one secret more until its time, and no third",
  overEach(async (app) => {
    const cookie = await app.signIn();
    const first = await app.make({}, cookie);
    async function rotate(grace: string): Promise<string> {
      const json = { id: first.id, grace };
      const headers = { accept: "application/json" };
      return (await (await app.send("/api-keys/rotate", { cookie, json, headers })).json()).key;
    }
    const statuses = async (...keys: string[]) => {
      const answers = await Promise.all(keys.map((key) => app.ask(key)));
      return answers.map(({ status }) => status);
    };
    const second = await rotate("3600");
    assert.equal(second.split("_")[2], first.id);
    assert.deepEqual(await statuses(first.key, second), [200, 200]);
    const third = await rotate("60");
    assert.deepEqual(await statuses(first.key, second, third), [401, 200, 200]);
    app.clock.now += 60_000;
    assert.deepEqual(await statuses(first.key, second, third), [401, 401, 200]);
    const fourth = await rotate("0");
    assert.deepEqual(await statuses(third, fourth), [401, 200]);
    const racing = await Promise.all(Array.from({ length: 10 }, () => rotate("0")));
    assert.equal(
      (await statuses(...racing.filter((key) => key !== undefined))).filter((one) => one === 200)
        .length,
      1,
    );
  }),
);

// Tracks: R188, R189
Deno.test(
  "a team's key is nobody: it has what it was given, in that team alone",
  overEach(async (app) => {
    const { tenants, members } = app;
    for (const id of ["t1", "t2"]) await tenants.create({ id, slug: id, name: id });
    const cookie = await app.signIn();
    const at = { createdAt: new Date(0) };
    await members.add({ tenantId: "t1", userId: "ada", roles: ["keeper"], ...at });
    await members.add({ tenantId: "t2", userId: "ada", roles: [], ...at });
    const { id, key } = await app.make({ tenant: "t1", permissions: "posts:read" }, cookie);
    const here = { "x-tenant-id": "t1" };
    const permission = "posts:read";
    const seen = await app.ask(key, {
      guard: { apiKey: true, permission },
      headers: here,
      may: [permission, "posts:update", "posts:read:own"],
    });
    const actor = { kind: "key", id, name: "Export", userId: null, tenantId: "t1" };
    assert.deepEqual(await seen.json(), { user: null, actor, may: [true, false, true] });
    // Nothing without a permission, and never as somebody.
    for (
      const guard of [{ apiKey: true }, { apiKey: true, permission: "posts:update" }, {
        apiKey: true,
        permission: "posts:update:own",
      }]
    ) {
      assert.equal((await app.ask(key, { guard, headers: here })).status, 403);
    }
    const authorize = () => true;
    assert.equal(
      (await app.ask(key, { guard: { apiKey: true, permission, authorize }, headers: here }))
        .status,
      403,
    );
    for (
      const work of [
        () => requireAuth({ throwError: true }),
        requireMember,
        () => requireRecentAuth({ throwError: true }),
      ]
    ) {
      const refusal = await app.ask(key, {
        guard: { apiKey: true, permission },
        headers: here,
        work: () => Response.json(work()),
      });
      assert.equal(refusal.status, 401);
    }
    const required = await app.ask(key, {
      guard: { apiKey: true, permission },
      headers: here,
      work: () => {
        requirePermission(permission);
        return new Response("yes");
      },
    });
    assert.equal(await required.text(), "yes");
    for (const headers of [{ "x-tenant-id": "t2" }, { "x-tenant-id": "t3" }, {}]) {
      const elsewhere = await app.ask(key, {
        guard: { apiKey: true, permission },
        headers: headers as Record<string, string>,
      });
      assert.deepEqual(await codeOf(elsewhere), REFUSED);
    }
    // It outlives its maker there, and ends with the team.
    await members.remove("t1", "ada");
    await during(app, undefined, () => disableUser("ada"));
    const guard = { apiKey: true, permission };
    assert.equal((await app.ask(key, { guard, headers: here })).status, 200);
    await tenants.update("t1", { suspended: true });
    assert.equal((await app.ask(key, { guard, headers: here })).status, 403);
    await tenants.update("t1", { suspended: false });
    await during(app, undefined, () => deleteTenant("t1"));
    await tenants.create({ id: "t1", slug: "t1", name: "Another" });
    assert.deepEqual(await codeOf(await app.ask(key, { guard, headers: here })), INVALID);
  }),
);

// Tracks: R188, R189
Deno.test(
  "a team's key is made by who may, with no more than they hold there, and by no role of the site",
  overEach(async (app) => {
    const { tenants, members, clock } = app;
    for (const id of ["t1", "t2"]) await tenants.create({ id, slug: id, name: id });
    const at = { createdAt: new Date(0) };
    const [ada, bob, eve] = [
      await app.signIn("ada"),
      await app.signIn("bob"),
      await app.signIn("eve"),
    ];
    await during(app, undefined, () => setUserRoles("eve", { roles: ["admin", "keeper"] }));
    await members.add({ tenantId: "t1", userId: "ada", roles: ["keeper"], ...at });
    await members.add({ tenantId: "t1", userId: "bob", roles: ["clerk"], ...at });
    await members.add({ tenantId: "t1", userId: "eve", roles: [], ...at });
    async function make(cookie: string, tenant: string, permissions: string): Promise<number> {
      const json = { name: "Key", tenant, permissions };
      const headers = { accept: "application/json" };
      return (await app.send("/api-keys", { cookie, json, headers })).status;
    }
    assert.equal(await make(ada, "t1", "posts:read posts:update"), 200);
    assert.equal(await make(ada, "t1", "posts:delete"), 403);
    assert.equal(await make(ada, "t1", "*"), 403);
    assert.equal(await make(ada, "t1", "posts:read:own"), 400);
    assert.equal(await make(ada, "t1", ""), 400);
    assert.equal(await make(bob, "t1", "posts:read"), 200);
    assert.equal(await make(bob, "t1", "posts:update"), 403);
    // An administrator of the site is nobody in a team.
    assert.equal(await make(eve, "t1", "posts:read"), 403);
    assert.equal(await make(ada, "t2", "posts:read"), 403);
    assert.equal(await make(ada, "no such", "posts:read"), 403);
    // Whoever rotates is given what the key may do.
    const own = await during(app, ada, () => listApiKeys({ tenantId: "t1" }));
    const strong = own.result.find(({ permissions }) => permissions.includes("posts:update"))!;
    await assert.rejects(
      during(app, bob, () => rotateApiKey(strong.id, { tenantId: "t1" })).then(({ result }) => {
        if (result === null) throw new Error("no such key");
      }),
    );
    const made = await during(app, ada, () => listApiKeys({ tenantId: "t1", createdBy: "bob" }));
    assert.deepEqual(made.result.map(({ createdBy }) => createdBy), ["bob"]);
    // A demotion counts from then on.
    await members.setRoles("t1", "bob", []);
    assert.equal(await make(bob, "t1", "posts:read"), 403);
    clock.now += 700_000;
    assert.equal(await make(ada, "t1", "posts:read"), 401);
  }),
);

Deno.test(
  "in a team a user's key has the rights of the member too, and shows no role",
  overEach(async (app) => {
    const { tenants, members } = app;
    await tenants.create({ id: "t1", slug: "t1", name: "t1" });
    const { key } = await app.make({ permissions: "posts:update keys:manage" });
    const headers = { "x-tenant-id": "t1" };
    assert.deepEqual(await codeOf(await app.ask(key, { headers })), REFUSED);
    await members.add({ tenantId: "t1", userId: "ada", roles: ["keeper"], createdAt: new Date(0) });
    const may = ["posts:update", "posts:read", "keys:manage"];
    const seen = await (await app.ask(key, { headers, may })).json();
    assert.deepEqual([seen.user.id, seen.user.roles, seen.may], ["ada", undefined, [
      true,
      false,
      true,
    ]]);
    const member = await app.ask(key, {
      headers,
      work: () => Response.json(requireMember().roles),
    });
    assert.deepEqual(await member.json(), []);
    // Outside of the team those rights are none.
    assert.deepEqual((await (await app.ask(key, { may })).json()).may, [false, false, false]);
    await members.remove("t1", "ada");
    assert.deepEqual(await codeOf(await app.ask(key, { headers })), REFUSED);
  }),
);

Deno.test(
  "of 100 requests at once a limit of five lets five pass",
  overEach(async (app) => {
    const { key } = await app.make({ limit: "5/60" });
    const answers = await Promise.all(Array.from({ length: 100 }, () => app.ask(key)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    const limited = answers.find(({ status }) => status === 429)!;
    assert.equal(answers.filter(({ status }) => status === 429).length, 95);
    assert.match(limited.headers.get("ratelimit")!, /^"api-key";r=0;t=\d+$/);
    app.clock.now += 61_000;
    assert.equal((await app.ask(key)).status, 200);
  }, { rateLimit: false }),
);

/** Statements that a request sends. */
async function statementsOf(app: KeyApplication, work: () => Promise<unknown>): Promise<number> {
  const before = app.database.trips;
  await work();
  return app.database.trips - before;
}

// Tracks: R188
Deno.test("what no key can be costs no statement, and unknown and wrong keys cost the same and are counted", async () => {
  const app = createKeyApplication();
  const { key } = await app.make();
  await app.ask(key);
  const [prefix, mode, id, secret, checksum] = key.split("_") as [
    string,
    string,
    string,
    string,
    string,
  ];
  const { writeApiKey } = await import("./key.ts");
  const beginning = `${prefix}_${mode}_`;
  const other = (text: string) => (text[0] === "A" ? "B" : "A") + text.slice(1);
  const malformed = [
    beginning,
    key.slice(0, -1),
    `${key}A`,
    `${beginning}${id}_${other(secret)}_${checksum}`,
    `${beginning}${other(id)}_${secret}_${checksum}`,
    key.replace("_live_", "_test_"),
    `${beginning}${id}_${secret}_${other(checksum)}`,
    beginning + "A".repeat(100_000),
  ];
  for (const wrong of malformed) {
    const asked = () => app.ask(wrong);
    assert.equal(
      await statementsOf(app, async () => assert.deepEqual(await codeOf(await asked()), INVALID)),
      0,
      wrong.slice(0, 99),
    );
  }
  const unknown = writeApiKey(beginning, { id: other(id), secret });
  const wrong = writeApiKey(beginning, { id, secret: other(secret) });
  const info = { clientAddress: "198.51.100.9" };
  const costs = [];
  for (const one of [unknown, wrong]) {
    costs.push(await statementsOf(app, () => app.ask(one, { info })));
  }
  assert.equal(costs[0], costs[1]);
  for (let count = 0; count < 58; count++) {
    assert.equal((await app.ask(count % 2 ? wrong : unknown, { info })).status, 401);
  }
  assert.equal((await app.ask(unknown, { info })).status, 429);
  // Nobody is shut out by that: neither others nor a right key from there.
  assert.equal((await app.ask(unknown)).status, 401);
  assert.equal((await app.ask(key, { info })).status, 200);
  // No key is in what the application hears or logs.
  const heard = JSON.stringify([app.told, app.log]);
  for (const one of [secret, other(secret)]) assert.ok(!heard.includes(one));
  app.close();
});

Deno.test("the last use is written at most once an hour", async () => {
  const app = createKeyApplication();
  const cookie = await app.signIn();
  const { key } = await app.make({}, cookie);
  const used = async () =>
    (await (await app.send("/api-keys", { cookie })).json()).keys[0].lastUsedAt;
  const costs: number[] = [];
  for (const minutes of [0, 1, 58, 1, 59]) {
    app.clock.now += minutes * 60_000;
    costs.push(
      await statementsOf(app, async () => {
        await app.ask(key);
        await wait(0);
      }),
    );
  }
  assert.deepEqual(costs.map((cost) => cost - Math.min(...costs)), [1, 0, 0, 1, 0]);
  assert.equal(await used(), new Date(app.clock.now - 59 * 60_000).toISOString());
  app.close();
});

Deno.test("limits count where the application says, and a limiter of its own", async () => {
  const storage = createMemoryRateLimits();
  const app = createKeyApplication({ rateLimit: { storage } });
  const { key } = await app.make({ limit: "2/60" });
  const statuses = [];
  for (let count = 0; count < 3; count++) statuses.push((await app.ask(key)).status);
  assert.deepEqual(statuses, [200, 200, 429]);
  assert.equal(
    app.database.sqlite.prepare("SELECT COUNT(*) AS n FROM rate_limits WHERE key LIKE 'api-key|%'")
      .get()!.n,
    0,
  );
  app.close();
});

Deno.test("what a key cannot be made with is refused", async () => {
  const app = createKeyApplication({}, { permissions: { "posts:read": "Read posts" } });
  const cookie = await app.signIn();
  const wrong: Record<string, string>[] = [
    { name: "" },
    { name: "x".repeat(65) },
    { name: "a\u0007b" },
    {},
    { permissions: "posts:update" },
    { permissions: "*" },
    { permissions: "posts" },
    { permissions: "posts:read", expires: "yesterday" },
    { permissions: "posts:read", expires: "2001-01-01" },
    { permissions: "posts:read", limit: "0/60" },
    { permissions: "posts:read", limit: "1001/60" },
    { permissions: "posts:read", limit: "many" },
  ];
  for (const fields of wrong) {
    const json = { name: "Key", ...fields };
    const response = await app.send("/api-keys", {
      cookie,
      json,
      headers: { accept: "application/json" },
    });
    assert.equal(response.status, 400, JSON.stringify(fields));
  }
  assert.deepEqual((await (await app.send("/api-keys", { cookie })).json()).keys, []);
  const { key } = await app.make({ permissions: "posts:read" }, cookie);
  assert.equal((await app.ask(key)).status, 200);
  // From another site nothing is made, and without a session neither.
  const elsewhere = await app.send("/api-keys", {
    cookie,
    json: { name: "Key" },
    headers: { origin: "https://evil.example" },
  });
  assert.equal(elsewhere.status, 403);
  const nobody = await app.send("/api-keys", {
    json: { name: "Key" },
    headers: { accept: "application/json" },
  });
  assert.equal(nobody.status, 401);
  app.close();
});

Deno.test(
  "there are at most fifty keys of one owner, however many are made at once",
  overEach(async (app) => {
    const cookie = await app.signIn();
    const json = { name: "Key" };
    const headers = { accept: "application/json" };
    const made = await Promise.all(
      Array.from({ length: 60 }, () => app.send("/api-keys", { cookie, json, headers })),
    );
    assert.equal(made.filter(({ status }) => status === 200).length, 50);
    assert.equal(made.filter(({ status }) => status === 400).length, 10);
  }),
);

Deno.test("apiKeys() and its guard say which option is wrong", () => {
  const wrong: unknown[] = [
    undefined,
    {},
    { prefix: "a" },
    { prefix: "ACME" },
    { prefix: "acmeacmea" },
    { prefix: "ac_me" },
    { prefix: "acme", mode: "prod" },
    { prefix: "acme", permissions: { posts: "Posts" } },
    { prefix: "acme", permissions: { "posts:read": "" } },
    { prefix: "acme", teamPermission: "manage" },
    { prefix: "acme", hashing: false },
  ];
  for (const config of wrong) {
    assert.throws(() => apiKeys(config as never), ConfigurationError, JSON.stringify(config));
  }
  // Nobody would be in any team.
  const teams = () =>
    createKeyApplication({ tenancy: undefined as never }, { teamPermission: "keys:manage" });
  assert.throws(teams, { code: "CONFIGURATION", field: "tenancy" });
  for (const beside of [{ role: "admin" }, { roles: ["admin"] }, { secondFactor: true }]) {
    assert.throws(() => authMiddleware({ apiKey: true, ...beside }), ConfigurationError);
  }
  assert.throws(() => authMiddleware({ apiKey: "yes" as never }), ConfigurationError);
});

Deno.test("a guard that lets keys count is an error in an application without keys", async () => {
  const app = createKeyApplication({ providers: [] });
  const { createTestApplication } = await import("../tests/application.ts");
  const without = createTestApplication();
  const request = new Request(`${ORIGIN}/api`);
  await assert.rejects(
    without.auth.run(
      request,
      {},
      undefined,
      (context) =>
        authMiddleware({ apiKey: true })(request, () => Promise.resolve(new Response()), context),
    ),
    (error) => isAuthError(error) && error.code === "CONFIGURATION",
  );
  await assert.rejects(
    visit(without, async () => Response.json(await listApiKeys())),
    (error) => isAuthError(error) && error.code === "CONFIGURATION",
  );
  without.close();
  app.close();
});
