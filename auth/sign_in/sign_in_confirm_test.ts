import assert from "node:assert/strict";
import { accountPage } from "../account/page.ts";
import { german } from "../languages.ts";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";
import { linkedAccountGroup } from "../storage/accounts.ts";
import { groupOf } from "../storage/storage.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { createPasskeyBrowser } from "../tests/passkey_browser.ts";
import { github } from "./oauth/presets/github.ts";
import { google } from "./oauth/presets/google.ts";
import { everyCookie, PASSWORD, withPasswords } from "../tests/password_application.ts";
import { pageTheme } from "./page_theme.ts";
import { passkey } from "./passkey/provider.ts";

Deno.test("who is signed in and needs a fresh proof is asked to confirm, with their address fixed, and comes back", () =>
  withPasswords(
    async ({ join, send, clock }) => {
      const cookie = await join("ada@example.com");
      clock.now += 601_000;
      const asked = await send("/account/password", { method: "GET", cookie });
      const { pathname, search } = new URL(asked.headers.get("location")!);
      const path = pathname.replace("/auth", "") + search;
      const show = async (init: Parameters<typeof send>[1]) => {
        const response = await send(path, { method: "GET", ...init });
        assert.equal(response.status, 200);
        return await response.text();
      };
      const page = await show({ cookie });
      assert.match(page, /<title>Confirm it’s you/);
      assert.match(page, /You’re signed in as <b><bdi>ada@example\.com<\/bdi><\/b>\./);
      assert.match(page, /Sign in again to continue\./);
      assert.match(
        page,
        /<input id="email" name="email" type="email"[^>]* value="ada@example\.com"[^>]* readonly>/,
      );
      // They have none.
      assert.doesNotMatch(page, /data-passkey|Create an account/);
      assert.match(page, /<a href="\/auth\/account">Cancel<\/a>/);
      // Every other account: the sign-in page as it is, which comes back too.
      const other = /<a href="\/auth(\/signin[^"]*)">Use another account<\/a>/.exec(page)![1]!;
      const plain = await send(other.replaceAll("&amp;", "&"), { method: "GET", cookie });
      const whole = await plain.text();
      assert.match(whole, /<title>Sign in to Acme/);
      assert.doesNotMatch(whole, /ada@example\.com| readonly>/);
      assert.match(whole, /name="callbackUrl" value="[^"]*\/auth\/account\/password"/);
      // Whoever is not signed in is told nothing of anybody.
      const stranger = await show({});
      assert.match(stranger, /<title>Sign in to Acme/);
      assert.doesNotMatch(stranger, /ada@example\.com|Confirm it/);
      const words = await show({ cookie, headers: { "accept-language": "de" } });
      for (
        const part of [
          /<html lang="de">/,
          /Bestätigen Sie, dass Sie es sind/,
          /Sie sind als <b><bdi>ada@example\.com<\/bdi><\/b> angemeldet\./,
          /Melden Sie sich noch einmal an, um fortzufahren\./,
          />Anderes Konto verwenden<\/a>/,
          />Abbrechen<\/a>/,
        ]
      ) assert.match(words, part);
      const callbackUrl = /name="callbackUrl" value="([^"]+)"/.exec(page)![1]!;
      const fields = { email: "ada@example.com", callbackUrl };
      const next = await (await send("/signin", { fields, cookie })).text();
      assert.match(next, /Enter your password/);
      const done = await send("/signin/passwords", {
        fields: { ...fields, password: PASSWORD },
        cookie,
      });
      assert.equal(done.status, 303);
      const back = new URL(done.headers.get("location")!, "https://app.example");
      assert.equal(back.pathname, "/auth/account/password");
      const fresh = await send("/account/password", { method: "GET", cookie: everyCookie(done) });
      assert.equal(fresh.status, 200);
    },
    {},
    {
      providers: [
        passkey({
          rpId: "app.example",
          rpName: "Acme",
          origin: "https://app.example",
          signUp: true,
        }),
        accountPage(),
      ],
      pages: { theme: pageTheme({ name: "Acme", languages: [german] }) },
      rateLimit: false,
    },
  ));

/** An application with many ways in, and a user whose proof is old. */
async function withOldProof(
  work: (
    application: Parameters<Parameters<typeof withPasswords>[0]>[0],
    show: (headers?: Record<string, string>) => Promise<string>,
    browser: ReturnType<typeof createPasskeyBrowser>,
  ) => Promise<void>,
): Promise<void> {
  const database = createD1Double();
  try {
    await withPasswords(
      async (application) => {
        const cookie = await application.join("ada@example.com");
        const browser = createPasskeyBrowser(application);
        for (const pair of cookie.split("; ")) {
          browser.cookies.set(
            pair.slice(0, pair.indexOf("=")),
            pair.slice(pair.indexOf("=") + 1),
          );
        }
        const show = async (headers: Record<string, string> = {}) => {
          const response = await browser.send("/signin?error=REAUTHENTICATION_REQUIRED", {
            headers: { accept: "text/html", ...headers },
          });
          return await response.text();
        };
        await work({ ...application, database }, show, browser);
      },
      {},
      {
        database,
        providers: [
          github({ clientId: "id", clientSecret: "secret" }),
          google({ clientId: "id", clientSecret: "secret" }),
          passkey({ rpId: "app.example", origin: "https://app.example" }),
          accountPage(),
        ],
        pages: { theme: pageTheme({ name: "Acme" }) },
        rateLimit: false,
      },
    );
  } finally {
    database.close();
  }
}

/** The ways that a page shows. */
function waysOn(html: string): string[] {
  const ways = { github: "/signin/github", google: "/signin/google", passkey: "data-passkey=" };
  return [
    ...Object.entries(ways).filter(([, mark]) => html.includes(mark)).map(([name]) => name),
    ...html.includes('id="email"') ? ["password"] : [],
  ];
}

Deno.test("who confirms that it is them is shown the ways that they have, by one statement; nobody else is told", () =>
  withOldProof(async (application, show, browser) => {
    const all = ["github", "google", "passkey", "password"];
    assert.deepEqual(waysOn(await show()), ["password"]);
    const { database, auth } = application;
    const before = database.prepared;
    await browser.send("/signin", { headers: { accept: "text/html" } });
    const plain = database.prepared - before;
    await show();
    const confirmed = database.prepared - before - plain;
    assert.ok(confirmed - plain <= 2, `${confirmed} statements, ${plain} without`);
    const now = application.clock.now;
    await groupOf(auth.storage({}), linkedAccountGroup).linkAccount({
      provider: "github",
      providerAccountId: "1",
      userId: String(application.rows("users")[0]!.id),
      type: "oauth",
      email: null,
      accessToken: null,
      refreshToken: null,
      expiresAt: null,
      tokenType: null,
      scope: null,
      createdAt: now,
      updatedAt: now,
    });
    assert.deepEqual(waysOn(await show()), ["github", "password"]);
    assert.equal((await browser.register(createSoftwareAuthenticator())).status, 200);
    assert.deepEqual(waysOn(await show()), ["github", "passkey", "password"]);
    database.sqlite.exec("DELETE FROM password_hashes");
    assert.deepEqual(waysOn(await show()), ["github", "passkey"]);
    // A stranger's page says nothing of anybody.
    browser.cookies.clear();
    assert.deepEqual(waysOn(await show()), all);
  }));

Deno.test("the passkey's button of who confirms that it is them asks for their own passkeys, listed or not", () =>
  withOldProof(async (_application, show, browser) => {
    const [mine, other] = [createSoftwareAuthenticator(), createSoftwareAuthenticator()];
    assert.equal((await browser.register(mine)).status, 200);
    const html = await show();
    const form = /<form[^>]*data-passkey="sign-in"[^]*?<\/form>/.exec(html)![0];
    assert.match(form, /<input type="hidden" name="reauthenticate" value="true">/);
    const ask = { reauthenticate: "true" };
    const { allowCredentials } = await browser.signInOptions(ask);
    assert.equal((allowCredentials as unknown[]).length, 1);
    await assert.rejects(browser.prove(other, { ask }), { name: "NotAllowedError" });
    assert.equal((await browser.prove(mine, { ask })).status, 200);
    // Elsewhere the page names nobody's.
    browser.cookies.clear();
    assert.doesNotMatch(await show(), /reauthenticate/);
  }));
