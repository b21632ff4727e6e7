import assert from "node:assert/strict";
import { ConfigurationError, StorageUnavailableError } from "../errors.ts";
import { createTestApplication, ORIGIN } from "../tests/application.ts";
import type { User } from "../types/user.ts";
import { authMiddleware, type AuthMiddlewareOptions, refusalOf } from "./auth_middleware.ts";

const ADMIN: User = { id: "ada", role: "admin", roles: ["editor"] };
const PAGE = `${ORIGIN}/admin`;

async function outcome(
  options: AuthMiddlewareOptions,
  user: User | null,
  request: Request = new Request(PAGE),
): Promise<[number, string | null, boolean]> {
  let passed = false;
  const response = await authMiddleware(options)(
    request,
    () => {
      passed = true;
      return Promise.resolve(new Response("inside"));
    },
    { auth: { getUser: () => Promise.resolve(user) } },
  );
  return [response.status, response.headers.get("location"), passed];
}

/** Response to a client that prefers JSON, for a user with these permissions. */
async function decide(
  options: AuthMiddlewareOptions,
  user: User | null,
  held: string[],
): Promise<{ status: number; code: string | null }> {
  const request = new Request(PAGE, { headers: { accept: "application/json" } });
  const response = await authMiddleware(options)(
    request,
    () => Promise.resolve(Response.json({ code: null })),
    {
      auth: {
        getUser: () => Promise.resolve(user),
        hasPermission: (permission) => Promise.resolve(held.includes(permission)),
      },
    },
  );
  return { status: response.status, code: (await response.json()).code };
}

Deno.test("authMiddleware() lets signed-in users pass and answers 401 to others", async () => {
  assert.deepEqual(await outcome({}, ADMIN), [200, null, true]);
  assert.deepEqual(await outcome({}, null), [401, null, false]);
  assert.deepEqual(await outcome({ required: true }, null), [401, null, false]);
  assert.deepEqual(await outcome({ unauthenticatedRedirect: "/login?x=1" }, null), [
    303,
    `${ORIGIN}/login?x=1&callbackUrl=%2Fadmin`,
    false,
  ]);
});

Deno.test("authMiddleware() demands every condition that is given", async () => {
  const forbidden = [403, null, false];
  const passed = [200, null, true];
  const rows: [AuthMiddlewareOptions, unknown][] = [
    [{ role: "admin" }, passed],
    [{ role: "editor" }, passed],
    [{ role: "root" }, forbidden],
    [{ roles: ["root", "editor"] }, passed],
    [{ roles: ["root"] }, forbidden],
    [{ role: "admin", roles: ["root"] }, forbidden],
    [{ role: "root", roles: ["editor"] }, forbidden],
    [{ authorize: () => true }, passed],
    [{ authorize: () => Promise.resolve(true) }, passed],
    [{ authorize: () => false }, forbidden],
    [{ authorize: () => "yes" as never }, forbidden],
    [{ authorize: () => ({}) as never }, forbidden],
    [{ role: "root", authorize: () => true }, forbidden],
    [{ role: "root", unauthorizedRedirect: "/upgrade" }, [303, `${ORIGIN}/upgrade`, false]],
    [{ role: "root", unauthenticatedRedirect: "/login" }, forbidden],
    [{ required: false, role: "root" }, forbidden],
  ];
  for (const [options, expected] of rows) {
    assert.deepEqual(await outcome(options, ADMIN), expected, JSON.stringify(options));
  }
});

Deno.test("authMiddleware() with required: false lets visitors pass unless there is a condition", async () => {
  assert.deepEqual(await outcome({ required: false }, null), [200, null, true]);
  for (const condition of [{ role: "a" }, { roles: ["a"] }, { authorize: () => true }]) {
    assert.deepEqual(await outcome({ required: false, ...condition }, null), [401, null, false]);
  }
});

Deno.test("authMiddleware() gives authorize the user and the request", async () => {
  const request = new Request(PAGE);
  const seen: unknown[] = [];
  await outcome({ authorize: (...given) => (seen.push(...given), true) }, ADMIN, request);
  assert.deepEqual(seen, [ADMIN, request]);
});

// Tracks: R043
Deno.test("authMiddleware() calls next neither when the session cannot be read nor when authorize throws", async () => {
  let passed = false;
  const next = () => {
    passed = true;
    return Promise.resolve(new Response());
  };
  const failing = { auth: { getUser: () => Promise.reject(new StorageUnavailableError()) } };
  await assert.rejects(authMiddleware()(new Request(PAGE), next, failing), StorageUnavailableError);
  const context = { auth: { getUser: () => Promise.resolve(ADMIN) } };
  const authorize = () => Promise.reject(new Error("a defect"));
  assert.equal((await authMiddleware({ authorize })(new Request(PAGE), next, context)).status, 403);
  const undefinedUser = { auth: { getUser: () => Promise.resolve(undefined as unknown as null) } };
  assert.equal((await authMiddleware()(new Request(PAGE), next, undefinedUser)).status, 401);
  assert.equal(passed, false);
});

Deno.test("authMiddleware() names a way back only where there is one and none is given", async () => {
  const rows: [string, RequestInit, string][] = [
    ["/login", {}, `${ORIGIN}/login?callbackUrl=%2Fadmin%3Fpage%3D2`],
    ["/login", { method: "POST" }, `${ORIGIN}/login`],
    ["/login?callbackUrl=/home", {}, `${ORIGIN}/login?callbackUrl=/home`],
    ["https://id.example/login", {}, "https://id.example/login"],
  ];
  for (const [unauthenticatedRedirect, init, location] of rows) {
    const request = new Request(`${PAGE}?page=2`, init);
    assert.deepEqual(await outcome({ unauthenticatedRedirect }, null, request), [
      303,
      location,
      false,
    ]);
  }
});

Deno.test("authMiddleware() leads from an address of any length to the sign-in page", async () => {
  const wayBack = (location: unknown) => new URL(String(location)).searchParams.get("callbackUrl");
  for (
    const [query, back] of [
      ["é".repeat(300), `/admin?q=${"%C3%A9".repeat(300)}`],
      ["a".repeat(2000), `/admin?q=${"a".repeat(2000)}`],
      ["a".repeat(2040), "/admin"],
      ["a".repeat(50_000), "/admin"],
    ] as const
  ) {
    const request = new Request(`${PAGE}?q=${query}`);
    const [status, location] = await outcome({ unauthenticatedRedirect: "/login" }, null, request);
    assert.equal(status, 303);
    assert.equal(wayBack(location), back);
  }
});

Deno.test("authMiddleware() redirects to the own origin within auth.run()", async () => {
  const application = createTestApplication();
  const request = new Request("http://internal.example:9000/admin");
  const next = () => Promise.resolve(new Response());
  const middleware = authMiddleware({ unauthenticatedRedirect: "/login" });
  const response = await application.auth.run(
    request,
    {},
    undefined,
    (context) => middleware(request, next, context),
  );
  assert.equal(response.headers.get("location"), `${ORIGIN}/login?callbackUrl=%2Fadmin`);
  application.close();
});

// Tracks: R132, R133
Deno.test("authMiddleware() decides each of the 64 sets of options, for each user, as a model does", async () => {
  const passing: Required<Omit<AuthMiddlewareOptions, "secondFactor" | "apiKey">> = {
    required: true,
    role: "admin",
    roles: ["root", "editor"],
    permission: "posts:read",
    permissions: ["users:read", "posts:write"],
    authorize: () => true,
    unauthenticatedRedirect: "/login",
    unauthorizedRedirect: "/denied",
  };
  // What of the passing options a user lacks, each user in one way.
  const holders: Record<string, { user: User | null; held: string[]; lacks: string }> = {
    all: { user: ADMIN, held: ["posts:read", "posts:write"], lacks: "" },
    role: {
      user: { ...ADMIN, role: "editor" },
      held: ["posts:read", "posts:write"],
      lacks: "role",
    },
    roles: { user: { ...ADMIN, roles: [] }, held: ["posts:read", "posts:write"], lacks: "roles" },
    permission: { user: ADMIN, held: ["users:read"], lacks: "permission" },
    permissions: { user: ADMIN, held: ["posts:read"], lacks: "permissions" },
    visitor: { user: null, held: [], lacks: "" },
  };
  const switches = ["required", "role", "roles", "permission", "permissions", "authorize"] as const;
  for (let bits = 0; bits < 64; bits++) {
    const on = switches.filter((_, index) => bits & (1 << index));
    const conditions = on.filter((name) => name !== "required");
    const options = {
      required: on.includes("required"),
      ...Object.fromEntries(conditions.map((name) => [name, passing[name]])),
    };
    for (const { user, held, lacks } of Object.values(holders)) {
      const must = options.required || conditions.length > 0;
      const expected = user === null
        ? (must ? 401 : 200)
        : conditions.some((name) => name === lacks)
        ? 403
        : 200;
      const { status, code } = await decide(options, user, held);
      assert.equal(status, expected, JSON.stringify([on, user, held]));
      const codes: Record<number, string | null> = {
        200: null,
        401: "UNAUTHENTICATED",
        403: "FORBIDDEN",
      };
      assert.equal(code, codes[expected]);
    }
  }
});

// Tracks: R128
Deno.test("authMiddleware() lets nobody pass whose permission cannot be told, or is anything but true", async () => {
  const asked: string[] = [];
  const options = { permissions: ["a:b", "c:d"] };
  for (const answer of ["yes", 1, {}, undefined, false]) {
    const next = () => Promise.reject(new Error("let in"));
    const response = await authMiddleware(options)(new Request(PAGE), next, {
      auth: {
        getUser: () => Promise.resolve(ADMIN),
        hasPermission: (permission) => (asked.push(permission), Promise.resolve(answer as boolean)),
      },
    });
    assert.equal(response.status, 403);
  }
  assert.deepEqual(asked.slice(0, 2), ["a:b", "c:d"]);
  await assert.rejects(outcome({ permission: "a:b" }, ADMIN), ConfigurationError);
});

// Tracks: R083, CVE-2025-29927
Deno.test("authMiddleware() cannot be switched off by a header", async () => {
  const headers = {
    "x-middleware-subrequest": "middleware:middleware:middleware",
    "x-framework-auth": "skip",
    "x-forwarded-user": "ada",
    "authorization": "Bearer x",
  };
  assert.deepEqual(await outcome({}, null, new Request(PAGE, { headers })), [401, null, false]);
});

// Tracks: R153, R077
Deno.test("authMiddleware() throws a ConfigurationError for options that are unknown or wrong", () => {
  const wrong: object[] = [
    { role: "" },
    { role: ["admin"] },
    { roles: "admin" },
    { roles: [] },
    { roles: [""] },
    { required: "yes" },
    { authorize: "admin" },
    { rol: "admin" },
    { permission: "" },
    { permission: "posts" },
    { permission: ["a:b"] },
    { permissions: "a:b" },
    { permissions: [] },
    { permissions: ["a:b", "posts:*:own"] },
    { unauthenticatedRedirect: "login" },
    { unauthenticatedRedirect: "//evil.example" },
    { unauthenticatedRedirect: "/\\evil.example" },
    { unauthenticatedRedirect: "javascript:alert(1)" },
    { unauthorizedRedirect: "" },
  ];
  for (const options of wrong) {
    assert.throws(
      () => authMiddleware(options as AuthMiddlewareOptions),
      ConfigurationError,
      JSON.stringify(options),
    );
  }
  assert.throws(
    () => authMiddleware({ rol: "admin" } as AuthMiddlewareOptions),
    /Did you mean "role"/,
  );
});

// Tracks: SP-A2
Deno.test("authMiddleware() answers 403 when authorize throws, and reports it to the logger alone", async () => {
  const logged: [string, unknown][] = [];
  const application = createTestApplication({
    logger: {
      info() {},
      warn() {},
      error: (event, { error }) => logged.push([event, (error as Error).message]),
    },
  });
  const { auth } = application;
  const cause = new Error("the rule of /admin fails");
  for (
    const authorize of [() => Promise.reject(cause), () => {
      throw cause;
    }]
  ) {
    const middleware = authMiddleware({ authorize });
    let refused: Response | undefined;
    const response = await auth.run(new Request(PAGE), {}, undefined, async () => {
      const context = { auth: { getUser: () => Promise.resolve(ADMIN) } };
      refused = await middleware(new Request(PAGE), () => assert.fail("passed"), context);
      return refused;
    });
    assert.equal(response.status, 403);
    assert.equal((await response.text()).includes("/admin fails"), false);
    assert.equal(refusalOf(refused!)?.cause, cause);
  }
  const line = ["authorize-failed", cause.message];
  assert.deepEqual(logged, [line, line]);
  application.close();
});

// Tracks: SP-A2
Deno.test("authMiddleware() lets errors of the library through, which have answers of their own", async () => {
  const unavailable = new StorageUnavailableError();
  const authorize = () => Promise.reject(unavailable);
  await assert.rejects(outcome({ authorize }, ADMIN), unavailable);
});
