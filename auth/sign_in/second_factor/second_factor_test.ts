import assert from "node:assert/strict";
import jsQR from "jsqr";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { createAuth } from "../../app/create_auth.ts";
import { jwtSessions } from "../../app/jwt_sessions.ts";
import { ConfigurationError, SecondFactorRequiredError } from "../../errors.ts";
import { authMiddleware } from "../../session/auth_middleware.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import { createTestApplication, visit } from "../../tests/application.ts";
import { during } from "../../tests/during.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { everyCookie, PASSWORD, tokenOf } from "../../tests/password_application.ts";
import { ADA, type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { endSessions } from "../../session/user_sessions.ts";
import {
  disableUser,
  enableUser,
  passwordChanged,
  setUserRoles,
  updateUser,
} from "../../session/users.ts";
import { startSession } from "../../session/operations.ts";
import { issueSession } from "../../session/read_session.ts";
import { createMemoryTenantMembers, createMemoryTenantStorage } from "../../tenant/memory.ts";
import { defineTenancy } from "../../tenant/tenancy.ts";
import { secondFactor } from "./provider.ts";
import { requireSecondFactor, resetSecondFactor } from "./require.ts";

const HTML = { accept: "text/html" };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

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

// Tracks: R171
Deno.test("the code that turned the factor on signs nobody in, and each later code one", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const offered = await (await member.send("/second-factor/setup")).json();
    const code = await application.code(offered.secret);
    const fields = { setUp: offered.setUp, code };
    assert.equal((await member.send("/second-factor/setup", { fields })).status, 200);
    const browser = application.browser();
    await application.begin(browser);
    const replayed = await application.answer(browser, code);
    assert.deepEqual([replayed.status, (await replayed.json()).code], [401, "SECOND_FACTOR_WRONG"]);
    assert.ok(
      application.told.some(({ type, provider }) =>
        type === "replay-detected" && provider === "second-factor"
      ),
    );
    const account = await (await member.send("/account", { headers: HTML })).text();
    assert.match(account, /A code was used a second time and refused/);
    assert.doesNotMatch(account, /passkey was refused/);
    application.wait(30_000);
    const next = await application.code(offered.secret);
    assert.equal((await application.answer(browser, next)).status, 200);
    const other = application.browser();
    await application.begin(other);
    assert.equal((await application.answer(other, next)).status, 401);
    // The step before it is over, too.
    assert.equal(
      (await application.answer(other, await application.code(offered.secret, -1))).status,
      401,
    );
    assert.equal(await other.user(), null);
  }));

// Tracks: R171
Deno.test("of a hundred sign-ins that use one code at once, one goes through", () =>
  withFactor(async (application) => {
    const { secret } = await settled(application);
    const code = await application.code(secret);
    const browsers = [];
    for (let index = 0; index < 100; index++) {
      const browser = application.browser();
      await application.begin(browser);
      browsers.push(browser);
    }
    // Twenty tries a day are looked at; the others are refused before.
    const answers = await Promise.all(browsers.map((browser) => application.answer(browser, code)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  }));

// Tracks: R171, R172
Deno.test("a second step takes five tries, and is over after five minutes and after its use", () =>
  withFactor(async (application) => {
    const { secret, browser } = await settled(application);
    for (let index = 0; index < 5; index++) {
      const wrong = await application.answer(browser, "000000");
      assert.deepEqual([wrong.status, (await wrong.json()).code], [401, "SECOND_FACTOR_WRONG"]);
    }
    const right = await application.answer(browser, await application.code(secret));
    assert.deepEqual([right.status, (await right.json()).code], [401, "SECOND_FACTOR_TRIES_OVER"]);
    const page = await browser.send("/second-factor", {
      headers: HTML,
      fields: { code: await application.code(secret) },
    });
    assert.equal(page.status, 401);
    assert.match(await page.text(), /<h1>Too many wrong codes ended this sign-in\. Start again\./);
    assert.equal(await browser.user(), null);

    await application.begin(browser);
    application.wait(5 * MINUTE);
    const late = await application.answer(browser, await application.code(secret));
    assert.deepEqual([late.status, (await late.json()).code], [401, "SECOND_FACTOR_OVER"]);

    await application.begin(browser);
    const cookie = cookieOf(browser);
    assert.equal((await application.answer(browser, await application.code(secret))).status, 200);
    application.wait(30_000);
    const again = await application.send("/second-factor", {
      cookie,
      fields: { code: await application.code(secret) },
      headers: { accept: "application/json" },
    });
    assert.equal(again.status, 401);
  }));

// Tracks: R172
Deno.test("what waits for its second step is no session for anything", () =>
  withFactor(async (application) => {
    const { browser } = await settled(application);
    assert.ok(browser.cookies.has("__Host-framework.second-step"));
    assert.equal(await (await browser.send("/session")).json(), null);
    for (const path of ["/account", "/second-factor/setup", "/passkeys"]) {
      assert.ok((await browser.send(path)).status >= 300, path);
    }
    const response = await visit(
      application,
      () => requireSecondFactor().then(() => new Response()),
      { cookie: cookieOf(browser) },
    );
    assert.match(response.headers.get("location")!, /\/auth\/signin/);
    for (
      const [path, fields] of [
        ["/second-factor/setup/off", {}],
        ["/second-factor/setup/codes", {}],
        ["/passkey/options/register", {}],
      ] as const
    ) {
      assert.equal((await browser.send(path, { fields })).status, 401, path);
    }
    assert.equal(application.rows("second_factors").length, 1);
  }));

// Tracks: R171
Deno.test("twenty wrong codes a day close the app's codes with a mail, and recovery codes stay open", () =>
  withFactor(async (application) => {
    const { secret, codes, browser } = await settled(application);
    for (let index = 0; index < 20; index++) {
      if (index % 5 === 0) await application.begin(browser);
      assert.equal((await application.answer(browser, "000000")).status, 401);
    }
    await application.settle();
    assert.deepEqual(application.news.map(({ kind }) => kind), ["added", "closed"]);
    assert.equal(application.told.filter(({ type }) => type === "second-factor-closed").length, 1);
    await application.begin(browser);
    const closed = await application.answer(browser, await application.code(secret));
    assert.deepEqual([closed.status, (await closed.json()).code], [429, "SECOND_FACTOR_CLOSED"]);
    assert.equal((await application.answer(browser, codes[0]!)).status, 200);
    assert.equal(await browser.user(), application.userId());
    const other = application.browser();
    application.wait(DAY);
    await application.begin(other);
    assert.equal((await application.answer(other, await application.code(secret))).status, 200);
  }));

// Tracks: R168, R171
Deno.test("a stranger without the first factor closes nothing", () =>
  withFactor(async (application) => {
    const { secret, browser } = await settled(application);
    const stranger = application.browser();
    for (let index = 0; index < 60; index++) {
      await application.begin(stranger, { password: "a guess that is wrong" });
      assert.equal((await application.answer(stranger, "000000")).status, 401);
    }
    assert.equal(application.rows("second_factors")[0]!.tries, 0);
    assert.equal((await application.answer(browser, await application.code(secret))).status, 200);
  }));

// Tracks: R173
Deno.test("a recovery code signs in once, however it is typed, and its owner is told", () =>
  withFactor(async (application) => {
    const { codes, browser } = await settled(application);
    assert.equal(codes.length, 10);
    for (const code of codes) assert.match(code, /^[a-z2-7]{4}(?:-[a-z2-7]{4}){3}$/);
    assert.equal(
      (await application.answer(browser, codes[0]!.toUpperCase().replaceAll("-", " "))).status,
      200,
    );
    await application.settle();
    assert.equal(application.news.at(-1)!.kind, "recovery");
    assert.match(application.news.at(-1)!.text, /Recovery codes left: 9/);
    assert.ok(application.told.some(({ type }) => type === "recovery-code-used"));
    const other = application.browser();
    await application.begin(other);
    assert.equal((await application.answer(other, codes[0]!)).status, 401);
    assert.equal((await application.answer(other, codes[1]!)).status, 200);
  }));

// Tracks: R173
Deno.test("the database holds neither the secret of an app nor a recovery code nor a cookie", () =>
  withFactor(async (application) => {
    const { secret, codes, browser } = await settled(application);
    await application.answer(browser, await application.code(secret), { trust: "yes" });
    const dump = [
      "second_factors",
      "recovery_codes",
      "trusted_browsers",
      "session_factors",
      "verifications",
    ]
      .map((table) => JSON.stringify(application.rows(table))).join("\n");
    const secrets = [
      secret,
      ...codes,
      ...codes.map((code) => code.replaceAll("-", "")),
      ...browser.cookies.values(),
    ];
    for (const one of secrets) assert.equal(dump.includes(one), false);
    assert.equal(application.rows("recovery_codes").length, 10);
  }));

// Tracks: R174
Deno.test("a trusted browser stands in for the second factor at a sign-in, until its end, its removal or a new password", () =>
  withFactor(async (application) => {
    const { secret, browser } = await settled(application);
    await application.answer(browser, await application.code(secret), { trust: "yes" });
    await browser.send("/signout", { fields: {} });
    const signsIn = async () => {
      browser.cookies.delete("__Host-framework.session-token");
      await application.begin(browser);
      return await browser.user() !== null;
    };
    assert.equal(await signsIn(), true);
    // Never the first factor, and nobody else's.
    await application.begin(browser, { password: "a guess that is wrong" });
    const stranger = application.browser();
    await application.begin(stranger);
    assert.equal(await stranger.user(), null);
    application.wait(30 * DAY);
    assert.equal(await signsIn(), false, "after thirty days");

    await application.answer(browser, await application.code(secret), { trust: "yes" });
    assert.equal(await signsIn(), true);
    application.wait(1000);
    await during(application, undefined, () => passwordChanged(application.userId()));
    application.wait(1000);
    assert.equal(await signsIn(), false, "after a new password");

    application.wait(30_000);
    await application.answer(browser, await application.code(secret), { trust: "yes" });
    assert.equal(await signsIn(), true);
    application.wait(30_000);
    const fields = { code: await application.code(secret) };
    assert.equal((await browser.send("/second-factor", { fields })).status, 200);
    const { trustedBrowsers } = await (await browser.send("/second-factor/setup")).json();
    assert.equal(trustedBrowsers.length, 1);
    const ended = await browser.send("/second-factor/setup/browsers", {
      fields: { id: trustedBrowsers[0].id },
    });
    assert.deepEqual(await ended.json(), { ended: 1 });
    assert.equal(await signsIn(), false, "after its removal");
  }));

Deno.test("requireSecondFactor() says what to write where the application has no second factor", async () => {
  const application = createTestApplication({
    secret: "a secret of the test, of 32 bytes or more",
  });
  const cookie = await application.signIn("ada");
  await assert.rejects(
    () =>
      visit(application, async () => Response.json((await requireSecondFactor()).id), { cookie }),
    { name: "ConfigurationError", message: /providers: \[passwords\(\), secondFactor\(/ },
  );
  application.close();
});

// Tracks: R174
Deno.test("a trusted browser is never a fresh proof, and looks after no factor", () =>
  withFactor(async (application) => {
    const { secret, browser } = await settled(application);
    await application.answer(browser, await application.code(secret), { trust: "yes" });
    await browser.send("/signout", { fields: {} });
    await application.begin(browser);
    const ask = async (options: Parameters<typeof requireSecondFactor>[0]) =>
      (await visit(
        application,
        async () => Response.json((await requireSecondFactor(options)).id),
        {
          cookie: cookieOf(browser),
        },
      )).status;
    assert.equal(await ask({}), 200);
    assert.equal(await ask({ fresh: true }), 303);
    assert.equal((await browser.send("/second-factor/setup")).status, 401);
    for (const path of ["off", "codes", "browsers"]) {
      const refused = await browser.send(`/second-factor/setup/${path}`, { fields: {} });
      assert.equal((await refused.json()).code, "SECOND_FACTOR_REQUIRED", path);
    }
    const account = await browser.send("/account/delete", { fields: {} });
    assert.equal((await account.json()).code, "SECOND_FACTOR_REQUIRED");
    assert.equal(application.rows("users").length, 1);
    // Who has the password and this browser's cookie would shut the owner out.
    const changed = await browser.send("/account/password", {
      fields: { password: `${PASSWORD}!` },
    });
    assert.equal((await changed.json()).code, "SECOND_FACTOR_REQUIRED");
    // A passkey would be two factors.
    const refused = await browser.send("/passkey/options/register", { fields: {} });
    assert.equal((await refused.json()).code, "SECOND_FACTOR_REQUIRED");
    application.wait(30_000);
    const fields = { code: await application.code(secret) };
    assert.equal((await browser.send("/second-factor", { fields })).status, 200);
    assert.equal(await ask({ fresh: true }), 200);
    assert.equal((await browser.register(createSoftwareAuthenticator())).status, 200);
    const [{ id }] = await (await browser.send("/passkeys")).json();
    await browser.send("/signout", { fields: {} });
    await application.begin(browser);
    const kept = await browser.send(`/passkeys/${id}`, { method: "DELETE" });
    assert.equal((await kept.json()).code, "SECOND_FACTOR_REQUIRED");
    application.wait(30_000);
    const again = { code: await application.code(secret) };
    assert.equal((await browser.send("/second-factor", { fields: again })).status, 200);
    application.wait(11 * MINUTE);
    assert.equal(await ask({ fresh: true }), 303);
    assert.equal(await ask({ fresh: 12 * 60 }), 200);
  }));

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

// Tracks: R175
Deno.test("the application resets a lost factor with a reason: its sessions end, its owner is told", () =>
  withFactor(async (application) => {
    const { member } = await settled(application);
    const id = application.userId();
    await during(
      application,
      undefined,
      () => assert.rejects(resetSecondFactor(id, { reason: " " }), { code: "BAD_REQUEST" }),
    );
    assert.equal(application.rows("second_factors").length, 1);
    const reset = () => resetSecondFactor(id, { reason: "ticket 4711" });
    assert.equal((await during(application, undefined, reset)).result, true);
    assert.equal((await during(application, undefined, reset)).result, false);
    assert.equal(await member.user(), null);
    const event = application.told.find(({ type }) => type === "second-factor-removed");
    assert.deepEqual([event?.userId, event && "reason" in event && event.reason], [
      id,
      "ticket 4711",
    ]);
    await application.settle();
    const mail = application.news.at(-1)!;
    assert.deepEqual([mail.kind, mail.to], ["reset", ADA]);
    // The owner did not do it, and has no session: not "Was it you?", and nothing that only a session opens.
    assert.doesNotMatch(mail.text, /Was (?:it|that) you|Sign it out/);
    assert.match(mail.text, /Tell support at once/);
    const { pathname, searchParams } = new URL(mail.url);
    assert.equal(pathname, "/auth/signin");
    assert.equal(searchParams.get("callbackUrl"), "/auth/account");
    assert.ok(mail.text.includes(mail.url) && mail.html.includes(">Sign in<"));
    const browser = application.browser();
    await application.begin(browser);
    assert.equal(await browser.user(), id);
  }));

// Tracks: R030, R172, R174, R175
Deno.test("a reset and turning off end trusted browsers and the steps that wait, whoever has them", async () => {
  for (const strategy of ["database", "jwt"] as const) {
    for (const how of ["reset", "off"] as const) {
      await withFactor(async (application) => {
        const { member, secret, browser } = await settled(application);
        const id = application.userId();
        await application.answer(browser, await application.code(secret), { trust: "yes" });
        application.wait(30_000);
        const waiting = application.browser();
        await application.begin(waiting);
        assert.equal(application.rows("trusted_browsers").length, 1);
        const steps = () =>
          application.rows("verifications").filter(({ purpose }) => purpose === "second-step");
        assert.equal(steps().length, 1);
        if (how === "reset") {
          await during(application, undefined, () => resetSecondFactor(id, { reason: "lost" }));
          assert.equal(await member.user(), null);
        } else {
          const done = await member.send("/second-factor/setup/off", { fields: {} });
          assert.equal(done.status, 200);
          assert.equal(await member.user(), id);
        }
        assert.deepEqual(application.rows("trusted_browsers"), []);
        assert.deepEqual(steps(), []);
        assert.equal(await browser.user(), null);
        const late = await application.answer(waiting, await application.code(secret));
        assert.equal((await late.json()).code, "SECOND_FACTOR_OVER");
      }, strategy);
    }
  }
});

// Tracks: R175
Deno.test("a reset whose transaction fails has removed nothing and ended nobody", () =>
  withFactor(async (application) => {
    const { member } = await settled(application);
    const id = application.userId();
    const { sqlite } = application.database;
    sqlite.exec(
      "CREATE TRIGGER broken BEFORE DELETE ON verifications BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
    await during(
      application,
      undefined,
      () => assert.rejects(resetSecondFactor(id, { reason: "lost" })),
    );
    assert.equal(application.rows("second_factors").length, 1);
    assert.equal(application.rows("recovery_codes").length, 10);
    assert.equal(await member.user(), id);
    assert.equal(application.told.some(({ type }) => type === "second-factor-removed"), false);
  }));

// Tracks: R176
Deno.test("requireSecondFactor() and authMiddleware() lead who has none to set it up, and who has not proved it to the page that asks", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const visitWith = (browser: PasskeyBrowser, json = false) => {
      const headers: Record<string, string> = { cookie: cookieOf(browser) };
      if (json) headers.accept = "application/json";
      const request = new Request("https://app.example/payments", { headers });
      const guard = authMiddleware({ secondFactor: true });
      return application.auth.run(
        request,
        {},
        undefined,
        (context) => guard(request, () => Promise.resolve(new Response("inside")), context),
      );
    };
    const led = await visitWith(member);
    assert.equal(
      led.headers.get("location"),
      "https://app.example/auth/second-factor/setup?callbackUrl=%2Fpayments",
    );
    const told = await visitWith(member, true);
    assert.deepEqual([told.status, (await told.json()).code], [401, "SECOND_FACTOR_REQUIRED"]);
    const { secret } = await application.enrol(member);
    assert.equal(await (await visitWith(member)).text(), "inside");
    // The factor of another session is not this one's.
    application.database.sqlite.exec("DELETE FROM session_factors");
    const asked = await visitWith(member);
    assert.equal(
      asked.headers.get("location"),
      "https://app.example/auth/second-factor?callbackUrl=%2Fpayments",
    );
    const code = await application.code(secret);
    const proved = await application.answer(member, code, { callbackUrl: "/payments" });
    assert.equal((await proved.json()).redirectTo, "https://app.example/payments");
    assert.equal(await (await visitWith(member)).text(), "inside");
    await visit(application, async () => {
      await assert.rejects(requireSecondFactor({ throwError: true }), { code: "UNAUTHENTICATED" });
      return new Response();
    });
  }));

Deno.test("authMiddleware({ secondFactor: true }) lets nobody through where nobody asks for one", async () => {
  const auth = createAuth({ database: createMemoryStorage() });
  const context = { auth: { getUser: () => Promise.resolve({ id: "ada" }) } };
  const guard = authMiddleware({ secondFactor: true });
  const next = () => Promise.resolve(new Response("inside"));
  const request = new Request("http://localhost/");
  await assert.rejects(
    auth.run(request, {}, undefined, () => guard(request, next, context)),
    ConfigurationError,
  );
  assert.throws(() => authMiddleware({ secondFactor: "yes" as never }), ConfigurationError);
});

// Tracks: R077, R172
Deno.test("the pages work without script: set up by the QR code, asked at the sign-in, and back to where one wanted to go", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const page =
      await (await member.send("/second-factor/setup?callbackUrl=%2Fpayments", { headers: HTML }))
        .text();
    assert.doesNotMatch(page, /<script/);
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

/** Reads the QR code of a page, as a camera would: its modules as pixels. */
function readQrCode(html: string): string {
  const size = Number(/class="qr" viewBox="0 0 (\d+)/.exec(html)![1]);
  const scale = 8;
  const border = 4;
  const side = (size + 2 * border) * scale;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  const svg = /<svg class="qr"[^]*?<\/svg>/.exec(html)![0];
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < scale; row++) {
      for (let column = 0; column < scale; column++) {
        const at = ((Number(y) + border) * scale + row) * side + (Number(x) + border) * scale +
          column;
        pixels.fill(0, at * 4, at * 4 + 3);
      }
    }
  }
  const read = (jsQR as unknown as typeof import("jsqr").default)(pixels, side, side);
  assert.ok(read, "the code cannot be read");
  return read.data;
}

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
    const after = await (await member.send("/account", { headers: HTML })).text();
    assert.match(after, /id="two-step"[^]*<span class="tag good">On<\/span>/);
    assert.match(after, /Two-step sign-in turned on/);
    const manage = await (await member.send("/second-factor/setup", { headers: HTML })).text();
    assert.match(manage, /Recovery codes left: 10/);
  }));

// Tracks: R170
Deno.test("a factor that is turned on while somebody signs in ends that sign-in too", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const offered = await (await member.send("/second-factor/setup")).json();
    const fields = { setUp: offered.setUp, code: await application.code(offered.secret) };
    const storage = application.auth.storage({});
    const { insertSession } = storage;
    let enrolled = 0;
    storage.insertSession = async (...given) => {
      storage.insertSession = insertSession;
      // Between the gate and the session.
      enrolled = (await member.send("/second-factor/setup", { fields })).status;
      return await insertSession(...given);
    };
    const browser = application.browser();
    const response = await application.begin(browser);
    assert.equal(enrolled, 200);
    assert.equal((await response.json()).user, null);
    assert.equal(await browser.user(), null);
    // That of the member alone.
    assert.equal((await (await member.send("/sessions")).json()).length, 1);
  }));

// Tracks: R162
Deno.test("an account at a provider is linked by a sign-in when its second step is done, and not before", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const { secret } = await application.enrol(member);
    const browser = application.browser();
    await browser.send("/signin/code", { fields: { sub: "1", email: ADA, verified: "true" } });
    assert.deepEqual(application.rows("accounts"), []);
    assert.equal(application.told.some(({ type }) => type === "account-linked"), false);
    assert.equal((await application.answer(browser, await application.code(secret))).status, 200);
    const [account] = application.rows("accounts");
    assert.deepEqual([account?.provider, account?.access_token], ["code", "sealed-access"]);
    assert.equal(application.told.filter(({ type }) => type === "account-linked").length, 1);
  }));

// Tracks: R030, R172
Deno.test("a new password ends the second steps that wait", () =>
  withFactor(async (application) => {
    const { secret, browser } = await settled(application);
    const token = await application.askReset(ADA);
    const fields = { token, password: `${PASSWORD} 2` };
    assert.equal((await application.browser().send("/reset", { fields })).status, 200);
    assert.equal((await application.answer(browser, await application.code(secret))).status, 401);
    assert.equal(await browser.user(), null);
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

// Tracks: R162, R170, R172
Deno.test("a change of the address removes no second factor, whoever may have planted its session", async () => {
  for (const hostOnly of [true, false]) {
    for (const strategy of ["database", "jwt"] as const) {
      await withFactor(
        async (application) => {
          const member = await application.member();
          const { secret, codes } = await application.enrol(member);
          const asked = await member.send("/account/email", {
            fields: { email: "ada@new.example" },
          });
          assert.equal(asked.status, 303);
          assert.equal(application.changes.length, 2);
          for (const { url } of application.changes) {
            const fields = Object.fromEntries(new URL(url).searchParams);
            assert.equal((await member.send("/account/email/confirm", { fields })).status, 200);
          }
          assert.equal(application.rows("users")[0]!.email, "ada@new.example");
          assert.equal(application.rows("second_factors").length, 1);
          application.wait(60_000);
          const answers = [await application.code(secret), codes[0]!];
          for (const answer of answers) {
            const browser = application.browser();
            await browser.send("/signin/email", { fields: { email: "ada@new.example" } });
            const { token, identifier } = application.links.at(-1)!;
            const response = await browser.send("/callback/email", {
              fields: { token, email: identifier },
            });
            assert.equal((await response.json()).user, null);
            assert.equal(await browser.user(), null);
            assert.equal((await application.answer(browser, answer)).status, 200);
            assert.equal(await browser.user(), application.userId());
          }
        },
        strategy,
        {},
        { cookies: { sessionToken: { hostOnly } } },
      );
    }
  }
});

// Tracks: R162, R170, R172
Deno.test("a first proof of an address that the application wrote by itself removes no second factor", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const { secret } = await application.enrol(member);
    const id = application.userId();
    await during(application, undefined, () => updateUser(id, { email: "ada@other.example" }));
    const token = await application.askReset("ada@other.example");
    const password = `${PASSWORD} 2`;
    const reset = await application.browser().send("/reset", { fields: { token, password } });
    assert.equal(reset.status, 200);
    assert.notEqual(application.rows("users")[0]!.email_verified, null);
    application.wait(1000);
    const browser = application.browser();
    const begun = await application.begin(browser, { email: "ada@other.example", password });
    assert.equal((await begun.json()).user, null);
    assert.equal((await application.answer(browser, await application.code(secret))).status, 200);
    assert.equal(await browser.user(), id);
  }));

// Tracks: R030, R172, R174
Deno.test("signing out everywhere and disabling end trusted browsers and the steps that wait, like sessions", async () => {
  for (const strategy of ["database", "jwt"] as const) {
    for (const how of ["everywhere", "all", "disabled"] as const) {
      await withFactor(async (application) => {
        const { member, secret, browser } = await settled(application);
        const id = application.userId();
        await application.answer(browser, await application.code(secret), { trust: "yes" });
        await browser.send("/signout", { fields: {} });
        const waiting = application.browser();
        await application.begin(waiting);
        application.wait(60_000);
        if (how === "everywhere") {
          const ended = await member.send("/account/sessions/end-others", { fields: {} });
          assert.equal(ended.status, 303);
          assert.equal(await member.user(), id);
        } else if (how === "all") {
          await during(application, undefined, () => endSessions(id));
        } else {
          await during(application, undefined, () => disableUser(id));
          await during(application, undefined, () => enableUser(id));
        }
        application.wait(60_000);
        const late = await application.answer(waiting, await application.code(secret));
        assert.equal((await late.json()).code, "SECOND_FACTOR_OVER", how);
        await application.begin(browser);
        assert.equal(await browser.user(), null, how);
        assert.equal(
          (await application.answer(browser, await application.code(secret))).status,
          200,
        );
        assert.equal(await browser.user(), id);
      }, strategy);
    }
  }
});

// Tracks: R172
Deno.test("a step that waits in one tenant is completed in no other", async () => {
  const storage = createMemoryTenantStorage();
  for (const slug of ["a", "b"]) await storage.create({ id: slug, slug, name: slug });
  const members = createMemoryTenantMembers();
  await withFactor(
    async (application) => {
      const member = await application.member();
      const { secret, codes } = await application.enrol(member);
      for (const tenantId of ["a", "b"]) {
        const createdAt = new Date(application.clock.now);
        await members.add({ tenantId, userId: application.userId(), roles: ["owner"], createdAt });
      }
      const browser = application.browser();
      const go = (path: string, tenant: string, fields: Record<string, string>) =>
        browser.send(path, { fields, headers: { "x-tenant-id": tenant } });
      const values = { email: ADA, password: PASSWORD };
      assert.equal((await (await go("/signin/passwords", "a", values)).json()).user, null);
      const code = await application.code(secret);
      for (const answer of [code, codes[0]!]) {
        const elsewhere = await go("/second-factor", "b", { code: answer });
        const { code: error } = await elsewhere.json();
        assert.deepEqual([elsewhere.status, error], [401, "SECOND_FACTOR_OVER"]);
        const nowhere = await browser.send("/second-factor", { fields: { code: answer } });
        assert.equal((await nowhere.json()).code, "SECOND_FACTOR_OVER");
      }
      // Neither the code nor the recovery code was used up for nothing.
      const right = await go("/second-factor", "a", { code });
      assert.equal((await right.json()).user.id, application.userId());
      const sessions = application.rows("sessions").map(({ tenant_id }) => tenant_id);
      assert.deepEqual(sessions.filter((tenant) => tenant !== null), ["a"]);
    },
    "database",
    {},
    { tenancy: defineTenancy({ strategy: "header", storage, members }) },
  );
});

/** Whoever has the role "owner" must have a second factor. */
const OWNERS = { required: ({ roles }: { roles?: string[] }) => roles?.includes("owner") ?? false };

// Tracks: R170, R172, R176
Deno.test("who must have a second factor turns one on before there is a session, and then signs in with it", async () => {
  for (const strategy of ["database", "jwt"] as const) {
    await withFactor(
      async (application) => {
        const member = await application.member();
        const id = application.userId();
        assert.equal(await member.user(), id, "nobody else must");
        await during(application, undefined, () => setUserRoles(id, { roles: ["owner"] }));
        const thief = application.browser();
        await application.begin(thief);
        const browser = application.browser();
        const begun = await (await application.begin(browser)).json();
        assert.equal(begun.user, null);
        assert.match(begun.redirectTo, /\/auth\/second-factor/);
        // What there is opens the enrolment and nothing else.
        assert.equal(await browser.user(), null);
        assert.deepEqual(
          [...browser.cookies.keys()].filter((name) => name.includes("session-token")),
          [],
        );
        assert.equal((await browser.send("/second-factor/setup")).status, 401);
        const refused = await application.answer(browser, "000000");
        assert.deepEqual([refused.status, (await refused.json()).code], [
          401,
          "SECOND_FACTOR_OVER",
        ]);
        const offered = await (await browser.send("/second-factor")).json();
        assert.equal(offered.on, false);
        const fields = {
          setUp: offered.setUp,
          code: await application.code(offered.secret),
          callbackUrl: "/payments",
        };
        const wrong = await browser.send("/second-factor", {
          fields: { ...fields, code: "000000" },
        });
        assert.equal((await wrong.json()).code, "SECOND_FACTOR_WRONG");
        // Sealed for this step: in another browser it turns nothing on.
        const elsewhere = await thief.send("/second-factor", { fields });
        assert.equal((await elsewhere.json()).code, "SECOND_FACTOR_OVER");
        assert.equal(application.rows("second_factors").length, 0);
        application.wait(1000);
        const done = await (await browser.send("/second-factor", { fields })).json();
        assert.equal(done.user?.id, id, JSON.stringify(done));
        assert.equal(done.redirectTo, "https://app.example/payments");
        assert.equal(done.recoveryCodes.length, 10);
        assert.equal(await browser.user(), id);
        assert.equal(await member.user(), null, "the sessions of before have proved nothing");
        assert.equal(
          (await browser.send("/second-factor/setup/codes", { fields: {} })).status,
          200,
        );
        await application.settle();
        assert.deepEqual(application.news.map(({ kind }) => kind), ["added", "codes"]);
        assert.ok(application.told.some(({ type }) => type === "second-factor-added"));
        // The step that another browser had opened meanwhile asks for this factor now, and enrols nobody.
        const late = await thief.send("/second-factor", { fields });
        assert.equal(late.status, 401);
        assert.equal(await thief.user(), null);
        application.wait(30_000);
        const next = application.browser();
        await application.begin(next);
        const code = await application.code(offered.secret);
        assert.equal((await application.answer(next, code)).status, 200);
        assert.equal(await next.user(), id);
      },
      strategy,
      OWNERS,
    );
  }
});

// Tracks: R170, R172
Deno.test("no way to begin a session goes past a second factor that its user must have, a new user's neither", () =>
  withFactor(
    async (application) => {
      const signedUp = await application.signUp(ADA);
      const cookie = everyCookie(signedUp);
      await application.settle();
      const token = tokenOf(application.outbox.at(-1)!);
      const joined = await application.send("/signup/confirm", {
        cookie,
        fields: { token },
        headers: HTML,
      });
      assert.equal(joined.status, 303, await joined.clone().text());
      assert.match(joined.headers.get("location")!, /\/auth\/second-factor/);
      assert.equal(everyCookie(joined).includes("session-token"), false);
      assert.match(everyCookie(joined), /second-step/);
      const id = String(application.rows("users")[0]!.id);
      assert.equal(application.told.filter(({ type }) => type === "sign-up").length, 1);
      assert.deepEqual(application.rows("sessions"), []);
      await assert.rejects(issueSession(application.auth, id, {}), {
        code: "SECOND_FACTOR_REQUIRED",
      });
      await during(application, undefined, async () => {
        await assert.rejects(startSession(id), { code: "SECOND_FACTOR_REQUIRED" });
      });
      assert.deepEqual(application.rows("sessions"), []);
      const { session } = await issueSession(application.auth, id, {}, { amr: ["mfa"] });
      assert.equal(session.user.id, id);
      const stranger = application.browser();
      await stranger.send("/signin/code", {
        fields: { sub: "1", email: "eve@example.com", verified: "true" },
      });
      assert.equal(await stranger.user(), null);
      const page = await stranger.send("/second-factor", { headers: HTML });
      assert.equal(page.status, 200);
      const html = await page.text();
      const secret = new URL(readQrCode(html)).searchParams.get("secret")!;
      const setUp = /name="setUp" value="([^"]*)"/.exec(html)![1]!;
      const done = await stranger.send("/second-factor", {
        headers: HTML,
        fields: { setUp, code: await application.code(secret) },
      });
      assert.match(await done.text(), /<h1>Save your recovery codes<\/h1>/);
      assert.notEqual(await stranger.user(), null);
    },
    "database",
    { required: () => true },
  ));

// Tracks: R170
Deno.test("what required() throws signs nobody in, and it is told the tenant", async () => {
  const asked: unknown[] = [];
  const storage = createMemoryTenantStorage();
  await storage.create({ id: "a", slug: "a", name: "A" });
  await withFactor(
    async (application) => {
      await application.member();
      const browser = application.browser();
      await assert.rejects(
        browser.send("/signin/passwords", {
          fields: { email: ADA, password: PASSWORD },
          headers: { "x-tenant-id": "a" },
        }),
        /nobody knows/,
      );
      assert.equal(await browser.user(), null);
      assert.deepEqual(asked, [null, "a"]);
      assert.equal(application.rows("sessions").length, 1);
    },
    "database",
    {
      required(_user, { tenantId }) {
        asked.push(tenantId);
        if (tenantId !== null) throw new Error("nobody knows");
        return false;
      },
    },
    {
      tenancy: defineTenancy({
        strategy: "header",
        storage,
        members: createMemoryTenantMembers(),
      }),
    },
  );
});
