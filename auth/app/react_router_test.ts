import assert from "node:assert/strict";
import process from "node:process";
import { defineRBAC } from "../rbac/roles.ts";
import { endSession, getUser, startSession } from "../session/operations.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { asWorker } from "../tests/as_worker.ts";
import { createAuth } from "./create_auth.ts";
import type { AuthOptions } from "./options.ts";
import { reactRouterAuth, type ReactRouterAuthOptions } from "./react_router.ts";

const ORIGIN = "https://app.example";
const LOGIN = `${ORIGIN}/login?callbackUrl=%2Forders%3Fpage%3D2`;

async function place(
  own: Partial<AuthOptions> = {},
  options: ReactRouterAuthOptions<unknown> = {},
) {
  const database = createMemoryStorage();
  await database.createUser({ user: { id: "ada", name: "Ada" }, emailIdentity: null, at: 0 });
  const seen: { env?: unknown; addresses: unknown[] } = { addresses: [] };
  const auth = createAuth((env: unknown) => {
    seen.env = env;
    return {
      database,
      baseUrl: ORIGIN,
      pages: { signIn: "/login" },
      events: { "sign-out": ({ address }) => void seen.addresses.push(address) },
      ...own,
    };
  });
  return { seen, accounts: reactRouterAuth(auth, options) };
}

/** Arguments of a request, as React Router hands them to middleware. */
function argsOf(path: string, init: RequestInit = {}, context: unknown = undefined) {
  return { request: new Request(`http://localhost:3000${path}`, init), context };
}

/** The response that a guard throws. */
function thrown(work: () => unknown): Response {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Response);
    return error;
  }
  return assert.fail("nothing was thrown");
}

// Tracks: R083, R190
Deno.test("reactRouterAuth() throws responses: a redirect that loads a document, 401 and 403, kept by no cache", async () => {
  const rbac = defineRBAC({
    roles: [{ id: "reader", name: "Reader", permissions: ["posts:read"] }],
    defaultRole: "reader",
  });
  const { accounts } = await place({ rbac });
  const { guard, requireAuth, requireRecentAuth, requireRole, requirePermission } = accounts;
  // The page, and its data as the router in the browser asks for them.
  for (const path of ["/orders?page=2", "/orders.data?page=2&_routes=routes%2Forders"]) {
    const response = await accounts.middleware(argsOf(path), async () => {
      for (const ask of [requireAuth, requireRecentAuth]) {
        const { status, headers } = thrown(() => ask());
        assert.deepEqual([status, headers.get("location")], [303, LOGIN]);
        assert.equal(headers.get("x-remix-reload-document"), "true");
        assert.equal(headers.get("cache-control"), "no-store");
      }
      assert.equal(thrown(() => requireAuth({ throwError: true })).status, 401);
      assert.equal(thrown(() => requireRole("admin")).status, 401);
      assert.equal(thrown(() => requirePermission("posts:read")).status, 401);
      await startSession("ada");
      assert.equal(requireAuth().name, "Ada");
      assert.equal(requireRecentAuth().name, "Ada");
      requirePermission("posts:read");
      for (const ask of [() => requireRole("admin"), () => requirePermission("posts:delete")]) {
        const { status, headers } = thrown(ask);
        assert.equal(status, 403);
        assert.deepEqual([headers.get("cache-control"), headers.get("vary")], [
          "no-store",
          "Cookie",
        ]);
      }
      // By promises, too; what is the developer's or the application's own stays as it is.
      await assert.rejects(guard(() => startSession("nobody")), (error) => {
        return error instanceof Response && error.status === 403;
      });
      assert.throws(() => guard(() => assert.fail("own")), /own/);
      await assert.rejects(guard(() => Promise.reject(new TypeError("own"))), TypeError);
      return new Response();
    });
    assert.equal(response.status, 200);
  }
});

Deno.test("reactRouterAuth() leads back to the page of a request for data, whatever the page is called", async () => {
  const { accounts } = await place();
  const cases = [
    ["/_root.data", "/"],
    ["/_.data", "/"],
    ["/shop/_.data", "/shop/"],
    ["/shop.data", "/shop"],
    ["/shop.data?_routes=a&page=2", "/shop?page=2"],
    ["/data", "/data"],
  ] as const;
  for (const [asked, page] of cases) {
    const response = await accounts.middleware(argsOf(asked), () => {
      const { searchParams } = new URL(
        thrown(() => accounts.requireAuth()).headers.get("location")!,
      );
      assert.equal(searchParams.get("callbackUrl"), page, asked);
      return Promise.resolve(new Response());
    });
    assert.equal(response.status, 200);
  }
});

Deno.test("reactRouterAuth() serves /auth, and gives responses their cookies", async () => {
  const { accounts } = await place();
  const nothing = () => Promise.resolve(new Response(null, { status: 404 }));
  const session = await accounts.middleware(argsOf("/auth/session"), nothing);
  assert.equal(await session.json(), null);
  const begun = await accounts.middleware(
    argsOf("/in"),
    async () => Response.json((await startSession("ada")).user.id),
  );
  const [cookie = ""] = begun.headers.getSetCookie().map((line) => line.split(";")[0]);
  const page = await accounts.middleware(
    argsOf("/", { headers: { cookie } }),
    () => Promise.resolve(new Response(getUser()?.name)),
  );
  assert.deepEqual([await page.text(), page.headers.get("cache-control")], ["Ada", "no-store"]);
});

// Tracks: R147, R168
Deno.test("reactRouterAuth() takes the address from the context of the server, and the options from its environment", async () => {
  const work = async () => {
    await startSession("ada");
    await endSession();
    return new Response();
  };
  const headers = { "x-forwarded-for": "203.0.113.1" };
  const unknown = await place();
  await unknown.accounts.middleware(argsOf("/", { headers }), work);
  assert.deepEqual(unknown.seen, { env: process.env, addresses: [undefined] });

  const known = await place({}, {
    clientAddress: ({ context }) => (context as { ip: string | null }).ip,
  });
  for (const ip of ["192.0.2.7", null]) {
    await known.accounts.middleware(argsOf("/", { headers }, { ip }), work);
  }
  assert.deepEqual(known.seen.addresses, ["192.0.2.7", undefined]);
});

// Tracks: R168, R190
Deno.test("reactRouterAuth() on workers takes the bindings out of the context, and the platform's address", async () => {
  const bindings = { DB: {} };
  const { seen, accounts } = await place({}, {
    env: ({ context }) => (context as { cloudflare: { env: unknown } }).cloudflare.env,
  });
  await asWorker(async () => {
    const headers = { "cf-connecting-ip": "203.0.113.5", "x-forwarded-for": "203.0.113.9" };
    await accounts.middleware(
      argsOf("/", { headers }, { cloudflare: { env: bindings } }),
      async () => {
        await startSession("ada");
        await endSession();
        return new Response();
      },
    );
  });
  assert.equal(seen.env, bindings);
  assert.deepEqual(seen.addresses, ["203.0.113.5"]);
});

// Tracks: R044, CVE-2025-48947
Deno.test("reactRouterAuth() has no cache keep a refusal, whatever headers() says of the page", async () => {
  const { accounts } = await place();
  const shared = { "cache-control": "public, max-age=600", "cdn-cache-control": "max-age=600" };
  async function said(work: () => unknown): Promise<unknown[]> {
    const response = await accounts.middleware(argsOf("/orders"), () => {
      let status = 200;
      try {
        work();
      } catch (refusal) {
        ({ status } = refusal as Response);
      }
      // As React Router does it: the page of an error has the headers that its route says, too.
      return Promise.resolve(new Response("page", { status, headers: shared }));
    });
    return [
      response.status,
      ...Object.keys(shared).map((name) => response.headers.get(name)),
    ];
  }
  assert.deepEqual(await said(() => accounts.requireRole("admin")), [401, "no-store", null]);
  assert.deepEqual(await said(() => accounts.requireAuth()), [303, "no-store", null]);
  assert.deepEqual(await said(() => null), [200, ...Object.values(shared)]);
});
