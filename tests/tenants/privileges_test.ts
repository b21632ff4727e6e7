import { requireRole } from "@framework/auth";
import { authMiddleware } from "@framework/auth/middleware";
import { addMember, setMemberRoles } from "@framework/auth/tenant";
import { createMemoryStorage } from "@framework/auth/storage";
import { createApplication, type Middleware } from "@framework/cli/runtime";
import assert from "node:assert/strict";
import { createCompiler } from "../../auth/app/create_auth.ts";
import { cookieOf, createTwoTenants } from "./two_tenants.ts";

const PRIVILEGED = {
  id: "bob",
  userId: "bob",
  role: "owner",
  roles: ["owner"],
  permissions: ["*"],
  emailVerified: true,
  "email_verified": 1,
  tenant: "base",
  tenantId: "id-base",
  "tenant_id": "id-base",
  isAdmin: true,
};
// The same as a form sends it, which is never refused for its types.
const TEXTS = Object.fromEntries(
  Object.entries(PRIVILEGED).map(([name, value]) => [name, String(value)]),
);
// As a parser makes it: with a property of its own by that name.
const POLLUTING = JSON.parse('{"__proto__":{"role":"owner"},"constructor":{"prototype":{"x":1}}}');

// Tracks: GHSA-h3rm-78g3-j7cp, GHSA-gv74, CVE-2026-53515, GHSA-xr8f, CVE-2026-41427, BA #9974
Deno.test("no body of any endpoint gives anybody a role, a proof, a tenant or another's account", async () => {
  const app = createTwoTenants("header");
  const { auth, request, options, database: { sqlite } } = app;
  const cookie = await app.signIn("acme", "ada");
  const tables = () =>
    ["users", "tenants", "tenant_members"].map((table) =>
      sqlite.prepare(`SELECT * FROM ${table} ORDER BY 1`).all().map((row) => {
        const { updated_at: _at, ...rest } = row;
        return rest;
      })
    );
  const before = tables();
  let sent = 0;
  for (const [path, methods] of createCompiler(() => options)({}).table) {
    for (const method of methods.keys()) {
      if (method === "GET" || path === "/signout") continue;
      for (const extra of [{}, POLLUTING]) {
        for (
          const [name, privileged] of [["ada", TEXTS], ["ada", PRIVILEGED], [{ id: "bob" }, {}]]
        ) {
          const json = { ...privileged as object, ...extra, name };
          const address = `/auth${path.replace("*", "bob")}`;
          await auth.handle(request("acme", address, { method, cookie, json }), {});
          sent++;
        }
      }
    }
  }
  assert.ok(sent >= 8, `${sent} bodies`);
  assert.deepEqual(tables(), before);
  assert.equal(({} as { role?: unknown }).role, undefined);
  // Past every limit that these attempts have met.
  app.clock.now += 60 * 60 * 1000;
  const again = cookieOf(
    (await auth.handle(
      request("acme", "/auth/signin/credentials", {
        method: "POST",
        json: { ...TEXTS, name: "ada" },
      }),
      {},
    ))!,
  );
  const answer = await auth.handle(request("acme", "/auth/session", { cookie: again }), {});
  const { user } = await answer!.json();
  assert.deepEqual([user.id, user.role, user.roles, user.emailVerified], [
    "ada",
    undefined,
    undefined,
    null,
  ]);
  app.close();
});

// Tracks: BA 1.7 org role-update ordering
Deno.test("who may not change members learns nothing about them", async () => {
  const app = createTwoTenants("header");
  const cookie = await app.signIn("acme", "ada");
  await app.auth.run(app.request("acme", "/x"), {}, undefined, async () => {
    await addMember("bob");
    return new Response();
  });
  const outcomes: [number, string, number][] = [];
  for (const userId of ["bob", "ghost"]) {
    const { trips } = app.database;
    const response = await app.auth.run(
      app.request("acme", "/x", { cookie }),
      {},
      undefined,
      async () => {
        requireRole("owner");
        await setMemberRoles(userId, ["owner"]);
        return new Response();
      },
    );
    outcomes.push([response.status, await response.text(), app.database.trips - trips]);
  }
  assert.equal(outcomes[0]![0], 403);
  assert.deepEqual(outcomes[0], outcomes[1]);
  app.close();
});

// Tracks: hono 6a0607a9, R135
Deno.test("no spelling of a path reaches a protected route past its middleware", async () => {
  const guard = authMiddleware() as unknown as Middleware;
  const { worker } = createApplication({
    database: "DB",
    dev: false,
    auth: { providers: {} },
    routes: ["/admin", "/admin/:id"].map((pattern) => ({
      kind: "route" as const,
      pattern,
      file: "app/admin/route.ts",
      module: { GET: () => "secret", POST: () => "secret" },
      layouts: [],
      middleware: [{ file: "app/admin/middleware.ts", module: { middleware: guard } }],
    })),
  }, { logger: { info: () => {}, warn: () => {}, error: () => {} } });
  const env = { DB: createMemoryStorage() };
  const spellings = [
    "/admin",
    "/admin/",
    "//admin",
    "/admin//",
    "/%61dmin",
    "/adm%69n",
    "/ADMIN",
    "/admin%2f",
    "/admin%2F1",
    "/x/../admin",
    "/x/%2e%2e/admin",
    "/./admin",
    "/admin;x",
    "/admin?x",
    "/admin/1",
    "/admin/%31",
    "/admin/%2e%2e/admin",
    "/admin\\1",
    "/admin%00",
    "/ａdmin",
    "/admin.",
    "/admin%20",
  ];
  const statuses = new Set<number>();
  for (const path of spellings) {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS", "PUT"]) {
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: { origin: "http://localhost", "x-middleware-subrequest": "middleware" },
      });
      const response = await worker.fetch(request, env);
      statuses.add(response.status);
      assert.notEqual(await response.text(), '"secret"', `${method} ${path}`);
      if (method === "GET" || method === "POST") {
        assert.notEqual(response.status, 200, `${method} ${path}`);
      }
    }
  }
  assert.ok(statuses.has(401) && statuses.has(404), [...statuses].join());
});
