import assert from "node:assert/strict";
import fc from "fast-check";
import type { AuthCallbacks, JwtParams, SessionParams } from "../types/callbacks.ts";
import { ConfigurationError } from "../errors.ts";
import { getSession, getUser, hasRole } from "./operations.ts";
import { createTestApplication, inVisit, visit } from "../tests/application.ts";
import {
  browserAfter,
  claimsOf,
  COOKIE,
  createTokenApplication,
} from "../tests/token_application.ts";
import type { JWT } from "../types/session.ts";

const DAY = 24 * 60 * 60 * 1000;
const RIGHT = { name: "ada", password: "right" };

function isWrong(field: string) {
  return (error: unknown) => error instanceof ConfigurationError && error.field === field;
}

Deno.test("the jwt callback is told why, and adds claims that stay", async () => {
  const told: Omit<JwtParams, "token">[] = [];
  const application = createTokenApplication({
    callbacks: {
      jwt({ token, ...params }) {
        told.push(params);
        return { ...token, visits: Number(token.visits ?? 0) + 1 };
      },
    },
  });
  const first = await application.signIn();
  await application.signIn();
  application.clock.now += DAY;
  const response = await visit(application, () => new Response(), { cookie: first });
  const renewed = browserAfter(first, response);
  const updated = browserAfter(
    renewed,
    await application.send("/session", { method: "POST", cookie: renewed }),
  );
  assert.deepEqual([first, renewed, updated].map((one) => claimsOf(one).visits), [1, 2, 3]);
  assert.deepEqual(told.map(({ trigger }) => trigger), ["signUp", "signIn", "update", "update"]);
  for (const { user } of told) assert.equal(user?.id, "ada");
  application.close();
});

Deno.test("the jwt callback may leave out and change what the token says of the user", async () => {
  const application = createTokenApplication({
    callbacks: {
      jwt: ({ token: { name: _, ...rest } }) => ({ ...rest as JWT, roles: ["guest"] }),
    },
  });
  const cookie = await application.signIn();
  assert.equal("name" in claimsOf(cookie), false);
  await inVisit(application, () => {
    assert.equal(getUser()?.name, null);
    assert.equal(hasRole("guest"), true);
    return new Response();
  }, { cookie });
  application.close();
});

// Tracks: R058
Deno.test("the jwt callback cannot drop a claim on which the session rests: it is put back", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(["sub", "iat", "exp", "jti", "aud", "auth_time"]),
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 }),
      async (dropped, custom) => {
        const reserved = ["sub", "iat", "exp", "jti", "aud", "auth_time"];
        const known = [
          ...reserved,
          "email",
          "name",
          "image",
          "role",
          "roles",
          "emailVerified",
          "nbf",
        ];
        const added = Object.fromEntries(
          Object.entries(custom).filter(([name]) => !known.includes(name)),
        );
        const application = createTokenApplication({
          users: false,
          callbacks: {
            jwt({ token }) {
              const kept = Object.entries(token).filter(([name]) => !dropped.includes(name));
              return Object.fromEntries([...kept, ...Object.entries(added)]) as JWT;
            },
          },
        });
        const cookie = await application.signIn();
        const claims = claimsOf(cookie);
        for (const name of reserved) assert.notEqual(claims[name], undefined);
        for (const [name, value] of Object.entries(added)) {
          assert.deepEqual(claims[name], JSON.parse(JSON.stringify(value)));
        }
        const session = await (await application.send("/session", { cookie })).json();
        assert.equal(session.user.id, "ada");
        application.close();
      },
    ),
    { numRuns: 60 },
  );
});

// Tracks: R058, PF-v02
Deno.test("a claim on which the session rests is put back when the jwt callback makes it undefined", async () => {
  for (const name of ["sub", "iat", "exp", "jti", "aud", "auth_time"]) {
    const application = createTokenApplication({
      users: false,
      callbacks: { jwt: ({ token }) => ({ ...token, [name]: undefined }) as JWT },
    });
    const cookie = await application.signIn();
    assert.notEqual(claimsOf(cookie)[name], undefined, name);
    const session = await (await application.send("/session", { cookie })).json();
    assert.equal(session.user.id, "ada", name);
    application.close();
  }
});

// Tracks: R058, K7
Deno.test("the jwt callback cannot forge a claim on which the session rests: it is an error", async () => {
  const forged: Record<string, unknown>[] = [
    { sub: "eve" },
    { sub: null },
    { iat: 0 },
    { exp: 9_999_999_999 },
    { exp: "never" },
    { jti: "chosen" },
    { aud: "other" },
    { auth_time: 9_999_999_999 },
  ];
  for (const changes of forged) {
    for (
      const jwt of [
        ({ token }: JwtParams) => ({ ...token, ...changes }),
        ({ token }: JwtParams) => Object.assign(token, changes),
      ]
    ) {
      const application = createTokenApplication({ callbacks: { jwt } });
      await assert.rejects(
        application.send("/signin/credentials", { fields: RIGHT }),
        isWrong("callbacks.jwt"),
        JSON.stringify(changes),
      );
      application.close();
    }
  }
});

Deno.test("a jwt callback that gives no token, or what no token can hold, is an error that names it", async () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const wrong: unknown[] = [undefined, null, true, "token", [], () => ({}), { a: 1n }, circular, {
    email: 5,
  }, { roles: "admin" }];
  for (const given of wrong) {
    const jwt = () => given as JWT;
    const application = createTokenApplication({ callbacks: { jwt } });
    await assert.rejects(
      application.send("/signin/credentials", { fields: RIGHT }),
      isWrong("callbacks.jwt"),
    );
    application.close();
  }
});

Deno.test("a jwt callback that throws ends a sign-in, and leaves a session that is due as it is", async () => {
  let broken = true;
  const application = createTokenApplication({
    callbacks: {
      jwt({ token }) {
        if (broken) throw new Error("broken callback");
        return token;
      },
    },
  });
  await assert.rejects(
    application.send("/signin/credentials", { fields: RIGHT }),
    /broken callback/,
  );
  broken = false;
  const cookie = await application.signIn();
  broken = true;
  application.clock.now += DAY;
  const page = await visit(application, () => Response.json(getUser()?.id), { cookie });
  assert.equal(await page.json(), "ada");
  assert.deepEqual(page.headers.getSetCookie(), []);
  assert.ok(application.log.some(({ event }) => event === "session-renewal-failed"));
  application.close();
});

// Tracks: R058
Deno.test("the jwt callback does not run where sessions live in a database", async () => {
  // A callback that throws would be logged where a session is renewed, and nobody would see it.
  let calls = 0;
  const application = createTestApplication({
    callbacks: { jwt: ({ token }) => (calls++, token) },
  });
  const cookie = await application.signIn();
  await application.send("/session", { method: "POST", cookie });
  application.clock.now += DAY;
  await visit(application, () => new Response(), { cookie });
  assert.equal(calls, 0);
  application.close();
});

Deno.test("the session callback shapes the session in both strategies, everywhere", async () => {
  const told: SessionParams[] = [];
  const callbacks: AuthCallbacks = {
    jwt: ({ token }) => ({ ...token, plan: "pro" }),
    session(params) {
      told.push(params);
      const { session, token } = params;
      const user = { ...session.user, role: "member", plan: token?.plan ?? "free" };
      return { ...session, user };
    },
  };
  for (
    const [application, plan] of [
      [createTestApplication({ callbacks }), "free"],
      [createTokenApplication({ callbacks }), "pro"],
    ] as const
  ) {
    const signedIn = await application.send("/signin/credentials", {
      json: RIGHT,
      headers: { accept: "application/json" },
    });
    assert.equal((await signedIn.json()).user.plan, plan);
    const cookie = browserAfter("", signedIn);
    const session = await (await application.send("/session", { cookie })).json();
    assert.deepEqual([session.user.plan, session.user.role], [plan, "member"]);
    await inVisit(application, async ({ auth }) => {
      assert.deepEqual(getSession()?.user, getUser());
      assert.deepEqual(await auth.getSession(), getSession());
      assert.equal(hasRole("member"), true);
      return new Response();
    }, { cookie });
    const { token } = told.at(-1)!;
    assert.equal(token?.sub, plan === "pro" ? "ada" : undefined);
    application.close();
  }
});

// Tracks: K7, K2
Deno.test("a session callback that gives no session, another user's or another end lets nobody in", async () => {
  const wrong: ((params: SessionParams) => unknown)[] = [
    () => undefined,
    () => null,
    () => ({}),
    ({ session }) => ({ ...session, user: { ...session.user, id: "eve" } }),
    ({ session }) => ({ ...session, user: null }),
    ({ session }) => ({ ...session, expires: new Date(8.64e15) }),
    ({ session }) => ({ ...session, expires: session.expires.toISOString() }),
    ({ session, user }) => {
      user.id = "eve";
      return { ...session, user };
    },
  ];
  for (const make of [createTestApplication, createTokenApplication]) {
    const healthy = make();
    const cookie = await healthy.signIn();
    for (const shape of wrong) {
      const application = make({
        database: healthy.database,
        callbacks: { session: shape as NonNullable<AuthCallbacks["session"]> },
      });
      await assert.rejects(
        visit(application, () => Response.json(getUser()), { cookie }),
        isWrong("callbacks.session"),
      );
      application.close();
    }
    healthy.close();
  }
});

Deno.test("a session callback is not called without a session", async () => {
  const application = createTokenApplication({
    callbacks: { session: () => assert.fail("called") },
  });
  for (const cookie of ["", `${COOKIE}=x`, "other=1"]) {
    assert.equal(await (await application.send("/session", { cookie })).json(), null);
  }
  application.close();
});
