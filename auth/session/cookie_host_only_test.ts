import assert from "node:assert/strict";
import type { AuthOptions } from "../app/options.ts";
import { getUser } from "./operations.ts";
import { currentRequest } from "../core/request.ts";
import {
  cookieOf,
  createTestApplication,
  sessionLines,
  type TestApplication,
  visit,
} from "../tests/application.ts";
import { claimsOf, createTokenApplication } from "../tests/token_application.ts";

const PLAIN = "framework.session-token";
const HOST = `__Host-${PLAIN}`;
const COOKIES = { sessionToken: { hostOnly: true } } as const;
const LONG = "x".repeat(6000);

/** One application for each way in which a session can be kept. */
const KEPT: [kept: string, make: (options: Partial<AuthOptions>) => TestApplication][] = [
  ["in a row", createTestApplication],
  ["in a token", (options) => createTokenApplication({ ...options, session: {} })],
  ["in a token of several cookies", (options) =>
    createTokenApplication({
      ...options,
      session: {},
      callbacks: { jwt: ({ token }) => Promise.resolve({ ...token, long: LONG }) },
    })],
];

/** Returns the user that an application sees behind a Cookie header, and its response. */
async function seen(
  application: TestApplication,
  cookie: string,
): Promise<{ user: string | null; lines: string[] }> {
  const response = await visit(application, () => Response.json(getUser()?.id ?? null), { cookie });
  return { user: await response.json(), lines: response.headers.getSetCookie() };
}

/** A Cookie header under other names. */
function renamed(cookie: string, from: string, to: string): string {
  return cookie.split("; ").map((pair) => pair.replace(from, to)).join("; ");
}

// Tracks: A-06
Deno.test("hostOnly puts __Host- before the name of every session cookie, with all that browsers ask of such a one", async () => {
  for (const [kept, make] of KEPT) {
    const application = make({ cookies: COOKIES });
    const response = await application.send("/signin/credentials", {
      fields: { name: "ada", password: "right" },
    });
    const lines = sessionLines(response);
    assert.ok(lines.length > 0, kept);
    for (const line of lines) {
      assert.match(line, /^__Host-framework\.session-token(?:\.\d)?=/, kept);
      assert.match(line, /; Path=\/; Max-Age=\d+; HttpOnly; Secure; SameSite=Lax$/, kept);
    }
    assert.equal((await seen(application, cookieOf(response))).user, "ada", kept);
    application.close();
  }
});

// Tracks: A-06
Deno.test("on plain http on a loopback host, where browsers refuse it, the prefix is left out", async () => {
  const application = createTestApplication({ cookies: COOKIES, baseUrl: "http://localhost:8787" });
  const response = await application.auth.handle(
    new Request("http://localhost:8787/auth/signin/credentials", {
      method: "POST",
      headers: { origin: "http://localhost:8787", "content-type": "application/json" },
      body: JSON.stringify({ name: "ada", password: "right" }),
    }),
    {},
  );
  const [line, ...more] = sessionLines(response!);
  assert.deepEqual(more, []);
  assert.match(
    line!,
    /^framework\.session-token=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
  );
  assert.equal((await seen(application, cookieOf(response!))).user, "ada");
  application.close();
});

// Tracks: A-06, R065
Deno.test("a cookie without the prefix, which any sibling host can plant, opens nothing and ends nothing", async () => {
  for (const [kept, make] of KEPT) {
    const application = make({ cookies: COOKIES });
    const own = await application.signIn("ada");
    const planted = renamed(await application.signIn("mallory"), HOST, PLAIN);
    assert.equal((await seen(application, planted)).user, null, kept);
    for (
      const cookie of [`${planted}; ${own}`, `${own}; ${planted}`, `${planted}; ${own}; ${planted}`]
    ) {
      assert.deepEqual(await seen(application, cookie), { user: "ada", lines: [] }, kept);
    }
    application.close();
  }
});

// Tracks: A-06
Deno.test("a request whose origin nobody knows is not a developer's own machine", async () => {
  const application = createTestApplication({
    cookies: COOKIES,
    baseUrl: undefined as never,
    allowedHosts: ["app.example"],
  });
  const planted = renamed(await application.signIn(), HOST, PLAIN);
  const request = new Request("http://localhost/", { headers: { cookie: planted } });
  const response = await application.auth.run(
    request,
    {},
    undefined,
    () => Response.json(getUser()),
  );
  assert.equal(await response.json(), null);
  application.close();
});

// Tracks: A-06
Deno.test("a session says whether a sibling host can have planted it", async () => {
  const names: [AuthOptions["cookies"], boolean][] = [
    [undefined, false],
    [{ sessionToken: { name: "__Secure-s" } }, false],
    [{ sessionToken: { name: "__Host-s" } }, true],
    [{ sessionToken: { name: "__Host-s", hostOnly: true } }, true],
    [COOKIES, true],
  ];
  for (const [cookies, hostOnly] of names) {
    for (const [kept, make] of KEPT) {
      const application = make(cookies === undefined ? {} : { cookies });
      const response = await visit(application, async () => {
        const state = await currentRequest("test").auth.load();
        return Response.json(state.status === "valid" && state.hostOnly);
      }, { cookie: await application.signIn() });
      assert.equal(await response.json(), hostOnly, `${kept} ${JSON.stringify(cookies)}`);
      application.close();
    }
  }
});

Deno.test("the tokens of an application are for one audience, with the prefix and without", async () => {
  const application = createTokenApplication({ cookies: COOKIES });
  assert.equal(claimsOf(await application.signIn()).aud, PLAIN);
  application.close();
});
