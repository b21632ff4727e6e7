// tests/notes.test.ts
import { createTestContext } from "@framework/testing";
import { expect, it } from "vitest";

it("adds a note, and mails it", async () => {
  await using ctx = await createTestContext<Env>(); // D1, migrated, with nothing in it
  const mailer = ctx.onFetch("https://mailer.example/send", () => ({ sent: true }));
  expect((await ctx.fetch("/notes", { method: "POST", body: "Milk" })).status).toBe(201);
  expect(await (await ctx.fetch("/notes")).json()).toEqual(["Milk"]);
  expect(await ctx.env.CACHE.get("last")).toBe("Milk");

  await ctx.queue("mails"); // what waits in the queue
  expect(await mailer.requests[0]?.json()).toEqual({ subject: "Milk" });
});

it("tries a mail again", async () => {
  await using ctx = await createTestContext<Env>();
  const broken = ctx.onFetch(
    "https://mailer.example/send",
    () => new Response(null, { status: 503 }),
  );
  const { retried } = await ctx.queue("mails", [{ body: { subject: "Milk" } }]);
  expect(retried).toHaveLength(1);

  broken.remove();
  const mailer = ctx.onFetch("https://mailer.example/send", () => ({ sent: true }));
  await ctx.clock.advance("1m"); // of the delay, and of Date, entries, cookies, alarms
  await ctx.queue("mails");
  expect(mailer.requests).toHaveLength(1);
});

it("forgets notes after a day", async () => {
  await using ctx = await createTestContext<Env>();
  await ctx.fetch("/notes", { method: "POST", body: "Milk" });
  await ctx.clock.advance("25h");
  await ctx.scheduled(); // the only schedule of wrangler.jsonc
  expect(await ctx.db.selectFrom("notes").selectAll().execute()).toEqual([]);
});
