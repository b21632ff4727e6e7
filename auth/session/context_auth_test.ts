import assert from "node:assert/strict";
import {
  ConfigurationError,
  ForbiddenError,
  RedirectError,
  UnauthenticatedError,
} from "../errors.ts";
import { createTestApplication, inVisit, visit } from "../tests/application.ts";
import { getUser, startSession } from "./operations.ts";

Deno.test("context.auth answers as the operations do, as promises", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  await inVisit(application, async ({ auth }) => {
    assert.equal((await auth.getUser())?.id, "ada");
    assert.equal((await auth.getSession())?.user.id, "ada");
    assert.equal(await auth.isAuthenticated(), true);
    assert.equal((await auth.requireAuth()).id, "ada");
    assert.equal(await auth.hasRole("admin"), false);
    await assert.rejects(auth.requireRole("admin"), ForbiddenError);
    await auth.endSession();
    assert.equal(await auth.getUser(), null);
    await auth.startSession("ada");
    assert.equal((await auth.getUser())?.id, "ada");
    return new Response();
  }, { cookie });
  await inVisit(application, async ({ auth }) => {
    assert.equal(await auth.getUser(), null);
    assert.equal(await auth.getSession(), null);
    assert.equal(await auth.isAuthenticated(), false);
    await assert.rejects(auth.requireAuth(), RedirectError);
    await assert.rejects(auth.requireAuth({ throwError: true }), UnauthenticatedError);
    await assert.rejects(auth.requireRole("admin"), UnauthenticatedError);
    return new Response();
  });
  application.close();
});

Deno.test("with session: false nothing is read until context.auth asks", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const before = application.database.trips;
  const info = { session: false };
  const made = () => new Response("static", { headers: { etag: '"1"' } });
  const response = await visit(application, made, { cookie, info });
  assert.equal(application.database.trips, before);
  assert.equal(response.headers.get("cache-control"), null);
  await inVisit(application, async ({ auth }) => {
    assert.throws(() => getUser(), ConfigurationError);
    assert.equal((await auth.getUser())?.id, "ada");
    assert.equal((await auth.getUser())?.id, "ada");
    assert.equal(getUser()?.id, "ada");
    return new Response();
  }, { cookie, info });
  assert.equal(application.database.trips, before + 1);
  await visit(application, () => {
    assert.throws(getUser, {
      message: /^Cannot answer getUser\(\) at once: the page is everybody's\. Write await/,
    });
    return new Response();
  }, { cookie, info: { session: "the page is everybody's" } });
  assert.equal(application.database.trips, before + 1);
  application.close();
});

// Without it an answer that is late would take the new session away again, or bring the old one back.
Deno.test("a session that begins while the one before is read is the one that stands", async () => {
  const application = createTestApplication();
  await application.signIn("eve");
  const cookie = await application.signIn("ada");
  const storage = application.auth.storage({});
  const { readSession } = storage;
  for (const isGone of [false, true]) {
    const gate = Promise.withResolvers<void>();
    storage.readSession = async (...values) => {
      await gate.promise;
      return isGone ? null : await readSession(...values);
    };
    const response = await visit(application, async ({ auth }) => {
      const reading = auth.getUser();
      await startSession("eve");
      gate.resolve();
      await reading;
      return Response.json(getUser()?.id ?? null);
    }, { cookie, info: { session: false } });
    assert.equal(await response.json(), "eve");
    const [line, ...more] = response.headers.getSetCookie();
    assert.doesNotMatch(line!, /Max-Age=0/);
    assert.deepEqual(more, []);
  }
  storage.readSession = readSession;
  application.close();
});
