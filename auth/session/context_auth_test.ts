import assert from "node:assert/strict";
import {
  ConfigurationError,
  ForbiddenError,
  RedirectError,
  UnauthenticatedError,
} from "../errors.ts";
import { createTestApplication, visit } from "../tests/application.ts";
import { getUser } from "./operations.ts";

Deno.test("context.auth answers as the operations do, as promises", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  await visit(application, async ({ auth }) => {
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
  await visit(application, async ({ auth }) => {
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
  await visit(application, async ({ auth }) => {
    assert.throws(() => getUser(), ConfigurationError);
    assert.equal((await auth.getUser())?.id, "ada");
    assert.equal((await auth.getUser())?.id, "ada");
    assert.equal(getUser()?.id, "ada");
    return new Response();
  }, { cookie, info });
  assert.equal(application.database.trips, before + 1);
  application.close();
});
