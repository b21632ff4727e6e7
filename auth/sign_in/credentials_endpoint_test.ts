import type { AuthOptions } from "../app/options.ts";
import { defaultTheme } from "./pages.ts";
import {
  cookieOf,
  createTestApplication,
  ORIGIN,
  type SendOptions,
  sessionLines,
  type TestApplication,
} from "../tests/application.ts";
import { createTokenApplication } from "../tests/token_application.ts";
import assert from "node:assert/strict";
import { credentials, type CredentialsConfig } from "./credentials.ts";
import { accountTag } from "./known_browsers.ts";

const RIGHT = { name: "ada", password: "right" };
const JSON_HEADERS = { accept: "application/json" };
const PATH = "/signin/credentials";

function withAuthorize(authorize: CredentialsConfig["authorize"]) {
  return createTestApplication({
    providers: [credentials({
      credentials: {
        name: { label: "Name", type: "text", required: true },
        nickname: { label: "Nickname", type: "text" },
      },
      authorize,
    })],
  });
}

// Tracks: R060, R044, CVE-2025-48947
Deno.test("POST /signin/credentials signs in: 303, a cookie and no-store", async () => {
  const application = createTestApplication();
  const response = await application.send(PATH, { fields: RIGHT });
  assert.equal(response.status, 303);
  assert.equal(response.headers.get("location"), `${ORIGIN}/`);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.match(response.headers.get("vary")!, /Cookie/);
  const cookies = response.headers.getSetCookie();
  assert.equal(cookies.length, 3);
  assert.match(
    cookies[0]!,
    /^framework\.session-token=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax$/,
  );
  assert.match(
    cookies[1]!,
    /^__Host-framework\.known=[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; Secure; SameSite=Lax$/,
  );
  assert.equal(
    cookies[2],
    "__Host-framework.last=credentials; Path=/; Max-Age=34560000; HttpOnly; Secure; SameSite=Lax",
  );
  application.close();
});

Deno.test("POST /signin/credentials answers JSON to who prefers it", async () => {
  const application = createTestApplication();
  const response = await application.send(PATH, {
    json: { ...RIGHT, callbackUrl: "/next" },
    headers: JSON_HEADERS,
  });
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), {
    user: { id: "ada", email: null, name: "ada", image: null, emailVerified: null },
    expires: new Date(application.clock.now + 30 * 86_400_000).toISOString(),
    redirectTo: `${ORIGIN}/next`,
  });
  assert.equal(sessionLines(response).length, 1);
  application.close();
});

// Tracks: R077, CVE-2024-56734
Deno.test("POST /signin/credentials follows a callbackUrl only within the application", async () => {
  const application = createTestApplication({ trustedOrigins: ["https://admin.example"] });
  const cases: [string, string][] = [
    ["/dashboard?x=1", `${ORIGIN}/dashboard?x=1`],
    ["https://admin.example/", "https://admin.example/"],
    ["https://evil.example/", `${ORIGIN}/`],
    ["//evil.example", `${ORIGIN}/`],
    ["/\\evil.example", `${ORIGIN}/`],
    ["javascript:alert(1)", `${ORIGIN}/`],
    ["/x\r\nSet-Cookie: a=b", `${ORIGIN}/`],
  ];
  for (const [callbackUrl, expected] of cases) {
    const response = await application.send(PATH, { fields: { ...RIGHT, callbackUrl } });
    assert.equal(response.headers.get("location"), expected);
  }
  application.close();
});

Deno.test("POST /signin/credentials answers a wrong password with 401: a page, or JSON", async () => {
  const application = createTestApplication();
  const fields = { name: `"><script>`, password: "mistyped", callbackUrl: "/next" };
  const page = await application.send(PATH, { fields });
  const text = await page.text();
  assert.equal(page.status, 401);
  assert.match(text, /id="password-error">.*That email or password is wrong/);
  assert.match(text, /name="callbackUrl" value="https:\/\/app\.example\/next"/);
  assert.match(text, /name="name" type="text" autocomplete="on" value="&quot;&gt;&lt;script&gt;"/);
  assert.equal(text.includes("mistyped"), false, "the password is not sent back");
  assert.deepEqual(page.headers.getSetCookie(), []);

  const json = await application.send(PATH, { json: fields, headers: JSON_HEADERS });
  assert.equal(json.status, 401);
  assert.equal((await json.json()).code, "INVALID_CREDENTIALS");
  assert.deepEqual(json.headers.getSetCookie(), []);
  application.close();
});

Deno.test("POST /signin/credentials shows nothing again that is too long for its field", async () => {
  // Tracks: A-03
  for (const length of [1024, 1025, 30_000]) {
    const application = createTestApplication();
    const name = "y".repeat(length);
    const page = await application.send(PATH, { fields: { name, password: "wrong" } });
    assert.equal(page.status, 401);
    assert.equal((await page.text()).includes("yyy"), length === 1024);
    application.close();
  }
});

// Tracks: R012
Deno.test("POST /signin/credentials answers alike for a wrong password and an unknown user", async () => {
  const application = createTestApplication();
  await application.signIn("ada");
  const answers = [];
  for (const name of ["ada", "nobody"]) {
    const response = await application.send(PATH, {
      json: { name, password: "wrong" },
      headers: JSON_HEADERS,
    });
    answers.push([response.status, [...response.headers], await response.text()]);
  }
  assert.deepEqual(answers[0], answers[1]);
  application.close();
});

Deno.test("POST /signin/credentials renders the application's own page with the status", async () => {
  const application = createTestApplication({
    pages: { signIn: "/login", theme: defaultTheme },
  });
  const seen: [string, number][] = [];
  const info = {
    renderPage(url: URL, status: number) {
      seen.push([url.href, status]);
      return Promise.resolve(new Response("own page", { headers: { "cache-control": "public" } }));
    },
  };
  const fields = { name: "ada", password: "wrong", callbackUrl: "/next" };
  const response = await application.send(PATH, { fields, info });
  assert.equal(response.status, 401);
  assert.equal(await response.text(), "own page");
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.deepEqual(seen, [[
    `${ORIGIN}/login?name=ada&error=INVALID_CREDENTIALS&callbackUrl=` +
    encodeURIComponent(`${ORIGIN}/next`),
    401,
  ]]);
  const none = await application.send(PATH, {
    fields,
    info: { renderPage: () => Promise.resolve(null) },
  });
  assert.equal(none.status, 401);
  assert.match(await none.text(), /<form method="post" action="\/auth\/signin\/credentials">/);
  application.close();
});

// Tracks: R072, R071
Deno.test("POST /signin/credentials is refused from another site before authorize runs", async () => {
  let calls = 0;
  const application = withAuthorize(() => {
    calls++;
    return Promise.resolve(null);
  });
  const crossSite: SendOptions["headers"][] = [
    { origin: "https://evil.example" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "null" },
  ];
  for (const headers of crossSite) {
    const response = await application.send(PATH, { fields: { name: "x" }, headers: headers! });
    assert.equal(response.status, 403);
    assert.deepEqual(response.headers.getSetCookie(), []);
  }
  assert.equal(calls, 0);
  assert.equal(application.log.filter(({ event }) => event === "origin-refused").length, 4);
  application.close();
});

// Tracks: R039, CVE-2026-16103
Deno.test("POST /signin/credentials lets no disabled user in", async () => {
  const application = createTestApplication();
  await application.signIn();
  application.database.sqlite.exec("UPDATE users SET disabled_at = 1");
  const response = await application.send(PATH, { fields: RIGHT });
  assert.equal(response.status, 401);
  assert.deepEqual(response.headers.getSetCookie(), []);
  application.close();
});

/** Everything of a refusal that reaches a client, and what it cost. */
async function refusal(
  application: TestApplication,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const before = application.database.trips;
  const response = await application.send(PATH, { fields, headers });
  return {
    status: response.status,
    headers: [...response.headers],
    // What stands in the stylesheet is the same for everybody, the word "disabled" among it.
    body: (await response.text()).replace(/<style>.*<\/style>/, "").replaceAll(fields.name!, "…"),
    trips: application.database.trips - before,
  };
}

// Tracks: R164, A-17, AU-02
Deno.test("POST /signin/credentials answers alike for a wrong password, one that has ended, and a disabled user", async () => {
  const kept: [kept: string, make: (options: Partial<AuthOptions>) => TestApplication][] = [
    ["in a row", createTestApplication],
    ["in a token", (options) => createTokenApplication({ ...options, session: {} })],
  ];
  for (const [how, make] of kept) {
    for (const asks of [false, true]) {
      const asked: string[] = [];
      const application = make({
        rateLimit: false,
        pages: { theme: defaultTheme, forgotPassword: "/reset" },
        ...(asks && { callbacks: { signIn: ({ user }) => asked.push(user.id) > 100 } }),
      });
      const { sqlite } = application.database;
      for (const [id, column] of [["ended", "credentials_after"], ["disabled", "disabled_at"]]) {
        sqlite.exec(`INSERT INTO users (id, ${column}) VALUES ('${id}', 8640000000000000)`);
      }
      // The first request of all asks the database for its version.
      await refusal(application, { name: "ada", password: "" });
      for (const headers of [{}, JSON_HEADERS]) {
        const wrong = await refusal(application, { name: "ada", password: "mistyped" }, headers);
        assert.equal(wrong.status, 401, how);
        assert.match(wrong.body, /That email or password is wrong/);
        if (headers === JSON_HEADERS) assert.match(wrong.body, /"INVALID_CREDENTIALS"/);
        else assert.match(wrong.body, /<a href="\/reset">Forgot password\?<\/a>/);
        for (const name of ["ended", "disabled"]) {
          const got = await refusal(application, { name, password: "right" }, headers);
          assert.deepEqual(got, wrong, `${how}: ${name}`);
        }
      }
      assert.deepEqual(asked, [], "the application's answer would tell it");
      const codes = application.log.filter(({ event }) => event === "sign-in-failed")
        .map(({ fields }) => fields.code).slice(1);
      const each = ["INVALID_CREDENTIALS", "USER_UNAVAILABLE", "USER_UNAVAILABLE"];
      assert.deepEqual(codes, [...each, ...each], "the log tells them apart");
      application.close();
    }
  }
});

Deno.test("the sign-in page leads to a new password where the application has a page for it", async () => {
  for (const forgotPassword of [undefined, "/reset"]) {
    const pages = { theme: defaultTheme, ...(forgotPassword !== undefined && { forgotPassword }) };
    const application = createTestApplication({ pages });
    const html = await (await application.send("/signin")).text();
    assert.equal(html.includes("Forgot password?"), forgotPassword !== undefined);
    application.close();
  }
});

// Tracks: R033, CVE-2022-25896
Deno.test("POST /signin/credentials always makes a new session and ends the one the browser had", async () => {
  const application = createTestApplication();
  const planted = `framework.session-token=${"A".repeat(43)}`;
  const first = cookieOf(await application.send(PATH, { fields: RIGHT, cookie: planted }));
  assert.notEqual(first, planted);
  const second = cookieOf(await application.send(PATH, { fields: RIGHT, cookie: first }));
  assert.notEqual(second, first);
  for (const [cookie, id] of [[planted, null], [first, null], [second, "ada"]] as const) {
    const session = await (await application.send("/session", { cookie })).json();
    assert.equal(session?.user.id ?? null, id);
  }
  application.close();
});

Deno.test("POST /signin/credentials sends a user whom it has just made to pages.newUser", async () => {
  const application = createTestApplication({ pages: { newUser: "/welcome" } });
  const fields = { ...RIGHT, callbackUrl: "/next" };
  const first = await application.send(PATH, { fields });
  const expected = `${ORIGIN}/welcome?callbackUrl=${encodeURIComponent(`${ORIGIN}/next`)}`;
  assert.equal(first.headers.get("location"), expected);
  const second = await application.send(PATH, { fields });
  assert.equal(second.headers.get("location"), `${ORIGIN}/next`);
  application.close();
});

// Tracks: R043
Deno.test("POST /signin/credentials answers 503 and signs nobody in when the database fails", async () => {
  const application = createTestApplication();
  application.database.fail = "D1_ERROR: Network connection lost";
  const response = await application.send(PATH, { json: RIGHT, headers: JSON_HEADERS });
  assert.equal(response.status, 503);
  assert.deepEqual(response.headers.getSetCookie(), []);
  const body = await response.json();
  assert.equal(body.code, "STORAGE_UNAVAILABLE");
  const line = application.log.find(({ event }) => event === "request-failed");
  assert.equal(line?.fields.requestId, body.requestId);
  application.close();
});

// Tracks: R152
Deno.test("POST /signin/credentials reports who signed in and who failed, without what was typed", async () => {
  const application = createTestApplication();
  const info = { clientAddress: "192.0.2.1", requestId: "r1" };
  await application.send(PATH, { fields: RIGHT, info });
  await application.send(PATH, { fields: { name: "ada\nforged", password: "hunter2" }, info });
  const success = {
    level: "info",
    fields: { provider: "credentials", requestId: "r1", address: "192.0.2.1", userId: "ada" },
  };
  assert.deepEqual(application.log, [
    { ...success, event: "sign-up" },
    { ...success, event: "sign-in" },
    {
      level: "warn",
      event: "sign-in-failed",
      fields: {
        provider: "credentials",
        requestId: "r1",
        address: "192.0.2.1",
        code: "INVALID_CREDENTIALS",
        account: await accountTag(application.auth, "ada\nforged", {}),
      },
    },
  ]);
  application.close();
});

// Tracks: A-04, R166
Deno.test("POST /signin/credentials stores no more of a name than fits, and lets its owner in", async () => {
  const application = createTestApplication({
    providers: [credentials({
      credentials: { name: { label: "Name", type: "text" } },
      authorize: () =>
        Promise.resolve({
          id: "ada",
          name: "a".repeat(1_500_000),
          image: "javascript:alert(1)",
        }),
    })],
  });
  const cookie = cookieOf(await application.send(PATH, { json: { name: "ada" } }));
  const { user } = await (await application.send("/session", { cookie })).json();
  assert.deepEqual([user.id, user.name, user.image], ["ada", "a".repeat(256), null]);
  application.close();
});
