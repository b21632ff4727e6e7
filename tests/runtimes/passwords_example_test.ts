import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { authSchema } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { createApp } from "./examples/passwords.ts";
import { examplePath } from "./servers.ts";

const ORIGIN = "https://app.example";
const EMAIL = "ada@example.com";

/** The example with its mails, and browsers that keep cookies. */
function createWorld() {
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  file.exec("CREATE TABLE passwords (user_id TEXT PRIMARY KEY REFERENCES users (id), hash TEXT)");
  const mails: string[] = [];
  const app = createApp({
    database: sqlite(file),
    baseUrl: ORIGIN,
    sendMail: (_to, text) => Promise.resolve(void mails.push(text)),
  });
  function createBrowser() {
    const cookies = new Map<string, string>();
    return {
      cookies,
      async send(path: string, fields?: Record<string, string>): Promise<Response> {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const response = await app(
          new Request(`${ORIGIN}${path}`, {
            headers: {
              ...(cookie !== "" && { cookie }),
              ...(fields !== undefined && { origin: ORIGIN }),
            },
            ...(fields !== undefined && { method: "POST", body: new URLSearchParams(fields) }),
          }),
          { clientAddress: "192.0.2.1" },
        );
        for (const line of response.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
          if (line.includes("Max-Age=0")) cookies.delete(name!);
          else cookies.set(name!, value!);
        }
        return response;
      },
      async user(): Promise<string | null> {
        return (await (await this.send("/auth/session")).json())?.user.email ?? null;
      },
      async signIn(password: string): Promise<number> {
        const fields = { email: EMAIL, password };
        const response = await this.send("/auth/signin/credentials", fields);
        await response.body?.cancel();
        return response.status;
      },
    };
  }
  /** Returns the page that the newest mail links to. */
  function link(): { path: string; fields: Record<string, string> } {
    const { pathname, searchParams } = new URL(/https:\S+/.exec(mails.at(-1)!)![0]);
    return { path: pathname, fields: Object.fromEntries(searchParams) };
  }
  const proved = () => file.prepare("SELECT email_verified AS at FROM users").get()!.at !== null;
  return { mails, createBrowser, link, proved, close: () => file.close() };
}

const SIGN_UP = { email: EMAIL, password: "a password of mine" };

// Tracks: R163, A-06, AU-02
Deno.test("who signs up by the README's lines keeps the password after confirming the address, by the sign-up's mail or the account page's", async () => {
  for (const by of ["sign-up", "account page"]) {
    const { createBrowser, link, proved, close } = createWorld();
    const browser = createBrowser();
    assert.equal((await browser.send("/signup", SIGN_UP)).status, 200);
    assert.ok(browser.cookies.has("__Host-framework.session-token"));
    if (by === "account page") {
      assert.match(await (await browser.send("/auth/account")).text(), /Confirm this address/);
      await browser.send("/auth/account/email", { email: EMAIL });
    }
    const { path, fields } = link();
    assert.equal(proved(), false);
    const said = await (await browser.send(path, fields)).text();
    assert.match(said, /Your address is confirmed\./);
    assert.doesNotMatch(said, /ended/);
    assert.equal(proved(), true);
    assert.equal(await browser.user(), EMAIL, by);
    assert.equal(await createBrowser().signIn(SIGN_UP.password), 303, by);
    close();
  }
});

// Tracks: R162, A-01, AU-02
Deno.test("who comes by the README's lines to an account that somebody else made gets a password of their own, and the other is out", async () => {
  for (const by of ["reset", "confirm"]) {
    const { createBrowser, link, mails, close } = createWorld();
    const [stranger, owner] = [createBrowser(), createBrowser()];
    await stranger.send("/signup", SIGN_UP);
    if (by === "confirm") {
      const said = await (await owner.send(link().path, link().fields)).text();
      assert.match(said, /The old password has ended: set a new one/);
      assert.equal(await createBrowser().signIn(SIGN_UP.password), 401);
    }
    const known = await (await owner.send("/forgot", { email: EMAIL })).text();
    assert.equal(await (await owner.send("/forgot", { email: "no@example.com" })).text(), known);
    assert.match(mails.at(-1)!, /^Your old password ends/);
    const { path, fields } = link();
    const asked = await (await owner.send(`${path}?${new URLSearchParams(fields)}`)).text();
    assert.equal(/Everything on the account ends/.test(asked), by === "reset");
    const set = await owner.send(path, { ...fields, password: "the owner's own words" });
    assert.match(await set.text(), /Your new password is set/);
    assert.equal(await stranger.user(), null);
    assert.equal(await createBrowser().signIn(SIGN_UP.password), 401);
    assert.equal(await owner.signIn("the owner's own words"), 303);
    assert.equal(await owner.user(), EMAIL);
    close();
  }
});

/** The form of a page: where it posts to, and its hidden fields. */
function formOf(page: string): { action: string; token: string } {
  const action = /<form method="post" action="([^"]+)">/.exec(page)?.[1] ?? "none";
  return { action, token: /name="token" value="([^"]*)"/.exec(page)?.[1] ?? "none" };
}

Deno.test("the README's pages of passwords lead from one to the next, take no weak password, and keep the link of who chose one", async () => {
  const { createBrowser, link, mails, close } = createWorld();
  const browser = createBrowser();
  const signUp = await (await browser.send("/signup")).text();
  assert.equal(formOf(signUp).action, "/signup");
  for (const password of ["", "x"]) {
    const said = await (await browser.send("/signup", { ...SIGN_UP, password })).text();
    assert.match(said, /Use at least 15 characters/);
    assert.equal(formOf(said).action, "/signup");
  }
  assert.equal(mails.length, 0);
  await browser.send("/signup", SIGN_UP);

  const opened = link();
  const confirm = await (await browser.send(`${opened.path}?token=${opened.fields.token}`)).text();
  assert.deepEqual(formOf(confirm), { action: "/confirm", token: opened.fields.token });
  assert.match(await (await browser.send("/confirm", opened.fields)).text(), /is confirmed/);

  assert.equal(formOf(await (await browser.send("/forgot")).text()).action, "/forgot");
  await browser.send("/forgot", { email: EMAIL });
  const { fields } = link();
  const reset = await (await browser.send(`/reset?token=${fields.token}`)).text();
  assert.deepEqual(formOf(reset), { action: "/reset", token: fields.token });
  const weak = await (await browser.send("/reset", { ...fields, password: "" })).text();
  assert.deepEqual(formOf(weak), { action: "/reset", token: fields.token });
  const set = await browser.send("/reset", { ...fields, password: "other words of mine" });
  assert.match(await set.text(), /Your new password is set/);
  assert.equal(await createBrowser().signIn("other words of mine"), 303);
  close();
});

Deno.test("a mailbox gets three mails of the README's forgotten password, and whoever asks for more is not told", async () => {
  const { createBrowser, mails, close } = createWorld();
  const browser = createBrowser();
  await browser.send("/signup", SIGN_UP);
  const before = mails.length;
  const answers = new Set<string>();
  for (let turn = 0; turn < 5; turn++) {
    answers.add(await (await browser.send("/forgot", { email: EMAIL })).text());
  }
  assert.equal(answers.size, 1);
  assert.equal(mails.length - before, 3);
  close();
});

Deno.test("the README's example of passwords is the file that is tested", async () => {
  const readme = await Deno.readTextFile(join(repositoryRoot, "auth", "README.md"));
  const example = await Deno.readTextFile(examplePath("passwords.ts"));
  assert.ok(readme.includes(`\`\`\`ts ignore\n${example}\`\`\``));
});
