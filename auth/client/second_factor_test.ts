import assert from "node:assert/strict";
import { ORIGIN } from "../tests/application.ts";
import { PASSWORD } from "../tests/password_application.ts";
import { ADA, withFactor } from "../tests/second_factor_application.ts";
import { answerSecondFactor } from "./second_factor.ts";
import { getSession } from "./session.ts";
import { signIn } from "./sign_in.ts";

Deno.test("the client signs in with two steps at the real endpoints, and is told which one is missing", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const { secret, codes } = await application.enrol(member);
    const browser = application.browser();
    const fetch: typeof globalThis.fetch = (input, init) => {
      const json = init!.body === undefined ? undefined : JSON.parse(String(init!.body));
      return browser.send(String(input).replace("/auth", ""), json && { fields: json });
    };
    const options = { fetch };
    const values = { email: ADA, password: PASSWORD, redirectTo: "/next", redirect: false };

    const early = await answerSecondFactor({ code: codes[0]!, redirect: false }, options);
    assert.equal(!early.ok && early.error.code, "SECOND_FACTOR_OVER");
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
    const proved = await answerSecondFactor({ code: codes[0]!, redirect: false }, options);
    assert.equal(proved.ok && proved.session?.user.id, application.userId());
    const allowed = await browser.send("/second-factor/setup/codes", { fields: {} });
    assert.equal(allowed.status, 200);
  }));
