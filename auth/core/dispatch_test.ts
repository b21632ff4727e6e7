import assert from "node:assert/strict";
import { PAGE_SCRIPT } from "../pages/style_text.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createTestApplication, ORIGIN } from "../tests/application.ts";
import { createAuth } from "../app/create_auth.ts";

// Tracks: R044, R080, R062
Deno.test("every endpoint answers no-store and with the security headers", async () => {
  const application = createTestApplication();
  const responses: [string, Response][] = [];
  for (const path of ["/signin", "/signout", "/session", "/providers", "/error", "/nothing"]) {
    responses.push([path, await application.send(path)]);
  }
  responses.push(["post signout", await application.send("/signout", { method: "POST" })]);
  responses.push(["405", await application.send("/session", { method: "POST" })]);
  for (const [name, response] of responses) {
    assert.equal(response.headers.get("cache-control"), "no-store", name);
    assert.match(response.headers.get("vary") ?? "", /Cookie/, name);
    if (response.status === 303) continue;
    assert.equal(response.headers.get("x-content-type-options"), "nosniff", name);
    assert.equal(response.headers.get("referrer-policy"), "same-origin", name);
    assert.equal(response.headers.get("access-control-allow-origin"), null, name);
    if (!response.headers.get("content-type")?.startsWith("text/html")) continue;
    const policy = response.headers.get("content-security-policy")!;
    assert.match(
      policy,
      /^default-src 'none'; (?:script-src 'sha256-[\w+/]{43}='; )?style-src 'sha256-[\w+/]{43}='; form-action 'self'/,
      name,
    );
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(response.headers.get("cross-origin-opener-policy"), "same-origin");
    const text = (await response.text()).replace(`<script>${PAGE_SCRIPT.text}</script>`, "");
    assert.equal(/<script|\sstyle="|\son\w+="/.test(text), false, name);
  }
  application.close();
});

// Tracks: R082
Deno.test("every endpoint answers 405 with Allow to the methods that it does not have", async () => {
  const application = createTestApplication();
  const allowed: Record<string, string> = {
    "/signin": "GET, HEAD",
    "/signin/credentials": "POST",
    "/signout": "GET, HEAD, POST",
    "/session": "GET, HEAD, POST",
    "/sessions": "GET, HEAD, DELETE",
    "/sessions/x": "DELETE",
    "/providers": "GET, HEAD",
    "/error": "GET, HEAD",
  };
  for (const [path, allow] of Object.entries(allowed)) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const response = await application.send(path, { method });
      if (allow.split(", ").includes(method)) {
        assert.notEqual(response.status, 405, `${method} ${path}`);
        continue;
      }
      assert.equal(response.status, 405, `${method} ${path}`);
      assert.equal(response.headers.get("allow"), allow);
    }
  }
  application.close();
});

// Tracks: R082
Deno.test("HEAD answers as GET does, without a body and without renewing the session", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.clock.now += 2 * 86_400_000;
  const head = await application.send("/session", { method: "HEAD", cookie });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  assert.match(head.headers.get("content-type")!, /application\/json/);
  assert.deepEqual(head.headers.getSetCookie(), []);
  const missing = await application.send("/nothing", { method: "HEAD" });
  assert.deepEqual([missing.status, await missing.text()], [404, ""]);
  const get = await application.send("/session", { cookie });
  assert.equal(get.headers.getSetCookie().length, 1);
  application.close();
});

// Tracks: R081, GHSA-x732-6j76-qmhm
Deno.test("other spellings of an endpoint's path are the same decision, 404, or not the library's", async () => {
  const application = createTestApplication();
  const notFound = [
    "/auth",
    "/auth/",
    "/auth//signin",
    "/auth/signin/",
    "/auth/SIGNIN",
    "/auth/sign%69n",
    "/auth/signin;x",
    "/auth/signin%2f",
    "/auth/signin/credentials/",
    "/auth/signin//credentials",
    "/auth/signin/Credentials",
    "/auth/signin/credentials%00",
    "/auth/signin/__proto__",
    "/auth/signin%2fcredentials",
    "/auth/..%2fauth/signin",
    "/auth/constructor",
  ];
  for (const path of notFound) {
    const response = await application.auth.handle(new Request(ORIGIN + path), {});
    assert.equal(response?.status, 404, path);
  }
  for (
    const path of [
      "/",
      "/AUTH/signin",
      "//auth/signin",
      "/authx",
      "/auth-x/signin",
      "/x/auth/signin",
      "/%61uth/signin",
    ]
  ) {
    assert.equal(await application.auth.handle(new Request(ORIGIN + path), {}), null, path);
  }
  for (
    const path of ["/auth/./signin", "/x/../auth/signin", "/auth/x/%2e%2e/signin", "/auth\\signin"]
  ) {
    assert.equal(
      (await application.auth.handle(new Request(ORIGIN + path), {}))?.status,
      200,
      path,
    );
  }
  application.close();
});

// Tracks: R083, CVE-2025-29927
Deno.test("no request header makes anybody signed in", async () => {
  const application = createTestApplication();
  await application.signIn();
  const headers = {
    "authorization": "Bearer ada",
    "x-framework-user": "ada",
    "x-middleware-subrequest": "auth",
    "x-user-id": "ada",
    "x-forwarded-host": "localhost",
  };
  assert.equal(await (await application.send("/session", { headers })).json(), null);
  application.close();
});

Deno.test("an unknown host is refused with 421 when allowedHosts is configured", async () => {
  const auth = createAuth({ database: createMemoryStorage(), allowedHosts: ["app.example"] });
  assert.equal(
    (await auth.handle(new Request("https://app.example/auth/session"), {}))?.status,
    200,
  );
  assert.equal(
    (await auth.handle(new Request("https://evil.example/auth/session"), {}))?.status,
    421,
  );
});
