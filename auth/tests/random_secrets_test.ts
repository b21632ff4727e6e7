import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { accountPage } from "../account/page.ts";
import type { EmailChangeParams } from "../account/email_change.ts";
import { hashPassword } from "../password/password.ts";
import { seal } from "../lib/keys.ts";
import { generateToken } from "../lib/secret.ts";
import { issueOneTimeToken } from "../sign_in/one_time_token.ts";
import { createOAuth2Provider } from "../sign_in/oauth/provider.ts";
import { email } from "../sign_in/email/provider.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import { databaseKeyOf } from "../storage/database_key.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createSqlStorage } from "../storage/sql.ts";
import { createTestApplication, ORIGIN, passwordProvider, visit } from "./application.ts";
import { createPasskeyBrowser } from "./passkey_browser.ts";
import { claimsOf, createTokenApplication } from "./token_application.ts";
import type { EmailParams } from "../types/application.ts";

/** A text that must not be guessed. */
interface RandomSecret {
  what: string;
  /** The file that asks for it. */
  from: string;
  /** How many bytes of the platform's generator it is. */
  bytes: number;
  /** How these bytes are written. */
  write: (bytes: Buffer) => string;
  /** Makes one as the application does. */
  make: () => Promise<string>;
}

const base64url = (bytes: Buffer): string => bytes.toString("base64url");
const hex = (bytes: Buffer): string => bytes.toString("hex");

function createApplication() {
  const outbox: EmailParams[] = [];
  const changes: EmailChangeParams[] = [];
  const application = createTestApplication({
    rateLimit: false,
    providers: [
      passwordProvider(),
      email({
        from: "app@app.example",
        code: true,
        sendVerificationRequest: (params) => Promise.resolve(void outbox.push(params)),
      }),
      createOAuth2Provider({
        id: "code",
        name: "Code",
        clientId: "client",
        clientSecret: "secret",
        authorization: "https://id.example/authorize",
        token: "https://id.example/token",
        userinfo: "https://id.example/me",
        profile: () => ({ id: "1" }),
      }),
      passkey({ rpName: "App", rpId: "app.example", origin: ORIGIN, signUp: true }),
      accountPage({ sendEmailChange: (params) => Promise.resolve(void changes.push(params)) }),
    ],
  });
  return { ...application, outbox, changes };
}

type Application = ReturnType<typeof createApplication>;

/** The value of the cookie whose name begins like this. */
function cookieFrom(response: Response, name: string): string {
  const line = response.headers.getSetCookie().find((text) => text.startsWith(name))!;
  return line.slice(line.indexOf("=") + 1, line.indexOf(";"));
}

function secretsOf(application: Application): RandomSecret[] {
  const { send, outbox, changes, database } = application;
  const withoutTables = () => databaseKeyOf(createMemoryStorage());
  const withoutAnswer = () =>
    databaseKeyOf(createSqlStorage({
      prepare: () => {
        throw new Error("Nobody is there");
      },
      batch: () => Promise.reject(new Error("Nobody is there")),
    }));
  const json = { accept: "application/json" };
  const signIn = (name: string) =>
    send("/signin/credentials", { fields: { name, password: "right" } });
  const ask = () => send("/signin/email", { fields: { email: "ada@example.com" } });
  const handleOf = async (options: Promise<Record<string, unknown>>) =>
    ((await options).user as { id: string }).id;
  return [
    {
      what: "session token",
      from: "session/database.ts",
      bytes: 32,
      write: base64url,
      make: async () => cookieFrom(await signIn("ada"), "framework.session-token"),
    },
    {
      what: "session id",
      from: "session/database.ts",
      bytes: 16,
      write: base64url,
      async make() {
        application.clock.now += 1;
        await signIn("ada");
        const newest = "SELECT id FROM sessions ORDER BY created_at DESC LIMIT 1";
        return String(database.sqlite.prepare(newest).get()!.id);
      },
    },
    {
      what: "session id in a token",
      from: "session/jwt.ts",
      bytes: 16,
      write: base64url,
      async make() {
        const tokens = createTokenApplication();
        const { jti } = claimsOf(await tokens.signIn());
        tokens.close();
        return String(jti);
      },
    },
    {
      what: "id of a browser that is known",
      from: "sign_in/guard.ts",
      bytes: 32,
      write: base64url,
      make: async () => cookieFrom(await signIn("ada"), "__Host-framework.known"),
    },
    {
      what: "one-time token",
      from: "sign_in/one_time_token.ts",
      bytes: 32,
      write: base64url,
      async make() {
        await signIn("ada");
        const response = await visit(
          application,
          async () => new Response(await issueOneTimeToken("reset", "ada")),
        );
        return await response.text();
      },
    },
    {
      what: "link of an e-mail",
      from: "sign_in/email/request.ts",
      bytes: 32,
      write: base64url,
      make: async () => (await ask(), outbox.at(-1)!.token),
    },
    {
      what: "code of an e-mail",
      from: "sign_in/email/request.ts",
      bytes: 4,
      write: (bytes) => String(bytes.readUInt32BE() % 1_000_000).padStart(6, "0"),
      make: async () => (await ask(), outbox.at(-1)!.code!),
    },
    {
      what: "browser that asked for an e-mail",
      from: "sign_in/email/request.ts",
      bytes: 32,
      write: base64url,
      make: async () => cookieFrom(await ask(), "__Host-framework.email"),
    },
    {
      what: "browser of a sign-in at a provider, from which state, verifier and nonce are hashed",
      from: "sign_in/oauth/transaction.ts",
      bytes: 32,
      write: base64url,
      make: async () =>
        cookieFrom(
          await send("/signin/code", { fields: {}, headers: json }),
          "__Host-framework.oauth-",
        ),
    },
    {
      what: "browser of a passkey ceremony",
      from: "sign_in/passkey/ceremony.ts",
      bytes: 32,
      write: base64url,
      make: async () =>
        cookieFrom(
          await send("/passkey/options/authenticate", { fields: {} }),
          "__Host-framework.passkey",
        ),
    },
    {
      what: "challenge",
      from: "sign_in/passkey/ceremony.ts",
      bytes: 32,
      write: base64url,
      make: async () =>
        (await (await send("/passkey/options/authenticate", { fields: {} })).json()).challenge,
    },
    {
      what: "passkey user handle of a new user",
      from: "sign_in/passkey/register.ts",
      bytes: 32,
      write: base64url,
      make: () => handleOf(createPasskeyBrowser(application).registrationOptions({ name: "Ada" })),
    },
    {
      what: "passkey user handle of a known user",
      from: "sign_in/passkey/register.ts",
      bytes: 32,
      write: base64url,
      async make() {
        const browser = createPasskeyBrowser(application);
        await browser.signIn();
        return await handleOf(browser.registrationOptions());
      },
    },
    {
      what: "link of a change of address",
      from: "account/email_change.ts",
      bytes: 32,
      write: base64url,
      async make() {
        const cookie = await application.signIn("grace");
        await send("/account/email", { cookie, fields: { email: "grace@example.com" } });
        return new URL(changes.at(-1)!.url).searchParams.get("token")!;
      },
    },
    {
      what: "salt of a password",
      from: "password/password.ts",
      bytes: 16,
      write: (bytes) => bytes.toString("base64").replaceAll("=", ""),
      make: async () => (await hashPassword("a password")).split("$")[3]!,
    },
    {
      what: "nonce of a sealed text",
      from: "lib/keys.ts",
      bytes: 12,
      write: base64url,
      async make() {
        const sealed = await seal("text", { secrets: ["s".repeat(32)], purpose: "provider-token" });
        return base64url(Buffer.from(sealed.slice(2), "base64url").subarray(0, 12));
      },
    },
    {
      what: "key of a storage without tables",
      from: "storage/database_key.ts",
      bytes: 32,
      write: hex,
      make: withoutTables,
    },
    {
      what: "key while the database does not answer",
      from: "storage/database_key.ts",
      bytes: 32,
      write: hex,
      make: withoutAnswer,
    },
    {
      what: "token of generateToken()",
      from: "lib/secret.ts",
      bytes: 32,
      write: hex,
      make: async () => await generateToken(),
    },
  ];
}

/** What is random and opens nothing: where, and why it may be known or guessed. */
const NO_SECRETS: readonly [from: string, why: string][] = [
  ["account/activity.ts", "the id of a row"],
  ["account/email_change.ts", "names a change, and is given to nobody"],
  ["sign_in/identity.ts", "the id of a user"],
  ["sign_in/email/request.ts", "the id of a user whom nobody has made"],
  ["session/request.ts", "the name of a request in the log"],
  ["core/respond.ts", "the name of a request in the log"],
  ["sign_in/passkey/register.ts", "the id of a user"],
  ["storage/rate_limits.ts", "tells attempts of one millisecond apart"],
  ["session/database.ts", "decides when what has ended is removed"],
  ["session/user_operations.ts", "the id of a user"],
  ["sign_in/credentials.ts", "the id of a user who does not exist"],
  ["tenant/record.ts", "the id of a tenant"],
];

/** Runs work and gives what it gave, and what the generator gave meanwhile. */
async function watchGenerator<T>(work: () => Promise<T>): Promise<{ result: T; draws: Buffer[] }> {
  const { getRandomValues } = crypto;
  const draws: Buffer[] = [];
  crypto.getRandomValues = ((array: Uint8Array<ArrayBuffer>) => {
    getRandomValues.call(crypto, array);
    draws.push(Buffer.from(array));
    return array;
  }) as Crypto["getRandomValues"];
  try {
    return { result: await work(), draws };
  } finally {
    crypto.getRandomValues = getRandomValues;
  }
}

// Tracks: R014, R019, R031, R085, R109, PF-q19
Deno.test("every secret of the library is bytes of the platform's generator, all of which it holds", async (test) => {
  const application = createApplication();
  for (const { what, bytes, write, make } of secretsOf(application)) {
    await test.step(what, async () => {
      const { result: secrets, draws } = await watchGenerator(async () => [
        await make(),
        await make(),
      ]);
      for (const secret of secrets) {
        const at = draws.findIndex((draw) => draw.length === bytes && write(draw) === secret);
        assert.notEqual(at, -1, `${bytes} bytes, written in full`);
        // No two of them are made of the same bytes.
        draws.splice(at, 1);
      }
    });
  }
  application.close();
});

/** The calls that make something random, of the library's own files, without those that define how. */
async function randomCalls(): Promise<string[]> {
  const root = fileURLToPath(new URL("../", import.meta.url));
  const calls =
    /(?<!function )\b(?:randomBytes|createSecret|generateToken|createSessionToken|createSessionId|createCode|randomUUID|getRandomValues|Math\.random)\(/g;
  const makers =
    /^(?:export )?(?:async )?function (?:randomBytes|createSecret|generateToken|createSessionToken|createSessionId|createCode)\([^]*?^}$/gm;
  const found: string[] = [];
  for (const name of await readdir(root, { recursive: true })) {
    const file = name.replaceAll("\\", "/");
    if (!/^(?!tests\/|node_modules\/).*(?<!_test)\.ts$/.test(file)) continue;
    const text = await readFile(root + name, "utf8");
    const code = text.replace(/\/\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "")
      .replace(makers, "");
    for (const _ of code.matchAll(calls)) found.push(file);
  }
  return found.sort();
}

Deno.test("whatever the library makes at random is in the table of its secrets, or no secret", async () => {
  const application = createApplication();
  const listed = [
    ...secretsOf(application).map(({ from }) => from).filter((from) => from !== "lib/secret.ts"),
    ...NO_SECRETS.map(([from]) => from),
  ];
  application.close();
  assert.deepEqual(await randomCalls(), listed.sort());
});
