import assert from "node:assert/strict";
import { accountPage } from "../account/page.ts";
import { german } from "../languages.ts";
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
      assert.match(page, /data-passkey="sign-in"/);
      assert.doesNotMatch(page, /data-passkey="register"|Create an account/);
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
