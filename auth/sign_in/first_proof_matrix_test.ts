import assert from "node:assert/strict";
import type { AuthOptions } from "../app/options.ts";
import { issueOneTimeToken } from "./one_time_token.ts";
import { ENDING, STAYING } from "../storage/first_proof.ts";
import { cookieOf } from "../tests/application.ts";
import { during, userAt } from "../tests/during.ts";
import {
  confirmOnPage,
  createHouse,
  fieldsOf,
  type House,
  issue,
  moveIn,
  PLAIN,
  redeem,
  rowsOf,
  setPassword,
  signUp,
  type Stranger,
  strangerIsOut,
  VICTIM,
  WAYS,
} from "../tests/first_proof_house.ts";
import { createPasskeyBrowser } from "../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";

// Tracks: R162, R165, R029, A-01, AU-02
for (const strategy of ["database", "jwt"] as const) {
  for (const [way, come] of Object.entries(WAYS)) {
    const cell = `${way}, ${strategy}`;
    Deno.test(`the first proof of an address ends whatever was there, and nothing of the owner's later (${cell})`, async () => {
      const house = createHouse(strategy);
      try {
        const stranger = await moveIn(house);
        const planted = new Map(
          [...ENDING, ...Object.keys(STAYING)].map((table) => [table, rowsOf(house, table)]),
        );
        for (const [table, rows] of planted) {
          const isEmpty = strategy === "jwt" && table === "sessions";
          assert.equal(rows.length > 0, !isEmpty, `nothing was planted in ${table}`);
        }
        house.clock.now += 120_000;
        const owner = await come(house, stranger);
        if (owner !== "") assert.equal(await userAt(house, owner), "u1", cell);
        for (const table of ENDING) {
          const left = rowsOf(house, table).filter((row) => planted.get(table)!.includes(row));
          assert.deepEqual(left, [], `${cell}: ${table}`);
        }
        for (const table of Object.keys(STAYING)) {
          const left = rowsOf(house, table).filter((row) => planted.get(table)!.includes(row));
          assert.deepEqual(left, planted.get(table), `${cell}: ${table}`);
        }
        await strangerIsOut(house, stranger, cell);
        if (owner !== "") assert.equal(await userAt(house, owner), "u1", cell);
        const session = await setPassword(house, cell);
        await strangerIsOut(house, stranger, cell);
        // Once more, by the same way: now everything is the owner's.
        const authenticator = createSoftwareAuthenticator();
        const own = createPasskeyBrowser(house);
        own.cookies.set(
          session.slice(0, session.indexOf("=")),
          session.slice(session.indexOf("=") + 1),
        );
        assert.equal((await own.register(authenticator)).status, 200);
        house.clock.now += 120_000;
        await come(house, stranger);
        assert.equal(await userAt(house, session), "u1", `${cell}: the owner's session`);
        assert.notEqual(await house.byPassword("the owner's"), "", `${cell}: the owner's password`);
        assert.equal((await createPasskeyBrowser(house).prove(authenticator)).status, 200);
      } finally {
        house.close();
      }
    });
  }
}

// Tracks: R163, A-06
for (const strategy of ["database", "jwt"] as const) {
  Deno.test(`who confirms the address in the session that asked for it keeps what is there (${strategy})`, async () => {
    for (const by of ["token", "page"]) {
      const house = createHouse(strategy);
      const { cookie, token } = await signUp(house);
      if (by === "token") {
        const redeemed = await redeem(house, "verify", token, cookie);
        assert.equal(redeemed?.ended, false);
      } else {
        const page = await (await house.send("/account", { cookie })).text();
        assert.match(page, /Confirm this address/);
        const text = await confirmOnPage(house, { asked: cookie, opened: cookie });
        assert.match(text, /Your address is confirmed\./);
        assert.doesNotMatch(text, /no longer works/);
        assert.doesNotMatch(
          await (await house.send("/account", { cookie })).text(),
          /Confirm this address/,
        );
      }
      const { email_verified } = house.database.sqlite.prepare("SELECT * FROM users").get()!;
      assert.ok(email_verified, by);
      assert.equal(await userAt(house, cookie), "u1", by);
      assert.notEqual(await house.byPassword("the owner's"), "", by);
      house.close();
    }
  });

  Deno.test(`a session that is planted keeps nothing, whenever it is planted (${strategy})`, async () => {
    // Each gives what the victim's browser holds when the mail is asked for, and when it is opened.
    const cases: [
      moment: string,
      options: Partial<AuthOptions>,
      plant: (
        house: House,
        stranger: Stranger,
      ) => Promise<void>,
    ][] = [
      ["before the victim asks at the sign-in form", {}, async (house, { cookie }) => {
        await house.send("/signin/email", { cookie, fields: { email: VICTIM } });
        const { token, identifier } = house.mails.at(-1)!;
        const fields = { token, email: identifier };
        await house.send("/callback/email", { cookie, fields });
      }],
      ["before, and a code is typed", {}, async (house, { cookie }) => {
        const asked = await house.send("/signin/email", { cookie, fields: { email: VICTIM } });
        const fields = { code: house.mails.at(-1)!.code!, ends: "agreed" };
        const both = `${cookie}; ${cookieOf(asked)}`;
        assert.equal(
          (await house.send("/callback/email/code", { cookie: both, fields })).status,
          303,
        );
      }],
      ["before, and a provider vouches", {}, async (house, { cookie }) => {
        const fields = { sub: "owner", email: VICTIM, verified: "true" };
        await house.send("/signin/code", { cookie, fields });
      }],
      ["before the victim asks for a reset", {}, async (house, { cookie }) => {
        const { result: token } = await during(
          house,
          cookie,
          () => issueOneTimeToken("reset", "u1", { sentTo: VICTIM }),
        );
        assert.equal((await redeem(house, "reset", token, cookie))?.ended, true);
      }],
      ["before, without the prefix, and the victim asks on the account page", PLAIN, async (
        house,
        { cookie },
      ) => {
        const text = await confirmOnPage(house, { asked: cookie, opened: cookie });
        assert.match(text, /no longer works, the old password too/);
      }],
      ["before, without the prefix, and the application's page asks", PLAIN, async (
        house,
        { cookie, verification },
      ) => {
        assert.equal((await redeem(house, "verify", verification, cookie))?.ended, true);
      }],
      ["between asking and opening", {}, async (house, { cookie }) => {
        // The victim asked in a session of their own, and opens the mail in another of the stranger's.
        const own = await house.byPassword("the stranger's");
        const text = await confirmOnPage(house, { asked: own, opened: cookie });
        assert.match(text, /no longer works, the old password too/);
      }],
      ["between asking and opening a token of the application", {}, async (house, stranger) => {
        const other = await house.byPassword("the stranger's");
        assert.equal((await redeem(house, "verify", stranger.verification, other))?.ended, true);
      }],
      ["in no browser: the mail is opened elsewhere", {}, async (house, { cookie }) => {
        const text = await confirmOnPage(house, { asked: cookie, opened: undefined });
        assert.match(text, /no longer works, the old password too/);
      }],
      ["after the proof", {}, async (house, { cookie }) => {
        assert.notEqual(await redeem(house, "invite", await issue(house, "invite")), null);
        assert.equal(
          await redeem(house, "invite", await issue(house, "invite"), cookie) === null,
          false,
        );
      }],
    ];
    for (const [moment, options, plant] of cases) {
      const house = createHouse(strategy, options);
      const stranger = await moveIn(house);
      house.clock.now += 120_000;
      await plant(house, stranger);
      await strangerIsOut(house, stranger, moment);
      await setPassword(house, moment);
      await strangerIsOut(house, stranger, moment);
      house.close();
    }
  });
}

// Tracks: R163, A-06
Deno.test("an address changes to a new one in the session that asked, and a planted one leaves nothing on the account", async () => {
  const house = createHouse("database");
  const { cookie } = await signUp(house);
  const other = await house.byPassword("the owner's");
  const fields = { email: "new@example.com" };
  await house.send("/account/email", { cookie, fields });
  const [old, next] = ["old", "new"].map((part) =>
    house.changes.find((mail) => mail.part === part)!
  );
  const path = "/account/email/confirm";
  const elsewhere = await house.send(path, { cookie: other, fields: fieldsOf(next!) });
  assert.equal(elsewhere.status, 400, "another session of the same user");
  assert.equal((await house.send(path, { cookie, fields: fieldsOf(next!) })).status, 200);
  const done = await (await house.send(path, { fields: fieldsOf(old!) })).text();
  assert.match(done, /Your address is changed/);
  assert.doesNotMatch(done, /no longer works/);
  assert.equal(await userAt(house, cookie), "u1");
  house.close();

  const plain = createHouse("database", PLAIN);
  const stranger = await moveIn(plain);
  plain.database.sqlite.exec("UPDATE users SET email = NULL, email_identity = NULL");
  await plain.send("/account/email", { cookie: stranger.cookie, fields: { email: VICTIM } });
  const mail = fieldsOf(plain.changes.findLast(({ part }) => part === "new")!);
  const shown = await plain.send(`${path}?${new URLSearchParams(mail)}`, {
    cookie: stranger.cookie,
  });
  assert.match(await shown.text(), /Passkeys: 1/);
  const agreed = await plain.send(path, { cookie: stranger.cookie, fields: mail });
  assert.match(
    await agreed.text(),
    /Your address is changed\. What was on your account before no longer works/,
  );
  await strangerIsOut(plain, stranger, "change");
  plain.close();
});
