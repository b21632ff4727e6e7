import assert from "node:assert/strict";
import { deviceBound } from "../sign_in/device_bound/provider.ts";
import { createDevice, type Device } from "./device.ts";
import { Buffer } from "node:buffer";
import process from "node:process";
import { accountPage } from "../account/page.ts";
import type { EmailChangeParams } from "../account/email_change.ts";
import { hashPassword } from "../password/hash.ts";
import { seal } from "../lib/keys.ts";
import { generateToken } from "../lib/secret.ts";
import { developmentSecret } from "../session/jwt_strategy.ts";
import { issueOneTimeToken } from "../sign_in/one_time_token.ts";
import { createOAuth2Provider } from "../sign_in/oauth/provider.ts";
import { email } from "../sign_in/email/provider.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import { secondFactor } from "../sign_in/second_factor/provider.ts";
import { stepAt, toBase32, totpCode } from "../sign_in/second_factor/totp.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createSqlStorage } from "../storage/sql.ts";
import {
  cookieOf,
  createTestApplication,
  ORIGIN,
  passwordProvider,
  type TestApplication,
  visit,
} from "./application.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { impersonation } from "../account/impersonation.ts";
import { createWebhookSecret } from "../outbox/webhook_signature.ts";
import { createKeyApplication } from "./api_key_application.ts";
import { type AutomaticWorld, withAutomatic } from "./automatic_application.ts";
import { declarationsWith } from "./declarations.ts";
import { createPasskeyBrowser, type PasskeyBrowser } from "./passkey_browser.ts";
import { type PasswordApplication, tokenOf, withPasswords } from "./password_application.ts";
import { withFactor } from "./second_factor_application.ts";
import { createTeamApplication } from "./team_application.ts";
import { claimsOf, createTokenApplication } from "./token_application.ts";
import type { EmailParams } from "../types/application.ts";
import { databaseKeyOf } from "../storage/database_key.ts";

/** A text that must not be guessed. */
interface RandomSecret {
  what: string;
  /** Name of the declaration that asks for it. */
  from: string;
  /** Number of bytes from the platform's generator. */
  bytes: number;
  /** Encoding of these bytes. */
  write: (bytes: Buffer) => string;
  /** Makes one as the application does. */
  make: () => Promise<string>;
}

const base64url = (bytes: Buffer): string => bytes.toString("base64url");
function base62(bytes: Buffer): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let text = "";
  for (let rest = BigInt(`0x${bytes.toString("hex")}`); rest > 0n; rest /= 62n) {
    text = digits[Number(rest % 62n)] + text;
  }
  return text.padStart(bytes.length === 32 ? 43 : 17, "0");
}
const hex = (bytes: Buffer): string => bytes.toString("hex");

function createApplication() {
  const outbox: EmailParams[] = [];
  const changes: EmailChangeParams[] = [];
  const application = createTestApplication({
    rateLimit: false,
    secret: "a secret of the test, of 32 bytes or more",
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
      secondFactor({ sendMail() {} }),
    ],
  });
  return { ...application, outbox, changes };
}

type Application = ReturnType<typeof createApplication>;

/** Calls a function as in a process that was started for development. */
function inDevelopment<T>(work: () => T): T {
  const mode = process.env.NODE_ENV;
  process.env.NODE_ENV = "development";
  try {
    return work();
  } finally {
    if (mode === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = mode;
  }
}

/** Has an administrator act for a user, and reads the cookie of it. */
async function makeImpersonation(): Promise<string> {
  const { send, database, close } = createTestApplication({
    rateLimit: false,
    rbac: defineRBAC({ roles: [{ id: "admin", name: "Administrator", permissions: ["*"] }] }),
    providers: [passwordProvider(), impersonation({ permission: "users:impersonate" })],
  });
  try {
    await send("/signin/credentials", { fields: { name: "bob", password: "right" } });
    const fields = { name: "ada", password: "right" };
    const cookie = cookieOf(await send("/signin/credentials", { fields }));
    database.sqlite.exec("UPDATE users SET role = 'admin' WHERE id = 'ada'");
    const begun = await send("/impersonation", { cookie, fields: { id: "bob", reason: "Ticket" } });
    return /impersonation=([^;]*)/.exec(begun.headers.getSetCookie().join())![1]!;
  } finally {
    close();
  }
}

/** Signs somebody in where sessions are bound to devices, and reads what is wanted. */
async function bind(
  read: (application: TestApplication, device: Device) => string | Promise<string>,
): Promise<string> {
  const session = { deviceBound: deviceBound({ sendMail() {} }) };
  const application = createTestApplication({ rateLimit: false, session });
  const device = await createDevice(application);
  await device.signIn();
  const found = await read(application, device);
  application.close();
  return found;
}

function rowOf({ sqlite }: TestApplication["database"]): Record<string, unknown> {
  return sqlite.prepare("SELECT device FROM sessions").get()!;
}

/** Makes an API key, and gives one of its parts. */
async function partOfKey(index: number): Promise<string> {
  const application = createKeyApplication();
  const { key } = await application.make();
  application.close();
  return key.split("_")[index]!;
}

/** Signs somebody up in an application with passwords, and reads what is wanted. */
async function signUp(
  config: Parameters<typeof withPasswords>[1],
  read: (application: PasswordApplication, response: Response) => string | Promise<string>,
): Promise<string> {
  let found = "";
  await withPasswords(async (application) => {
    const response = await application.signUp("ada@example.com");
    await application.settle();
    found = await read(application, response);
  }, config);
  return found;
}

/** Signs somebody in with a password where passkeys are made by themselves, and reads what is wanted. */
async function afterPassword(
  read: (world: AutomaticWorld, browser: PasskeyBrowser) => string | Promise<string>,
): Promise<string> {
  let found = "";
  await withAutomatic(async (world) => {
    found = await read(world, await world.signedIn());
  });
  return found;
}

/** Signs somebody new in by mail, and turns a second factor on. */
async function turnOnSecondFactor({ send, outbox, clock }: Application) {
  const address = `factor${outbox.length}@example.com`;
  const headers = { accept: "application/json" };
  const byMail = async (): Promise<Response> => {
    await send("/signin/email", { fields: { email: address } });
    const { token, identifier } = outbox.at(-1)!;
    return await send("/callback/email", { fields: { token, email: identifier }, headers });
  };
  const session = cookieFrom(await byMail(), "framework.session-token");
  const cookie = `framework.session-token=${session}`;
  const { secret, setUp } = await (await send("/second-factor/setup", { cookie, headers })).json();
  const code = await totpCode(secret, stepAt(clock.now));
  const fields = { setUp, code };
  const answer = await send("/second-factor/setup", { cookie, fields, headers });
  const token = cookieFrom(answer, "framework.session-token");
  const { recoveryCodes } = await answer.json();
  const begin = async () => cookieFrom(await byMail(), "__Host-framework.second-step");
  return { secret, recoveryCodes, begin, token };
}

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
      from: "createDatabaseStrategy",
      bytes: 32,
      write: base64url,
      make: async () => cookieFrom(await signIn("ada"), "framework.session-token"),
    },
    {
      what: "session id",
      from: "createDatabaseStrategy",
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
      from: "createJwtStrategy",
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
      from: "ACCOUNT_GUARD",
      bytes: 32,
      write: base64url,
      make: async () => cookieFrom(await signIn("ada"), "__Host-framework.known"),
    },
    {
      what: "public id of an API key",
      from: "createKeyId",
      bytes: 12,
      write: base62,
      make: () => partOfKey(2),
    },
    {
      what: "secret of an API key",
      from: "createKeySecret",
      bytes: 32,
      write: base62,
      make: () => partOfKey(3),
    },
    {
      what: "one-time token",
      from: "issueOneTimeToken",
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
      what: "link of an email",
      from: "prepare",
      bytes: 32,
      write: base64url,
      make: async () => (await ask(), outbox.at(-1)!.token),
    },
    {
      what: "code of an email",
      from: "prepare",
      bytes: 4,
      write: (bytes) => String(bytes.readUInt32BE() % 1_000_000).padStart(6, "0"),
      make: async () => (await ask(), outbox.at(-1)!.code!),
    },
    {
      what: "browser that asked for an email",
      from: "requestEndpoint",
      bytes: 32,
      write: base64url,
      make: async () => cookieFrom(await ask(), "__Host-framework.email"),
    },
    {
      what: "token of a link that ends a sign-up",
      from: "storeAndSend",
      bytes: 32,
      write: base64url,
      make: () => signUp({}, ({ outbox }) => tokenOf(outbox.at(-1)!)),
    },
    {
      what: "browser that signs up",
      from: "answerSignUp",
      bytes: 32,
      write: base64url,
      make: () => signUp({}, (_, response) => cookieFrom(response, "__Host-framework.email")),
    },
    {
      what: "token of a link that proves an address later",
      from: "sendLink",
      bytes: 32,
      write: base64url,
      make: () => signUp({ verification: "later" }, ({ outbox }) => tokenOf(outbox.at(-1)!)),
    },
    {
      what: "browser that proves its address later",
      from: "signUpAtOnce",
      bytes: 32,
      write: base64url,
      make: () =>
        signUp(
          { verification: "later" },
          (_, response) => cookieFrom(response, "__Host-framework.email"),
        ),
    },
    {
      what: "token of a link to a new password",
      from: "sendLink",
      bytes: 32,
      write: base64url,
      make: () => signUp({ verification: "later" }, ({ askReset }) => askReset("ada@example.com")),
    },
    {
      what: "browser of a sign-in at a provider, from which state, verifier and nonce are hashed",
      from: "beginTransaction",
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
      from: "rememberBrowser",
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
      from: "issueChallenge",
      bytes: 32,
      write: base64url,
      make: async () =>
        (await (await send("/passkey/options/authenticate", { fields: {} })).json()).challenge,
    },
    {
      what: "secret of a session's challenges",
      from: "createBoundStrategy",
      bytes: 32,
      write: base64url,
      make: () => bind(({ database }) => String(rowOf(database).device).split(".")[6]!),
    },
    {
      what: "short cookie",
      from: "findStored",
      bytes: 32,
      write: base64url,
      make: () =>
        bind(async (_, device) => {
          await device.register();
          await device.refresh();
          return device.jar.get("framework.session-token-device")!;
        }),
    },
    {
      what: "passkey user handle of a new user",
      from: "startForNewUser",
      bytes: 32,
      write: base64url,
      make: () => handleOf(createPasskeyBrowser(application).registrationOptions({ name: "Ada" })),
    },
    {
      what: "passkey user handle of a known user",
      from: "startForOwner",
      bytes: 32,
      write: base64url,
      async make() {
        const browser = createPasskeyBrowser(application);
        await browser.signIn();
        return await handleOf(browser.registrationOptions());
      },
    },
    {
      what: "passkey user handle of who has just signed in",
      from: "automaticEndpoint",
      bytes: 32,
      write: base64url,
      make: () => afterPassword(({ ask }, browser) => handleOf(ask(browser) as never)),
    },
    {
      what: "browser that has been offered a passkey",
      from: "offerPasskey",
      bytes: 32,
      write: base64url,
      make: () =>
        afterPassword((_world, { cookies }) => cookies.get("__Host-framework.passkey-offer")!),
    },
    {
      what: "link that removes a passkey",
      from: "tellOfPasskey",
      bytes: 32,
      write: base64url,
      make: () =>
        afterPassword(async ({ make, mails }, browser) => {
          await make(browser);
          return new URL(mails[0]!.url).searchParams.get("token")!;
        }),
    },
    {
      what: "shared secret of a second factor",
      from: "createTotpSecret",
      bytes: 20,
      write: toBase32,
      make: async () => (await turnOnSecondFactor(application)).secret,
    },
    {
      what: "recovery code",
      from: "createRecoveryCodes",
      bytes: 10,
      write: (bytes) => toBase32(bytes).toLowerCase().match(/.{4}/g)!.join("-"),
      make: async () => (await turnOnSecondFactor(application)).recoveryCodes[0],
    },
    {
      what: "session token after the proof of a second factor",
      from: "withNewToken",
      bytes: 32,
      write: base64url,
      make: async () => (await turnOnSecondFactor(application)).token,
    },
    {
      what: "browser of a sign-in that waits for its second step",
      from: "openStep",
      bytes: 32,
      write: base64url,
      make: async () => await (await turnOnSecondFactor(application)).begin(),
    },
    {
      what: "link that cancels a request for recovery",
      from: "askRecovery",
      bytes: 32,
      write: base64url,
      async make() {
        let token = "";
        await withFactor(
          async (own) => {
            await own.enrol(await own.member());
            const browser = own.browser();
            await own.begin(browser);
            await browser.send("/second-factor/recovery", { fields: {} });
            token = new URL(own.news.at(-1)!.url).searchParams.get("token")!;
          },
          "database",
          { recovery: {} },
        );
        return token;
      },
    },
    {
      what: "browser that is trusted",
      from: "trustBrowser",
      bytes: 32,
      write: base64url,
      async make() {
        const { recoveryCodes: [code], begin } = await turnOnSecondFactor(application);
        const cookie = `__Host-framework.second-step=${await begin()}`;
        const fields = { code, trust: "yes" };
        const response = await send("/second-factor", { cookie, fields, headers: json });
        return cookieFrom(response, "__Host-framework.trusted");
      },
    },
    {
      what: "link of a change of address",
      from: "sendLink",
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
      from: "createPasswordHasher",
      bytes: 16,
      write: (bytes) => bytes.toString("base64").replaceAll("=", ""),
      make: async () => (await hashPassword("a password")).split("$")[3]!,
    },
    {
      what: "nonce of a sealed text",
      from: "makeNonce",
      bytes: 12,
      write: base64url,
      async make() {
        const sealed = await seal("text", { secrets: ["s".repeat(32)], purpose: "provider-token" });
        return base64url(Buffer.from(sealed.slice(2), "base64url").subarray(0, 12));
      },
    },
    {
      what: "secret of a process in development",
      from: "developmentSecret",
      bytes: 32,
      write: base64url,
      make: () => Promise.resolve(inDevelopment(developmentSecret)),
    },
    {
      what: "key of a storage without tables",
      from: "readKey",
      bytes: 32,
      write: hex,
      make: withoutTables,
    },
    {
      what: "key while the database does not answer",
      from: "databaseKeyOf",
      bytes: 32,
      write: hex,
      make: withoutAnswer,
    },
    {
      what: "impersonation",
      from: "beginImpersonation",
      bytes: 32,
      write: base64url,
      make: makeImpersonation,
    },
    {
      what: "secret of an invitation",
      from: "inviteTo",
      bytes: 32,
      write: base64url,
      async make() {
        const team = await createTeamApplication();
        const token = await team.invite("grace@example.com");
        team.close();
        return token;
      },
    },
    {
      what: "secret of a webhook",
      from: "createWebhookSecret",
      bytes: 32,
      write: (bytes) => `whsec_${btoa(String.fromCharCode(...bytes))}`,
      make: () => Promise.resolve(createWebhookSecret()),
    },
    {
      what: "token of generateToken()",
      from: "generateToken",
      bytes: 32,
      write: hex,
      make: async () => await generateToken(),
    },
  ];
}

/** Random values that open nothing: their place, and why they may be known or guessed. */
const NO_SECRETS: readonly [from: string, why: string][] = [
  ["storeEvent", "the id of a row"],
  ["createId", "the id of an event"],
  ["addTenantWebhook", "the id of an address"],
  ["begin", "the id of an invitation that is being accepted"],
  ["deliverDue", "the lease of a runner, which is given to nobody"],
  ["createChance", "spreads tries over time"],
  ["makeEntry", "the id of a row"],
  ["makeEntry", "a salt, which stands beside what it is for"],
  [
    "createJwtStrategy",
    "the id of a session under its new token, which is made as that of a new one",
  ],
  [
    "createBoundJwtStrategy",
    "the id of a session under its bound token, which is made as that of a new one",
  ],
  [
    "createBoundJwtStrategy",
    "the id of a session under the token that follows a step-up, which is made as that of a new one",
  ],
  ["askForProof", "a challenge for a session that is not there, which nobody can answer"],
  ["sendMails", "names a change, and is given to nobody"],
  ["chooseNew", "the id of a user"],
  ["verdict", "the id of a user whom nobody has made"],
  ["OpenScope", "the name of a request in the log"],
  ["nodeAuth", "the name of a request in the log"],
  ["publicError", "the name of a request in the log"],
  ["startForNewUser", "the id of a user"],
  ["createHit", "tells attempts of one millisecond apart"],
  ["createValkeyRateLimitStorage", "tells attempts of one millisecond apart"],
  ["createMemoryRateLimits", "chooses with whom a key shares a count, for a while"],
  ["sweepNowAndThen", "decides when what has ended is removed"],
  ["createUser", "the id of a user"],
  ["credentialsEndpoint", "the id of a user who does not exist"],
  ["passwordEndpoint", "the id of a user who does not exist"],
  ["askApplication", "the id of a user whom nobody has made"],
  ["answerSignUp", "the id of a user whom nobody makes"],
  ["completeSignUp", "the id of a user"],
  ["signUpAtOnce", "the id of a user"],
  ["withNewToken", "names the row of the token before, which is no token"],
  ["createDurableObjectHasher", "chooses one of the objects that hash"],
  ["createTenantRecord", "the id of a tenant"],
  ["createByForm", "a part of the slug of a tenant"],
  ["joinAsNew", "the id of a user"],
  ["inviteTo", "the id of an invitation, beside its secret"],
  ["authByJwt", "names a JWT of a client, which the client's key signs"],
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

/** Functions that make something random, which are not random calls of their own. */
const MAKERS = [
  "randomBytes",
  "createSecret",
  "generateToken",
  "createSessionToken",
  "createSessionId",
  "createCode",
];

Deno.test("whatever the library makes at random is in the table of its secrets, or no secret", async () => {
  const calls = new RegExp(
    `(?<!function )\\b(?:${MAKERS.join("|")}|randomUUID|getRandomValues|Math\\.random)\\(`,
    "g",
  );
  const application = createApplication();
  const listed = [
    ...secretsOf(application).map(({ from }) => from),
    ...NO_SECRETS.map(([from]) => from),
  ].filter((from) => !MAKERS.includes(from));
  application.close();
  const found = (await declarationsWith(calls)).filter((name) => !MAKERS.includes(name));
  assert.deepEqual(found, listed.sort());
});
