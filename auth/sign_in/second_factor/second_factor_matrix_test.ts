import assert from "node:assert/strict";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { SecondFactorRequiredError } from "../../errors.ts";
import { issueSession } from "../../session/read_session.ts";
import { startSession } from "../../session/operations.ts";
import { during } from "../../tests/during.ts";
import { withFactor } from "../../tests/second_factor_application.ts";
import { WAYS } from "../../tests/ways_in.ts";
import { listFiles } from "../../../scripts/workspace.ts";

// What these make is a new user, who has no factor.
const NEW_USERS = [
  "passkey/registration.ts",
  "password/confirmation.ts",
  "password/verification.ts",
];
// Steps that the ways share, and the second step itself.
const SHARED = ["sign_in.ts", "identity.ts", "second_factor/step.ts"];

// Tracks: R170, R172, R175
for (const strategy of ["database", "jwt"] as const) {
  for (const [way, come] of Object.values(WAYS).flatMap((ways) => Object.entries(ways))) {
    for (const isOn of [true, false]) {
      Deno.test(`${way} ${isOn ? "asks for the second factor" : "signs in where there is none"} (${strategy})`, () =>
        withFactor(async (application) => {
          const member = await application.member();
          const authenticator = createSoftwareAuthenticator({ userVerified: false });
          assert.equal((await member.register(authenticator)).status, 200);
          const { secret } = isOn ? await application.enrol(member) : { secret: "" };
          const browser = application.browser();
          const response = await come(application, browser, authenticator);
          const body = await response.json();
          if (!isOn) {
            assert.equal(await browser.user(), application.userId());
            return;
          }
          assert.deepEqual([response.status, body.user], [200, null]);
          assert.match(body.redirectTo, /^https:\/\/app\.example\/auth\/second-factor/);
          assert.equal(await browser.user(), null);
          assert.deepEqual(
            [...browser.cookies.keys()].filter((name) => name.includes("session-token")),
            [],
          );
          assert.equal(application.told.filter(({ type }) => type === "sign-in").length, 1);
          const stranger = application.browser();
          const code = await application.code(secret);
          assert.equal((await application.answer(stranger, code)).status, 401, "another browser");
          const done = await application.answer(browser, code);
          assert.equal(done.status, 200);
          assert.equal((await done.json()).user.id, application.userId());
          assert.equal(await browser.user(), application.userId());
          assert.equal(browser.cookies.has("__Host-framework.second-step"), false);
        }, strategy));
    }
  }

  // Tracks: R170, R176
  Deno.test(`a passkey that has verified its user is both factors (${strategy})`, () =>
    withFactor(async (application) => {
      const member = await application.member();
      const authenticator = createSoftwareAuthenticator({ userVerified: true });
      assert.equal((await member.register(authenticator)).status, 200);
      await application.enrol(member);
      const browser = application.browser();
      assert.equal((await browser.prove(authenticator)).status, 200);
      assert.equal(await browser.user(), application.userId());
      const rows = application.rows("session_factors").map(({ method }) => method);
      assert.ok(rows.includes("passkey"));
    }, strategy));

  // Tracks: R170
  Deno.test(`startSession() and issueSession() begin no session of one factor for who has two (${strategy})`, () =>
    withFactor(async (application) => {
      const member = await application.member();
      const { secret } = await application.enrol(member);
      const { auth } = application;
      const id = application.userId();
      await assert.rejects(issueSession(auth, id, {}), SecondFactorRequiredError);
      const { cookies } = await during(
        application,
        undefined,
        () => assert.rejects(startSession(id), SecondFactorRequiredError),
      );
      const [pair] = cookies.map((line) => line.split(";")[0]!);
      assert.match(pair!, /^__Host-framework\.second-step=/);
      assert.equal(cookies.length, 1);
      const browser = application.browser();
      browser.cookies.set("__Host-framework.second-step", pair!.slice(pair!.indexOf("=") + 1));
      assert.equal((await application.answer(browser, await application.code(secret))).status, 200);
      assert.equal(await browser.user(), id);
      // Who has proved it themselves says so.
      assert.equal((await issueSession(auth, id, {}, { amr: ["mfa"] })).session.user.id, id);
      const { result } = await during(
        application,
        undefined,
        () => startSession(id, { amr: ["pwd", "mfa"] }),
      );
      assert.equal(result.user.id, id);
      await assert.rejects(
        issueSession(auth, id, {}, { amr: ["pwd", "otp"] }),
        SecondFactorRequiredError,
      );
    }, strategy));
}

// Tracks: R170
Deno.test("every file that completes a sign-in has a row in the matrix", async () => {
  const folder = new URL("../", import.meta.url).pathname;
  const names = (await listFiles(folder, () => true))
    .filter((name) => name.endsWith(".ts") && !name.endsWith("_test.ts"));
  const completing: string[] = [];
  for (const name of names) {
    const source = await Deno.readTextFile(folder + name);
    const imports = source.match(/^import [^;]*;/gm)?.join("\n") ?? "";
    if (/\b(?:completeSignIn|signInWithIdentity|beginSession|mintSession)\b/.test(imports)) {
      completing.push(name);
    }
  }
  const listed = [...Object.keys(WAYS), ...NEW_USERS, ...SHARED];
  assert.deepEqual(completing.toSorted(), listed.toSorted());
});

// Tracks: R170
Deno.test("a mint that forgets the gate does not compile", () => {
  const mint = (strategy: import("../../core/session_strategy.ts").SessionStrategy) =>
    // @ts-expect-error Only mintSession() makes what a strategy begins a session with.
    strategy.begin({ userId: "ada", userAgent: null, waitUntil: () => {} });
  assert.equal(typeof mint, "function");
});
