// The way back for who has lost all second factors, and what thieves of a password or of a mailbox try with it.
import assert from "node:assert/strict";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { ConfigurationError } from "../../errors.ts";
import { endEverything } from "../../session/end_everything.ts";
import { disableUser, enableUser } from "../../session/users.ts";
import { during } from "../../tests/during.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { PASSWORD } from "../../tests/password_application.ts";
import { ADA, type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { WAYS } from "../../tests/ways_in.ts";
import type { SecondFactorConfig } from "./factor.ts";
import { secondFactor } from "./provider.ts";
import { resetSecondFactor } from "./require.ts";

const HTML = { accept: "text/html" };
const PATH = "/second-factor/recovery";
const DAY = 86_400_000;
const DELAY = 3 * DAY;
const STRATEGIES = ["database", "jwt"] as const;

type Strategy = typeof STRATEGIES[number];

/** Runs a test with an application in which a recovery can be asked for. */
const withRecovery = (
  test: (application: FactorApplication) => Promise<void>,
  strategy: Strategy = "database",
  config: Partial<SecondFactorConfig> = {},
) => withFactor(test, strategy, { recovery: {}, ...config });

/** A member with the factor on, and a browser in which the password has been typed. */
async function settled(application: FactorApplication) {
  const member = await application.member();
  const enrolled = await application.enrol(member);
  const browser = application.browser();
  await application.begin(browser);
  await application.settle();
  application.news.length = 0;
  return { member, browser, ...enrolled };
}

const ask = (browser: PasskeyBrowser) => browser.send(PATH, { fields: {} });
const finish = (browser: PasskeyBrowser, fields = {}) => browser.send(`${PATH}/finish`, { fields });
const cancel = (browser: PasskeyBrowser, fields = {}) => browser.send(`${PATH}/cancel`, { fields });

async function codeOf(response: Response): Promise<[number, string | undefined]> {
  return [response.status, (await response.json()).code];
}

async function statusOf(response: Response): Promise<string> {
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()).status;
}

/** A browser in which the password has just been typed. */
async function begun(application: FactorApplication): Promise<PasskeyBrowser> {
  const browser = application.browser();
  assert.equal((await (await application.begin(browser)).json()).user, null);
  return browser;
}

/** Fields of the link in the newest mail about a request. */
function linkOf({ news }: FactorApplication): { request: string; token: string } {
  const mail = news.findLast(({ kind }) => kind === "recovery-requested")!;
  const url = new URL(mail.url);
  assert.equal(url.pathname, `/auth${PATH}/cancel`);
  return Object.fromEntries(url.searchParams) as { request: string; token: string };
}

const kindsOf = async (application: FactorApplication) => {
  await application.settle();
  return application.news.map(({ kind }) => kind);
};

for (const strategy of STRATEGIES) {
  // Tracks: R174, R172
  Deno.test(`a request takes effect after three days in a new sign-in, removes the factor, and leads to set-up (${strategy})`, () =>
    withRecovery(async (application) => {
      const { member, browser, secret, codes } = await settled(application);
      const trusting = await begun(application);
      const trusted = { trust: "yes" };
      assert.equal(
        (await application.answer(trusting, await application.code(secret), trusted)).status,
        200,
      );
      application.wait(30_000);
      assert.equal(await statusOf(await browser.send(PATH)), "none");
      const asked = await (await ask(browser)).json();
      const from = application.clock.now + DELAY;
      assert.deepEqual(asked, {
        status: "asked",
        from: new Date(from).toISOString(),
        until: new Date(from + 7 * DAY).toISOString(),
      });
      assert.deepEqual(await kindsOf(application), ["recovery-requested"]);
      assert.equal(application.news[0]!.to, ADA);
      assert.equal(application.news[0]!.expires!.getTime(), from + 7 * DAY);
      // The last moment before it holds, and the first one of it.
      application.wait(DELAY - 1);
      const early = await begun(application);
      assert.deepEqual(await codeOf(await finish(early)), [409, "SECOND_FACTOR_RECOVERY_EARLY"]);
      application.wait(1);
      assert.deepEqual(await codeOf(await finish(browser)), [401, "SECOND_FACTOR_OVER"]);
      assert.equal(await statusOf(await early.send(PATH)), "open");
      const done = await (await finish(early, { callbackUrl: "/projects" })).json();
      assert.equal(done.user.id, application.userId());
      assert.equal(
        done.redirectTo,
        "https://app.example/auth/second-factor/setup?callbackUrl=https%3A%2F%2Fapp.example%2Fprojects",
      );
      assert.equal(await early.user(), application.userId());
      assert.deepEqual(await kindsOf(application), ["recovery-requested", "removed"]);
      for (const table of ["second_factors", "recovery_codes", "trusted_browsers"]) {
        assert.deepEqual(application.rows(table), [], table);
      }
      const left = application.rows("verifications").map(({ purpose }) => purpose);
      assert.deepEqual(left.filter((one) => /second-step|factor-recovery/.test(String(one))), []);
      assert.equal(await member.user(), null, "the other sessions end");
      assert.equal(await trusting.user(), null);
      const removed = application.told.filter(({ type }) => type === "second-factor-removed");
      assert.deepEqual(removed.map((one) => "reason" in one && one.reason), ["Recovery request"]);
      // The session is fresh: the next app is set up in it, and the codes of before are worth nothing.
      const { codes: next } = await application.enrol(early);
      const again = await begun(application);
      assert.equal((await application.answer(again, codes[0]!)).status, 401);
      assert.equal((await application.answer(again, next[0]!)).status, 200);
    }, strategy));

  // Tracks: R174
  Deno.test(`of a hundred requests at once there is one, with one mail, and the answers are the same (${strategy})`, () =>
    withRecovery(async (application) => {
      const { browser } = await settled(application);
      const browsers = [browser, await begun(application)];
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => ask(browsers[index % 2]!)),
      );
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      const bodies = await Promise.all(answers.map((one) => one.json()));
      assert.deepEqual([...new Set(bodies.map(({ status }) => status))], ["asked"]);
      assert.equal(new Set(bodies.map((body) => JSON.stringify(body))).size, 1);
      assert.deepEqual(await kindsOf(application), ["recovery-requested"]);
      const rows = application.rows("verifications");
      assert.equal(rows.filter(({ purpose }) => purpose === "factor-recovery").length, 1);
      application.wait(DAY);
      const later = await begun(application);
      assert.deepEqual(await (await ask(later)).json(), await (await later.send(PATH)).json());
      assert.deepEqual(await kindsOf(application), ["recovery-requested"], "nor a later one");
    }, strategy));

  // Tracks: R174
  Deno.test(`a request is cancelled from its mail without a sign-in, once, and no other is made for a day (${strategy})`, () =>
    withRecovery(async (application) => {
      const { browser } = await settled(application);
      await ask(browser);
      const link = linkOf(application);
      const owner = application.browser();
      const query = new URLSearchParams(link);
      // A scanner of mails follows the link as often as it likes.
      for (let index = 0; index < 3; index++) {
        const page = await owner.send(`${PATH}/cancel?${query}`, { headers: HTML });
        assert.equal(page.status, 200);
        assert.match(await page.text(), /Somebody asked to sign in without your second step/);
      }
      await application.send(`${PATH}/cancel?${query}`, { method: "HEAD" });
      assert.equal(await statusOf(await browser.send(PATH)), "asked");
      const done = await owner.send(`${PATH}/cancel`, { fields: link, headers: HTML });
      assert.equal(done.status, 200);
      const text = await done.text();
      assert.match(text, /The request is cancelled\./);
      assert.match(
        text,
        /<div class="note good"[^]*?still takes your second step\.<\/p><\/div>\n<\/div>/,
      );
      assert.match(text, /<\/div>\n<p>If you did not ask for it, somebody knows your password/);
      assert.match(text, /href="[^"]*\/auth\/forgot"/);
      assert.deepEqual(await kindsOf(application), ["recovery-requested", "recovery-cancelled"]);
      assert.deepEqual(await codeOf(await cancel(owner, link)), [400, "INVALID_LINK"]);
      // The step of the thief has ended with it.
      assert.deepEqual(await codeOf(await browser.send(PATH)), [401, "SECOND_FACTOR_OVER"]);
      const thief = await begun(application);
      assert.equal(await statusOf(await ask(thief)), "cancelled");
      application.wait(DAY - 1);
      const again = await begun(application);
      assert.equal(await statusOf(await ask(again)), "cancelled");
      assert.equal((await kindsOf(application)).length, 2, "no mails");
      application.wait(1);
      assert.equal(await statusOf(await ask(again)), "asked");
      assert.notDeepEqual(linkOf(application), link);
      assert.deepEqual(await codeOf(await cancel(owner, link)), [400, "INVALID_LINK"]);
      assert.equal(await statusOf(await again.send(PATH)), "asked");
    }, strategy));

  // Tracks: R174
  Deno.test(`a request is seen and cancelled on the account page of every session, however old (${strategy})`, () =>
    withRecovery(async (application) => {
      const { member, browser } = await settled(application);
      const before = await (await member.send("/account", { headers: HTML })).text();
      assert.doesNotMatch(before, /Cancel the request/);
      await ask(browser);
      await application.settle();
      application.wait(2 * DAY);
      const page = await (await member.send("/account", { headers: HTML })).text();
      assert.match(page, /role="alert"[^]*Somebody asked to sign in without your second step/);
      assert.match(page, /action="\/auth\/second-factor\/recovery\/cancel"/);
      assert.match(page, /Sign-in without the second step asked for/);
      const done = await member.send(`${PATH}/cancel`, { fields: {}, headers: HTML });
      assert.equal(done.status, 303);
      const to = new URL(done.headers.get("location")!);
      assert.equal(to.pathname + to.search, "/auth/account?done=recovery-cancelled");
      const after = await (await member.send("/account?done=recovery-cancelled", {
        headers: HTML,
      })).text();
      assert.match(after, /The request is cancelled\./);
      assert.doesNotMatch(after, /Cancel the request/);
      assert.deepEqual(await kindsOf(application), ["recovery-requested", "recovery-cancelled"]);
      assert.deepEqual(await (await cancel(member)).json(), { cancelled: false });
      const told = application.told.map(({ type }) => type).filter((one) => /recovery/.test(one));
      assert.deepEqual(told, [
        "second-factor-recovery-requested",
        "second-factor-recovery-cancelled",
      ]);
    }, strategy));

  // Tracks: R174
  Deno.test(`whoever proves two factors cancels the request: a code, a recovery code, a passkey, a step-up (${strategy})`, () =>
    withRecovery(async (application) => {
      const { member, secret, codes } = await settled(application);
      const authenticator = createSoftwareAuthenticator({ userVerified: true });
      assert.equal((await member.register(authenticator)).status, 200);
      const ways: Record<string, () => Promise<Response>> = {
        code: async () =>
          await application.answer(await begun(application), await application.code(secret)),
        recovery: async () => await application.answer(await begun(application), codes[0]!),
        passkey: () => application.browser().prove(authenticator),
        async stepUp() {
          const owner = await begun(application);
          await application.answer(owner, codes[1]!);
          application.wait(DAY);
          const thief = await begun(application);
          assert.equal(await statusOf(await ask(thief)), "asked");
          await application.begin(owner);
          return await application.answer(owner, await application.code(secret));
        },
      };
      for (const [name, prove] of Object.entries(ways)) {
        application.wait(DAY);
        const thief = await begun(application);
        const asked = await statusOf(await ask(thief));
        assert.equal(asked, "asked", name);
        await application.settle();
        application.news.length = 0;
        const proved = await prove();
        assert.equal(proved.status, 200, `${name}: ${await proved.clone().text()}`);
        await application.settle();
        const last = application.news.map(({ kind }) => kind);
        assert.ok(last.includes("recovery-cancelled"), `${name}: ${last}`);
        assert.deepEqual(await codeOf(await thief.send(PATH)), [401, "SECOND_FACTOR_OVER"], name);
      }
    }, strategy));

  // Tracks: R174
  Deno.test(`a request that is finished and cancelled at once is one of both, and finished twice is done once (${strategy})`, () =>
    withRecovery(async (application) => {
      const { member } = await settled(application);
      for (const round of [0, 1, 2, 3]) {
        assert.equal(await statusOf(await ask(await begun(application))), "asked");
        application.wait(DELAY);
        application.news.length = 0;
        const browser = await begun(application);
        const calls = [() => finish(browser), () => cancel(member)];
        if (round % 2 === 1) calls.reverse();
        const answers = await Promise.all(calls.map((call) => call()));
        if (round % 2 === 1) answers.reverse();
        const [finished, cancelled] = answers as [Response, Response];
        const isFinished = finished.status === 200;
        assert.equal((await kindsOf(application)).length, 1);
        assert.equal(application.rows("second_factors").length, isFinished ? 0 : 1);
        if (isFinished) {
          assert.notEqual((await cancelled.json()).cancelled, true);
          return;
        }
        assert.deepEqual(await cancelled.json(), { cancelled: true });
        application.wait(DAY);
      }
    }, strategy));

  // Tracks: R174
  Deno.test(`of twenty that finish at once one removes the factor and begins a session (${strategy})`, () =>
    withRecovery(async (application) => {
      const { browser } = await settled(application);
      await ask(browser);
      application.wait(DELAY);
      const browsers = await Promise.all(Array.from({ length: 20 }, () => begun(application)));
      application.news.length = 0;
      const answers = await Promise.all(browsers.map((one) => finish(one)));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.deepEqual(await kindsOf(application), ["removed"]);
      const users = await Promise.all(browsers.map((one) => one.user()));
      assert.deepEqual(users.filter((one) => one !== null), [application.userId()]);
    }, strategy));
}

// Tracks: R174, R175
Deno.test("a request takes a password or a passkey, at its beginning and at its end: no mail and no provider", async (t) => {
  const COUNTS: Record<string, boolean> = {
    "a password": true,
    "a password, after a reset by mail": false,
    "a password of the application's own": true,
    "a link by mail": false,
    "a code by mail": false,
    "an account at a provider": false,
    "a passkey that has not verified its user": true,
  };
  const ways = Object.values(WAYS).flatMap((one) => Object.entries(one));
  assert.deepEqual(ways.map(([way]) => way).sort(), Object.keys(COUNTS).sort());
  for (const [way, come] of ways) {
    await t.step(way, () =>
      withRecovery(async (application) => {
        const member = await application.member();
        const authenticator = createSoftwareAuthenticator({ userVerified: false });
        assert.equal((await member.register(authenticator)).status, 200);
        await application.enrol(member);
        // A request of the owner's own is there already, and about to hold.
        await ask(await begun(application));
        application.wait(DELAY);
        const late = application.browser();
        assert.equal((await (await come(application, late, authenticator)).json()).user, null);
        const finished = await finish(late);
        assert.equal(finished.status === 200, COUNTS[way], await finished.clone().text());
        assert.equal(application.rows("second_factors").length, COUNTS[way] ? 0 : 1);
      }));
    await t.step(`${way}, to ask`, () =>
      withRecovery(async (application) => {
        const member = await application.member();
        const authenticator = createSoftwareAuthenticator({ userVerified: false });
        assert.equal((await member.register(authenticator)).status, 200);
        await application.enrol(member);
        await application.settle();
        application.news.length = 0;
        const browser = application.browser();
        assert.equal((await (await come(application, browser, authenticator)).json()).user, null);
        const asked = await ask(browser);
        if (COUNTS[way]) return assert.equal(await statusOf(asked), "asked");
        assert.deepEqual(await codeOf(asked), [403, "SECOND_FACTOR_RECOVERY_REFUSED"]);
        assert.deepEqual(await kindsOf(application), []);
        const rows = application.rows("verifications");
        assert.deepEqual(rows.filter(({ purpose }) => purpose === "factor-recovery"), []);
        const page = await browser.send(PATH, { fields: {}, headers: HTML });
        assert.equal(page.status, 403);
        assert.match(await page.text(), /takes your password or a passkey/);
      }));
  }
});

// Tracks: R174, R175
Deno.test("a thief of the mailbox alone never gets past a reset, however long they wait; one code of the owner's app is what counts", () =>
  withRecovery(async (application) => {
    const { secret } = await settled(application);
    const token = await application.askReset(ADA);
    const password = `${PASSWORD} of a thief`;
    const changed = await application.send("/reset", { fields: { token, password } });
    assert.equal(changed.status, 303);
    for (const days of [0, 4, 40, 400]) {
      application.wait(days * DAY);
      const thief = application.browser();
      await application.begin(thief, { password });
      assert.deepEqual(await codeOf(await ask(thief)), [403, "SECOND_FACTOR_RECOVERY_REFUSED"]);
    }
    // A reset of the owner's own, who has the app then.
    const owner = application.browser();
    await application.begin(owner, { password });
    assert.equal((await application.answer(owner, await application.code(secret))).status, 200);
    application.wait(60_000);
    const later = application.browser();
    await application.begin(later, { password });
    assert.equal(await statusOf(await ask(later)), "asked");
  }));

// Tracks: R174, R175
Deno.test("a code that was accepted before the reset proves nothing of the password after it", () =>
  withRecovery(async (application) => {
    const { secret } = await settled(application);
    // The app's clock is ahead by one step.
    const owner = await begun(application);
    const ahead = await application.code(secret, 1);
    assert.equal((await application.answer(owner, ahead)).status, 200);
    const token = await application.askReset(ADA);
    const password = `${PASSWORD} of a thief`;
    await application.send("/reset", { fields: { token, password } });
    application.wait(1000);
    const thief = application.browser();
    await application.begin(thief, { password });
    assert.deepEqual(await codeOf(await ask(thief)), [403, "SECOND_FACTOR_RECOVERY_REFUSED"]);
  }));

// Tracks: R174, R030
Deno.test("a new password, another address, disabling, signing out everywhere and a reset of the factor end the request", async (t) => {
  const ends: Record<
    string,
    (application: FactorApplication, member: PasskeyBrowser) => Promise<unknown>
  > = {
    async "a password change"(_application, member) {
      const changed = await member.send("/account/password", {
        fields: { password: `${PASSWORD} 3` },
      });
      assert.equal(changed.status, 200, await changed.text());
    },
    async "a reset by mail"(application) {
      const token = await application.askReset(ADA);
      const password = `${PASSWORD} 3`;
      const changed = await application.send("/reset", { fields: { token, password } });
      assert.equal(changed.status, 303);
    },
    async "another address"(application, member) {
      const { changes } = application;
      await member.send("/account/email", { fields: { email: "ada@new.example" } });
      for (const { url } of changes.slice()) {
        const fields = Object.fromEntries(new URL(url).searchParams);
        const agreed = await member.send("/account/email/confirm", { fields, headers: HTML });
        assert.equal(agreed.status, 200);
      }
      assert.equal(application.rows("users")[0]!.email, "ada@new.example");
    },
    disabling: (application) =>
      during(application, undefined, async () => {
        await disableUser(application.userId());
        await enableUser(application.userId());
      }),
    "signing out everywhere": (_application, member) =>
      member.send("/account/sessions/end-others", { fields: {} }),
    "resetSecondFactor()": (application) =>
      during(
        application,
        undefined,
        () => resetSecondFactor(application.userId(), { reason: "Ticket 4711" }),
      ),
    "endEverything()": (application) =>
      during(
        application,
        undefined,
        () => endEverything(application.userId(), ["pendingSteps"]),
      ),
    async "turning it off"(_application, member) {
      const off = await member.send("/second-factor/setup/off", { fields: {} });
      assert.equal(off.status, 200);
    },
    async "another app"(application, member) {
      const offered = await (await member.send("/second-factor/setup?replace=yes")).json();
      const code = await application.code(offered.secret);
      const fields = { setUp: offered.setUp, code };
      const done = await member.send("/second-factor/setup", { fields });
      assert.equal(done.status, 200);
    },
  };
  for (const [name, end] of Object.entries(ends)) {
    await t.step(name, () =>
      withRecovery(async (application) => {
        const { member, secret } = await settled(application);
        application.wait(30_000);
        // The proof that some of these ask for is older than the request, which it would cancel.
        await application.begin(member);
        assert.equal(
          (await application.answer(member, await application.code(secret))).status,
          200,
        );
        assert.equal(await statusOf(await ask(await begun(application))), "asked");
        await application.settle();
        const link = linkOf(application);
        await end(application, member);
        await application.settle();
        const rows = application.rows("verifications");
        assert.deepEqual(rows.filter(({ purpose }) => purpose === "factor-recovery"), []);
        assert.deepEqual(await codeOf(await cancel(application.browser(), link)), [
          400,
          "INVALID_LINK",
        ]);
        application.wait(DELAY);
        const thief = application.browser();
        await application.begin(thief);
        const finished = await finish(thief);
        assert.notEqual(finished.status, 200);
      }));
  }
});

// Tracks: R174
Deno.test("a thief of the password alone asks each day, until the owner chooses a new one: nothing of it opens the account", () =>
  withRecovery(async (application) => {
    await settled(application);
    for (let day = 0; day < 5; day++) {
      const thief = await begun(application);
      for (let time = 0; time < 20; time++) await ask(thief);
      await application.settle();
      assert.deepEqual(application.news.map(({ kind }) => kind), ["recovery-requested"]);
      await cancel(application.browser(), linkOf(application));
      for (let time = 0; time < 20; time++) await ask(await begun(application));
      await application.settle();
      assert.equal(application.news.length, 2, "two mails a day");
      application.news.length = 0;
      application.wait(DAY);
    }
    const token = await application.askReset(ADA);
    const fields = { token, password: `${PASSWORD} of the owner` };
    assert.equal((await application.send("/reset", { fields })).status, 303);
    const thief = application.browser();
    assert.equal((await application.begin(thief)).status, 401);
    assert.deepEqual(await codeOf(await ask(thief)), [401, "SECOND_FACTOR_OVER"]);
    assert.deepEqual(application.news, []);
  }));

// Tracks: R174, R021
Deno.test("a stranger starts, reads, cancels and finishes nothing, nor does another site or another user", () =>
  withRecovery(async (application) => {
    const { browser } = await settled(application);
    const stranger = application.browser();
    for (const path of ["", "/finish"]) {
      const answer = await stranger.send(PATH + path, { fields: { email: ADA } });
      assert.deepEqual(await codeOf(answer), [401, "SECOND_FACTOR_OVER"]);
      const page = await stranger.send(PATH + path, { fields: {}, headers: HTML });
      assert.equal(page.status, 401);
    }
    assert.deepEqual(await codeOf(await stranger.send(PATH)), [401, "SECOND_FACTOR_OVER"]);
    assert.deepEqual(await codeOf(await cancel(stranger)), [401, "UNAUTHENTICATED"]);
    const crossed = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    for (const path of ["", "/finish", "/cancel"]) {
      const answer = await browser.send(PATH + path, { fields: {}, headers: crossed });
      assert.equal(answer.status, 403, path);
    }
    assert.deepEqual(await kindsOf(application), []);
    assert.equal(await statusOf(await ask(browser)), "asked");
    const { request, token } = linkOf(application);
    const guess = "A".repeat(43);
    for (
      const fields of [
        { request, token: guess },
        { request: guess, token },
        { request: token, token: request },
        { request, token: request },
        { request: "", token },
        { token },
        { request, token: "" },
        { request, token: `${token}x` },
      ]
    ) {
      assert.deepEqual(await codeOf(await cancel(stranger, fields)), [400, "INVALID_LINK"]);
      const query = new URLSearchParams(fields as Record<string, string>);
      assert.equal((await stranger.send(`${PATH}/cancel?${query}`)).status, 400);
    }
    // Another user, with a session and a link of her own.
    const mallory = application.browser();
    for (const pair of (await application.join("mallory@example.com")).split("; ")) {
      mallory.cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    await application.enrol(mallory);
    assert.deepEqual(await (await cancel(mallory)).json(), { cancelled: false });
    const evil = application.browser();
    await application.begin(evil, { email: "mallory@example.com" });
    assert.equal(await statusOf(await ask(evil)), "asked");
    const own = linkOf(application);
    assert.deepEqual(await codeOf(await cancel(mallory, { request, token: own.token })), [
      400,
      "INVALID_LINK",
    ]);
    application.wait(DELAY);
    await application.begin(evil, { email: "mallory@example.com" });
    assert.equal((await finish(evil)).status, 200);
    assert.equal(await evil.user(), await evil.user());
    assert.deepEqual(application.rows("second_factors").map(({ user_id }) => user_id), [
      application.userId(),
    ]);
    assert.equal(await statusOf(await (await begun(application)).send(PATH)), "open");
  }));

// Tracks: R174
Deno.test("a request is over after a week, and the link of its mail with it", () =>
  withRecovery(async (application) => {
    await settled(application);
    await ask(await begun(application));
    await application.settle();
    application.wait(DELAY + 7 * DAY - 1);
    const last = await begun(application);
    assert.equal(await statusOf(await last.send(PATH)), "open");
    application.wait(1);
    assert.equal(await statusOf(await last.send(PATH)), "none");
    assert.deepEqual(await codeOf(await finish(last)), [409, "SECOND_FACTOR_RECOVERY_EARLY"]);
    assert.deepEqual(await codeOf(await cancel(last, linkOf(application))), [400, "INVALID_LINK"]);
    assert.equal(await statusOf(await ask(last)), "asked");
    assert.deepEqual(await codeOf(await finish(last)), [409, "SECOND_FACTOR_RECOVERY_EARLY"]);
  }));

// Tracks: R174
Deno.test("a request of which nobody can be told is none: no mail, no proved address", async () => {
  let fails = true;
  const sent: string[] = [];
  await withRecovery(
    async (application) => {
      const { browser } = await settled(application);
      sent.length = 0;
      assert.deepEqual(await codeOf(await ask(browser)), [503, "EMAIL_NOT_SENT"]);
      assert.equal(await statusOf(await browser.send(PATH)), "none");
      assert.equal(application.told.some(({ type }) => type.includes("recovery")), false);
      fails = false;
      assert.equal(await statusOf(await ask(browser)), "asked");
      assert.deepEqual(sent, ["recovery-requested"]);
    },
    "database",
    {
      sendMail({ kind }) {
        if (fails && kind === "recovery-requested") throw new Error("Mailbox full");
        sent.push(kind);
      },
    },
  );
  await withRecovery(async (application) => {
    const { browser } = await settled(application);
    application.database.sqlite.exec("UPDATE users SET email_verified = NULL");
    assert.deepEqual(await codeOf(await ask(browser)), [403, "SECOND_FACTOR_RECOVERY_REFUSED"]);
    assert.deepEqual(await kindsOf(application), []);
  });
});

// Tracks: R174
Deno.test("a request that its owner cancels while the mail goes out stays cancelled", async () => {
  let stop: (() => Promise<unknown>) | undefined;
  await withRecovery(
    async (application) => {
      const { member, browser } = await settled(application);
      stop = () => cancel(member);
      await ask(browser);
      stop = undefined;
      application.wait(DELAY);
      const thief = await begun(application);
      assert.deepEqual(await codeOf(await finish(thief)), [409, "SECOND_FACTOR_RECOVERY_EARLY"]);
    },
    "database",
    { sendMail: async ({ kind }) => void (kind === "recovery-requested" && await stop?.()) },
  );
});

// Tracks: R174
Deno.test("requests are limited by user and by address", () =>
  withFactor(
    async (application) => {
      const { browser } = await settled(application);
      const codes: number[] = [];
      for (let time = 0; time < 30; time++) codes.push((await ask(browser)).status);
      assert.equal(codes[0], 200);
      assert.equal(codes.at(-1), 429);
      application.wait(1000);
      const others = await begun(application);
      assert.equal((await ask(others)).status, 429, "the user, in any sign-in");
    },
    "database",
    { recovery: {} },
    { rateLimit: { emailVerification: { limit: 5, window: 3600 } } },
  ));

// Tracks: R174
Deno.test("who must have a second factor turns one on before there is a session", async () => {
  let must = false;
  await withRecovery(
    async (application) => {
      const { member } = await settled(application);
      must = true;
      await ask(await begun(application));
      application.wait(DELAY);
      const browser = await begun(application);
      const done = await (await finish(browser, { callbackUrl: "/projects" })).json();
      assert.equal(done.user, null);
      assert.match(done.redirectTo, /^https:\/\/app\.example\/auth\/second-factor/);
      assert.equal(await browser.user(), null);
      assert.equal(await member.user(), null);
      const offered = await (await browser.send("/second-factor")).json();
      assert.equal(offered.on, false);
      const on = await browser.send("/second-factor", {
        fields: { setUp: offered.setUp, code: await application.code(offered.secret) },
      });
      assert.equal(on.status, 200);
      assert.equal(await browser.user(), application.userId());
    },
    "database",
    { required: () => must },
  );
});

// Tracks: R174
Deno.test("the pages lead from the second step through the request to its end, without a script", () =>
  withRecovery(async (application) => {
    const { browser } = await settled(application);
    const look = async (path: string) => {
      const page = await browser.send(path, { headers: HTML });
      assert.equal(page.status, 200, path);
      return await page.text();
    };
    const step = await look("/second-factor?callbackUrl=%2Fprojects");
    assert.match(
      step,
      /href="[^"]*\/auth\/second-factor\/recovery\?callbackUrl=[^"]+%2Fprojects">Lost your second step\?/,
    );
    assert.match(await look(`${PATH}?callbackUrl=%2Fprojects`), /It takes effect after 3 days/);
    const fields = { callbackUrl: "/projects" };
    const asked = await browser.send(PATH, { fields, headers: HTML });
    assert.equal(asked.status, 200);
    assert.match(await asked.text(), /We have your request/);
    application.wait(DELAY);
    await application.begin(browser);
    assert.match(await look("/second-factor"), />Continue without the second step</);
    assert.match(
      await look(PATH),
      /action="\/auth\/second-factor\/recovery\/finish"[^]*Remove and continue/,
    );
    const done = await browser.send(`${PATH}/finish`, { fields, headers: HTML });
    assert.equal(done.status, 303);
    assert.match(
      done.headers.get("location")!,
      /second-factor\/setup\?callbackUrl=[^&]+%2Fprojects$/,
    );
    const page = await browser.send(PATH, { headers: HTML });
    assert.match(page.headers.get("location")!, /\/auth\/account$/);
    // In a session that goes on the step-up page offers nothing of it.
    await application.enrol(browser);
    assert.doesNotMatch(await look("/second-factor"), /second-factor\/recovery/);
  }));

// Tracks: R174
Deno.test("without the option there is no way to ask, and a wrong delay is refused", async () => {
  await withFactor(async (application) => {
    const { browser } = await settled(application);
    for (const path of ["", "/finish", "/cancel"]) {
      assert.equal((await browser.send(PATH + path, { fields: {} })).status, 404, path);
    }
    const page = await browser.send("/second-factor", { headers: HTML });
    assert.doesNotMatch(await page.text(), /second-factor\/recovery/);
  });
  const sendMail = () => {};
  for (const after of [0, 3600, 86_399, 2_592_001, 1.5, "3 days", null]) {
    assert.throws(
      () => secondFactor({ sendMail, recovery: { after: after as number } }),
      (error) => error instanceof ConfigurationError && error.field === "recovery.after",
    );
  }
  assert.throws(
    () => secondFactor({ sendMail, recovery: { later: 1 } as never }),
    ConfigurationError,
  );
  assert.throws(() => secondFactor({ sendMail, recovery: true as never }), ConfigurationError);
  assert.ok(secondFactor({ sendMail, recovery: { after: 86_400 } }));
});
