// A passkey as the answer to the second step: to have it is enough after another first factor.
import assert from "node:assert/strict";
import {
  createSoftwareAuthenticator,
  type SoftwareAuthenticator,
} from "../../../testing/sign_in/software_authenticator.ts";
import { ORIGIN } from "../../tests/application.ts";
import { during } from "../../tests/during.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { getSessionProof } from "./require.ts";

const QUESTION = "/passkey/options/second-factor";

/** A member with the factor on and a passkey that verifies nobody, who has typed the password in another browser. */
async function settled(application: FactorApplication, { userVerified = false } = {}) {
  const member = await application.member();
  const authenticator = createSoftwareAuthenticator({ userVerified });
  assert.equal((await member.register(authenticator)).status, 200);
  const { secret } = await application.enrol(member);
  const browser = application.browser();
  await application.begin(browser);
  return { member, authenticator, secret, browser };
}

/** Answer of an authenticator to the question of the step. */
async function proof(browser: PasskeyBrowser, authenticator: SoftwareAuthenticator) {
  const question = await browser.send(QUESTION, { fields: {} });
  assert.equal(question.status, 200);
  return JSON.stringify(await authenticator.get(await question.json(), ORIGIN));
}

async function answer(browser: PasskeyBrowser, credential: string) {
  const response = await browser.send("/second-factor", { fields: { credential } });
  return { status: response.status, body: await response.json() };
}

for (const strategy of ["database", "jwt"] as const) {
  // Tracks: R170, R172
  Deno.test(`a passkey that has not verified its user is the second factor after a password (${strategy})`, () =>
    withFactor(async (application) => {
      const { browser, authenticator } = await settled(application);
      const credential = await proof(browser, authenticator);
      assert.equal(await browser.user(), null);
      const { status, body } = await answer(browser, credential);
      assert.deepEqual([status, body.user.id], [200, application.userId()]);
      assert.equal(await browser.user(), application.userId());
      const methods = application.rows("session_factors").map(({ method }) => method);
      assert.deepEqual(methods.toSorted(), ["passkey", "totp"]);
      // The same answer once more, in a sign-in that waits anew.
      await browser.send("/signout", { fields: {} });
      await application.begin(browser);
      const replayed = await answer(browser, credential);
      assert.deepEqual([replayed.status, replayed.body.code], [400, "PASSKEY_EXPIRED"]);
      assert.equal(await browser.user(), null);
    }, strategy));

  // Tracks: R170, R176
  Deno.test(`one passkey is not both factors unless it has verified its user (${strategy})`, () =>
    withFactor(async (application) => {
      const { authenticator } = await settled(application);
      const browser = application.browser();
      assert.equal((await (await browser.prove(authenticator)).json()).user, null);
      const once = await answer(browser, await proof(browser, authenticator));
      assert.deepEqual([once.status, once.body.code], [401, "PASSKEY_UNVERIFIED"]);
      assert.equal(await browser.user(), null);
      authenticator.behaviour.userVerified = true;
      const verified = await answer(browser, await proof(browser, authenticator));
      assert.deepEqual([verified.status, verified.body.user.id], [200, application.userId()]);
    }, strategy));
}

// Tracks: R170, R172
Deno.test("the second step takes no passkey of another user, and none that was removed", () =>
  withFactor(async (application) => {
    const { browser, authenticator, member, secret } = await settled(application);
    const cookie = await application.join("eve@example.com");
    const eve = application.browser();
    for (const pair of cookie.split("; ")) {
      eve.cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    const strange = createSoftwareAuthenticator({ userVerified: true });
    assert.equal((await eve.register(strange)).status, 200);
    // By a challenge for anybody, which names no user.
    const open = await browser.signInOptions();
    const stranger = await answer(browser, JSON.stringify(await strange.get(open, ORIGIN)));
    assert.deepEqual([stranger.status, stranger.body.code], [401, "PASSKEY_REFUSED"]);

    const credential = await proof(browser, authenticator);
    const [{ id }] = await (await member.send("/passkeys")).json();
    await application.answer(member, await application.code(secret));
    assert.equal((await member.send(`/passkeys/${id}`, { method: "DELETE" })).status, 204);
    const removed = await answer(browser, credential);
    assert.equal(removed.status, 401);
    assert.equal(await browser.user(), null);
    // The step itself is still open for a code.
    application.wait(30_000);
    assert.equal((await application.answer(browser, await application.code(secret))).status, 200);
  }));

// Tracks: R172
Deno.test("wrong passkeys are tries of the step, and the codes of the app stay open for who has none left", () =>
  withFactor(async (application) => {
    const { browser, secret } = await settled(application);
    for (let count = 0; count < 5; count++) {
      assert.equal((await answer(browser, "{}")).status, 401);
    }
    const sixth = await answer(browser, "{}");
    assert.equal(sixth.body.code, "SECOND_FACTOR_TRIES_OVER");
    const other = application.browser();
    await application.begin(other);
    assert.equal((await application.answer(other, await application.code(secret))).status, 200);
  }));

// Tracks: R170, R172
Deno.test("what passkeys are asked is told to nobody who has not proved the first factor", () =>
  withFactor(async (application) => {
    await settled(application);
    const refused = await application.browser().send(QUESTION, { fields: {} });
    assert.equal(refused.status, 401);
    assert.equal("allowCredentials" in await refused.json(), false);
  }));

// Tracks: R174, R176
Deno.test("a passkey proves the factor anew when it verifies its user, and else not: it may be what signed in", () =>
  withFactor(async (application) => {
    const { browser, authenticator, secret } = await settled(application);
    await application.answer(browser, await application.code(secret), { trust: "yes" });
    await browser.send("/signout", { fields: {} });
    // With the key alone, in a browser that is trusted.
    assert.equal((await (await browser.prove(authenticator)).json()).user.id, application.userId());
    const codes = async () => {
      const response = await browser.send("/second-factor/setup/codes", { fields: {} });
      return (await response.json()).code;
    };
    assert.equal(await codes(), "SECOND_FACTOR_REQUIRED");
    const again = await answer(browser, await proof(browser, authenticator));
    assert.deepEqual([again.status, again.body.code], [401, "PASSKEY_UNVERIFIED"]);
    assert.equal(await codes(), "SECOND_FACTOR_REQUIRED");
    authenticator.behaviour.userVerified = true;
    const { status, body } = await answer(browser, await proof(browser, authenticator));
    assert.deepEqual([status, body.user.id], [200, application.userId()]);
    assert.equal(await codes(), undefined);
  }));

// Tracks: R172
Deno.test("the page that asks has the passkey's form and script for who has one", () =>
  withFactor(async (application) => {
    const page = async (browser: PasskeyBrowser) => {
      const response = await application.send("/second-factor", {
        cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        headers: { accept: "text/html" },
      });
      return {
        text: await response.text(),
        policy: response.headers.get("content-security-policy"),
      };
    };
    const { browser } = await settled(application);
    const { text, policy } = await page(browser);
    assert.match(text, /data-options="\/auth\/passkey\/options\/second-factor"/);
    assert.match(text, /<script type="module" src="\/auth\/passkey\.js">/);
    assert.match(policy!, /connect-src 'self'/);

    const bare = application.browser();
    const other = await application.join("eve@example.com");
    for (const pair of other.split("; ")) {
      bare.cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    await application.enrol(bare);
    const without = await page(bare);
    assert.match(without.text, /name="code"/);
    assert.doesNotMatch(without.text, /data-passkey|passkey\.js/);
    assert.doesNotMatch(without.policy!, /connect-src/);
  }));

// Tracks: R176
Deno.test("getSessionProof() says what this session has proved, and when", () =>
  withFactor(async (application) => {
    const read = async (browser: PasskeyBrowser | undefined) => {
      const cookie = browser &&
        [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      return (await during(application, cookie, getSessionProof)).result;
    };
    const { browser, authenticator, secret } = await settled(application);
    assert.equal(await read(undefined), null);
    assert.equal(await read(browser), null, "a step that waits is no session");
    const signedInAt = new Date(application.clock.now);
    await answer(browser, await proof(browser, authenticator));
    assert.deepEqual(await read(browser), {
      amr: ["pop", "mfa"],
      secondFactor: "passkey",
      signedInAt,
      secondFactorAt: signedInAt,
    });
    const other = application.browser();
    await application.begin(other);
    await application.answer(other, await application.code(secret), { trust: "yes" });
    assert.deepEqual((await read(other))?.amr, ["otp", "mfa"]);
    await other.send("/signout", { fields: {} });
    await application.begin(other);
    const trusted = await read(other);
    assert.deepEqual([trusted?.amr, trusted?.secondFactor, trusted?.secondFactorAt], [
      [],
      "trusted",
      null,
    ]);
  }));

Deno.test("the page of the factor names trusted browsers as people do", () =>
  withFactor(async (application) => {
    const { browser, secret } = await settled(application);
    const headers = {
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    };
    const fields = { code: await application.code(secret), trust: "yes" };
    assert.equal((await browser.send("/second-factor", { fields, headers })).status, 200);
    const page = await browser.send("/second-factor/setup", { headers: { accept: "text/html" } });
    const text = await page.text();
    assert.match(text, />Firefox on Linux</);
    assert.doesNotMatch(text, /Mozilla/);
  }));
