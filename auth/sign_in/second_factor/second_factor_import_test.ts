// Second factors that come from another library.
import assert from "node:assert/strict";
import { disableUser } from "../../session/users.ts";
import { during } from "../../tests/during.ts";
import { withFactor } from "../../tests/second_factor_application.ts";
import { importSecondFactor } from "./import.ts";

const SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";

// Tracks: R172
Deno.test("importSecondFactor() takes the secret of an app, whose next code signs in and whose present one does not", () =>
  withFactor(async (application) => {
    await application.member();
    const id = application.userId();
    const spaced = SECRET.toLowerCase().replace(/(.{4})/g, "$1 ");
    const put = (secret: string | Uint8Array, userId = id) =>
      during(application, undefined, () => importSecondFactor(userId, { secret }));
    assert.equal((await put(SECRET, "nobody")).result, false);
    assert.equal((await put(spaced)).result, true);
    assert.equal((await put(SECRET)).result, false, "the one that is there stays");
    const [row] = application.rows("second_factors") as [{ secret: string }];
    assert.ok(!row.secret.includes(SECRET));
    assert.equal(application.rows("recovery_codes").length, 0);
    assert.equal(application.told.at(-1)?.type, "second-factor-added");

    const browser = application.browser();
    await application.begin(browser);
    assert.equal(await browser.user(), null);
    assert.equal((await application.answer(browser, await application.code(SECRET))).status, 401);
    const next = await application.answer(browser, await application.code(SECRET, 1));
    assert.equal(next.status, 200);
    assert.equal(await browser.user(), id);
    const made = await browser.send("/second-factor/setup/codes", { fields: {} });
    assert.equal((await made.json()).recoveryCodes?.length, 10);
  }));

Deno.test("importSecondFactor() takes bytes as they are, refuses what is no secret, and leaves a disabled user alone", () =>
  withFactor(async (application) => {
    await application.member();
    const id = application.userId();
    const put = (secret: unknown) =>
      during(
        application,
        undefined,
        () => importSecondFactor(id, { secret: secret as string }),
      );
    for (const wrong of ["", "JBSWY3DP", `${SECRET}1`, new Uint8Array(9), null, "A".repeat(206)]) {
      await assert.rejects(put(wrong), {
        code: "BAD_REQUEST",
        message: /base32 of 10 to 128 bytes/,
      });
    }
    await during(application, undefined, () => disableUser(id));
    assert.equal((await put(SECRET)).result, false);
    assert.equal(application.rows("second_factors").length, 0);
  }));
