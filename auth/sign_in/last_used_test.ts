import assert from "node:assert/strict";
import { createTestApplication, passwordProvider } from "../tests/application.ts";
import { everyCookie, PASSWORD, withPasswords } from "../tests/password_application.ts";
import { github } from "./oauth/presets/github.ts";
import { defaultTheme } from "./pages.ts";
import { passkey } from "./passkey/provider.ts";
import { email } from "./email/provider.ts";

const GITHUB = github({ clientId: "id", clientSecret: "secret" });
const PASSKEY = passkey({ rpName: "App", rpId: "app.example", origin: "https://app.example" });
const MAIL = email({ from: "a@app.example", sendVerificationRequest: () => Promise.resolve() });

/** Labels of the buttons that are marked. */
function marked(page: string): string[] {
  return [...page.matchAll(/<button[^>]*>((?:(?!<button|Last used).)*Last used)/gs)]
    .map(([, button]) => button!.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim());
}

// Tracks: R060, R067
Deno.test("a sign-in leaves the id of its provider in the browser, and the sign-in page marks that way", () =>
  withPasswords(
    async ({ join, send, byPassword }) => {
      const joined = await join("ada@example.com");
      const name = "__Host-framework.last";
      assert.match(joined, new RegExp(`${name}=passwords(?:;|$)`));
      const response = await byPassword("ada@example.com", PASSWORD);
      const line = response.headers.getSetCookie().find((one) => one.startsWith(name))!;
      assert.equal(
        line,
        `${name}=passwords; Path=/; Max-Age=34560000; HttpOnly; Secure; SameSite=Lax`,
      );
      const cases = [
        ["passwords", ["Continue Last used"]],
        ["email", ["Continue Last used"]],
        ["github", ["Continue with GitHub Last used"]],
        ["passkey", ["Continue with a passkey Last used"]],
        ["gitlab", []],
        ["<b>", []],
        ["__proto__", []],
      ] as const;
      for (const [provider, expected] of cases) {
        const cookie = `${name}=${provider}`;
        assert.deepEqual(marked(await (await send("/signin", { cookie })).text()), expected);
      }
      // Planted by another host of the site, or twice: it places no mark.
      for (const cookie of ["framework.last=github", `${name}=github; ${name}=passkey`]) {
        assert.deepEqual(marked(await (await send("/signin", { cookie })).text()), []);
      }
      // Whoever did not come in leaves nothing, whether the account is there or not.
      for (const address of ["ada@example.com", "nobody@example.com"]) {
        const failed = await byPassword(address, "a wrong password here");
        assert.equal(everyCookie(failed).includes("framework.last"), false);
      }
    },
    {},
    { providers: [GITHUB, PASSKEY, MAIL] },
  ));

Deno.test("an application without the built-in sign-in page sets no such cookie", async () => {
  for (const pages of [{}, { theme: defaultTheme, signIn: "/login" }]) {
    const application = createTestApplication({ pages, providers: [passwordProvider()] });
    const fields = { name: "ada", password: "right" };
    const response = await application.send("/signin/credentials", { fields });
    assert.equal(response.status, 303);
    assert.equal(everyCookie(response).includes("framework.last"), false);
    application.close();
  }
});
