import assert from "node:assert/strict";
import { PAGE_SCRIPT } from "../pages/style_text.ts";
import { defaultTheme } from "../sign_in/pages.ts";
import { createTestApplication, ORIGIN } from "../tests/application.ts";

const JSON_HEADERS = { accept: "application/json" };

// Tracks: R042
Deno.test("GET /session holds the fields of the specification and no others", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.database.sqlite.exec("UPDATE users SET role = 'admin', roles = '[\"a\"]'");
  const session = await (await application.send("/session", { cookie })).json();
  assert.deepEqual(Object.keys(session).sort(), ["expires", "user"]);
  assert.deepEqual(Object.keys(session.user).sort(), [
    "email",
    "emailVerified",
    "id",
    "image",
    "name",
    "role",
    "roles",
  ]);
  assert.equal(await (await application.send("/session")).json(), null);
  application.close();
});

// Tracks: R043, GHSA-8fpg-xm3f-6cx3
Deno.test("GET /session is a 503 when the database fails, not a session and not null", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.database.fail = "D1_ERROR: canary-11";
  const response = await application.send("/session", { cookie, headers: JSON_HEADERS });
  assert.equal(response.status, 503);
  const text = await response.text();
  assert.equal(text.includes("canary"), false);
  assert.equal(JSON.parse(text).user, undefined);
  application.close();
});

// Tracks: F18
Deno.test("GET /session rejects with a ConfigurationError when the tables are missing", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.database.sqlite.exec("DROP TABLE sessions");
  await assert.rejects(
    application.send("/session", { cookie }),
    /tables are missing/,
  );
  application.close();
});

// Tracks: R034, R070
Deno.test("POST /signout ends the session on the server; GET only asks", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  for (const method of ["GET", "HEAD"]) {
    const asked = await application.send("/signout", { method, cookie });
    assert.equal(asked.status, 200);
    assert.deepEqual(asked.headers.getSetCookie(), []);
  }
  assert.equal((await (await application.send("/session", { cookie })).json()).user.id, "ada");
  const response = await application.send("/signout", { method: "POST", cookie });
  assert.equal(response.status, 303);
  assert.equal(response.headers.get("location"), `${ORIGIN}/`);
  assert.match(
    response.headers.getSetCookie()[0]!,
    /^framework\.session-token=; Path=\/; Max-Age=0;/,
  );
  assert.equal(await (await application.send("/session", { cookie })).json(), null);
  application.close();
});

Deno.test("POST /signout answers JSON to who prefers it, guards callbackUrl, and may be repeated", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  for (let round = 0; round < 2; round++) {
    const response = await application.send("/signout", {
      json: { callbackUrl: "/bye" },
      headers: JSON_HEADERS,
      cookie,
    });
    const { redirectTo, session } = await response.json();
    assert.equal(redirectTo, `${ORIGIN}/bye`);
    // The session that ended; nobody is signed in the second time.
    assert.equal(session?.user.id, round === 0 ? "ada" : undefined);
  }
  const elsewhere = await application.send("/signout", {
    fields: { callbackUrl: "//evil.example" },
  });
  assert.equal(elsewhere.headers.get("location"), `${ORIGIN}/`);
  application.close();
});

Deno.test("POST /signout keeps the cookie when the session could not be ended, so that it can be repeated", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.database.fail = "D1_ERROR: overloaded";
  const response = await application.send("/signout", { method: "POST", cookie });
  assert.equal(response.status, 503);
  assert.deepEqual(response.headers.getSetCookie(), []);
  application.close();
});

Deno.test("POST /signout from another site leaves the session", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const headers = { origin: "https://evil.example" };
  assert.equal(
    (await application.send("/signout", { method: "POST", cookie, headers })).status,
    403,
  );
  assert.equal((await (await application.send("/session", { cookie })).json()).user.id, "ada");
  application.close();
});

Deno.test("GET /providers lists id, name and type", async () => {
  const application = createTestApplication();
  assert.deepEqual(await (await application.send("/providers")).json(), [
    { id: "credentials", name: "Credentials", type: "credentials" },
  ]);
  application.close();
});

/** A page without the library's own script, which its policy lets in by its hash. */
function withoutOwn(text: string): string {
  return text.replace(`<script>${PAGE_SCRIPT.text}</script>`, "");
}

// Tracks: R079, GHSA-9x4v-xfq5-m8x5, GHSA-27gc-wj6x-9w55
Deno.test("GET /error and GET /signin show known codes and nothing else of their address", async () => {
  const application = createTestApplication();
  for (const path of ["/error", "/signin"]) {
    const known = await (await application.send(`${path}?error=SESSION_EXPIRED`)).text();
    assert.match(known, /Your session ended/);
    for (const error of ["<script>alert(1)</script>", "canary", "__proto__", "toString"]) {
      const query = new URLSearchParams({ error, error_description: error, message: error });
      const text = withoutOwn(await (await application.send(`${path}?${query}`)).text());
      assert.equal(/<script|canary|__proto__|\[native code/.test(text), false, text);
    }
  }
  application.close();
});

// Tracks: R077, R079
Deno.test("GET /signin carries a callbackUrl into the form only when it may be followed", async () => {
  const application = createTestApplication();
  const own = await (await application.send("/signin?callbackUrl=%2Fnext")).text();
  assert.match(own, /name="callbackUrl" value="https:\/\/app\.example\/next"/);
  for (const target of ["https://evil.example", "//evil.example", 'javascript:"><script>']) {
    const query = new URLSearchParams({ callbackUrl: target });
    const text = withoutOwn(await (await application.send(`/signin?${query}`)).text());
    assert.equal(/callbackUrl|evil|<script/.test(text), false);
  }
  application.close();
});

Deno.test("GET /signin, /signout and /error lead to the application's own pages", async () => {
  const application = createTestApplication({
    pages: { signIn: "/login", signOut: "/logout", error: "/oops", theme: defaultTheme },
  });
  const cases: [string, string][] = [
    [
      "/signin?callbackUrl=%2Fa&error=FORBIDDEN",
      `/login?callbackUrl=${encodeURIComponent(`${ORIGIN}/a`)}&error=FORBIDDEN`,
    ],
    ["/signin?callbackUrl=%2F%2Fevil.example&error=x", "/login"],
    ["/signout", "/logout"],
    ["/error?error=canary", "/oops"],
    ["/error?error=FORBIDDEN", "/oops?error=FORBIDDEN"],
  ];
  for (const [path, expected] of cases) {
    const response = await application.send(path);
    assert.equal(response.status, 302);
    assert.equal(response.headers.get("location"), ORIGIN + expected);
    assert.equal(response.headers.get("cache-control"), "no-store");
  }
  application.close();
});
