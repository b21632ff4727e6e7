import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { createAuth } from "../../app/create_auth.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import type { SqlDatabase, SqlStatement } from "../../storage/sql_database.ts";
import { sqlite } from "../../sqlite.ts";
import { during, userAt } from "../../tests/during.ts";
import { knownCookie, stranger } from "../../tests/guess_race.ts";
import {
  cheapHasher,
  everyCookie,
  PASSWORD,
  tokenOf,
  withPasswords,
} from "../../tests/password_application.ts";
import { email } from "../email/provider.ts";
import { passkey } from "../passkey/provider.ts";
import { accountPage } from "../../account/page.ts";
import { issueOneTimeToken, redeemOneTimeToken } from "../one_time_token.ts";
import type { PasswordMail } from "./options.ts";
import { passwords } from "./provider.ts";

const NEW = "another sentence of mine";
const HOUR = 3_600_000;
const LEAKED = "a sentence that was leaked";

function sha1(password: string): string {
  return createHash("sha1").update(password).digest("hex").toUpperCase();
}

// Tracks: R030, R165
Deno.test("a link by mail sets a new password, ends what the old one opened, tells the owner and signs nobody in", () =>
  withPasswords(
    async ({ join, askReset, send, byPassword, auth, outbox, rows, told, settle, clock }) => {
      const session = await join("ada@example.com");
      const other = everyCookie(await byPassword("ada@example.com", PASSWORD));
      const id = rows("users")[0]!.id as string;
      const pending = await during({ auth }, undefined, () => issueOneTimeToken("mine", id));
      assert.ok(rows("known_browsers").length > 0);
      const token = await askReset("ada@example.com");
      const mail = outbox.at(-1)!;
      assert.match(mail.url, /^https:\/\/app\.example\/auth\/reset\?token=/);
      assert.equal(mail.expires?.getTime(), clock.now + HOUR);
      for (const method of ["HEAD", "GET", "GET"]) {
        assert.equal((await send(`/reset?token=${token}`, { method })).status, 200);
      }
      const page = await (await send(`/reset?token=${token}`)).text();
      assert.match(page, /Choose a new password/);
      assert.match(page, /value="ada@example\.com"/);
      assert.equal(page.includes("perhaps not by you"), false);
      told.length = 0;
      clock.now += 10;
      const response = await send("/reset", { fields: { token, password: NEW }, cookie: session });
      assert.equal(response.status, 303);
      assert.equal(response.headers.get("location"), "https://app.example/auth/reset/done");
      assert.equal(response.headers.get("referrer-policy"), "no-referrer");
      assert.deepEqual(rows("sessions"), []);
      assert.equal(rows("known_browsers").length, 1, "this browser alone");
      for (const cookie of [session, other, everyCookie(response)]) {
        assert.equal(await userAt({ auth }, cookie), null);
      }
      const redeemed = await during(
        { auth },
        undefined,
        () => redeemOneTimeToken("mine", pending.result),
      );
      assert.equal(redeemed.result, null);
      await settle();
      assert.deepEqual(
        told.map(({ type }) => type),
        ["password-changed"],
      );
      const last = outbox.at(-1)!;
      assert.deepEqual([last.kind, last.to], ["password-changed", "ada@example.com"]);
      clock.now += 10;
      assert.equal((await byPassword("ada@example.com", PASSWORD)).status, 401);
      assert.equal((await byPassword("ada@example.com", NEW)).status, 303);
      assert.match(await (await send("/reset/done")).text(), /Sign in with the new password/);
      // Once.
      assert.equal((await send("/reset", { fields: { token, password: PASSWORD } })).status, 400);
      assert.match(await (await send(`/reset?token=${token}`)).text(), /This link no longer works/);
    },
  ));

// Tracks: F28, R022, R164
Deno.test("known, unknown, disabled and limited addresses get one answer, which waits for no look-up and no mailer", async () => {
  const gate = Promise.withResolvers<void>();
  // It may be closed before the mailer waits for it.
  gate.promise.catch(() => {});
  let closed = false;
  await withPasswords(
    async ({ join, send, database, outbox, log, settle }) => {
      for (const name of ["known", "gone"]) await join(`${name}@example.com`);
      database.sqlite.exec("UPDATE users SET disabled_at = 1 WHERE email = 'gone@example.com'");
      outbox.length = 0;
      closed = true;
      const answers = [];
      for (const name of ["known", "nobody", "gone"]) {
        const response = await send("/forgot", { fields: { email: `${name}@example.com` } });
        const headers = [...response.headers].map((
          [key, value],
        ) => [key, value.replaceAll(name, "NAME")]);
        answers.push([response.status, headers, await response.text()]);
      }
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      const [status, headers] = answers[0] as [number, [string, string][]];
      assert.equal(status, 303);
      assert.equal(new Headers(headers).get("location"), "https://app.example/auth/forgot/sent");
      gate.reject(new Error("smtp.internal is down"));
      await settle();
      const line = log.find(({ event }) => event === "email-not-sent");
      assert.ok(line, "told to the operator alone");
      const row = database.sqlite.prepare("SELECT id FROM users WHERE email = ?");
      const userId = row.get("known@example.com")!.id;
      assert.deepEqual([line.fields.kind, line.fields.userId], ["reset", userId]);
      closed = false;
      for (let time = 0; time < 9; time++) {
        assert.equal(
          (await send("/forgot", { fields: { email: "known@example.com" } })).status,
          303,
        );
      }
      await settle();
      assert.equal(outbox.length, 4, "with the one that failed");
      const page = await send("/forgot/sent", {
        cookie: everyCookie(await send("/forgot", { fields: { email: "known@example.com" } })),
      });
      assert.match(await page.text(), /If [^]*known@example\.com[^]* has an account/);
    },
    {},
    { deliver: (_mail, sendOwn) => closed ? gate.promise : sendOwn() },
  );
});

/** An SQLite database on the same machine, which answers at once, and how many statements it was given. */
function localDatabase(): { database: SqlDatabase; work: { statements: number } } {
  const work = { statements: 0 };
  const real = sqlite(new DatabaseSync(":memory:"));
  const wrap = (inner: SqlStatement): SqlStatement & { inner: SqlStatement } => {
    const count = <T>(run: () => T): T => (work.statements++, run());
    return {
      inner,
      bind: (...values) => wrap(inner.bind(...values)),
      first: <T>() => count(() => inner.first<T>()),
      all: <T>() => count(() => inner.all<T>()),
      run: () => count(() => inner.run()),
    };
  };
  const database: SqlDatabase = {
    ...real,
    prepare: (sql) => wrap(real.prepare(sql)),
    batch(statements) {
      work.statements += statements.length;
      return real.batch(statements.map((one) => (one as ReturnType<typeof wrap>).inner));
    },
  };
  return { database, work };
}

for (const path of ["/forgot", "/signup"]) {
  // Tracks: F28, R022, R164
  Deno.test(`${path}: before its answer the same is done for known and unknown addresses, on a database that answers at once`, async () => {
    const { database, work } = localDatabase();
    await withPasswords(
      async ({ auth, join, send, outbox, settle }) => {
        await auth.migrate();
        await join("known@example.com");
        await settle();
        const before = [];
        const after = [];
        for (const email of ["known@example.com", "nobody@example.com"]) {
          work.statements = outbox.length = 0;
          const name = { password: "a sentence that nobody had", name: "Eve" };
          const fields = { email, ...path === "/signup" && name };
          assert.equal((await send(path, { fields })).status, 303);
          before.push([work.statements, outbox.length]);
          await new Promise((resolve) => setTimeout(resolve, 0));
          await settle();
          after.push([work.statements, outbox.length]);
        }
        assert.deepEqual(before[0], before[1]);
        assert.notEqual(before[0]![0], 0);
        assert.equal(after[0]![1], 1, "the known address gets its mail");
        if (path === "/forgot") {
          assert.equal(before[0]![1], 0, "no mail before the answer");
          assert.ok(after[0]![0]! > before[0]![0]!, "the look-up comes after the answer");
        }
      },
      {},
      { database },
    );
  });
}

for (const name of ["SQL", "memory"]) {
  // Tracks: R168, A-09
  Deno.test(`${name}: who sets a new password while strangers guess at the account signs in with it at once, in that browser`, () =>
    withPasswords(
      async ({ join, askReset, send, byPassword, clock }) => {
        const old = await join("ada@example.com");
        for (let index = 0; index < 101; index++) {
          await send("/signin/passwords", {
            fields: { email: "ada@example.com", password: "wrong" },
            info: { clientAddress: stranger(index) },
          });
        }
        const refused = await byPassword("ada@example.com", PASSWORD);
        assert.equal(refused.status, 429);
        const page = await refused.text();
        assert.match(page, /Set a new password\./);
        assert.doesNotMatch(page, /link in an email/);
        const token = await askReset("ada@example.com");
        clock.now += 10;
        const reset = await send("/reset", { fields: { token, password: NEW } });
        assert.equal(reset.status, 303);
        assert.notEqual(knownCookie(reset), "");
        assert.deepEqual(everyCookie(reset), knownCookie(reset), "it signs nobody in");
        clock.now += 10;
        const status = async (cookie: string, password = NEW) =>
          (await byPassword("ada@example.com", password, cookie)).status;
        assert.equal(await status(knownCookie(reset), PASSWORD), 401);
        assert.equal(await status(knownCookie(reset)), 303);
        assert.equal(await status(old), 429, "the browsers of before are forgotten");
        assert.equal(await status(""), 429, "strangers go on being refused");
        const foreign = { email: "eve@example.com", password: NEW };
        const elsewhere = await send("/signin/passwords", {
          fields: foreign,
          cookie: knownCookie(reset),
        });
        assert.equal(elsewhere.status, 401);
      },
      {},
      name === "memory" ? { database: createMemoryStorage() } : {},
    ));
}

// Tracks: R168, A-09
Deno.test("with sign-in by mail, the answer to too many attempts names the link too", () =>
  withPasswords(
    async ({ send }) => {
      let last: Response | undefined;
      for (let index = 0; index < 101; index++) {
        last = await send("/signin/passwords", {
          fields: { email: "ada@example.com", password: "wrong" },
          info: { clientAddress: stranger(index) },
          headers: { accept: index < 100 ? "application/json" : "text/html" },
        });
      }
      assert.equal(last!.status, 429);
      assert.match(await last!.text(), /Sign in by a link in an email, or set a new password/);
    },
    {},
    {
      providers: [
        email({ from: "a@app.example", sendVerificationRequest: () => Promise.resolve() }),
      ],
    },
  ));

// Tracks: F01, R017
Deno.test("of a hundred uses of a link at once, or of its three, one sets a password", async () => {
  for (let round = 0; round < 5; round++) {
    await withPasswords(
      async ({ join, askReset, send, byPassword, clock }) => {
        await join("ada@example.com");
        const tokens = [await askReset("ada@example.com")];
        if (round % 2 === 1) {
          for (let n = 0; n < 2; n++) tokens.push(await askReset("ada@example.com"));
        }
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            send("/reset", {
              fields: {
                token: tokens[index % tokens.length]!,
                password: `a sentence with ${index}`,
              },
            })),
        );
        const won = answers.flatMap(({ status }, index) => status === 303 ? [index] : []);
        assert.equal(won.length, 1);
        clock.now += 1000;
        assert.equal(
          (await byPassword("ada@example.com", `a sentence with ${won[0]}`)).status,
          303,
        );
      },
      {},
      { rateLimit: false },
    );
  }
});

// Tracks: R029, R162
Deno.test("a reset that is the first proof of the address says what ends, and ends it", () =>
  withPasswords(
    async ({ database, askReset, send, rows, auth, told, settle, byPassword, clock }) => {
      database.sqlite.exec(`
      INSERT INTO users (id, email, email_identity) VALUES ('u1', 'ada@example.com', 'ada@example.com');
      INSERT INTO password_hashes VALUES ('u1', 'the stranger''s', 1);
    `);
      const { cookies } = await during({ auth }, undefined, async () => {
        const { startSession } = await import("../../session/operations.ts");
        await startSession("u1");
      });
      const stranger = cookies.map((line) => line.split(";")[0]).join("; ");
      assert.equal(await userAt({ auth }, stranger), "u1");
      const token = await askReset("ada@example.com");
      const page = await (await send(`/reset?token=${token}`)).text();
      assert.match(page, /perhaps not by you/);
      assert.match(page, /The password/);
      told.length = 0;
      assert.equal((await send("/reset", { fields: { token, password: NEW } })).status, 303);
      assert.equal(await userAt({ auth }, stranger), null);
      assert.notEqual(rows("users")[0]!.email_verified, null);
      assert.match(rows("password_hashes")[0]!.hash as string, /^\$scrypt\$/);
      await settle();
      assert.deepEqual(told.map(({ type }) => type), ["email-verified", "password-changed"]);
      clock.now += 1000;
      assert.equal((await byPassword("ada@example.com", NEW)).status, 303);
    },
  ));

// Tracks: R018, R019
Deno.test("a token of another purpose, address or hour sets nothing, and what is wrong with a password leaves the link", () =>
  withPasswords(
    async ({ join, askReset, send, outbox, auth, rows, clock, database, byPassword }) => {
      await join("ada@example.com");
      const signUp = tokenOf(outbox.find(({ kind }) => kind === "verification")!);
      const id = rows("users")[0]!.id as string;
      const { result: own } = await during(
        { auth },
        undefined,
        () => issueOneTimeToken("password-reset", id),
      );
      for (const token of [signUp, own, "", "x".repeat(43)]) {
        assert.equal((await send("/reset", { fields: { token, password: NEW } })).status, 400);
        assert.equal((await send(`/reset?token=${token}`)).status, 200);
      }
      const token = await askReset("ada@example.com");
      const short = await send("/reset", { fields: { token, password: "too short" } });
      assert.equal(short.status, 400);
      assert.match(await short.text(), /That’s 9 characters\. Use at least 15\./);
      const json = await send("/reset", {
        json: { token, password: "too short" },
        headers: { accept: "application/json" },
      });
      assert.equal((await json.json()).code, "INVALID_PASSWORD");
      database.sqlite.exec(
        "UPDATE users SET email = 'new@example.com', email_identity = 'new@example.com'",
      );
      assert.equal(
        (await send("/reset", { fields: { token, password: NEW } })).status,
        400,
        "no more theirs",
      );
      database.sqlite.exec(
        "UPDATE users SET email = 'ada@example.com', email_identity = 'ada@example.com'",
      );
      clock.now += HOUR;
      assert.equal((await send("/reset", { fields: { token, password: NEW } })).status, 400);
      clock.now -= 1;
      const done = await send("/reset", {
        json: { token, password: NEW },
        headers: { accept: "application/json" },
      });
      assert.deepEqual(await done.json(), { redirectTo: "https://app.example/auth/signin" });
      clock.now += 1000;
      assert.equal((await byPassword("ada@example.com", NEW)).status, 303);
    },
  ));

// Tracks: R024, CVE-2025-64101
Deno.test("links lead to the configured origin, whatever host the request names", () =>
  withPasswords(async ({ auth, join, outbox, settle, send }) => {
    await join("ada@example.com");
    for (const path of ["signup", "forgot"]) {
      const request = new Request(`https://evil.example/auth/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-host": "evil.example" },
        body: JSON.stringify({ email: "eve@example.com", password: PASSWORD }),
      });
      await auth.handle(request, {}, { clientAddress: "192.0.2.1" });
    }
    await send("/forgot", { fields: { email: "ada@example.com" } });
    await settle();
    assert.ok(outbox.length >= 3);
    for (const { url } of outbox) assert.equal(new URL(url).origin, "https://app.example");
  }));

Deno.test("passwords() does with a storage in memory what it does with a database", async () => {
  const outbox: PasswordMail[] = [];
  const auth = createAuth({
    database: createMemoryStorage(),
    baseUrl: "https://app.example",
    providers: [
      passwords({
        sendMail: (mail) => void outbox.push(mail),
        minLength: 8,
        hasher: cheapHasher(),
      }),
    ],
  });
  const work: Promise<unknown>[] = [];
  async function post(
    path: string,
    fields: Record<string, string>,
    cookie = "",
  ): Promise<Response> {
    const response = await auth.handle(
      new Request(`https://app.example/auth${path}`, {
        method: "POST",
        headers: { origin: "https://app.example", cookie },
        body: new URLSearchParams(fields),
      }),
      {},
      { clientAddress: "192.0.2.1", waitUntil: (one) => void work.push(one) },
    );
    while (work.length > 0) await Promise.all(work.splice(0));
    return response!;
  }
  const email = "ada@example.com";
  const asked = await post("/signup", { email, password: "longer", name: "Ada" });
  assert.equal(asked.status, 400);
  const sent = await post("/signup", { email, password: "long enough", name: "Ada" });
  const done = await post("/signup/confirm", { token: tokenOf(outbox[0]!) }, everyCookie(sent));
  assert.equal(done.status, 303);
  assert.equal((await post("/signin/passwords", { email, password: "long enough" })).status, 303);
  await post("/forgot", { email });
  const token = tokenOf(outbox.at(-1)!);
  const answers = await Promise.all(
    Array.from(
      { length: 10 },
      (_, index) => post("/reset", { token, password: `another ${index}` }),
    ),
  );
  const won = answers.findIndex(({ status }) => status === 303);
  assert.equal(answers.filter(({ status }) => status === 303).length, 1);
  assert.equal(
    (await post("/signin/passwords", { email, password: `another ${won}` })).status,
    303,
  );
  assert.equal((await post("/signin/passwords", { email, password: "long enough" })).status, 401);
});

// Tracks: R028
Deno.test("who has a link tries a few passwords with it, and each costs nothing beyond that", () =>
  withPasswords(
    async ({ join, askReset, send, work }) => {
      await join("ada@example.com");
      const token = await askReset("ada@example.com");
      const { hashes } = work;
      const statuses = [];
      for (let time = 0; time < 7; time++) {
        const response = await send("/reset", { fields: { token, password: LEAKED } });
        statuses.push(response.status);
        if (response.status === 429) assert.ok(Number(response.headers.get("retry-after")) > 0);
      }
      assert.deepEqual(statuses, [400, 400, 400, 400, 400, 429, 429]);
      assert.equal(work.hashes, hashes);
    },
    { breached: true },
    {
      fetch: () => Promise.resolve(new Response(`${sha1(LEAKED).slice(5)}:7`)),
    },
  ));

/** The value of a hidden field of a page. */
function hiddenOf(page: string, name: string): string | undefined {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1];
}

// Tracks: R077
Deno.test("whoever forgot the password comes to the page that they wanted, and nowhere else", () =>
  withPasswords(async ({ join, send, outbox, settle, clock, byPassword }) => {
    await join("ada@example.com");
    const asked = await send("/signin", {
      fields: { email: "ada@example.com", callbackUrl: "/dashboard?tab=2" },
    });
    const forgot = /href="([^"]*\/auth\/forgot[^"]*)"/.exec(await asked.text())![1]!;
    const { pathname, searchParams } = new URL(forgot, "https://app.example");
    assert.equal(pathname, "/auth/forgot");
    const wanted = "https://app.example/dashboard?tab=2";
    assert.equal(searchParams.get("callbackUrl"), wanted);
    const form = await (await send(`/forgot?${searchParams}`)).text();
    assert.equal(hiddenOf(form, "callbackUrl"), wanted);
    assert.match(form, /href="[^"]*\/auth\/signin\?callbackUrl=https%3A%2F%2Fapp\.example%2Fdash/);
    const sent = await send("/forgot", {
      fields: { email: "ada@example.com", callbackUrl: hiddenOf(form, "callbackUrl")! },
    });
    await settle();
    const waiting = await (await send("/forgot/sent", { cookie: everyCookie(sent) })).text();
    assert.equal(hiddenOf(waiting, "callbackUrl"), wanted);
    // The mail tells nobody where its reader was going, and its link can be given no other place.
    const { url } = outbox.at(-1)!;
    assert.equal(new URL(url).searchParams.has("callbackUrl"), false);
    const token = tokenOf(outbox.at(-1)!);
    clock.now += 1000;
    const done = await send("/reset", {
      fields: { token, password: NEW, callbackUrl: "https://app.example/elsewhere" },
    });
    const place = new URL(done.headers.get("location")!);
    assert.equal(place.searchParams.get("callbackUrl"), wanted);
    const last = await (await send(`/reset/done${place.search}`)).text();
    const signIn = /href="([^"]*\/auth\/signin[^"]*)"/.exec(last)![1]!;
    const start = new URL(signIn, "https://app.example");
    const page = await (await send(`/signin${start.search}`)).text();
    assert.equal(hiddenOf(page, "callbackUrl"), wanted);
    clock.now += 1000;
    const ended = await send("/signin/passwords", {
      fields: { email: "ada@example.com", password: NEW, callbackUrl: wanted },
    });
    assert.equal(ended.headers.get("location"), wanted);
    // Nothing on the way takes another site.
    const evil = "https://evil.example/";
    assert.equal(
      hiddenOf(await (await send(`/forgot?callbackUrl=${evil}`)).text(), "callbackUrl"),
      undefined,
    );
    await send("/forgot", { fields: { email: "ada@example.com", callbackUrl: evil } });
    await settle();
    const second = await send("/reset", {
      fields: { token: tokenOf(outbox.at(-1)!), password: `${NEW} again` },
    });
    assert.equal(second.headers.get("location"), "https://app.example/auth/reset/done");
    const planted = await (await send(`/reset/done?callbackUrl=${evil}`)).text();
    assert.equal(planted.includes("evil.example"), false);
    assert.equal((await byPassword("ada@example.com", PASSWORD)).status, 401);
  }));

Deno.test("a new password by JSON answers the sign-in page with the way on", () =>
  withPasswords(async ({ join, send, outbox, settle }) => {
    await join("ada@example.com");
    const headers = { accept: "application/json" };
    await send("/forgot", {
      json: { email: "ada@example.com", callbackUrl: "/dashboard" },
      headers,
    });
    await settle();
    const json = { token: tokenOf(outbox.at(-1)!), password: NEW };
    const { redirectTo } = await (await send("/reset", { json, headers })).json();
    const { pathname, searchParams } = new URL(redirectTo);
    assert.equal(pathname, "/auth/signin");
    assert.equal(searchParams.get("callbackUrl"), "https://app.example/dashboard");
  }));

// Tracks: R152
Deno.test("a link that comes a second time is an event, whatever it was for; one that never was is none", () =>
  withPasswords(async ({ signUp, confirm, askReset, send, settle, told, outbox, clock }) => {
    const replays = () => told.splice(0).filter(({ type }) => type === "replay-detected");
    const headers = { accept: "application/json" };
    const cookie = everyCookie(await signUp("ada@example.com"));
    await settle();
    const signUpMail = outbox.at(-1)!;
    await confirm({}, { cookie, mail: signUpMail });
    const token = await askReset("ada@example.com");
    clock.now += 1000;
    assert.equal((await send("/reset", { fields: { token, password: NEW } })).status, 303);
    await settle();
    assert.deepEqual(replays(), []);
    // A GET is what scanners and a reader who comes back do.
    await send(`/reset?token=${token}`);
    await send(`/signup/confirm?token=${tokenOf(signUpMail)}`);
    await send("/reset", { fields: { token: "x".repeat(43), password: NEW } });
    await confirm({ token: "x".repeat(43) });
    assert.deepEqual(replays(), []);
    for (
      const again of [
        () => send("/reset", { fields: { token, password: NEW } }),
        () => send("/reset", { json: { token, password: NEW }, headers }),
        () => confirm({}, { cookie, mail: signUpMail }),
      ]
    ) {
      assert.equal((await again()).status, 400);
      const [event, ...more] = replays();
      assert.deepEqual([event?.provider, event?.userId, more.length], ["passwords", undefined, 0]);
    }
    clock.now += 86_400_000;
    assert.equal((await send("/reset", { fields: { token, password: NEW } })).status, 400);
    assert.deepEqual(replays(), []);
  }));

// Tracks: R030
Deno.test("whoever has a new password is told how many passkeys still sign in, and where to remove them", async () => {
  for (const [count, hasPage] of [[2, true], [1, false], [0, true]] as const) {
    await withPasswords(
      async ({ join, askReset, send, outbox, settle, database, rows, clock }) => {
        const cookie = await join("ada@example.com");
        const id = rows("users")[0]!.id as string;
        for (let number = 0; number < count; number++) {
          database.sqlite.exec(
            `INSERT INTO passkeys (id, user_id, user_handle, public_key, counter, device_type, backed_up, created_at)
              VALUES ('k${number}', '${id}', 'h', 'x', 0, 'singleDevice', 0, 1)`,
          );
        }
        const expected = `Passkeys that still sign in to your account: ${count}.`;
        const account = "https://app.example/auth/account";
        const token = await askReset("ada@example.com");
        clock.now += 1000;
        const done = await send("/reset", { fields: { token, password: NEW } });
        await settle();
        const mail = outbox.at(-1)!;
        assert.equal(mail.kind, "password-changed");
        assert.equal(mail.passkeys, count);
        for (const text of [mail.text, mail.html]) {
          assert.equal(text.includes(expected), count > 0);
          assert.equal(text.includes(account), count > 0 && hasPage);
        }
        const { pathname, search } = new URL(done.headers.get("location")!);
        const page = await (await send(pathname.slice("/auth".length) + search)).text();
        assert.equal(page.includes(expected), count > 0);
        assert.equal(page.includes('href="/auth/account"'), count > 0 && hasPage);
        // The address says a number and nothing else.
        for (const other of ["-1", "1e9", "<b>", "many"]) {
          const odd = await (await send(`/reset/done?passkeys=${other}`)).text();
          assert.equal(odd.includes("Passkeys that"), false, other);
        }
        clock.now += 1000;
        const again = await send("/signin/passwords", {
          fields: { email: "ada@example.com", password: NEW },
        });
        await settle();
        outbox.length = 0;
        await send("/account/password", {
          fields: { password: `${NEW} again` },
          cookie: everyCookie(again),
        });
        await settle();
        assert.deepEqual(outbox.map(({ kind, passkeys }) => [kind, passkeys]), [
          ["password-changed", count],
        ]);
        assert.ok(cookie);
      },
      {},
      {
        rateLimit: false,
        providers: [
          passkey({ rpName: "App", rpId: "app.example", origin: "https://app.example" }),
          ...hasPage ? [accountPage()] : [],
        ],
      },
    );
  }
});

// Tracks: A-17
Deno.test("strangers who ask for links of an account void none that its owner asked for", () =>
  withPasswords(async ({ join, askReset, send, settle, outbox, byPassword, clock }) => {
    await join("ada@example.com");
    const token = await askReset("ada@example.com");
    for (let index = 0; index < 100; index++) {
      clock.now += 10_000;
      const info = { clientAddress: `2001:db8:0:${index}::1` };
      const asked = await send("/forgot", { fields: { email: "ada@example.com" }, info });
      assert.equal(asked.status, 303);
    }
    await settle();
    assert.equal(outbox.filter(({ kind }) => kind === "reset").length, 5);
    const password = "another sentence of the owner";
    assert.equal((await send("/reset", { fields: { token, password } })).status, 303);
    assert.equal((await byPassword("ada@example.com", password)).status, 303);
  }));
