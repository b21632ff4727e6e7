import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { type MailSite, withSite } from "./mail_site.ts";
import { linkIn } from "./smtp_peer.ts";

/** The mail server's own timers and sockets end a little after it. */
const OPTIONS = { sanitizeOps: false, sanitizeResources: false };

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

function ask({ post }: MailSite, address: string): Promise<number> {
  return statusOf(post("/signin/email", { email: address }));
}

function count({ database }: MailSite, table: string): unknown {
  return database.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n;
}

// Tracks: R016, R025, K1
Deno.test("a link comes by mail, asks, and signs in", OPTIONS, () =>
  withSite(async (site) => {
    assert.equal(await ask(site, "Ada@example.com"), 303);
    const [{ recipients, mail }] = site.peer.received as [typeof site.peer.received[0]];
    assert.deepEqual(recipients, ["Ada@example.com"]);
    assert.equal(mail.from!.address, "hello@app.example");
    const link = linkIn(site.peer);
    assert.equal(link.origin, site.origin);
    const page = await (await fetch(link)).text();
    assert.match(page, /You opened a sign-in link for <b><bdi>Ada@example\.com<\/bdi><\/b>/);
    const [token, email] = [...link.searchParams.values()] as [string, string];
    const dump = JSON.stringify(site.database.prepare("SELECT * FROM verifications").all());
    assert.equal(dump.includes(token), false);
    const response = await site.post("/callback/email", { token, email });
    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), `${site.origin}/`);
    const cookie = response.headers.getSetCookie()[0]!.split(";")[0]!;
    const home = await fetch(site.origin, { headers: { cookie } });
    assert.match(await home.text(), /Hello Ada@example\.com/);
  }));

// Tracks: R017, GHSA-hc7v-rggr-4hvx, F01, K5
Deno.test(
  "of a hundred requests with one mailed link at once, one signs in, twenty times of twenty",
  OPTIONS,
  () =>
    withSite(async (site) => {
      for (let round = 1; round <= 20; round++) {
        const email = `ada${round}@example.com`;
        assert.equal(await ask(site, email), 303);
        const token = linkIn(site.peer).searchParams.get("token")!;
        const answers = await Promise.all(
          Array.from({ length: 100 }, () => site.post("/callback/email", { token, email })),
        );
        const cookies = answers.flatMap(({ headers }) => headers.getSetCookie())
          .filter((line) => !/framework\.(?:known|last)=/.test(line));
        await Promise.all(answers.map((answer) => answer.body?.cancel()));
        assert.equal(cookies.length, 1, `round ${round}`);
        assert.equal(count(site, "sessions"), round);
        assert.equal(count(site, "users"), round);
      }
    }, { options: { rateLimit: false } }),
);

/** The mail server shows domains in Unicode, however they came. */
function asciiDomain(address: string): string {
  const [local, domain] = address.split("@");
  return `${local}@${new URL(`http://${domain}/`).hostname}`;
}

/** Typed texts, and the only recipient that the envelope may have; null when nothing may be sent. */
const ADDRESSES: readonly [typed: string, recipient: string | null][] = [
  ["ada@example.com", "ada@example.com"],
  ["Ada.Lovelace+tag@Example.COM", "Ada.Lovelace+tag@example.com"],
  [" ada@example.com ", "ada@example.com"],
  ["ada@b\u00fccher.example", "ada@xn--bcher-kva.example"],
  ["ada\uff20example.com", "ada@example.com"],
  ["ada\ufe6bexample.com", "ada@example.com"],
  ["\uff41da@example.com", "ada@example.com"],
  ["o'hara@example.com", "o'hara@example.com"],
  ["a@x.test\r\nBcc: e@evil.example", null],
  ["a@x.test\nBcc: e@evil.example", null],
  ["a@x.test\rBcc: e@evil.example", null],
  ["a@x.test\u0085e@evil.example", null],
  ["a@x.test\u2028e@evil.example", null],
  ["a@x.test\u0000", null],
  ["a@x.test,e@evil.example", null],
  ["a@x.test;e@evil.example", null],
  ["a@x.test e@evil.example", null],
  ["a@x.test\uff0ce@evil.example", null],
  ["e@evil.example\uff20x.test", null],
  ["e@evil.example\ufe6bx.test", null],
  ['"e@evil.example"@x.test', null],
  ['"a b"@x.test', null],
  ['e@evil.example"@x.test', null],
  ["<e@evil.example>@x.test", null],
  ["Ada <e@evil.example>", null],
  ["group:e@evil.example;", null],
  ["a@x.test(e@evil.example)", null],
  ["a@[127.0.0.1]", null],
  ["a@127.0.0.1", null],
  ["a@x.test:25", null],
  ["a@x.test/", null],
  ["a@x.test?e", null],
  ["a@x.test#e", null],
  ["a@x.test%00e", null],
  ["a\\@x.test", null],
  [".a@x.test", null],
  ["a..b@x.test", null],
  ["a@-x.test", null],
  ["@x.test", null],
  ["a@", null],
  ["a", null],
  [`${"a".repeat(65)}@x.test`, null],
  [`a@${"x".repeat(64)}.test`, null],
  [`a@${"x.".repeat(130)}test`, null],
];

// Tracks: R023, GHSA-7rqj-j65f-68wh, GHSA-5jpx-9hw9-2fx4, CVE-2022-35924, F32
Deno.test(
  "every mail has the one recipient that was typed",
  OPTIONS,
  () =>
    withSite(async (site) => {
      for (const [typed, recipient] of ADDRESSES) {
        const before = site.peer.received.length;
        const name = JSON.stringify(typed);
        assert.equal(await ask(site, typed), recipient === null ? 400 : 303, name);
        const sent = site.peer.received.slice(before);
        assert.deepEqual(
          sent.map(({ recipients }) => recipients.map(asciiDomain)),
          recipient === null ? [] : [[recipient]],
          name,
        );
        for (const { mail } of sent) {
          assert.deepEqual(mail.to!.map(({ address }) => asciiDomain(address!)), [recipient]);
          assert.deepEqual([mail.cc, mail.bcc], [undefined, undefined]);
        }
      }
    }, { options: { rateLimit: false } }),
);

// Tracks: R024
Deno.test("the host of a request is in no mail", OPTIONS, () =>
  withSite(async (site) => {
    const { hostname, port } = new URL(site.origin);
    const body = "email=ada%40example.com";
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
    await connection.write(new TextEncoder().encode(
      "POST /auth/signin/email HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n" +
        `X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nOrigin: ${site.origin}\r\n` +
        "Content-Type: application/x-www-form-urlencoded\r\n" +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    ));
    const answer = await new Response(connection.readable).text();
    assert.match(answer, /^HTTP\/1\.1 303 /);
    assert.match(answer, new RegExp(`location: ${site.origin}/auth/verify-request`, "i"));
    assert.equal(linkIn(site.peer).hostname, hostname);
    assert.equal(site.peer.received[0]!.mail.text!.includes("evil"), false);
  }));

// Tracks: R027, F28
Deno.test(
  "a mail server that refuses is a clean page, and asking again works",
  OPTIONS,
  () =>
    withSite(async (site) => {
      for (const code of [451, 550]) {
        site.peer.answer = code;
        const page = await site.post("/signin/email", { email: "ada@example.com" });
        assert.equal(page.status, 503);
        const html = await page.text();
        assert.match(
          html,
          /role="alert">[^]*<p>We could not send the email\. Try again in a moment\.<\/p>/,
        );
        assert.equal(/token|Refused|smtp|127\.0\.0\.1/i.test(html), false);
        const json = await site.post("/signin/email", { email: "ada@example.com" }, {
          accept: "application/json",
        });
        const { requestId, ...error } = await json.json();
        assert.deepEqual(error, {
          code: "EMAIL_NOT_SENT",
          message: "We could not send the email. Try again in a moment.",
        });
        assert.ok(requestId);
      }
      site.peer.answer = null;
      assert.equal(await ask(site, "ada@example.com"), 303);
      const [token, email] = [...linkIn(site.peer).searchParams.values()] as [string, string];
      assert.equal(await statusOf(site.post("/callback/email", { token, email })), 303);
    }),
);

// Tracks: R027, F28
Deno.test(
  "a mail server that hangs is given up after ten seconds",
  OPTIONS,
  () =>
    withSite(async (site) => {
      const { setTimeout } = globalThis;
      let giveUp: (() => void) | undefined;
      globalThis.setTimeout = ((work: () => void, wait: number) => {
        if (wait === 10_000) giveUp ??= work;
        return setTimeout(work, wait);
      }) as typeof setTimeout;
      try {
        site.peer.answer = "hang";
        const asked = ask(site, "ada@example.com");
        while (site.peer.hanging === 0) await pause(5);
        // The ten seconds are over.
        assert.ok(giveUp !== undefined);
        giveUp();
        assert.equal(await asked, 503);
      } finally {
        globalThis.setTimeout = setTimeout;
      }
      site.peer.answer = null;
      assert.equal(await ask(site, "ada@example.com"), 303);
      assert.equal(site.peer.received.length, 1);
    }),
);

// Tracks: R028
Deno.test(
  "a hundred requests at once bring five mails to one address",
  OPTIONS,
  () =>
    withSite(async (site) => {
      const statuses = await Promise.all(
        Array.from({ length: 100 }, () => ask(site, "ada@example.com")),
      );
      // Above the limit of a mailbox the answer is as any other, and nothing is sent.
      assert.equal(statuses.filter((status) => status === 303).length, 100);
      assert.equal(site.peer.received.length, 5);
    }),
);

// Tracks: R022
Deno.test(
  "known and unknown addresses get a mail, refused ones get none",
  OPTIONS,
  () =>
    withSite(async (site) => {
      site.database.exec(
        "INSERT INTO users (id, email, email_identity, email_verified) VALUES ('a', 'known@x.test', 'known@x.test', 1)",
      );
      const answers = [];
      for (const name of ["known", "unknown", "refused"]) {
        const response = await site.post("/signin/email", { email: `${name}@x.test` });
        const headers = [...response.headers].filter(([header]) =>
          header !== "date" && header !== "set-cookie"
        );
        answers.push([response.status, headers, await response.text()]);
      }
      assert.deepEqual(answers[1], answers[0]);
      assert.deepEqual(answers[2], answers[0]);
      const sentTo = site.peer.received.map(({ recipients }) => recipients[0]);
      assert.deepEqual(sentTo, ["known@x.test", "unknown@x.test"]);
    }, {
      options: { callbacks: { signIn: ({ user }) => user.email !== "refused@x.test" } },
    }),
);

// Tracks: F36
Deno.test(
  "a client that goes away while a link is used leaves one session or none",
  OPTIONS,
  () =>
    withSite(async (site) => {
      for (let round = 0; round < 20; round++) {
        const email = `ada${round}@example.com`;
        await ask(site, email);
        const token = linkIn(site.peer).searchParams.get("token")!;
        const before = count(site, "sessions") as number;
        const aborted = fetch(`${site.origin}/auth/callback/email`, {
          method: "POST",
          redirect: "manual",
          headers: { origin: site.origin },
          body: new URLSearchParams({ token, email }),
          signal: AbortSignal.timeout(Math.floor(Math.random() * 6)),
        }).then((response) => response.body?.cancel(), () => {});
        await aborted;
        const again = await statusOf(site.post("/callback/email", { token, email }));
        const made = (count(site, "sessions") as number) - before;
        assert.ok(again === 303 || again === 400, String(again));
        assert.ok(made <= 1, `${made} sessions`);
        if (again === 303) assert.equal(made, 1);
      }
    }, { options: { rateLimit: false } }),
);
