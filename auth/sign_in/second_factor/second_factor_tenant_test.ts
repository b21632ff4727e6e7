// A second factor that a tenant requires of its members, whichever way they come to it.
import assert from "node:assert/strict";
import { impersonate, impersonation } from "../../account/impersonation.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { createApiKey } from "../../api_key/operations.ts";
import { apiKeys } from "../../api_key/provider.ts";
import { defineRBAC } from "../../rbac/roles.ts";
import { authMiddleware } from "../../session/auth_middleware.ts";
import { endEverything } from "../../session/end_everything.ts";
import { getUser, requireAuth } from "../../session/operations.ts";
import { createUser, setUserRoles } from "../../session/users.ts";
import { teamPage } from "../../team/page.ts";
import { during } from "../../tests/during.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { ADA, type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { PASSWORD } from "../../tests/password_application.ts";
import { createMemoryTenantMembers, createMemoryTenantStorage } from "../../tenant/memory.ts";
import { requireMember } from "../../tenant/operations.ts";
import { defineTenancy } from "../../tenant/tenancy.ts";
import type { TenantMembers } from "../../types/tenant.ts";
import type { SecondFactorConfig } from "./factor.ts";
import { requireSecondFactor } from "./require.ts";

const OWNERS: Pick<SecondFactorConfig, "required"> = {
  required: ({ roles }, { tenantId, memberRoles }) =>
    memberRoles.includes("owner") || (tenantId !== null && roles!.includes("strict")),
};

function cookiePairs(lines: readonly string[]): string {
  return lines.map((line) => line.split(";")[0]).join("; ");
}

type Strategy = "path" | "header" | "cookie" | "subdomain";

/** Runs a test with the tenants a and b, in both of which the user is a member. */
async function withTenants(
  strategy: Strategy,
  sessions: "database" | "jwt",
  test: (application: FactorApplication, members: TenantMembers) => Promise<void>,
): Promise<void> {
  const storage = createMemoryTenantStorage();
  const members = createMemoryTenantMembers();
  for (const id of ["a", "b"]) await storage.create({ id, slug: id, name: id });
  await withFactor(
    async (application) => {
      await application.member();
      const userId = application.userId();
      const createdAt = new Date(0);
      await members.add({ tenantId: "a", userId, roles: ["reader"], createdAt });
      await members.add({ tenantId: "b", userId, roles: ["reader"], createdAt });
      await test(application, members);
    },
    sessions,
    OWNERS,
    {
      tenancy: defineTenancy({ strategy, storage, members, baseDomain: "app.example" }),
      rbac: defineRBAC({
        roles: [
          { id: "site", name: "Site", permissions: ["posts:read"] },
          { id: "support", name: "Support", permissions: ["*"] },
          { id: "strict", name: "Strict", permissions: ["posts:read"] },
        ],
        teamRoles: [
          { id: "owner", name: "Owner", permissions: ["posts:*"] },
          { id: "reader", name: "Reader", permissions: ["posts:read"] },
        ],
        defaultRole: "site",
      }),
      providers: [
        apiKeys({ prefix: "acme", teamPermission: "posts:write" }),
        teamPage({ sendMail: () => {} }),
        impersonation({ permission: "users:impersonate" }),
      ],
    },
  );
}

function requestTo(
  strategy: Strategy,
  tenant: string,
  browser: PasskeyBrowser | null,
  headers: Record<string, string> = {},
): Request {
  const cookies = [...browser?.cookies ?? []].map(([name, value]) => `${name}=${value}`);
  if (strategy === "cookie") cookies.push(`tenant=${tenant}`);
  const host = strategy === "subdomain" ? `${tenant}.app.example` : "app.example";
  return new Request(`https://${host}${strategy === "path" ? `/t/${tenant}` : ""}/page`, {
    headers: {
      ...cookies.length > 0 && { cookie: cookies.join("; ") },
      ...strategy === "header" && { "x-tenant-id": tenant },
      ...headers,
    },
  });
}

/** Whom a page of a tenant sees. */
async function seen(
  { auth }: FactorApplication,
  request: Request,
): Promise<string | null> {
  const response = await auth.run(
    request,
    {},
    undefined,
    () => Response.json(getUser()?.id ?? null),
  );
  return await response.json();
}

async function signIn(
  application: FactorApplication,
  headers: Record<string, string> = {},
): Promise<{ browser: PasskeyBrowser; answer: { user: unknown; redirectTo: string } }> {
  const browser = application.browser();
  const fields = { email: ADA, password: PASSWORD };
  const response = await browser.send("/signin/passwords", { fields, headers });
  return { browser, answer: await response.json() };
}

// Tracks: R170, R176
Deno.test("with tenants by path, a tenant that requires a second factor asks for it in its own requests", async () => {
  for (const sessions of ["database", "jwt"] as const) {
    await withTenants("path", sessions, async (application, members) => {
      const { browser } = await signIn(application);
      const id = application.userId();
      assert.equal(await seen(application, requestTo("path", "a", browser)), id);
      await members.setRoles("a", id, ["owner"]);
      const at = (tenant: string, headers?: Record<string, string>) =>
        requestTo("path", tenant, browser, headers);
      assert.equal(await seen(application, at("a")), null);
      assert.equal(await seen(application, at("b")), id);
      const guards: ((request: Request) => Promise<Response>)[] = [
        (request) =>
          application.auth.run(request, {}, undefined, () => Response.json(requireAuth())),
        (request) =>
          application.auth.run(
            request,
            {},
            undefined,
            (context) =>
              authMiddleware()(request, () => Promise.resolve(new Response("inside")), context),
          ),
      ];
      for (const guard of guards) {
        const led = await guard(at("a", { accept: "text/html" }));
        assert.equal(
          led.headers.get("location"),
          "https://app.example/auth/second-factor?callbackUrl=%2Ft%2Fa%2Fpage",
        );
        const told = await guard(at("a", { accept: "application/json" }));
        assert.deepEqual([told.status, (await told.json()).code], [401, "SECOND_FACTOR_REQUIRED"]);
        assert.equal((await guard(at("b"))).status, 200);
      }
      const refused = await application.auth.run(
        at("a", { accept: "application/json" }),
        {},
        undefined,
        () => Response.json(requireMember().roles),
      );
      assert.deepEqual([refused.status, (await refused.json()).code], [
        401,
        "SECOND_FACTOR_REQUIRED",
      ]);
      // Its page and its keys are the team's, whatever their address.
      const key = { name: "Export", tenant: "a", permissions: "posts:read" };
      const invitation = { team: "a", email: "eve@example.com", role: "owner" };
      for (
        const [path, fields] of [
          ["/team?team=a", undefined],
          ["/team/invite", invitation],
          ["/api-keys", key],
        ] as const
      ) {
        const response = await browser.send(path, fields && { fields });
        const { code } = await response.json();
        assert.deepEqual([response.status, code], [401, "SECOND_FACTOR_REQUIRED"], path);
        if (fields === undefined) continue;
        const referer = "https://app.example/auth/team?team=a";
        const form = await browser.send(path, {
          fields,
          headers: { accept: "text/html", referer },
        });
        const led = new URL(form.headers.get("location")!);
        assert.equal(led.pathname, "/auth/second-factor", path);
        assert.equal(led.searchParams.get("callbackUrl"), "/auth/team?team=a", path);
      }

      await application.enrol(browser);
      assert.equal(await seen(application, at("a")), id);
      assert.equal((await browser.send("/api-keys", { fields: key })).status, 200);

      // Of who becomes an owner later it is asked from then on.
      const other = await signIn(application);
      assert.match(other.answer.redirectTo, /second-factor/, "this user has one now");
      await members.setRoles("a", id, ["reader"]);
      assert.equal(await seen(application, at("a")), id);
    });
  }
});

// Tracks: R170, R176
Deno.test("whatever names the tenant, the session proves the second factor where it is, and gets in", async () => {
  for (const strategy of ["header", "cookie", "subdomain"] as const) {
    await withTenants(strategy, "database", async (application, members) => {
      const id = application.userId();
      const { browser } = await signIn(application);
      await members.setRoles("a", id, ["owner"]);
      const page = (tenant: string) => requestTo(strategy, tenant, browser);
      assert.equal(await seen(application, page("b")), id);
      assert.equal(await seen(application, page("a")), null);
      const led = await application.auth.run(
        requestTo(strategy, "a", browser, { accept: "text/html" }),
        {},
        undefined,
        () => Response.json(requireMember().roles),
      );
      const { host, pathname } = new URL(led.headers.get("location")!);
      assert.equal(host, strategy === "subdomain" ? "a.app.example" : "app.example");
      assert.equal(pathname, "/auth/second-factor");
      /** An endpoint as the browser asks it there. */
      const ask = async (path: string, fields?: Record<string, string>) => {
        const request = page("a");
        const { origin } = new URL(request.url);
        const response = (await application.auth.handle(
          new Request(`${origin}/auth${path}`, {
            method: fields ? "POST" : "GET",
            headers: {
              ...Object.fromEntries(request.headers),
              accept: "application/json",
              origin,
              "content-type": "application/json",
            },
            ...fields && { body: JSON.stringify(fields) },
          }),
          {},
        ))!;
        for (const line of response.headers.getSetCookie()) {
          const [pair = ""] = line.split(";");
          browser.cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
        }
        return response;
      };
      const next = await ask("/second-factor?callbackUrl=%2Fpage");
      assert.deepEqual([next.status, (await next.json()).code], [401, "SECOND_FACTOR_OVER"]);
      assert.equal((await ask("/session")).status, 200);
      const team = await ask("/team?team=a");
      assert.deepEqual([team.status, (await team.json()).code], [401, "SECOND_FACTOR_REQUIRED"]);
      const { setUp, secret } = await (await ask("/second-factor/setup")).json();
      const on = await ask("/second-factor/setup", { setUp, code: await application.code(secret) });
      assert.equal(on.status, 200, await on.text());
      assert.equal(await seen(application, page("a")), id);
    });
  }
});

// Tracks: R170, R176
Deno.test("who must have a second factor in any tenant has none to begin with: a sign-in at another place asks too", () =>
  withTenants("header", "database", async (application, members) => {
    const id = application.userId();
    const { browser } = await signIn(application, { "x-tenant-id": "a" });
    assert.equal(await seen(application, requestTo("header", "a", browser)), id);
    await members.setRoles("a", id, ["owner"]);
    assert.equal(await seen(application, requestTo("header", "a", browser)), null, "from now on");
    for (const headers of [{}, { "x-tenant-id": "a" }, { "x-tenant-id": "b" }]) {
      const { answer } = await signIn(application, headers);
      assert.equal(answer.user, null);
      assert.match(answer.redirectTo, /\/auth\/second-factor/);
    }
  }));

// Tracks: R170, R176, R188
Deno.test("a password alone makes no second factor for an owner with a passkey, in a session of before neither", () =>
  withTenants("path", "database", async (application, members) => {
    const id = application.userId();
    const ada = application.browser();
    await ada.send("/signin/passwords", { fields: { email: ADA, password: PASSWORD } });
    const authenticator = createSoftwareAuthenticator({ userVerified: true });
    assert.equal((await ada.register(authenticator)).status, 200);
    const thief = await signIn(application);
    assert.notEqual(thief.answer.user, null, "a reader may sign in by the password");
    await members.setRoles("a", id, ["owner"]);
    assert.equal((await signIn(application)).answer.user, null);
    const [{ id: passkeyId }] = application.rows("passkeys") as [{ id: string }];
    for (
      const [path, fields] of [
        ["/second-factor/setup", undefined],
        ["/second-factor/setup", { setUp: "x", code: "000000" }],
        ["/passkey/options/register", {}],
        ["/account/passkeys/remove", { id: passkeyId }],
        ["/api-keys", { name: "Mine", permissions: "posts:read" }],
      ] as const
    ) {
      const response = await thief.browser.send(path, fields && { fields });
      assert.deepEqual([response.status, (await response.json()).code], [
        401,
        "SECOND_FACTOR_REQUIRED",
      ], path);
    }
    assert.equal(application.rows("passkeys").length, 1);
    // The owner shows the passkey, and does what they like.
    const owner = application.browser();
    assert.equal((await owner.prove(authenticator)).status, 200);
    assert.equal(await seen(application, requestTo("path", "a", owner)), id);
    assert.equal((await owner.send("/second-factor/setup")).status, 200);
  }));

// Tracks: R170, R176
Deno.test("a session that has proved a passkey leaves the tenant with the last passkey of who has no app", async () => {
  for (const sessions of ["database", "jwt"] as const) {
    for (const isOwn of [true, false]) {
      await withTenants("path", sessions, async (application, members) => {
        const id = application.userId();
        const { browser: reader } = await signIn(application);
        const authenticator = createSoftwareAuthenticator({ userVerified: true });
        assert.equal((await reader.register(authenticator)).status, 200);
        await members.setRoles("a", id, ["owner"]);
        const owner = application.browser();
        assert.equal((await owner.prove(authenticator)).status, 200);
        assert.equal(await seen(application, requestTo("path", "a", owner)), id);
        const [{ id: passkeyId }] = application.rows("passkeys") as [{ id: string }];
        if (isOwn) {
          const fields = { id: passkeyId };
          const removed = await owner.send("/account/passkeys/remove", { fields });
          assert.ok(removed.status < 400, await removed.text());
        } else await during(application, undefined, () => endEverything(id, ["passkeys"]));
        assert.equal(await seen(application, requestTo("path", "a", owner)), null);
        assert.equal(await seen(application, requestTo("path", "b", owner)), id);
      });
    }
  }
});

// Tracks: R170, R188
Deno.test("in a tenant that requires a second factor a key counts that was made with one", () =>
  withTenants("header", "database", async (application, members) => {
    const { browser } = await signIn(application);
    const make = async () => {
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const { result: { key } } = await during(
        application,
        cookie,
        () => createApiKey({ name: "Mine", permissions: ["posts:read"] }),
      );
      return key;
    };
    const guard = authMiddleware({ apiKey: true, permission: "posts:read" });
    const ask = async (key: string, tenant: string) => {
      const headers = { authorization: `Bearer ${key}`, accept: "application/json" };
      const request = requestTo("header", tenant, null, headers);
      const response = await application.auth.run(
        request,
        {},
        undefined,
        (context) => guard(request, () => Promise.resolve(Response.json("inside")), context),
      );
      const { code, message } = await response.json();
      if (response.status === 403) assert.match(message, /make a new key/);
      return [response.status, code];
    };
    const refused = [403, "API_KEY_REFUSED"];
    const before = await make();
    await members.setRoles("a", application.userId(), ["owner"]);
    assert.deepEqual(await ask(before, "b"), [200, undefined]);
    assert.deepEqual(await ask(before, "a"), refused);
    application.wait(1);
    await application.enrol(browser);
    assert.deepEqual(await ask(before, "a"), refused, "whoever had the password may have made it");
    const since = await make();
    assert.deepEqual(await ask(since, "a"), [200, undefined]);
    // By a role of the site, which a key does not show, as by one of the tenant.
    await members.setRoles("a", application.userId(), ["reader"]);
    assert.deepEqual(await ask(before, "a"), [200, undefined]);
    await during(
      application,
      undefined,
      () => setUserRoles(application.userId(), { roles: ["strict"] }),
    );
    assert.deepEqual(await ask(before, "a"), refused);
    assert.deepEqual(await ask(since, "a"), [200, undefined]);
  }));

// Tracks: R170
Deno.test("where an administrator acts for a user, a tenant asks for the administrator's second factor", () =>
  withTenants("path", "database", async (application, members) => {
    const { browser } = await signIn(application);
    await during(application, undefined, async () => {
      await setUserRoles(application.userId(), { roles: ["support"] });
      await createUser({ id: "bob", name: "Bob" });
    });
    await members.add({ tenantId: "a", userId: "bob", roles: ["owner"], createdAt: new Date(0) });
    for (const isProved of [false, true]) {
      if (isProved) await application.enrol(browser);
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const begun = await during(
        application,
        cookie,
        () => impersonate("bob", { reason: "Ticket 17" }),
      );
      const acting = `${cookie}; ${cookiePairs(begun.cookies)}`;
      const request = () =>
        new Request("https://app.example/t/a/page", {
          headers: { cookie: acting, accept: "application/json" },
        });
      assert.equal(await seen(application, request()), isProved ? "bob" : null);
      if (!isProved) {
        const told = await application.auth.run(
          request(),
          {},
          undefined,
          () => Response.json(requireAuth({ throwError: false })),
        );
        assert.match((await told.json()).message, /Stop acting for this user/);
        continue;
      }
      const asked = await application.auth.run(
        request(),
        {},
        undefined,
        async () => Response.json((await requireSecondFactor()).id),
      );
      assert.equal(await asked.json(), "bob");
      // A proof of late is one of the user.
      for (const fresh of [true, 600]) {
        const late = await application.auth.run(
          request(),
          {},
          undefined,
          async () => Response.json((await requireSecondFactor({ fresh })).id),
        );
        const { code, message } = await late.json();
        assert.deepEqual([late.status, code], [401, "SECOND_FACTOR_REQUIRED"]);
        assert.match(message, /this takes a second step of their own/);
      }
    }
  }));
