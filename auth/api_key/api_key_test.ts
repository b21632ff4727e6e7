import assert from "node:assert/strict";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { ConfigurationError, isAuthError } from "../errors.ts";
import { authMiddleware } from "../session/auth_middleware.ts";
import {
  getSession,
  hasRole,
  isAuthenticated,
  requireAuth,
  requireRecentAuth,
} from "../session/operations.ts";
import { readSession } from "../session/read_session.ts";
import { setUserRoles } from "../session/users.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import {
  codeOf,
  CONFLICT,
  createKeyApplication,
  overEach,
  REFUSED,
} from "../tests/api_key_application.ts";
import { ORIGIN, visit } from "../tests/application.ts";
import { during } from "../tests/during.ts";
import { createApiKey, listApiKeys } from "./operations.ts";
import { apiKeys } from "./provider.ts";

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

Deno.test(
  "the form of a key without a name is open again, and says so at its field",
  overEach(async (app) => {
    const cookie = await app.signIn();
    const away = await app.send("/api-keys", { cookie, fields: { name: "" } });
    const { pathname, search } = new URL(away.headers.get("location")!);
    const text = await (await app.send(pathname.slice("/auth".length) + search, { cookie })).text();
    assert.match(text, /<details open><summary>Create an API key/);
    assert.match(text, /<input id="key-name"[^>]* aria-describedby="key-name-hint key-name-error"/);
  }),
);
