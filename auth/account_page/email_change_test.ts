import assert from "node:assert/strict";
import {
  createTestApplication,
  passwordProvider,
  type TestApplication,
} from "../tests/application.ts";
import { accountPage } from "./account_page.ts";
import type { EmailChangeParams } from "./email_change.ts";

interface ChangeApplication extends TestApplication {
  outbox: EmailChangeParams[];
}

function createChangeApplication(
  deliver: (params: EmailChangeParams) => Promise<void> = () => Promise.resolve(),
): ChangeApplication {
  const outbox: EmailChangeParams[] = [];
  const page = accountPage({
    async sendEmailChange(params) {
      await deliver(params);
      outbox.push(params);
    },
  });
  return { ...createTestApplication({ providers: [passwordProvider(), page] }), outbox };
}

function addressOf({ database }: TestApplication, id: string): unknown {
  return database.sqlite.prepare("SELECT email FROM users WHERE id = ?").get(id)!.email;
}

/** What a link leads to, below /auth, and what its button sends. */
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
  const { message, stack } = line.fields.error as Error;
  assert.match(message, /^Not sent: /);
  assert.equal(`${message}${stack}`.includes(new URL(url).searchParams.get("token")!), false);
  application.close();
});
