// Users who have a passkey and no app: what they prove where a second factor is asked for.
import assert from "node:assert/strict";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { createTestApplication, ORIGIN, visit } from "../../tests/application.ts";
import { during } from "../../tests/during.ts";
import { createPasskeyBrowser, type PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { setUserRoles } from "../../session/users.ts";
import { passkey } from "../passkey/provider.ts";
import { secondFactor } from "./provider.ts";
import { getSessionProof, requireSecondFactor } from "./require.ts";

const HTML = { accept: "text/html" };
const OWNERS = { required: ({ roles }: { roles?: string[] }) => roles?.includes("owner") ?? false };

async function makeOwner(application: FactorApplication): Promise<string> {
  const id = application.userId();
  await during(application, undefined, () => setUserRoles(id, { roles: ["owner"] }));
  return id;
}

async function answer(browser: PasskeyBrowser, credential: string) {
  const response = await browser.send("/second-factor", { fields: { credential } });
  return { status: response.status, body: await response.json() };
}

type Authenticator = ReturnType<typeof createSoftwareAuthenticator>;

async function proof(browser: PasskeyBrowser, authenticator: Authenticator): Promise<string> {
  const question = await browser.send("/passkey/options/second-factor", { fields: {} });
  assert.equal(question.status, 200);
  return JSON.stringify(await authenticator.get(await question.json(), ORIGIN));
}

for (const strategy of ["database", "jwt"] as const) {
  // Tracks: R170, R172, R176
  Deno.test(`whoever has the password of an owner with a passkey enrols no app, and the owner proves the passkey (${strategy})`, () =>
    withFactor(
      async (application) => {
        const member = await application.member();
        const authenticator = createSoftwareAuthenticator({ userVerified: false });
        assert.equal((await member.register(authenticator)).status, 200);
        const id = await makeOwner(application);

        const thief = application.browser();
        assert.equal((await (await application.begin(thief)).json()).user, null);
        const page = await (await thief.send("/second-factor", { headers: HTML })).text();
        assert.match(page, /<h1>Confirm it’s you<\/h1>/);
        assert.match(page, /data-options="\/auth\/passkey\/options\/second-factor"/);
        assert.doesNotMatch(page, /setUp|second-factor\/setup|name="code"/);
        assert.deepEqual(await (await thief.send("/second-factor")).json(), {
          on: true,
          methods: ["passkey"],
          trustBrowserFor: 2_592_000,
        });
        for (
          const fields of [{ code: "000000" }, { code: "", setUp: "x" }, {
            setUp: "",
            code: "aaaa",
          }]
        ) {
          const refused = await thief.send("/second-factor", { fields });
          assert.deepEqual([refused.status, (await refused.json()).code], [
            401,
            "SECOND_FACTOR_WRONG",
          ]);
        }
        assert.equal((await thief.send("/second-factor/setup")).status, 401);
        assert.equal((await thief.send("/passkeys")).status, 401);
        assert.equal(await thief.user(), null);

        const owner = application.browser();
        await application.begin(owner);
        const { status, body } = await answer(owner, await proof(owner, authenticator));
        assert.deepEqual([status, body.user.id], [200, id]);
        const [row] = application.rows("session_factors");
        assert.equal(row!.method, "passkey");
        assert.deepEqual(application.rows("second_factors"), []);
      },
      strategy,
      OWNERS,
    ));
}

// Tracks: R172, R176
Deno.test("an app that was offered before there was a passkey is not turned on afterwards", () =>
  withFactor(
    async (application) => {
      const member = await application.member();
      await makeOwner(application);
      const thief = application.browser();
      await application.begin(thief);
      const offered = await (await thief.send("/second-factor")).json();
      assert.equal(offered.on, false);
      assert.equal((await member.register(createSoftwareAuthenticator())).status, 200);
      const late = await thief.send("/second-factor", {
        fields: { setUp: offered.setUp, code: await application.code(offered.secret) },
      });
      assert.equal(late.status, 401);
      assert.equal(await thief.user(), null);
      assert.deepEqual(application.rows("second_factors"), []);
    },
    "database",
    OWNERS,
  ));

// Tracks: R172, R176
Deno.test("a passkey that was begun before its user had to have a second factor is not stored without one", () =>
  withFactor(
    async (application) => {
      const member = await application.member();
      const authenticator = createSoftwareAuthenticator();
      assert.equal((await member.register(authenticator)).status, 200);
      const thief = application.browser();
      await application.begin(thief);
      const options = await thief.registrationOptions();
      await makeOwner(application);
      const credential = JSON.stringify(
        await createSoftwareAuthenticator().create(options, ORIGIN),
      );
      const register = () => thief.send("/passkey/register", { fields: { credential } });
      const refused = await register();
      assert.deepEqual([refused.status, (await refused.json()).code], [
        401,
        "SECOND_FACTOR_REQUIRED",
      ]);
      assert.equal(application.rows("passkeys").length, 1);
      // Who has the passkey shows it, and goes on with what was begun.
      assert.equal((await answer(thief, await proof(thief, authenticator))).status, 200);
      assert.equal((await register()).status, 200);
      assert.equal(application.rows("passkeys").length, 2);
    },
    "database",
    OWNERS,
  ));

// Tracks: R170, R176
Deno.test("who must have two factors and signs in by a passkey that verifies nobody turns an app on", () =>
  withFactor(
    async (application) => {
      const member = await application.member();
      const authenticator = createSoftwareAuthenticator({ userVerified: false });
      await member.register(authenticator);
      const id = await makeOwner(application);
      const browser = application.browser();
      assert.equal((await (await browser.prove(authenticator)).json()).user, null);
      const offered = await (await browser.send("/second-factor")).json();
      const done = await browser.send("/second-factor", {
        fields: { setUp: offered.setUp, code: await application.code(offered.secret) },
      });
      assert.equal((await done.json()).user.id, id);
    },
    "database",
    OWNERS,
  ));

// Tracks: R176
Deno.test("requireSecondFactor() has a passkey be proved, and an app be set up by who cannot", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const authenticator = createSoftwareAuthenticator({ userVerified: false });
    await member.register(authenticator);
    const cookie = [...member.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const pay = () =>
      visit(application, async () => {
        await requireSecondFactor({ fresh: 60 });
        return Response.json(await getSessionProof());
      }, { cookie });
    const led = await pay();
    assert.match(led.headers.get("location")!, /\/auth\/second-factor\?callbackUrl=/);
    const page = await (await member.send("/second-factor?callbackUrl=%2Fpay", { headers: HTML }))
      .text();
    assert.match(page, /href="[^"]*\/second-factor\/setup\?callbackUrl=[^"]*pay"/);
    // It may have been the first factor.
    const held = await answer(member, await proof(member, authenticator));
    assert.equal(held.body.code, "PASSKEY_UNVERIFIED");
    authenticator.behaviour.userVerified = true;
    assert.equal((await answer(member, await proof(member, authenticator))).status, 200);
    const renewed = [...member.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const proved = await visit(application, async () => {
      await requireSecondFactor({ fresh: 60 });
      return Response.json(await getSessionProof());
    }, { cookie: renewed });
    assert.deepEqual((await proved.json()).amr, ["pop", "mfa"]);
  }));

// Tracks: R170, R176
Deno.test("the passkey of a sign-up is both factors when it has verified its user, and else not by being shown twice", async () => {
  for (const userVerified of [true, false]) {
    const application = createTestApplication({
      secret: "0123456789abcdef0123456789abcdef",
      providers: [
        passkey({ signUp: true }),
        secondFactor({ sendMail: () => {}, required: () => true }),
      ],
    });
    const browser = createPasskeyBrowser(application);
    const authenticator = createSoftwareAuthenticator({ userVerified });
    const made = await browser.register(authenticator, { ask: { name: "Ada" } });
    const { user, redirectTo } = await made.json();
    assert.equal(user !== null, userVerified);
    if (!userVerified) {
      assert.match(redirectTo, /second-factor/);
      const { body } = await answer(browser, await proof(browser, authenticator).catch(() => "{}"));
      assert.notEqual(body.code, undefined);
      assert.equal(await browser.user(), null);
      // Nobody could tell the owner of an app: an address is to be proved first.
      const offered = await browser.send("/second-factor");
      assert.equal((await offered.json()).code, "SECOND_FACTOR_UNPROVED_EMAIL");
    }
    application.close();
  }
});

// Tracks: R176
Deno.test("requireSecondFactor() tells a program, and leads a page", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const cookie = [...member.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    for (const [method, status] of [["GET", 303], ["POST", 303], ["DELETE", 401]] as const) {
      const request = new Request(`${ORIGIN}/pay`, { method, headers: { cookie, origin: ORIGIN } });
      const response = await application.auth.run(request, {}, undefined, async () => {
        await requireSecondFactor();
        return new Response();
      });
      assert.equal(response.status, status, method);
    }
  }));

Deno.test("getSessionProof() says what to write where the application has no second factor", async () => {
  const application = createTestApplication({});
  const cookie = await application.signIn("ada");
  await assert.rejects(
    () => visit(application, async () => Response.json(await getSessionProof()), { cookie }),
    { name: "ConfigurationError", message: /getSessionProof\(\) needs secondFactor\(\)/ },
  );
  application.close();
});
