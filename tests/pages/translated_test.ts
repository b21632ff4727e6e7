import { accountPage, email, github, pageTheme, passkey } from "@framework/auth";
import { german } from "@framework/auth/languages";
import assert from "node:assert/strict";
import type { Theme } from "../../auth/core/contracts.ts";
import { respondToError } from "../../auth/core/error_response.ts";
import * as errors from "../../auth/errors.ts";
import { checkPassword } from "../../auth/password/policy.ts";
import { createEndpointTable } from "../../auth/app/endpoints.ts";
import type { SendOptions } from "../../auth/tests/application.ts";
import {
  everyCookie,
  PASSWORD,
  type PasswordApplication,
  withPasswords,
} from "../../auth/tests/password_application.ts";
import { passwordProvider } from "../../auth/tests/application.ts";
import { settingsOf } from "../../auth/session/settings_of.ts";

/** Words of English that German does not have. */
const ENGLISH =
  /\b(?:the|you|your|this|that|with|again|and|of|for|is|are|enter|address|use|try|must|body|request|too|does|cannot|it|on|to|be|has|no|can|send|or|sent|have|we|at|by|if|than|such|which|when)\b/i;

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** What people read on a page or hear of it, without names of the application and what they have typed. */
function sentences(html: string): string[] {
  const heard = [...html.matchAll(/(?:aria-label|placeholder|alt|title)="([^"]+)"/g)];
  const read = html
    .replace(/<(style|script|code|bdi|svg)\b.*?<\/\1>/gs, " ")
    .replace(/<option\b.*?<\/option>/gs, " ")
    .split(/<\/?(?:p|h1|h2|li|div|button|label|a|title|dt|dd|span|small|summary|b|time)\b[^>]*>/)
    .map((part) => part.replace(/<[^>]*>/g, " "));
  return [...heard.map(([, text]) => text!), ...read]
    .map((text) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (one) => ENTITIES[one]!))
    .map((text) => text.replace(/\S+@\S+/g, "").replace(/\s+/g, " ").trim())
    .filter((text) => text !== "");
}

/** Finds English on the page of a response; other responses are none. */
class Reader {
  pages = 0;
  readonly #found = new Map<string, string>();

  async read(response: Response, where: string): Promise<Response> {
    const text = await response.clone().text();
    if (!response.headers.get("content-type")?.startsWith("text/html")) return response;
    this.pages++;
    assert.match(text, /<html lang="de"/, where);
    for (const one of sentences(text)) {
      if (ENGLISH.test(one)) this.#found.set(one, where);
    }
    return response;
  }

  get found(): string[] {
    return [...this.#found].map(([text, where]) => `${where}: ${text}`);
  }
}

const IN_GERMAN = { "accept-language": "de", accept: "text/html" };
const THEME = pageTheme({ name: "Acme", languages: [german] });

function options(mails: string[] = []) {
  return {
    pages: { theme: THEME },
    providers: [
      github({ clientId: "id", clientSecret: "secret" }),
      passkey({ rpName: "Acme", rpId: "app.example", origin: "https://app.example", signUp: true }),
      email({
        code: true,
        from: "login@example.com",
        sendVerificationRequest: ({ url, code }) => {
          mails.push(url, code!);
          return Promise.resolve();
        },
      }),
      passwordProvider(),
      accountPage({ sendEmailChange: ({ url }) => void mails.push(url) }),
    ],
  };
}

type Visit = (path: string, sent?: SendOptions) => Promise<Response>;

function visitor({ send }: PasswordApplication, reader: Reader): Visit {
  return async (path, sent = {}) => {
    const response = await send(path, { ...sent, headers: { ...IN_GERMAN, ...sent.headers } });
    const how = `${sent.method ?? (sent.fields ? "POST" : "GET")} ${path}`;
    return await reader.read(response, `${how} ${JSON.stringify(sent.fields ?? {})}`.slice(0, 120));
  };
}

Deno.test("in German no endpoint shows English, whatever is sent to it and whoever is signed in", async () => {
  const reader = new Reader();
  await withPasswords(
    async (application) => {
      const visit = visitor(application, reader);
      const cookie = await application.join("ada@example.com");
      const table = createEndpointTable(settingsOf(application.auth, {}));
      const garbage = {
        email: "x",
        password: "x",
        name: "x".repeat(300),
        token: "x",
        code: "x",
        image: "x",
        credential: "x",
        id: "x",
        sessionId: "x",
        provider: "x",
        part: "x",
        ask: "new",
      };
      const bodies: SendOptions[] = [
        { fields: {} },
        { fields: garbage },
        { fields: { ...garbage, email: "ada@example.com", name: "", password: PASSWORD } },
        { fields: { x: "x" }, headers: { "content-type": "text/plain" } },
        { fields: { x: "x".repeat(200_000) } },
        { json: 5 },
        { json: { email: 5 } },
        { fields: {}, headers: { origin: "https://evil.example" } },
      ];
      for (const who of [{}, { cookie }]) {
        for (const [pattern, methods] of table) {
          const path = pattern.replace("*", "x");
          await visit(path, { ...who, method: "PUT" });
          if (methods.has("GET")) {
            for (const query of ["", "?token=x&email=ada@example.com&part=own", "?error=x"]) {
              await visit(path + query, who);
            }
          }
          if (!methods.has("POST") || /delete|signout|others/.test(path)) continue;
          for (const body of bodies) await visit(path, { ...who, ...body });
        }
      }
      await visit("/nothing");
    },
    {},
    { rateLimit: false, ...options() },
  );
  assert.ok(reader.pages > 200, String(reader.pages));
  assert.deepEqual(reader.found, []);
});

Deno.test("in German no page on the way of a sign-up, a sign-in, a forgotten password or a limit has English", async () => {
  const reader = new Reader();
  const mails: string[] = [];
  await withPasswords(
    async (application) => {
      const { settle, outbox, clock } = application;
      const visit = visitor(application, reader);
      for (
        const password of ["short", "password1234567890", "a".repeat(2000), "aaaaaaaaaaaaaaaaaa"]
      ) {
        await visit("/signup", { fields: { email: "ada@example.com", name: "Ada", password } });
      }
      await visit("/signup", { fields: { email: "x", name: "", password: "x" } });
      const asked = await visit("/signup", {
        fields: { email: "ada@example.com", name: "Ada", password: PASSWORD },
      });
      const cookie = everyCookie(asked);
      await visit("/signup/sent", { cookie });
      await visit("/signup/sent?sent=again", { cookie });
      await settle();
      const link = outbox.at(-1)!.url.replace("https://app.example/auth", "");
      const token = new URL(outbox.at(-1)!.url).searchParams.get("token")!;
      await visit(link, { cookie });
      await visit(link);
      await visit(`${link}&ask=new`);
      await visit("/signup/confirm", { fields: { token, password: "wrong" } });
      await visit("/signup/confirm", { fields: { token, password: "short", ask: "new" } });
      const joined = await visit("/signup/confirm", { cookie, fields: { token } });
      const session = everyCookie(joined);
      await visit("/signup/confirm", { cookie, fields: { token } });
      for (const path of ["/account", "/account/password", "/signout", "/account/delete"]) {
        await visit(path, { cookie: session });
      }
      await visit("/account/email", { cookie: session, fields: { email: "new@example.com" } });
      for (const url of mails.splice(0)) {
        await visit(url.replace("https://app.example/auth", ""), { cookie: session });
        await visit(url.replace("https://app.example/auth", ""));
      }
      await visit("/signin", { fields: { email: "ada@example.com" } });
      await visit("/forgot", { fields: { email: "ada@example.com" } });
      await settle();
      const reset = outbox.at(-1)!.url.replace("https://app.example/auth", "");
      await visit(reset);
      const secret = new URL(outbox.at(-1)!.url).searchParams.get("token")!;
      await visit("/reset", { fields: { token: secret, password: "short" } });
      clock.now += 1000;
      await visit("/reset", { fields: { token: secret, password: `${PASSWORD} again` } });
      await visit("/reset/done?passkeys=2");
      const sent = await visit("/signin/email", { fields: { email: "ada@example.com" } });
      const waiting = everyCookie(sent);
      await visit("/verify-request", { cookie: waiting });
      await visit("/callback/email/code", { cookie: waiting, fields: { code: "000000" } });
      await visit(mails[0]!.replace("https://app.example/auth", ""), { cookie: waiting });
      await visit(mails[0]!.replace("https://app.example/auth", ""));
      for (let guess = 0; guess < 7; guess++) {
        await visit("/signin/passwords", {
          fields: { email: "ada@example.com", password: "a wrong one" },
        });
        await visit("/signin/credentials", { fields: { name: "ada", password: "a wrong one" } });
      }
      await visit("/callback/github?error=access_denied&state=x");
      await visit("/callback/github?code=x&state=x");
      const codes = [...await errorCodes()];
      assert.ok(codes.length > 30);
      for (const code of codes) {
        await visit(`/error?error=${code}`);
        await visit(`/signin?error=${code}`);
      }
    },
    {},
    options(mails),
  );
  assert.ok(reader.pages > 100, String(reader.pages));
  assert.deepEqual(reader.found, []);
});

/** Codes that an address may name, as the source lists them. */
async function errorCodes(): Promise<Set<string>> {
  const source = await Deno.readTextFile(
    new URL("../../auth/core/error_response.ts", import.meta.url),
  );
  return new Set([...source.matchAll(/"([A-Z]+(?:_[A-Z]+)*)",/g)].map(([, code]) => code!));
}

Deno.test("in German the page of every error of the library has its sentence, also with a number in it", async () => {
  const reader = new Reader();
  const request = new Request("https://app.example/", { headers: IN_GERMAN });
  const { definition } = THEME as { definition: Theme };
  const policy = [
    await checkPassword("short"),
    await checkPassword("password", { minLength: 8, blocklist: new Set(["password"]) }),
    await checkPassword("x".repeat(2000)),
  ].map((problem) => new errors.InvalidPasswordError(problem!.message));
  const codes = [
    "BAD_REQUEST",
    "NOT_FOUND",
    "METHOD_NOT_ALLOWED",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "HOST_NOT_ALLOWED",
  ] as const;
  const thrown: unknown[] = [
    new Error("Something with a secret"),
    ...policy,
    ...codes.map((code) => new errors.RequestError(undefined, { code })),
    ...(["OVER", "CLOSED", "UNPROVED_EMAIL", "CHANGED"] as const).map((code) =>
      new errors.SecondFactorError(undefined, { code: `SECOND_FACTOR_${code}` })
    ),
    ...Object.values(errors).filter((one) => typeof one === "function" && /Error$/.test(one.name))
      .filter((one) => one !== errors.AuthError && one !== errors.RedirectError)
      .map((one) => new (one as new (...values: unknown[]) => Error)()),
  ];
  assert.ok(thrown.length > 25);
  for (const error of thrown) {
    const response = respondToError(error, request, { theme: definition, requestId: "r1" });
    await reader.read(response, String(error));
  }
  assert.equal(reader.pages, thrown.length);
  assert.deepEqual(reader.found, []);
});
