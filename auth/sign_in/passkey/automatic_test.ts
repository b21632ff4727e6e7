import assert from "node:assert/strict";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { jwtSessions } from "../../app/jwt_sessions.ts";
import { createMemoryRevocationStore } from "../../storage/revocations.ts";
import { ORIGIN } from "../../tests/application.ts";
import { ADA, QUIET, withAutomatic } from "../../tests/automatic_application.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { PASSWORD, tokenOf } from "../../tests/password_application.ts";
import { secondFactor } from "../second_factor/provider.ts";
import { stepAt, totpCode } from "../second_factor/totp.ts";
import { automaticPasskeys } from "./automatic.ts";
import { passkey } from "./provider.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const OFFER = "__Host-framework.passkey-offer";

/** Takes the cookie of the offer away, as the browser does after a day. */
function leave({ cookies }: PasskeyBrowser): void {
  assert.equal(cookies.delete(OFFER), true);
}

const STRATEGIES = {
  database: () => ({}),
  jwt: () => ({
    session: { strategy: jwtSessions, revocation: createMemoryRevocationStore() },
  }),
} as const;

for (const [strategy, optionsOf] of Object.entries(STRATEGIES)) {
  Deno.test(`a password manager makes a passkey after a sign-in by password, unasked (${strategy})`, async () => {
    await withAutomatic(
      async (world) => {
        const authenticator = createSoftwareAuthenticator();
        const browser = await world.signedIn();
        const response = await world.make(browser, { authenticator });
        assert.equal(response.status, 200);
        assert.equal(world.rows("passkeys").length, 1);
        assert.deepEqual(world.mails.map(({ to, kind }) => [to, kind]), [[
          ADA,
          "automatic-passkey",
        ]]);
        assert.match(world.mails[0]!.url, /^https:\/\/app\.example\/auth\/passkey\/remove\?token=/);
        assert.equal(world.mails[0]!.expires!.getTime(), world.clock.now + 7 * DAY);
        // It signs in, with a user who is present.
        const other = world.browser();
        assert.equal((await other.prove(authenticator)).status, 200);
        assert.equal((await (await other.send("/session")).json()).user.email, ADA);
      },
      {},
      optionsOf(),
    );
  });
}

Deno.test("an automatic passkey is offered with those that are there to be left out, for a name in a list", async () => {
  await withAutomatic(async (world) => {
    const authenticator = createSoftwareAuthenticator();
    const browser = await world.signedIn();
    assert.equal((await browser.register(authenticator)).status, 200);
    const asked = (await world.ask(browser))!;
    assert.equal((asked.excludeCredentials as unknown[]).length, 1);
    const selection = asked.authenticatorSelection as Record<string, unknown>;
    assert.deepEqual([selection.residentKey, selection.userVerification], [
      "required",
      "preferred",
    ]);
    assert.deepEqual(
      [(asked.user as Record<string, unknown>).id],
      world.rows("passkeys").map((row) => row.user_handle),
    );
    await assert.rejects(authenticator.create(asked, ORIGIN), { name: "InvalidStateError" });
  }, { userVerification: "required", residentKey: "preferred" });
});

// Tracks: R124
Deno.test("a passkey is offered once, in the browser and the session of the sign-in, for five minutes", async () => {
  await withAutomatic(async (world) => {
    const browser = await world.signedIn();
    assert.notEqual(await world.ask(browser), null);
    assert.equal(await world.ask(browser), null);
    // Another sign-in in this browser on the same day, and another browser.
    assert.equal(await world.ask(await world.signedIn(browser)), null);
    const late = await world.signedIn();
    world.clock.now += 5 * MINUTE;
    assert.equal(await world.ask(late), null);
    const expired = await world.signedIn();
    world.clock.now += 4 * MINUTE;
    // The challenge itself would hold for five minutes more.
    const asked = (await world.ask(expired))!;
    world.clock.now += MINUTE;
    const made = await createSoftwareAuthenticator().create(asked, ORIGIN, QUIET.faults);
    const fields = { credential: JSON.stringify(made) };
    const refused = await expired.send("/passkey/register", { fields });
    assert.equal((await refused.json()).code, "PASSKEY_EXPIRED");
    assert.equal(world.rows("passkeys").length, 0);
  });
});

// Tracks: R124
Deno.test("a stolen session makes no passkey by itself: without the browser's own secret, or of another kind", async () => {
  await withAutomatic(async (world) => {
    const browser = await world.signedIn();
    const [session] = [...browser.cookies].filter(([name]) => name.includes("session-token"));
    const thief = world.browser();
    thief.cookies.set(...session!);
    assert.equal(await world.ask(thief), null);
    // The offer of another session beside the stolen one.
    const own = world.browser();
    await world.signedIn(own);
    const [offer] = [...own.cookies].filter(([name]) => name.includes("passkey-offer"));
    thief.cookies.set(...offer!);
    assert.equal(await world.ask(thief), null);
    // A sign-in by passkey is none by password.
    const authenticator = createSoftwareAuthenticator();
    assert.equal((await browser.register(authenticator)).status, 200);
    const byPasskey = world.browser();
    assert.equal((await byPasskey.prove(authenticator)).status, 200);
    assert.equal([...byPasskey.cookies.keys()].some((name) => name.includes("offer")), false);
    assert.equal(await world.ask(byPasskey), null);
    // Nor is the session that begins behind the link of a sign-up.
    const joined = await world.join("grace@example.com");
    assert.equal(joined.includes("offer"), false);
  });
});

// Tracks: R124
Deno.test("only the challenge of an automatic passkey takes one that nobody was present for", async () => {
  await withAutomatic(async (world) => {
    const browser = await world.signedIn();
    const refused = await browser.register(createSoftwareAuthenticator(), QUIET);
    assert.equal((await refused.json()).code, "PASSKEY_NOT_ADDED");
    const authenticator = createSoftwareAuthenticator();
    assert.equal((await world.make(browser, { authenticator })).status, 200);
    const other = world.browser();
    const absent = await other.prove(authenticator, QUIET);
    assert.equal((await absent.json()).code, "PASSKEY_REFUSED");
  });
});

// Tracks: R124
Deno.test("the challenge of an automatic passkey is of its session, its origin and one answer", async () => {
  await withAutomatic(async (world) => {
    const sibling = await world.signedIn();
    const wrong = await world.make(sibling, { origin: "https://evil.app.example" });
    assert.equal((await wrong.json()).code, "PASSKEY_NOT_ADDED");
    const browser = await world.signedIn();
    const asked = (await world.ask(browser))!;
    const made = await createSoftwareAuthenticator().create(asked, ORIGIN, QUIET.faults);
    const fields = { credential: JSON.stringify(made) };
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => browser.send("/passkey/register", { fields })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).filter((status) => status === 200),
      [200],
    );
    await world.settle();
    assert.equal(world.mails.length, 1);
    // The challenge of a session that has been left for another one.
    const left = await world.signedIn();
    const again = (await world.ask(left))!;
    await world.signedIn(left);
    const late = await createSoftwareAuthenticator().create(again, ORIGIN, QUIET.faults);
    const answer = await left.send("/passkey/register", {
      fields: { credential: JSON.stringify(late) },
    });
    assert.equal((await answer.json()).code, "PASSKEY_EXPIRED");
  });
});

// Tracks: R124
Deno.test("an address that nobody has proved is offered no passkey", async () => {
  await withAutomatic(async (world) => {
    const unprove = () => world.database.sqlite.exec("UPDATE users SET email_verified = NULL");
    const proved = await world.signedIn();
    unprove();
    assert.equal(await world.ask(proved), null);
    const browser = await world.signedIn();
    assert.equal(browser.cookies.has(OFFER), false);
    assert.equal(await world.ask(browser), null);
  });
});

// Tracks: R124
Deno.test("a passkey that nobody was present for signs in only with a verified user where that is required", async () => {
  await withAutomatic(async (world) => {
    const authenticator = createSoftwareAuthenticator({ userVerified: false });
    const browser = await world.signedIn();
    assert.equal((await world.make(browser, { authenticator })).status, 200);
    assert.equal((await world.browser().prove(authenticator)).status, 401);
    authenticator.behaviour.userVerified = true;
    assert.equal((await world.browser().prove(authenticator)).status, 200);
  }, { userVerification: "required" });
});

// Tracks: R124
Deno.test("the link removes no passkey that is another user's by now", async () => {
  await withAutomatic(async (world) => {
    const browser = await world.signedIn();
    assert.equal((await world.make(browser)).status, 200);
    await world.join("grace@example.com");
    world.database.sqlite.exec(
      "UPDATE passkeys SET user_id = (SELECT id FROM users WHERE email = 'grace@example.com')",
    );
    const token = tokenOf(world.mails[0]! as never);
    const visitor = world.browser();
    const page = await visitor.send(`/passkey/remove?token=${token}`, {
      headers: { accept: "text/html" },
    });
    assert.equal(page.status, 400);
    await visitor.send("/passkey/remove", { fields: { token } });
    assert.equal(world.rows("passkeys").length, 1);
    assert.equal(world.told.filter(({ type }) => type === "passkey-removed").length, 0);
  });
});

// Tracks: R124
Deno.test("one of a hundred requests at once takes the offer", async () => {
  await withAutomatic(async (world) => {
    const browser = await world.signedIn();
    const asked = await Promise.all(Array.from({ length: 100 }, () => world.ask(browser)));
    assert.equal(asked.filter((one) => one !== null).length, 1);
  });
});

// Tracks: R124
Deno.test("with a second factor the passkey is offered after the second step, and to no trusted browser", async () => {
  await withAutomatic(
    async (world) => {
      const browser = await world.signedIn();
      const setUp = await (await browser.send("/second-factor/setup")).json();
      const codeOf = async () => await totpCode(setUp.secret, stepAt(world.clock.now));
      const on = await browser.send("/second-factor/setup", {
        fields: { setUp: setUp.setUp, code: await codeOf() },
      });
      assert.equal(on.status, 200);
      world.clock.now += DAY + 30_000;
      // An old session stands beside the sign-in that waits.
      leave(browser);
      const fields = { email: ADA, password: PASSWORD };
      const waiting = await browser.send("/signin/passwords", { fields });
      assert.match((await waiting.json()).redirectTo, /second-factor/);
      assert.equal(browser.cookies.has(OFFER), false);
      assert.equal(await world.ask(browser), null);
      const other = world.browser();
      await other.send("/signin/passwords", { fields });
      assert.equal(await world.ask(other), null);
      const done = await other.send("/second-factor", {
        fields: { code: await codeOf(), trust: "yes" },
      });
      assert.equal(done.status, 200);
      const authenticator = createSoftwareAuthenticator({ userVerified: false });
      assert.equal((await world.make(other, { authenticator })).status, 200);
      world.clock.now += DAY + 30_000;
      leave(other);
      await world.signedIn(other);
      assert.equal(other.cookies.has(OFFER), true);
      assert.equal(await world.ask(other), null);
      // A passkey that was made without its user being seen is one factor until it has verified them.
      const third = world.browser();
      const one = await third.prove(authenticator);
      assert.match((await one.json()).redirectTo, /second-factor/);
      const verified = world.browser();
      authenticator.behaviour.userVerified = true;
      const two = await verified.prove(authenticator);
      assert.equal((await two.json()).user.email, ADA);
    },
    {},
    { providers: [secondFactor({ sendMail: () => {} })] },
  );
});

// Tracks: R124, R172
Deno.test("where there are second factors the link of the mail removes the passkey in a session of its owner alone", async () => {
  await withAutomatic(
    async (world) => {
      const browser = await world.signedIn();
      assert.equal((await world.make(browser)).status, 200);
      const token = tokenOf(world.mails[0]! as never);
      const mailbox = world.browser();
      const html = { accept: "text/html" };
      const page = await mailbox.send(`/passkey/remove?token=${token}`, { headers: html });
      assert.match(page.headers.get("location")!, /\/auth\/signin\?callbackUrl=.*passkey%2Fremove/);
      const refused = await mailbox.send("/passkey/remove", { fields: { token } });
      assert.equal(refused.status, 401);
      assert.equal(world.rows("passkeys").length, 1);
      const removed = await browser.send("/passkey/remove", { fields: { token } });
      assert.equal(removed.status, 204);
      assert.equal(world.rows("passkeys").length, 0);
    },
    {},
    { providers: [secondFactor({ sendMail: () => {} })] },
  );
});

// Tracks: R124
Deno.test("the link of the mail removes the passkey once, without a session, and a GET changes nothing", async () => {
  await withAutomatic(async (world) => {
    const browser = await world.signedIn();
    assert.equal((await world.make(browser)).status, 200);
    const token = tokenOf(world.mails[0]! as never);
    const stranger = world.browser();
    const html = { accept: "text/html" };
    for (let visit = 0; visit < 3; visit++) {
      const page = await stranger.send(`/passkey/remove?token=${token}`, { headers: html });
      assert.equal(page.status, 200);
      assert.match(await page.text(), /Remove this passkey\?/);
    }
    assert.equal(world.rows("passkeys").length, 1);
    const guessed = token.replace(/^./, (first) => first === "A" ? "B" : "A");
    const wrong = await stranger.send("/passkey/remove", { fields: { token: guessed } });
    assert.equal((await wrong.json()).code, "INVALID_LINK");
    const answers = await Promise.all(
      Array.from(
        { length: 10 },
        () => stranger.send("/passkey/remove", { fields: { token }, headers: html }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(world.rows("passkeys").length, 0);
    assert.equal(world.told.filter(({ type }) => type === "passkey-removed").length, 1);
    const again = await stranger.send(`/passkey/remove?token=${token}`, { headers: html });
    assert.equal(again.status, 400);
    assert.match(await again.text(), /This link no longer works/);
  });
});

// Tracks: R124
Deno.test("the link outlives a new password, ends after a week, and removes no passkey but its own", async () => {
  await withAutomatic(async (world) => {
    const browser = await world.signedIn();
    const kept = createSoftwareAuthenticator();
    assert.equal((await browser.register(kept)).status, 200);
    assert.equal((await world.make(browser)).status, 200);
    const changed = await browser.send("/account/password", {
      fields: { password: "another sentence that only tests use" },
    });
    assert.equal(changed.status, 200);
    world.clock.now += 7 * DAY - 1;
    const fields = { token: tokenOf(world.mails[0]! as never) };
    assert.equal((await world.browser().send("/passkey/remove", { fields })).status, 204);
    assert.deepEqual(world.rows("passkeys").length, 1);
    assert.equal((await world.browser().prove(kept)).status, 200);
  });
  await withAutomatic(async (world) => {
    const browser = await world.signedIn();
    assert.equal((await world.make(browser)).status, 200);
    world.clock.now += 7 * DAY;
    const fields = { token: tokenOf(world.mails[0]! as never) };
    assert.equal((await world.browser().send("/passkey/remove", { fields })).status, 400);
    assert.equal(world.rows("passkeys").length, 1);
  });
});

Deno.test("automaticPasskeys() is what passkey({ automatic }) takes, and no security key is one", () => {
  assert.throws(() => passkey({ automatic: {} as never }), { field: "automatic" });
  const automatic = automaticPasskeys({ sendMail() {} });
  const config = { automatic, authenticatorAttachment: "cross-platform" } as const;
  assert.throws(() => passkey(config), { field: "authenticatorAttachment" });
  assert.throws(() => automaticPasskeys({ sendmail() {} } as never), /sendmail/);
});

// Tracks: R124
Deno.test("a new password shows the passkeys that were added since the last one, and removes those that are ticked", async () => {
  await withAutomatic(async (world) => {
    const browser = await world.signedIn();
    world.clock.now += 1000;
    assert.equal((await world.make(browser)).status, 200);
    const kept = createSoftwareAuthenticator();
    assert.equal((await browser.register(kept, { fields: { passkeyName: "Phone" } })).status, 200);
    const html = { accept: "text/html" };
    const page = await (await browser.send("/account/password", { headers: html })).text();
    const ids = [...page.matchAll(/name="remove-passkey-\d+" value="([^"]+)"/g)].map(([, id]) =>
      id!
    );
    assert.deepEqual(new Set(ids), new Set(world.rows("passkeys").map(({ id }) => id)));
    assert.match(page, /Phone/);
    const [planted] = world.rows("passkeys").filter(({ name }) => name !== "Phone");
    const changed = await browser.send("/account/password", {
      fields: {
        password: "another sentence that only tests use",
        "remove-passkey-0": String(planted!.id),
      },
    });
    assert.equal(changed.status, 200);
    assert.deepEqual(world.rows("passkeys").map(({ name }) => name), ["Phone"]);
    // Those of before are not shown again, and a form that ticks them all the same removes none.
    world.clock.now += 1000;
    const again = await (await browser.send("/account/password", { headers: html })).text();
    assert.doesNotMatch(again, /remove-passkey/);
    const forced = await browser.send("/account/password", {
      fields: {
        password: "a third sentence that only tests use",
        "remove-passkey-0": String(world.rows("passkeys")[0]!.id),
      },
    });
    assert.equal(forced.status, 200);
    assert.equal(world.rows("passkeys").length, 1);
  });
});

async function resetAfterPasskey({ second }: { second: boolean }): Promise<void> {
  await withAutomatic(
    async (world) => {
      const browser = await world.signedIn();
      world.clock.now += 1000;
      assert.equal((await world.make(browser)).status, 200);
      const token = await world.askReset(ADA);
      const visitor = world.browser();
      const page = await visitor.send(`/reset?token=${token}`, {
        headers: { accept: "text/html" },
      });
      const text = await page.text();
      assert.match(text, /Passkeys added since you last chose a password/);
      assert.equal(/remove-passkey-0/.test(text), !second);
      const [{ id } = {}] = world.rows("passkeys");
      const password = "another sentence that only tests use";
      const fields = { token, password, "remove-passkey-0": String(id) };
      assert.equal((await visitor.send("/reset", { fields })).status, 200);
      assert.equal(world.rows("passkeys").length, second ? 1 : 0);
    },
    {},
    second ? { providers: [secondFactor({ sendMail: () => {} })] } : {},
  );
}

Deno.test("a reset offers to remove the passkeys that were added since the last password", async () => {
  await resetAfterPasskey({ second: false });
});

// Tracks: R124
Deno.test("a reset removes no passkey where that is a second factor, whatever is sent", async () => {
  await resetAfterPasskey({ second: true });
});
