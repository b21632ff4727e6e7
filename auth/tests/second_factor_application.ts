import assert from "node:assert/strict";
import type { EmailChangeParams } from "../account/email_change.ts";
import { accountPage } from "../account/page.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import type { AuthOptions } from "../app/options.ts";
import { credentials } from "../sign_in/credentials.ts";
import { email } from "../sign_in/email/provider.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import type { PasswordsConfig } from "../sign_in/password/options.ts";
import type { SecondFactorConfig, SecondFactorMail } from "../sign_in/second_factor/factor.ts";
import { secondFactor } from "../sign_in/second_factor/provider.ts";
import { stepAt, totpCode } from "../sign_in/second_factor/totp.ts";
import { createSqlRevocationStore } from "../storage/revocations.ts";
import type { EmailParams } from "../types/application.ts";
import { ORIGIN } from "./application.ts";
import { createD1Double } from "./d1_double.ts";
import { identityProvider } from "./identity_provider.ts";
import { createPasskeyBrowser, type PasskeyBrowser } from "./passkey_browser.ts";
import { PASSWORD, type PasswordApplication, withPasswords } from "./password_application.ts";

/** Address of the user who has a second factor. */
export const ADA = "ada@example.com";

/** An application with every way in, and a second factor. */
export interface FactorApplication extends PasswordApplication {
  /** Mails of `email()`, the newest last. */
  links: EmailParams[];
  /** Mails about a new address, the newest last. */
  changes: EmailChangeParams[];
  /** Mails about two-step sign-in, the newest last. */
  news: SecondFactorMail[];
  /** Id of the user. */
  userId(): string;
  /** A browser without cookies, which wants JSON. */
  browser(): PasskeyBrowser;
  /** A browser in which the user has signed up. */
  member(): Promise<PasskeyBrowser>;
  /** Code of the app at this moment, or some steps of 30 seconds away. */
  code(secret: string, away?: number): Promise<string>;
  /** Turns the factor on; the clock is one step on afterwards. */
  enrol(browser: PasskeyBrowser): Promise<{ secret: string; codes: string[] }>;
  /** Signs in with the password, without the second step. */
  begin(browser: PasskeyBrowser, fields?: Record<string, string>): Promise<Response>;
  /** Sends the second factor. */
  answer(browser: PasskeyBrowser, code: string, more?: Record<string, string>): Promise<Response>;
  /** Moves the clock. */
  wait(milliseconds: number): void;
}

/** Runs a test with such an application, and closes it. */
export async function withFactor(
  test: (application: FactorApplication) => Promise<void>,
  strategy: "database" | "jwt" = "database",
  config: Partial<SecondFactorConfig> = {},
  options: Partial<AuthOptions> = {},
  own: Partial<PasswordsConfig> = {},
): Promise<void> {
  const links: EmailParams[] = [];
  const changes: EmailChangeParams[] = [];
  const news: SecondFactorMail[] = [];
  const database = createD1Double();
  let ada = "";
  try {
    await withPasswords(
      async (application) => {
        const made: FactorApplication = {
          ...application,
          database,
          links,
          changes,
          news,
          userId: () => ada,
          browser: () => createPasskeyBrowser(application),
          async member() {
            const cookie = await application.join(ADA);
            ada = String(application.rows("users")[0]!.id);
            const browser = createPasskeyBrowser(application);
            for (const pair of cookie.split("; ")) {
              browser.cookies.set(
                pair.slice(0, pair.indexOf("=")),
                pair.slice(pair.indexOf("=") + 1),
              );
            }
            return browser;
          },
          code: (secret, away = 0) => totpCode(secret, stepAt(application.clock.now) + away),
          async enrol(browser) {
            const offered = await (await browser.send("/second-factor/setup")).json();
            const confirmed = await browser.send("/second-factor/setup", {
              fields: { setUp: offered.setUp, code: await made.code(offered.secret) },
            });
            assert.equal(confirmed.status, 200);
            made.wait(30_000);
            return { secret: offered.secret, codes: (await confirmed.json()).recoveryCodes };
          },
          begin: (browser, fields = {}) =>
            browser.send("/signin/passwords", {
              fields: { email: ADA, password: PASSWORD, ...fields },
            }),
          answer: (browser, code, more = {}) =>
            browser.send("/second-factor", { fields: { code, ...more } }),
          wait: (milliseconds) => void (application.clock.now += milliseconds),
        };
        await test(made);
      },
      own,
      {
        database,
        rateLimit: false,
        cookies: { sessionToken: { hostOnly: true } },
        secret: "0123456789abcdef0123456789abcdef",
        ...options,
        session: {
          ...strategy === "jwt"
            ? { strategy: jwtSessions, revocation: createSqlRevocationStore(database) }
            : { strategy: "database" },
          ...options.session,
        },
        providers: [
          credentials({
            credentials: { password: { label: "Password", type: "password" } },
            authorize: ({ password }) => Promise.resolve(password === "right" ? { id: ada } : null),
          }),
          email({
            from: "App <hello@app.example>",
            code: true,
            sendVerificationRequest: (mail) => Promise.resolve(void links.push(mail)),
          }),
          identityProvider("code"),
          passkey({ rpName: "App", rpId: "app.example", origin: ORIGIN }),
          accountPage({ sendEmailChange: (mail) => void changes.push(mail) }),
          secondFactor({ sendMail: (mail) => void news.push(mail), ...config }),
          ...options.providers ?? [],
        ],
      },
    );
  } finally {
    database.close();
  }
}
