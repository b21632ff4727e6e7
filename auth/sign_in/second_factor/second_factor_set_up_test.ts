// Turning the second factor on and off, its pages and its options.
import assert from "node:assert/strict";
import { createAuth } from "../../app/create_auth.ts";
import { jwtSessions } from "../../app/jwt_sessions.ts";
import { SecondFactorRequiredError } from "../../errors.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import { visit } from "../../tests/application.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { PASSWORD } from "../../tests/password_application.ts";
import { ADA, type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { readQrCode } from "../../tests/qr_code.ts";
import { secondFactor } from "./provider.ts";
import { requireSecondFactor } from "./require.ts";

const HTML = { accept: "text/html" };
const MINUTE = 60_000;

function cookieOf({ cookies }: PasskeyBrowser): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

/** A member with the factor on, who has gone to another browser. */
async function settled(application: FactorApplication) {
  const member = await application.member();
  const { secret, codes } = await application.enrol(member);
  const browser = application.browser();
  await application.begin(browser);
  return { member, secret, codes, browser };
}

// Tracks: R174
Deno.test("turning a factor on takes a fresh sign-in and a proved address, and ends the other sessions", async () => {
  for (const strategy of ["database", "jwt"] as const) {
    await withFactor(async (application) => {
      const member = await application.member();
      const other = application.browser();
      await application.begin(other);
      assert.equal(await other.user(), application.userId());
      application.wait(11 * MINUTE);
      assert.equal((await member.send("/second-factor/setup")).status, 401);
      await application.begin(member);
      const offered = await (await member.send("/second-factor/setup")).json();
      const fields = { setUp: offered.setUp, code: await application.code(offered.secret) };
      // Sealed for this session: elsewhere nothing is turned on by it.
      await application.begin(other);
      assert.equal((await other.send("/second-factor/setup", { fields })).status, 401);
      const wrong = await member.send("/second-factor/setup", {
        fields: { ...fields, code: "000000" },
      });
      assert.equal(wrong.status, 401);
      assert.equal(application.rows("second_factors").length, 0);
      application.wait(1000);
      assert.equal((await member.send("/second-factor/setup", { fields })).status, 200);
      assert.equal(await other.user(), null);
      assert.equal(await member.user(), application.userId());
      await application.settle();
      assert.deepEqual(application.news.map(({ kind, to }) => [kind, to]), [["added", ADA]]);
      assert.ok(application.told.some(({ type }) => type === "second-factor-added"));
    }, strategy);
  }
  await withFactor(async (application) => {
    const member = await application.member();
    application.database.sqlite.exec("UPDATE users SET email_verified = NULL");
    const refused = await member.send("/second-factor/setup");
    assert.deepEqual([refused.status, (await refused.json()).code], [
      403,
      "SECOND_FACTOR_UNPROVED_EMAIL",
    ]);
    const page = await member.send("/second-factor/setup", { headers: HTML });
    assert.equal(page.status, 403);
  });
});

// Tracks: R174
Deno.test("new recovery codes take the place of all before, and turning off removes everything; both are told", () =>
  withFactor(async (application) => {
    const { member, codes } = await settled(application);
    const made = await (await member.send("/second-factor/setup/codes", { fields: {} })).json();
    assert.equal(made.recoveryCodes.length, 10);
    const browser = application.browser();
    await application.begin(browser);
    assert.equal((await application.answer(browser, codes[0]!)).status, 401);
    assert.equal((await application.answer(browser, made.recoveryCodes[0])).status, 200);
    application.wait(11 * MINUTE);
    await application.begin(member);
    assert.equal((await member.send("/second-factor/setup/off", { fields: {} })).status, 401);
    assert.equal(application.rows("second_factors").length, 1);
    await application.answer(member, made.recoveryCodes[1]);
    assert.equal((await member.send("/second-factor/setup/off", { fields: {} })).status, 200);
    assert.deepEqual(application.rows("second_factors"), []);
    assert.deepEqual(application.rows("recovery_codes"), []);
    // Who has none any more has proved none.
    const led = await visit(
      application,
      () => requireSecondFactor().then(() => new Response("inside")),
      { cookie: cookieOf(member) },
    );
    assert.match(led.headers.get("location")!, /\/auth\/second-factor\/setup/);
    await application.settle();
    assert.deepEqual(application.news.map(({ kind }) => kind), [
      "added",
      "codes",
      "recovery",
      "recovery",
      "removed",
    ]);
    await application.begin(application.browser());
  }));

/** Makes a statement on a table fail. */
function failing({ database: { sqlite } }: FactorApplication, event: string, table: string): void {
  sqlite.exec(`CREATE TRIGGER failing BEFORE ${event} ON ${table}
    BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
}

// Tracks: R172, R174
Deno.test("whatever fails once a factor is on, its recovery codes are shown and its owner is told", async () => {
  for (const [event, table] of [["UPDATE", "sessions"], ["INSERT", "session_factors"]] as const) {
    await withFactor(async (application) => {
      const member = await application.member();
      const offered = await (await member.send("/second-factor/setup")).json();
      failing(application, event, table);
      const response = await member.send("/second-factor/setup", {
        fields: { setUp: offered.setUp, code: await application.code(offered.secret) },
      });
      assert.equal(response.status, 200, `${event} ${table}`);
      assert.equal((await response.json()).recoveryCodes.length, 10);
      assert.equal(application.rows("recovery_codes").length, 10);
      await application.settle();
      assert.deepEqual(application.news.map(({ kind }) => kind), ["added"]);
      assert.ok(
        application.log.some(({ level, event }) =>
          level === "error" && event === "after-codes-failed"
        ),
      );
    });
  }
});

// Tracks: R172, R174
Deno.test("while the other sessions cannot be ended no factor is turned on, and no codes are replaced", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const offered = await (await member.send("/second-factor/setup")).json();
    const turnOn = async () =>
      await member.send("/second-factor/setup", {
        fields: { setUp: offered.setUp, code: await application.code(offered.secret) },
      });
    await application.begin(application.browser());
    failing(application, "DELETE", "sessions");
    assert.ok((await turnOn()).status >= 500);
    assert.deepEqual(application.rows("second_factors"), []);
    application.database.sqlite.exec("DROP TRIGGER failing");
    // The form that was refused still turns it on.
    assert.equal((await turnOn()).status, 200);
    const codes = application.rows("recovery_codes");
    application.wait(30_000);
    const other = application.browser();
    await application.begin(other);
    await application.answer(other, await application.code(offered.secret));
    failing(application, "DELETE", "sessions");
    const renewed = await member.send("/second-factor/setup/codes", { fields: {} });
    assert.ok(renewed.status >= 500);
    assert.deepEqual(application.rows("recovery_codes"), codes);
  }));

// Tracks: R077, R172
Deno.test("the pages work without script: set up by the QR code, asked at the sign-in, and back to where one wanted to go", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const page =
      await (await member.send("/second-factor/setup?callbackUrl=%2Fpayments", { headers: HTML }))
        .text();
    // What takes a script is hidden.
    assert.match(page, /<button[^>]* data-copy="key"[^>]* hidden>/);
    const uri = readQrCode(page);
    const secret = new URL(uri).searchParams.get("secret")!;
    assert.ok(page.includes(secret.match(/.{4}/g)!.join(" ")));
    const hidden = (name: string, html: string) =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(html)![1]!.replaceAll("&amp;", "&");
    const again = await member.send("/second-factor/setup", {
      headers: HTML,
      fields: { setUp: hidden("setUp", page), code: "000000" },
    });
    assert.equal(again.status, 401);
    assert.equal(readQrCode(await again.text()), uri);
    const done = await member.send("/second-factor/setup", {
      headers: HTML,
      fields: {
        setUp: hidden("setUp", page),
        code: await application.code(secret),
        callbackUrl: hidden("callbackUrl", page),
      },
    });
    const shown = await done.text();
    assert.equal(done.headers.get("cache-control"), "no-store");
    assert.equal([...shown.matchAll(/<li>[a-z2-7-]{19}<\/li>/g)].length, 10);
    assert.match(shown, /href="https:\/\/app\.example\/payments"/);
    application.wait(30_000);

    const browser = application.browser();
    const first = await browser.send("/signin/passwords", {
      headers: HTML,
      fields: { email: ADA, password: PASSWORD, callbackUrl: "/payments" },
    });
    const location = first.headers.get("location")!;
    assert.equal(first.status, 303);
    assert.match(location, /\/auth\/second-factor\?callbackUrl=/);
    const path = location.slice("https://app.example/auth".length);
    const asked = await (await browser.send(path, { headers: HTML })).text();
    assert.match(asked, /autocomplete="one-time-code"/);
    assert.match(asked, /Trust this browser for 30 days/);
    const recovery = await (await browser.send(`${path}&way=recovery`, { headers: HTML })).text();
    assert.match(recovery, /<h1>Use a recovery code<\/h1>/);
    const wrong = await browser.send("/second-factor", { headers: HTML, fields: { code: "123" } });
    assert.equal(wrong.status, 401);
    assert.match(await wrong.text(), /aria-invalid="true"/);
    const right = await browser.send("/second-factor", {
      headers: HTML,
      fields: { code: await application.code(secret), callbackUrl: hidden("callbackUrl", asked) },
    });
    assert.deepEqual([right.status, right.headers.get("location")], [
      303,
      "https://app.example/payments",
    ]);
    const off = application.browser();
    const over = await off.send("/second-factor", { headers: HTML, fields: { code: "000000" } });
    assert.equal(over.status, 401);
    assert.match(await over.text(), /This sign-in took too long/);
    const evil = await browser.send("/second-factor?callbackUrl=https%3A%2F%2Fevil.example", {
      headers: HTML,
    });
    assert.equal((await evil.text()).includes("evil.example"), false);
    application.wait(30_000);
    const lured = application.browser();
    await lured.send("/signin/passwords", {
      headers: HTML,
      fields: { email: ADA, password: PASSWORD, callbackUrl: "//evil.example" },
    });
    const led = await lured.send("/second-factor", {
      headers: HTML,
      fields: { code: await application.code(secret), callbackUrl: "https://evil.example/" },
    });
    assert.deepEqual([led.status, led.headers.get("location")], [303, "https://app.example/"]);
  }));

Deno.test("the account page has a section for two-step sign-in, and what happened to it is in the list", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const before = await (await member.send("/account", { headers: HTML })).text();
    assert.match(
      before,
      /id="two-step"[^]*Not set up yet\.[^]*href="\/auth\/second-factor\/setup"/,
    );
    await application.enrol(member);
    await application.settle();
    // Its mail leads to the page that can sign out everywhere else and change how to sign in.
    assert.equal(application.news[0]!.url, "https://app.example/auth/account");
    const after = await (await member.send("/account", { headers: HTML })).text();
    assert.match(after, /id="two-step"[^]*<span class="tag good">On<\/span>/);
    assert.match(after, /Two-step sign-in turned on/);
    const manage = await (await member.send("/second-factor/setup", { headers: HTML })).text();
    assert.match(manage, /Recovery codes left: 10/);
  }));

Deno.test("secondFactor() says what is wrong with its options, and what it needs", () => {
  const settings = (more: object) => () =>
    createAuth({ database: createMemoryStorage(), ...more }).storage({});
  const factor = secondFactor({ sendMail() {} });
  const secret = "0123456789abcdef0123456789abcdef";
  assert.throws(() => secondFactor({ sendMail: "smtp://" } as never), /sendMail/);
  assert.throws(() => secondFactor({ sendMail() {}, trustBrowsersFor: 1.5 }), /trustBrowsersFor/);
  assert.throws(() => secondFactor({ sendMail() {}, wrong: 1 } as never), /wrong/);
  assert.throws(settings({ providers: [factor] }), /secondFactor\(\) needs `secret`/);
  assert.throws(
    settings({ providers: [factor], secret, session: { strategy: jwtSessions } }),
    /revocation/,
  );
  assert.equal(typeof settings({ providers: [factor], secret })(), "object");
  assert.equal(new SecondFactorRequiredError().redirectTo, null);
});

Deno.test("an app on the same device is opened by a link, or given the key, which is shown", async () => {
  await withFactor(async (application) => {
    const member = await application.member();
    const page = await (await member.send("/second-factor/setup", { headers: HTML })).text();
    const [, key] = /<code id="key" dir="ltr">([A-Z2-7 ]+)<\/code>/.exec(page)!;
    const [, uri] = /<a class="button" href="(otpauth:[^"]*)"/.exec(page)!;
    const { searchParams } = new URL(uri!.replaceAll("&amp;", "&"));
    assert.equal(searchParams.get("secret"), key!.replaceAll(" ", ""));
    assert.match(page, /data-copy="key"/);
    assert.doesNotMatch(page, /<details>/);
  });
});

Deno.test("to turn it off or to make new codes asks first, and the account page says that it is off", async () => {
  await withFactor(async (application) => {
    const member = await application.member();
    await application.enrol(member);
    const page = await (await member.send("/second-factor/setup", { headers: HTML })).text();
    for (const path of ["off", "codes"]) {
      assert.match(
        page,
        new RegExp(`<details><summary>[^<]*</summary>\n<form[^>]*/${path}">\n<p `),
      );
    }
    const off = await member.send("/second-factor/setup/off", { fields: {}, headers: HTML });
    assert.equal(
      off.headers.get("location"),
      "https://app.example/auth/account?done=second-factor-off",
    );
  });
});
