import assert from "node:assert/strict";
import { userAt } from "../../tests/during.ts";
import { everyCookie, PASSWORD, tokenOf, withPasswords } from "../../tests/password_application.ts";

const LATER = { verification: "later" } as const;
const NEW = "another sentence of mine";

Deno.test('verification: "later" makes the user at once, signs in, and says at start what it gives up', () =>
  withPasswords(async ({ signUp, auth, rows, outbox, settle, log, told }) => {
    const response = await signUp("ada@example.com", { callbackUrl: "/dashboard" });
    assert.equal(response.headers.get("location"), "https://app.example/dashboard");
    const [user] = rows("users");
    assert.deepEqual([user!.email, user!.email_verified], ["ada@example.com", null]);
    assert.equal(await userAt({ auth }, everyCookie(response)), user!.id);
    assert.deepEqual(rows("pending_sign_ups"), []);
    await settle();
    assert.deepEqual(outbox.map(({ kind }) => kind), ["verification"]);
    assert.deepEqual(told.map(({ type }) => type), ["sign-up", "sign-in"]);
    assert.ok(log.some(({ event }) => event === "sign-up-tells-accounts"));
    const again = await signUp("ADA@example.com");
    assert.equal(again.status, 409);
    assert.match(await again.text(), /already exists/);
    assert.equal(rows("users").length, 1);
  }, LATER));

// Tracks: R163
Deno.test("the link in the browser that signed up proves the address and keeps what is there; scanners prove nothing", () =>
  withPasswords(async ({ signUp, confirm, auth, rows, outbox, settle, send, byPassword }) => {
    const cookie = everyCookie(await signUp("ada@example.com"));
    await settle();
    const link = `/signup/confirm?token=${tokenOf(outbox[0]!)}`;
    for (const method of ["HEAD", "GET"]) await send(link, { method, cookie });
    assert.equal(rows("users")[0]!.email_verified, null);
    const page = await (await send(link, { cookie })).text();
    assert.equal(page.includes('type="password"'), false);
    const response = await confirm({}, { cookie });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /Your address is confirmed/);
    assert.notEqual(rows("users")[0]!.email_verified, null);
    assert.notEqual(await userAt({ auth }, cookie), null);
    assert.equal((await byPassword("ada@example.com", PASSWORD)).status, 303);
    assert.equal((await confirm({}, { cookie })).status, 400);
  }, LATER));

// Tracks: R029, R162, R163
Deno.test("elsewhere the link takes the account's password, which keeps it, or a new one, which ends what is there", async () => {
  for (const fields of [{ password: PASSWORD }, { password: NEW, ask: "new" }]) {
    await withPasswords(
      async ({ signUp, confirm, auth, rows, outbox, settle, send, byPassword, clock }) => {
        const first = everyCookie(await signUp("ada@example.com"));
        await settle();
        const mail = outbox[0]!;
        const page = await (await send(`/signup/confirm?token=${tokenOf(mail)}`)).text();
        assert.match(page, /type="password"/);
        assert.equal((await confirm({}, { mail })).status, 401);
        assert.equal((await confirm({ password: "not this one at all" }, { mail })).status, 401);
        assert.equal(rows("users")[0]!.email_verified, null);
        if ("ask" in fields) {
          const asked = await send(`/signup/confirm?token=${tokenOf(mail)}&ask=new`);
          assert.match(await asked.text(), /perhaps not by you/);
        }
        clock.now += 1000;
        assert.equal((await confirm(fields, { mail })).status, 200);
        assert.notEqual(rows("users")[0]!.email_verified, null);
        clock.now += 1000;
        const isNew = "ask" in fields;
        assert.equal(await userAt({ auth }, first) === null, isNew);
        assert.equal((await byPassword("ada@example.com", PASSWORD)).status, isNew ? 401 : 303);
        assert.equal((await byPassword("ada@example.com", fields.password)).status, 303);
      },
      LATER,
      { rateLimit: false },
    );
  }
});

// Tracks: F01, F08
Deno.test("of a hundred sign-ups at once one makes the user, and of a hundred uses of its link one proves it", () =>
  withPasswords(
    async ({ signUp, confirm, rows, settle, outbox, told }) => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => signUp("ada@example.com")),
      );
      const [made] = answers.filter(({ status }) => status === 303);
      assert.equal(answers.filter(({ status }) => status === 303).length, 1);
      assert.equal(rows("users").length, 1);
      assert.equal(rows("password_hashes").length, 1);
      await settle();
      const cookie = everyCookie(made!);
      const mail = outbox[0]!;
      const uses = await Promise.all(
        Array.from({ length: 100 }, () => confirm({}, { cookie, mail })),
      );
      assert.equal(uses.filter(({ status }) => status === 200).length, 1);
      await settle();
      assert.equal(told.filter(({ type }) => type === "email-verified").length, 1);
    },
    LATER,
    { rateLimit: false },
  ));

// Tracks: R152
Deno.test("the link of a later proof that comes a second time is an event", () =>
  withPasswords(async ({ signUp, confirm, settle, told }) => {
    const cookie = everyCookie(await signUp("ada@example.com"));
    await settle();
    assert.equal((await confirm({}, { cookie })).status, 200);
    await settle();
    assert.equal(told.some(({ type }) => type === "replay-detected"), false);
    assert.equal((await confirm({}, { cookie })).status, 400);
    assert.equal(told.at(-1)!.type, "replay-detected");
  }, LATER));
