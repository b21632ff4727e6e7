// What a thief or a stranger tries on the second factor: planted cookies, codes used elsewhere, and races.
import assert from "node:assert/strict";
import { passwordChanged } from "../../session/users.ts";
import { secretGroup } from "../../storage/secrets.ts";
import { during } from "../../tests/during.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { ADA, type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";

const STEP = "__Host-framework.second-step";
const TRUSTED = "__Host-framework.trusted";
const HTML = { accept: "text/html" };

/** A second user with a browser and a factor. */
async function mallory(application: FactorApplication) {
  const cookie = await application.join("mallory@example.com");
  const browser = application.browser();
  for (const pair of cookie.split("; ")) {
    browser.cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
  }
  const id = await browser.user();
  return { browser, id, ...await application.enrol(browser) };
}

/** A member with the factor on, and a browser in which the password has been typed. */
async function settled(application: FactorApplication) {
  const member = await application.member();
  const enrolled = await application.enrol(member);
  const browser = application.browser();
  await application.begin(browser);
  return { member, browser, ...enrolled };
}

async function codeOf(response: Response): Promise<[number, string | undefined]> {
  return [response.status, (await response.json()).code];
}

for (const strategy of ["database", "jwt"] as const) {
  // Tracks: R172
  Deno.test(`a step planted in another browser takes nothing of its owner, either way (${strategy})`, () =>
    withFactor(async (application) => {
      const ada = await settled(application);
      const eve = await mallory(application);
      const evil = application.browser();
      await application.begin(evil, { email: "mallory@example.com" });
      // The victim types a code, or a recovery code, into the step of the thief.
      const victim = application.browser();
      victim.cookies.set(STEP, evil.cookies.get(STEP)!);
      assert.deepEqual(await codeOf(await application.answer(victim, ada.codes[0]!)), [
        401,
        "SECOND_FACTOR_WRONG",
      ]);
      const code = await application.code(ada.secret);
      assert.equal((await application.answer(victim, code)).status, 401);
      assert.equal(await victim.user(), null);
      // Neither has been used up by it.
      assert.equal((await application.answer(ada.browser, code)).status, 200);
      assert.equal(application.rows("recovery_codes").length, 20);
      // The thief, in the step of the victim, has codes of the thief alone.
      await application.begin(ada.browser);
      evil.cookies.set(STEP, ada.browser.cookies.get(STEP)!);
      assert.equal((await application.answer(evil, eve.codes[0]!)).status, 401);
      assert.equal(
        (await application.answer(evil, await application.code(eve.secret))).status,
        401,
      );
      assert.equal(await evil.user(), null);
    }, strategy));

  // Tracks: R174
  Deno.test(`a form that turns a factor on is of its user and its session alone (${strategy})`, () =>
    withFactor(async (application) => {
      const member = await application.member();
      const evil = await mallory(application);
      const offered = await (await evil.browser.send("/second-factor/setup?replace=yes")).json();
      const code = await application.code(offered.secret);
      // Planted in the victim's page, so that the thief's app would be the victim's factor.
      const planted = await member.send("/second-factor/setup", {
        fields: { setUp: offered.setUp, code },
      });
      assert.deepEqual(await codeOf(planted), [401, "SECOND_FACTOR_OVER"]);
      // Of the same user, in another session.
      const own = await (await member.send("/second-factor/setup")).json();
      const other = application.browser();
      await application.begin(other);
      assert.equal(await other.user(), application.userId());
      const moved = await other.send("/second-factor/setup", {
        fields: { setUp: own.setUp, code: await application.code(own.secret) },
      });
      assert.deepEqual(await codeOf(moved), [401, "SECOND_FACTOR_OVER"]);
      assert.deepEqual(application.rows("second_factors").map(({ user_id }) => user_id), [evil.id]);
    }, strategy));

  // Tracks: R171, R174
  Deno.test(`of two factors turned on at once one is on, with its recovery codes alone (${strategy})`, () =>
    withFactor(async (application) => {
      const member = await application.member();
      const offers = [];
      for (let index = 0; index < 5; index++) {
        offers.push(await (await member.send("/second-factor/setup")).json());
      }
      const answers = await Promise.all(
        offers.map(async ({ setUp, secret }) =>
          await member.send("/second-factor/setup", {
            fields: { setUp, code: await application.code(secret) },
          })
        ),
      );
      const done = answers.filter(({ status }) => status === 200);
      assert.equal(done.length, 1);
      assert.equal(application.rows("recovery_codes").length, 10);
      await application.settle();
      assert.deepEqual(application.news.map(({ kind }) => kind), ["added"]);
      const winner = offers[answers.indexOf(done[0]!)]!;
      application.wait(30_000);
      const browser = application.browser();
      await application.begin(browser);
      const code = await application.code(winner.secret);
      assert.equal((await application.answer(browser, code)).status, 200);
    }, strategy));

  // Tracks: R171
  Deno.test(`a code that confirmed a factor confirms nothing again (${strategy})`, () =>
    withFactor(async (application) => {
      const member = await application.member();
      const { setUp, secret } = await (await member.send("/second-factor/setup")).json();
      const fields = { setUp, code: await application.code(secret) };
      const first = await member.send("/second-factor/setup", { fields });
      assert.equal(first.status, 200);
      const { recoveryCodes } = await first.json();
      const second = await member.send("/second-factor/setup", { fields });
      assert.deepEqual(await codeOf(second), [401, "SECOND_FACTOR_OVER"]);
      // Those that were shown are still those that count.
      const browser = application.browser();
      await application.begin(browser);
      assert.equal((await application.answer(browser, recoveryCodes[0])).status, 200);
    }, strategy));

  // Tracks: R171
  Deno.test(`a form that turned a factor on turns it on no more, also when it is off by then (${strategy})`, () =>
    withFactor(async (application) => {
      const member = await application.member();
      const { setUp, secret } = await (await member.send("/second-factor/setup")).json();
      const fields = { setUp, code: await application.code(secret) };
      assert.equal((await member.send("/second-factor/setup", { fields })).status, 200);
      assert.equal((await member.send("/second-factor/setup/off", { fields: {} })).status, 200);
      const again = await member.send("/second-factor/setup", { fields });
      assert.deepEqual(await codeOf(again), [401, "SECOND_FACTOR_OVER"]);
      application.wait(30_000);
      const later = { setUp, code: await application.code(secret) };
      const third = await member.send("/second-factor/setup", { fields: later });
      assert.deepEqual(await codeOf(third), [401, "SECOND_FACTOR_OVER"]);
      assert.deepEqual(application.rows("second_factors"), []);
      // A new form is a new secret.
      await application.enrol(member);
    }, strategy));

  // Tracks: R171, R172
  Deno.test(`a right code that comes twice signs in once, and closes nothing (${strategy})`, () =>
    withFactor(async (application) => {
      const { browser, secret, member } = await settled(application);
      const tries = () => application.rows("second_factors")[0]!.tries;
      // Sent twice by one form.
      const code = await application.code(secret);
      const sessions = () => application.told.filter(({ type }) => type === "sign-in").length;
      const before = sessions();
      const twice = await Promise.all([1, 2].map(() => application.answer(browser, code)));
      assert.deepEqual(twice.map(({ status }) => status).toSorted(), [200, 401]);
      assert.equal(sessions(), before + 1);
      assert.equal(tries(), 0);
      assert.equal((await application.answer(browser, code)).status, 401, "in a second tab");
      // Where there is a session it would be a try of the day each time.
      for (let index = 0; index < 25; index++) {
        const again = await application.answer(member, code);
        assert.deepEqual(await codeOf(again), [401, "SECOND_FACTOR_WRONG"]);
      }
      assert.equal(tries(), 0);
      await application.settle();
      assert.deepEqual(application.news.map(({ kind }) => kind), ["added"]);
      application.wait(30_000);
      assert.equal((await application.answer(member, await application.code(secret))).status, 200);
      // A wrong one counts as before.
      assert.equal((await application.answer(member, "000000")).status, 401);
      assert.equal(tries(), 1);
    }, strategy));

  // Tracks: R173
  Deno.test(`of recovery codes made several times at once, those that are shown count (${strategy})`, () =>
    withFactor(async (application) => {
      const { member } = await settled(application);
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => member.send("/second-factor/setup/codes", { fields: {} })),
      );
      const shown = answers.filter(({ status }) => status === 200);
      assert.equal(shown.length, 1);
      const { recoveryCodes } = await shown[0]!.json();
      for (const refused of answers.filter((answer) => answer !== shown[0])) {
        assert.deepEqual(await codeOf(refused), [409, "SECOND_FACTOR_CHANGED"]);
      }
      assert.equal(application.rows("recovery_codes").length, 10);
      const browser = application.browser();
      await application.begin(browser);
      assert.equal((await application.answer(browser, recoveryCodes[9])).status, 200);
      // One after the other each takes the place of those before.
      const next = await member.send("/second-factor/setup/codes", { fields: {} });
      assert.equal(next.status, 200);
      assert.equal(application.rows("recovery_codes").length, 10);
    }, strategy));

  // Tracks: R173
  Deno.test(`of a hundred sign-ins that use one recovery code at once, one goes through (${strategy})`, () =>
    withFactor(async (application) => {
      const { codes } = await settled(application);
      const browsers: PasskeyBrowser[] = [];
      for (let index = 0; index < 100; index++) {
        const browser = application.browser();
        await application.begin(browser);
        browsers.push(browser);
      }
      const answers = await Promise.all(
        browsers.map((browser) => application.answer(browser, codes[0]!)),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.equal(application.rows("recovery_codes").length, 9);
      const used = application.told.filter(({ type }) => type === "recovery-code-used");
      assert.equal(used.length, 1);
    }, strategy));

  // Tracks: R174
  Deno.test(`a factor that is turned off twice at once is off once, and ends the step that waits (${strategy})`, () =>
    withFactor(async (application) => {
      const { member, browser, secret, codes } = await settled(application);
      const answers = await Promise.all(
        [1, 2, 3].map(() => member.send("/second-factor/setup/off", { fields: {} })),
      );
      assert.ok(answers.some(({ status }) => status === 200));
      await application.settle();
      assert.equal(
        application.told.filter(({ type }) => type === "second-factor-removed").length,
        1,
      );
      assert.deepEqual(application.news.map(({ kind }) => kind), ["added", "removed"]);
      for (const code of [codes[0]!, await application.code(secret)]) {
        assert.deepEqual(await codeOf(await application.answer(browser, code)), [
          401,
          "SECOND_FACTOR_OVER",
        ]);
      }
      assert.equal(await browser.user(), null);
    }, strategy));

  // Tracks: R171, R174
  Deno.test(`a factor that takes another's place ends its codes, and the step that waits takes the new one's (${strategy})`, () =>
    withFactor(async (application) => {
      const { member, browser, secret, codes } = await settled(application);
      const offered = await (await member.send("/second-factor/setup?replace=yes")).json();
      const fields = { setUp: offered.setUp, code: await application.code(offered.secret) };
      assert.equal((await member.send("/second-factor/setup", { fields })).status, 200);
      application.wait(30_000);
      for (const old of [codes[0]!, await application.code(secret)]) {
        assert.equal((await application.answer(browser, old)).status, 401);
      }
      const code = await application.code(offered.secret);
      assert.equal((await application.answer(browser, code)).status, 200);
    }, strategy));

  // Tracks: R030, R172
  Deno.test(`a password that changes between the second factor and the session ends that sign-in (${strategy})`, () =>
    withFactor(async (application) => {
      const { browser, secret } = await settled(application);
      const storage = application.auth.storage({});
      const group = storage.group!.bind(storage);
      let changed = false;
      storage.group = ((wanted: typeof secretGroup) => {
        const operations = group(wanted);
        if (wanted.name !== secretGroup.name || operations == null) return operations;
        return {
          ...operations,
          async takeSecret(...given: Parameters<typeof operations.takeSecret>) {
            const taken = await operations.takeSecret(...given);
            // Between the last proof and the session.
            if (!changed) {
              changed = true;
              application.wait(1000);
              await during(application, undefined, () => passwordChanged(application.userId()));
            }
            return taken;
          },
        };
      }) as NonNullable<typeof storage.group>;
      const answered = await application.answer(browser, await application.code(secret));
      assert.equal(changed, true);
      assert.notEqual(answered.status, 200);
      assert.equal(await browser.user(), null);
    }, strategy));

  // Tracks: R174
  Deno.test(`an id that was planted as that of a trusted browser is never trusted (${strategy})`, () =>
    withFactor(async (application) => {
      const { browser, secret } = await settled(application);
      const evil = await mallory(application);
      const own = application.browser();
      await application.begin(own, { email: "mallory@example.com" });
      const trust = { trust: "yes" };
      const code = await application.code(evil.secret);
      assert.equal((await application.answer(own, code, trust)).status, 200);
      const planted = own.cookies.get(TRUSTED)!;
      browser.cookies.set(TRUSTED, planted);
      const answer = await application.answer(browser, await application.code(secret), trust);
      assert.equal(answer.status, 200);
      // The thief has learned the password too.
      const thief = application.browser();
      thief.cookies.set(TRUSTED, planted);
      assert.equal((await (await application.begin(thief)).json()).user, null);
      assert.equal(await thief.user(), null);
      // Both users of the browser have trusted it, each for themselves.
      for (const email of [ADA, "mallory@example.com"]) {
        await browser.send("/signout", { fields: {} });
        await application.begin(browser, { email });
        assert.notEqual(await browser.user(), null, email);
      }
    }, strategy));

  // Tracks: R174
  Deno.test(`a copied cookie of a trusted browser counts no more when its owner trusts the browser anew (${strategy})`, () =>
    withFactor(async (application) => {
      const { browser, secret } = await settled(application);
      const trust = { trust: "yes" };
      await application.answer(browser, await application.code(secret), trust);
      const thief = application.browser();
      thief.cookies.set(TRUSTED, browser.cookies.get(TRUSTED)!);
      application.wait(1000);
      await during(application, undefined, () => passwordChanged(application.userId()));
      application.wait(30_000);
      await browser.send("/signout", { fields: {} });
      await application.begin(browser);
      const again = await application.answer(browser, await application.code(secret), trust);
      assert.equal(again.status, 200);
      await browser.send("/signout", { fields: {} });
      await application.begin(browser);
      assert.equal(await browser.user(), application.userId());
      await application.begin(thief);
      assert.equal(await thief.user(), null);
    }, strategy));
}

// Tracks: R172
Deno.test("the step leads to no other site, as a page, a form and as JSON", () =>
  withFactor(async (application) => {
    const { browser, secret } = await settled(application);
    for (
      const callbackUrl of [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "https://app.example@evil.example/",
        "https://app.example.evil.example/",
        "/\t/evil.example",
        " //evil.example",
      ]
    ) {
      const query = new URLSearchParams({ callbackUrl });
      const page = await browser.send(`/second-factor?${query}`, { headers: HTML });
      assert.equal(page.status, 200, callbackUrl);
      assert.doesNotMatch(await page.text(), /evil\.example|javascript:/, callbackUrl);
      const done = await application.answer(browser, await application.code(secret), {
        callbackUrl,
      });
      assert.equal(done.status, 200);
      assert.equal(new URL((await done.json()).redirectTo).origin, "https://app.example");
      await browser.send("/signout", { fields: {} });
      application.wait(30_000);
      const begun = await application.begin(browser, { callbackUrl });
      assert.doesNotMatch(decodeURIComponent((await begun.json()).redirectTo), /evil|javascript/);
    }
    const form = await browser.send("/second-factor", {
      headers: HTML,
      fields: { code: await application.code(secret), callbackUrl: "https://evil.example/" },
    });
    assert.equal(form.status, 303);
    assert.equal(new URL(form.headers.get("location")!, "https://app.example").host, "app.example");
  }));

// Tracks: R172
Deno.test("another site's form answers no step, turns nothing on and nothing off", () =>
  withFactor(async (application) => {
    const { member, browser, secret } = await settled(application);
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const code = await application.code(secret);
    const crossed = await browser.send("/second-factor", { fields: { code }, headers });
    assert.equal(crossed.status, 403);
    for (const path of ["", "/codes", "/off", "/browsers"]) {
      const refused = await member.send(`/second-factor/setup${path}`, { fields: {}, headers });
      assert.equal(refused.status, 403, path);
    }
    // It has cost neither the code nor a try.
    assert.equal((await application.answer(browser, code)).status, 200);
    assert.equal(application.rows("recovery_codes").length, 10);
  }));

// Tracks: R172
Deno.test("pages that are looked at use up nothing: no step, no code, no factor", () =>
  withFactor(async (application) => {
    const { browser, member, secret } = await settled(application);
    const code = await application.code(secret);
    const tables = ["second_factors", "recovery_codes", "trusted_browsers", "verifications"];
    const before = tables.map((table) => application.rows(table));
    for (const path of [`/second-factor?code=${code}&trust=yes`, "/second-factor?way=recovery"]) {
      assert.equal((await browser.send(path, { headers: HTML })).status, 200);
    }
    for (const path of ["", "/codes", "/off", "/browsers"]) {
      await member.send(`/second-factor/setup${path}?code=${code}`, { headers: HTML });
    }
    assert.deepEqual(tables.map((table) => application.rows(table)), before);
    assert.equal((await application.answer(browser, code)).status, 200);
  }));

// Tracks: R174
Deno.test("nobody ends the trusted browser of somebody else", () =>
  withFactor(async (application) => {
    const { browser, secret } = await settled(application);
    await application.answer(browser, await application.code(secret), { trust: "yes" });
    const [{ id_hash: id } = {}] = application.rows("trusted_browsers");
    const { browser: evil } = await mallory(application);
    const ended = await evil.send("/second-factor/setup/browsers", { fields: { id: String(id) } });
    assert.deepEqual(await ended.json(), { ended: 0 });
    assert.equal(application.rows("trusted_browsers").length, 1);
  }));

// Tracks: R171
Deno.test("of a hundred wrong codes in one step five are looked at, and none in the step of nobody", () =>
  withFactor(async (application) => {
    const { browser } = await settled(application);
    const cookie = `${STEP}=${browser.cookies.get(STEP)}`;
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        application.send("/second-factor", {
          cookie,
          fields: { code: "000000" },
          headers: { accept: "application/json" },
        })),
    );
    const codes = await Promise.all(answers.map(async (one) => (await one.json()).code));
    assert.equal(codes.filter((code) => code === "SECOND_FACTOR_WRONG").length, 5);
    assert.equal(application.rows("second_factors")[0]!.tries, 5);
    const stranger = application.browser();
    stranger.cookies.set(STEP, "A".repeat(43));
    assert.equal((await application.answer(stranger, "000000")).status, 401);
    assert.equal(application.rows("second_factors")[0]!.tries, 5);
    assert.equal(application.rows("users")[0]!.email, ADA);
  }));
