import assert from "node:assert/strict";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { getUser } from "../session/operations.ts";
import { createTestApplication, ORIGIN, type TestApplication } from "../tests/application.ts";
import { isPrefetch } from "./request.ts";

const DAY = 86_400_000;
const CLEARED = '"prefetchCache", "prerenderCache"';

/** Asks for a page ahead of a visit, or, without a purpose, by one. */
function ask({ auth }: TestApplication, cookie: string, purpose?: string): Promise<Response> {
  const headers = { cookie, ...(purpose !== undefined && { "sec-purpose": purpose }) };
  const page = () => new Response(`Hello ${getUser()?.name}`);
  return auth.run(new Request(`${ORIGIN}/page`, { headers }), {}, undefined, page);
}

for (const strategy of ["database", "jwt"] as const) {
  const session = strategy === "jwt" ? { strategy: jwtSessions } : {};
  const secret = "0123456789abcdef0123456789abcdef";

  // Tracks: R194
  Deno.test(`a session is not renewed ahead of a visit (${strategy})`, async () => {
    const application = createTestApplication({ session, secret });
    try {
      const cookie = await application.signIn();
      application.clock.now += 2 * DAY;
      const rows = async () =>
        JSON.stringify(
          (await application.database.prepare("SELECT * FROM sessions").all()).results,
        );
      const before = await rows();
      for (const purpose of ["prefetch", "prefetch;prerender", "prefetch;anonymous-client-ip"]) {
        const response = await ask(application, cookie, purpose);
        assert.equal(response.status, 200);
        assert.equal(await response.text(), "Hello ada");
        assert.deepEqual(response.headers.getSetCookie(), []);
        assert.equal(response.headers.has("clear-site-data"), false);
      }
      assert.equal(await rows(), before);
      const visited = await ask(application, cookie);
      assert.equal(visited.headers.getSetCookie().length, 1);
    } finally {
      application.close();
    }
  });
}

// Tracks: R194
Deno.test("an answer ahead of a visit that would set a cookie is not given", async () => {
  const application = createTestApplication();
  try {
    const cookie = await application.signIn();
    application.clock.now += 60 * DAY;
    const response = await ask(application, cookie, "prefetch");
    assert.equal(response.status, 503);
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.deepEqual(response.headers.getSetCookie(), []);
    assert.equal(await response.text(), "");
    assert.match((await ask(application, cookie)).headers.getSetCookie().join(), /Max-Age=0/);
  } finally {
    application.close();
  }
});

// Tracks: R194
Deno.test("signing in and signing out forget what was loaded ahead", async () => {
  const application = createTestApplication();
  try {
    const fields = { name: "ada", password: "right" };
    const signedIn = await application.send("/signin/credentials", { fields });
    assert.equal(signedIn.headers.get("clear-site-data"), CLEARED);
    const [line] = signedIn.headers.getSetCookie();
    const cookie = line!.split(";")[0]!;
    assert.equal((await ask(application, cookie)).headers.has("clear-site-data"), false);
    const signedOut = await application.send("/signout", { fields: {}, cookie });
    assert.equal(signedOut.headers.get("clear-site-data"), CLEARED);
  } finally {
    application.close();
  }
});

Deno.test("isPrefetch() knows what browsers send, and nothing else", () => {
  const requestFor = (purpose: string) =>
    new Request(ORIGIN, { headers: { "sec-purpose": purpose } });
  assert.equal(isPrefetch(requestFor("prefetch")), true);
  assert.equal(isPrefetch(requestFor("prefetch;prerender")), true);
  assert.equal(isPrefetch(requestFor("")), false);
  // An action that has run must not be answered as if nothing had happened.
  const headers = { "sec-purpose": "prefetch" };
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    assert.equal(isPrefetch(new Request("https://app.example/", { method, headers })), false);
  }
  assert.equal(isPrefetch(requestFor("partitioned-popin")), false);
  assert.equal(isPrefetch(new Request(ORIGIN)), false);
});
