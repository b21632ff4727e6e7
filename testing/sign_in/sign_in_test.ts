import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createTestContext } from "../context/test_context.ts";
import { createTestAuthenticator } from "./authenticator.ts";
import { createTestIdentityProvider } from "./identity_provider.ts";

const cwd = fileURLToPath(new URL("../context/fixtures/project/", import.meta.url));
const ADA = { sub: "ada-1", name: "Ada", email: "ada@example.com", "email_verified": true };

async function userOf({ fetch }: { fetch(path: string): Promise<Response> }) {
  return (await (await fetch("/api/me")).json()).user;
}

Deno.test("a test identity provider takes a visitor through the whole round of OpenID Connect", async () => {
  await using ctx = await createTestContext({ cwd });
  const provider = createTestIdentityProvider(ctx);
  const response = await provider.signIn("example", ADA, { callbackUrl: "/dashboard" });
  assert.equal(response.status, 303);
  assert.equal(new URL(response.headers.get("location")!, ctx.origin).pathname, "/dashboard");
  const user = await userOf(ctx);
  assert.deepEqual([user.name, user.email], ["Ada", "ada@example.com"]);
});

Deno.test("a test identity provider serves context after context", async () => {
  for (const sub of ["1", "2", "3"]) {
    await using ctx = await createTestContext({ cwd, clock: new Date(`2026-0${sub}-01`) });
    const provider = createTestIdentityProvider(ctx);
    await provider.signIn("example", { ...ADA, sub, name: `Ada ${sub}` });
    assert.equal((await userOf(ctx)).name, `Ada ${sub}`);
  }
});

Deno.test("a test identity provider without OpenID Connect answers by userinfo", async () => {
  await using ctx = await createTestContext({ cwd });
  const provider = createTestIdentityProvider(ctx, {
    openid: false,
    endpoints: {
      authorization: "https://plain.example/login/authorize",
      token: "https://plain.example/login/token",
      userinfo: "https://api.plain.example/user",
    },
  });
  await provider.signIn("plain", { id: 7, login: "ada" });
  assert.equal((await userOf(ctx)).name, "ada");
});

Deno.test("a test identity provider can say no", async () => {
  await using ctx = await createTestContext({ cwd });
  const response = await createTestIdentityProvider(ctx).deny("example");
  assert.ok(response.status >= 300);
  assert.equal(await userOf(ctx), null);
});

Deno.test("a test identity provider refuses a code that is used twice", async () => {
  await using ctx = await createTestContext({ cwd });
  const provider = createTestIdentityProvider(ctx);
  const begun = await ctx.fetch("/auth/signin/example", { method: "POST" });
  const { url } = provider.authorize(begun.headers.get("location")!, ADA);
  await ctx.fetch(url);
  assert.equal((await userOf(ctx)).name, "Ada");
  const code = new URL(url).searchParams.get("code")!;
  const other = await createTestContext({ cwd });
  try {
    const again = createTestIdentityProvider(other);
    const start = await other.fetch("/auth/signin/example", { method: "POST" });
    const replayed = new URL(again.authorize(start.headers.get("location")!, ADA).url);
    replayed.searchParams.set("code", code);
    await other.fetch(replayed.href);
    assert.equal(await userOf(other), null);
  } finally {
    await other.cleanup();
  }
});

Deno.test("a test identity provider says what an application does not send", async () => {
  await using ctx = await createTestContext({ cwd });
  const provider = createTestIdentityProvider(ctx);
  assert.throws(() => provider.authorize("https://id.example/authorize?client_id=a", ADA), {
    code: "AUTHORIZATION",
    message: /lacks redirect_uri, state/,
  });
  await assert.rejects(provider.signIn("unknown", ADA), { code: "AUTHORIZATION" });
});

Deno.test("a test authenticator adds a passkey and signs in by it", async () => {
  await using ctx = await createTestContext({ cwd });
  const authenticator = createTestAuthenticator();
  const ada = await ctx.withAuth({ userId: "ada", name: "Ada" });
  const registered = await authenticator.register(ada);
  assert.ok(registered.status < 400, await registered.text());
  assert.equal(await userOf(ctx), null);
  const response = await authenticator.signIn(ctx, { callbackUrl: "/dashboard" });
  assert.ok(response.status < 400, await response.text());
  assert.equal((await userOf(ctx)).id, "ada");
  await assert.rejects(authenticator.register(ada), { name: "InvalidStateError" });
});

Deno.test("a test authenticator makes an account where the application lets it", async () => {
  await using ctx = await createTestContext({ cwd });
  const response = await createTestAuthenticator().register(ctx, "Bob");
  assert.ok(response.status < 400, await response.text());
  assert.equal((await userOf(ctx)).name, "Bob");
});

Deno.test("a test authenticator without a passkey signs nobody in", async () => {
  await using ctx = await createTestContext({ cwd });
  await assert.rejects(createTestAuthenticator().signIn(ctx), { name: "NotAllowedError" });
});

Deno.test("passkeys of a user who signed in long ago say what they need", async () => {
  await using ctx = await createTestContext({ cwd });
  const ada = await ctx.withAuth({ userId: "ada" });
  ctx.clock.advance("2d");
  await assert.rejects(createTestAuthenticator().register(ada), { code: "PASSKEY" });
});
