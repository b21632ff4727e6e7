import assert from "node:assert/strict";
import { createClient } from "../support/client.ts";
import { signUp } from "./mails.ts";

/** The account that the walk signs up. */
export const account = {
  name: "Ada Lovelace",
  email: "ada@example.com",
  password: "a few words are easiest",
};

/**
 * Walks through the starter application at `origin` as a visitor without a browser: signs up, is
 * refused, signs in, sees what is protected, signs out, and finds the old cookie dead.
 *
 * @param mails The mails of the application so far, as its terminal shows them.
 * @returns Every cookie value that the application gave out.
 */
export async function walk(origin: string, mails: () => string): Promise<string[]> {
  const visitor = createClient(origin);
  const given: string[] = [];
  const sessionCookie = "framework.session-token";

  const home = await visitor.fetch("/");
  assert.equal(home.status, 200);
  const front = await home.text();
  assert.match(front, /Create an account/);
  assert.match(front, /<html[^>]* style="--brand: #0f766e"/);
  assert.equal(visitor.cookies.size, 0, "a visitor gets no cookie");
  const stylesheet = await visitor.fetch("/styles.css");
  assert.match(stylesheet.headers.get("content-type") ?? "", /^text\/css/);
  await stylesheet.body?.cancel();

  const guarded = await visitor.fetch("/dashboard", { headers: { accept: "text/html" } });
  assert.equal(guarded.status, 303);
  assert.equal(
    guarded.headers.get("location"),
    `${origin}/auth/signin?callbackUrl=%2Fdashboard`,
  );
  await guarded.body?.cancel();
  const anonymous = await visitor.fetch("/api/me");
  assert.equal(anonymous.status, 401);
  assert.equal((await anonymous.json()).code, "UNAUTHENTICATED");

  const short = await visitor.post("/auth/signup", { ...account, password: "short" });
  assert.equal(short.status, 400);
  assert.match(await short.text(), /value="ada@example\.com"/);

  // Tracks: A-04, R164
  async function answerTo(email: string): Promise<unknown[]> {
    const { status, headers, body } = await createClient(origin)
      .post("/auth/signup", { ...account, email });
    await body?.cancel();
    const cookies = headers.getSetCookie().map((line) => line.slice(0, line.indexOf("=")));
    return [status, headers.get("location"), cookies];
  }
  const unknown = await answerTo("nobody@example.com");
  const unproved = await visitor.post("/auth/signin/passwords", account);
  assert.equal(unproved.status, 401, "before the mail is opened there is no account");
  await unproved.body?.cancel();
  const first = await signUp(visitor, account, mails);
  assert.equal(first.headers.get("location"), `${origin}/dashboard`);
  for (const email of [account.email, "ADA@example.com"]) {
    assert.deepEqual(await answerTo(email), unknown, "nobody is told who has an account");
  }
  const line = first.headers.getSetCookie().find((one) => one.startsWith(sessionCookie));
  assert.match(line ?? "", /^framework\.session-token=[\w-]+;/);
  for (const attribute of [/; HttpOnly/i, /; SameSite=Lax/i, /; Path=\/(;|$)/i]) {
    assert.match(line ?? "", attribute);
  }
  given.push(visitor.cookies.get(sessionCookie) ?? "");
  const dashboard = await visitor.fetch("/dashboard");
  assert.match(await dashboard.text(), /Hello, Ada Lovelace/);
  const admin = await visitor.fetch("/admin", { headers: { accept: "text/html" } });
  assert.equal(admin.status, 403);
  assert.match(await admin.text(), /not allowed/i);

  const signedOut = await visitor.post("/auth/signout", {});
  assert.equal(signedOut.status, 303, await signedOut.text());
  assert.equal(visitor.cookies.has(sessionCookie), false, "signing out clears the cookie");

  const replay = await fetch(`${origin}/api/me`, {
    headers: { cookie: `${sessionCookie}=${given[0]}` },
  });
  assert.equal(replay.status, 401, "the old cookie is dead");
  await replay.body?.cancel();

  const wrong = { ...account, password: "not the right one" };
  const refusedPage = await visitor.post("/auth/signin/passwords", wrong);
  assert.equal(refusedPage.status, 401);
  assert.match(await refusedPage.text(), /is wrong/);
  const refusedJson = await visitor.post("/auth/signin/passwords", wrong, {
    accept: "application/json",
  });
  assert.equal(refusedJson.status, 401);
  assert.equal((await refusedJson.json()).code, "INVALID_CREDENTIALS");

  const signedIn = await visitor.post("/auth/signin/passwords", {
    ...account,
    callbackUrl: "/dashboard",
  });
  assert.equal(signedIn.status, 303, await signedIn.text());
  assert.equal(signedIn.headers.get("location"), `${origin}/dashboard`);
  given.push(visitor.cookies.get(sessionCookie) ?? "");
  assert.notEqual(given[0], given[1], "every sign-in makes a new session");
  const me = await visitor.fetch("/api/me");
  assert.equal((await me.json()).email, account.email);
  return given;
}

/** Tries to sign in from another site's page, in every way that a browser could be made to. */
export async function forgeries(origin: string): Promise<void> {
  const headers: Record<string, string>[] = [
    {},
    { origin: "null" },
    { origin: "https://evil.example" },
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    { origin, "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ];
  for (const forged of headers) {
    for (const path of ["/auth/signin/passwords", "/auth/signout", "/auth/signup"]) {
      const response = await fetch(`${origin}${path}`, {
        method: "POST",
        headers: forged,
        body: new URLSearchParams(account),
      });
      assert.equal(response.status, 403, `${path} ${JSON.stringify(forged)}`);
      assert.deepEqual(response.headers.getSetCookie(), []);
      await response.body?.cancel();
    }
  }
}
