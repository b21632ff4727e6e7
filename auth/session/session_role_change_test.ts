import assert from "node:assert/strict";
import { defineRBAC, hasPermission, hasRole, setUserRoles } from "../mod.ts";
import { cookieOf, createTestApplication, inVisit, visit } from "../tests/application.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";

const rbac = defineRBAC({
  roles: [
    { id: "editor", name: "Editor", permissions: ["posts:*"] },
    { id: "reader", name: "Reader", permissions: ["posts:read"] },
  ],
});
const DAY = 24 * 60 * 60 * 1000;

type Application = ReturnType<typeof createTestApplication>;

async function seen(application: Application, cookie: string): Promise<[boolean, string]> {
  const response = await visit(application, () => {
    return new Response(String(hasRole("editor") && hasPermission("posts:write")));
  }, { cookie });
  return [await response.text() === "true", cookieOf(response)];
}

async function change(application: Application, roles: string[]): Promise<void> {
  await inVisit(application, async () => {
    await setUserRoles("ada", { roles });
    return new Response();
  });
}

// Tracks: R134
Deno.test("a change of roles counts with the next request, with sessions in a database", async () => {
  const application = createTestApplication({ rbac });
  const cookie = await application.signIn("ada");
  assert.equal((await seen(application, cookie))[0], false);
  await change(application, ["editor"]);
  assert.equal((await seen(application, cookie))[0], true);
  await change(application, ["reader"]);
  assert.equal((await seen(application, cookie))[0], false);
  application.close();
});

// Tracks: R134
Deno.test("a change of roles counts with the next token, with sessions in tokens: after updateAge, or POST /session", async () => {
  const application = createTestApplication({
    rbac,
    session: { strategy: jwtSessions },
    secret: "s".repeat(32),
  });
  const cookie = await application.signIn("ada");
  await change(application, ["editor"]);
  application.clock.now += DAY - 1;
  assert.deepEqual(await seen(application, cookie), [false, ""], "stale until then");
  application.clock.now += 1;
  const [renewed, next] = await seen(application, cookie);
  assert.equal(renewed, true);
  await change(application, []);
  assert.equal((await seen(application, next))[0], true);
  const updated = await application.send("/session", { method: "POST", cookie: next, json: {} });
  assert.equal((await seen(application, cookieOf(updated)))[0], false);
  application.close();
});

for (const strategy of ["database", jwtSessions] as const) {
  const name = strategy === "database" ? "in a database" : "in tokens";
  // Tracks: AU-14
  Deno.test(`a change of the own roles counts at once, with sessions ${name}`, async () => {
    const application = createTestApplication({
      rbac,
      session: { strategy },
      secret: "s".repeat(32),
    });
    const cookie = await application.signIn("ada");
    const response = await visit(application, async () => {
      await setUserRoles("ada", { roles: ["editor"] });
      return new Response(String(hasRole("editor")));
    }, { cookie });
    assert.equal(await response.text(), "true");
    const next = strategy === "database" ? cookie : cookieOf(response);
    assert.equal((await seen(application, next))[0], true);
    // Somebody else's roles renew nothing.
    const other = await visit(application, async () => {
      await setUserRoles("grace", { roles: ["editor"] });
      return new Response();
    }, { cookie: next });
    assert.deepEqual(other.headers.getSetCookie(), []);
    application.close();
  });
}
