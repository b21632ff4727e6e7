import type { TestContext, TestContextOptions } from "@framework/testing";
import assert from "node:assert/strict";
import type { WorkerCase } from "./plain_cases.ts";

const ADA = { email: "ada@example.com", password: "a sentence that nobody guesses", name: "Ada" };

/** Mails that the worker sends by its own mailer. */
interface Mail {
  kind: string;
  to: string;
  url: string;
}

/** Sends JSON to an endpoint of Better Auth. */
export function post(ctx: TestContext, path: string, body: object): Promise<Response> {
  return ctx.fetch(`/api/auth${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function nameOf(ctx: TestContext): Promise<string | number> {
  const response = await ctx.fetch("/me");
  return response.status === 200 ? (await response.json()).name : response.status;
}

function openMailbox(ctx: TestContext): () => Promise<Mail> {
  const { requests } = ctx.onFetch("POST https://mailer.example/send", () => ({ sent: true }));
  return async () => {
    assert.ok(requests.length > 0, "a mail was sent");
    return await requests.at(-1)!.clone().json();
  };
}

/** Signs a user up, and opens the link of the mail. */
async function signUp(ctx: TestContext): Promise<void> {
  const mail = openMailbox(ctx);
  const response = await post(ctx, "/sign-up/email", ADA);
  assert.equal(response.status, 200, await response.text());
  assert.equal((await mail()).kind, "verification");
  assert.equal((await ctx.fetch((await mail()).url)).status, 302);
}

const START: TestContextOptions = { clock: Date.UTC(2026, 0, 1) };

/** Better Auth's own flows. */
export const CASES: WorkerCase[] = [
  ["sign-up, its mail, and the session that begins with the link", async (ctx) => {
    const mail = openMailbox(ctx);
    assert.equal(await nameOf(ctx), 401);
    const response = await post(ctx, "/sign-up/email", ADA);
    assert.equal(response.status, 200, await response.text());
    assert.equal(await nameOf(ctx), 401, "nobody is signed in before the address is proved");
    assert.equal((await post(ctx, "/sign-in/email", ADA)).status, 403);
    assert.equal((await mail()).to, ADA.email);
    assert.equal((await ctx.fetch((await mail()).url)).status, 302);
    assert.equal(await nameOf(ctx), "Ada");
    const { createdAt } = await ctx.db.selectFrom("user").select("createdAt")
      .executeTakeFirstOrThrow();
    assert.equal(new Date(createdAt).getTime(), ctx.clock.now());
  }, START],
  ["an empty database in the next context", async (ctx) => {
    assert.deepEqual(await ctx.db.selectFrom("user").selectAll().execute(), []);
    assert.equal((await post(ctx, "/sign-in/email", ADA)).status, 401);
  }],
  ["sign-in, sign-out, and the end of a session by the clock", async (ctx) => {
    await signUp(ctx);
    assert.equal((await post(ctx, "/sign-out", {})).status, 200);
    assert.equal(await nameOf(ctx), 401);
    assert.equal((await post(ctx, "/sign-in/email", { ...ADA, password: "wrong" })).status, 401);
    assert.equal((await post(ctx, "/sign-in/email", ADA)).status, 200);
    assert.equal(await nameOf(ctx), "Ada");
    await ctx.clock.advance("8d");
    assert.equal(await nameOf(ctx), 401);
  }, START],
  ["a link that signs in once, and ends", async (ctx) => {
    const mail = openMailbox(ctx);
    assert.equal(
      (await post(ctx, "/sign-in/magic-link", { email: "bob@example.com", name: "Bob" })).status,
      200,
    );
    const { url, kind } = await mail();
    assert.equal(kind, "link");
    assert.equal((await ctx.fetch(url)).status, 302);
    assert.equal(await nameOf(ctx), "Bob");
    await post(ctx, "/sign-out", {});
    await ctx.fetch(url);
    assert.equal(await nameOf(ctx), 401, "it was used");
    await post(ctx, "/sign-in/magic-link", { email: "bob@example.com" });
    await ctx.clock.advance("6m");
    await ctx.fetch((await mail()).url);
    assert.equal(await nameOf(ctx), 401, "it has ended");
  }, START],
  ["a forgotten password, whose reset ends the sessions", async (ctx) => {
    await signUp(ctx);
    const mail = openMailbox(ctx);
    assert.equal(
      (await post(ctx, "/request-password-reset", { email: ADA.email, redirectTo: "/reset" }))
        .status,
      200,
    );
    const answer = await ctx.fetch((await mail()).url);
    const token = new URL(answer.headers.get("location")!, ctx.origin).searchParams.get("token");
    const newPassword = "another sentence that nobody guesses";
    assert.equal((await post(ctx, "/reset-password", { token, newPassword })).status, 200);
    assert.equal(await nameOf(ctx), 401);
    assert.equal((await post(ctx, "/sign-in/email", ADA)).status, 401);
    assert.equal(
      (await post(ctx, "/sign-in/email", { ...ADA, password: newPassword })).status,
      200,
    );
    assert.equal((await post(ctx, "/reset-password", { token, newPassword })).status, 400);
  }, START],
  ["forms of another site are refused", async (ctx) => {
    await signUp(ctx);
    const response = await ctx.fetch("/api/auth/sign-out", {
      method: "POST",
      headers: { origin: "https://elsewhere.example", "content-type": "application/json" },
      body: "{}",
    });
    assert.equal(response.status, 403);
    assert.equal(await nameOf(ctx), "Ada");
  }, START],
];
