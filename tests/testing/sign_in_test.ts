// withAuth() with a second factor, by a key, and by an administrator who acts for the user.
import { createSqlTenantStorage } from "@framework/auth/tenant";
import type { SqlDatabase } from "@framework/auth/storage";
import {
  createTestAuthenticatorApp,
  createTestContext,
  createTestDevice,
  createTestInvitation,
  type TestContext,
} from "@framework/testing";
import assert from "node:assert/strict";
import { copyStarterSource } from "../support/starter_source.ts";

const provider = (name: string, call: string) => `
import { ${name} } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
import { sendMail } from "../../_server/send_mail.ts";
void sendMail;
export default defineProvider(${call});
`;
const whoAmI = `
import { getActor, getSessionProof, getUser } from "@framework/auth";
export const GET = async () => {
  const actor = getActor();
  return { user: getUser()?.id ?? null, actor: actor && { ...actor }, proof: await getSessionProof() };
};
`;
const { cwd, remove } = await copyStarterSource({
  "app/auth/providers/api-keys.ts": provider(
    "apiKeys",
    `apiKeys({ prefix: "acme", teamPermission: "team:keys" })`,
  ),
  "app/auth/providers/impersonation.ts": provider(
    "impersonation",
    `impersonation({ permission: "users:impersonate" })`,
  ),
  "app/auth/providers/second-factor.ts": provider(
    "secondFactor",
    `secondFactor({ sendMail, required: ({ roles = [] }) => roles.includes("owner") })`,
  ),
  "app/api/two/middleware.ts": `
import { authMiddleware } from "@framework/auth/middleware";
export const middleware = authMiddleware({ secondFactor: true });
`,
  "app/api/two/route.ts": whoAmI,
  "app/api/messages/middleware.ts": `
import { authMiddleware } from "@framework/auth/middleware";
export const middleware = authMiddleware({ apiKey: true, permission: "messages:read" });
`,
  "app/api/messages/route.ts": `${whoAmI}
export const POST = async (request: Request) => ({ text: await request.text() });
export const DELETE = () => ({ deleted: true });
`,
  "app/api/who/route.ts": whoAmI,
});

Deno.test.afterAll(remove);

async function see({ fetch }: TestContext<unknown>, path: string) {
  const response = await fetch(path);
  return response.status === 200 ? await response.json() : response.status;
}

Deno.test("withAuth({ secondFactor }) signs in with two factors, also who has turned them on", async () => {
  await using ctx = await createTestContext({ cwd });
  const one = await ctx.withAuth({ userId: "ada" });
  assert.notEqual((await one.fetch("/api/two")).status, 200);
  const two = await ctx.withAuth({ userId: "ada", secondFactor: true });
  const { user, proof } = await see(two, "/api/two");
  assert.deepEqual([user, proof.amr], ["ada", ["mfa"]]);
  const factor = { "user_id": "ada", secret: "sealed", "last_step": 0, "created_at": 0 };
  await ctx.db.insertInto("second_factors").values(factor).execute();
  await assert.rejects(ctx.withAuth({ userId: "ada" }), { code: "SECOND_FACTOR_REQUIRED" });
  const turnedOn = await ctx.withAuth({ userId: "ada", secondFactor: true });
  assert.equal((await see(turnedOn, "/api/two")).user, "ada");
});

Deno.test("createTestAuthenticatorApp() turns two-step sign-in on, and proves it after the password", async () => {
  await using ctx = await createTestContext({ cwd });
  const account = {
    name: "Ada",
    email: "ada@example.com",
    password: "a sentence that nobody guesses",
  };
  await ctx.submit(await ctx.fetch("/auth/signup"), account);
  await ctx.settled();
  await ctx.submit(await ctx.fetch(ctx.outbox.at(-1)!.url));
  const app = createTestAuthenticatorApp();
  await assert.rejects(app.prove(ctx), { code: "SECOND_FACTOR" });
  assert.equal((await app.turnOn(ctx)).status, 200);
  assert.equal(app.recoveryCodes.length, 10);
  await assert.rejects(createTestAuthenticatorApp().turnOn(ctx), { code: "SECOND_FACTOR" });

  // In another browser.
  ctx.cookies.clear();
  const { name: _, ...credentials } = account;
  const first = await ctx.fetch("/auth/signin/passwords", {
    method: "POST",
    body: new URLSearchParams(credentials),
  });
  assert.match(first.headers.get("location")!, /\/auth\/second-factor/);
  assert.equal(await see(ctx, "/api/me"), 401);
  assert.equal((await app.prove(ctx)).ok, false, "the code was accepted before");
  ctx.clock.advance("30s");
  assert.equal((await app.prove(ctx)).ok, true);
  assert.deepEqual((await see(ctx, "/api/two")).proof.amr, ["otp", "mfa"]);
});

Deno.test("createTestAuthenticatorApp() turns on what a sign-in waits for, of a user who must have it", async () => {
  await using ctx = await createTestContext<{ DB: SqlDatabase }>({ cwd });
  const credentials = { email: "ada@example.com", password: "a sentence that nobody guesses" };
  await ctx.submit(await ctx.fetch("/auth/signup"), { name: "Ada", ...credentials });
  await ctx.settled();
  await ctx.submit(await ctx.fetch(ctx.outbox.at(-1)!.url));
  await ctx.env.DB.prepare("UPDATE users SET role = 'owner'").run();
  ctx.cookies.clear();
  await ctx.fetch("/auth/signin/passwords", {
    method: "POST",
    body: new URLSearchParams(credentials),
  });
  assert.equal(await see(ctx, "/api/me"), 401);
  const app = createTestAuthenticatorApp();
  assert.equal((await app.turnOn(ctx)).status, 200);
  assert.equal(app.recoveryCodes.length, 10);
  assert.deepEqual((await see(ctx, "/api/two")).proof.amr, ["otp", "mfa"]);
});

Deno.test("withAuth({ apiKey }) sends a key of the user, or of a tenant, and no cookie", async () => {
  await using ctx = await createTestContext<{ DB: SqlDatabase }>({ cwd });
  const all = await ctx.withAuth({ userId: "ada", role: "support", apiKey: true });
  assert.match(all.headers["authorization"]!, /^Bearer acme_live_/);
  assert.deepEqual(all.cookies.all(), []);
  const seen = await see(all, "/api/messages");
  assert.deepEqual([seen.user, seen.actor.kind, seen.actor.name], ["ada", "key", "Test"]);
  assert.equal(await see(all, "/api/me"), 401);
  // As programs send it, without an Origin.
  const typed = { method: "POST", body: "a line", headers: { "content-type": "text/plain" } };
  assert.deepEqual(await (await all.fetch("/api/messages", typed)).json(), { text: "a line" });
  assert.equal((await all.fetch("/api/messages", { method: "DELETE" })).status, 200);
  const less = await ctx.withAuth({ userId: "ada", apiKey: { permissions: ["messages:write"] } });
  assert.equal(await see(less, "/api/messages"), 403);
  // A request's own header wins.
  const headers = { authorization: all.headers["authorization"]! };
  assert.equal((await less.fetch("/api/messages", { headers })).status, 200);
  ctx.clock.advance("2h");
  const ending = await ctx.withAuth({
    userId: "ada",
    apiKey: { expires: new Date(ctx.clock.now() + 86_400_000) },
  });
  assert.equal((await see(ending, "/api/messages")).user, "ada");
  ctx.clock.advance("2d");
  assert.equal(await see(ending, "/api/messages"), 401);

  const tenants = createSqlTenantStorage(ctx.env.DB);
  await tenants.create({ id: "acme-id", slug: "acme", name: "Acme" });
  await assert.rejects(
    ctx.withAuth({
      userId: "eve",
      tenant: "acme-id",
      apiKey: { tenantId: "acme-id", permissions: ["messages:read"] },
    }),
    { code: "FORBIDDEN" },
  );
});

Deno.test("withAuth({ impersonatedBy }) acts for the user as an administrator", async () => {
  await using ctx = await createTestContext({ cwd });
  const ada = await ctx.withAuth({
    userId: "ada",
    impersonatedBy: { userId: "boss", role: "admin", reason: "Ticket 17" },
  });
  const { user, actor } = await see(ada, "/api/who");
  assert.deepEqual([user, actor.kind, actor.id], ["ada", "administrator", "boss"]);
  assert.equal((await ada.fetch("/dashboard")).status, 200);
  ctx.clock.advance("16m");
  assert.equal((await see(ada, "/api/who")).user, "boss");
  await assert.rejects(
    ctx.withAuth({ userId: "ada", impersonatedBy: { userId: "bob" } }),
    { code: "FORBIDDEN" },
  );
  await assert.rejects(
    ctx.withAuth({ userId: "ada", apiKey: true, impersonatedBy: { userId: "boss" } }),
    { name: "TestingError", code: "OPTIONS" },
  );
});

/** A context of the starter with a team, and its owner. */
async function openTeam() {
  const ctx = await createTestContext<{ DB: SqlDatabase }>({ cwd });
  await createSqlTenantStorage(ctx.env.DB).create({ id: "acme-id", slug: "acme", name: "Acme" });
  const ada = await ctx.withAuth({
    userId: "ada",
    tenant: { id: "acme-id", roles: ["owner"] },
  });
  return { ctx, ada };
}

const EVE = { team: "acme", email: "eve@example.com", role: "member" };

Deno.test("createTestInvitation() makes a member of a visitor who opens the link, once", async () => {
  const { ctx, ada } = await openTeam();
  await using _ = ctx;
  const invitation = await createTestInvitation(ada, EVE);
  assert.match(invitation.url, /^http:\/\/localhost\/auth\/team\/join\?token=/);
  assert.equal((await invitation.accept(ctx)).status, 303);
  assert.equal((await ctx.fetch("/t/acme")).status, 200);
  assert.equal((await (await ctx.fetch("/api/me")).json()).email, "eve@example.com");
  const later = await ctx.withAuth({ userId: "later" });
  assert.equal((await invitation.accept(later)).status, 400);
  assert.notEqual((await later.fetch("/t/acme")).status, 200);
});

Deno.test("createTestInvitation() makes a member of a user, and of nobody else", async () => {
  const { ctx, ada } = await openTeam();
  await using _ = ctx;
  const eve = await ctx.withAuth({ userId: "eve", email: "eve@example.com" });
  const proved = { "email_verified": ctx.clock.now() };
  await ctx.db.updateTable("users").set(proved).where("id", "=", "eve").execute();
  const bob = await ctx.withAuth({ userId: "bob", email: "bob@example.com" });
  const invitation = await createTestInvitation(ada, EVE);
  // Whoever has the link, but neither the session nor the address.
  for (const somebody of [bob, ctx]) {
    assert.equal((await invitation.accept(somebody)).status, 403);
  }
  assert.notEqual((await bob.fetch("/t/acme")).status, 200);
  assert.equal((await invitation.accept(eve)).status, 303);
  assert.equal((await eve.fetch("/t/acme")).status, 200);
});

Deno.test("createTestInvitation() proves the address of a user who has not, whose session ends", async () => {
  const { ctx, ada } = await openTeam();
  await using _ = ctx;
  const eve = await ctx.withAuth({ userId: "eve", email: "eve@example.com" });
  const invitation = await createTestInvitation(ada, EVE);
  assert.equal((await invitation.accept(eve)).status, 200);
  assert.equal((await eve.fetch("/t/acme")).status, 401);
  const again = await ctx.withAuth({ userId: "eve" });
  assert.equal((await again.fetch("/t/acme")).status, 200);
});

Deno.test("createTestInvitation() ends by the clock, and says who may not invite", async () => {
  const { ctx, ada } = await openTeam();
  await using _ = ctx;
  const invitation = await createTestInvitation(ada, EVE);
  ctx.clock.advance("8d");
  assert.equal((await invitation.accept(ctx)).status, 400);
  const bob = await ctx.withAuth({ userId: "bob", tenant: "acme-id" });
  await assert.rejects(createTestInvitation(bob, EVE), {
    name: "TestingError",
    code: "INVITATION",
    message: /refused \/auth\/team\/invite with 403/,
  });
});

Deno.test("createTestDevice() binds the session of a sign-in, which a copy of its cookies does not outlive", async () => {
  const bound = await copyStarterSource({
    "app/auth/config.ts": (text) =>
      text.replace("import { pageTheme }", "import { deviceBound, pageTheme }")
        .replace(
          "  secret:",
          '  baseUrl: "https://app.example",\n  session: { deviceBound: deviceBound() },\n  secret:',
        ),
    // Nobody asks for a second factor there.
    "app/api/who/route.ts": whoAmI.replace("await getSessionProof()", "null"),
  });
  try {
    await using ctx = await createTestContext({ cwd: bound.cwd, origin: "https://app.example" });
    const device = await createTestDevice();
    await assert.rejects(device.refresh(ctx), { code: "NO_BINDING" });
    const body = new URLSearchParams({ email: "ada@example.com" });
    await ctx.fetch("/auth/signin/email", { method: "POST", body });
    await ctx.settled();
    const page = await ctx.fetch(ctx.outbox.at(-1)!.url);
    const signedIn = await ctx.submit(page);
    assert.equal((await device.register(ctx, signedIn)).status, 200);
    assert.notEqual((await see(ctx, "/api/who")).user, null);

    // What somebody has copied ends with the short cookie; the device goes on.
    const thief = ctx.cookies.all();
    ctx.clock.advance("11m");
    const stolen = thief.map(({ name, value }) => `${name}=${value}`).join("; ");
    const refused = await ctx.fetch("/api/me", { headers: { cookie: stolen } });
    assert.equal(refused.status, 401);
    assert.equal((await device.refresh(ctx)).status, 200);
    assert.equal((await ctx.fetch("/api/me")).status, 200);
    const other = await createTestDevice();
    await assert.rejects(other.register(ctx, new Response()), { code: "NO_BINDING" });
  } finally {
    await bound.remove();
  }
});
