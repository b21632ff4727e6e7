// A session cookie that was copied before its owner proved the second factor.
import assert from "node:assert/strict";
import { challengeIn, createDevice } from "../../tests/device.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { deviceBound, deviceBoundJwt } from "../device_bound/provider.ts";

const SESSION = "__Host-framework.session-token";

/** A browser with what another one has at this moment. */
function copyOf(application: FactorApplication, browser: PasskeyBrowser): PasskeyBrowser {
  const copy = application.browser();
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  return copy;
}

async function codeOf(response: Response): Promise<[number, string | undefined]> {
  return [response.status, (await response.json()).code];
}

for (const strategy of ["database", "jwt"] as const) {
  // Tracks: R176
  Deno.test(`a cookie copied before the factor was turned on proves none, and ends (${strategy})`, () =>
    withFactor(async (application) => {
      const member = await application.member();
      const thief = copyOf(application, member);
      const underWay = copyOf(application, member);
      const before = member.cookies.get(SESSION)!;
      await application.enrol(member);
      assert.notEqual(member.cookies.get(SESSION), before);
      // The clock of the tests stands still from the answer of enrol() on, but for half a minute.
      application.wait(-30_000);
      // A request that the browser had sent before is still signed in, and takes no cookie away.
      const answer = await underWay.send("/session");
      assert.equal((await answer.clone().json()).user.id, application.userId());
      assert.deepEqual(answer.headers.getSetCookie(), []);
      // The owner has just proved the factor; who has copied the cookie before has not.
      assert.equal((await (await member.send("/second-factor/setup")).json()).on, true);
      assert.deepEqual(await codeOf(await thief.send("/second-factor/setup")), [
        401,
        "SECOND_FACTOR_REQUIRED",
      ]);
      for (const path of ["/second-factor/setup/off", "/second-factor/setup/codes"]) {
        assert.deepEqual(await codeOf(await thief.send(path, { fields: {} })), [
          401,
          "SECOND_FACTOR_REQUIRED",
        ]);
      }
      application.wait(12_000);
      assert.equal(await member.user(), application.userId());
      assert.equal(await thief.user(), null);
      assert.equal(await member.user(), application.userId());
      assert.equal((await (await member.send("/second-factor/setup")).json()).on, true);
    }, strategy));

  // Tracks: R176
  Deno.test(`a cookie copied before the factor was proved anew is not the one that proved it (${strategy})`, () =>
    withFactor(async (application) => {
      const member = await application.member();
      const { secret } = await application.enrol(member);
      const browser = application.browser();
      await application.begin(browser);
      await application.answer(browser, await application.code(secret), { trust: "yes" });
      // In a trusted browser the next sign-in proves one factor.
      await browser.send("/signout", { fields: {} });
      await application.begin(browser);
      assert.equal(await browser.user(), application.userId());
      const thief = copyOf(application, browser);
      application.wait(30_000);
      const proved = await application.answer(browser, await application.code(secret));
      assert.equal(proved.status, 200);
      assert.equal((await (await browser.send("/second-factor/setup")).json()).on, true);
      assert.deepEqual(await codeOf(await thief.send("/second-factor/setup")), [
        401,
        "SECOND_FACTOR_REQUIRED",
      ]);
      // Nor does it become so by its own answer with a code that has been seen.
      const seen = await application.answer(thief, await application.code(secret));
      assert.equal(seen.status, 401);
      application.wait(12_000);
      assert.equal(await browser.user(), application.userId());
      assert.equal(await thief.user(), null);
    }, strategy));

  // Tracks: R176
  Deno.test(`two tabs that prove the factor at once are signed in afterwards (${strategy})`, () =>
    withFactor(async (application) => {
      const member = await application.member();
      const { secret, codes } = await application.enrol(member);
      const tab = copyOf(application, member);
      const answers = await Promise.all([
        application.answer(member, await application.code(secret)),
        application.answer(tab, codes[0]!),
      ]);
      assert.deepEqual(answers.map(({ status }) => status), [200, 200]);
      const given = answers.flatMap((answer) => answer.headers.getSetCookie())
        .filter((line) => line.startsWith(`${SESSION}=`))
        .map((line) => line.slice(SESSION.length + 1, line.indexOf(";")));
      // Whichever of the answers the browser has read last.
      for (const token of given) {
        const browser = application.browser();
        browser.cookies.set(SESSION, token);
        application.wait(12_000);
        assert.equal(await browser.user(), application.userId());
        assert.equal((await browser.send("/second-factor/setup")).status, 200);
      }
      assert.ok(given.length > 0);
    }, strategy));

  // Tracks: R176
  Deno.test(`a client with its token in a header keeps it when it proves the factor (${strategy})`, () =>
    withFactor(
      async (application) => {
        const member = await application.member();
        const { secret } = await application.enrol(member);
        const authorization = `Bearer ${member.cookies.get(SESSION)}`;
        application.wait(600_000);
        const client = application.browser();
        const headers = { authorization };
        // The sign-in is of ten minutes ago, less half a minute.
        application.wait(-60_000);
        const answer = await client.send("/second-factor", {
          headers,
          fields: { code: await application.code(secret) },
        });
        assert.equal(answer.status, 200);
        assert.deepEqual(answer.headers.getSetCookie(), []);
        const setUp = await client.send("/second-factor/setup", { headers });
        assert.equal(setUp.status, 200);
      },
      strategy,
      {},
      { session: { bearer: true } },
    ));

  // Tracks: R176, R022
  Deno.test(`whoever signs out right after the proof leaves no token (${strategy})`, () =>
    withFactor(async (application) => {
      const member = await application.member();
      const before = copyOf(application, member);
      await application.enrol(member);
      application.wait(-30_000);
      const after = copyOf(application, member);
      await member.send("/signout", { fields: {} });
      application.wait(12_000);
      assert.equal(await after.user(), null);
      assert.equal(await before.user(), null);
      assert.equal(await member.user(), null);
    }, strategy));
}

/** Options of an application whose sessions are bound to their devices. */
function boundOptions(strategy: "database" | "jwt") {
  const config = { sendMail: () => {} };
  const bound = strategy === "jwt" ? deviceBoundJwt(config) : deviceBound(config);
  return { session: { deviceBound: bound } };
}

/** A device whose browser is signed in to a bound session, and the browser, which has the cookies while it works. */
async function bindDevice(application: FactorApplication) {
  await application.member();
  const device = await createDevice(application);
  await device.signIn();
  assert.equal((await device.register()).status, 200);
  // What was under way while the session was bound counts no more.
  application.wait(11_000);
  const browser = application.browser();
  return {
    device,
    browser,
    /** Sends as the browser of the device. */
    async inBrowser<T>(work: () => Promise<T>): Promise<T> {
      browser.cookies.clear();
      for (const [name, value] of device.jar) browser.cookies.set(name, value);
      const done = await work();
      device.jar.clear();
      for (const [name, value] of browser.cookies) device.jar.set(name, value);
      return done;
    },
    isBound: async () => (await (await browser.send("/session")).json())?.bound,
  };
}

for (const strategy of ["database", "jwt"] as const) {
  // Tracks: R176
  Deno.test(`a session that is bound to its device stays bound to the same one (${strategy})`, () =>
    withFactor(
      async (application) => {
        const { device, inBrowser, browser, isBound } = await bindDevice(application);
        const [name] = [...device.jar.keys()].filter((key) => key.endsWith("-device"));
        const before = new Map(device.jar);
        await inBrowser(() => application.enrol(browser));
        application.wait(-30_000);
        // The tokens of a signed session are its two cookies; that of a row is the long one.
        assert.equal(device.jar.get(name!) === before.get(name!), strategy === "database");
        assert.notEqual(device.jar.get(SESSION), before.get(SESSION));
        assert.equal(await inBrowser(isBound), true);
        // The one of before opens for some seconds what is bound to the same device, and nothing without it.
        const old = application.browser();
        old.cookies.set(SESSION, before.get(SESSION)!);
        assert.equal(await old.user(), null);
        old.cookies.set(name!, before.get(name!)!);
        assert.equal(await old.user(), application.userId());
        // It has proved no second factor.
        assert.equal((await old.send("/second-factor/setup")).status, 401);
        assert.equal((await inBrowser(() => browser.send("/second-factor/setup"))).status, 200);
        // A refresh that was under way asks once more, with a challenge that the session of the new cookie knows.
        const taken = new Map(device.jar);
        device.jar.set(SESSION, before.get(SESSION)!);
        const challenge = await device.challenge();
        const again = await device.ask("refresh", await device.prove(challenge));
        assert.equal(again.status, 403);
        assert.deepEqual(again.headers.getSetCookie(), []);
        device.jar.set(SESSION, taken.get(SESSION)!);
        const answered = await device.ask("refresh", await device.prove(challengeIn(again)));
        assert.equal(answered.status, 200);
        assert.equal((await answered.json()).session_identifier, device.id);
        assert.equal(await inBrowser(isBound), true);
        assert.deepEqual(
          application.told.filter(({ type }) => type === "device-proof-refused"),
          [],
        );
        // And for as long as the session lasts.
        application.wait(600_001);
        assert.equal((await device.refresh()).status, 200);
        assert.equal(await inBrowser(isBound), true);
        assert.equal(await old.user(), null);
      },
      strategy,
      {},
      boundOptions(strategy),
    ));

  // Tracks: R176, R022
  Deno.test(`whoever signs out of a bound session right after the proof leaves no token (${strategy})`, () =>
    withFactor(
      async (application) => {
        const { device, inBrowser, browser } = await bindDevice(application);
        const copies = [new Map(device.jar)];
        await inBrowser(() => application.enrol(browser));
        application.wait(-30_000);
        copies.push(new Map(device.jar));
        await inBrowser(() => browser.send("/signout", { fields: {} }));
        application.wait(12_000);
        for (const jar of copies) {
          const thief = application.browser();
          for (const [name, value] of jar) thief.cookies.set(name, value);
          assert.equal(await thief.user(), null);
        }
      },
      strategy,
      {},
      boundOptions(strategy),
    ));

  // Tracks: R176
  Deno.test(`two tabs of a bound session that prove the factor at once stay signed in (${strategy})`, () =>
    withFactor(
      async (application) => {
        const { device, inBrowser, browser, isBound } = await bindDevice(application);
        const { secret, codes } = await inBrowser(() => application.enrol(browser));
        application.wait(-30_000);
        assert.equal((await device.refresh()).status, 200);
        application.wait(30_000);
        const tabs = [application.browser(), application.browser()];
        for (const tab of tabs) {
          for (const [name, value] of device.jar) tab.cookies.set(name, value);
        }
        const answers = await Promise.all([
          application.answer(tabs[0]!, await application.code(secret)),
          application.answer(tabs[1]!, codes[0]!),
        ]);
        assert.deepEqual(answers.map(({ status }) => status), [200, 200]);
        // What the last answer left: each has both cookies or none.
        for (const answer of answers) {
          for (const line of answer.headers.getSetCookie()) {
            const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
            device.jar.set(name!, value!);
          }
        }
        application.wait(12_000);
        assert.equal(await inBrowser(isBound), true);
        assert.equal((await inBrowser(() => browser.send("/second-factor/setup"))).status, 200);
        assert.equal((await device.refresh()).status, 200);
        assert.equal(await inBrowser(isBound), true);
      },
      strategy,
      {},
      boundOptions(strategy),
    ));

  // Tracks: R176
  Deno.test(`a session that is bound keeps what the sign-in has proved (${strategy})`, () =>
    withFactor(
      async (application) => {
        const member = await application.member();
        const { secret } = await application.enrol(member);
        const device = await createDevice(application);
        const browser = application.browser();
        await application.begin(browser);
        const done = await application.answer(browser, await application.code(secret));
        const offer = done.headers.get("secure-session-registration");
        device.offered = /challenge="([^"]+)"/.exec(offer!)![1]!;
        for (const [name, value] of browser.cookies) device.jar.set(name, value);
        assert.equal((await browser.send("/second-factor/setup")).status, 200);
        assert.equal((await device.register()).status, 200);
        for (const [name, value] of device.jar) browser.cookies.set(name, value);
        assert.equal((await browser.send("/second-factor/setup")).status, 200);
      },
      strategy,
      {},
      boundOptions(strategy),
    ));
}

Deno.test("the list of sessions has the one session of a browser whose token was replaced", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const [first] = await (await member.send("/sessions")).json();
    await application.enrol(member);
    application.wait(-30_000);
    const sessions = await (await member.send("/sessions")).json();
    assert.deepEqual(
      sessions.map(({ id, current }: { id: string; current: boolean }) => [id, current]),
      [[first.id, true]],
    );
  }));

Deno.test("a session of another user, an ended one and one that was replaced get no new token", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const { secret } = await application.enrol(member);
    const gone = copyOf(application, member);
    await member.send("/signout", { fields: {} });
    const answer = await application.answer(gone, await application.code(secret));
    assert.equal(answer.status, 401);
    assert.equal(await gone.user(), null);
  }));
