import assert from "node:assert/strict";
import { createTestApplication, ORIGIN, type TestApplication } from "../tests/application.ts";
import { openPage } from "../tests/page_double.ts";
import { createAuthStore } from "./store.ts";
import { AuthClientError, type AuthClientOptions } from "./request.ts";
import { getSession } from "./session.ts";
import { signIn, signOut } from "./sign_in.ts";

/** Sends a page's requests to an application, with the cookies that a browser would store. */
function connect({ auth }: TestApplication): AuthClientOptions {
  const cookies = new Map<string, string>();
  return {
    async fetch(input, init) {
      const request = new Request(new URL(String(input), ORIGIN), init);
      request.headers.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
      if (request.method !== "GET") request.headers.set("origin", ORIGIN);
      const response = await auth.handle(request, {}, { clientAddress: "192.0.2.1" });
      for (const line of response!.headers.getSetCookie()) {
        const [name, value] = line.split(";")[0]!.split("=") as [string, string];
        if (value === "") cookies.delete(name);
        else cookies.set(name, value);
      }
      return response!;
    },
  };
}

Deno.test("signIn() with credentials goes where it was asked to, and all stores know", async () => {
  await using page = openPage();
  const application = createTestApplication({ now: () => page.now });
  const options = connect(application);
  const store = createAuthStore(options);
  const end = store.subscribe(() => {});
  const values = { name: "ada", password: "right", redirectTo: "/dashboard" };
  const result = await signIn("credentials", values, options);
  assert.ok(result.ok);
  assert.equal(result.redirectTo, `${ORIGIN}/dashboard`);
  assert.equal(result.session?.user.name, "ada");
  assert.ok(result.session.expires instanceof Date);
  assert.deepEqual(page.visited, [`${ORIGIN}/dashboard`]);
  await page.settle();
  assert.equal(store.getState().status, "authenticated");
  end();
  application.close();
});

Deno.test("signIn() with redirect: false stays", async () => {
  await using page = openPage();
  const application = createTestApplication({ now: () => page.now });
  const values = { name: "ada", password: "right", redirect: false };
  const result = await signIn("credentials", values, connect(application));
  assert.equal(result.ok && result.redirectTo, `${ORIGIN}/`);
  assert.deepEqual(page.visited, []);
  application.close();
});

Deno.test("signIn() says what was refused and throws nothing", async () => {
  await using page = openPage();
  const application = createTestApplication({ now: () => page.now });
  const options = connect(application);
  const wrong = await signIn("credentials", { name: "ada", password: "wrong" }, options);
  assert.ok(!wrong.ok);
  assert.equal(wrong.error.code, "INVALID_CREDENTIALS");
  assert.equal(wrong.error.status, 401);
  assert.match(wrong.error.message, /\w/);
  const codes: unknown[] = [];
  for (let time = 0; time < 6; time++) {
    const result = await signIn("credentials", { name: "ada", password: "wrong" }, options);
    codes.push(!result.ok && result.error.code);
    if (!result.ok && result.error.code === "RATE_LIMITED") {
      assert.ok(result.error.retryAfter! > 0);
    }
  }
  assert.ok(codes.includes("RATE_LIMITED"));
  const unknown = await signIn("nothing", {}, options);
  assert.equal(!unknown.ok && unknown.error.code, "NOT_FOUND");
  assert.deepEqual(page.visited, []);
  application.close();
});

Deno.test('signIn("passkey") is a result too where there are no passkeys', async () => {
  await using page = openPage();
  const result = await signIn("passkey", { redirectTo: "/inside" }, page.options);
  assert.deepEqual(!result.ok && [result.error.code, result.error.status], [
    "PASSKEY_UNSUPPORTED",
    0,
  ]);
  assert.deepEqual([page.requests, page.visited], [[], []]);
});

Deno.test("signIn() says when there is no network, or something else answers", async () => {
  await using page = openPage();
  page.answer = "offline";
  const offline = await signIn("credentials", {}, page.options);
  assert.deepEqual(!offline.ok && [offline.error.code, offline.error.status], ["NETWORK_ERROR", 0]);
  page.answer = "html";
  const other = await signIn("credentials", {}, page.options);
  assert.equal(!other.ok && other.error.code, "UNEXPECTED_RESPONSE");
});

Deno.test("signIn() of a provider goes to the provider and signs nobody in yet", async () => {
  await using page = openPage();
  const redirectTo = "https://github.com/login/oauth/authorize?state=x";
  const sent: unknown[] = [];
  const options: AuthClientOptions = {
    basePath: "/api/auth",
    fetch(input, init) {
      sent.push([String(input), JSON.parse(String(init?.body))]);
      return Promise.resolve(Response.json({ redirectTo }));
    },
  };
  const values = { callbackUrl: "/dashboard", intent: "link" };
  const result = await signIn("github", values, options);
  assert.deepEqual(result, { ok: true, redirectTo, session: null });
  assert.deepEqual(page.visited, [redirectTo]);
  assert.deepEqual(sent, [["/api/auth/signin/github", values]]);
});

Deno.test("signOut() gives the session that ended, or null, and all stores know", async () => {
  await using page = openPage();
  const application = createTestApplication({ now: () => page.now });
  const options = connect(application);
  assert.equal(await signOut({ redirect: false }, options), null);
  await signIn("credentials", { name: "ada", password: "right", redirect: false }, options);
  const store = createAuthStore(options);
  const end = store.subscribe(() => {});
  await page.settle();
  assert.equal(store.getState().user?.name, "ada");
  assert.equal((await getSession(options))?.user.id, "ada");
  const session = await signOut({ redirectTo: "/bye", redirect: false }, options);
  assert.equal(session?.user.id, "ada");
  assert.ok(session.expires instanceof Date);
  assert.deepEqual(page.visited, []);
  await page.settle();
  assert.equal(store.getState().status, "unauthenticated");
  assert.equal(await getSession(options), null);
  await signOut({ redirectTo: "/bye" }, options);
  await signOut({ redirectTo: "https://evil.example/" }, options);
  assert.deepEqual(page.visited, [`${ORIGIN}/bye`, `${ORIGIN}/`]);
  end();
  application.close();
});

Deno.test("signOut() and getSession() do not say that nobody is signed in when nobody knows", async () => {
  await using page = openPage();
  const store = createAuthStore({ ...page.options, session: null });
  page.answer = 503;
  for (const ask of [() => signOut({}, page.options), () => getSession(page.options)]) {
    await assert.rejects(ask, (error: AuthClientError) => {
      assert.ok(error instanceof AuthClientError);
      assert.deepEqual([error.failure.code, error.failure.status], ["ANY", 503]);
      const { name, code, status, retryAfter, message } = error;
      assert.deepEqual([name, code, status, retryAfter], [
        "AuthClientError",
        "ANY",
        503,
        undefined,
      ]);
      assert.equal(message, error.failure.message);
      return true;
    });
  }
  assert.deepEqual(page.visited, []);
  assert.equal(store.getState().status, "unauthenticated");
});

Deno.test("an AuthClientError has the seconds to wait, and calls of another origin carry cookies", async () => {
  let asked: unknown[] = [];
  const options: AuthClientOptions = {
    basePath: "https://api.example/auth",
    fetch(input, init) {
      asked = [String(input), init?.credentials];
      return Promise.resolve(
        Response.json({ code: "RATE_LIMITED", message: "Wait." }, {
          status: 429,
          headers: { "retry-after": "60" },
        }),
      );
    },
  };
  await assert.rejects(getSession(options), { code: "RATE_LIMITED", status: 429, retryAfter: 60 });
  assert.deepEqual(asked, ["https://api.example/auth/session", "include"]);
});
