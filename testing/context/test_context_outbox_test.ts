import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { addressOf } from "./fetch.ts";
import { createTestContext } from "./test_context.ts";

const cwd = fileURLToPath(new URL("./fixtures/project/", import.meta.url));
const ask = (email: string) => ({ method: "POST", body: new URLSearchParams({ email }) });

Deno.test("ctx.outbox has the mails for sign-in, with a link to follow", async () => {
  await using ctx = await createTestContext({ cwd });
  await ctx.fetch("/auth/signin/email", ask("ada@example.com"));
  const [mail] = ctx.outbox;
  assert.equal(ctx.outbox.length, 1);
  assert.equal(mail!.identifier, "ada@example.com");
  assert.equal(mail!.from, "Example <hello@app.example>");
  const page = await ctx.fetch(mail!.url);
  assert.equal((await ctx.submit(page)).status, 303);
  const { user } = await (await ctx.fetch("/api/me")).json();
  assert.equal(user.email, "ada@example.com");
  // Once.
  const again = await ctx.submit(await ctx.fetch("/auth/signin"), { email: "x@example.com" });
  assert.equal(again.status, 303);
  assert.deepEqual(ctx.outbox.map(({ identifier }) => identifier), [
    "ada@example.com",
    "x@example.com",
  ]);
});

Deno.test("clock.advance() ends links", async () => {
  await using ctx = await createTestContext({ cwd });
  await ctx.fetch("/auth/signin/email", ask("ada@example.com"));
  ctx.clock.advance("25h");
  const page = await ctx.fetch(ctx.outbox[0]!.url);
  assert.ok(page.status >= 400);
});

Deno.test("clock.advance() ends limits", async () => {
  await using ctx = await createTestContext({ cwd });
  const send = () => ctx.fetch("/auth/signin/email", ask("ada@example.com"));
  // Above the limit of the mailbox the answer is the same, and nothing is sent.
  for (let count = 0; count < 12; count++) assert.equal((await send()).status, 303);
  const sent = ctx.outbox.length;
  assert.ok(sent < 12, `${sent} mails`);
  await ctx.clock.advance("1d");
  assert.equal((await send()).status, 303);
  assert.equal(ctx.outbox.length, sent + 1);
});

Deno.test("ctx.outbox is the context's own", async () => {
  const addresses = Array.from({ length: 20 }, (_, index) => `user${index}@example.com`);
  const outboxes = await Promise.all(addresses.map(async (address) => {
    await using ctx = await createTestContext({ cwd });
    await ctx.fetch("/auth/signin/email", ask(address));
    return ctx.outbox.map(({ identifier }) => identifier);
  }));
  assert.deepEqual(outboxes, addresses.map((address) => [address]));
});

Deno.test("createTestContext({ sendMail: true }) calls the application's own function too", async () => {
  await using ctx = await createTestContext({ cwd, sendMail: true });
  const mailer = ctx.onFetch("POST https://mailer.example/send", () => ({ id: "1" }));
  await ctx.fetch("/auth/signin/email", ask("ada@example.com"));
  const { to, text } = await mailer.requests[0]!.json();
  assert.deepEqual([to, text], ["ada@example.com", ctx.outbox[0]!.url]);
});

Deno.test("ctx.submit() says which form or field is missing", async () => {
  await using ctx = await createTestContext({ cwd });
  await assert.rejects(async () => ctx.submit(await ctx.fetch("/")), {
    code: "NO_FORM",
    message: /no form that matches "form"/,
  });
  const page = await ctx.fetch("/auth/signin");
  await assert.rejects(ctx.submit(page, { mail: "ada@example.com" }), {
    code: "NO_FIELD",
    message: /"mail".* The page has: form\[action.*email.*selector/,
  });
});

Deno.test("ctx.submit() takes the form that has the fields, and says that a page was read", async () => {
  await using ctx = await createTestContext({ cwd });
  const page = await ctx.fetch("/forms");
  const added = await ctx.submit(page, { title: "New" });
  assert.deepEqual(await added.json(), { title: "New" });
  await assert.rejects(ctx.submit(page, { title: "New" }), {
    code: "BODY_READ",
    message: /^submit\(\)/,
  });
});

Deno.test("ctx.submit() sends the form of a copied page to the address of the page", async () => {
  await using ctx = await createTestContext({ cwd });
  const page = await ctx.fetch("/forms?tab=2");
  const copy = page.clone().clone();
  assert.match(await page.text(), /<form/);
  assert.equal(addressOf(copy)?.href, "http://localhost/forms?tab=2");
  const added = await ctx.submit(copy, { title: "New" });
  assert.deepEqual(await added.json(), { title: "New" });
});

Deno.test("ctx.fetch() keeps paths that look like hosts", async () => {
  await using ctx = await createTestContext({ cwd });
  for (const path of ["//evil.example/x", "/\\evil.example/x"]) {
    assert.equal(addressOf(await ctx.fetch(path))?.href, "http://localhost//evil.example/x");
  }
});
