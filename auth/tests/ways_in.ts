import assert from "node:assert/strict";
import type { SoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";
import type { PasskeyBrowser } from "./passkey_browser.ts";
import { PASSWORD } from "./password_application.ts";
import { ADA, type FactorApplication } from "./second_factor_application.ts";

/** A way in, in a browser without a session: what the last response of it was. */
export type Way = (
  application: FactorApplication,
  browser: PasskeyBrowser,
  authenticator: SoftwareAuthenticator,
) => Promise<Response>;

/** Every way in, by the file that completes it. A file that completes a sign-in and has no row here fails a test. */
export const WAYS: Record<string, Record<string, Way>> = {
  "password/sign_in.ts": {
    "a password": (application, browser) => application.begin(browser),
    "a password, after a reset by mail": async (application, browser) => {
      const token = await application.askReset(ADA);
      const changed = await browser.send("/reset", {
        fields: { token, password: `${PASSWORD} 2` },
      });
      assert.equal(changed.status, 200);
      application.wait(1000);
      return await application.begin(browser, { password: `${PASSWORD} 2` });
    },
  },
  "credentials.ts": {
    "a password of the application's own": (_application, browser) =>
      browser.send("/signin/credentials", { fields: { password: "right" } }),
  },
  "email/magic_link.ts": {
    "a link by mail": async ({ links }, browser) => {
      await browser.send("/signin/email", { fields: { email: ADA } });
      const { token, identifier } = links.at(-1)!;
      return await browser.send("/callback/email", { fields: { token, email: identifier } });
    },
    "a code by mail": async ({ links }, browser) => {
      await browser.send("/signin/email", { fields: { email: ADA } });
      return await browser.send("/callback/email/code", { fields: { code: links.at(-1)!.code! } });
    },
  },
  "oauth/callback.ts": {
    "an account at a provider": (_application, browser) =>
      browser.send("/signin/code", { fields: { sub: "1", email: ADA, verified: "true" } }),
  },
  "passkey/sign_in.ts": {
    "a passkey that has not verified its user": (_application, browser, authenticator) =>
      browser.prove(authenticator),
  },
};
