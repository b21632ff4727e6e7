import assert from "node:assert/strict";
import { createKeyApplication } from "../tests/api_key_application.ts";
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from "./api_keys.ts";

Deno.test("the client makes, lists, rotates and revokes keys at the real endpoints", async () => {
  const app = createKeyApplication();
  const { tenants, members } = app;
  await tenants.create({ id: "t1", slug: "t1", name: "t1" });
  const cookie = await app.signIn();
  await members.add({ tenantId: "t1", userId: "ada", roles: ["keeper"], createdAt: new Date(0) });
  const options = {
    fetch: ((input, init) =>
      app.send(String(input).replace("/auth", ""), {
        cookie,
        headers: { accept: "application/json" },
        ...init?.body != null && { json: JSON.parse(String(init.body)) },
      })) as typeof fetch,
  };
  const expires = new Date(app.clock.now + 60_000);
  const limit = { limit: 9, window: 60 };
  const made = await createApiKey(
    { name: "Export", permissions: ["posts:read", "posts:update"], expires, limit },
    options,
  );
  assert.ok(made.ok);
  assert.equal((await app.ask(made.key)).status, 200);
  const { ok: _ok, key: _key, ...listed } = made;
  assert.deepEqual(listed.expires, expires);
  assert.deepEqual([listed.limit, listed.permissions], [limit, ["posts:read", "posts:update"]]);
  const team = await createApiKey(
    { name: "Team", permissions: ["posts:read"], tenantId: "t1" },
    options,
  );
  assert.ok(team.ok);
  const own = await listApiKeys({}, options);
  assert.ok(own.ok);
  assert.deepEqual(own.keys.map(({ id }) => id), [listed.id]);
  assert.deepEqual(own.keys[0]!.createdAt, new Date(app.clock.now));
  const theirs = await listApiKeys({ tenantId: "t1" }, options);
  assert.ok(theirs.ok);
  assert.deepEqual(theirs.keys.map(({ tenantId }) => tenantId), ["t1"]);
  const rotated = await rotateApiKey({ id: listed.id, grace: 0 }, options);
  assert.ok(rotated.ok);
  assert.equal((await app.ask(made.key)).status, 401);
  assert.equal((await app.ask(rotated.key)).status, 200);
  const none = await rotateApiKey({ id: "no such" }, options);
  assert.equal(!none.ok && none.error.code, "NOT_FOUND");
  assert.deepEqual(await revokeApiKey({ id: listed.id }, options), { ok: true, revoked: true });
  assert.deepEqual(await revokeApiKey({ id: team.id, tenantId: "t1" }, options), {
    ok: true,
    revoked: true,
  });
  assert.deepEqual(await revokeApiKey({ id: listed.id }, options), { ok: true, revoked: false });
  const refused = await listApiKeys({ tenantId: "t2" }, options);
  assert.equal(!refused.ok && refused.error.code, "FORBIDDEN");
  app.close();
});
