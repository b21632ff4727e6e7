import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { SignInParams } from "../../types/callbacks.ts";
import { userAt } from "../../tests/during.ts";
import { everyCookie, PASSWORD, tokenOf, withPasswords } from "../../tests/password_application.ts";
import { github } from "../oauth/presets/github.ts";
import { pageTheme } from "../page_theme.ts";

const DAY = 86_400_000;

/** Everything that a client can compare, which is all but the secret in the cookie. */
async function outcome(response: Response, address: string): Promise<unknown> {
  const name = address.split("@")[0]!;
  const headers = [...response.headers].map(([key, value]) => [
    key,
    value.replace(/framework\.email=[\w.-]+/, "framework.email=…").replaceAll(name, "NAME"),
  ]);
  return [response.status, headers, (await response.text()).replaceAll(name, "NAME")];
}

Deno.test("POST /signup stores a pending sign-up and sends a link; it makes no user and signs nobody in", () =>
  withPasswords(async ({ signUp, outbox, rows, auth, send, clock }) => {
    const response = await signUp("Ada@Bücher.example", { callbackUrl: "/dashboard" });
    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), "https://app.example/auth/signup/sent");
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.deepEqual(rows("users"), []);
    assert.equal(await userAt({ auth }, everyCookie(response)), null);
    const [mail] = outbox;
    assert.equal(outbox.length, 1);
    assert.deepEqual([mail!.kind, mail!.to], ["verification", "Ada@xn--bcher-kva.example"]);
    assert.equal(mail!.expires?.getTime(), clock.now + DAY);
    assert.match(mail!.url, /^https:\/\/app\.example\/auth\/signup\/confirm\?token=[\w-]{43}$/);
    for (const part of [mail!.text, mail!.html]) assert.ok(part.includes(mail!.url), part);
    const [row] = rows("pending_sign_ups");
    assert.deepEqual([row!.email, row!.name], ["Ada@Bücher.example", "Ada"]);
    const page = await (await send("/signup/sent", { cookie: everyCookie(response) })).text();
    assert.match(page, /Check your email/);
    assert.match(page, /Ada@bücher\.example/i);
    assert.match(page, /action="\/auth\/signup\/resend"/);
  }));

Deno.test("the form offers the other sites, keeps the destination, and leads back", () =>
  withPasswords(
    async ({ send }) => {
      const start = await (await send("/signin?callbackUrl=%2Fnext")).text();
      const link = "/auth/signup?callbackUrl=https%3A%2F%2Fapp.example%2Fnext";
      assert.ok(start.includes(`href="${link}"`), start);
      const response = await send(link.slice("/auth".length));
      const page = await response.text();
      assert.match(page, /formaction="\/auth\/signin\/github"/);
      assert.match(page, /name="callbackUrl" value="https:\/\/app\.example\/next"/);
      assert.match(page, /href="https:\/\/app\.example\/auth\/signin\?callbackUrl=/);
      assert.match(
        response.headers.get("content-security-policy")!,
        /form-action [^;]*github\.com/,
      );
    },
    {},
    { providers: [github({ clientId: "id", clientSecret: "secret" })] },
  ));

// Tracks: R016, R105, K1
Deno.test("the tables hold nothing that a link, a browser or a password can be made from", () =>
  withPasswords(async ({ signUp, outbox, rows }) => {
    const response = await signUp("ada@example.com");
    const secret = /framework\.email=([\w-]+)/.exec(response.headers.get("set-cookie")!)![1]!;
    const stored = JSON.stringify(rows("pending_sign_ups"));
    for (const known of [tokenOf(outbox[0]!), secret, PASSWORD]) {
      for (let start = 0; start + 8 <= known.length; start += 8) {
        assert.equal(stored.includes(known.slice(start, start + 8)), false, known);
      }
    }
  }));

Deno.test("the link with the button makes the user, proved, with the password, and signs in", () =>
  withPasswords(async ({ signUp, confirm, outbox, rows, auth, send, byPassword, told, settle }) => {
    const cookie = everyCookie(await signUp("ada@example.com", { callbackUrl: "/dashboard" }));
    const { pathname, search } = new URL(outbox[0]!.url);
    const path = pathname.slice("/auth".length) + search;
    // Scanners, previews and the owner's second look.
    for (const method of ["HEAD", "GET", "GET"]) {
      const page = await send(path, { method, cookie, headers: { "sec-purpose": "prefetch" } });
      assert.equal(page.status, 200);
      assert.equal(page.headers.get("cache-control"), "no-store");
    }
    assert.deepEqual(rows("users"), []);
    const page = await (await send(path, { cookie })).text();
    assert.match(page, /ada@example\.com/);
    assert.equal(page.includes('type="password"'), false, "the password was just chosen here");

    const response = await confirm({}, { cookie });
    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), "https://app.example/dashboard");
    assert.equal(response.headers.get("referrer-policy"), "no-referrer");
    const [user] = rows("users");
    assert.deepEqual([user!.email, user!.name], ["ada@example.com", "Ada"]);
    assert.notEqual(user!.email_verified, null);
    assert.equal(await userAt({ auth }, everyCookie(response)), user!.id);
    assert.deepEqual(rows("pending_sign_ups"), []);
    await settle();
    assert.deepEqual(told.map(({ type }) => type), ["sign-up", "sign-in"]);
    assert.equal((await byPassword("ada@example.com", PASSWORD)).status, 303);
    // Once.
    assert.equal((await confirm({}, { cookie, mail: outbox[0]! })).status, 400);
    assert.match(await (await send(path, { cookie })).text(), /This link no longer works/);
  }));

// Tracks: R026, R029, R162, R163
Deno.test("in another browser the link asks for the password just chosen, or for a new one", () =>
  withPasswords(async ({ signUp, confirm, outbox, rows, send, byPassword }) => {
    for (
      const [address, fields, password, name] of [
        ["chosen@example.com", { password: PASSWORD }, PASSWORD, "Ada"],
        [
          "new@example.com",
          { password: "another sentence of mine", ask: "new" },
          "another sentence of mine",
          null,
        ],
      ] as const
    ) {
      const own = everyCookie(await signUp(address));
      const mail = outbox.at(-1)!;
      const link = `/signup/confirm?token=${tokenOf(mail)}`;
      for (
        const cookie of [
          undefined,
          "__Host-framework.email=planted",
          own.replace(/=(.)/, (_, first: string) => first === "A" ? "=B" : "=A"),
        ]
      ) {
        const page = await (await send(link, cookie === undefined ? {} : { cookie })).text();
        assert.match(page, /type="password"/);
        assert.match(page, /ask=new/);
        // Whoever did not sign up may go on here, with a password of their own.
        assert.match(page, /If you did not choose the password yourself, choose a new one\./);
        assert.doesNotMatch(page, /Go on only if you asked for it/);
        const pressed = await confirm({}, cookie === undefined ? {} : { cookie });
        assert.equal(pressed.status, 401, "the button alone is not enough");
        assert.deepEqual(rows("users").filter(({ email }) => email === address), []);
      }
      assert.match(await (await send(`${link}&ask=new`)).text(), /autocomplete="new-password"/);
      const wrong = await confirm({ password: "not this one at all" });
      assert.equal(wrong.status, 401);
      assert.match(await wrong.text(), /That password is wrong/);
      const done = await confirm(fields);
      assert.equal(done.status, 303);
      const user = rows("users").find(({ email }) => email === address)!;
      assert.equal(user.name, name, "a stranger's name goes with the stranger's password");
      assert.equal((await byPassword(address, password)).status, 303);
    }
    assert.equal((await byPassword("new@example.com", PASSWORD)).status, 401);
  }));

// Tracks: R029, R162
Deno.test("a stranger who signed up with somebody's address is in nowhere after its owner came", () =>
  withPasswords(async ({ signUp, confirm, outbox, rows, auth, byPassword, send }) => {
    const theirs = "a sentence of somebody else";
    const asked = await signUp("ada@example.com", { password: theirs });
    assert.equal(asked.status, 303);
    const stranger = everyCookie(asked);
    const first = outbox[0]!;
    const owner = everyCookie(await signUp("ada@example.com"));
    const joined = await confirm({}, { cookie: owner });
    assert.equal(joined.status, 303);
    assert.equal(rows("users").length, 1);
    assert.equal((await byPassword("ada@example.com", theirs)).status, 401);
    // The stranger's own mail leads nowhere any more, in whatever browser.
    for (const cookie of [stranger, owner]) {
      assert.equal((await confirm({}, { cookie, mail: first })).status, 400);
    }
    assert.equal(await userAt({ auth }, stranger), null);
    const again = await send("/signup/resend", { fields: {}, cookie: stranger });
    assert.equal(again.headers.get("location"), "https://app.example/auth/signup/sent?sent=again");
    assert.equal(outbox.length, 2, "nothing is sent");
  }));

// Tracks: R012, R022, R164
Deno.test("known, unknown, unproved, disabled and refused addresses get one answer after the same work", () => {
  const asked: SignInParams[] = [];
  return withPasswords(
    async ({ signUp, database, outbox, work, send }) => {
      const insert = database.sqlite.prepare(
        "INSERT INTO users (id, email, email_identity, email_verified, disabled_at) VALUES (?, ?, ?, ?, ?)",
      );
      for (
        const [name, verified, disabled] of [["known", 1, null], ["half", null, null], [
          "gone",
          1,
          1,
        ]]
      ) {
        const address = `${name}@example.com`;
        insert.run(name!, address, address, verified!, disabled!);
      }
      // The first request reads the version of the tables too.
      await signUp("first@example.com");
      await signUp("twice@example.com");
      outbox.length = 0;
      asked.length = 0;
      const done: [unknown, number, number][] = [];
      const cookies = new Map<string, string>();
      for (const name of ["known", "half", "gone", "nobody", "twice", "denied"]) {
        const [trips, hashes] = [database.trips, work.hashes];
        const response = await signUp(`${name}@example.com`);
        const answer = await outcome(response, `${name}@example.com`);
        done.push([answer, database.trips - trips, work.hashes - hashes]);
        cookies.set(name, everyCookie(response));
      }
      const [[usual, trips]] = done as [[unknown, number, number]];
      for (const [answer, , hashes] of done) {
        assert.deepEqual(answer, usual);
        assert.equal(hashes, 1);
      }
      assert.deepEqual(done.slice(0, 5).map(([, one]) => one), Array(5).fill(trips));
      assert.deepEqual(outbox.map(({ kind, to }) => [kind, to.split("@")[0]]), [
        ["known-account", "known"],
        ["known-account", "half"],
        ["verification", "gone"],
        ["verification", "nobody"],
        ["verification", "twice"],
      ]);
      assert.ok(asked.every(({ email }) => email?.verificationRequest === true));
      assert.equal(asked[0]!.user.id, "known");
      for (const { kind, text } of outbox.slice(0, 2)) {
        assert.equal(kind, "known-account");
        assert.match(text, /https:\/\/app\.example\/auth\/signin/);
        assert.match(text, /https:\/\/app\.example\/auth\/forgot/);
        assert.equal(text.includes("token="), false);
      }
      outbox.length = 0;
      for (const [name, cookie] of cookies) {
        const again = await send("/signup/resend", { fields: {}, cookie });
        const answer = [again.status, again.headers.get("location"), await again.text()];
        const waiting = "https://app.example/auth/signup/sent?sent=again";
        assert.deepEqual(answer, [303, waiting, ""], name);
      }
      assert.equal(outbox.length, 5, "and no mail to whom the application refused");
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

// Tracks: F01, F08, R017
Deno.test("of a hundred uses of a link at once one makes a user and a session", async () => {
  for (let round = 0; round < 5; round++) {
    await withPasswords(
      async ({ signUp, confirm, rows }) => {
        const cookie = everyCookie(await signUp("ada@example.com"));
        const answers = await Promise.all(
          Array.from(
            { length: 100 },
            (_, index) =>
              index % 2 === 0 ? confirm({}, { cookie }) : confirm({ password: PASSWORD }),
          ),
        );
        assert.equal(answers.filter(({ status }) => status === 303).length, 1);
        for (const table of ["users", "sessions", "password_hashes"]) {
          assert.equal(rows(table).length, 1, table);
        }
      },
      {},
      { rateLimit: false },
    );
  }
});

// Tracks: F08, R164
Deno.test("a hundred sign-ups of one address at once make no user, five pending ones with their mails, and all answers are alike", () =>
  withPasswords(async ({ send, outbox, rows }) => {
    const json = { email: "ada@example.com", password: PASSWORD };
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        send("/signup", {
          json,
          headers: { accept: "application/json" },
          info: { clientAddress: `192.0.2.${index}` },
        })),
    );
    const described = await Promise.all(answers.map((answer) => outcome(answer, json.email)));
    assert.equal(new Set(described.map((one) => JSON.stringify(one))).size, 1);
    assert.equal(outbox.length, 5);
    assert.equal(rows("pending_sign_ups").length, 5);
    assert.deepEqual(rows("users"), []);
  }));

// Tracks: A-17, F08
Deno.test("a hundred strangers who sign up with an address void neither the link of its owner nor keep the owner from signing up", async () => {
  for (const first of ["owner", "strangers"]) {
    await withPasswords(async ({ signUp, confirm, byPassword, send, outbox, clock, rows }) => {
      let cookie = "";
      let mail = outbox[0];
      const come = async () => {
        cookie = everyCookie(await signUp("ada@example.com"));
        mail = outbox.at(-1);
      };
      if (first === "owner") await come();
      // As fast as the mailbox gets mails, from a network each, for most of the day.
      for (let hour = 0; hour < 20; hour++) {
        for (let index = 0; index < 5; index++) {
          const info = { clientAddress: `2001:db8:${hour}:${index}::1` };
          const json = { email: "ada@example.com", password: `of a stranger ${hour} ${index}` };
          const headers = { accept: "application/json" };
          assert.equal((await send("/signup", { json, headers, info })).status, 200);
        }
        clock.now += 3_600_001;
      }
      if (first === "strangers") await come();
      assert.equal((await confirm({}, { cookie, mail: mail! })).status, 303);
      assert.equal((await byPassword("ada@example.com", PASSWORD)).status, 303);
      assert.deepEqual(rows("pending_sign_ups"), []);
    });
  }
});

// Tracks: R028
Deno.test("the owner of a known address is told as often as a mailbox gets mails, and one client has its own limit", () =>
  withPasswords(async ({ signUp, join, outbox, clock, send }) => {
    await join("ada@example.com");
    outbox.length = 0;
    for (let time = 0; time < 8; time++) {
      assert.equal((await signUp("Ada@Example.com")).status, 303);
    }
    assert.equal(outbox.length, 4, "with the sign-up itself");
    clock.now += 3_600_001;
    await signUp("ada@example.com");
    assert.deepEqual(outbox.map(({ kind }) => kind), Array(5).fill("known-account"));
    const statuses = [];
    for (let index = 0; index < 101; index++) {
      const json = { email: `a${index}@example.com`, password: PASSWORD };
      statuses.push((await send("/signup", { json })).status);
    }
    assert.equal(statuses.at(-1), 429);
  }));

// Tracks: R023
Deno.test("the owner of a known address is told at the address of the account, however it was typed", () =>
  withPasswords(async ({ signUp, join, outbox, send }) => {
    await join("dana@example.com");
    outbox.length = 0;
    const cookie = everyCookie(await signUp("DANA@example.com"));
    await send("/signup/resend", { fields: {}, cookie });
    assert.deepEqual(outbox.map(({ kind, to }) => [kind, to]), [
      ["known-account", "dana@example.com"],
      ["known-account", "dana@example.com"],
    ]);
  }));

// Tracks: R028
Deno.test("guesses of the password on the page of a link are limited, and the browser that signed up is not", () =>
  withPasswords(async ({ signUp, confirm, work }) => {
    const cookie = everyCookie(await signUp("ada@example.com"));
    const { checks } = work;
    const statuses = [];
    for (let guess = 0; guess < 7; guess++) {
      const response = await confirm({ password: `a wrong password ${guess}` });
      statuses.push(response.status);
      if (response.status === 429) assert.ok(Number(response.headers.get("retry-after")) > 0);
    }
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
    assert.equal(work.checks - checks, 5);
    assert.equal((await confirm({}, { cookie })).status, 303);
  }));

// Tracks: R018
Deno.test("a link holds for a day", async () => {
  for (const [offset, status] of [[-1, 303], [0, 400]] as const) {
    await withPasswords(async ({ signUp, confirm, clock }) => {
      const cookie = everyCookie(await signUp("ada@example.com"));
      clock.now += DAY + offset;
      assert.equal((await confirm({}, { cookie })).status, status);
    });
  }
});

Deno.test("POST /signup/resend sends another link for the sign-up of this browser, and the first one holds on", () =>
  withPasswords(async ({ signUp, confirm, outbox, send, join }) => {
    const cookie = everyCookie(await signUp("ada@example.com"));
    const again = await send("/signup/resend", { fields: {}, cookie });
    assert.equal(again.status, 303);
    assert.equal(again.headers.get("location"), "https://app.example/auth/signup/sent?sent=again");
    assert.equal(outbox.length, 2);
    assert.notEqual(tokenOf(outbox[1]!), tokenOf(outbox[0]!));
    const page = await (await send("/signup/sent?sent=again", { cookie })).text();
    assert.match(page, /Sent again/);
    assert.equal((await confirm({}, { cookie, mail: outbox[0]! })).status, 303);
    // Of a known address the same page, and the mail that belongs to it.
    await join("known@example.com");
    outbox.length = 0;
    const known = everyCookie(await signUp("known@example.com"));
    const told = await send("/signup/resend", { fields: {}, cookie: known });
    assert.equal(told.headers.get("location"), again.headers.get("location"));
    assert.deepEqual(outbox.map(({ kind }) => kind), ["known-account", "known-account"]);
    for (const other of ["", "__Host-framework.email=planted"]) {
      const nobody = await send("/signup/resend", { fields: {}, cookie: other });
      assert.equal(nobody.headers.get("location"), "https://app.example/auth/signup");
    }
  }));

// Tracks: R013, R023, R166
Deno.test("what cannot be stored is told beside its field, before anything is stored, and passwords are not shown again", () =>
  withPasswords(async ({ signUp, send, outbox, rows, work }) => {
    const wrong = [
      [{ email: "no address" }, /<p class="err"/],
      [{ email: "ada@evil.example,ada@example.com" }, /<p class="err"/],
      [{ password: "fourteen chars" }, /That’s 14 characters\. Use at least 15\./],
      [{ password: "a".repeat(1025) }, /too long/],
      [{ password: "\u0000".repeat(2) }, /Use at least 15/],
      [{ name: "a".repeat(257) }, /at most 256 characters/],
      [{ name: "Ada\u0007" }, /control characters/],
    ] as const;
    for (const [fields, says] of wrong) {
      const { email = "ada@example.com", ...rest } = fields as Record<string, string>;
      const response = await signUp(email, rest);
      assert.equal(response.status, 400);
      const page = await response.text();
      assert.match(page, says);
      assert.equal(page.includes(rest.password ?? PASSWORD), false);
      const json = await send("/signup", {
        json: { email, password: PASSWORD, ...rest },
        headers: { accept: "application/json" },
      });
      assert.equal(json.status, 400);
      assert.match((await json.json()).code, /^INVALID_(EMAIL|PASSWORD|NAME)$/);
    }
    assert.equal(outbox.length, 0);
    assert.equal(work.hashes, 0);
    assert.deepEqual(rows("pending_sign_ups"), []);
    assert.equal(
      (await signUp("ada@example.com", { password: "😀🍎🐙🦊🚲🌋🎻🧊🍋🐢🪁🚀🌵🎲🧵" })).status,
      303,
    );
    assert.equal((await signUp("<script>@example.com")).status, 400);
  }));

// Tracks: R007
Deno.test("a form that has a field for the name asks for it, and one without makes a user without", () =>
  withPasswords(async ({ send, rows, outbox }) => {
    const fields = { email: "ada@example.com", password: PASSWORD };
    for (const name of ["", "  "]) {
      const refused = await send("/signup", { fields: { ...fields, name } });
      assert.equal(refused.status, 400);
      const page = await refused.text();
      assert.match(page, /Enter your name\./);
      assert.match(page, /<input[^>]* id="name"[^>]* aria-invalid="true"/);
      assert.match(page, /value="ada@example\.com"/);
      const headers = { accept: "application/json" };
      const json = await send("/signup", { json: { ...fields, name }, headers });
      assert.equal(json.status, 400);
      const { code, message } = await json.json();
      assert.deepEqual([code, message], ["INVALID_NAME", "Enter your name."]);
    }
    assert.deepEqual([rows("pending_sign_ups"), outbox], [[], []]);
    assert.equal((await send("/signup", { fields })).status, 303);
    assert.deepEqual(rows("pending_sign_ups").map(({ name }) => name), [null]);
  }));

Deno.test("a password that is typed on two keyboards is one password, and nothing else is changed in it", () =>
  withPasswords(async ({ join, byPassword }) => {
    await join("ada@example.com", "  caf\u00e9 in the Morning ");
    assert.equal((await byPassword("ada@example.com", "  cafe\u0301 in the Morning ")).status, 303);
    for (const other of ["caf\u00e9 in the Morning", "  caf\u00e9 in the morning "]) {
      assert.equal((await byPassword("ada@example.com", other)).status, 401);
    }
  }));

function sha1(password: string): string {
  return createHash("sha1").update(password).digest("hex").toUpperCase();
}

// Tracks: R167
Deno.test("breached: true refuses a leaked password, and takes one that cannot be looked up, with an event", async () => {
  const asked: string[] = [];
  let down = false;
  await withPasswords(
    async ({ signUp, told, outbox, settle }) => {
      for (let time = 0; time < 7; time++) {
        const leaked = await signUp("ada@example.com");
        assert.equal(leaked.status, 400);
        assert.match(await leaked.text(), /on a list of leaked passwords/);
      }
      assert.equal(outbox.length, 0);
      assert.equal(
        (await signUp("ada@example.com", { password: "another sentence of mine" })).status,
        303,
      );
      down = true;
      assert.equal((await signUp("eve@example.com")).status, 303);
      await settle();
      const unchecked = told.filter(({ type }) => type === "password-unchecked");
      assert.equal(unchecked.length, 1);
      for (const address of asked) {
        assert.match(address, /^https:\/\/api\.pwnedpasswords\.com\/range\/[0-9A-F]{5}$/);
      }
      assert.equal(JSON.stringify(told).includes(sha1(PASSWORD).slice(0, 5)), false);
    },
    { breached: true },
    {
      fetch(input) {
        asked.push(String(input));
        if (down) return Promise.reject(new TypeError("error sending request"));
        return Promise.resolve(new Response(`${sha1(PASSWORD).slice(5)}:7\r\n`));
      },
    },
  );
});

// Tracks: F28, R027
Deno.test("a mailer that throws is told to everybody alike, and asking again works", async () => {
  let broken = false;
  const seen: string[] = [];
  await withPasswords(
    async ({ signUp, join, log, confirm, outbox }) => {
      await join("known@example.com");
      broken = true;
      const answers = [];
      for (const address of ["known@example.com", "nobody@example.com"]) {
        answers.push(await outcome(await signUp(address), address));
      }
      assert.deepEqual(answers[0], answers[1]);
      assert.equal((answers[0] as [number])[0], 503);
      const told = JSON.stringify(
        [answers, log],
        (_, value) => value instanceof Error ? [value.message, value.stack] : value,
      );
      assert.match(told, /smtp\.internal/);
      for (const secret of seen) assert.equal(told.includes(secret), false, secret);
      broken = false;
      const cookie = everyCookie(await signUp("nobody@example.com"));
      assert.equal((await confirm({}, { cookie, mail: outbox.at(-1)! })).status, 303);
    },
    {},
    {
      deliver(mail, send) {
        if (!broken) return send();
        if (mail.token !== "") seen.push(mail.token);
        return Promise.reject(new Error(`smtp.internal refused ${mail.url}`));
      },
    },
  );
});

// Tracks: R072
Deno.test("another site's page can neither sign anybody up nor press the button", () =>
  withPasswords(async ({ send, signUp, outbox, rows }) => {
    const cookie = everyCookie(await signUp("ada@example.com"));
    const headers = { origin: "https://evil.example" };
    const fields = { email: "eve@example.com", password: PASSWORD, token: tokenOf(outbox[0]!) };
    for (
      const path of ["/signup", "/signup/confirm", "/signup/resend", "/forgot", "/reset", "/signin"]
    ) {
      assert.equal((await send(path, { fields, headers, cookie })).status, 403, path);
    }
    assert.equal(outbox.length, 1);
    assert.deepEqual(rows("users"), []);
  }));

Deno.test("the link of a sign-up whose address has a user by then makes nobody, and says what to do", () =>
  withPasswords(async ({ signUp, confirm, database, rows }) => {
    const cookie = everyCookie(await signUp("ada@example.com"));
    database.sqlite.exec(
      "INSERT INTO users (id, email, email_identity) VALUES ('own', 'ada@example.com', 'ada@example.com')",
    );
    const response = await confirm({}, { cookie });
    assert.equal(response.status, 409);
    assert.match(await response.text(), /already exists/);
    assert.deepEqual(rows("users").map(({ id }) => id), ["own"]);
    assert.deepEqual(rows("password_hashes"), []);
  }));

Deno.test("the signIn callback decides before a user is made, and pages.newUser welcomes one", async () => {
  let verdict: boolean | string = false;
  await withPasswords(
    async ({ signUp, confirm, rows }) => {
      const cookie = everyCookie(await signUp("ada@example.com"));
      assert.equal((await confirm({}, { cookie })).status, 403);
      verdict = "/waiting-list";
      assert.equal(
        (await confirm({}, { cookie })).headers.get("location"),
        "https://app.example/waiting-list",
      );
      assert.deepEqual(rows("users"), []);
      verdict = true;
      const welcomed = await confirm({}, { cookie });
      assert.equal(welcomed.headers.get("location"), "https://app.example/welcome");
      assert.equal(rows("users").length, 1);
    },
    {},
    {
      pages: { newUser: "/welcome" },
      callbacks: {
        signIn: ({ email }) => email?.verificationRequest === true ? true : verdict,
      },
    },
  );
});

Deno.test("sign-up by JSON answers where to go, and the codes of what is wrong", () =>
  withPasswords(async ({ send, outbox }) => {
    const headers = { accept: "application/json" };
    const asked = await send("/signup", {
      json: { email: "ada@example.com", password: PASSWORD, name: "Ada" },
      headers,
    });
    assert.deepEqual(await asked.json(), { redirectTo: "https://app.example/auth/signup/sent" });
    const token = tokenOf(outbox[0]!);
    const elsewhere = await send("/signup/confirm", { json: { token }, headers });
    assert.deepEqual([elsewhere.status, (await elsewhere.json()).code], [
      401,
      "INVALID_CREDENTIALS",
    ]);
    const done = await send("/signup/confirm", {
      json: { token },
      headers,
      cookie: everyCookie(asked),
    });
    const { user, redirectTo } = await done.json();
    assert.deepEqual([user.email, user.name, redirectTo], [
      "ada@example.com",
      "Ada",
      "https://app.example/",
    ]);
    const again = await send("/signup/confirm", { json: { token }, headers });
    assert.deepEqual([again.status, (await again.json()).code], [400, "INVALID_LINK"]);
  }));

// Tracks: R013
Deno.test("a password that is guessed first is refused wherever one is set: common words, and those of the application and its user", async () => {
  const guessed = [
    "password12345678",
    "qwertyuiop[]asdfgh",
    "app.example2026",
    "ada.lovelace1815",
    "Acme-Cloud-Acme-Cloud",
    "AdaLovelace123456",
  ];
  const options = { pages: { theme: pageTheme({ name: "Acme Cloud" }) } };
  await withPasswords(
    async ({ send, askReset, outbox, rows, signUp, confirm }) => {
      const headers = { accept: "application/json" };
      const refused = async (path: string, fields: Record<string, string>, cookie = "") => {
        for (const password of guessed) {
          const answer = await send(path, { json: { ...fields, password }, headers, cookie });
          assert.equal((await answer.json()).code, "INVALID_PASSWORD", `${path} ${password}`);
        }
      };
      const email = "ada.lovelace@example.com";
      await refused("/signup", { email, name: "Ada Lovelace" });
      assert.deepEqual([rows("pending_sign_ups").length, outbox.length], [0, 0]);
      const page = await (await signUp(email, { password: guessed[0]! })).text();
      assert.match(page, /This password is too common\. Choose another\./);
      const cookie = everyCookie(await signUp(email, { name: "Ada Lovelace" }));
      await refused("/signup/confirm", { token: tokenOf(outbox[0]!), ask: "new" });
      const own = everyCookie(await confirm({}, { cookie }));
      await refused("/account/password", {}, own);
      await refused("/reset", { token: await askReset(email) });
    },
    {},
    { ...options, rateLimit: false },
  );
});

Deno.test("a link whose user is made, and the answer lost, signs in all the same", () =>
  withPasswords(async ({ signUp, confirm, database, rows, auth, told, settle }) => {
    const cookie = everyCookie(await signUp("ada@example.com"));
    const { batch } = database;
    database.batch = async (statements) => {
      const results = await batch(statements);
      if (rows("users").length === 0) return results;
      database.batch = batch;
      throw new Error("Network connection lost");
    };
    const response = await confirm({}, { cookie });
    assert.equal(response.status, 303);
    const [user] = rows("users");
    assert.equal(await userAt({ auth }, everyCookie(response)), user!.id);
    await settle();
    assert.deepEqual(told.map(({ type }) => type), ["sign-up", "sign-in"]);
  }));

Deno.test("a link whose user is not made, since the database is away, holds on", () =>
  withPasswords(async ({ signUp, confirm, database, rows }) => {
    const cookie = everyCookie(await signUp("ada@example.com"));
    const { batch } = database;
    database.batch = () => Promise.reject(new Error("Network connection lost"));
    assert.equal((await confirm({}, { cookie })).status, 503);
    assert.deepEqual(rows("users"), []);
    database.batch = batch;
    assert.equal((await confirm({}, { cookie })).status, 303);
  }));
