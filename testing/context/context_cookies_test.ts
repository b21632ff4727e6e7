import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createTestContext } from "./test_context.ts";

const cwd = fileURLToPath(new URL("./fixtures/project/", import.meta.url));

Deno.test("ctx.cookies has what the context sends", async () => {
  await using ctx = await createTestContext({ cwd, clock: 1_000_000 });
  assert.deepEqual(ctx.cookies.all(), []);
  ctx.cookies.set("theme=dark; Path=/; Max-Age=10; SameSite=Strict");
  // Two arguments, as other libraries have it, would store nothing.
  assert.throws(() => ctx.cookies.set("theme"), {
    name: "TypeError",
    message: /"theme=dark; Path/,
  });
  assert.equal(ctx.cookies.get("theme"), "dark");
  assert.equal(ctx.cookies.get("them"), undefined);
  assert.deepEqual(ctx.cookies.all(), [{
    name: "theme",
    value: "dark",
    domain: "localhost",
    path: "/",
    expires: 1_010,
    httpOnly: false,
    secure: false,
    sameSite: "Strict",
  }]);
  ctx.clock.advance("11s");
  assert.equal(ctx.cookies.get("theme"), undefined);
  assert.deepEqual(ctx.cookies.all(), []);
});

Deno.test("ctx.cookies.storageState() signs a browser in elsewhere", async () => {
  await using ctx = await createTestContext({ cwd });
  const ada = await ctx.withAuth({ userId: "ada" });
  const { cookies, origins } = ada.cookies.storageState("http://127.0.0.1:8787");
  assert.deepEqual(origins, []);
  const [cookie] = cookies;
  assert.equal(cookie!.domain, "127.0.0.1");
  assert.equal(cookie!.httpOnly, true);
  assert.equal(cookie!.value, ada.cookies.get(cookie!.name));
  assert.deepEqual(ctx.cookies.storageState(), { cookies: [], origins: [] });
});

Deno.test("ctx.cookies.clear() signs out without the application", async () => {
  await using ctx = await createTestContext({ cwd });
  const ada = await ctx.withAuth({ userId: "ada" });
  ada.cookies.clear();
  assert.deepEqual(await (await ada.fetch("/api/me")).json(), { user: null });
});

Deno.test("createTestContext({ origin }) says where relative paths lead", async () => {
  await using ctx = await createTestContext({ cwd, origin: "http://127.0.0.1:8787/" });
  const ada = await ctx.withAuth({ userId: "ada" });
  assert.equal((await (await ada.fetch("/api/me")).json()).user.id, "ada");
  const created = await ctx.fetch("/api/items", {
    method: "POST",
    body: JSON.stringify({ name: "one" }),
  });
  assert.equal((await created.json()).origin, "http://127.0.0.1:8787");
  await assert.rejects(createTestContext({ cwd, origin: "app.example" }), {
    code: "INVALID_ORIGIN",
  });
});
