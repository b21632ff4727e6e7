// Browsers that are trusted.
import assert from "node:assert/strict";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { visit } from "../../tests/application.ts";
import { during } from "../../tests/during.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { PASSWORD } from "../../tests/password_application.ts";
import { type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { passwordChanged } from "../../session/users.ts";
import { requireSecondFactor } from "./require.ts";

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
