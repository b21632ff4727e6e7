import assert from "node:assert/strict";
import type { AuthOptions } from "../../app/options.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import { createUserRecord } from "../../storage/user_record.ts";
import { cookieOf, sessionLines, visit } from "../../tests/application.ts";
import { createMailApplication, linkPath, withMail } from "../../tests/mail_application.ts";
import { KEPT_MAILS } from "./pending.ts";
import { getUser } from "../../session/operations.ts";
import { jwtSessions } from "../../app/jwt_sessions.ts";

const JSON_ACCEPT = { accept: "application/json" };

Deno.test("the page behind a link asks, and its button signs a new user in", () =>
  withMail(async (application) => {
    const { ask, confirm, outbox, send, sessions } = application;
    await ask("Ada@example.com", { callbackUrl: "/dashboard?tab=1" });
    const page = await send(linkPath(outbox[0]!));
    assert.equal(page.status, 200);
    const html = await page.text();
    assert.match(html, /You opened a sign-in link for <b><bdi>Ada@example\.com<\/bdi><\/b>\./);
    assert.match(html, new RegExp(`name="token" value="${outbox[0]!.token}"`));
    assert.equal(sessions(), 0);
    const response = await confirm();
    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), "https://app.example/dashboard?tab=1");
    const user = await (await visit(application, () => Response.json(getUser()), {
      cookie: cookieOf(response),
    })).json();
    assert.equal(user.email, "Ada@example.com");
    assert.ok(user.emailVerified);
    assert.notEqual(user.id, user.email);
  }));

Deno.test("the next sign-in by email is the same user's", () =>
  withMail(async ({ ask, confirm }) => {
    const ids = [];
    for (const address of ["ada@example.com", "ADA@EXAMPLE.COM"]) {
      await ask(address);
      ids.push((await (await confirm({ headers: JSON_ACCEPT })).json()).user.id);
    }
    assert.equal(ids[0], ids[1]);
  }));

Deno.test("a new user is led to pages.newUser, a known one is not", () =>
  withMail(
    async ({ ask, confirm }) => {
      await ask("ada@example.com");
      assert.equal((await confirm()).headers.get("location"), "https://app.example/welcome");
      await ask("ada@example.com");
      assert.equal((await confirm()).headers.get("location"), "https://app.example/");
    },
    {},
    { pages: { newUser: "/welcome" } },
  ));

// Tracks: R017, GHSA-hc7v-rggr-4hvx, BA #9572, BA #10000, F01, K5
Deno.test("of a hundred uses of one link at once, one signs in, each time", async () => {
  const storages: (() => Partial<AuthOptions>)[] = [
    () => ({}),
    () => ({ database: createMemoryStorage() }),
  ];
  for (const options of storages) {
    for (let round = 0; round < 5; round++) {
      const application = createMailApplication({}, options());
      const { ask, confirm, outbox, send, sessions } = application;
      await ask("ada@example.com");
      const path = linkPath(outbox[0]!);
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => index % 4 === 0 ? send(path) : confirm()),
      );
      const cookies = answers.flatMap(sessionLines);
      assert.equal(cookies.length, 1, `round ${round}`);
      assert.equal(answers.filter(({ status }) => status === 303).length, 1);
      if (options().database === undefined) assert.equal(sessions(), 1);
      application.close();
    }
  }
});

// Tracks: R018
Deno.test("a link holds for maxAge to the millisecond", async () => {
  for (const [offset, status] of [[-1, 303], [0, 400], [1, 400]] as const) {
    await withMail(async ({ ask, clock, confirm, outbox, send }) => {
      await ask("ada@example.com");
      assert.equal(outbox[0]!.expires.getTime(), clock.now + 600_000);
      clock.now += 600_000 + offset;
      assert.equal((await send(linkPath(outbox[0]!))).status, status === 303 ? 200 : 400);
      assert.equal((await confirm()).status, status);
    }, { maxAge: 600 });
  }
});

// Tracks: R019, CVE-2022-39263
Deno.test("a token with another address signs nobody in and stays", () =>
  withMail(async ({ ask, confirm, outbox, sessions }) => {
    await ask("ada@example.com");
    await ask("eve@example.com");
    const [ada, eve] = outbox;
    const wrong = [
      { token: eve!.token, email: "ada@example.com" },
      { token: ada!.token, email: "eve@example.com" },
      { token: "A".repeat(43), email: "ada@example.com" },
      { token: "", email: "ada@example.com" },
      { token: ada!.token, email: "" },
      { token: `${ada!.token}=`, email: "ada@example.com" },
      { token: ada!.token.slice(0, 42), email: "ada@example.com" },
    ];
    for (const fields of wrong) {
      const response = await confirm({ fields });
      assert.equal(response.status, 400, JSON.stringify(fields));
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
    assert.equal(sessions(), 0);
    assert.equal((await confirm({ mail: ada! })).status, 303);
    assert.equal((await confirm({ mail: eve! })).status, 303);
  }));

// Tracks: R023
Deno.test("neither link nor code that went to an address in other capitals opens an account that came later", async () => {
  for (const verified of [1, null]) {
    await withMail(async ({ ask, confirm, send, outbox, sessions, database }) => {
      // Where capitals make another mailbox (RFC 5321, 2.4), this is somebody else's.
      const cookie = cookieOf(await ask("DANA@example.com"));
      await ask("dana@Example.com");
      database.sqlite.prepare(
        "INSERT INTO users (id, email, email_identity, email_verified) VALUES ('dana', 'dana@example.com', 'dana@example.com', ?)",
      ).run(verified);
      const [strangers, owners] = outbox;
      const fields = { ends: "agreed" };
      const typed = { ...fields, code: strangers!.code! };
      const refused = [
        await confirm({ mail: strangers!, fields }),
        await send("/callback/email/code", { fields: typed, cookie }),
      ];
      assert.deepEqual(refused.map(({ status }) => status), [400, 400]);
      assert.equal(sessions(), 0);
      const stored = database.sqlite.prepare("SELECT email_verified FROM users").get()!;
      assert.equal(stored.email_verified, verified);
      assert.equal((await confirm({ mail: owners!, fields })).status, 303);
      assert.equal(sessions(), 1);
    }, { code: true });
  }
});

// Tracks: R023
Deno.test("nor does the link open an account in other capitals that comes while the link is taken", async () => {
  const database = createMemoryStorage();
  const secrets = groupOf(database, sentSecretGroup);
  const redeem = secrets.redeemSecret;
  secrets.redeemSecret = async (...given) => {
    const outcome = await redeem(...given);
    const owner = { id: "dana", email: "dana@example.com", emailVerified: new Date(1) };
    await database.createUser(createUserRecord(owner, 1, "test"));
    return outcome;
  };
  const { ask, confirm, close } = createMailApplication({}, { database });
  await ask("DANA@example.com");
  const refused = await confirm({ headers: JSON_ACCEPT });
  assert.equal(refused.status, 400);
  assert.equal((await refused.json()).code, "INVALID_LINK");
  assert.deepEqual(sessionLines(refused), []);
  close();
});

// Tracks: R021
Deno.test("HEAD, prefetches and mail scanners consume nothing and get no cookie", () =>
  withMail(async ({ ask, confirm, outbox, send, database }) => {
    await ask("ada@example.com");
    const path = linkPath(outbox[0]!);
    const before = JSON.stringify(database.sqlite.prepare("SELECT * FROM verifications").all());
    for (let round = 0; round < 3; round++) {
      const scans = [
        await send(path, { method: "HEAD" }),
        await send(path, { headers: { "sec-purpose": "prefetch", "purpose": "prefetch" } }),
        await send(path, { headers: { "user-agent": "MailScanner", "accept": "*/*" } }),
        await send(path, { headers: JSON_ACCEPT }),
      ];
      for (const scan of scans) {
        assert.equal(scan.status, 200);
        assert.deepEqual(scan.headers.getSetCookie(), []);
        assert.equal(scan.headers.get("cache-control"), "no-store");
      }
      assert.equal(await scans[0]!.text(), "");
    }
    const after = JSON.stringify(database.sqlite.prepare("SELECT * FROM verifications").all());
    assert.equal(after, before);
    assert.equal((await confirm()).status, 303);
  }));

// Tracks: R025
Deno.test("the page behind a link tells nobody its address, and the next address has no token", () =>
  withMail(async ({ ask, confirm, outbox, send }) => {
    await ask("ada@example.com");
    const page = await send(linkPath(outbox[0]!));
    assert.equal(page.headers.get("cache-control"), "no-store");
    assert.equal(page.headers.get("referrer-policy"), "same-origin");
    const csp = page.headers.get("content-security-policy")!;
    assert.match(csp, /default-src 'none'; .*form-action 'self'; base-uri 'none'/);
    assert.equal(/<(?:a|img|link|script)\b/.test(await page.text()), false);
    const response = await confirm();
    assert.equal(response.headers.get("referrer-policy"), "no-referrer");
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.equal(response.headers.get("location"), "https://app.example/");
  }));

// Tracks: R026
Deno.test("a link in another browser asks first, or with sameBrowser does not hold there", async () => {
  await withMail(async ({ ask, confirm, outbox, send }) => {
    const cookie = cookieOf(await ask("ada@example.com"));
    const path = linkPath(outbox[0]!);
    const warning = /This link was not requested in this browser/;
    assert.equal(warning.test(await (await send(path, { cookie })).text()), false);
    assert.match(await (await send(path)).text(), warning);
    assert.equal((await confirm()).status, 303);
  });
  await withMail(async ({ ask, confirm, outbox, send }) => {
    const first = cookieOf(await ask("ada@example.com"));
    const both = cookieOf(await ask("ada@example.com", { cookie: first }));
    const other = cookieOf(await ask("ada@example.com"));
    const path = linkPath(outbox[0]!);
    for (const cookie of [undefined, other, "__Host-framework.email=planted"]) {
      const sent = cookie === undefined ? {} : { cookie };
      const page = await send(path, sent);
      assert.equal(page.status, 400);
      assert.match(await page.text(), /in the browser in which you asked for it/);
      const json = await confirm({ mail: outbox[0]!, headers: JSON_ACCEPT, ...sent });
      assert.equal((await json.json()).code, "OTHER_BROWSER");
    }
    assert.equal((await send(path, { cookie: both })).status, 200, "the first of two holds too");
    assert.equal((await confirm({ mail: outbox[0]!, cookie: both })).status, 303);
  }, { sameBrowser: true });
});

Deno.test("a used link ends the others of its address, and a second use is reported", () =>
  withMail(async ({ ask, confirm, outbox, log }) => {
    await ask("ada@example.com");
    await ask("ada@example.com");
    assert.equal((await confirm({ mail: outbox[0]! })).status, 303);
    assert.equal((await confirm({ mail: outbox[1]! })).status, 400);
    assert.equal(log.some(({ event }) => event === "replay-detected"), false);
    assert.equal((await confirm({ mail: outbox[0]! })).status, 400);
    assert.equal(log.some(({ event }) => event === "replay-detected"), true);
  }));

// Tracks: F19
Deno.test("a row that cannot be read is no link and no code", async () => {
  for (const payload of [null, "", "{", "null", "5", "[]", "{}", '{"address":5}']) {
    await withMail(async ({ ask, confirm, database, outbox, send, typeCode }) => {
      const cookie = cookieOf(await ask("ada@example.com"));
      database.sqlite.prepare("UPDATE verifications SET payload = ?").run(payload);
      assert.equal((await send(linkPath(outbox[0]!))).status, 400);
      assert.equal((await confirm()).status, 400);
      assert.equal((await typeCode(outbox[0]!.code!, cookie)).status, 400);
    }, { code: true });
  }
});

// Tracks: F35, R020
Deno.test("emails that nobody uses are few, and are swept when they have ended", () =>
  withMail(
    async ({ ask, auth, clock, database }) => {
      function rows(): unknown {
        return database.sqlite.prepare("SELECT count(*) AS n FROM verifications").get()!.n;
      }
      for (let round = 0; round < 40; round++) {
        for (const name of ["ada", "eve"]) await ask(`${name}@example.com`);
        clock.now += 1000;
      }
      assert.equal(rows(), 4 * KEPT_MAILS, "links and codes of both addresses");
      clock.now += 86_400_000;
      await auth.storage({}).sweep(clock.now, 500);
      assert.equal(rows(), 0);
    },
    { code: true },
    { rateLimit: false },
  ));

// Tracks: R029
Deno.test("whoever registered an address without proving it is out when its owner comes", () =>
  withMail(async (application) => {
    const { ask, confirm, signIn, database, log } = application;
    const attacker = await signIn("ada");
    database.sqlite.exec(
      "UPDATE users SET email = 'victim@example.com', email_identity = 'victim@example.com' WHERE id = 'ada'",
    );
    async function whoIs(cookie: string): Promise<string> {
      const page = await visit(application, () => new Response(getUser()?.id ?? "nobody"), {
        cookie,
      });
      return await page.text();
    }
    assert.equal(await whoIs(attacker), "ada");
    database.sqlite.exec(
      `INSERT INTO accounts (provider, provider_account_id, user_id, type, created_at, updated_at)
       VALUES ('github', '1', 'ada', 'oauth', 1, 1)`,
    );
    await ask("victim@example.com");
    const victim = await confirm();
    assert.equal(victim.status, 303);
    assert.equal(await whoIs(cookieOf(victim)), "ada", "the account is the owner's of the address");
    assert.equal(await whoIs(attacker), "nobody", "the attacker's session is gone");
    assert.equal(await whoIs(await signIn("ada")), "nobody", "and so is the attacker's password");
    assert.equal(await whoIs(cookieOf(victim)), "ada");
    assert.equal(log.filter(({ event }) => event === "email-verified").length, 1);
    assert.equal(database.sqlite.prepare("SELECT count(*) AS n FROM accounts").get()!.n, 0);
    const { email_verified } = database.sqlite.prepare("SELECT email_verified FROM users").get()!;
    assert.ok(email_verified);
  }));

Deno.test("a proved user keeps password and sessions at the next sign-in by email", () =>
  withMail(async (application) => {
    const { ask, confirm, signIn, database } = application;
    const cookie = await signIn("ada");
    database.sqlite.exec(
      "UPDATE users SET email = 'a@b.example', email_identity = 'a@b.example', email_verified = 1",
    );
    await ask("a@b.example");
    assert.equal((await confirm()).status, 303);
    for (const held of [cookie, await signIn("ada")]) {
      const page = await visit(application, () => new Response(getUser()?.id), { cookie: held });
      assert.equal(await page.text(), "ada");
    }
  }));

Deno.test("a disabled user is told so, and nobody new is made", () =>
  withMail(async ({ ask, confirm, signIn, database, sessions }) => {
    await signIn("ada");
    database.sqlite.exec(
      "UPDATE users SET email = 'a@b.example', email_identity = 'a@b.example', disabled_at = 1; DELETE FROM sessions",
    );
    assert.equal((await ask("a@b.example")).status, 303);
    const response = await confirm();
    assert.equal(response.status, 403);
    assert.match(await response.text(), /This account cannot sign in/);
    assert.equal(sessions(), 0);
    assert.equal(database.sqlite.prepare("SELECT count(*) AS n FROM users").get()!.n, 1);
  }));

// Tracks: PF-w07
Deno.test("the signIn callback decides again when the link is used", () => {
  const asked: unknown[] = [];
  return withMail(
    async ({ ask, confirm, sessions, database }) => {
      await ask("ada@example.com");
      const response = await confirm();
      assert.equal(response.status, 403);
      assert.match(await response.text(), /You are not allowed to sign in/);
      assert.equal(sessions(), 0);
      assert.equal(database.sqlite.prepare("SELECT count(*) AS n FROM users").get()!.n, 0);
      assert.deepEqual(asked, [true, false]);
    },
    {},
    {
      callbacks: {
        signIn({ email, user, account }) {
          asked.push(email?.verificationRequest ?? false);
          assert.equal(user.email, "ada@example.com");
          assert.deepEqual(account, {
            provider: "email",
            providerAccountId: "ada@example.com",
            type: "email",
          });
          return email?.verificationRequest === true;
        },
      },
    },
  );
});

// Tracks: R072
Deno.test("another site's page cannot use a link in a visitor's browser", () =>
  withMail(async ({ ask, confirm, sessions }) => {
    await ask("eve@example.com");
    const response = await confirm({ headers: { origin: "https://evil.example" } });
    assert.equal(response.status, 403);
    assert.equal(sessions(), 0);
  }));

Deno.test("a callbackUrl elsewhere is dropped when the email is asked for", () =>
  withMail(async ({ ask, confirm, database }) => {
    await ask("ada@example.com", { callbackUrl: "https://evil.example/" });
    const { payload } = database.sqlite.prepare("SELECT payload FROM verifications").get()!;
    assert.equal(JSON.parse(payload as string).callbackUrl, null);
    assert.equal((await confirm()).headers.get("location"), "https://app.example/");
  }));

const TOKENS = {
  session: { strategy: jwtSessions },
  secret: "a secret of the test, of 32 bytes or more",
} as const;

// Tracks: R029
Deno.test("with sessions in tokens a link signs in, but not where somebody's tokens could not be ended", () =>
  withMail(
    async (application) => {
      const { ask, confirm, signIn, database } = application;
      await ask("ada@example.com");
      const cookie = cookieOf(await confirm());
      const page = await visit(application, () => new Response(getUser()?.email), { cookie });
      assert.equal(await page.text(), "ada@example.com");
      await signIn("eve");
      database.sqlite.exec(
        "UPDATE users SET email = 'v@b.example', email_identity = 'v@b.example' WHERE id = 'eve'",
      );
      await ask("v@b.example");
      const refused = await confirm({ headers: JSON_ACCEPT });
      assert.equal((await refused.json()).code, "ACCOUNT_NOT_LINKED");
      assert.deepEqual(refused.headers.getSetCookie(), []);
    },
    {},
    TOKENS,
  ));
