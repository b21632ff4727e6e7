import {
  accountEndpoints,
  type AuthOptions,
  createAuth,
  createMemoryStorage,
  credentials,
  defaultTheme,
  jwtSessions,
} from "@framework/auth";
import assert from "node:assert/strict";
import { readSettings } from "../../auth/app/settings.ts";
import { createEndpointTable } from "../../auth/app/endpoints.ts";
import { allowedMethods } from "../../auth/core/dispatch.ts";

const ORIGIN = "https://app.example";
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];

function options(session: AuthOptions["session"]): AuthOptions {
  return {
    baseUrl: ORIGIN,
    database: createMemoryStorage(),
    secret: "a secret of the test, of 32 bytes or more",
    providers: [
      credentials({
        credentials: { name: { label: "Name", type: "text" } },
        authorize: ({ name }) => Promise.resolve(name === "" ? null : { id: name! }),
      }),
      accountEndpoints(),
    ],
    pages: { theme: defaultTheme },
    ...(session !== undefined && { session }),
  };
}

/** Every endpoint of an application; a path with a wildcard is filled in. */
function endpointsOf(given: AuthOptions): { path: string; allow: string }[] {
  return [...createEndpointTable(readSettings(given, undefined))]
    .map(([path, methods]) => ({ path: path.replace("*", "x"), allow: allowedMethods(methods) }));
}

async function signIn(auth: ReturnType<typeof createAuth>): Promise<string> {
  const request = new Request(`${ORIGIN}/auth/signin/credentials`, {
    method: "POST",
    headers: { origin: ORIGIN, "content-type": "application/json" },
    body: '{"name":"ada"}',
  });
  const response = await auth.handle(request, {});
  return response!.headers.getSetCookie()[0]!.split(";")[0]!;
}

const SESSIONS: Record<string, AuthOptions["session"]> = {
  database: { strategy: "database" },
  jwt: { strategy: jwtSessions },
};

for (const [strategy, session] of Object.entries(SESSIONS)) {
  // Tracks: K3, R044, R075, R078, R082, CVE-2025-48947, CVE-2025-64762
  Deno.test(`every method at every endpoint: 405 with Allow, no-store, no CORS (${strategy})`, async () => {
    const given = options(session);
    const auth = createAuth(given);
    const endpoints = endpointsOf(given);
    assert.ok(endpoints.length >= 6);
    for (const { path, allow } of endpoints) {
      for (const method of METHODS) {
        for (const origin of [ORIGIN, "https://evil.example", null]) {
          for (const signedIn of [true, false]) {
            const what = `${method} ${path} from ${origin}`;
            const headers = new Headers();
            if (origin !== null) headers.set("origin", origin);
            if (signedIn) headers.set("cookie", await signIn(auth));
            const request = new Request(`${ORIGIN}/auth${path}`, { method, headers });
            const response = (await auth.handle(request, {}))!;
            const body = await response.text();
            assert.ok(response.status < 500, `${what}: ${response.status}`);
            assert.equal(response.headers.get("cache-control"), "no-store", what);
            assert.match(response.headers.get("vary") ?? "", /Cookie/, what);
            assert.equal(response.headers.get("access-control-allow-origin"), null, what);
            assert.equal(response.status === 405, !allow.split(", ").includes(method), what);
            if (response.status === 405) assert.equal(response.headers.get("allow"), allow, what);
            if (method === "HEAD") assert.equal(body, "", what);
            const isUnsafe = !["GET", "HEAD", "OPTIONS"].includes(method);
            if (isUnsafe && origin !== ORIGIN && response.status !== 405) {
              assert.equal(response.status, 403, what);
            }
          }
        }
      }
    }
  });

  // Tracks: R081, GHSA-x732-6j76-qmhm
  Deno.test(`no endpoint answers under another spelling of its path (${strategy})`, async () => {
    const given = options(session);
    const auth = createAuth(given);
    for (const { path } of endpointsOf(given)) {
      const last = path.slice(0, -1) + `%${path.charCodeAt(path.length - 1).toString(16)}`;
      const spellings = [
        `/auth${path}/`,
        `/auth/${path}`,
        `//auth${path}`,
        `/auth${path}//`,
        `/auth${path};x`,
        `/auth${path}%2f`,
        `/auth${path}%00`,
        `/auth${path}.`,
        `/auth${path}%20`,
        `/auth${path.toUpperCase()}`,
        `/auth${last}`,
        `/auth%2f${path.slice(1)}`,
        `/Auth${path}`,
        `/%61uth${path}`,
        `/x/auth${path}`,
      ];
      for (const spelling of spellings) {
        // What stands at the place of a wildcard is anything; only a further segment is none.
        if (path === "/sessions/x" && /^\/auth\/sessions\/[^/]+$/.test(spelling)) continue;
        for (const method of ["GET", "POST", "DELETE"]) {
          const headers = { origin: ORIGIN };
          const response = await auth.handle(
            new Request(ORIGIN + spelling, { method, headers }),
            {},
          );
          assert.ok(response === null || response.status === 404, `${method} ${spelling}`);
        }
      }
    }
  });

  // Tracks: R070, R082
  Deno.test(`GET, HEAD and OPTIONS change nothing anywhere (${strategy})`, async () => {
    const given = options(session);
    const auth = createAuth(given);
    const cookie = await signIn(auth);
    for (const { path } of endpointsOf(given)) {
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        const request = new Request(`${ORIGIN}/auth${path}?callbackUrl=/x`, {
          method,
          headers: { cookie },
        });
        const response = (await auth.handle(request, {}))!;
        assert.deepEqual(response.headers.getSetCookie(), [], `${method} ${path}`);
      }
    }
    const request = new Request(`${ORIGIN}/auth/session`, { headers: { cookie } });
    const response = await auth.handle(request, {});
    assert.equal((await response!.json()).user.id, "ada");
  });

  // Tracks: R083, CVE-2025-29927
  Deno.test(`no request header stands in for a session (${strategy})`, async () => {
    const auth = createAuth(options(session));
    const cookie = await signIn(auth);
    const token = cookie.slice(cookie.indexOf("=") + 1);
    const names = [
      "authorization",
      "x-session-token",
      "x-auth-token",
      "x-framework-session",
      "x-framework-user",
      "x-framework-probe",
      "x-middleware-subrequest",
      "x-middleware-next",
      "x-middleware-rewrite",
      "x-user-id",
      "x-forwarded-user",
      "x-remote-user",
      "remote-user",
      "x-original-url",
      "x-rewrite-url",
      "x-http-method-override",
      "cf-access-jwt-assertion",
      "cookie2",
      "set-cookie",
      "framework.session-token",
    ];
    for (const name of names) {
      for (
        const value of [token, `Bearer ${token}`, cookie, "ada", "1", "auth:auth:auth:auth:auth"]
      ) {
        const request = new Request(`${ORIGIN}/page`, { headers: { [name]: value } });
        const response = await auth.run(
          request,
          {},
          undefined,
          async (context) => Response.json(await context.auth.getUser()),
        );
        assert.equal(await response.json(), null, `${name}: ${value}`);
      }
    }
  });
}

// Tracks: K2, R043, GHSA-8fpg-xm3f-6cx3
Deno.test("a storage that fails, hangs up or lies makes nobody signed in", async () => {
  const good = createMemoryStorage();
  const working = createAuth({ ...options({ strategy: "database" }), database: good });
  const cookie = await signIn(working);
  const answers: Record<string, () => unknown> = {
    "rejects": () => Promise.reject(new Error("gone")),
    "throws": () => {
      throw new Error("gone");
    },
    "gives nothing": () => Promise.resolve(undefined),
    "gives an empty object": () => Promise.resolve({}),
    "gives an error as a value": () => Promise.resolve({ error: "gone", status: 500 }),
    "gives true": () => Promise.resolve(true),
  };
  for (const [name, readSession] of Object.entries(answers)) {
    const database = { ...good, readSession } as unknown as typeof good;
    const auth = createAuth({ ...options({ strategy: "database" }), database });
    let entered = false;
    const request = new Request(`${ORIGIN}/page`, { headers: { cookie } });
    const response = await auth.run(request, {}, undefined, async (context) => {
      const user = await context.auth.getUser();
      entered = user !== null;
      return Response.json(user);
    }).catch(() => new Response("null", { status: 500 }));
    const body = await response.json();
    assert.equal(entered, false, name);
    assert.ok(body === null || response.status >= 500, name);
  }
});
