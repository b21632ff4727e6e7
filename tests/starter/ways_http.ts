import assert from "node:assert/strict";
import type { Auth } from "@framework/auth";
import { createPasskeyBrowser, type PasskeyHost } from "../../auth/tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";
import { createVisitor, type Visitor } from "../oauth/visitor.ts";
import { type Client, createClient } from "../support/client.ts";
import { until } from "../support/until.ts";
import { hiddenFields, mailed, mailedLink, signUp, textOf } from "./mails.ts";

const password = "quite another few words";

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
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

/** By the identity provider. */
async function byProvider(origin: string): Promise<void> {
  const cancelled = await visitorOf(origin).signIn("company", { as: null });
  assert.match(cancelled.headers.get("location") ?? "", /\/signin\?error=OAUTH_DENIED/);
  const visitor = visitorOf(origin);
  assert.equal(await statusOf(visitor.signIn("company", { as: "grace" })), 303);
  assert.equal((await visitor.user())?.name, "Grace Hopper");
}

/** By a link in a mail: opening it twice consumes nothing, the button does. */
async function byLink(origin: string, mails: () => string): Promise<Client> {
  const visitor = createClient(origin);
  const to = "link@example.com";
  const asked = await visitor.post("/auth/signin/email", { email: to });
  assert.equal(asked.headers.get("location"), `${origin}/auth/verify-request`, await asked.text());
  const link = await mailedLink(mails, { to, path: "/auth/callback/email" });
  assert.equal(await statusOf(visitor.fetch(link)), 200);
  assert.match(await textOf(visitor.fetch(link)), /<button/);
  const fields = Object.fromEntries(new URL(link).searchParams);
  assert.equal(await statusOf(visitor.post("/auth/callback/email", fields)), 303);
  assert.equal((await (await visitor.fetch("/api/me")).json()).email, to);
  const again = await createClient(origin).post("/auth/callback/email", fields);
  assert.match(await again.text(), /This link no longer works/);
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
async function member(origin: string, name: string, mails: () => string): Promise<Client> {
  const visitor = createClient(origin);
  await signUp(visitor, { name, email: `${name.toLowerCase()}@example.com`, password }, mails);
  return visitor;
}

/** Invites an address; what the team's page answers, without it. */
async function invited(owner: Client, team: string, email: string): Promise<string> {
  const response = await owner.post("/auth/team/invite", { team, email, role: "member" });
  await response.body?.cancel();
  assert.equal(response.status, 303);
  return (response.headers.get("location") ?? "").replaceAll(email, "…");
}

/** Presses the button of an invitation. */
async function join(visitor: Client, link: string): Promise<Response> {
  const token = new URL(link).searchParams.get("token") ?? "";
  const response = await visitor.post("/auth/team/join", { token });
  await response.body?.cancel();
  return response;
}

/** A team, which others do not see. */
async function team(origin: string, owner: Client, mails: () => string): Promise<void> {
  const made = await owner.post("/auth/team/create", { name: "Acme" });
  const page = `${origin}/auth/team?team=acme&done=created`;
  assert.equal(made.headers.get("location"), page, await made.text());
  const taken = await owner.post("/auth/team/create", { name: "Acme" });
  assert.match(taken.headers.get("location") ?? "", /team=acme-[0-9a-f]{8}&/, await taken.text());
  assert.match(await textOf(owner.fetch("/auth/team?team=acme")), /link@example\.com/);
  assert.match(await textOf(owner.fetch("/t/acme")), /Members and invitations/);
  const visitor = createClient(origin);
  assert.equal(await statusOf(visitor.fetch("/t/acme")), 401);
  assert.equal(await statusOf(visitor.fetch("/t/other")), 404);
  const stranger = await member(origin, "Mallory", mails);
  assert.equal(await statusOf(stranger.fetch("/api/me")), 200);
  assert.equal(await statusOf(stranger.fetch("/t/acme")), 403, "signed in, and no member");
  await joining(origin, { owner, stranger, mails });
}

/**
 * Tracks. Whoever registered an address is no member because it is invited: whoever has the mailbox joins.
 */
async function joining(
  origin: string,
  { owner, stranger, mails }: { owner: Client; stranger: Client; mails: () => string },
): Promise<void> {
  const to = "eve@example.com";
  const path = "/auth/team/join";
  const planted = createClient(origin);
  assert.equal(
    await statusOf(planted.post("/auth/signup", { name: "Eve", email: to, password })),
    303,
  );
  const pending = await invited(owner, "acme", to);
  const unknown = await invited(owner, "acme", "new@example.com");
  const known = await invited(owner, "acme", "mallory@example.com");
  assert.deepEqual([pending, known], [unknown, unknown], "nobody is told who has an account");
  await mailedLink(mails, { to: "new@example.com", path });
  const link = await mailedLink(mails, { to, path });
  for (const [other, status] of [[planted, 401], [stranger, 403]] as const) {
    assert.equal(await statusOf(other.fetch("/t/acme")), status, "an invitation is no membership");
  }

  // The link in the hands of somebody else, who is signed in.
  assert.match(await textOf(stranger.fetch(link)), /This invitation is for/);
  await join(stranger, link);
  assert.equal(await statusOf(stranger.fetch("/t/acme")), 403);

  const visitor = createClient(origin);
  for (let looked = 0; looked < 2; looked++) {
    assert.match(await textOf(visitor.fetch(link)), /Create account and join/);
  }
  assert.equal(await statusOf(visitor.fetch("/t/acme")), 401, "looking changes nothing");
  assert.equal((await join(visitor, link)).status, 303);
  assert.match(await textOf(visitor.fetch("/t/acme")), /member/);
  assert.equal((await (await visitor.fetch("/api/me")).json()).email, to);
  assert.match(await textOf(createClient(origin).fetch(link)), /This invitation no longer works/);
  assert.equal(
    await statusOf(visitor.post("/auth/team/invite", { team: "acme", email: to, role: "member" })),
    403,
    "members do not invite",
  );

  // Who had only registered the address is out, with the password.
  assert.equal(await statusOf(planted.fetch("/api/me")), 401);
  assert.equal(
    await statusOf(planted.post("/auth/signin/passwords", { email: to, password })),
    401,
  );
}

/** Checks that nobody but members can invite to a team, and nobody but who is invited can join. */
export async function refusedInTeam(origin: string, mails: () => string): Promise<void> {
  const owner = await member(origin, "Olga", mails);
  const stranger = await member(origin, "Sam", mails);
  const to = "tim@example.com";
  const invite = { team: "closed", email: to, role: "member" };
  assert.equal(await statusOf(owner.post("/auth/team/create", { name: "Closed" })), 303);
  assert.equal(await statusOf(stranger.post("/auth/team/invite", invite)), 404);
  const typo = { ...invite, email: "no address" };
  assert.equal(await statusOf(owner.post("/auth/team/invite", typo)), 400);
  for (let sent = 0; sent < 5; sent++) await invited(owner, "closed", to);
  for (let sent = 5; sent < 20; sent++) {
    const other = { ...invite, email: `tim${sent}@example.com` };
    assert.equal(await statusOf(owner.post("/auth/team/invite", other)), 303);
  }
  assert.equal(
    await statusOf(owner.post("/auth/team/invite", invite)),
    429,
    "who is new does not write to many",
  );
  assert.equal(await statusOf(stranger.fetch("/t/closed")), 403);
  const link = await mailedLink(mails, { to, path: "/auth/team/join" });
  const guess = new URL(link);
  guess.searchParams.set("token", "x".repeat(43));
  assert.notEqual((await join(stranger, guess.href)).status, 303);
  const invitee = await member(origin, "Tim", mails);
  assert.equal((await join(invitee, link)).status, 303);
  assert.equal(await statusOf(invitee.fetch("/t/closed")), 200);
}

/** The contact form takes three messages. */
async function limit(origin: string): Promise<void> {
  const visitor = createClient(origin);
  const message = { email: "ada@example.com", text: "Hello" };
  // Tracks: A-04
  for (const email of ["", "no address", `${"a".repeat(3000)}@example.com`]) {
    const refused = await visitor.post("/contact", { ...message, email });
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /role="alert"/);
  }
  const foreign = await visitor.post("/contact", message, { origin: "https://evil.example" });
  await foreign.body?.cancel();
  assert.equal(
    foreign.status,
    403,
    "another site sends nothing, and leaves no message for the next page",
  );
  assert.deepEqual(foreign.headers.getSetCookie(), []);
  assert.doesNotMatch(await textOf(visitor.fetch("/contact")), /Thank you/);
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

/** To another address, once both mailboxes agree. */
async function move(origin: string, mails: () => string): Promise<void> {
  const [from, to] = ["nora@example.com", "nora@new.example.com"];
  const visitor = await member(origin, "Nora", mails);
  const emailOf = async () => (await (await visitor.fetch("/api/me")).json()).email;
  assert.equal(await statusOf(visitor.post("/auth/account/email", { email: to })), 303);
  for (const address of [from, to]) {
    assert.equal(await emailOf(), from);
    const link = await mailedLink(mails, { to: address, path: "/auth/account/email/confirm" });
    const fields = hiddenFields(await textOf(visitor.fetch(link)));
    assert.equal(await statusOf(visitor.post("/auth/account/email/confirm", fields)), 200);
  }
  assert.equal(await emailOf(), to);
}

/** By a new password; who has no account gets the same answer and no mail. */
async function reset(origin: string, owner: Client, mails: () => string): Promise<void> {
  const to = "link@example.com";
  const visitor = createClient(origin);
  async function answerTo(email: string): Promise<string> {
    const stranger = createClient(origin);
    const asked = await stranger.post("/auth/forgot", { email });
    assert.equal(asked.headers.get("location"), `${origin}/auth/forgot/sent`, await asked.text());
    return (await textOf(stranger.fetch("/auth/forgot/sent"))).replaceAll(email, "…");
  }
  const known = await answerTo(to);
  assert.equal(await answerTo("unknown@example.com"), known);
  const link = await mailedLink(mails, { to, path: "/auth/reset" });
  assert.doesNotMatch(mails(), /To: unknown@/);
  const token = new URL(link).searchParams.get("token") ?? "";
  const weak = await visitor.post("/auth/reset", { token, password: "short" });
  assert.equal(weak.status, 400, await weak.text());
  const set = await visitor.post("/auth/reset", { token, password });
  assert.equal(set.status, 303, "a weak password does not use the link up");
  assert.match(set.headers.get("location") ?? "", /\/auth\/reset\/done/);
  await set.body?.cancel();
  assert.equal(await statusOf(visitor.fetch("/api/me")), 401, "a link alone signs nobody in");
  await mailed(mails, { to, subject: "Your password has changed" });
  assert.equal(await statusOf(owner.fetch("/api/me")), 401, "the sessions of before have ended");
  const replay = await visitor.post("/auth/reset", { token, password: "once more, with feeling" });
  assert.match(await replay.text(), /This link no longer works/);
  const byPassword = createClient(origin);
  const fields = { email: to, password };
  assert.equal(await statusOf(byPassword.post("/auth/signin/passwords", fields)), 303);
  // Five in an hour are sent to strangers; nobody is told that a further one is not.
  const sent = () =>
    mails().split(new RegExp(`To: ${to}\nSubject: .*Choose a new password`)).length - 1;
  for (let asked = 1; asked < 8; asked++) assert.equal(await answerTo(to), known);
  await until(() => Promise.resolve(sent() >= 5), () => `${sent()} mails`);
  assert.equal(sent(), 5);
}

/**
 * Whose address somebody else has registered opens the mail in another browser, and chooses a password: the one that the
 * other has chosen opens nothing.
 */
async function takenBack(origin: string, mails: () => string): Promise<void> {
  const email = "taken@example.com";
  const [stranger, owner] = [createClient(origin), createClient(origin)];
  assert.equal(
    await statusOf(stranger.post("/auth/signup", { name: "Eve", email, password })),
    303,
  );
  assert.equal(await statusOf(stranger.fetch("/api/me")), 401);

  const link = await mailedLink(mails, { to: email, path: "/auth/signup/confirm" });
  const page = await textOf(owner.fetch(link));
  assert.match(page, /If you did not choose the password yourself, choose a new one/);
  const { token = "" } = hiddenFields(page);
  const unasked = await owner.post("/auth/signup/confirm", { token });
  assert.equal(unasked.status, 401, "the mailbox alone does not confirm what another has chosen");
  await unasked.body?.cancel();
  const own = "words that only the owner knows";
  const chosen = await owner.post("/auth/signup/confirm", { token, ask: "new", password: own });
  assert.equal(chosen.status, 303, await chosen.text());
  const { name } = await (await owner.fetch("/api/me")).json();
  assert.notEqual(name, "Eve");

  const path = "/auth/signin/passwords";
  assert.equal(await statusOf(stranger.fetch("/api/me")), 401);
  assert.equal(await statusOf(stranger.post(path, { email, password })), 401);
  assert.equal(await statusOf(createClient(origin).post(path, { email, password: own })), 303);
}

/** Walks all ways to sign in without a browser, and through teams, limits and the reset of a password. */
export async function waysHttp(origin: string, mails: () => string): Promise<void> {
  await byProvider(origin);
  const visitor = await byLink(origin, mails);
  await byPasskey(origin, visitor);
  await team(origin, visitor, mails);
  await move(origin, mails);
  await limit(origin);
  await reset(origin, visitor, mails);
  // Tracks: R162, A-01
  await takenBack(origin, mails);
}
