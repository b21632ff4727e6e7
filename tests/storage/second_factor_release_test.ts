// docs/second_factor.md, "Turn it on in a running application": what a release without second factors does beside this one.
import assert from "node:assert/strict";
import { createPasskeyBrowser } from "../../auth/tests/passkey_browser.ts";
import { PASSWORD } from "../../auth/tests/password_application.ts";
import { ADA, withFactor } from "../../auth/tests/second_factor_application.ts";
import { worker } from "./releases/version_2.js";

// Tracks: R170
Deno.test("a release without second factors asks for none, and its sessions have proved none in this one", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const { secret } = await application.enrol(member);
    const env = {
      DB: application.database,
      AUTH_SECRET: "0123456789abcdef0123456789abcdef",
    };
    const origin = "http://localhost";
    const signedIn = await worker.fetch(
      new Request(`${origin}/auth/signin/credentials`, {
        method: "POST",
        headers: { origin, "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ name: application.userId() }),
      }),
      env,
    );
    assert.equal(signedIn.status, 200);
    assert.equal((await signedIn.json()).user.id, application.userId(), "without the second step");
    const [, token] = /=([^;]*)/.exec(
      signedIn.headers.getSetCookie().find((line) => line.includes("session-token"))!,
    )!;

    // Here it is a session that has proved one factor: nothing that asks for two opens.
    const browser = createPasskeyBrowser(application);
    browser.cookies.set("__Host-framework.session-token", token!);
    for (const path of ["codes", "off", "browsers"]) {
      const refused = await browser.send(`/second-factor/setup/${path}`, { fields: {} });
      assert.equal((await refused.json()).code, "SECOND_FACTOR_REQUIRED", path);
    }
    // And by the same way nobody gets in without the second step any more.
    const other = application.browser();
    await application.begin(other, { email: ADA, password: PASSWORD });
    assert.equal(await other.user(), null);
    assert.equal((await application.answer(other, await application.code(secret))).status, 200);
    // What a release of before has begun ends like every other session.
    const ended = await other.send("/account/sessions/end-others", { fields: {} });
    assert.equal(ended.status, 200);
    assert.equal(await browser.user(), null);
  }));
