import assert from "node:assert/strict";
import type { Auth } from "@framework/auth";
import { createPasskeyBrowser, type PasskeyHost } from "../../auth/tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";
import { createVisitor, type Visitor } from "../oauth/visitor.ts";
import { type Client, createClient } from "../support/client.ts";
import { CEILING, until } from "../support/until.ts";

const password = "quite another few words";

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

async function textOf(response: Promise<Response>): Promise<string> {
  return await (await response).text();
}

/** A visitor of a running application, who keeps the cookies of the identity provider too. */
export function visitorOf(origin: string): Visitor {
  async function handle(request: Request): Promise<Response> {
    const response = await fetch(request, { redirect: "manual" });
    // Read to the end, also where nobody asks what it says.
    const body = await response.text();
    return new Response(response.status === 204 ? null : body, response);
  }
  return createVisitor({ handle } as unknown as Auth<unknown>, origin);
}

/** The newest link to a path that was mailed to an address. */
export async function mailedLink(
  terminal: () => string,
  { to, path }: { to: string; path: string },
): Promise<string> {
  const pattern = new RegExp(
    `Mail to ${to}: [^\\n]*\\n(?:(?!Mail to )[^])*?(http\\S+${path}\\S+)`,
    "g",
  );
  const deadline = Date.now() + CEILING;
  while (Date.now() < deadline) {
    const link = [...terminal().matchAll(pattern)].at(-1)?.[1];
    if (link !== undefined) return link;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`No mail to ${to} with a link to ${path}:\n${terminal()}`);
}

/** Waits until the server has printed something, such as the head of a mail. */
export async function mailed(terminal: () => string, text: string): Promise<void> {
  const deadline = Date.now() + CEILING;
  while (Date.now() < deadline) {
    if (terminal().includes(text)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Nothing says ${text}:\n${terminal()}`);
}

/** By the identity provider. */
async function byProvider(origin: string): Promise<void> {
  const cancelled = await visitorOf(origin).signIn("company", { as: null });
  assert.match(cancelled.headers.get("location") ?? "", /\/signin\?error=OAUTH_DENIED/);
  const visitor = visitorOf(origin);
  assert.equal(await statusOf(visitor.signIn("company", { as: "grace" })), 303);
  assert.equal((await visitor.user())?.name, "Grace Hopper");
}

/** By a link in a mail: opening it twice consumes nothing, the button does. */
async function byLink(origin: string, terminal: () => string): Promise<Client> {
  const visitor = createClient(origin);
  const to = "link@example.com";
  const asked = await visitor.post("/auth/signin/email", { email: to });
  assert.equal(asked.headers.get("location"), `${origin}/signin/sent`, await asked.text());
  const link = await mailedLink(terminal, { to, path: "/auth/callback/email" });
  assert.equal(await statusOf(visitor.fetch(link)), 200);
  assert.match(await textOf(visitor.fetch(link)), /<button/);
  const fields = Object.fromEntries(new URL(link).searchParams);
  assert.equal(await statusOf(visitor.post("/auth/callback/email", fields)), 303);
  assert.equal((await (await visitor.fetch("/api/me")).json()).email, to);
  const again = await createClient(origin).post("/auth/callback/email", fields);
  assert.match(await again.text(), /This link does not hold any more/);
  return visitor;
}

/** The application as browsers with passkeys talk to it. */
function passkeyHost(origin: string): PasskeyHost {
  return {
    send: (path, { method, fields, headers, cookie }) =>
      fetch(`${origin}/auth${path}`, {
        method: method ?? (fields ? "POST" : "GET"),
        headers: { origin, ...headers, ...(cookie !== undefined && { cookie }) },
        ...(fields && { body: new URLSearchParams(fields) }),
        redirect: "manual",
      }),
  };
}

/** With a passkey of somebody who is signed in, in another browser. */
async function byPasskey(origin: string, { cookies }: Client): Promise<void> {
  const authenticator = createSoftwareAuthenticator();
  const host = passkeyHost(origin);
  const owner = createPasskeyBrowser(host);
  for (const [name, value] of cookies) owner.cookies.set(name, value);
  const added = await owner.register(authenticator, { origin });
  assert.equal(added.status, 200, await added.text());
  const elsewhere = createPasskeyBrowser(host);
  const foreign = await elsewhere.prove(authenticator, { origin: "http://localhost:1" });
  assert.equal((await foreign.json()).code, "PASSKEY_REFUSED");
  const proved = await elsewhere.prove(authenticator, { origin });
  assert.equal(proved.status, 200, await proved.text());
  assert.equal(await elsewhere.user(), await owner.user());
}

/** An account with a password, whose owner is signed in. */
async function signUp(visitor: Client, name: string): Promise<void> {
  const account = { name, email: `${name.toLowerCase()}@example.com`, password };
  assert.equal(await statusOf(visitor.post("/signup", account)), 303);
  assert.equal(await statusOf(visitor.post("/auth/signin/credentials", account)), 303);
}

/** Checks a team's response to somebody who invites without an address. */
async function invited(owner: Client, path: string, email: string): Promise<string> {
  const response = await owner.post(path, { email });
  assert.equal(response.status, 200);
  return (await response.text()).replaceAll(email, "…");
}

/** A team, which others do not see. */
async function team(origin: string, owner: Client, terminal: () => string): Promise<void> {
  const made = await owner.post("/dashboard", { slug: "acme" });
  assert.equal(made.headers.get("location"), "/t/acme", await made.text());
  const taken = await owner.post("/dashboard", { slug: "acme" });
  assert.match(await taken.text(), /There is a team with this address already/);
  const page = await textOf(owner.fetch("/t/acme"));
  assert.match(page, /\(you\)/);
  assert.match(page, /Invite somebody/);
  const stranger = createClient(origin);
  assert.equal(await statusOf(stranger.fetch("/t/acme")), 401);
  assert.equal(await statusOf(stranger.fetch("/t/other")), 404);
  await signUp(stranger, "Eve");
  assert.equal(await statusOf(stranger.fetch("/api/me")), 200);
  assert.equal(await statusOf(stranger.fetch("/t/acme")), 401, "signed in, and no member");
  await joining(origin, { owner, stranger, terminal });
}

/**
 * Tracks. Whoever registered an address is no member because it is invited: whoever opens the mail is.
 */
async function joining(
  origin: string,
  { owner, stranger, terminal }: { owner: Client; stranger: Client; terminal: () => string },
): Promise<void> {
  const to = "eve@example.com";
  const known = await invited(owner, "/t/acme", to);
  const unknown = await invited(owner, "/t/acme", "new@example.com");
  assert.equal(known, unknown, "nobody is told who has an account");
  assert.doesNotMatch(known, /\bEve\b/);
  assert.equal(await statusOf(stranger.fetch("/t/acme")), 401, "an invitation is no membership");
  await mailedLink(terminal, { to: "new@example.com", path: "/join" });
  const link = await mailedLink(terminal, { to, path: "/join" });
  const visitor = createClient(origin);
  const asked = await textOf(visitor.fetch(link));
  assert.match(asked, /Join acme/);
  assert.match(asked, /Nobody has confirmed this address before/);
  assert.equal(await statusOf(stranger.fetch("/t/acme")), 401, "looking changes nothing");
  const token = new URL(link).searchParams.get("token") ?? "";
  const joined = await visitor.post("/join", { token });
  assert.equal(joined.headers.get("location"), "/signin?done=joined&callbackUrl=/t/acme");
  await joined.body?.cancel();
  assert.equal(await statusOf(visitor.post("/join", { token })), 422, "once");
  // Who had only registered the address is out, with the password.
  assert.equal(await statusOf(stranger.fetch("/api/me")), 401);
  const fields = { email: to, password };
  assert.equal(await statusOf(stranger.post("/auth/signin/credentials", fields)), 401);
  await statusOf(visitor.post("/auth/signin/email", { email: to }));
  const way = new URL(await mailedLink(terminal, { to, path: "/auth/callback/email" }));
  await statusOf(visitor.post("/auth/callback/email", Object.fromEntries(way.searchParams)));
  const seen = await textOf(visitor.fetch("/t/acme"));
  assert.match(seen, /\bEve\b/);
  assert.doesNotMatch(seen, /Invite somebody/, "members do not invite");
  assert.equal(await statusOf(visitor.post("/t/acme", { email: to })), 403);
}

/** Checks that nobody but members can invite to a team. */
export async function refusedInTeam(origin: string): Promise<void> {
  const [owner, stranger] = [createClient(origin), createClient(origin)];
  await signUp(owner, "Olga");
  await signUp(stranger, "Sam");
  const sam = { email: "sam@example.com" };
  assert.equal(await statusOf(owner.post("/dashboard", { slug: "closed" })), 303);
  assert.equal(await statusOf(stranger.post("/t/closed", sam)), 401);
  assert.equal(await statusOf(owner.post("/t/closed", { email: "no address" })), 422);
  for (let sent = 0; sent < 3; sent++) await invited(owner, "/t/closed", sam.email);
  assert.equal(await statusOf(owner.post("/t/closed", sam)), 429, "a mailbox is not flooded");
  assert.equal(await statusOf(stranger.fetch("/t/closed")), 401);
  assert.equal(await statusOf(stranger.post("/join", { token: "x".repeat(43) })), 422);
}

/** The contact form takes three messages. */
async function limit(origin: string): Promise<void> {
  const visitor = createClient(origin);
  const message = { email: "ada@example.com", text: "Hello" };
  // Tracks: A-04
  for (const email of ["", "no address", `${"a".repeat(3000)}@example.com`]) {
    const refused = await visitor.post("/contact", { ...message, email });
    assert.equal(refused.status, 422);
    assert.ok(!(await refused.text()).includes("a".repeat(300)), "too long to be repeated");
  }
  for (let sent = 0; sent < 3; sent++) {
    const answer = await visitor.post("/contact", message);
    await answer.body?.cancel();
    // Tracks: AB-17
    assert.equal(answer.status, 303, "who reloads the next page sends nothing again");
    assert.match(await textOf(visitor.fetch(answer.headers.get("location")!)), /Thank you/);
  }
  const refused = await visitor.post("/contact", message);
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
  assert.match(await refused.text(), /You have sent many messages/);
}

/** By a new password; who has no account gets the same answer and no mail. */
async function reset(origin: string, owner: Client, terminal: () => string): Promise<void> {
  const to = "link@example.com";
  const visitor = createClient(origin);
  const answers = ["nobody@example.com", to].map(async (email) => {
    return (await textOf(visitor.post("/reset", { email }))).replaceAll(email, "…");
  });
  const [unknown, known] = await Promise.all(answers);
  assert.equal(unknown, known);
  const link = await mailedLink(terminal, { to, path: "/reset/new" });
  assert.doesNotMatch(terminal(), /Mail to nobody@/);
  const token = new URL(link).searchParams.get("token") ?? "";
  const weak = await visitor.post("/reset/new", { token, password: "short" });
  assert.equal(weak.status, 422);
  await weak.body?.cancel();
  const set = await visitor.post("/reset/new", { token, password });
  assert.equal(set.status, 303, "a weak password does not use the link up");
  assert.match(set.headers.get("location") ?? "", /\/signin\?done=password$/);
  await set.body?.cancel();
  assert.equal(await statusOf(visitor.fetch("/api/me")), 401, "a link alone signs nobody in");
  await mailed(terminal, `Mail to ${to}: Your password was changed`);
  assert.equal(await statusOf(owner.fetch("/api/me")), 401, "the sessions of before have ended");
  const replay = await visitor.post("/reset/new", { token, password: "once more, with feeling" });
  assert.match(await replay.text(), /does not hold any more/);
  const byPassword = createClient(origin);
  const fields = { email: to, password };
  assert.equal(await statusOf(byPassword.post("/auth/signin/credentials", fields)), 303);
  // Three in an hour are sent; nobody is told that a further one is not.
  const mails = () => terminal().split(`Mail to ${to}: Set a new password`).length - 1;
  for (let asked = 1; asked < 6; asked++) {
    const answer = await textOf(visitor.post("/reset", { email: to }));
    assert.equal(answer.replaceAll(to, "…"), known);
  }
  await until(() => Promise.resolve(mails() >= 3), () => `${mails()} mails`);
  assert.equal(mails(), 3);
}

/**
 * Takes an address back that somebody else has registered, by "forgot password": what they left, a passkey, a
 * password, a session, opens nothing any more.
 */
async function takenBack(origin: string, terminal: () => string): Promise<void> {
  const to = "taken@example.com";
  const [stranger, owner] = [createClient(origin), createClient(origin)];
  await signUp(stranger, "Taken");
  assert.equal(await statusOf(stranger.fetch("/api/me")), 200);
  const authenticator = createSoftwareAuthenticator();
  const device = createPasskeyBrowser(passkeyHost(origin));
  for (const [name, value] of stranger.cookies) device.cookies.set(name, value);
  assert.equal(await statusOf(device.register(authenticator, { origin })), 200);

  await statusOf(owner.post("/reset", { email: to }));
  const link = await mailedLink(terminal, { to, path: "/reset/new" });
  const page = await textOf(owner.fetch(link));
  assert.match(page, /Nobody has confirmed this address before/);
  assert.match(page, /its old password, passkeys \(1\), connected accounts \(0\), teams\./);
  const token = new URL(link).searchParams.get("token") ?? "";
  const own = "words that only the owner knows";
  assert.equal(await statusOf(owner.post("/reset/new", { token, password: own })), 303);

  assert.equal(await statusOf(stranger.fetch("/api/me")), 401);
  const elsewhere = createPasskeyBrowser(passkeyHost(origin));
  assert.equal(await statusOf(elsewhere.prove(authenticator, { origin })), 401);
  const byPassword = createClient(origin);
  const path = "/auth/signin/credentials";
  assert.equal(await statusOf(byPassword.post(path, { email: to, password })), 401);
  assert.equal(await statusOf(byPassword.post(path, { email: to, password: own })), 303);
  assert.equal((await (await byPassword.fetch("/api/me")).json()).email, to);
}

/** Walks all ways to sign in without a browser, and through teams, limits and the reset of a password. */
export async function waysHttp(origin: string, terminal: () => string): Promise<void> {
  await byProvider(origin);
  const visitor = await byLink(origin, terminal);
  await byPasskey(origin, visitor);
  await team(origin, visitor, terminal);
  await limit(origin);
  await reset(origin, visitor, terminal);
  // Tracks: R162, A-01
  await takenBack(origin, terminal);
}
