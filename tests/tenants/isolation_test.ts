import {
  accountPage,
  type AuthOptions,
  codeHostProvider,
  createAuth,
  createUser,
  defaultTheme,
  email,
  type EmailParams,
  getUser,
  hasPermission,
  hasRole,
  jwtSessions,
  listSessions,
  passkey,
  readSession,
  requireAuth,
  requireRole,
  type RunContext,
} from "@framework/auth";
import { authMiddleware } from "@framework/auth/middleware";
import {
  addMember,
  deleteTenant,
  getTenant,
  listMembers,
  listTenantsOf,
  removeMember,
  requireMember,
  requireTenant,
  setMemberRoles,
} from "@framework/auth/tenant";
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { createCompiler } from "../../auth/app/create_auth.ts";
import {
  BY_NAME,
  cookieOf,
  createTwoTenants,
  type Slug,
  STRATEGIES,
  type Strategy,
  type TwoTenants,
} from "./two_tenants.ts";

/** Runs outside of any request: the next test of `deno test` may begin within one that the test before it has left. */
const outside = AsyncLocalStorage.snapshot();

const SESSIONS: Record<string, Partial<AuthOptions>> = {
  database: {},
  jwt: { session: { strategy: jwtSessions }, secret: "s".repeat(32) },
};

/** Each test for each strategy and each kind of session. */
function test(
  name: string,
  check: (app: TwoTenants, strategy: Strategy, sessions: string) => Promise<void>,
  more: Partial<AuthOptions> = {},
): void {
  for (const strategy of STRATEGIES) {
    for (const [sessions, options] of Object.entries(SESSIONS)) {
      Deno.test(`${name} (${strategy}, ${sessions})`, async () => {
        const app = createTwoTenants(strategy, { ...options, ...more });
        try {
          await check(app, strategy, sessions);
        } finally {
          app.close();
        }
      });
    }
  }
}

/** Returns what the application sees at a path of a tenant. */
async function seen(
  { auth, request }: TwoTenants,
  tenant: Slug | null,
  cookie?: string,
): Promise<{ tenant: string | null; user: string | null; roles: string[]; permitted: boolean }> {
  const sent = cookie === undefined ? {} : { cookie };
  const response = await auth.run(
    request(tenant, "/page", sent),
    {},
    undefined,
    () =>
      Response.json({
        tenant: getTenant()?.slug ?? null,
        user: getUser()?.id ?? null,
        roles: ["reader", "owner", "global"].filter((role) => hasRole(role)),
        permitted: hasPermission("posts:read"),
      }),
  );
  assert.equal(response.status, 200);
  const inside = await response.json();
  // Whoever answers by itself is told the same.
  const session = await readSession(auth, request(tenant, "/page", sent), {});
  assert.equal(session?.user.id ?? null, inside.user);
  return inside;
}

async function userAt(app: TwoTenants, tenant: Slug | null, cookie: string) {
  return (await seen(app, tenant, cookie)).user;
}

/** Runs work of the application with nobody signed in. */
async function work<T>(app: TwoTenants, tenant: Slug | null, does: () => Promise<T>): Promise<T> {
  let result: { value: T } | undefined;
  await app.auth.run(app.request(tenant, "/work"), {}, undefined, async () => {
    result = { value: await does() };
    return new Response();
  });
  return result!.value;
}

// Tracks: R136, R141
test("a session counts for its own tenant and for no other", async (app) => {
  const atAcme = await app.signIn("acme", "ada");
  const atBase = await app.signIn("base", "bob");
  const elsewhere = await app.signIn(null, "cy");
  const rows: [string, Slug | null, string | null][] = [
    [atAcme, "acme", "ada"],
    [atAcme, "base", null],
    [atAcme, null, null],
    [atBase, "base", "bob"],
    [atBase, "acme", null],
    [atBase, null, null],
    [elsewhere, null, "cy"],
    [elsewhere, "acme", null],
    [elsewhere, "base", null],
  ];
  for (const [cookie, tenant, user] of rows) {
    assert.equal(await userAt(app, tenant, cookie), user, `${user} at ${tenant}`);
  }
  // Nothing that was looked at has ended anything.
  for (const [cookie, tenant, user] of rows) assert.equal(await userAt(app, tenant, cookie), user);
});

/** All that brings endpoints along. Nothing is sent to anybody, and nobody is counted. */
const EVERYTHING: Partial<AuthOptions> = {
  providers: [
    BY_NAME,
    email({
      from: "app@example.com",
      code: true,
      sendVerificationRequest: () => Promise.resolve(),
    }),
    passkey({ rpName: "App", rpId: "app.example", signUp: true }),
    codeHostProvider({ clientId: "id", clientSecret: "secret" }),
    accountPage(),
  ],
  rateLimit: false,
  secret: "s".repeat(32),
};

/** Parts that differ between responses: ids, challenges, states. */
function withoutRandom(text: string): string {
  return text.replace(/[\w-]{20,}/g, "…");
}

// Tracks: R136, R135
test("every endpoint answers a session of another tenant as no session", async (app) => {
  const { auth, request, options } = app;
  const { table } = createCompiler(() => options)({});
  // Without the way used last, which the sign-in page marks in this browser, whoever is signed in.
  const victim = (await app.signIn("acme", "ada")).split("; ")
    .filter((cookie) => !cookie.includes("framework.last=")).join("; ");
  const { id } = app.database.sqlite.prepare("SELECT id FROM sessions LIMIT 1").get() as
    | { id: string }
    | undefined ?? { id: "x" };
  const compared = new Set<string>();
  for (const [path, methods] of table) {
    for (const method of methods.keys()) {
      // Whoever holds a token may end it, wherever they are.
      if (path === "/signout") continue;
      for (const tenant of ["base", null] as const) {
        const sent = { method, ...(method !== "GET" && { json: {} }) };
        const address = `/auth${path.replace("*", id)}`;
        // With 'path' the endpoints are of no tenant, wherever the session is from.
        const target = new URL(request(tenant, address).url).pathname.startsWith("/t/")
          ? null
          : tenant;
        const bare = await auth.handle(request(target, address, sent), {});
        const asked = await auth.handle(request(target, address, { ...sent, cookie: victim }), {});
        const what = `${method} ${path} at ${target}`;
        assert.equal(asked!.status, bare!.status, what);
        const one = withoutRandom(await asked!.text());
        assert.equal(one, withoutRandom(await bare!.text()), what);
        assert.ok(!/\bada\b/.test(one), what);
        const cookies = asked!.headers.getSetCookie();
        const session = cookies.filter((line) => line.includes("session-token"));
        assert.deepEqual(session, [], `${what}: the cookie stays`);
        compared.add(`${method} ${path}`);
      }
    }
  }
  for (
    const path of ["/accounts", "/passkeys/*", "/account", "/callback/email", "/signin/github"]
  ) {
    assert.ok([...compared].some((what) => what.endsWith(path)), path);
  }
  assert.equal(await userAt(app, "acme", victim), "ada");
}, EVERYTHING);

// Tracks: A-10, R135
test("requireMember() lets in who is a member, and nobody else who is signed in there", async (app) => {
  async function verdict(tenant: Slug | null, cookie?: string): Promise<string> {
    const request = app.request(tenant, "/page", cookie === undefined ? {} : { cookie });
    const response = await app.auth.run(request, {}, undefined, () => {
      const { tenantId, userId, roles } = requireMember();
      return new Response([tenantId, userId, ...roles].join(" "));
    });
    const text = await response.text();
    return response.ok ? text : JSON.parse(text).code;
  }
  await work(app, null, () => addMember("bob", { tenantId: "id-acme", roles: ["owner"] }));
  await work(app, null, () => addMember("cy", { tenantId: "id-base", roles: ["owner"] }));
  const ada = await app.signIn("acme", "ada");
  const bob = await app.signIn("acme", "bob");
  const bobElsewhere = await app.signIn(null, "bob");
  const cy = await app.signIn("base", "cy");
  assert.equal(await verdict("acme", ada), "FORBIDDEN", "an account is no membership");
  assert.equal(await verdict("acme", bob), "id-acme bob owner");
  assert.equal(await verdict("acme", bobElsewhere), "id-acme bob owner");
  assert.equal(await verdict("base", cy), "id-base cy owner");
  assert.equal(await verdict("acme"), "UNAUTHENTICATED");
  assert.equal(await verdict("acme", cy), "FORBIDDEN", "nor is a membership of another tenant");
  for (const cookie of [undefined, ada, bob, cy]) {
    assert.equal(await verdict(null, cookie), "TENANT_NOT_FOUND");
  }
  await work(app, "acme", () => removeMember("bob"));
  assert.equal(await verdict("acme", bobElsewhere), "FORBIDDEN");
});

// Tracks: R136
test(
  "who is signed in and no member is refused, and only a visitor is asked to sign in",
  async (app, strategy) => {
    await work(app, "base", () => addMember("bob"));
    const visitors = [undefined, await app.signIn(null, "bob"), await app.signIn(null, "ada")];
    const guards: Record<string, (context: RunContext, request: Request) => unknown> = {
      requireMember,
      redirecting: () => requireAuth(),
      throwing: () => requireAuth({ throwError: true }),
      context: ({ auth }) => auth.requireAuth(),
      role: () => requireRole("owner"),
      middleware: (context, request) =>
        authMiddleware({ unauthenticatedRedirect: "/auth/signin" })(
          request,
          () => Promise.resolve(new Response()),
          context,
        ),
    };
    async function statusOf(request: Request, guard: string): Promise<number> {
      const response = await app.auth.run(request, {}, undefined, async (context) => {
        const answer = await guards[guard]!(context, request);
        return answer instanceof Response ? answer : new Response();
      });
      return response.status;
    }
    // A sign-in at a tenant makes a session of that tenant. Where tenants are paths, "/auth" is no tenant's.
    const [asked, told] = strategy === "path" ? [403, 403] : [303, 401];
    const rows: [string, ...statuses: number[]][] = [
      ["requireMember", 401, 200, 403],
      ["redirecting", 303, 200, asked],
      ["throwing", 401, 200, told],
      ["context", 303, 200, asked],
      ["role", 401, 403, told],
      ["middleware", 303, 200, asked],
    ];
    const headers = { accept: "text/html" };
    for (const [guard, ...statuses] of rows) {
      for (const [index, cookie] of visitors.entries()) {
        const request = app.request("base", "/page", {
          headers,
          ...(cookie !== undefined && { cookie }),
        });
        assert.equal(await statusOf(request, guard), statuses[index], `${guard} ${index}`);
      }
    }
    if (strategy !== "path") return;
    const nowhere = new Request("https://app.example/t/none/page", {
      headers: { ...headers, cookie: visitors[2]! },
    });
    assert.equal(await statusOf(nowhere, "middleware"), 200, "no tenant has this name");
    assert.equal(await statusOf(nowhere, "requireMember"), 404);
  },
  { pages: { signIn: "/auth/signin", theme: defaultTheme } },
);

// Tracks: R135, R136
test("protection holds for every method", async (app, strategy) => {
  const atAcme = await app.signIn("acme", "ada");
  const middleware = authMiddleware();
  // No sign-in makes a session of a tenant that is a path: then asking for one would be no way in.
  const elsewhere = strategy === "path" ? 403 : 401;
  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]) {
    for (const [tenant, status] of [["acme", 200], ["base", elsewhere], [null, 401]] as const) {
      const request = app.request(tenant, "/page", { method, cookie: atAcme });
      const next = () => Promise.resolve(new Response());
      const response = await app.auth.run(
        request,
        {},
        undefined,
        (context) => middleware(request, next, context),
      );
      assert.equal(response.status, status, `${method} at ${tenant}`);
    }
  }
});

// Tracks: R136, R134, GHSA-h3rm-78g3-j7cp
test("a member is seen, and has the roles of that tenant there only", async (app) => {
  const cookie = await app.signIn(null, "ada");
  app.database.sqlite.exec(`UPDATE users SET roles = '["global"]' WHERE id = 'ada'`);
  assert.equal(await userAt(app, "acme", cookie), null);
  await work(app, "acme", () => addMember("ada", { roles: ["owner"] }));
  await work(app, "base", () => addMember("ada"));
  const fresh = await app.signIn(null, "ada");
  const atAcme = await seen(app, "acme", fresh);
  assert.deepEqual(atAcme, {
    tenant: "acme",
    user: "ada",
    roles: ["owner", "global"],
    permitted: true,
  });
  const none = { user: "ada", roles: ["global"], permitted: false };
  assert.deepEqual(await seen(app, "base", fresh), { tenant: "base", ...none });
  assert.deepEqual(await seen(app, null, fresh), { tenant: null, ...none });
  // From the next request on, with tokens too: memberships are in no token.
  await work(app, "acme", () => setMemberRoles("ada", ["reader"]));
  assert.deepEqual((await seen(app, "acme", fresh)).roles, ["reader", "global"]);
  await work(app, "acme", () => removeMember("ada"));
  assert.equal(await userAt(app, "acme", fresh), null);
  assert.equal(await userAt(app, "base", fresh), "ada");
  assert.equal(
    app.database.sqlite.prepare("SELECT roles FROM users WHERE id = 'ada'").get()!.roles,
    '["global"]',
    "what is stored of the user stays as it is",
  );
});

// Tracks: R141
test(
  "who signs in at a tenant as its member has the roles at once",
  async (app, strategy) => {
    await work(app, "acme", () => addMember("ada", { roles: ["owner"] }));
    if (strategy !== "path") {
      const sent = { method: "POST", json: { name: "ada" } };
      const path = "/auth/signin/credentials";
      const response = (await app.auth.handle(app.request("acme", path, sent), {}))!;
      assert.deepEqual((await response.json()).user.roles, ["owner"]);
    }
    const cookie = await app.signIn("acme", "ada");
    assert.deepEqual((await seen(app, "acme", cookie)).roles, ["owner"]);
    const other = await app.signIn("base", "ada");
    assert.deepEqual((await seen(app, "base", other)).roles, []);
  },
);

// Tracks: R136, R039, PF-w09
test(
  "with the membership end the sessions that were made there, and no others",
  async (app, _, sessions) => {
    for (const id of ["ada", "bob"]) await work(app, "acme", () => addMember(id));
    const [there, elsewhere] = [await app.signIn("acme", "ada"), await app.signIn("base", "ada")];
    const bob = await app.signIn("acme", "bob");
    assert.equal(await work(app, "acme", () => removeMember("ada")), true);
    assert.equal(await userAt(app, "acme", there), sessions === "database" ? null : "ada");
    assert.equal(await userAt(app, "acme", elsewhere), null);
    assert.equal(await userAt(app, "base", elsewhere), "ada");
    assert.equal(await userAt(app, "acme", bob), "bob");
  },
);

test("a suspended or deleted tenant has no sessions and no members", async (app) => {
  await work(app, null, () => addMember("ada", { tenantId: "id-acme", roles: ["owner"] }));
  const atAcme = await app.signIn("acme", "ada");
  const { sqlite } = app.database;
  sqlite.exec("UPDATE tenants SET suspended_at = 1 WHERE slug = 'acme'");
  assert.deepEqual(await seen(app, "acme", atAcme), {
    tenant: null,
    user: null,
    roles: [],
    permitted: false,
  });
  const refused = await app.auth.run(
    app.request("acme", "/page", { cookie: atAcme }),
    {},
    undefined,
    () => Response.json(requireTenant()),
  );
  assert.equal(refused.status, 404);
  assert.equal((await refused.json()).code, "TENANT_NOT_FOUND");
  sqlite.exec("UPDATE tenants SET suspended_at = NULL");
  assert.equal(await userAt(app, "acme", atAcme), "ada");
  assert.equal(await work(app, null, () => deleteTenant("id-acme")), true);
  assert.equal(await userAt(app, "acme", atAcme), null);
  sqlite.exec("INSERT INTO tenants VALUES ('id-acme', 'acme', 'again', '{}', NULL, 0, 0)");
  assert.deepEqual((await seen(app, "acme", atAcme)).roles, [], "no member of the new one");
});

// Tracks: R141
test("one address in two tenants is one user with sessions and roles apart", async (app) => {
  await work(app, null, () => addMember("bob", { tenantId: "id-acme", roles: ["owner"] }));
  const sessions: Record<Slug, string> = {
    acme: await app.signIn("acme", "bob"),
    base: await app.signIn("base", "bob"),
  };
  assert.deepEqual((await seen(app, "acme", sessions.acme)).roles, ["owner"]);
  assert.deepEqual((await seen(app, "base", sessions.base)).roles, []);
  assert.equal(await userAt(app, "base", sessions.acme), null);
  const [one] = (await work(app, null, () => listTenantsOf("bob"))).members;
  assert.deepEqual([one?.tenantId, one?.roles], ["id-acme", ["owner"]]);
  assert.deepEqual((await work(app, "base", () => listMembers())).members, []);
});

// Tracks: R136, GHSA-4vcf-q4xf-f48m
for (const strategy of STRATEGIES) {
  Deno.test(`the list of sessions holds those that count for the tenant (${strategy})`, async () => {
    const app = createTwoTenants(strategy);
    const cookies = {
      acme: await app.signIn("acme", "ada"),
      base: await app.signIn("base", "ada"),
    };
    const agents = app.database.sqlite.prepare("SELECT id, tenant_id FROM sessions").all() as {
      id: string;
      tenant_id: string;
    }[];
    const idAt = (slug: Slug) => agents.find((one) => one.tenant_id === `id-${slug}`)!.id;
    async function listed(tenant: Slug | null, cookie = cookies[tenant!]): Promise<string[]> {
      const request = app.request(tenant, "/page", { cookie });
      const response = await app.auth.run(
        request,
        {},
        undefined,
        async () => Response.json((await listSessions(requireAuth().id)).map(({ id }) => id)),
      );
      return await response.json();
    }
    assert.deepEqual(await listed("acme"), [idAt("acme")]);
    assert.deepEqual(await listed("base"), [idAt("base")]);
    if (strategy !== "path") {
      const cookie = cookies.acme;
      const other = app.request("acme", `/auth/sessions/${idAt("base")}`, {
        method: "DELETE",
        cookie,
      });
      assert.equal((await app.auth.handle(other, {}))!.status, 404);
      const answer = await app.auth.handle(app.request("acme", "/auth/sessions", { cookie }), {});
      assert.deepEqual((await answer!.json()).map(({ id }: { id: string }) => id), [idAt("acme")]);
    }
    assert.equal(await userAt(app, "base", cookies.base), "ada");
    await work(app, "acme", () => addMember("ada"));
    assert.equal((await listed("acme")).length, 2);
    // In no tenant all are seen and ended.
    const outside = await app.signIn(null, "ada");
    assert.equal((await listed(null, outside)).length, 3);
    const ended = await app.auth.handle(
      app.request(null, `/auth/sessions/${idAt("base")}`, { method: "DELETE", cookie: outside }),
      {},
    );
    assert.equal(ended!.status, 204);
    assert.equal(await userAt(app, "base", cookies.base), null);
    app.close();
  });
}

// Tracks: R141, GHSA-99h5-pjcv-gr6v, CVE-2025-61928
test(
  "neither body, query nor claims choose the tenant of a session",
  async (app, strategy) => {
    if (strategy === "path") return;
    const json = { name: "ada", tenantId: "id-base", tenant: "base", roles: ["owner"] };
    const sent = { method: "POST", json };
    const path = "/auth/signin/credentials?tenant=base&tenantId=id-base";
    const response = (await app.auth.handle(app.request("acme", path, sent), {}))!;
    const cookie = cookieOf(response);
    assert.equal(await userAt(app, "base", cookie), null);
    assert.deepEqual((await seen(app, "acme", cookie)).roles, []);
  },
);

Deno.test("the jwt callback cannot move a session to another tenant", async () => {
  for (const [slug, tenant] of [["acme", "id-base"], [null, "id-base"], ["acme", ""]] as const) {
    const app = createTwoTenants("header", {
      ...SESSIONS.jwt,
      callbacks: { jwt: ({ token }) => ({ ...token, tenant }) },
    });
    await assert.rejects(app.signIn(slug, "ada"), /changed "tenant"/);
    app.close();
  }
  const dropping = createTwoTenants("header", {
    ...SESSIONS.jwt,
    callbacks: { jwt: ({ token: { tenant: _tenant, ...token } }) => token as typeof token & never },
  });
  const cookie = await dropping.signIn("acme", "ada");
  assert.equal(await userAt(dropping, "acme", cookie), "ada");
  assert.equal(await userAt(dropping, null, cookie), null);
  dropping.close();
});

Deno.test("a renewed session stays with its tenant", async () => {
  for (const options of Object.values(SESSIONS)) {
    const app = createTwoTenants("header", options);
    const cookie = await app.signIn("acme", "ada");
    app.clock.now += 25 * 60 * 60 * 1000;
    const renewed = await app.auth.run(
      app.request("acme", "/page", { cookie }),
      {},
      undefined,
      () => new Response(getUser()?.id),
    );
    const next = cookieOf(renewed);
    assert.notEqual(next, "");
    assert.equal(await userAt(app, "acme", next), "ada");
    assert.equal(await userAt(app, "base", next), null);
    app.close();
  }
});

// Tracks: R141
Deno.test("responses say by which header they differ", async () => {
  const rows: [Strategy, string | null][] = [
    ["header", "Cookie, X-Tenant-ID"],
    ["cookie", "Cookie"],
    ["path", null],
    ["subdomain", null],
  ];
  for (const [strategy, vary] of rows) {
    const app = createTwoTenants(strategy);
    const response = await app.auth.run(
      app.request("acme", "/page"),
      {},
      { session: false },
      () => new Response(getTenant()?.name),
    );
    assert.equal(await response.text(), "acme");
    assert.equal(response.headers.get("vary"), vary, strategy);
    assert.equal(response.headers.get("cache-control"), vary === null ? null : "no-store");
    app.close();
  }
});

Deno.test("a tenant that cannot be looked up lets nobody in, and pages that do not ask go on", async () => {
  const app = createTwoTenants("header");
  const cookie = await app.signIn("acme", "ada");
  app.database.fail = "D1_ERROR: out of order";
  const sent = { cookie };
  const open = await app.auth.run(
    app.request("acme", "/page", sent),
    {},
    undefined,
    () => new Response("public"),
  );
  assert.equal(await open.text(), "public");
  for (const ask of [getTenant, getUser, requireTenant]) {
    const response = await app.auth.run(
      app.request("acme", "/page", sent),
      {},
      undefined,
      () => Response.json(ask()),
    );
    assert.equal(response.status, 503);
  }
  app.close();
});

Deno.test("the operations on members say what is missing", async () => {
  const app = createTwoTenants("header");
  const rows: [Slug | null, string, string][] = [
    ["acme", "ghost", "USER_UNAVAILABLE"],
    [null, "ada", "TENANT_NOT_FOUND"],
  ];
  for (const [tenant, userId, code] of rows) {
    const refused = await app.auth.run(app.request(tenant, "/x"), {}, undefined, async () => {
      await addMember(userId);
      return new Response();
    });
    assert.equal((await refused.json()).code, code);
  }
  assert.throws(() => outside(getTenant), { code: "OUTSIDE_REQUEST" });
  const context = await app.auth.run(
    app.request("acme", "/x"),
    {},
    undefined,
    async ({ auth }) => Response.json((await auth.tenant())?.slug),
  );
  assert.equal(await context.json(), "acme");
  const forbidden = await app.auth.run(
    app.request("acme", "/x", { cookie: await app.signIn("acme", "ada") }),
    {},
    undefined,
    async () => {
      requireRole("owner");
      await createUser({ id: "never" });
      return new Response();
    },
  );
  assert.equal(forbidden.status, 403);
  app.close();
});

// Tracks: R141, R019
Deno.test("a link that was asked for at one tenant signs in at the one where it is used, which is asked", async () => {
  const mails: EmailParams[] = [];
  const asked: (string | undefined)[] = [];
  const app = createTwoTenants("header", {
    providers: [email({
      from: "App <hello@app.example>",
      sendVerificationRequest: (mail) => Promise.resolve(void mails.push(mail)),
    })],
    callbacks: {
      signIn() {
        asked.push(getTenant()?.slug);
        return true;
      },
    },
  });
  const post = (tenant: Slug, path: string, json: object) =>
    app.auth.handle(app.request(tenant, path, { method: "POST", json }), {});
  await post("acme", "/auth/signin/email", { email: "ada@example.com" });
  const [{ token, identifier }] = mails as [EmailParams];
  const response = await post("base", "/auth/callback/email", { token, email: identifier });
  const cookie = cookieOf(response!);
  assert.deepEqual(asked, ["acme", "base"]);
  assert.equal(await userAt(app, "base", cookie), "ada");
  assert.equal(await userAt(app, "acme", cookie), null);
  app.close();
});

// Tracks: A-06, R136
test("a session that moves to a host-only cookie moves at its tenant, and is none at another", async (app) => {
  const { clock, options, request } = app;
  const old = await app.signIn("acme", "ada");
  const since = new Date(clock.now + 1000);
  clock.now += 24 * 60 * 60 * 1000;
  const auth = createAuth({
    ...options,
    cookies: { sessionToken: { hostOnly: true, hostOnlySince: since } },
  });
  function visit(tenant: Slug | null, cookie: string): Promise<Response> {
    return auth.run(
      request(tenant, "/page", { cookie }),
      {},
      undefined,
      () => Response.json(getUser()?.id ?? null),
    );
  }
  for (const tenant of ["base", null] as const) {
    const response = await visit(tenant, old);
    assert.equal(await response.json(), null);
    // The cookie is good elsewhere, and stays; so does its session.
    assert.deepEqual(response.headers.getSetCookie(), []);
    clock.now += 20_000;
  }
  const moved = await visit("acme", old);
  assert.equal(await moved.json(), "ada");
  const own = cookieOf(moved);
  assert.match(own, /^__Host-framework\.session-token=/);
  assert.equal(await (await visit("acme", own)).json(), "ada");
  for (const tenant of ["base", null] as const) {
    assert.equal(await (await visit(tenant, own)).json(), null);
  }
});
