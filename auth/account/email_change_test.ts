import assert from "node:assert/strict";
import {
  createTestApplication,
  passwordProvider,
  type TestApplication,
} from "../tests/application.ts";
import type { AuthOptions } from "../app/options.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { german } from "../languages.ts";
import { pageTheme } from "../sign_in/page_theme.ts";
import { email } from "../sign_in/email/provider.ts";
import { accountPage } from "./page.ts";
import type { EmailChangeParams } from "./email_change.ts";

interface ChangeApplication extends TestApplication {
  outbox: EmailChangeParams[];
}

function createChangeApplication(
  deliver: (params: EmailChangeParams) => Promise<void> = () => Promise.resolve(),
  options: Partial<AuthOptions> = {},
): ChangeApplication {
  const outbox: EmailChangeParams[] = [];
  const page = accountPage({
    async sendEmailChange(params) {
      await deliver(params);
      outbox.push(params);
    },
  });
  const providers = [passwordProvider(), page];
  return { ...createTestApplication({ ...options, providers }), outbox };
}

function addressOf({ database }: TestApplication, id: string): unknown {
  return database.sqlite.prepare("SELECT email FROM users WHERE id = ?").get(id)!.email;
}

/** Path of a link below /auth, and the form data of its button. */
function linkOf({ outbox }: ChangeApplication, part: "old" | "new") {
  const { pathname, search, searchParams } = new URL(
    outbox.findLast((mail) => mail.part === part)!.url,
  );
  const path = pathname.slice("/auth".length);
  return { path, page: path + search, fields: Object.fromEntries(searchParams) };
}

const CHANGE = "/account/email";

// Tracks: R029, R046. Whoever agrees would share the account with somebody who can still sign in to it.
Deno.test("a new address agrees only where its owner is signed in", async () => {
  const application = createChangeApplication();
  const { send } = application;
  const mallory = await application.signIn("mallory");
  await send(CHANGE, { cookie: mallory, fields: { email: "victim@example.com" } });
  const { path, page, fields } = linkOf(application, "new");
  for (const cookie of [undefined, await application.signIn("victim")]) {
    const sent = cookie === undefined ? {} : { cookie };
    assert.equal((await send(page, sent)).status, 400);
    assert.equal((await send(path, { ...sent, fields })).status, 400);
  }
  assert.equal(addressOf(application, "mallory"), null);
  assert.equal((await send(page, { cookie: mallory })).status, 200);
  assert.equal((await send(path, { cookie: mallory, fields })).status, 200);
  assert.equal(addressOf(application, "mallory"), "victim@example.com");
  application.close();
});

// Tracks: R046, R017
Deno.test("an address changes when both have agreed, the old one from anywhere, and each link once", async () => {
  const application = createChangeApplication();
  const { send } = application;
  const cookie = await application.signIn("ada");
  application.database.sqlite.exec(
    "UPDATE users SET email = 'ada@example.com', email_identity = 'ada@example.com'",
  );
  await send(CHANGE, { cookie, fields: { email: "ada@new.example" } });
  const [old, next] = [linkOf(application, "old"), linkOf(application, "new")];
  assert.equal((await send(next.path, { cookie, fields: next.fields })).status, 200);
  assert.equal((await send(next.path, { cookie, fields: next.fields })).status, 400);
  assert.equal(addressOf(application, "ada"), "ada@example.com");
  assert.equal((await send(old.path, { fields: old.fields })).status, 200);
  assert.equal(addressOf(application, "ada"), "ada@new.example");
  application.close();
});

Deno.test("a client that prefers JSON is told if the address is changed, waits for the other mailbox, or is confirmed", async () => {
  const headers = { accept: "application/json" };
  const application = createChangeApplication(undefined, {
    cookies: { sessionToken: { hostOnly: true } },
  });
  const cookie = await application.signIn("ada");
  application.database.sqlite.exec(
    "UPDATE users SET email = 'ada@example.com', email_identity = 'ada@example.com'",
  );
  const agree = async (fields: Record<string, string>) => {
    const response = await application.send(`${CHANGE}/confirm`, { cookie, json: fields, headers });
    return [response.status, await response.json()];
  };
  await application.send(CHANGE, { cookie, fields: { email: "ada@new.example" } });
  const [old, next] = [linkOf(application, "old"), linkOf(application, "new")];
  assert.deepEqual(await agree(next.fields), [200, {
    changed: false,
    waiting: true,
    ended: false,
  }]);
  assert.deepEqual(await agree(old.fields), [200, { changed: true, waiting: false, ended: false }]);
  application.database.sqlite.exec("UPDATE users SET email_verified = NULL");
  await application.send(CHANGE, { cookie, fields: { email: "ada@new.example" } });
  const own = linkOf(application, "new").fields;
  assert.equal(own.part, "own");
  assert.deepEqual(await agree(own), [200, { changed: false, waiting: false, ended: false }]);
  application.close();
});

Deno.test("a client that prefers JSON is told that what was on the account has ended", async () => {
  const { application, cookie, ask } = await withKeptAddress();
  await ask();
  const { path, fields } = linkOf(application, "new");
  const response = await application.send(path, { json: fields });
  assert.deepEqual(await response.json(), { changed: false, waiting: false, ended: true });
  assert.equal(await (await application.send("/session", { cookie })).json(), null);
  application.close();
});

// Tracks: R028
Deno.test("no number of accounts sends one mailbox more than five mails an hour", async () => {
  const application = createChangeApplication();
  for (let index = 0; index < 8; index++) {
    const cookie = await application.signIn(`mallory-${index}`);
    await application.send(CHANGE, { cookie, fields: { email: "victim@example.com" } });
  }
  assert.equal(application.outbox.filter(({ to }) => to === "victim@example.com").length, 5);
  application.close();
});

// Tracks: R105, K1
Deno.test("the error of a mailer that repeats the mail puts no link into the log", async () => {
  let url = "";
  const application = createChangeApplication((params) => {
    url = params.url;
    return Promise.reject(new Error(`Not sent: ${params.url}`));
  });
  const cookie = await application.signIn("ada");
  const response = await application.send(CHANGE, {
    cookie,
    fields: { email: "ada@example.com" },
    headers: { accept: "application/json" },
  });
  assert.equal(response.status, 503);
  const line = application.log.find(({ event }) => event === "email-not-sent")!;
  assert.deepEqual([line.fields.kind, line.fields.userId], ["email-change", "ada"]);
  const { message, stack } = line.fields.error as Error;
  assert.match(message, /^Not sent: /);
  assert.equal(`${message}${stack}`.includes(new URL(url).searchParams.get("token")!), false);
  application.close();
});

const KEPT = "Ada@example.com";

/** An application in which ada is signed in, with an address that a provider said and nobody proved. */
async function withKeptAddress(
  options: Partial<AuthOptions> = {},
): Promise<{ application: ChangeApplication; cookie: string; ask(): Promise<Response> }> {
  const application = createChangeApplication(undefined, options);
  const cookie = await application.signIn("ada");
  application.database.sqlite.prepare("UPDATE users SET email = ? WHERE id = 'ada'").run(KEPT);
  const fields = { email: KEPT };
  return { application, cookie, ask: () => application.send(CHANGE, { cookie, fields }) };
}

/** Returns the address in the only mail. */
function confirmationOf(application: ChangeApplication) {
  const link = linkOf(application, "new");
  assert.equal(link.fields.part, "own");
  return link;
}

function identityOf({ database }: TestApplication, id: string): unknown[] {
  const row = database.sqlite.prepare(
    "SELECT email_identity, email_verified IS NOT NULL AS proved FROM users WHERE id = ?",
  ).get(id)!;
  return [row.email_identity, row.proved];
}

async function userOf({ send }: TestApplication, cookie: string): Promise<string | null> {
  return (await (await send("/session", { cookie })).json())?.user.id ?? null;
}

const HOST_ONLY = { cookies: { sessionToken: { hostOnly: true } } } as const;

// Tracks: A-07, SP-A2, R163
Deno.test("an address that was kept is confirmed by one mail, and the session that asked keeps what it has", async () => {
  const { application, cookie, ask } = await withKeptAddress(HOST_ONLY);
  const { send, outbox } = application;
  const shown = await (await send("/account", { cookie })).text();
  assert.match(shown, /Ada@example\.com<\/bdi> <span class="tag bad">Not confirmed</);
  assert.match(shown, /<button>Confirm this address<\/button>/);
  const asked = await ask();
  assert.match(asked.headers.get("location") ?? "", /done=email-asked$/);
  assert.deepEqual(outbox.map(({ to, part, newEmail }) => [to, part, newEmail]), [
    [KEPT, "new", KEPT],
  ]);
  const { path, page, fields } = confirmationOf(application);
  const question = await (await send(page, { cookie })).text();
  assert.match(question, /Ada@example\.com/);
  assert.doesNotMatch(question, /before anybody confirmed/);
  assert.deepEqual(identityOf(application, "ada"), [null, 0]);
  assert.equal((await send(path, { cookie, fields })).status, 200);
  assert.deepEqual(identityOf(application, "ada"), ["ada@example.com", 1]);
  assert.equal(await userOf(application, cookie), "ada");
  assert.notEqual(await application.signIn("ada"), "");
  assert.equal((await send(path, { cookie, fields })).status, 400, "once");
  const after = await (await send("/account", { cookie })).text();
  assert.doesNotMatch(after, /Not confirmed|Confirm this address/);
  application.close();
});

// Tracks: R162, R163
Deno.test("a confirmation in a session that may be planted says what is on the account, and ends all of it", async () => {
  const { application, cookie, ask } = await withKeptAddress();
  const { send } = application;
  const elsewhere = await application.signIn("ada");
  await ask();
  const { path, page, fields } = confirmationOf(application);
  assert.match(await (await send(page, { cookie })).text(), /before anybody confirmed/);
  const confirmed = await send(path, { cookie, fields });
  assert.match(await confirmed.text(), /no longer works/);
  assert.deepEqual(identityOf(application, "ada"), ["ada@example.com", 1]);
  for (const one of [cookie, elsewhere]) assert.equal(await userOf(application, one), null);
  assert.equal(await application.signIn("ada"), "");
  application.close();
});

// Tracks: A-07, R163
Deno.test("a confirmation elsewhere ends what is on the account, and nothing of who is signed in there", async () => {
  for (const name of [undefined, "eve"]) {
    const { application, cookie, ask } = await withKeptAddress(HOST_ONLY);
    const { send } = application;
    await ask();
    const { path, page, fields } = confirmationOf(application);
    for (const part of ["old", "new", "x"]) {
      assert.equal((await send(path, { cookie, fields: { ...fields, part } })).status, 400);
    }
    const other = name === undefined ? undefined : await application.signIn(name);
    const sent = other === undefined ? {} : { cookie: other };
    assert.match(await (await send(page, sent)).text(), /before anybody confirmed/);
    assert.deepEqual(identityOf(application, "ada"), [null, 0]);
    assert.match(await (await send(path, { ...sent, fields })).text(), /no longer works/);
    assert.deepEqual(identityOf(application, "ada"), ["ada@example.com", 1]);
    assert.equal(await userOf(application, cookie), null);
    assert.equal(await application.signIn("ada"), "");
    if (other !== undefined) assert.equal(await userOf(application, other), "eve");
    application.close();
  }
});

// Tracks: R023
Deno.test("the mail that confirms an address goes to it as the account has it, however it was typed", async () => {
  const { application, cookie } = await withKeptAddress(HOST_ONLY);
  // Where capitals make another mailbox (RFC 5321, 2.4), whoever reads this one proves nothing about that.
  await application.send(CHANGE, { cookie, fields: { email: KEPT.toUpperCase() } });
  assert.deepEqual(application.outbox.map(({ to, newEmail }) => [to, newEmail]), [[KEPT, KEPT]]);
  application.close();
});

// Tracks: A-07, R164
Deno.test("whether somebody else has an address is told to nobody who asks to confirm it", async () => {
  const taken = (id: string) =>
    `INSERT INTO users (id, email, email_identity) VALUES ('${id}', 'ada@example.com', 'ada@example.com')`;
  const free = await withKeptAddress(HOST_ONLY);
  const known = await withKeptAddress(HOST_ONLY);
  known.application.database.sqlite.exec(taken("owner"));
  const answers = [await free.ask(), await known.ask()].map((answer) => [
    answer.status,
    ...answer.headers,
  ]);
  assert.deepEqual(answers[0], answers[1]);
  assert.equal(known.application.outbox.length, 0);
  // Nor is it told when the mailbox has become somebody else's meanwhile.
  const { path, fields } = confirmationOf(free.application);
  free.application.database.sqlite.exec(taken("owner"));
  const { cookie } = free;
  const late = await free.application.send(path, {
    cookie,
    fields,
    headers: { accept: "application/json" },
  });
  assert.deepEqual([late.status, (await late.json()).code], [400, "INVALID_LINK"]);
  assert.deepEqual(identityOf(free.application, "ada"), [null, 0]);
  assert.deepEqual(identityOf(free.application, "owner"), ["ada@example.com", 0]);
  free.application.close();
  known.application.close();
});

// Tracks: A-07
Deno.test("an address that was kept agrees to no change, and gets no mail about one", async () => {
  const { application, cookie } = await withKeptAddress();
  const { send, outbox } = application;
  await send(CHANGE, { cookie, fields: { email: "ada@new.example" } });
  assert.deepEqual(outbox.map(({ to, part }) => [to, part]), [["ada@new.example", "new"]]);
  const { path, fields } = linkOf(application, "new");
  assert.equal((await send(path, { cookie, fields })).status, 200);
  assert.deepEqual(identityOf(application, "ada"), ["ada@new.example", 1]);
  // There is nothing to confirm any more.
  await send(CHANGE, { cookie, fields: { email: "ada@new.example" } });
  assert.equal(outbox.length, 1);
  application.close();
});

// Tracks: R162
Deno.test("where no session can be ended an address is confirmed only by a session that nobody can plant", async () => {
  for (const hostOnly of [false, true]) {
    const { application, cookie, ask } = await withKeptAddress({
      session: { strategy: jwtSessions },
      secret: "s".repeat(32),
      cookies: { sessionToken: { hostOnly } },
    });
    const shown = await (await application.send("/account", { cookie })).text();
    assert.equal(shown.includes("Confirm this address"), hostOnly);
    await ask();
    assert.equal(application.outbox.length, hostOnly ? 1 : 0);
    if (hostOnly) {
      const { path, fields } = confirmationOf(application);
      const elsewhere = await application.signIn("ada");
      assert.equal((await application.send(path, { cookie: elsewhere, fields })).status, 400);
      assert.equal((await application.send(path, { cookie, fields })).status, 200);
      assert.deepEqual(identityOf(application, "ada"), ["ada@example.com", 1]);
    }
    application.close();
  }
});

// Tracks: R148, R168
Deno.test("no account that names somebody's mailbox keeps back the emails by which they sign in", async () => {
  const links: string[] = [];
  const application = createTestApplication({
    providers: [
      passwordProvider(),
      accountPage({ sendEmailChange: () => Promise.resolve() }),
      email({
        from: "app@example.com",
        sendVerificationRequest: ({ identifier }) => Promise.resolve(void links.push(identifier)),
      }),
    ],
  });
  const { send, close } = application;
  const cookie = await application.signIn("mallory");
  for (let turn = 0; turn < 6; turn++) {
    await send(CHANGE, { cookie, fields: { email: "victim@example.com" } });
  }
  const response = await send("/signin/email", { fields: { email: "victim@example.com" } });
  assert.equal(response.status, 303);
  assert.deepEqual(links, ["victim@example.com"]);
  close();
});

// Tracks: R022, PF-e12
Deno.test("an address that is somebody else's, or has had its emails, is answered after the time that one takes", async () => {
  const { setTimeout } = globalThis;
  const { now } = performance;
  const clock = { now: 0 };
  const waited: number[] = [];
  performance.now = () => clock.now;
  globalThis.setTimeout = ((done: () => void, milliseconds: number) =>
    setTimeout(() => {
      waited.push(milliseconds);
      done();
    }, 0)) as typeof setTimeout;
  const application = createChangeApplication(() => Promise.resolve(void (clock.now += 200)));
  const { send, outbox, database } = application;
  try {
    const ask = async (name: string, email: string, lasts: number | null): Promise<void> => {
      const cookie = await application.signIn(name);
      const before = outbox.length;
      waited.length = 0;
      const response = await send(CHANGE, { cookie, fields: { email } });
      assert.equal(response.status, 303);
      assert.deepEqual(waited, lasts === null ? [] : [lasts], email);
      assert.equal(outbox.length - before, lasts === null ? 1 : 0, email);
    };
    for (const name of ["ada", "eve", "mallory"]) await application.signIn(name);
    database.sqlite.exec(
      "UPDATE users SET email = 'ada@example.com', email_identity = 'ada@example.com' WHERE id = 'ada'",
    );
    // Of one who has no address, and of one whose address was kept unproved.
    database.sqlite.exec("UPDATE users SET email = 'ada@example.com' WHERE id = 'eve'");
    await ask("mallory", "free@example.com", null);
    await ask("mallory", "ada@example.com", 200);
    await ask("eve", "ada@example.com", 200);
  } finally {
    globalThis.setTimeout = setTimeout;
    performance.now = now;
    application.close();
  }
});

Deno.test("the mails about an address are written in the theme's language, each with its link", async () => {
  const theme = pageTheme({ name: "Acme", languages: [german] });
  const application = createChangeApplication(undefined, { pages: { theme } });
  const { send, outbox } = application;
  const cookie = await application.signIn("ada");
  const headers = { "accept-language": "de" };
  const change = (address: string) => send(CHANGE, { cookie, headers, fields: { email: address } });
  await change("ada@example.com");
  application.database.sqlite.exec(
    "UPDATE users SET email = 'ada@example.com', email_identity = 'ada@example.com', email_verified = 1",
  );
  await change("new@example.com");
  application.database.sqlite.exec("UPDATE users SET email_verified = NULL");
  await change("ada@example.com");
  const subjects = outbox.map(({ part, to, subject }) => [part, to, subject]);
  assert.deepEqual(subjects, [
    ["new", "ada@example.com", "Acme: Bestätigen Sie Ihre neue E-Mail-Adresse"],
    ["old", "ada@example.com", "Acme: Bestätigen Sie Ihre neue E-Mail-Adresse"],
    ["new", "new@example.com", "Acme: Bestätigen Sie Ihre neue E-Mail-Adresse"],
    ["new", "ada@example.com", "Acme: Bestätigen Sie Ihre E-Mail-Adresse"],
  ]);
  for (const { url, html, text, newEmail } of outbox) {
    assert.ok(text.includes(url) && text.includes(newEmail) && text.startsWith("Acme\n"));
    assert.ok(html.includes(url.replaceAll("&", "&amp;")) && html.includes(">Acme<"));
  }
  assert.match(outbox[1]!.text, /Jemand ist in Ihrem Konto/);
  application.close();
});
