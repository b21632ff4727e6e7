import assert from "node:assert/strict";
import { accountPage } from "../account/page.ts";
import { everyCookie, PASSWORD, withPasswords } from "../tests/password_application.ts";
import { email } from "./email/provider.ts";
import { createTestApplication } from "../tests/application.ts";
import type { Provider } from "../core/provider.ts";
import type { PasswordMail } from "./password/options.ts";
import { passwords } from "./password/provider.ts";
import type { Mail } from "../types/application.ts";

const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
const NEW = "another sentence of mine";

// Tracks: R046
Deno.test("the owner is told of a sign-in in a browser that has not been seen, once, and of no other", () =>
  withPasswords(
    async ({ join, send, byPassword, outbox, settle, askReset, clock, database }) => {
      const notices = () => outbox.splice(0).filter(({ kind }) => kind === "new-device");
      const first = await join("ada@example.com");
      await settle();
      assert.deepEqual(notices(), [], "the browser of the sign-up");
      await byPassword("ada@example.com", PASSWORD, first);
      await settle();
      assert.deepEqual(notices(), [], "the same browser");
      assert.equal((await byPassword("ada@example.com", "a wrong password")).status, 401);
      await settle();
      assert.deepEqual(notices(), [], "nobody signed in");
      const there = await send("/signin/passwords", {
        fields: { email: "Ada@example.com", password: PASSWORD },
        headers: { "user-agent": FIREFOX },
      });
      assert.equal(there.status, 303);
      await settle();
      const [notice, ...more] = notices();
      assert.deepEqual(more, []);
      assert.equal(notice!.to, "ada@example.com");
      assert.equal(notice!.subject, "New sign-in to your account");
      assert.equal(notice!.url, "https://app.example/auth/account");
      for (
        const part of [/Firefox on Windows/, /ada@example\.com/, /192\.0\.2\.1/, /auth\/account/]
      ) {
        assert.match(notice!.text, part);
        assert.match(notice!.html, part);
      }
      await byPassword("ada@example.com", PASSWORD, everyCookie(there));
      await settle();
      assert.deepEqual(notices(), [], "known by now");
      // A browser that another user has made known is new for this one.
      const shared = await join("eva@example.com");
      outbox.length = 0;
      await byPassword("ada@example.com", PASSWORD, shared);
      await settle();
      assert.deepEqual(notices().map(({ to }) => to), ["ada@example.com"]);
      // A new password forgets every browser: there is nothing to compare with.
      const token = await askReset("ada@example.com");
      clock.now += 1000;
      await send("/reset", { fields: { token, password: NEW } });
      await settle();
      assert.deepEqual(notices(), []);
      clock.now += 1000;
      // Nobody proved this address: it may be anybody's.
      database.sqlite.exec("UPDATE users SET email_verified = NULL");
      assert.equal((await byPassword("ada@example.com", NEW)).status, 303);
      await settle();
      assert.deepEqual(notices(), []);
    },
    {},
    { providers: [accountPage()], rateLimit: false },
  ));

Deno.test("a notice that cannot be sent, or a database that does not answer about browsers, keeps nobody out", async () => {
  let fails = false;
  const box: PasswordMail[] = [];
  await withPasswords(
    async ({ signUp, confirm, byPassword, settle, log, database }) => {
      const cookie = everyCookie(await signUp("ada@example.com"));
      assert.equal((await confirm({}, { cookie, mail: box[0]! })).status, 303);
      fails = true;
      assert.equal((await byPassword("ada@example.com", PASSWORD)).status, 303);
      await settle();
      const line = log.find(({ event }) => event === "email-not-sent");
      assert.equal(line?.fields.kind, "new-device");
      assert.ok(line.fields.userId);
      database.sqlite.exec("DROP TABLE known_browsers");
      assert.equal((await byPassword("ada@example.com", PASSWORD)).status, 303);
      assert.ok(log.some(({ event }) => event === "new-device-unchecked"));
    },
    {
      sendMail(mail) {
        if (fails) throw new Error("smtp.internal is down");
        box.push(mail);
      },
    },
    { rateLimit: false },
  );
});

Deno.test("email({ sendMail }) tells of a new browser too; sendVerificationRequest() can only send links, wherever what can tell stands", async () => {
  for (const given of ["sendMail", "links", "links, passwords", "passwords, links"]) {
    const box: Pick<Mail, "kind" | "to" | "url" | "expires">[] = [];
    const made: Record<string, () => Provider> = {
      sendMail: () => email({ sendMail: (mail) => void box.push(mail) }),
      passwords: () => passwords({ sendMail: (mail) => void box.push(mail) }),
      links: () =>
        email({
          from: "a@app.example",
          sendVerificationRequest: ({ url, identifier: to, expires }) => {
            box.push({ kind: "sign-in", to, url, expires });
            return Promise.resolve();
          },
        }),
    };
    const providers = given.split(", ").map((name) => made[name]!());
    const application = createTestApplication({ providers, rateLimit: false });
    const pending: Promise<unknown>[] = [];
    const info = {
      clientAddress: "192.0.2.1",
      waitUntil: (work: Promise<unknown>) => void pending.push(work),
    };
    const { send } = application;
    for (let browser = 0; browser < 2; browser++) {
      const asked = await send("/signin/email", { fields: { email: "ada@example.com" }, info });
      const { searchParams } = new URL(box.at(-1)!.url);
      const response = await send("/callback/email", {
        fields: Object.fromEntries(searchParams),
        cookie: everyCookie(asked),
        info,
      });
      assert.equal(response.status, 303);
      await Promise.all(pending.splice(0));
    }
    const notices = box.filter(({ kind }) => kind === "new-device");
    assert.deepEqual(
      notices.map(({ to, url, expires }) => [to, url, expires]),
      given === "links" ? [] : [["ada@example.com", "https://app.example/auth/signin", null]],
      given,
    );
    application.close();
  }
});
