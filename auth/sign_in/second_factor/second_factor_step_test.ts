// The second step of a sign-in.
import assert from "node:assert/strict";
import { visit } from "../../tests/application.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { PASSWORD } from "../../tests/password_application.ts";
import { ADA, type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { createMemoryTenantMembers, createMemoryTenantStorage } from "../../tenant/memory.ts";
import { defineTenancy } from "../../tenant/tenancy.ts";
import { createAuth } from "../../app/create_auth.ts";
import { resealSecrets } from "../reseal.ts";
import { requireSecondFactor } from "./require.ts";

const HTML = { accept: "text/html" };
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

// Tracks: R171
Deno.test("the code that turned the factor on signs nobody in, and each later code one", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const offered = await (await member.send("/second-factor/setup")).json();
    const code = await application.code(offered.secret);
    const fields = { setUp: offered.setUp, code };
    assert.equal((await member.send("/second-factor/setup", { fields })).status, 200);
    const browser = application.browser();
    await application.begin(browser);
    const replayed = await application.answer(browser, code);
    assert.deepEqual([replayed.status, (await replayed.json()).code], [401, "SECOND_FACTOR_WRONG"]);
    assert.ok(
      application.told.some(({ type, provider }) =>
        type === "replay-detected" && provider === "second-factor"
      ),
    );
    const account = await (await member.send("/account", { headers: HTML })).text();
    assert.match(account, /A code was used a second time and refused/);
    assert.doesNotMatch(account, /passkey was refused/);
    application.wait(30_000);
    const next = await application.code(offered.secret);
    assert.equal((await application.answer(browser, next)).status, 200);
    const other = application.browser();
    await application.begin(other);
    assert.equal((await application.answer(other, next)).status, 401);
    // The step before it is over, too.
    assert.equal(
      (await application.answer(other, await application.code(offered.secret, -1))).status,
      401,
    );
    assert.equal(await other.user(), null);
  }));

// Tracks: R171
Deno.test("of a hundred sign-ins that use one code at once, one goes through", () =>
  withFactor(async (application) => {
    const { secret } = await settled(application);
    const code = await application.code(secret);
    const browsers = [];
    for (let index = 0; index < 100; index++) {
      const browser = application.browser();
      await application.begin(browser);
      browsers.push(browser);
    }
    // Twenty tries a day are looked at; the others are refused before.
    const answers = await Promise.all(browsers.map((browser) => application.answer(browser, code)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  }));

// Tracks: R171, R172
Deno.test("a second step takes five tries, and is over after five minutes and after its use", () =>
  withFactor(async (application) => {
    const { secret, browser } = await settled(application);
    for (let index = 0; index < 5; index++) {
      const wrong = await application.answer(browser, "000000");
      assert.deepEqual([wrong.status, (await wrong.json()).code], [401, "SECOND_FACTOR_WRONG"]);
    }
    const right = await application.answer(browser, await application.code(secret));
    assert.deepEqual([right.status, (await right.json()).code], [401, "SECOND_FACTOR_TRIES_OVER"]);
    const page = await browser.send("/second-factor", {
      headers: HTML,
      fields: { code: await application.code(secret) },
    });
    assert.equal(page.status, 401);
    assert.match(await page.text(), /<h1>Too many wrong codes ended this sign-in\. Start again\./);
    assert.equal(await browser.user(), null);

    await application.begin(browser);
    application.wait(5 * MINUTE);
    const late = await application.answer(browser, await application.code(secret));
    assert.deepEqual([late.status, (await late.json()).code], [401, "SECOND_FACTOR_OVER"]);

    await application.begin(browser);
    const cookie = cookieOf(browser);
    assert.equal((await application.answer(browser, await application.code(secret))).status, 200);
    application.wait(30_000);
    const again = await application.send("/second-factor", {
      cookie,
      fields: { code: await application.code(secret) },
      headers: { accept: "application/json" },
    });
    assert.equal(again.status, 401);
  }));

// Tracks: R172
Deno.test("what waits for its second step is no session for anything", () =>
  withFactor(async (application) => {
    const { browser } = await settled(application);
    assert.ok(browser.cookies.has("__Host-framework.second-step"));
    assert.equal(await (await browser.send("/session")).json(), null);
    for (const path of ["/account", "/second-factor/setup", "/passkeys"]) {
      assert.ok((await browser.send(path)).status >= 300, path);
    }
    const response = await visit(
      application,
      () => requireSecondFactor().then(() => new Response()),
      { cookie: cookieOf(browser) },
    );
    assert.match(response.headers.get("location")!, /\/auth\/signin/);
    for (
      const [path, fields] of [
        ["/second-factor/setup/off", {}],
        ["/second-factor/setup/codes", {}],
        ["/passkey/options/register", {}],
      ] as const
    ) {
      assert.equal((await browser.send(path, { fields })).status, 401, path);
    }
    assert.equal(application.rows("second_factors").length, 1);
  }));

// Tracks: R171
Deno.test("twenty wrong codes a day close the app's codes with a mail, and recovery codes stay open", () =>
  withFactor(async (application) => {
    const { secret, codes, browser } = await settled(application);
    for (let index = 0; index < 20; index++) {
      if (index % 5 === 0) await application.begin(browser);
      assert.equal((await application.answer(browser, "000000")).status, 401);
    }
    await application.settle();
    assert.deepEqual(application.news.map(({ kind }) => kind), ["added", "closed"]);
    assert.equal(application.told.filter(({ type }) => type === "second-factor-closed").length, 1);
    await application.begin(browser);
    const closed = await application.answer(browser, await application.code(secret));
    assert.deepEqual([closed.status, (await closed.json()).code], [429, "SECOND_FACTOR_CLOSED"]);
    assert.equal((await application.answer(browser, codes[0]!)).status, 200);
    assert.equal(await browser.user(), application.userId());
    const other = application.browser();
    application.wait(DAY);
    await application.begin(other);
    assert.equal((await application.answer(other, await application.code(secret))).status, 200);
  }));

// Tracks: R168, R171
Deno.test("a stranger without the first factor closes nothing", () =>
  withFactor(async (application) => {
    const { secret, browser } = await settled(application);
    const stranger = application.browser();
    for (let index = 0; index < 60; index++) {
      await application.begin(stranger, { password: "a guess that is wrong" });
      assert.equal((await application.answer(stranger, "000000")).status, 401);
    }
    assert.equal(application.rows("second_factors")[0]!.tries, 0);
    assert.equal((await application.answer(browser, await application.code(secret))).status, 200);
  }));

// Tracks: R173
Deno.test("a recovery code signs in once, however it is typed, and its owner is told", () =>
  withFactor(async (application) => {
    const { codes, browser } = await settled(application);
    assert.equal(codes.length, 10);
    for (const code of codes) assert.match(code, /^[a-z2-7]{4}(?:-[a-z2-7]{4}){3}$/);
    assert.equal(
      (await application.answer(browser, codes[0]!.toUpperCase().replaceAll("-", " "))).status,
      200,
    );
    await application.settle();
    assert.equal(application.news.at(-1)!.kind, "recovery");
    assert.match(application.news.at(-1)!.text, /Recovery codes left: 9/);
    assert.ok(application.told.some(({ type }) => type === "recovery-code-used"));
    const other = application.browser();
    await application.begin(other);
    assert.equal((await application.answer(other, codes[0]!)).status, 401);
    assert.equal((await application.answer(other, codes[1]!)).status, 200);
  }));

// Tracks: R173
Deno.test("the database holds neither the secret of an app nor a recovery code nor a cookie", () =>
  withFactor(async (application) => {
    const { secret, codes, browser } = await settled(application);
    await application.answer(browser, await application.code(secret), { trust: "yes" });
    const dump = [
      "second_factors",
      "recovery_codes",
      "trusted_browsers",
      "session_factors",
      "verifications",
    ]
      .map((table) => JSON.stringify(application.rows(table))).join("\n");
    const secrets = [
      secret,
      ...codes,
      ...codes.map((code) => code.replaceAll("-", "")),
      ...browser.cookies.values(),
    ];
    for (const one of secrets) assert.equal(dump.includes(one), false);
    assert.equal(application.rows("recovery_codes").length, 10);
  }));

// Tracks: R170
Deno.test("a factor that is turned on while somebody signs in ends that sign-in too", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const offered = await (await member.send("/second-factor/setup")).json();
    const fields = { setUp: offered.setUp, code: await application.code(offered.secret) };
    const storage = application.auth.storage({});
    const { insertSession } = storage;
    let enrolled = 0;
    storage.insertSession = async (...given) => {
      storage.insertSession = insertSession;
      // Between the gate and the session.
      enrolled = (await member.send("/second-factor/setup", { fields })).status;
      return await insertSession(...given);
    };
    const browser = application.browser();
    const response = await application.begin(browser);
    assert.equal(enrolled, 200);
    assert.equal((await response.json()).user, null);
    assert.equal(await browser.user(), null);
    // That of the member alone.
    assert.equal((await (await member.send("/sessions")).json()).length, 1);
  }));

// Tracks: R162
Deno.test("an account at a provider is linked by a sign-in when its second step is done, and not before", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const { secret } = await application.enrol(member);
    const browser = application.browser();
    await browser.send("/signin/code", { fields: { sub: "1", email: ADA, verified: "true" } });
    assert.deepEqual(application.rows("accounts"), []);
    assert.equal(application.told.some(({ type }) => type === "account-linked"), false);
    assert.equal((await application.answer(browser, await application.code(secret))).status, 200);
    const [account] = application.rows("accounts");
    assert.deepEqual([account?.provider, account?.access_token], ["code", "sealed-access"]);
    assert.equal(application.told.filter(({ type }) => type === "account-linked").length, 1);
  }));

// Tracks: R030, R172
Deno.test("a new password ends the second steps that wait", () =>
  withFactor(async (application) => {
    const { secret, browser } = await settled(application);
    const token = await application.askReset(ADA);
    const fields = { token, password: `${PASSWORD} 2` };
    assert.equal((await application.browser().send("/reset", { fields })).status, 200);
    assert.equal((await application.answer(browser, await application.code(secret))).status, 401);
    assert.equal(await browser.user(), null);
  }));

// Tracks: R172
Deno.test("a step that waits in one tenant is completed in no other", async () => {
  const storage = createMemoryTenantStorage();
  for (const slug of ["a", "b"]) await storage.create({ id: slug, slug, name: slug });
  const members = createMemoryTenantMembers();
  await withFactor(
    async (application) => {
      const member = await application.member();
      const { secret, codes } = await application.enrol(member);
      for (const tenantId of ["a", "b"]) {
        const createdAt = new Date(application.clock.now);
        await members.add({ tenantId, userId: application.userId(), roles: ["owner"], createdAt });
      }
      const browser = application.browser();
      const go = (path: string, tenant: string, fields: Record<string, string>) =>
        browser.send(path, { fields, headers: { "x-tenant-id": tenant } });
      const values = { email: ADA, password: PASSWORD };
      assert.equal((await (await go("/signin/passwords", "a", values)).json()).user, null);
      const code = await application.code(secret);
      for (const answer of [code, codes[0]!]) {
        const elsewhere = await go("/second-factor", "b", { code: answer });
        const { code: error } = await elsewhere.json();
        assert.deepEqual([elsewhere.status, error], [401, "SECOND_FACTOR_OVER"]);
        const nowhere = await browser.send("/second-factor", { fields: { code: answer } });
        assert.equal((await nowhere.json()).code, "SECOND_FACTOR_OVER");
      }
      // Neither the code nor the recovery code was used up for nothing.
      const right = await go("/second-factor", "a", { code });
      assert.equal((await right.json()).user.id, application.userId());
      const sessions = application.rows("sessions").map(({ tenant_id }) => tenant_id);
      assert.deepEqual(sessions.filter((tenant) => tenant !== null), ["a"]);
    },
    "database",
    {},
    { tenancy: defineTenancy({ strategy: "header", storage, members }) },
  );
});

/** Whoever has the role "owner" must have a second factor. */

// Tracks: R106, R171
Deno.test("a code is accepted once whose secret is sealed anew while it is checked, and nobody is told of a replay", () => {
  const secrets = [
    "the first secret of at least 32 bytes",
    "the other secret of at least 32 bytes",
  ];
  return withFactor(
    async (application) => {
      const { database } = application;
      const rotated = createAuth({ database, secret: secrets.toReversed() });
      const counted: unknown[] = [];
      const { prepare } = database;
      database.prepare = (sql) => {
        const statement = prepare.call(database, sql);
        if (!sql.startsWith("UPDATE second_factors SET last_step")) return statement;
        return {
          ...statement,
          bind(...values) {
            const bound = statement.bind(...values);
            return {
              ...bound,
              async run() {
                if (counted.length === 0) counted.push(await resealSecrets(rotated, {}));
                return await bound.run();
              },
            };
          },
        };
      };
      const { secret, browser } = await settled(application);
      const code = await application.code(secret);
      assert.equal((await application.answer(browser, code)).status, 200);
      assert.deepEqual(counted, [{ resealed: 1, left: 0, unreadable: 0 }]);
      assert.ok(!application.told.some(({ type }) => type === "replay-detected"));
      assert.equal(application.rows("second_factors")[0]!.tries, 0);
      const other = application.browser();
      await application.begin(other);
      assert.equal((await application.answer(other, code)).status, 401);
      assert.ok(application.told.some(({ type }) => type === "replay-detected"));
    },
    "database",
    {},
    { secret: secrets },
  );
});
