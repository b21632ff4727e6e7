import assert from "node:assert/strict";
import { currentRequest } from "../core/request.ts";
import {
  ConfigurationError,
  ForbiddenError,
  HeadersSentError,
  OutsideRequestError,
  RedirectError,
  SessionExpiredError,
  StorageUnavailableError,
  UnauthenticatedError,
  UserUnavailableError,
} from "../errors.ts";
import { defineRBAC, type RbacConfig } from "../rbac/roles.ts";
import { cookieOf, createTestApplication, inVisit, ORIGIN, visit } from "../tests/application.ts";
import * as operations from "./operations.ts";

function locationOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof RedirectError, String(error));
    return error.location;
  }
  return "no redirect";
}

Deno.test("the operations know the signed-in user at once", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.database.sqlite.exec("UPDATE users SET role = 'admin', roles = '[\"editor\"]'");
  await inVisit(application, () => {
    assert.equal(operations.getUser()?.id, "ada");
    assert.equal(operations.getSession()?.user.id, "ada");
    assert.ok(operations.getSession()!.expires > new Date(application.clock.now));
    assert.equal(operations.isAuthenticated(), true);
    assert.equal(operations.requireAuth().id, "ada");
    assert.equal(operations.requireAuth({ throwError: true }).id, "ada");
    assert.equal(operations.hasRole("admin"), true);
    assert.equal(operations.hasRole(["nobody", "editor"]), true);
    assert.equal(operations.hasRole("Admin"), false);
    assert.equal(operations.hasRole([]), false);
    operations.requireRole(["editor", "author"]);
    assert.throws(
      () => operations.requireRole(["root", "author"]),
      (error) => error instanceof ForbiddenError && error.requiredRole === "root, author",
    );
    return new Response();
  }, { cookie });
  application.close();
});

Deno.test("the operations know that nobody is signed in", async () => {
  const application = createTestApplication();
  await inVisit(application, () => {
    assert.equal(operations.getUser(), null);
    assert.equal(operations.getSession(), null);
    assert.equal(operations.isAuthenticated(), false);
    assert.equal(operations.hasRole("admin"), false);
    assert.throws(() => operations.requireRole("admin"), UnauthenticatedError);
    assert.throws(() => operations.requireAuth({ throwError: true }), UnauthenticatedError);
    return new Response();
  });
  application.close();
});

// Tracks: R041
Deno.test("requireAuth() throws SessionExpiredError when an expired session meets throwError", async () => {
  const application = createTestApplication({ session: { strategy: "database", maxAge: 60 } });
  const cookie = await application.signIn();
  application.clock.now += 60_000;
  await inVisit(application, () => {
    assert.throws(() => operations.requireAuth({ throwError: true }), SessionExpiredError);
    assert.throws(() => operations.requireRole("admin"), UnauthenticatedError);
    assert.match(locationOf(() => operations.requireAuth()), /\/auth\/signin\?callbackUrl=/);
    return new Response();
  }, { cookie });
  application.close();
});

// Tracks: R077
Deno.test("requireAuth() redirects to the sign-in page and back, or to redirectTo", async () => {
  const application = createTestApplication({
    pages: { signIn: "/login" },
    trustedOrigins: ["https://id.example"],
  });
  const response = await visit(application, () => new Response(operations.requireAuth().id), {
    path: "/account?tab=2",
  });
  assert.equal(response.status, 303);
  assert.equal(
    response.headers.get("location"),
    `${ORIGIN}/login?callbackUrl=%2Faccount%3Ftab%3D2`,
  );
  assert.equal(response.headers.get("cache-control"), "no-store");
  await inVisit(application, () => {
    assert.equal(locationOf(() => operations.requireAuth()), `${ORIGIN}/login`);
    assert.equal(locationOf(() => operations.requireAuth({ redirectTo: "/x" })), `${ORIGIN}/x`);
    assert.equal(
      locationOf(() => operations.requireAuth({ redirectTo: "https://id.example/x" })),
      "https://id.example/x",
    );
    assert.throws(
      () => operations.requireAuth({ redirectTo: "https://evil.example" }),
      ConfigurationError,
    );
    return new Response();
  }, { method: "POST" });
  application.close();
});

Deno.test("requireAuth() does not lead back to another host through a path with two slashes", async () => {
  const application = createTestApplication();
  const response = await visit(application, () => new Response(operations.requireAuth().id), {
    path: "//evil.example/x",
  });
  const page = new URL(response.headers.get("location")!);
  const form = await (await application.send(`/signin${page.search}`)).text();
  assert.equal(form.includes("callbackUrl"), false);
  application.close();
});

Deno.test("startSession() and endSession() change what the request and the browser know", async () => {
  const application = createTestApplication();
  await application.signIn("ada");
  const started = await inVisit(application, async () => {
    const session = await operations.startSession("ada");
    assert.equal(session.user.id, "ada");
    assert.equal(operations.getUser()?.id, "ada");
    return new Response();
  });
  const cookie = cookieOf(started);
  assert.equal(started.headers.get("cache-control"), "no-store");
  const ended = await inVisit(application, async () => {
    assert.equal(operations.getUser()?.id, "ada");
    await operations.endSession();
    assert.equal(operations.getUser(), null);
    return new Response();
  }, { cookie });
  assert.match(ended.headers.getSetCookie()[0]!, /Max-Age=0/);
  assert.equal(await (await application.send("/session", { cookie })).json(), null);
  application.close();
});

Deno.test("startSession() throws when there is no such user, and sets no cookie", async () => {
  const application = createTestApplication();
  const response = await inVisit(application, async () => {
    await assert.rejects(operations.startSession("nobody"), UserUnavailableError);
    return new Response();
  });
  assert.deepEqual(response.headers.getSetCookie(), []);
  application.close();
});

Deno.test("startSession() and then endSession() in one request leave nothing behind", async () => {
  const application = createTestApplication();
  await application.signIn("ada");
  const response = await visit(application, async () => {
    await operations.startSession("ada");
    await operations.endSession();
    return new Response();
  });
  assert.equal(response.headers.getSetCookie().length, 1);
  assert.match(response.headers.getSetCookie()[0]!, /Max-Age=0/);
  const { sqlite } = application.database;
  assert.equal(sqlite.prepare("SELECT count(*) AS n FROM sessions").get()!.n, 1);
  application.close();
});

Deno.test("startSession() twice in one request leaves the second session alone", async () => {
  const application = createTestApplication();
  const cookies = [await application.signIn("ada"), await application.signIn("eve")];
  application.database.sqlite.exec("DELETE FROM sessions");
  const response = await visit(application, async () => {
    await operations.startSession("ada");
    await operations.startSession("eve");
    return new Response();
  });
  const rows = application.database.sqlite.prepare("SELECT user_id FROM sessions").all();
  assert.deepEqual(rows.map(({ user_id: id }) => id), ["eve"]);
  assert.equal(response.headers.getSetCookie().length, 1);
  assert.ok(!cookies.includes(cookieOf(response)));
  application.close();
});

Deno.test("startSession() throws HeadersSentError once the response has gone, and stores nothing", async () => {
  const application = createTestApplication();
  await application.signIn("ada");
  const { sqlite } = application.database;
  const before = sqlite.prepare("SELECT count(*) AS n FROM sessions").get()!.n;
  const gone = Promise.withResolvers<void>();
  let late: Promise<unknown> | undefined;
  await inVisit(application, () => {
    late = gone.promise.then(() => operations.startSession("ada"));
    return new Response();
  });
  gone.resolve();
  await assert.rejects(late!, HeadersSentError);
  assert.equal(sqlite.prepare("SELECT count(*) AS n FROM sessions").get()!.n, before);
  application.close();
});

Deno.test("startSession() leaves no session whose cookie comes too late, of headers that go while it is made", async () => {
  const application = createTestApplication();
  await application.signIn("ada");
  const { sqlite } = application.database;
  const before = sqlite.prepare("SELECT count(*) AS n FROM sessions").get()!.n;
  let late: Promise<unknown> | undefined;
  const response = await visit(application, () => {
    late = operations.startSession("ada"); // not waited for
    late.catch(() => {});
    return new Response();
  });
  await assert.rejects(late!, { code: "HEADERS_SENT", message: /before you return the response/ });
  assert.deepEqual(response.headers.getSetCookie(), []);
  assert.equal(sqlite.prepare("SELECT count(*) AS n FROM sessions").get()!.n, before);
  application.close();
});

Deno.test("a session is read anew as the one that this request has begun, not as the one that it came with", async () => {
  const application = createTestApplication();
  await application.signIn("eve");
  const cookie = await application.signIn("ada");
  const response = await visit(application, async () => {
    await operations.startSession("eve");
    await currentRequest("test").auth.update();
    return Response.json(operations.getUser()?.id ?? null);
  }, { cookie });
  assert.equal(await response.json(), "eve");
  application.close();
});

Deno.test("a session that is read anew when the headers have gone is not renewed: its browser would not be told", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn("ada");
  application.clock.now += 2 * 86_400_000;
  const rows = () =>
    JSON.stringify(application.database.sqlite.prepare("SELECT * FROM sessions").all());
  const gone = Promise.withResolvers<void>();
  let late: Promise<unknown> | undefined;
  const before = rows();
  await inVisit(application, () => {
    const { auth } = currentRequest("test");
    late = gone.promise.then(() => auth.update());
    return new Response();
  }, { cookie, info: { session: false } });
  gone.resolve();
  await assert.rejects(late!, HeadersSentError);
  assert.equal(rows(), before);
  application.close();
});

Deno.test("the operations throw OutsideRequestError, which names them, when there is no request", async () => {
  assert.throws(
    () => operations.getUser(),
    (error) => error instanceof OutsideRequestError && error.message.includes("getUser()"),
  );
  assert.throws(() => operations.hasRole("x"), OutsideRequestError);
  assert.throws(() => operations.hasPermission("a:b"), OutsideRequestError);
  assert.throws(() => operations.requirePermission("a:b"), OutsideRequestError);
  assert.throws(() => operations.requireAuth(), OutsideRequestError);
  await assert.rejects(operations.startSession("ada"), OutsideRequestError);
  await assert.rejects(operations.endSession(), OutsideRequestError);
});

// Tracks: R043
Deno.test("a failed session read is thrown to whoever asks; pages that ask nothing still render", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.database.fail = "D1_ERROR: Network connection lost";
  const open = await visit(application, () => new Response("public"), { cookie });
  assert.deepEqual([open.status, await open.text()], [200, "public"]);
  assert.deepEqual(open.headers.getSetCookie(), [], "the cookie may still be good");
  const asking = await visit(application, () => Response.json(operations.getUser()), { cookie });
  assert.equal(asking.status, 503);
  await inVisit(application, async ({ auth }) => {
    assert.throws(() => operations.isAuthenticated(), StorageUnavailableError);
    assert.throws(() => operations.hasRole("x"), StorageUnavailableError);
    assert.throws(() => operations.requireAuth(), StorageUnavailableError);
    await assert.rejects(auth.getUser(), StorageUnavailableError);
    return new Response();
  }, { cookie });
  application.close();
});

Deno.test("a failed renewal refuses nobody", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.clock.now += 2 * 86_400_000;
  const storage = application.auth.storage({});
  const renewSession = storage.renewSession;
  storage.renewSession = () => Promise.reject(new StorageUnavailableError());
  const response = await visit(application, () => Response.json(operations.getUser()?.id), {
    cookie,
  });
  assert.equal(await response.json(), "ada");
  assert.deepEqual(response.headers.getSetCookie(), []);
  assert.ok(application.log.some(({ event }) => event === "session-renewal-failed"));
  storage.renewSession = renewSession;
  application.close();
});

const RBAC: RbacConfig = {
  roles: [
    { id: "author", name: "Author", permissions: ["posts:create", "posts:update:own"] },
    { id: "editor", name: "Editor", permissions: ["posts:*"] },
  ],
  hierarchy: { editor: ["author"] },
};

// Tracks: R133, R131
Deno.test("hasPermission() and requirePermission() answer for the user's roles", async () => {
  const application = createTestApplication({ rbac: defineRBAC(RBAC) });
  const cookie = await application.signIn();
  application.database.sqlite.exec("UPDATE users SET role = 'author'");
  await inVisit(application, async ({ auth }) => {
    const rows: [Parameters<typeof operations.hasPermission>, boolean][] = [
      [["posts:create"], true],
      [["posts:update"], false],
      [["posts:update:own"], true],
      [["posts:update:own", { ownerId: "ada" }], true],
      [["posts:update:own", { ownerId: "bob" }], false],
      [["posts:update:own", { ownerId: undefined }], false],
      [["*"], false],
    ];
    for (const [question, expected] of rows) {
      assert.equal(operations.hasPermission(...question), expected, JSON.stringify(question));
      assert.equal(await auth.hasPermission(...question), expected);
      if (expected) {
        operations.requirePermission(...question);
        await auth.requirePermission(...question);
        continue;
      }
      const refused = (error: unknown) => {
        assert.ok(error instanceof ForbiddenError);
        const { code, status, requiredPermission, requiredRole } = error;
        assert.deepEqual(
          [code, status, requiredPermission, requiredRole],
          ["FORBIDDEN", 403, question[0], undefined],
        );
        return true;
      };
      assert.throws(() => operations.requirePermission(...question), refused);
      await assert.rejects(auth.requirePermission(...question), refused);
    }
    return new Response();
  }, { cookie });
  application.close();
});

// Tracks: R128
Deno.test("hasPermission() is false for everybody without roles that are configured", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  application.database.sqlite.exec("UPDATE users SET role = '*', roles = '[\"admin\"]'");
  await inVisit(application, () => {
    for (const permission of ["*", "a:b", "admin:*"]) {
      assert.equal(operations.hasPermission(permission), false);
      assert.throws(() => operations.requirePermission(permission), ForbiddenError);
    }
    return new Response();
  }, { cookie });
  application.close();
});

// Tracks: R133
Deno.test("requireRole() and requirePermission() ask for the sign-in first, and tell the client no role", async () => {
  const application = createTestApplication({
    rbac: defineRBAC({ ...RBAC, defaultRole: "editor" }),
  });
  const headers = { accept: "application/json" };
  const requirements: [() => void, string][] = [
    [() => operations.requireRole("secret-role"), "secret-role"],
    [() => operations.requirePermission("secret:permission"), "secret:permission"],
  ];
  const cookie = await application.signIn();
  for (const [demand, secret] of requirements) {
    const visitors: [Record<string, string>, number, string][] = [
      [headers, 401, "UNAUTHENTICATED"],
      [{ ...headers, cookie }, 403, "FORBIDDEN"],
    ];
    for (const [sent, status, code] of visitors) {
      const request = new Request(`${ORIGIN}/page`, { headers: sent });
      const response = await application.auth.run(request, {}, undefined, () => {
        demand();
        return new Response("inside");
      });
      const body = await response.text();
      assert.equal(response.status, status);
      assert.equal(JSON.parse(body).code, code);
      assert.equal(body.includes(secret), false);
    }
  }
  // The role of users who have none is for those who are signed in.
  await inVisit(application, () => {
    assert.equal(operations.hasPermission("posts:create"), false);
    assert.throws(() => operations.requirePermission("posts:create"), UnauthenticatedError);
    return new Response();
  });
  await inVisit(application, () => {
    assert.equal(operations.hasPermission("posts:delete"), true);
    assert.equal(operations.hasRole("editor"), false, "hasRole() is literal");
    return new Response();
  }, { cookie });
  application.close();
});
