import assert from "node:assert/strict";
import { createAuth } from "../app/create_auth.ts";
import { credentials } from "../sign_in/credentials.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { cookieOf, createTestApplication, ORIGIN } from "./application.ts";

const RIGHT = { name: "ada", password: "right" };
const JSON_HEADERS = { accept: "application/json" };

/** Requests for every endpoint, and what they are sent with. */
const REQUESTS: [string, Parameters<ReturnType<typeof createTestApplication>["send"]>[1]][] = [
  ["/signin", {}],
  ["/signin/credentials", { fields: RIGHT }],
  ["/signin/credentials", { fields: { name: "ada", password: "wrong" } }],
  ["/signin/credentials", { json: RIGHT }],
  ["/signin/credentials", { method: "POST", headers: { "content-type": "text/plain" } }],
  ["/signin/credentials", { fields: { name: "x".repeat(40_000) } }],
  ["/signin/credentials", { fields: RIGHT, headers: { origin: "https://evil.example" } }],
  ["/signout", {}],
  ["/signout", { fields: {} }],
  ["/session", {}],
  ["/session", { method: "POST" }],
  ["/session", { method: "PUT" }],
  ["/sessions", {}],
  ["/sessions", { method: "DELETE" }],
  ["/sessions/none", { method: "DELETE" }],
  ["/providers", {}],
  ["/error?error=FORBIDDEN", {}],
  ["/nothing", {}],
];

// Tracks: K3, R044, R075, CVE-2025-48947
Deno.test("every response of every endpoint is no-store and opens nothing to other origins", async () => {
  for (const accept of ["text/html", "application/json"]) {
    for (const signedIn of [false, true]) {
      const application = createTestApplication();
      for (const [path, sent] of REQUESTS) {
        const headers = { origin: ORIGIN, ...sent!.headers, accept };
        const cookie = signedIn ? { cookie: await application.signIn() } : {};
        const response = await application.send(path, { ...sent, headers, ...cookie });
        const what = `${JSON.stringify(sent)} ${path} ${response.status}`;
        assert.equal(response.headers.get("cache-control"), "no-store", what);
        assert.match(response.headers.get("vary") ?? "", /Cookie/, what);
        for (const [name] of response.headers) {
          assert.equal(name.startsWith("access-control-"), false, what);
        }
      }
      application.close();
    }
  }
});

// Tracks: R151, K1
Deno.test("no failure shows a stack, a path, a statement or a secret to the client", async () => {
  const canary = "canary-of-the-database";
  for (const accept of ["text/html", "application/json"]) {
    for (
      const fail of [`D1_ERROR: near "${canary}": syntax error: SQLITE_ERROR`, `timeout ${canary}`]
    ) {
      const application = createTestApplication();
      const cookie = await application.signIn();
      application.database.fail = fail;
      for (const [path, sent] of REQUESTS) {
        const headers = { origin: ORIGIN, ...sent!.headers, accept };
        const response = await application.send(path, { ...sent, headers, cookie });
        const page = (await response.text()).replace(/<(style|script)>.*<\/\1>/g, "");
        const text = page + JSON.stringify([...response.headers]);
        assert.equal(
          /canary|SELECT|INSERT|sqlite|D1_|file:|\.ts\b|node:|\bat \w+ \(/i.test(text),
          false,
          text,
        );
        assert.equal(text.includes(cookie.split("=")[1]!), false);
      }
      application.close();
    }
  }
});

// Tracks: K7, R083, GHSA-99h5-pjcv-gr6v, CVE-2025-61928
Deno.test("nobody is somebody, or more, for what a body, an address or a header says", async () => {
  const forged = {
    id: "root",
    userId: "root",
    user: "root",
    role: "admin",
    roles: "admin",
    email: "root@app.example",
    emailVerified: "1",
    permissions: "*",
    sub: "root",
    token: "root",
  };
  const headers = {
    ...JSON_HEADERS,
    "x-user-id": "root",
    "x-forwarded-user": "root",
    "x-framework-auth": "root",
    "authorization": "Bearer root",
  };
  const application = createTestApplication();
  await application.signIn("root");
  const query = new URLSearchParams(forged);
  const response = await application.send(`/signin/credentials?${query}`, {
    json: { ...forged, ...RIGHT },
    headers,
  });
  const { user } = await response.json();
  assert.deepEqual([user.id, user.role, user.roles, user.email, user.emailVerified], [
    "ada",
    undefined,
    undefined,
    null,
    null,
  ]);
  const cookie = cookieOf(response);
  for (const method of ["GET", "POST"]) {
    const sent = { method, headers: { ...headers, "content-type": "application/json" }, cookie };
    const session = await (await application.send(`/session?${query}`, sent)).json();
    assert.deepEqual([session.user.id, session.user.role], ["ada", undefined], method);
  }
  // Without the cookie it is nobody, and whose sessions end is not the request's to say.
  assert.equal(await (await application.send(`/session?${query}`, { headers })).json(), null);
  await application.send(`/sessions?${query}`, { method: "DELETE", headers, cookie });
  const stored = application.database.sqlite
    .prepare("SELECT user_id FROM sessions ORDER BY user_id").all();
  assert.deepEqual(stored.map((row) => row["user_id"]), ["ada", "root"]);
  application.close();
});

// Tracks: K6
Deno.test("an email address has one identity, however it is typed", async () => {
  const database = createMemoryStorage();
  const auth = createAuth({
    database,
    providers: [credentials({
      credentials: { email: { label: "Email", type: "email" } },
      authorize: ({ email }) => Promise.resolve({ id: crypto.randomUUID(), email: email! }),
    })],
  });
  async function signIn(email: string): Promise<number> {
    const response = await auth.handle(
      new Request("http://localhost/auth/signin/credentials", {
        method: "POST",
        headers: { ...JSON_HEADERS, "content-type": "application/json" },
        body: JSON.stringify({ email }),
      }),
      {},
    );
    return response!.status;
  }
  assert.equal(await signIn("Ada@Example.COM"), 200);
  for (const email of ["ada@example.com", "ADA@EXAMPLE.com", "ada＠example.com"]) {
    assert.equal(await signIn(email), 409, email);
  }
});
