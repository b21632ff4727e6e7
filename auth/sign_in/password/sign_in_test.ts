import assert from "node:assert/strict";
import { stranger } from "../../tests/guess_race.ts";
import { userAt } from "../../tests/during.ts";
import {
  cheapHasher,
  everyCookie,
  PASSWORD,
  withPasswords,
} from "../../tests/password_application.ts";
import { email } from "../email/provider.ts";

/** Everything that a client can compare. */
async function outcome(response: Response, address: string): Promise<unknown> {
  const text = (await response.text()).replaceAll(address, "ADDRESS");
  return [response.status, [...response.headers], text];
}

// Tracks: R164
Deno.test("POST /signin asks for the password of any address, and looks nobody up", () =>
  withPasswords(async ({ send, join, database }) => {
    await join("known@example.com");
    const pages = [];
    for (const address of ["known@example.com", "nobody@example.com"]) {
      const trips = database.trips;
      const response = await send("/signin", { fields: { email: address, callbackUrl: "/next" } });
      assert.equal(database.trips, trips);
      pages.push(await outcome(response, address));
    }
    assert.deepEqual(pages[0], pages[1]);
    const [status, , page] = pages[0] as [number, unknown, string];
    assert.equal(status, 200);
    assert.match(page, /Enter your password/);
    assert.match(page, /action="\/auth\/signin\/passwords"/);
    assert.match(page, /value="https:\/\/app\.example\/next"/);
    assert.match(page, /href="\/auth\/forgot\?callbackUrl=/);
    assert.equal(page.includes("Sign in by email"), false);
    const json = await send("/signin", {
      json: { email: "nobody@example.com" },
      headers: { accept: "application/json" },
    });
    assert.deepEqual(await json.json(), { next: "password" });
    const wrong = await send("/signin", { fields: { email: "no address" } });
    assert.equal(wrong.status, 400);
    const evil = await send("/signin", {
      fields: { email: "ada@example.com", callbackUrl: "https://evil.example/" },
    });
    assert.equal((await evil.text()).includes("evil.example"), false);
  }));

Deno.test("beside sign-in by mail the page of the password offers a link", () =>
  withPasswords(
    async ({ send }) => {
      const page = await (await send("/signin", { fields: { email: "ada@example.com" } })).text();
      assert.match(page, /Sign in by email instead/);
      assert.match(page, /action="\/auth\/signin\/email"/);
    },
    {},
    {
      providers: [
        email({ from: "a@app.example", sendVerificationRequest: () => Promise.resolve() }),
      ],
    },
  ));

Deno.test("POST /signin/passwords signs in with the right password, whoever writes the address how", () =>
  withPasswords(async ({ join, byPassword, auth, rows, send, told, settle }) => {
    await join("ada@example.com");
    const id = rows("users")[0]!.id;
    told.length = 0;
    const response = await byPassword(" ADA@Example.com", PASSWORD);
    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), "https://app.example/");
    assert.equal(await userAt({ auth }, everyCookie(response)), id);
    const json = await send("/signin/passwords", {
      json: { email: "ada@example.com", password: PASSWORD, callbackUrl: "/next" },
      headers: { accept: "application/json" },
    });
    const { user, redirectTo } = await json.json();
    assert.deepEqual([user.id, redirectTo], [id, "https://app.example/next"]);
    await settle();
    assert.deepEqual(told.map(({ type }) => type), ["sign-in", "sign-in"]);
    const page = await (await send("/signin/passwords", { fields: { email: "ada@example.com" } }))
      .text();
    assert.match(page, /Enter your password/);
  }));

// Tracks: R012, R164
Deno.test("wrong, unknown, without a password, disabled and ended: one answer after the same work", () =>
  withPasswords(async ({ join, byPassword, database, work, clock, told, settle }) => {
    for (const name of ["known", "disabled", "ended", "bare"]) await join(`${name}@example.com`);
    const { sqlite } = database;
    sqlite.exec("UPDATE users SET disabled_at = 1 WHERE email = 'disabled@example.com'");
    sqlite.exec(
      "UPDATE users SET credentials_after = 8640000000000000 WHERE email = 'ended@example.com'",
    );
    sqlite.exec(
      "DELETE FROM password_hashes WHERE user_id = (SELECT id FROM users WHERE email = 'bare@example.com')",
    );
    clock.now += 1000;
    // The first one reads the key of the tables too, by which events name accounts.
    await byPassword("first@example.com", PASSWORD);
    await settle();
    told.length = 0;
    const done: [unknown, number, number][] = [];
    for (
      const [name, password] of [
        ["known", "a wrong password here"],
        ["nobody", PASSWORD],
        ["bare", PASSWORD],
        ["disabled", PASSWORD],
        ["ended", PASSWORD],
      ]
    ) {
      const [trips, checks] = [database.trips, work.checks];
      const answer = await outcome(
        await byPassword(`${name}@example.com`, password!),
        `${name}@example.com`,
      );
      done.push([answer, database.trips - trips, work.checks - checks]);
    }
    for (const one of done) assert.deepEqual(one, done[0]);
    const [status, , page] = done[0]![0] as [number, unknown, string];
    assert.equal(status, 401);
    assert.match(page, /That email or password is wrong/);
    assert.equal(done[0]![2], 1, "one check each");
    await settle();
    const codes = told.map((event) => (event as { code?: string }).code);
    assert.deepEqual(codes, [
      ...Array(3).fill("INVALID_CREDENTIALS"),
      ...Array(2).fill("USER_UNAVAILABLE"),
    ]);
    assert.ok(told.every((event) => (event as { account?: string }).account?.length === 43));
  }));

// Tracks: R165
Deno.test("a sign-in whose check began before the password changed makes no session", async () => {
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const own = cheapHasher();
  let slow = false;
  const hasher = {
    hash: own.hash,
    async verify(password: string, hash: string | null | undefined) {
      const right = await own.verify(password, hash);
      if (slow) {
        slow = false;
        entered.resolve();
        await gate.promise;
      }
      return right;
    },
  };
  await withPasswords(async ({ join, byPassword, askReset, send, rows, clock }) => {
    await join("ada@example.com");
    const token = await askReset("ada@example.com");
    slow = true;
    const checked = byPassword("ada@example.com", PASSWORD);
    await entered.promise;
    clock.now += 5;
    const fields = { token, password: "another sentence of mine" };
    assert.equal((await send("/reset", { fields })).status, 303);
    gate.resolve();
    assert.equal((await checked).status, 401);
    assert.deepEqual(rows("sessions"), []);
  }, { hasher });
});

// Tracks: R011
Deno.test("a hash of another library is checked by verifyLegacy, and replaced once, also by twenty sign-ins at once", () =>
  withPasswords(
    async ({ byPassword, database, rows, settle }) => {
      database.sqlite.exec(`
        INSERT INTO users (id, email, email_identity, email_verified)
          VALUES ('ada', 'ada@example.com', 'ada@example.com', 1);
        INSERT INTO password_hashes VALUES ('ada', 'legacy:pin', 1);
      `);
      assert.equal((await byPassword("ada@example.com", "wrong")).status, 401);
      await settle();
      assert.equal(rows("password_hashes")[0]!.hash, "legacy:pin");
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => byPassword("ada@example.com", "pin")),
      );
      assert.ok(answers.every(({ status }) => status === 303));
      await settle();
      const [{ hash }] = rows("password_hashes") as [{ hash: string }];
      assert.match(hash, /^\$scrypt\$/);
      assert.equal((await byPassword("ada@example.com", "pin")).status, 303);
      await settle();
      assert.equal(rows("password_hashes")[0]!.hash, hash);
      assert.equal(rows("sessions").length, 21);
    },
    { verifyLegacy: (password, hash) => hash === `legacy:${password}` },
    { rateLimit: false },
  ));

// Tracks: R028
Deno.test("an account whose hash verifyLegacy throws for is answered like no account, and logged with its id", () => {
  const lines: [string, Record<string, unknown>][] = [];
  const ignore = () => {};
  const logger = {
    info: ignore,
    warn: ignore,
    error: (event: string, fields: Record<string, unknown>) => lines.push([event, fields]),
  };
  return withPasswords(
    async ({ byPassword, database }) => {
      database.sqlite.exec(`
        INSERT INTO users (id, email, email_identity, email_verified)
          VALUES ('ada', 'ada@example.com', 'ada@example.com', 1);
        INSERT INTO password_hashes VALUES ('ada', '$2b$10$bcrypt', 1);
      `);
      const answers = [];
      for (const name of ["ada", "nobody"]) {
        const answer = await byPassword(`${name}@example.com`, "a password");
        answers.push([answer.status, (await answer.text()).replaceAll(name, "…")]);
      }
      assert.equal(answers[0]![0], 401);
      assert.deepEqual(answers[0], answers[1]);
      const [[event, { userId, requestId }]] = lines as [[string, Record<string, unknown>]];
      assert.deepEqual([event, userId, lines.length], ["verify-legacy-failed", "ada", 1]);
      assert.equal(typeof requestId, "string");
    },
    {
      verifyLegacy() {
        throw new Error("The hash is none of argon2");
      },
    },
    { logger },
  );
});

// Tracks: R028, R168
Deno.test("guesses are limited before anything is hashed, whatever is typed between them", () =>
  withPasswords(async ({ join, byPassword, send, work }) => {
    await join("ada@example.com");
    const { checks } = work;
    const statuses = [];
    for (let guess = 0; guess < 8; guess++) {
      statuses.push((await byPassword("ada@example.com", `a wrong password ${guess}`)).status);
    }
    assert.deepEqual(statuses, [...Array(5).fill(401), ...Array(3).fill(429)]);
    assert.equal(work.checks - checks, 5);
    const limited = await byPassword("ada@example.com", PASSWORD);
    assert.ok(Number(limited.headers.get("retry-after")) > 0);
    const json = await send("/signin/passwords", {
      json: { email: "ada@example.com", password: PASSWORD },
      headers: { accept: "application/json" },
    });
    assert.deepEqual([json.status, (await json.json()).code], [429, "RATE_LIMITED"]);
    const elsewhere = { clientAddress: "198.51.100.7" };
    const fields = { email: "ada@example.com", password: PASSWORD };
    assert.equal((await send("/signin/passwords", { fields, info: elsewhere })).status, 303);
  }));

Deno.test("a page of the application's own is where a wrong password leads", () =>
  withPasswords(
    async ({ join, send }) => {
      await join("ada@example.com");
      const shown: string[] = [];
      const renderPage = (url: URL, status: number) => {
        shown.push(`${status} ${url.pathname}${url.search}`);
        return Promise.resolve(new Response("own page"));
      };
      const fields = { email: "ada@example.com", password: "a wrong password here" };
      const response = await send("/signin/passwords", {
        fields,
        info: { clientAddress: "192.0.2.1", renderPage },
      });
      assert.deepEqual([response.status, await response.text()], [401, "own page"]);
      assert.deepEqual(shown, ["401 /login?email=ada%40example.com&error=INVALID_CREDENTIALS"]);
    },
    {},
    { pages: { signIn: "/login" } },
  ));

Deno.test("with no tries left the page says when the next one is, and offers every other way", async () => {
  const mail = email({ from: "a@app.example", sendVerificationRequest: () => Promise.resolve() });
  for (const providers of [[], [mail]]) {
    await withPasswords(
      async ({ join, send, clock }) => {
        await join("ada@example.com");
        let last: Response | undefined;
        for (let guess = 0; guess < 6; guess++) {
          last = await send("/signin/passwords", {
            fields: { email: "ada@example.com", password: "wrong", callbackUrl: "/inside" },
          });
        }
        assert.equal(last!.status, 429);
        const seconds = Number(last!.headers.get("retry-after"));
        const at = new Date(clock.now + seconds * 1000).toLocaleTimeString("en", {
          timeStyle: "short",
          timeZone: "UTC",
        });
        const page = await last!.text();
        assert.match(page, /<h1>Too many tries<\/h1>/);
        assert.match(
          page,
          new RegExp(
            `in <b>${Math.ceil(seconds / 60)} minutes</b>, at ${at.replace(/\s/g, "\\s")} UTC`,
          ),
        );
        const callback = "callbackUrl=https%3A%2F%2Fapp.example%2Finside";
        assert.ok(page.includes(`href="/auth/signin?${callback}"`));
        assert.ok(page.includes(`href="/auth/forgot?${callback}"`));
        assert.equal(page.includes('action="/auth/signin/email"'), providers.length > 0);
        assert.equal(page.includes('name="email" value="ada@example.com"'), providers.length > 0);
      },
      {},
      { providers },
    );
  }
});

Deno.test("an account at which strangers guess tells its owner when, and what works at once", () =>
  withPasswords(async ({ send }) => {
    let last: Response | undefined;
    for (let index = 0; index < 101; index++) {
      last = await send("/signin/passwords", {
        fields: { email: "ada@example.com", password: "wrong" },
        info: { clientAddress: stranger(index) },
        headers: { accept: index < 100 ? "application/json" : "text/html" },
      });
    }
    const page = await last!.text();
    assert.match(page, /Set a new password\. You can try again in <b>\d+ hours<\/b>/);
    assert.match(page, /href="\/auth\/forgot"/);
  }));
