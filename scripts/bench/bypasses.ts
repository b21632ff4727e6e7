/**
 * Ways past a second factor, here and at Better Auth: every way in of a user who has one, and codes that come twice. The
 * table of docs/second_factor.md is what it prints.
 *
 * ```sh
 * deno run -A scripts/bench/bypasses.ts
 * ```
 *
 * @module
 */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { URI } from "otpauth";
import type { PasskeyBrowser } from "../../auth/tests/passkey_browser.ts";
import { type FactorApplication, withFactor } from "../../auth/tests/second_factor_application.ts";
import { WAYS } from "../../auth/tests/ways_in.ts";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";
import {
  betterAuthConfig,
  emptyTables,
  jsonRequest,
  ORIGIN,
  PERSON,
} from "./programs/better_auth.ts";
import { type BetterAuth, installPeers, PEER_MODULES, peerVersions } from "./peers.ts";

/** Sign-ins at once with one code. */
const AT_ONCE = 20;

/** Results by what was tried. */
export type Rows = Map<string, string>;

const ASKED = "asked";
const IN = "**signed in**";

/** The library's own part of the table. */
export async function own(): Promise<Rows> {
  const rows: Rows = new Map();
  for (const [name, come] of Object.values(WAYS).flatMap((ways) => Object.entries(ways))) {
    await withFactor(async (application) => {
      const member = await application.member();
      const authenticator = createSoftwareAuthenticator({ userVerified: false });
      await member.register(authenticator);
      await application.enrol(member);
      const browser = application.browser();
      await come(application, browser, authenticator);
      rows.set(name, await browser.user() === null ? ASKED : IN);
    });
  }
  await withFactor(async (application) => {
    const member = await application.member();
    const offered = await (await member.send("/second-factor/setup")).json();
    const code = await application.code(offered.secret);
    const confirmed = await member.send("/second-factor/setup", {
      fields: { setUp: offered.setUp, code },
    });
    const { recoveryCodes } = await confirmed.json();
    const one = (given: string) => () => Promise.resolve(given);
    rows.set(ENROLMENT, await inTurn(application, one(code)));
    application.wait(30_000);
    rows.set(PARALLEL, await atOnce(application, await application.code(offered.secret)));
    rows.set(RECOVERY, await inTurn(application, one(recoveryCodes[0])));
    rows.set(PARALLEL_RECOVERY, await atOnce(application, recoveryCodes[1]));
  });
  return rows;
}

const ENROLMENT = "the code that turned the factor on, two more times";
const PARALLEL = `one code of the app, ${AT_ONCE} sign-ins at once`;
const RECOVERY = "one recovery code, two times in turn";
const PARALLEL_RECOVERY = `one recovery code, ${AT_ONCE} sign-ins at once`;

function outOf(count: number, all: number): string {
  return `${count} of ${all} signed in`;
}

async function inTurn(
  application: FactorApplication,
  code: () => Promise<string>,
): Promise<string> {
  let count = 0;
  for (let turn = 0; turn < 2; turn++) {
    const browser = application.browser();
    await application.begin(browser);
    await application.answer(browser, await code());
    if (await browser.user() !== null) count++;
  }
  return outOf(count, 2);
}

async function atOnce(application: FactorApplication, code: string): Promise<string> {
  const browsers = await Promise.all(
    Array.from({ length: AT_ONCE }, async (): Promise<PasskeyBrowser> => {
      const browser = application.browser();
      await application.begin(browser);
      return browser;
    }),
  );
  await Promise.all(browsers.map((browser) => application.answer(browser, code)));
  const users = await Promise.all(browsers.map((browser) => browser.user()));
  return outOf(users.filter((user) => user !== null).length, AT_ONCE);
}

/** Plugins of Better Auth that are used. */
type Plugins = Record<
  "twoFactor" | "magicLink" | "emailOTP" | "username" | "phoneNumber" | "genericOAuth",
  (options?: Record<string, unknown>) => unknown
>;

interface Visitor {
  send(path: string, body?: unknown): Promise<{ status: number; json: Json }>;
  isIn(): Promise<boolean>;
}

// deno-lint-ignore no-explicit-any -- answers of another library, of which this reads a few fields
type Json = any;

function visitorOf(auth: BetterAuth): Visitor {
  const cookies = new Map<string, string>();

  async function send(path: string, body?: unknown) {
    const url = `/api/auth${path}`;
    const request = body === undefined ? new Request(ORIGIN + url) : jsonRequest(url, body);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = new Headers(request.headers);
    headers.set("cookie", cookie);
    const response = await auth.handler(new Request(request, { headers }));
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/max-age=0(?:;|$)/i.test(line)) cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const text = await response.text();
    return { status: response.status, json: text.startsWith("{") ? JSON.parse(text) : null };
  }

  return {
    send,
    isIn: async () => (await send("/get-session")).json?.user !== undefined,
  };
}

/** Better Auth's part of the table. */
async function betterAuth(folder: string): Promise<Rows> {
  const { resolve } = createRequire(join(folder, "index.js"));
  const load = async (specifier: string) => await import(pathToFileURL(resolve(specifier)).href);
  const { betterAuth } = await load(PEER_MODULES.betterAuthMinimal);
  const { memoryAdapter } = await load(PEER_MODULES.betterAuthMemory);
  const plugins: Plugins = await load("better-auth/plugins");
  const sent: Record<string, string> = {};
  const keep = (name: string) => (mail: Record<string, string>) => {
    sent[name] = (mail.token ?? mail.otp ?? mail.code)!;
    return Promise.resolve();
  };
  const config = betterAuthConfig({});
  const auth: BetterAuth = betterAuth({
    ...config,
    database: memoryAdapter({ ...emptyTables(), twoFactor: [] }),
    account: { accountLinking: { enabled: true, trustedProviders: ["provider"] } },
    emailAndPassword: { enabled: true, autoSignIn: true, sendResetPassword: keep("reset") },
    plugins: [
      plugins.twoFactor({ issuer: "App" }),
      plugins.magicLink({ sendMagicLink: keep("link") }),
      plugins.emailOTP({ sendVerificationOTP: keep("code") }),
      plugins.username(),
      plugins.phoneNumber({ sendOTP: keep("phone") }),
      plugins.genericOAuth({
        config: [{
          providerId: "provider",
          clientId: "id",
          clientSecret: "secret",
          authorizationUrl: "https://id.example/authorize",
          tokenUrl: "https://id.example/token",
          getToken: () => Promise.resolve({ accessToken: "token" }),
          getUserInfo: () =>
            Promise.resolve({ id: "1", email: PERSON.email, emailVerified: true, name: "Ada" }),
        }],
      }),
    ],
  });
  const { email, name } = PERSON;
  const phoneNumber = "+4915112345678";
  let { password } = PERSON;
  const byPassword = (visitor: Visitor) => visitor.send("/sign-in/email", { email, password });

  const ada = visitorOf(auth);
  await ada.send("/sign-up/email", { name, email, password, username: "ada_l" });
  await ada.send("/phone-number/send-otp", { phoneNumber });
  const { phone: code } = sent;
  await ada.send("/phone-number/verify", { phoneNumber, code, updatePhoneNumber: true });
  await ada.send("/email-otp/send-verification-otp", { email, type: "email-verification" });
  await ada.send("/email-otp/verify-email", { email, otp: sent.code });
  const { json: { totpURI, backupCodes } } = await ada.send("/two-factor/enable", { password });
  const totp = URI.parse(totpURI) as { generate(options?: { timestamp: number }): string };
  const first = totp.generate();
  assert.equal((await ada.send("/two-factor/verify-totp", { code: first })).status, 200);

  const ways: Record<string, (visitor: Visitor) => Promise<unknown>> = {
    "a password": byPassword,
    "a password, after a reset by mail": async (visitor) => {
      await visitor.send("/request-password-reset", { email, redirectTo: "/reset" });
      password = `${password}-2`;
      await visitor.send("/reset-password", { token: sent.reset, newPassword: password });
      return await byPassword(visitor);
    },
    "a user name and a password": (visitor) =>
      visitor.send("/sign-in/username", { username: "ada_l", password }),
    "a phone number and a password": (visitor) =>
      visitor.send("/sign-in/phone-number", { phoneNumber, password }),
    "a code by phone": async (visitor) => {
      await visitor.send("/phone-number/send-otp", { phoneNumber });
      return await visitor.send("/phone-number/verify", { phoneNumber, code: sent.phone });
    },
    "a link by mail": async (visitor) => {
      await visitor.send("/sign-in/magic-link", { email });
      return await visitor.send(`/magic-link/verify?token=${sent.link}`);
    },
    "a code by mail": async (visitor) => {
      await visitor.send("/email-otp/send-verification-otp", { email, type: "sign-in" });
      return await visitor.send("/sign-in/email-otp", { email, otp: sent.code });
    },
    "an account at a provider": async (visitor) => {
      const begun = { provider: "provider", callbackURL: "/" };
      const { json: { url } } = await visitor.send("/sign-in/social", begun);
      const state = new URL(url).searchParams.get("state");
      return await visitor.send(`/callback/provider?code=code&state=${state}`);
    },
  };
  const rows: Rows = new Map();
  for (const [way, come] of Object.entries(ways)) {
    const visitor = visitorOf(auth);
    await come(visitor);
    rows.set(way, await visitor.isIn() ? IN : ASKED);
  }

  async function factorAtOnce(path: string, code: string, count: number): Promise<string> {
    const visitors = Array.from({ length: count }, () => visitorOf(auth));
    await Promise.all(visitors.map(byPassword));
    await Promise.all(visitors.map((visitor) => visitor.send(path, { code })));
    const isIn = await Promise.all(visitors.map((visitor) => visitor.isIn()));
    return outOf(isIn.filter(Boolean).length, count);
  }

  async function factorInTurn(path: string, code: string): Promise<string> {
    let count = 0;
    for (let turn = 0; turn < 2; turn++) {
      if (await factorAtOnce(path, code, 1) === outOf(1, 1)) count++;
    }
    return outOf(count, 2);
  }

  const [app, recovery] = ["/two-factor/verify-totp", "/two-factor/verify-backup-code"];
  rows.set(ENROLMENT, await factorInTurn(app, first));
  const next = totp.generate({ timestamp: Date.now() + 30_000 });
  rows.set(PARALLEL, await factorAtOnce(app, next, AT_ONCE));
  rows.set(RECOVERY, await factorInTurn(recovery, backupCodes[0]));
  rows.set(PARALLEL_RECOVERY, await factorAtOnce(recovery, backupCodes[1], AT_ONCE));
  return rows;
}

/** The table as Markdown. */
function print(version: string, ours: Rows, theirs: Rows): string {
  const last = [ENROLMENT, PARALLEL, RECOVERY, PARALLEL_RECOVERY];
  const names = [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((name) => !last.includes(name));
  return [
    `| a user with a second factor comes by | \`secondFactor()\` | Better Auth ${version} |`,
    "| --- | --- | --- |",
    ...[...names, ...last].map((name) =>
      `| ${name} | ${ours.get(name) ?? "–"} | ${theirs.get(name) ?? "–"} |`
    ),
  ].join("\n");
}

if (import.meta.main) {
  const folder = await installPeers();
  const { "better-auth": version } = await peerVersions();
  // deno-lint-ignore no-console -- this program prints
  console.log(print(version!, await own(), await betterAuth(folder)));
}
