// Users who must have a second factor.
import assert from "node:assert/strict";
import { createAuth } from "../../app/create_auth.ts";
import { ConfigurationError } from "../../errors.ts";
import { authMiddleware } from "../../session/auth_middleware.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import { createTestApplication, inVisit, visit } from "../../tests/application.ts";
import { during } from "../../tests/during.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { everyCookie, PASSWORD, tokenOf } from "../../tests/password_application.ts";
import { ADA, withFactor } from "../../tests/second_factor_application.ts";
import { readQrCode } from "../../tests/qr_code.ts";
import { setUserRoles } from "../../session/users.ts";
import { startSession } from "../../session/operations.ts";
import { issueSession } from "../../session/read_session.ts";
import { createMemoryTenantMembers, createMemoryTenantStorage } from "../../tenant/memory.ts";
import { defineTenancy } from "../../tenant/tenancy.ts";
import { requireSecondFactor } from "./require.ts";

const HTML = { accept: "text/html" };

function cookieOf({ cookies }: PasskeyBrowser): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

const OWNERS = { required: ({ roles }: { roles?: string[] }) => roles?.includes("owner") ?? false };

Deno.test("requireSecondFactor() says what to write where the application has no second factor", async () => {
  const application = createTestApplication({
    secret: "a secret of the test, of 32 bytes or more",
  });
  const cookie = await application.signIn("ada");
  await assert.rejects(
    () =>
      visit(application, async () => Response.json((await requireSecondFactor()).id), { cookie }),
    { name: "ConfigurationError", message: /providers: \[passwords\(\), secondFactor\(/ },
  );
  application.close();
});

// Tracks: R176
Deno.test("requireSecondFactor() and authMiddleware() lead who has none to set it up, and who has not proved it to the page that asks", () =>
  withFactor(async (application) => {
    const member = await application.member();
    const visitWith = (browser: PasskeyBrowser, json = false) => {
      const headers: Record<string, string> = { cookie: cookieOf(browser) };
      if (json) headers.accept = "application/json";
      const request = new Request("https://app.example/payments", { headers });
      const guard = authMiddleware({ secondFactor: true });
      return application.auth.run(
        request,
        {},
        undefined,
        (context) => guard(request, () => Promise.resolve(new Response("inside")), context),
      );
    };
    const led = await visitWith(member);
    assert.equal(
      led.headers.get("location"),
      "https://app.example/auth/second-factor/setup?callbackUrl=%2Fpayments",
    );
    const told = await visitWith(member, true);
    assert.deepEqual([told.status, (await told.json()).code], [401, "SECOND_FACTOR_REQUIRED"]);
    const { secret } = await application.enrol(member);
    assert.equal(await (await visitWith(member)).text(), "inside");
    // The factor of another session is not this one's.
    application.database.sqlite.exec("DELETE FROM session_factors");
    const asked = await visitWith(member);
    assert.equal(
      asked.headers.get("location"),
      "https://app.example/auth/second-factor?callbackUrl=%2Fpayments",
    );
    const code = await application.code(secret);
    const proved = await application.answer(member, code, { callbackUrl: "/payments" });
    assert.equal((await proved.json()).redirectTo, "https://app.example/payments");
    assert.equal(await (await visitWith(member)).text(), "inside");
    await inVisit(application, async () => {
      await assert.rejects(requireSecondFactor({ throwError: true }), { code: "UNAUTHENTICATED" });
      return new Response();
    });
  }));

Deno.test("authMiddleware({ secondFactor: true }) lets nobody through where nobody asks for one", async () => {
  const auth = createAuth({ database: createMemoryStorage() });
  const context = { auth: { getUser: () => Promise.resolve({ id: "ada" }) } };
  const guard = authMiddleware({ secondFactor: true });
  const next = () => Promise.resolve(new Response("inside"));
  const request = new Request("http://localhost/");
  await assert.rejects(
    auth.run(request, {}, undefined, () => guard(request, next, context)),
    ConfigurationError,
  );
  assert.throws(() => authMiddleware({ secondFactor: "yes" as never }), ConfigurationError);
});

// Tracks: R176
Deno.test("required() is told the role that stands in `role` among `roles`", () =>
  withFactor(
    async (application) => {
      await application.member();
      const id = application.userId();
      for (
        const [given, expected] of [[{ role: "owner" }, null], [{ role: "reader" }, id]] as const
      ) {
        await during(application, undefined, () => setUserRoles(id, given));
        const begun = await application.begin(application.browser());
        assert.equal((await begun.json()).user?.id ?? null, expected, given.role);
      }
    },
    "database",
    OWNERS,
  ));

// Tracks: R172, R176
Deno.test("a sign-in that turns a factor on shows its recovery codes, whatever of the session fails then", async () => {
  for (
    const [event, table, isIn] of [
      ["INSERT", "sessions", false],
      ["INSERT", "session_factors", false],
      ["DELETE", "sessions", true],
    ] as const
  ) {
    for (const headers of [{}, HTML]) {
      await withFactor(
        async (application) => {
          await application.member();
          const id = application.userId();
          await during(application, undefined, () => setUserRoles(id, { roles: ["owner"] }));
          const browser = application.browser();
          await application.begin(browser);
          const { setUp, secret } = await (await browser.send("/second-factor")).json();
          application.database.sqlite.exec(`CREATE TRIGGER failing BEFORE ${event} ON ${table}
            BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
          const fields = { setUp, code: await application.code(secret), callbackUrl: "/pay" };
          const response = await browser.send("/second-factor", { headers, fields });
          assert.equal(response.status, 200, `${event} ${table}`);
          const signIn = "https://app.example/auth/signin?callbackUrl=";
          if (headers === HTML) {
            const page = await response.text();
            assert.equal([...page.matchAll(/<li>[a-z2-7-]{19}<\/li>/g)].length, 10);
            assert.ok(page.includes(`href="${isIn ? "https://app.example/pay" : signIn}`));
          } else {
            const { recoveryCodes, user, expires, redirectTo } = await response.json();
            assert.equal(recoveryCodes.length, 10);
            assert.deepEqual([user?.id, expires === null], isIn ? [id, false] : [undefined, true]);
            assert.ok(redirectTo.startsWith(isIn ? "https://app.example/pay" : signIn));
          }
          await application.settle();
          assert.deepEqual(application.news.map(({ kind }) => kind), ["added"]);
          assert.ok(application.log.some(({ event }) => event === "after-codes-failed"));
          application.database.sqlite.exec("DROP TRIGGER failing");
          assert.equal(await browser.user(), isIn ? id : null);
          // What is on now is asked for in the next sign-in.
          application.wait(30_000);
          await application.begin(browser);
          await application.answer(browser, await application.code(secret));
          assert.equal(await browser.user(), id);
        },
        "database",
        OWNERS,
      );
    }
  }
});

// Tracks: R170, R172, R176
Deno.test("who must have a second factor turns one on before there is a session, and then signs in with it", async () => {
  for (const strategy of ["database", "jwt"] as const) {
    await withFactor(
      async (application) => {
        const member = await application.member();
        const id = application.userId();
        assert.equal(await member.user(), id, "nobody else must");
        await during(application, undefined, () => setUserRoles(id, { roles: ["owner"] }));
        const thief = application.browser();
        await application.begin(thief);
        const browser = application.browser();
        const begun = await (await application.begin(browser)).json();
        assert.equal(begun.user, null);
        assert.match(begun.redirectTo, /\/auth\/second-factor/);
        // What there is opens the enrolment and nothing else.
        assert.equal(await browser.user(), null);
        assert.deepEqual(
          [...browser.cookies.keys()].filter((name) => name.includes("session-token")),
          [],
        );
        assert.equal((await browser.send("/second-factor/setup")).status, 401);
        const refused = await application.answer(browser, "000000");
        assert.deepEqual([refused.status, (await refused.json()).code], [
          401,
          "SECOND_FACTOR_OVER",
        ]);
        const offered = await (await browser.send("/second-factor")).json();
        assert.equal(offered.on, false);
        const fields = {
          setUp: offered.setUp,
          code: await application.code(offered.secret),
          callbackUrl: "/payments",
        };
        const wrong = await browser.send("/second-factor", {
          fields: { ...fields, code: "000000" },
        });
        assert.equal((await wrong.json()).code, "SECOND_FACTOR_WRONG");
        // Sealed for this step: in another browser it turns nothing on.
        const elsewhere = await thief.send("/second-factor", { fields });
        assert.equal((await elsewhere.json()).code, "SECOND_FACTOR_OVER");
        assert.equal(application.rows("second_factors").length, 0);
        application.wait(1000);
        const done = await (await browser.send("/second-factor", { fields })).json();
        assert.equal(done.user?.id, id, JSON.stringify(done));
        assert.equal(done.redirectTo, "https://app.example/payments");
        assert.equal(done.recoveryCodes.length, 10);
        assert.equal(await browser.user(), id);
        assert.equal(await member.user(), null, "the sessions of before have proved nothing");
        assert.equal(
          (await browser.send("/second-factor/setup/codes", { fields: {} })).status,
          200,
        );
        await application.settle();
        assert.deepEqual(application.news.map(({ kind }) => kind), ["added", "codes"]);
        assert.ok(application.told.some(({ type }) => type === "second-factor-added"));
        // The step that another browser had opened meanwhile asks for this factor now, and enrols nobody.
        const late = await thief.send("/second-factor", { fields });
        assert.equal(late.status, 401);
        assert.equal(await thief.user(), null);
        application.wait(30_000);
        const next = application.browser();
        await application.begin(next);
        const code = await application.code(offered.secret);
        assert.equal((await application.answer(next, code)).status, 200);
        assert.equal(await next.user(), id);
      },
      strategy,
      OWNERS,
    );
  }
});

// Tracks: R170, R172
Deno.test("no way to begin a session goes past a second factor that its user must have, a new user's neither", () =>
  withFactor(
    async (application) => {
      const signedUp = await application.signUp(ADA);
      const cookie = everyCookie(signedUp);
      await application.settle();
      const token = tokenOf(application.outbox.at(-1)!);
      const joined = await application.send("/signup/confirm", {
        cookie,
        fields: { token },
        headers: HTML,
      });
      assert.equal(joined.status, 303, await joined.clone().text());
      assert.match(joined.headers.get("location")!, /\/auth\/second-factor/);
      assert.equal(everyCookie(joined).includes("session-token"), false);
      assert.match(everyCookie(joined), /second-step/);
      const id = String(application.rows("users")[0]!.id);
      assert.equal(application.told.filter(({ type }) => type === "sign-up").length, 1);
      assert.deepEqual(application.rows("sessions"), []);
      await assert.rejects(issueSession(application.auth, id, {}), {
        code: "SECOND_FACTOR_REQUIRED",
      });
      await during(application, undefined, async () => {
        await assert.rejects(startSession(id), { code: "SECOND_FACTOR_REQUIRED" });
      });
      assert.deepEqual(application.rows("sessions"), []);
      const { session } = await issueSession(application.auth, id, {}, { amr: ["mfa"] });
      assert.equal(session.user.id, id);
      const stranger = application.browser();
      await stranger.send("/signin/code", {
        fields: { sub: "1", email: "eve@example.com", verified: "true" },
      });
      assert.equal(await stranger.user(), null);
      const page = await stranger.send("/second-factor", { headers: HTML });
      assert.equal(page.status, 200);
      const html = await page.text();
      const secret = new URL(readQrCode(html)).searchParams.get("secret")!;
      const setUp = /name="setUp" value="([^"]*)"/.exec(html)![1]!;
      const done = await stranger.send("/second-factor", {
        headers: HTML,
        fields: { setUp, code: await application.code(secret) },
      });
      assert.match(await done.text(), /<h1>Save your recovery codes<\/h1>/);
      assert.notEqual(await stranger.user(), null);
    },
    "database",
    { required: () => true },
  ));

// Tracks: R170
Deno.test("what required() throws signs nobody in, and it is told the tenant", async () => {
  const asked: unknown[] = [];
  const storage = createMemoryTenantStorage();
  await storage.create({ id: "a", slug: "a", name: "A" });
  await withFactor(
    async (application) => {
      await application.member();
      const browser = application.browser();
      await assert.rejects(
        browser.send("/signin/passwords", {
          fields: { email: ADA, password: PASSWORD },
          headers: { "x-tenant-id": "a" },
        }),
        /nobody knows/,
      );
      assert.equal(await browser.user(), null);
      assert.deepEqual(asked, [null, "a"]);
      assert.equal(application.rows("sessions").length, 1);
    },
    "database",
    {
      required(_user, { tenantId }) {
        asked.push(tenantId);
        if (tenantId !== null) throw new Error("nobody knows");
        return false;
      },
    },
    {
      tenancy: defineTenancy({
        strategy: "header",
        storage,
        members: createMemoryTenantMembers(),
      }),
    },
  );
});
