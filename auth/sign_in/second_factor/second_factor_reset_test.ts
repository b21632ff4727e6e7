// The ends of a second factor, and what ends none.
import assert from "node:assert/strict";
import { during } from "../../tests/during.ts";
import { PASSWORD } from "../../tests/password_application.ts";
import { ADA, type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { endSessions } from "../../session/user_sessions.ts";
import { disableUser, enableUser, updateUser } from "../../session/users.ts";
import { resetSecondFactor } from "./require.ts";

/** A member with the factor on, who has gone to another browser. */
async function settled(application: FactorApplication) {
  const member = await application.member();
  const { secret, codes } = await application.enrol(member);
  const browser = application.browser();
  await application.begin(browser);
  return { member, secret, codes, browser };
}

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
      () =>
        assert.rejects(resetSecondFactor(id, { reason: "lost" }), { code: "STORAGE_UNAVAILABLE" }),
    );
    assert.equal(application.rows("second_factors").length, 1);
    assert.equal(application.rows("recovery_codes").length, 10);
    assert.equal(await member.user(), id);
    assert.equal(application.told.some(({ type }) => type === "second-factor-removed"), false);
  }));

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
          assert.equal(asked.status, 200);
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
          assert.equal(ended.status, 200);
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
