import assert from "node:assert/strict";
import {
  type CeremonyFaults,
  createSoftwareAuthenticator,
} from "../../testing/sign_in/software_authenticator.ts";
import type { AuthOptions } from "../app/options.ts";
import { type AutomaticPasskeyMail, automaticPasskeys } from "../sign_in/passkey/automatic.ts";
import type { PasskeyConfig } from "../sign_in/passkey/challenge.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import { ORIGIN } from "./application.ts";
import { createD1Double } from "./d1_double.ts";
import { createPasskeyBrowser, type PasskeyBrowser } from "./passkey_browser.ts";
import { PASSWORD, type PasswordApplication, withPasswords } from "./password_application.ts";

/** Address of the user. */
export const ADA = "ada@example.com";

/** Clears the flags of a present and of a verified user, as a browser does that asks nobody. */
function unseen(data: Uint8Array): Uint8Array {
  const copy = data.slice();
  copy[32]! &= ~0x05;
  return copy;
}

/** Faults of an authenticator that asks nobody. */
export const QUIET: { faults: CeremonyFaults } = { faults: { authenticatorData: unseen } };

/** An application whose passkeys may be made by themselves. */
export interface AutomaticWorld extends PasswordApplication {
  /** Mails about passkeys, the newest last. */
  mails: AutomaticPasskeyMail[];
  /** A browser without cookies. */
  browser(): PasskeyBrowser;
  /** A browser in which ada has just signed in with her password. */
  signedIn(browser?: PasskeyBrowser): Promise<PasskeyBrowser>;
  /** Options of an automatic passkey; null for none. */
  ask(browser: PasskeyBrowser): Promise<Record<string, unknown> | null>;
  /** Has a password manager make one without asking. */
  make(
    browser: PasskeyBrowser,
    how?: { authenticator?: ReturnType<typeof createSoftwareAuthenticator>; origin?: string },
  ): Promise<Response>;
}

/** Runs a test with such an application, in which the user has signed up by mail. */
export async function withAutomatic(
  test: (world: AutomaticWorld) => Promise<void>,
  config: Partial<PasskeyConfig> = {},
  options: Partial<AuthOptions> = {},
): Promise<void> {
  const mails: AutomaticPasskeyMail[] = [];
  const database = createD1Double();
  const sendMail = (mail: AutomaticPasskeyMail) => void mails.push(mail);
  try {
    await withPasswords(
      async (application) => {
        await application.join(ADA);
        const world: AutomaticWorld = {
          ...application,
          database,
          rows: (table) =>
            database.sqlite.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[],
          mails,
          browser: () => createPasskeyBrowser(application),
          async signedIn(browser = createPasskeyBrowser(application)) {
            const fields = { email: ADA, password: PASSWORD };
            assert.equal((await browser.send("/signin/passwords", { fields })).status, 200);
            return browser;
          },
          async ask(browser) {
            const response = await browser.send("/passkey/options/automatic", { fields: {} });
            assert.equal(response.status, 200);
            return await response.json();
          },
          async make(browser, { authenticator = createSoftwareAuthenticator(), origin } = {}) {
            const asked = (await world.ask(browser))!;
            const made = await authenticator.create(asked, origin ?? ORIGIN, QUIET.faults);
            const fields = { credential: JSON.stringify(made) };
            const response = await browser.send("/passkey/register", { fields });
            await application.settle();
            return response;
          },
        };
        await test(world);
      },
      {},
      {
        rateLimit: false,
        secret: "a secret of at least thirty-two bytes",
        ...options,
        database,
        providers: [
          passkey({
            rpName: "The application",
            rpId: "app.example",
            origin: ORIGIN,
            automatic: automaticPasskeys({ sendMail }),
            ...config,
          }),
          ...options.providers ?? [],
        ],
      },
    );
  } finally {
    database.close();
  }
}
