import assert from "node:assert/strict";
import { ForbiddenError } from "../errors/access_errors.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { OutsideRequestError } from "../errors/state_errors.ts";
import { credentials } from "../providers/credentials.ts";
import { getUser, startSession } from "../request/operations.ts";
import { createMemoryStorage } from "../storage/memory_storage.ts";
import { createTestApplication, ORIGIN, visit } from "../tests/application.ts";
import { createAuth } from "./create_auth.ts";

Deno.test("createAuth() checks at once what does not depend on the environment", () => {
  assert.throws(() => createAuth({}), ConfigurationError);
  assert.throws(
    () => createAuth({ database: createMemoryStorage(), session: { strategy: "jwt" } }),
    /not available in this version/,
  );
  createAuth(() => ({}));
});

Deno.test("createAuth() makes its options once per environment object", async () => {
  let made = 0;
  const auth = createAuth((_env: object) => {
    made++;
    return { database: createMemoryStorage() };
  });
  const first = {};
  const second = {};
  const request = new Request("http://localhost/auth/session");
  for (const env of [first, first, second, first, second]) await auth.handle(request, env);
  assert.equal(made, 2);
  assert.equal(auth.storage(first), auth.storage(first));
  assert.notEqual(auth.storage(first), auth.storage(second));
});

Deno.test("createAuth() gives providers and options the environment", async () => {
  interface Env {
    PIN: string;
  }
  const database = createMemoryStorage();
  const auth = createAuth<Env>(() => ({
    database,
    providers: [credentials((env: Env) => ({
      credentials: { pin: { label: "PIN", type: "password" } },
      authorize: ({ pin }) => Promise.resolve(pin === env.PIN ? { id: "owner" } : null),
    }))],
  }));
  const body = JSON.stringify({ pin: "1234" });
  const headers = { "content-type": "application/json" };
  const url = "http://localhost/auth/signin/credentials";
  const request = () => new Request(url, { method: "POST", headers, body });
  assert.equal((await auth.handle(request(), { PIN: "1234" }))?.status, 303);
  assert.equal((await auth.handle(request(), { PIN: "9999" }))?.status, 401);
});

Deno.test("handle() rejects with a ConfigurationError at the first request when the function's options are wrong", async () => {
  const auth = createAuth(() => ({}));
  await assert.rejects(auth.handle(new Request("http://localhost/"), {}), ConfigurationError);
  const run = auth.run(new Request("http://localhost/"), {}, undefined, () => new Response());
  await assert.rejects(run, ConfigurationError);
});

Deno.test("handle() returns null outside of basePath", async () => {
  const auth = createAuth({ database: createMemoryStorage(), basePath: "/api/auth" });
  assert.equal(await auth.handle(new Request("http://localhost/auth/session"), {}), null);
  assert.equal(
    (await auth.handle(new Request("http://localhost/api/auth/session"), {}))?.status,
    200,
  );
});

Deno.test("run() answers the library's errors and lets all others pass", async () => {
  const application = createTestApplication();
  function failing(error: unknown) {
    return visit(application, () => {
      throw error;
    });
  }
  assert.equal((await failing(new ForbiddenError())).status, 403);
  await assert.rejects(failing(new Error("a defect")), /a defect/);
  await assert.rejects(failing(new ConfigurationError("wrong")), ConfigurationError);
  await assert.rejects(failing(new OutsideRequestError()), OutsideRequestError);
  application.close();
});

// Tracks: R044, CVE-2025-48947, CVE-2025-64762
Deno.test("run() never lets a response with a cookie, or about a user, be stored for others", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const cached = { "cache-control": "public, max-age=600", "vary": "Accept" };

  const withCookie = await visit(application, async () => {
    await startSession("ada");
    return new Response("x", { headers: cached });
  });
  assert.equal(withCookie.headers.get("cache-control"), "no-store");
  assert.equal(withCookie.headers.get("vary"), "Accept, Cookie");

  const aboutUser = await visit(application, () => Response.json(getUser()), { cookie });
  assert.equal(aboutUser.headers.get("cache-control"), "no-store");
  assert.equal(aboutUser.headers.get("vary"), "Cookie");

  const chosen = await visit(application, () => {
    getUser();
    return new Response("x", {
      headers: { "cache-control": "private, max-age=5", "vary": "cookie" },
    });
  }, { cookie });
  assert.equal(chosen.headers.get("cache-control"), "private, max-age=5");
  assert.equal(chosen.headers.get("vary"), "cookie");

  const unrelated = await visit(application, () => new Response("x", { headers: cached }), {
    cookie,
  });
  assert.equal(unrelated.headers.get("cache-control"), "public, max-age=600");
  assert.equal(unrelated.headers.get("vary"), "Accept");
  application.close();
});

Deno.test("run() adds cookies to a response whose headers cannot be changed", async () => {
  const application = createTestApplication();
  await application.signIn();
  const response = await visit(application, async () => {
    await startSession("ada");
    return Response.redirect(`${ORIGIN}/next`, 303);
  });
  assert.equal(response.status, 303);
  assert.equal(response.headers.get("location"), `${ORIGIN}/next`);
  assert.equal(response.headers.getSetCookie().length, 1);
  application.close();
});

Deno.test("run() keeps the body of the response a stream", async () => {
  const application = createTestApplication();
  await application.signIn();
  let pulled = 0;
  const response = await visit(application, async () => {
    await startSession("ada");
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (++pulled > 2) controller.close();
          else controller.enqueue(new TextEncoder().encode("part "));
        },
      }, { highWaterMark: 0 }),
    );
  });
  assert.equal(pulled, 0);
  assert.equal(await response.text(), "part part ");
  application.close();
});

Deno.test("issueSession() makes a session that works like any other", async () => {
  const application = createTestApplication();
  await application.signIn("ada");
  const { cookies, session } = await application.auth.issueSession("ada", {});
  assert.equal(session.user.id, "ada");
  assert.equal(cookies.length, 1);
  assert.match(cookies[0]!, /; HttpOnly; Secure; SameSite=Lax$/);
  const cookie = cookies[0]!.split(";")[0]!;
  assert.equal((await (await application.send("/session", { cookie })).json()).user.id, "ada");
  await assert.rejects(application.auth.issueSession("nobody", {}), /cannot sign in/);
  application.close();
});
