import assert from "node:assert/strict";
import { cookieOf } from "../../tests/application.ts";
import { stranger } from "../../tests/guess_race.ts";
import { withMail } from "../../tests/mail_application.ts";

const WITH_CODE = { code: true };

/** Another code than this one. */
function wrongCode(code: string, step: number = 1): string {
  return String((Number(code) + step) % 1_000_000).padStart(6, "0");
}

Deno.test("the code from an email signs in where it was asked for", () =>
  withMail(async ({ ask, outbox, send, typeCode }) => {
    const cookie = cookieOf(await ask("ada@example.com", { callbackUrl: "/dashboard" }));
    assert.match(outbox[0]!.code!, /^\d{6}$/);
    const page = await (await send("/verify-request")).text();
    assert.match(page, /action="\/auth\/callback\/email\/code"/);
    assert.match(page, /autocomplete="one-time-code"/);
    const { code } = outbox[0]!;
    const response = await typeCode(` ${code!.slice(0, 3)} ${code!.slice(3)}`, cookie);
    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), "https://app.example/dashboard");
  }, WITH_CODE));

Deno.test("without codes there is no endpoint for them", () =>
  withMail(async ({ ask, typeCode, outbox }) => {
    const cookie = cookieOf(await ask("ada@example.com"));
    assert.equal(outbox[0]!.code, undefined);
    assert.equal((await typeCode("123456", cookie)).status, 404);
  }));

// Tracks: R017, GHSA-7w99, BA #8067, BA #9993, F01, K5
Deno.test("of a hundred uses of one code at once, one signs in", async () => {
  for (let round = 0; round < 5; round++) {
    await withMail(
      async ({ ask, outbox, sessions, typeCode }) => {
        const cookie = cookieOf(await ask("ada@example.com"));
        const answers = await Promise.all(
          Array.from({ length: 100 }, () => typeCode(outbox[0]!.code!, cookie)),
        );
        assert.equal(answers.filter(({ status }) => status === 303).length, 1);
        assert.equal(sessions(), 1);
      },
      WITH_CODE,
      { rateLimit: false },
    );
  }
});

// Tracks: R019
Deno.test("a code holds in no browser but the one that asked for it", () =>
  withMail(async ({ ask, outbox, typeCode }) => {
    const own = cookieOf(await ask("ada@example.com"));
    const other = cookieOf(await ask("ada@example.com"));
    const eve = cookieOf(await ask("eve@example.com"));
    for (
      const cookie of [other, eve, "", "__Host-framework.email=planted", "__Host-framework.email="]
    ) {
      const response = await typeCode(outbox[0]!.code!, cookie);
      // One in a million: the other browser's own code.
      if (outbox.slice(1).every(({ code }) => code !== outbox[0]!.code)) {
        assert.equal(response.status, 400, cookie);
      }
    }
    assert.equal((await typeCode(outbox[0]!.code!, own)).status, 303);
  }, WITH_CODE));

// Tracks: BA #8067, BA #9993
Deno.test("a code has five attempts, which start over with no cookie and no further request", () =>
  withMail(
    async ({ ask, outbox, typeCode, sessions }) => {
      const cookie = cookieOf(await ask("ada@example.com"));
      const { code } = outbox[0]!;
      for (let step = 1; step <= 5; step++) {
        const response = await typeCode(wrongCode(code!, step), cookie);
        assert.equal(response.status, 400);
        assert.match(await response.text(), /That code doesn’t match/);
        assert.deepEqual(response.headers.getSetCookie(), []);
      }
      assert.equal((await typeCode(code!, cookie)).status, 400, "the right one comes too late");
      assert.equal(sessions(), 0);
    },
    WITH_CODE,
    { rateLimit: false },
  ));

// Tracks: BA #8067, BA #9993, K5
Deno.test("of a hundred guesses at once, five are compared", () =>
  withMail(
    async ({ ask, outbox, typeCode, database }) => {
      const cookie = cookieOf(await ask("ada@example.com"));
      const { code } = outbox[0]!;
      await Promise.all(
        Array.from({ length: 100 }, (_, step) => typeCode(wrongCode(code!, step + 1), cookie)),
      );
      const row = database.sqlite
        .prepare("SELECT attempts FROM verifications WHERE purpose = 'email-code'").get();
      assert.equal(row!.attempts, 5);
    },
    WITH_CODE,
    { rateLimit: false },
  ));

// Tracks: R028, BA #8067
Deno.test("a new email brings a new code and no new tries for the same mailbox", () =>
  withMail(async ({ ask, outbox, typeCode, clock }) => {
    let cookie = cookieOf(await ask("ada@example.com"));
    for (let step = 1; step <= 3; step++) {
      assert.equal((await typeCode(wrongCode(outbox[0]!.code!, step), cookie)).status, 400);
    }
    cookie = cookieOf(await ask("ada@example.com"));
    for (let step = 1; step <= 2; step++) {
      assert.equal((await typeCode(wrongCode(outbox[1]!.code!, step), cookie)).status, 400);
    }
    const response = await typeCode(outbox[1]!.code!, cookie);
    assert.equal(response.status, 429);
    assert.ok(Number(response.headers.get("retry-after")) > 0);
    clock.now += 900_001;
    cookie = cookieOf(await ask("ada@example.com"));
    assert.equal((await typeCode(outbox[2]!.code!, cookie)).status, 303);
  }, WITH_CODE));

// Tracks: R018
Deno.test("a code holds ten minutes, or maxAge where that is less", async () => {
  for (const [maxAge, seconds] of [[86_400, 600], [60, 60]] as const) {
    for (const [offset, status] of [[-1, 303], [0, 400]] as const) {
      await withMail(async ({ ask, outbox, typeCode, clock }) => {
        const cookie = cookieOf(await ask("ada@example.com"));
        clock.now += seconds * 1000 + offset;
        assert.equal((await typeCode(outbox[0]!.code!, cookie)).status, status);
      }, { code: true, maxAge });
    }
  }
});

Deno.test("a code and the links of its address end together", () =>
  withMail(async ({ ask, outbox, typeCode, confirm }) => {
    const cookie = cookieOf(await ask("ada@example.com"));
    assert.equal((await typeCode(outbox[0]!.code!, cookie)).status, 303);
    assert.equal((await confirm()).status, 400);
    const again = cookieOf(await ask("ada@example.com"));
    assert.equal((await confirm()).status, 303);
    assert.equal((await typeCode(outbox[1]!.code!, again)).status, 400);
  }, WITH_CODE));

Deno.test("what is no code is refused without an attempt", () =>
  withMail(async ({ ask, outbox, typeCode }) => {
    const cookie = cookieOf(await ask("ada@example.com"));
    for (const typed of ["", "12345", "1234567", "abcdef", "１２３", "12345६", "-1"]) {
      for (let n = 0; n < 6; n++) assert.equal((await typeCode(typed, cookie)).status, 400);
    }
    const fullWidth = [...outbox[0]!.code!]
      .map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join("");
    assert.equal((await typeCode(fullWidth, cookie)).status, 303);
  }, WITH_CODE));

// Tracks: R016
Deno.test("who reads the table cannot try out the codes", () =>
  withMail(async ({ ask, outbox, database, typeCode }) => {
    const cookie = cookieOf(await ask("ada@example.com"));
    const row = database.sqlite
      .prepare("SELECT hash, payload FROM verifications WHERE purpose = 'email-code'").get()!;
    const { digest, browser } = JSON.parse(row.payload as string);
    const { codeDigest } = await import("./code.ts");
    for (const known of [browser, row.hash, digest, ""] as string[]) {
      const made = await codeDigest(outbox[0]!.code!, {
        browserSecret: known,
        identity: "ada@example.com",
      });
      assert.notEqual(made, digest);
      assert.equal(
        (await typeCode(outbox[0]!.code!, `__Host-framework.email=${known}`)).status,
        400,
      );
    }
    assert.equal((await typeCode(outbox[0]!.code!, cookie)).status, 303);
  }, WITH_CODE));

/** The secret that a browser got with its request for a mail. */
function secretOf(response: Response): string {
  const cookie = cookieOf(response).split("; ").find((one) => one.includes("framework.email="))!;
  return cookie.split("=")[1]!;
}

// Tracks: R028, R148, A-09
Deno.test("the right code of one mailbox gives back no try at another one", () =>
  withMail(
    async ({ ask, outbox, typeCode }) => {
      const victims = [];
      for (let n = 0; n < 2; n++) victims.push(secretOf(await ask("victim@example.com")));
      for (let n = 0; n < 5; n++) {
        const own: string = secretOf(await ask(`eve-${n}@example.com`));
        const cookie: string = `__Host-framework.email=${[...victims, own].join(".")}`;
        assert.equal((await typeCode(outbox.at(-1)!.code!, cookie)).status, 303);
      }
      const fresh = cookieOf(await ask("victim@example.com"));
      assert.equal((await typeCode("000000", fresh)).status, 429);
    },
    WITH_CODE,
  ));

// Tracks: R168, R148, A-09, A-05
Deno.test("wrong codes for a code that is dead take nothing from the mailbox, also at once", () =>
  withMail(
    async ({ ask, outbox, send, database }) => {
      const asked = cookieOf(await ask("ada@example.com"));
      const { code } = outbox[0]!;
      const type = async (typed: string, cookie: string, clientAddress: string) =>
        (await send("/callback/email/code", {
          fields: { code: typed },
          cookie,
          info: { clientAddress },
        })).status;
      const tried = await Promise.all(
        Array.from({ length: 100 }, (_, n) => type(wrongCode(code!), asked, stranger(n >> 2))),
      );
      assert.deepEqual(tried, Array(100).fill(400));
      const counts = database.sqlite.prepare("SELECT * FROM rate_limits").all()
        .filter((row) => String(row.key).startsWith("login-code-day|"))
        .map((row) => String(row.hits).length / 18);
      assert.equal(Math.min(...counts), 5, "the tries that the code has");
      const own = cookieOf(await ask("ada@example.com"));
      assert.equal(await type(outbox[1]!.code!, own, "203.0.113.77"), 303);
    },
    WITH_CODE,
  ));

// Tracks: R164, A-17
Deno.test("a code that is dead and one that was never sent are refused alike, after as many trips", () =>
  withMail(
    async ({ ask, outbox, typeCode, database }) => {
      const cookie = cookieOf(await ask("ada@example.com"));
      const wrong = wrongCode(outbox[0]!.code!);
      const type = async (sent: string) => {
        const before = database.trips;
        const response = await typeCode(wrong, sent);
        return [response.status, await response.text(), database.trips - before];
      };
      // The first request of all asks the database for its version.
      await type(cookie);
      const living = await type(cookie);
      for (let n = 0; n < 3; n++) await type(cookie);
      assert.deepEqual(await type(cookie), living);
      const unsent = cookie.replace(/(framework\.email=)[\w-]{43}/, `$1${"A".repeat(43)}`);
      assert.deepEqual(await type(unsent), living);
    },
    WITH_CODE,
  ));

// Tracks: R164, A-17
Deno.test("an address that gets no mail has as many tries at its codes as one that gets some, and the same answers", async () => {
  const answers = await Promise.all(["ada", "denied"].map(async (name) => {
    const seen: unknown[] = [];
    await withMail(
      async ({ ask, outbox, typeCode, clock }) => {
        const codes = [];
        for (let mail = 0; mail < 3; mail++) {
          const cookie = cookieOf(await ask(`${name}@example.com`));
          codes.push(cookie);
          for (let step = 1; step <= 4; step++) {
            const response = await typeCode(
              wrongCode(outbox.at(-1)?.code ?? "000000", step),
              cookie,
            );
            seen.push(response.status, response.headers.get("retry-after"));
          }
        }
        // A code that is dead, and one that nothing was sent with: nobody comes in by what was never told.
        for (const cookie of codes) seen.push((await typeCode("000000", cookie)).status);
        clock.now += 900_001;
        assert.equal(outbox.length, name === "denied" ? 0 : 3);
      },
      WITH_CODE,
      { callbacks: { signIn: ({ user }) => user.email !== "denied@example.com" } },
    );
    return seen;
  }));
  assert.deepEqual(answers[1], answers[0]);
  assert.ok(answers[0]!.includes(429));
});

// Tracks: R164, R028
Deno.test("no code opens what was sent to nobody", () =>
  withMail(
    async ({ ask, typeCode, database, sessions }) => {
      const cookie = cookieOf(await ask("denied@example.com"));
      const { payload } = database.sqlite.prepare("SELECT payload FROM verifications").get()!;
      assert.equal(JSON.parse(String(payload)).digest, "");
      for (const code of ["000000", "", "undefined", "123456"]) {
        assert.equal((await typeCode(code, cookie)).status, 400);
      }
      assert.equal(sessions(), 0);
    },
    WITH_CODE,
    { callbacks: { signIn: ({ email }) => email?.verificationRequest !== true } },
  ));
