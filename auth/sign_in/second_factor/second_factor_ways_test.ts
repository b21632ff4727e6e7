// Ways to a session that are no sign-in by a known user: tokens in headers, links of the application, and sign-ups.
import assert from "node:assert/strict";
import { startSession } from "../../session/operations.ts";
import { createUser } from "../../session/users.ts";
import { during } from "../../tests/during.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { PASSWORD, tokenOf } from "../../tests/password_application.ts";
import { ADA, type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { issueOneTimeToken, redeemOneTimeToken } from "../one_time_token.ts";

const STEP = "__Host-framework.second-step";

/** Names of the cookies that an answer gives. */
function given(cookies: readonly string[]): string[] {
  return cookies.filter((line) => !/max-age=0/i.test(line))
    .map((line) => line.slice(0, line.indexOf("=")));
}

/** A browser in which the user has signed up and then proved the address. */
async function signUpLater(application: FactorApplication): Promise<PasskeyBrowser> {
  const browser = application.browser();
  const fields = { email: ADA, password: PASSWORD, name: "Ada" };
  assert.ok((await browser.send("/signup", { fields })).status < 400);
  // Nobody turns a factor on who has not proved the address.
  const early = await browser.send("/second-factor/setup");
  assert.equal((await early.json()).code, "SECOND_FACTOR_UNPROVED_EMAIL");
  await application.settle();
  const token = tokenOf(application.outbox.at(-1)!);
  const proved = await browser.send("/signup/confirm", { fields: { token } });
  assert.equal(proved.status, 200);
  return browser;
}

/** Events about sessions that have begun. */
function begun({ told }: FactorApplication): number {
  return told.filter(({ type }) => type === "sign-in").length;
}

for (const strategy of ["database", "jwt"] as const) {
  // Tracks: R170, R172
  Deno.test(`a step in a header is no session and answers no question (${strategy})`, () =>
    withFactor(
      async (application) => {
        const { secret } = await application.enrol(await application.member());
        const browser = application.browser();
        await application.begin(browser);
        const step = browser.cookies.get(STEP)!;
        const headers = { authorization: `Bearer ${step}` };
        const client = application.browser();
        assert.equal(await (await client.send("/session", { headers })).json(), null);
        const code = await application.code(secret);
        const answer = await client.send("/second-factor", { headers, fields: { code } });
        assert.deepEqual([answer.status, (await answer.json()).code], [401, "SECOND_FACTOR_OVER"]);
        // Beside its cookie the header changes nothing of what must be proved.
        const wrong = await browser.send("/second-factor", { headers, fields: { code: "000000" } });
        assert.equal(wrong.status, 401);
        assert.equal(await browser.user(), null);
        assert.equal((await application.answer(browser, code)).status, 200);
        assert.equal(await browser.user(), application.userId());
      },
      strategy,
      {},
      { session: { bearer: true } },
    ));

  // Tracks: R170
  Deno.test(`an invitation and a user that the application makes go past no factor (${strategy})`, () =>
    withFactor(async (application) => {
      const { secret } = await application.enrol(await application.member());
      const id = application.userId();
      const before = begun(application);
      // The address is taken, so nobody gets a second account beside the factor.
      await during(
        application,
        undefined,
        () => assert.rejects(createUser({ email: ADA }), { code: "USER_EXISTS" }),
      );
      const invited = await during(application, undefined, async () => {
        const token = await issueOneTimeToken("invitation", id, { sentTo: ADA, maxAge: 900 });
        assert.equal((await redeemOneTimeToken("invitation", token))?.userId, id);
        await assert.rejects(startSession(id), { code: "SECOND_FACTOR_REQUIRED" });
      });
      assert.deepEqual(given(invited.cookies), [STEP]);
      assert.equal(begun(application), before);
      const browser = application.browser();
      browser.cookies.set(STEP, invited.cookies[0]!.slice(STEP.length + 1).split(";")[0]!);
      assert.equal(await browser.user(), null);
      assert.equal((await application.answer(browser, await application.code(secret))).status, 200);
      assert.equal(await browser.user(), id);
      // A new user has no factor, and is asked for none.
      const { result } = await during(
        application,
        undefined,
        async () => await startSession((await createUser({ email: "eve@example.com" })).id),
      );
      assert.equal(result.user.email, "eve@example.com");
    }, strategy));

  // Tracks: R170
  for (const verification of ["first", "later"] as const) {
    Deno.test(`a sign-up for the address of somebody with a factor gives no session (${verification}, ${strategy})`, () =>
      withFactor(
        async (application) => {
          const owner = verification === "first"
            ? await application.member()
            : await signUpLater(application);
          const { secret } = await application.enrol(owner);
          const stranger = application.browser();
          const before = begun(application);
          const answer = await stranger.send("/signup", {
            fields: { email: ADA, password: `${PASSWORD} of a stranger`, name: "Eve" },
          });
          assert.deepEqual(
            given(answer.headers.getSetCookie()).filter((name) => name.includes("session-token")),
            [],
          );
          assert.equal(await stranger.user(), null);
          await application.settle();
          // Whatever link the mail to the owner has, who opens it where they signed up gets no further.
          for (const { url } of application.outbox) {
            const token = new URL(url).searchParams.get("token");
            if (token === null) continue;
            await stranger.send("/signup/confirm", { fields: { token } });
            assert.equal(await stranger.user(), null);
          }
          assert.equal(begun(application), before);
          assert.equal(application.rows("users").length, 1);
          assert.equal(application.rows("second_factors").length, 1);
          const browser = application.browser();
          await application.begin(browser);
          assert.equal(await browser.user(), null);
          const code = await application.code(secret);
          assert.equal((await application.answer(browser, code)).status, 200);
        },
        strategy,
        {},
        {},
        { verification },
      ));
  }

  // Tracks: R170, R175
  Deno.test(`a first password by mail, for somebody who had none, leaves the factor (${strategy})`, () =>
    withFactor(async (application) => {
      const { secret } = await application.enrol(await application.member());
      application.database.sqlite.exec("DELETE FROM password_hashes");
      const browser = application.browser();
      const token = await application.askReset(ADA);
      const password = `${PASSWORD} by mail`;
      const made = await browser.send("/reset", { fields: { token, password } });
      assert.equal(made.status, 200);
      assert.equal(await browser.user(), null);
      application.wait(1000);
      const begun = await application.begin(browser, { password });
      assert.equal((await begun.json()).user, null);
      assert.equal(await browser.user(), null);
      assert.equal(application.rows("second_factors").length, 1);
      assert.equal((await application.answer(browser, await application.code(secret))).status, 200);
      assert.equal(await browser.user(), application.userId());
    }, strategy));
}
