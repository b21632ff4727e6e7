import assert from "node:assert/strict";
import { fetchOf } from "../tests/passkey_browser.ts";
import { withFactor } from "../tests/second_factor_application.ts";
import { readSecondFactor } from "./second_factor.ts";
import {
  cancelFactorRecovery,
  finishFactorRecovery,
  readFactorRecovery,
  requestFactorRecovery,
} from "./second_factor_recovery.ts";

// Tracks: R174
Deno.test("the client asks to do without a lost factor, cancels it, and finishes it at the real endpoints", () =>
  withFactor(
    async (application) => {
      const member = await application.member();
      const { secret } = await application.enrol(member);
      const browser = application.browser();
      const options = { fetch: fetchOf(browser) };
      const nobody = await readFactorRecovery(options);
      assert.equal(!nobody.ok && nobody.error.code, "SECOND_FACTOR_OVER");
      await application.begin(browser);
      const none = { ok: true, status: "none", from: null, until: null };
      assert.deepEqual(await readFactorRecovery(options), none);
      const asked = await requestFactorRecovery(options);
      assert.equal(asked.ok && asked.from?.getTime(), application.clock.now + 3 * 86_400_000);
      const seen = await readFactorRecovery({ fetch: fetchOf(member) });
      assert.deepEqual(seen, asked);
      const cancelled = await cancelFactorRecovery({}, { fetch: fetchOf(member) });
      assert.deepEqual(cancelled, { ok: true, cancelled: true });
      application.wait(86_400_000);
      await application.begin(browser);
      await requestFactorRecovery(options);
      await application.settle();
      const mail = application.news.findLast(({ kind }) => kind === "recovery-requested")!;
      const link = Object.fromEntries(new URL(mail.url).searchParams);
      assert.deepEqual(await cancelFactorRecovery(link, options), { ok: true, cancelled: true });
      const again = await cancelFactorRecovery(link, options);
      assert.equal(!again.ok && again.error.code, "INVALID_LINK");
      application.wait(86_400_000);
      await application.begin(browser);
      await requestFactorRecovery(options);
      const early = await finishFactorRecovery({ redirect: false }, options);
      assert.equal(!early.ok && early.error.code, "SECOND_FACTOR_RECOVERY_EARLY");
      application.wait(3 * 86_400_000);
      await application.begin(browser);
      const done = await finishFactorRecovery({ redirectTo: "/next", redirect: false }, options);
      assert.equal(done.ok && done.session?.user.id, application.userId());
      assert.match(done.ok ? done.redirectTo : "", /second-factor\/setup\?callbackUrl=[^&]+next$/);
      const anew = await readSecondFactor({}, options);
      assert.equal(anew.ok && !anew.on && anew.secret !== secret, true);
    },
    "database",
    { recovery: {} },
  ));
