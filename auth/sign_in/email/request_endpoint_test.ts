import assert from "node:assert/strict";
import type { SignInParams } from "../../types/callbacks.ts";
import type { AuthEvent } from "../../types/events.ts";
import { linkPath, withMail } from "../../tests/mail_application.ts";
import { type EmailConfig, KEPT_MAILS } from "./pending.ts";

/** Everything that a client can compare: all but the secret in the cookie. */
async function outcome(response: Response): Promise<unknown> {
  const headers = [...response.headers].map((
    [name, value],
  ) => [name, value.replace(/framework\.email(-to)?=[^;]+/, "framework.email$1=…")]);
  return [response.status, headers, await response.text()];
}

Deno.test("POST /signin/email sends a link to the address and waits on a page", () =>
  withMail(async ({ ask, outbox, send, clock }) => {
    const response = await ask("Ada@Bücher.example", { callbackUrl: "/dashboard" });
    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), "https://app.example/auth/verify-request");
    assert.equal(response.headers.get("cache-control"), "no-store");
    const [mail] = outbox;
    assert.equal(mail!.identifier, "Ada@xn--bcher-kva.example");
    assert.equal(mail!.expires.getTime(), clock.now + 86_400_000);
    assert.equal(mail!.code, undefined);
    const url = new URL(mail!.url);
    assert.equal(url.origin + url.pathname, "https://app.example/auth/callback/email");
    assert.deepEqual([...url.searchParams.keys()], ["token", "email"]);
    assert.equal(url.searchParams.get("token"), mail!.token);
    assert.match(mail!.token, /^[\w-]{43}$/);
    const page = await send("/verify-request");
    assert.equal(page.status, 200);
    assert.equal((await page.text()).includes("<form"), false, "no form without codes");
  }));

// Tracks: R016, K1
Deno.test("the database holds nothing that a link or a code can be made from", () =>
  withMail(async ({ ask, outbox, database }) => {
    const response = await ask("ada@example.com");
    const cookie = /framework\.email=([\w-]+)/.exec(response.headers.get("set-cookie")!)![1]!;
    const rows = JSON.stringify(database.sqlite.prepare("SELECT * FROM verifications").all());
    const { token, code } = outbox[0]!;
    for (const secret of [token, code!, cookie]) {
      for (let start = 0; start + 6 <= secret.length; start += 6) {
        assert.equal(rows.includes(secret.slice(start, start + 6)), false, secret);
      }
    }
  }, { code: true }));

// Tracks: R022
Deno.test("known, unknown, unproved, disabled and refused addresses get one answer", () => {
  const asked: SignInParams[] = [];
  return withMail(
    async ({ ask, outbox, database }) => {
      const insert = database.sqlite.prepare(
        "INSERT INTO users (id, email, email_identity, email_verified, disabled_at) VALUES (?, ?, ?, ?, ?)",
      );
      for (
        const [name, verified, disabled] of [["known", 1, null], ["new", null, null], [
          "gone",
          1,
          1,
        ]]
      ) {
        insert.run(name!, `${name}@example.com`, `${name}@example.com`, verified!, disabled!);
      }
      // The first request reads the version of the tables too.
      await ask("first@example.com");
      outbox.length = 0;
      asked.length = 0;
      const answers = [];
      const trips = [];
      for (const name of ["known", "new", "gone", "nobody", "denied"]) {
        const before = database.trips;
        answers.push(await outcome(await ask(`${name}@example.com`)));
        trips.push(database.trips - before);
      }
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      assert.deepEqual(
        new Set(trips.slice(0, 4)).size,
        1,
        "the same work for whoever gets an email",
      );
      assert.deepEqual(outbox.map(({ identifier }) => identifier.split("@")[0]), [
        "known",
        "new",
        "gone",
        "nobody",
      ]);
      assert.deepEqual(
        asked.map(({ email }) => email),
        asked.map(() => ({ verificationRequest: true })),
      );
      assert.equal(asked[0]!.user.id, "known");
      const { users } = database.sqlite.prepare("SELECT count(*) AS users FROM users").get()!;
      assert.equal(users, 3, "asking makes nobody");
    },
    {},
    {
      callbacks: {
        signIn(params) {
          asked.push(params);
          return params.user.email !== "denied@example.com";
        },
      },
    },
  );
});

// Tracks: R022, R023
Deno.test("an email about an account goes to the address as the account has it, and the answer does not tell", () =>
  withMail(async ({ ask, confirm, outbox, database }) => {
    database.sqlite.exec(
      "INSERT INTO users (id, email, email_identity, email_verified) VALUES ('dana', 'dana@Example.com', 'dana@example.com', 1)",
    );
    await ask("first@example.com");
    const answers = [];
    const trips = [];
    for (const typed of ["DANA@example.com", "EVE@example.com"]) {
      const before = database.trips;
      answers.push(await outcome(await ask(typed)));
      trips.push(database.trips - before);
    }
    assert.deepEqual(answers[0], answers[1]);
    assert.equal(trips[0], trips[1]);
    // Where capitals make another mailbox (RFC 5321, 2.4), the typed one is another person's.
    const [, known, unknown] = outbox;
    assert.deepEqual([known!.identifier, unknown!.identifier], [
      "dana@example.com",
      "EVE@example.com",
    ]);
    assert.equal(new URL(known!.url).searchParams.get("email"), "dana@example.com");
    assert.equal((await confirm({ mail: known! })).status, 303);
    const { user_id } = database.sqlite.prepare("SELECT user_id FROM sessions").get()!;
    assert.equal(user_id, "dana");
  }, { code: true }));

Deno.test("the signIn callback may send a visitor elsewhere instead of an email", () =>
  withMail(
    async ({ ask, outbox }) => {
      const response = await ask("ada@example.com");
      assert.equal(response.headers.get("location"), "https://app.example/waiting-list");
      assert.equal(outbox.length, 0);
    },
    {},
    { callbacks: { signIn: () => "/waiting-list" } },
  ));

// Tracks: R023, GHSA-7rqj-j65f-68wh, GHSA-5jpx-9hw9-2fx4, CVE-2022-35924, CVE-2022-31127
Deno.test("an address that mailers read in two ways is refused before anything is stored", () =>
  withMail(async ({ ask, outbox, database }) => {
    const hostile = [
      "",
      "ada",
      "ada@evil.example,ada@example.com",
      "ada@example.com;eve@evil.example",
      '"ada@evil.example"@example.com',
      "ada@example.com\r\nBcc: eve@evil.example",
      "ada\u0000@example.com",
      "<eve@evil.example>@example.com",
      "ada@evil.example\uff20example.com",
      "ada@evil.example\ufe6bexample.com",
      "ada@example.com (comment)",
      "ada@[127.0.0.1]",
      "a".repeat(250) + "@example.com",
      "<script>alert(1)</script>@example.com",
    ];
    for (const address of hostile) {
      const page = await ask(address);
      assert.equal(page.status, 400, address);
      const html = await page.text();
      assert.equal(html.includes("<script>alert"), false);
      assert.match(html, /Enter a whole email address/);
      const json = await ask(address, { headers: { accept: "application/json" } });
      assert.deepEqual([json.status, (await json.json()).code], [400, "INVALID_EMAIL"], address);
    }
    assert.equal(outbox.length, 0);
    const { n } = database.sqlite.prepare("SELECT count(*) AS n FROM verifications").get()!;
    assert.equal(n, 0);
    await ask("ada\uff20example.com");
    assert.equal(outbox[0]!.identifier, "ada@example.com");
  }));

// Tracks: R024, CVE-2025-64101, BA #9990
Deno.test("a link leads to the configured origin, whatever host the request names", async () => {
  await withMail(async ({ auth, outbox }) => {
    const request = new Request("https://evil.example/auth/signin/email", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-forwarded-host": "evil.example",
        "forwarded": "host=evil.example",
      },
      body: '{"email":"ada@example.com"}',
    });
    await auth.handle(request, {}, { clientAddress: "192.0.2.1" });
    assert.equal(new URL(outbox[0]!.url).origin, "https://app.example");
  });
});

// Tracks: R020, R168
Deno.test("of the links for one address the newest twenty hold, so that strangers who ask for some end none that its owner asked for", () =>
  withMail(async ({ ask, outbox, send, clock }) => {
    for (let n = 0; n < KEPT_MAILS + 2; n++, clock.now += 720_001) await ask("ada@example.com");
    assert.equal(outbox.length, 22);
    const statuses = [];
    for (const mail of outbox) statuses.push((await send(linkPath(mail))).status);
    assert.deepEqual(statuses, [400, 400, ...Array.from({ length: 20 }, () => 200)]);
  }));

/** An answer without the secret that each browser gets. */
async function described(response: Response): Promise<string> {
  const headers = [...response.headers].map(([name, value]) => [
    name,
    name === "set-cookie" ? value.replace(/=[\w-]{43}/, "=…") : value,
  ]);
  return JSON.stringify([response.status, headers, await response.text()]);
}

// Tracks: R028, R164, A-09
Deno.test("one address gets five emails an hour, also when a hundred are asked for at once, and nobody is told", () =>
  withMail(async ({ ask, outbox, clock, send }) => {
    const json = { email: "ada@example.com" };
    const answers = await Promise.all(
      Array.from(
        { length: 100 },
        (_, index) => send("/signin/email", { json, info: { clientAddress: `192.0.2.${index}` } }),
      ),
    );
    assert.equal(outbox.length, 5);
    assert.equal(new Set(await Promise.all(answers.map(described))).size, 1, "all are alike");
    await ask("ADA@example.com");
    assert.equal(outbox.length, 5, "one mailbox, however it is written");
    await ask("eve@example.com");
    assert.equal(outbox.length, 6);
    clock.now += 3_600_001;
    await ask("ada@example.com");
    assert.equal(outbox.length, 7);
  }));

// Tracks: R028
Deno.test("one client has a hundred emails an hour at most, whomever they are for", () =>
  withMail(async ({ outbox, send }) => {
    const info = { clientAddress: "192.0.2.1" };
    await Promise.all(
      Array.from(
        { length: 110 },
        (_, index) => send("/signin/email", { json: { email: `a${index}@example.com` }, info }),
      ),
    );
    assert.equal(outbox.length, 100);
  }));

const SECRETIVE = "smtp.internal said: 550 mail to https://app.example/auth/callback?token=";

// Tracks: R027
Deno.test("a mailer that throws is a clean 503, and asking again works", async () => {
  let broken = true;
  const mails: string[] = [];
  await withMail(async ({ ask, log, confirm, outbox }) => {
    const page = await ask("ada@example.com");
    const html = await page.text();
    assert.equal(page.status, 503);
    assert.match(html, /We could not send the email/);
    assert.match(html, /value="ada@example\.com"/);
    const json = await ask("ada@example.com", { headers: { accept: "application/json" } });
    const body = await json.text();
    assert.equal(JSON.parse(body).code, "EMAIL_NOT_SENT");
    const told = html + body +
      JSON.stringify(
        log,
        (_, value) => value instanceof Error ? [value.message, value.stack, value.cause] : value,
      );
    for (const secret of mails) assert.equal(told.includes(secret), false);
    assert.match(told, /smtp\.internal said: 550 mail to .*\[redacted\] and \[code\]/);
    assert.equal((html + body).includes("smtp.internal"), false);
    broken = false;
    assert.equal((await ask("ada@example.com")).status, 303);
    assert.equal(outbox.length, 0);
    assert.equal((await confirm({ mail: last! })).status, 303);
  }, {
    code: true,
    sendVerificationRequest(params) {
      last = params;
      // The mail itself shows the code in two groups.
      mails.push(params.token, params.code!, params.code!.replace(/^.../, "$& "));
      return broken
        ? Promise.reject(
          new Error(`${SECRETIVE}${params.token} and ${params.code}: ${params.text}`),
        )
        : Promise.resolve();
    },
  });
});
let last: Parameters<EmailConfig["sendVerificationRequest"]>[0] | undefined;

// Tracks: R072
Deno.test("another site's page cannot have emails sent", () =>
  withMail(async ({ ask, outbox }) => {
    const response = await ask("ada@example.com", { headers: { origin: "https://evil.example" } });
    assert.equal(response.status, 403);
    assert.equal(outbox.length, 0);
  }));

Deno.test("the page that waits leads back to the application's own sign-in page", () =>
  withMail(
    async ({ send }) => {
      const page = await (await send("/verify-request")).text();
      assert.match(page, /<a href="\/login">ask for another one<\/a>/);
    },
    {},
    { pages: { signIn: "/login" } },
  ));

Deno.test("pages.verifyRequest takes the place of the built-in page", () =>
  withMail(
    async ({ ask, send }) => {
      const asked = await ask("ada@example.com");
      assert.equal(asked.headers.get("location"), "https://app.example/check-mail");
      const page = await send("/verify-request");
      assert.deepEqual([page.status, page.headers.get("location")], [
        302,
        "https://app.example/check-mail",
      ]);
    },
    {},
    { pages: { verifyRequest: "/check-mail" } },
  ));

Deno.test("the events of an email sign-in hold no secret", async () => {
  const events: AuthEvent[] = [];
  await withMail(
    async ({ ask, confirm, outbox, log }) => {
      await ask("ada@example.com");
      await confirm();
      await confirm();
      const types = events.map(({ type }) => type);
      assert.deepEqual(types, [
        "sign-up",
        "sign-in",
        "sign-in-failed",
        "replay-detected",
      ]);
      const told = JSON.stringify([events, log]);
      for (const secret of [outbox[0]!.token, "ada@example.com"]) {
        assert.equal(told.includes(secret), false, secret);
      }
    },
    {},
    { events: { "*": (event) => void events.push(event) } },
  );
});

/** Runs work under a clock of its own, whose timers end at once, and gives how long those were that ended. */
async function withClock(work: (clock: { now: number }) => Promise<void>): Promise<number[]> {
  const clock = { now: 0 };
  const waited: number[] = [];
  const { setTimeout } = globalThis;
  const { now } = performance;
  performance.now = () => clock.now;
  globalThis.setTimeout = ((done: () => void, milliseconds: number) => {
    return setTimeout(() => {
      waited.push(milliseconds);
      done();
    }, 0);
  }) as typeof setTimeout;
  try {
    await work(clock);
  } finally {
    performance.now = now;
    globalThis.setTimeout = setTimeout;
  }
  return waited;
}

// Tracks: R022, PF-e12
Deno.test("a refused address is answered after the time that an email takes, however it is asked", async () => {
  let clock = { now: 0 };
  let sent = 0;
  const waited = await withClock((given) => {
    clock = given;
    return withMail(
      async ({ ask }) => {
        await ask("ada@example.com");
        for (const accept of ["text/html", "application/json"]) {
          await ask("denied@example.com", { headers: { accept } });
        }
        assert.equal(sent, 1);
        // What no mailer takes is told to whoever types it, at once.
        await ask("no address");
      },
      {
        sendVerificationRequest() {
          sent++;
          clock.now += 200;
          return Promise.resolve();
        },
      },
      { callbacks: { signIn: ({ user }) => user.email !== "denied@example.com" } },
    );
  });
  assert.deepEqual(waited, [200, 200]);
});

// Tracks: R022, A-09, PF-e12
Deno.test("a mailbox that has had its emails is answered after the time that one takes, and gets none", async () => {
  let clock = { now: 0 };
  let sent = 0;
  const waited = await withClock((given) => {
    clock = given;
    return withMail(
      async ({ ask }) => {
        const answers = [];
        for (let time = 0; time < 4; time++) {
          answers.push(await outcome(await ask("ada@example.com")));
        }
        for (const answer of answers) assert.deepEqual(answer, answers[0]);
      },
      {
        sendVerificationRequest() {
          sent++;
          clock.now += 200;
          return Promise.resolve();
        },
      },
      { rateLimit: { emailVerification: { limit: 2, window: 3600 } } },
    );
  });
  assert.equal(sent, 2);
  assert.deepEqual(waited, [200, 200]);
});
