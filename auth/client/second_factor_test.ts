import assert from "node:assert/strict";
import { ORIGIN } from "../tests/application.ts";
import { PASSWORD } from "../tests/password_application.ts";
import { fetchOf } from "../tests/passkey_browser.ts";
import { ADA, withFactor } from "../tests/second_factor_application.ts";
import {
  answerSecondFactor,
  endTrustedBrowsers,
  readSecondFactor,
  readSecondFactorStep,
  renewRecoveryCodes,
  turnOffSecondFactor,
  turnOnSecondFactor,
} from "./second_factor.ts";
import { getSession } from "./session.ts";
import { signIn } from "./sign_in.ts";

Deno.test("the client signs in with two steps at the real endpoints, and is told which one is missing", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const { secret, codes } = await application.enrol(member);
    const browser = application.browser();
    const options = { fetch: fetchOf(browser) };
    const values = { email: ADA, password: PASSWORD, redirectTo: "/next", redirect: false };

    const early = await answerSecondFactor({ code: codes[0]!, redirect: false }, options);
    assert.equal(!early.ok && early.error.code, "SECOND_FACTOR_OVER");
    const unasked = await readSecondFactorStep(options);
    assert.equal(!unasked.ok && unasked.error.code, "SECOND_FACTOR_OVER");
    const first = await signIn("passwords", values, options);
    assert.deepEqual(first, {
      ok: true,
      redirectTo: `${ORIGIN}/auth/second-factor?callbackUrl=${
        encodeURIComponent(`${ORIGIN}/next`)
      }`,
      session: null,
      secondFactor: true,
    });
    assert.equal(await getSession(options), null);
    assert.deepEqual(await readSecondFactorStep(options), {
      ok: true,
      on: true,
      methods: ["totp", "recovery"],
      trustBrowserFor: 2_592_000,
    });
    const wrong = await answerSecondFactor({ code: "000000", redirect: false }, options);
    assert.equal(!wrong.ok && wrong.error.code, "SECOND_FACTOR_WRONG");
    const done = await answerSecondFactor({
      code: await application.code(secret),
      trust: true,
      redirectTo: "/next",
      redirect: false,
    }, options);
    assert.equal(done.ok && done.session?.user.id, application.userId());
    assert.equal(done.ok && done.redirectTo, `${ORIGIN}/next`);
    assert.equal(done.ok && done.secondFactor, undefined);
    assert.equal((await getSession(options))?.user.id, application.userId());

    // Anew, in the session that is there: this browser is trusted, and that is not fresh.
    const again = await signIn("passwords", values, options);
    assert.equal(again.ok && again.session?.user.id, application.userId());
    const refused = await browser.send("/second-factor/setup/codes", { fields: {} });
    assert.equal((await refused.json()).code, "SECOND_FACTOR_REQUIRED");
    assert.deepEqual(await readSecondFactorStep(options), {
      ok: true,
      on: true,
      methods: ["totp", "recovery"],
      trustBrowserFor: null,
    });
    const proved = await answerSecondFactor({ code: codes[0]!, redirect: false }, options);
    assert.equal(proved.ok && proved.session?.user.id, application.userId());
    const allowed = await browser.send("/second-factor/setup/codes", { fields: {} });
    assert.equal(allowed.status, 200);
  }));

// Tracks: R170, R174
Deno.test("the client sets up a factor that its user must have, in the sign-in that waits", () =>
  withFactor(
    async (application) => {
      await application.member();
      const browser = application.browser();
      const options = { fetch: fetchOf(browser) };
      const values = { email: ADA, password: PASSWORD, redirect: false };
      const first = await signIn("passwords", values, options);
      assert.equal(first.ok && first.secondFactor, true);
      const step = await readSecondFactorStep(options);
      assert.ok(step.ok && !step.on);
      assert.match(step.uri, /^otpauth:\/\/totp\//);
      const { setUp, secret } = step;
      const wrong = await answerSecondFactor({ setUp, code: "000000" }, options);
      assert.equal(!wrong.ok && wrong.error.code, "SECOND_FACTOR_WRONG");
      const code = await application.code(secret);
      const done = await answerSecondFactor({ setUp, code, redirectTo: "/next" }, options);
      assert.ok(done.ok);
      assert.equal(done.session?.user.id, application.userId());
      assert.equal(done.redirectTo, `${ORIGIN}/next`);
      assert.equal(done.recoveryCodes?.length, 10);
      const settled = await signIn("passwords", values, options);
      assert.equal(settled.ok && settled.recoveryCodes, undefined);
    },
    "database",
    { required: () => true },
  ));

// Tracks: R174
Deno.test("the client turns a factor on, looks after it and turns it off at the real endpoints", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const options = { fetch: fetchOf(member) };
    const offered = await readSecondFactor({}, options);
    assert.ok(offered.ok && !offered.on);
    assert.match(offered.uri, /^otpauth:\/\/totp\//);
    const { secret, setUp } = offered;
    const wrong = await turnOnSecondFactor({ setUp, code: "000000" }, options);
    assert.equal(!wrong.ok && wrong.error.code, "SECOND_FACTOR_WRONG");
    const on = await turnOnSecondFactor({ setUp, code: await application.code(secret) }, options);
    assert.ok(on.ok);
    assert.equal(on.recoveryCodes.length, 10);

    const other = application.browser();
    application.wait(30_000);
    await application.begin(other);
    await application.answer(other, await application.code(secret), { trust: "yes" });
    const state = await readSecondFactor({}, options);
    assert.ok(state.ok && state.on);
    assert.equal(state.recoveryCodes, 10);
    assert.equal(state.since instanceof Date, true);
    const { id, expires } = state.trustedBrowsers[0]!;
    assert.ok(expires.getTime() > application.clock.now);
    assert.deepEqual(await endTrustedBrowsers({ id }, options), { ok: true, ended: 1 });
    assert.deepEqual(await endTrustedBrowsers({}, options), { ok: true, ended: 0 });

    const codes = await renewRecoveryCodes(options);
    assert.ok(codes.ok);
    assert.equal(codes.recoveryCodes.some((code) => on.recoveryCodes.includes(code)), false);
    const anew = await readSecondFactor({ replace: true }, options);
    assert.equal(anew.ok && !anew.on && anew.secret !== secret, true);
    assert.deepEqual(await turnOffSecondFactor(options), { ok: true });
    const gone = await turnOffSecondFactor(options);
    assert.equal(!gone.ok && gone.error.code, "SECOND_FACTOR_CHANGED");
  }));
