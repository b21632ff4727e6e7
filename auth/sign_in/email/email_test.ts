import assert from "node:assert/strict";
import { ConfigurationError } from "../../errors.ts";
import { createAuth } from "../../app/create_auth.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import { createMailApplication } from "../../tests/mail_application.ts";
import { pageTheme } from "../page_theme.ts";
import type { Mail } from "../../types/application.ts";
import { email } from "./provider.ts";
import type { EmailConfig } from "./pending.ts";
import { jwtSessions } from "../../app/jwt_sessions.ts";

const SENDER = { from: "hello@app.example", sendVerificationRequest: () => Promise.resolve() };

function fieldOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error));
    return error.field;
  }
  return undefined;
}

Deno.test("email() takes what can be sent from", () => {
  for (const from of ["a@b.example", "App <a@b.example>", '"The, App" <a@b.example>']) {
    assert.equal(fieldOf(() => email({ ...SENDER, from })), undefined, from);
  }
});

Deno.test("email() names the option that is wrong", () => {
  const wrong: [string, Record<string, unknown>][] = [
    ["from", { from: undefined }],
    ["from", { from: "App" }],
    ["from", { from: "a@b.example\r\nBcc: eve@evil.example" }],
    ["from", { from: "a@b.example, c@d.example" }],
    ["sendVerificationRequest", { sendVerificationRequest: undefined }],
    ["maxAge", { maxAge: 0 }],
    ["maxAge", { maxAge: 1.5 }],
    ["maxAge", { maxAge: 31_536_001 }],
    ["maxAge", { maxAge: "86400" }],
    ["sameBrowser", { sameBrowser: "yes" }],
    ["code", { code: 6 }],
    ["id", { id: "E mail" }],
    ["name", { name: "" }],
    ["maxage", { maxage: 60 }],
    ["from", { sendMail: () => {} }],
    ["sendVerificationRequest", { from: undefined, sendMail: () => {} }],
    ["sendMail", { from: undefined, sendVerificationRequest: undefined, sendMail: "smtp://" }],
  ];
  for (const [field, part] of wrong) {
    const config = { ...SENDER, ...part } as unknown as EmailConfig;
    assert.equal(fieldOf(() => email(config)), field, JSON.stringify(part));
    assert.equal(fieldOf(() => email(null as unknown as EmailConfig)), "email()");
  }
});

Deno.test("email() without a database is a ConfigurationError at the start", () => {
  const secret = "a secret of the test, of 32 bytes or more";
  const options = {
    session: { strategy: jwtSessions },
    secret,
    providers: [email(SENDER)],
  } as const;
  assert.equal(fieldOf(() => createAuth({ ...options, providers: [email(SENDER)] })), "database");
  createAuth({ ...options, providers: [email(SENDER)], database: createMemoryStorage() });
});

Deno.test("email() reads its configuration from the environment, and calls it as a method", async () => {
  const seen: string[] = [];
  const auth = createAuth<{ FROM: string }>({
    database: createMemoryStorage(),
    providers: [email<{ FROM: string }>((env) => ({
      from: env.FROM,
      sendVerificationRequest(_, { from, env: { FROM } }) {
        seen.push(from, FROM, this.from);
        return Promise.resolve();
      },
    }))],
  });
  const request = new Request("http://localhost/auth/signin/email", {
    method: "POST",
    headers: { "content-type": "application/json", "accept": "application/json" },
    body: '{"email":"ada@example.com"}',
  });
  const response = await auth.handle(request, { FROM: "a@b.example" });
  assert.deepEqual(await response!.json(), { redirectTo: "http://localhost/auth/verify-request" });
  assert.deepEqual(seen, ["a@b.example", "a@b.example", "a@b.example"]);
});

Deno.test("email() takes another id and name", async () => {
  const application = createMailApplication({ id: "magic", name: "Magic link" });
  try {
    const asked = await application.send("/signin/magic", { fields: { email: "a@b.example" } });
    assert.equal(asked.status, 303);
    assert.match(application.outbox[0]!.url, /\/auth\/callback\/magic\?token=/);
    const page = await (await application.send("/signin")).text();
    assert.match(page, /<form method="post" action="\/auth\/signin\/magic">/);
    const providers = await (await application.send("/providers")).json();
    assert.deepEqual(providers[0], { id: "magic", name: "Magic link", type: "email" });
  } finally {
    application.close();
  }
});

Deno.test("email({ sendMail }) sends as passwords() does: one function takes the mails of both", async () => {
  const sent: Mail[] = [];
  const carried: (string | undefined)[] = [];
  const auth = createAuth<{ FROM: string }>({
    database: createMemoryStorage(),
    async deliver({ kind, from }, send) {
      carried.push(kind, from);
      await send();
    },
    pages: { theme: pageTheme({ name: "Example" }) },
    providers: [email<{ FROM: string }>({
      maxAge: 60,
      sendMail(mail, { env, request }) {
        sent.push(mail);
        assert.equal(env.FROM, "a@b.example");
        assert.equal(new URL(request.url).pathname, "/auth/signin/email");
      },
    })],
  });
  const before = Date.now();
  const response = await auth.handle(
    new Request("http://localhost/auth/signin/email", {
      method: "POST",
      headers: { "content-type": "application/json", "accept": "application/json" },
      body: '{"email":"ada@example.com"}',
    }),
    { FROM: "a@b.example" },
  );
  assert.equal(response?.status, 200);
  const [mail] = sent;
  assert.equal(sent.length, 1);
  assert.equal(mail?.kind, "sign-in");
  assert.deepEqual(carried, ["sign-in", ""]);
  assert.equal(mail.to, "ada@example.com");
  assert.equal(mail.subject, "Sign in to Example");
  assert.match(mail.url, /^http:\/\/localhost\/auth\/callback\/email\?token=/);
  assert.ok(mail.text.includes(mail.url));
  assert.match(mail.html, /<h1/);
  assert.ok(mail.expires !== null && mail.expires.getTime() >= before + 60_000);
});
