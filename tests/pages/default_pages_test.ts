import { type AuthOptions, pageTheme } from "@framework/auth";
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { launchBrowser, type TestBrowser } from "../support/browser.ts";
import { inMatrix } from "../support/matrix.ts";
import { takePicture } from "../support/picture.ts";
import { assertAccessible, assertLooks, watch } from "./check_page.ts";
import { type PagesSite, servePagesSite } from "./pages_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const PHONE = { width: 320, height: 640 };

interface World {
  browser: TestBrowser;
  site: PagesSite;
  /** Opens a visitor of their own; what their pages complain about fails the test. */
  visit(options?: BrowserContextOptions): Promise<Page>;
}

async function withWorld(
  options: Partial<AuthOptions>,
  work: (world: World) => Promise<void>,
): Promise<void> {
  const site = servePagesSite(options);
  const browser = await launchBrowser();
  const complaints: string[][] = [];
  try {
    await work({
      browser,
      site,
      async visit(visitor = {}) {
        const context = await browser.newContext(visitor);
        complaints.push(watch(context, site.origin));
        return await context.newPage();
      },
    });
    assert.deepEqual(complaints.flat(), []);
  } finally {
    await browser.close();
    await site.close();
  }
}

/** Every built-in page, by name, as one visitor comes to see them. */
const PAGES: Record<string, (page: Page, site: PagesSite) => Promise<void>> = {
  async "sign-in"(page, { origin }) {
    await page.goto(`${origin}/auth/signin?callbackUrl=/inside`);
  },
  async "wrong-password"(page, { origin }) {
    await page.goto(`${origin}/auth/signin`);
    await page.getByLabel("Email", { exact: true }).fill("ada@example.com");
    await page.getByLabel("Password", { exact: true }).fill("wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("is wrong").waitFor();
  },
  async "verify-request"(page, { origin }) {
    await page.goto(`${origin}/auth/signin`);
    await page.getByLabel("Email", { exact: true }).fill("ada@example.com");
    await page.getByRole("button", { name: "Sign in by email instead" }).click();
    await page.waitForURL(`${origin}/auth/verify-request`);
    await page.getByText("ada@example.com").waitFor();
  },
  async "wrong-code"(page) {
    await page.getByRole("textbox").fill("000000");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("doesn’t match").waitFor();
  },
  async "confirm"(page, { mails }) {
    await page.goto(mails.at(-1)!.url);
  },
  async "signed-out"(page, { origin }) {
    await page.goto(`${origin}/auth/signout`);
    await page.getByRole("heading", { name: "You’re signed out" }).waitFor();
  },
  async "error"(page, { origin }) {
    await page.goto(`${origin}/auth/error?error=ACCESS_DENIED`);
  },
  async "not-found"(page, { origin }) {
    await page.goto(`${origin}/auth/nothing`);
  },
};

// Tracks: R080
Deno.test(
  "the built-in pages are accessible and quiet on a phone and a desktop, light and dark",
  OPTIONS,
  async () => {
    await withWorld({}, async ({ site, visit }) => {
      const page = await visit();
      for (const [name, show] of Object.entries(PAGES)) {
        await show(page, site);
        // gallery_test.ts looks at the others with words of its own.
        if (inMatrix || name === "sign-in") await assertLooks(page, name);
      }
    });
  },
);

const THEME = pageTheme({
  name: "Muster & Söhne",
  logo: "/logo.svg",
  colors: {
    brand: { light: "#0b6b4f", dark: "#5fd3ae" },
    ground: { light: "#eef3f0", dark: "#0d1512" },
    card: { light: "#fff", dark: "#16211c" },
    text: { light: "#10201a", dark: "#e7efeb" },
  },
  texts: {
    de: {
      "Sign in to {app}": "Bei {app} anmelden",
      "Sign in": "Anmelden",
      "Continue with {provider}": "Weiter mit {provider}",
      "Sign in by email instead": "Stattdessen Link senden",
      "or": "oder",
      "Show": "Zeigen",
      "Show password": "Passwort zeigen",
      "you@example.com": "sie@example.com",
      "Password": "Passwort",
      "Email": "E-Mail-Adresse",
      "That email or password is wrong.":
        "Diese Angaben stimmen nicht. Prüfen Sie sie, und versuchen Sie es noch einmal.",
      "There is nothing at this address": "Unter dieser Adresse ist nichts",
      "Not found": "Nicht gefunden",
      "Go to {app}": "Zu {app}",
      "Error:": "Fehler:",
      "Passkeys need a newer browser with JavaScript turned on.":
        "Passkeys brauchen einen neueren Browser, mit Skripten.",
      "Continue with a passkey": "Weiter mit einem Passkey",
      "Your name": "Ihr Name",
      "Create an account with a passkey": "Mit einem Passkey ein Konto anlegen",
    },
  },
});

// Tracks: R079, R080
Deno.test(
  "a theme gives the pages name, colours and language, under the same policy",
  OPTIONS,
  async () => {
    await withWorld({ pages: { theme: THEME } }, async ({ site, visit }) => {
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await visit({ viewport: PHONE, colorScheme, locale: "de-CH" });
        const response = await page.goto(`${site.origin}/auth/signin`);
        const headers = response!.headers();
        assert.match(
          headers["content-security-policy"]!,
          /default-src 'none'; .*frame-ancestors 'none'/,
        );
        assert.equal(headers["content-security-policy"]!.includes("unsafe"), false);
        assert.match(headers["vary"]!, /Accept-Language/);
        assert.equal(await page.title(), "Bei Muster & Söhne anmelden");
        assert.equal(await page.locator("html").getAttribute("lang"), "de");
        assert.ok(await page.evaluate(`document.querySelector(".brand img").naturalWidth > 0`));
        await page.getByRole("button", { name: "Weiter mit GitHub" }).waitFor();
        assert.equal(
          await page.evaluate(
            `getComputedStyle(document.querySelector(".go")).backgroundColor`,
          ),
          colorScheme === "light" ? "rgb(11, 107, 79)" : "rgb(95, 211, 174)",
        );
        await takePicture(page, `pages/theme-${colorScheme}`);
        await assertAccessible(page, `theme ${colorScheme}`);
        // What is said is the same in the dark.
        if (colorScheme === "dark" && !inMatrix) continue;
        const words = await page.locator("main").innerText();
        assert.equal(/\b(?:Sign|Send|Your|need|or|Show)\b/.test(words), false, words);
        // What a visitor types is shown as it is, also where it is a text of the page.
        await page.getByLabel("E-Mail-Adresse").fill("Password@example.com");
        await page.getByLabel("Passwort", { exact: true }).fill("wrong");
        await page.getByRole("button", { name: "Anmelden", exact: true }).click();
        await page.getByText("stimmen nicht").waitFor();
        assert.equal(await page.getByLabel("E-Mail-Adresse").inputValue(), "Password@example.com");
        await page.goto(`${site.origin}/auth/nothing`);
        await page.getByText("Unter dieser Adresse ist nichts").waitFor();
      }
      const english = await visit({ locale: "fr-FR" });
      await english.goto(`${site.origin}/auth/signin`);
      assert.equal(await english.title(), "Sign in to Muster & Söhne");
    });
  },
);

Deno.test(
  "what the script of passkeys has to say is in the language of the page",
  OPTIONS,
  async () => {
    const theme = pageTheme({
      texts: {
        de: {
          "Continue with a passkey": "Mit einem Passkey anmelden",
          "That was cancelled, took too long, or this device has no passkey that is known here. Try again.":
            "Das wurde abgebrochen oder dauerte zu lange.",
          "Passkeys do not work at this address.": "Unter dieser Adresse gehen Passkeys nicht.",
          "There have been too many attempts. Try again in {minutes} minutes.":
            "Es waren zu viele <b>Versuche: warten Sie {minutes} Minuten.",
          "There have been too many attempts. Try again in a minute.": "Gleich wieder.",
          "Something went wrong. Try again in a moment.": "Etwas ging schief.",
        },
      },
    });
    await withWorld({ pages: { theme } }, async ({ site, visit }) => {
      const page = await visit({ locale: "de-DE" });
      await page.goto(`${site.origin}/auth/signin`);
      const button = page.getByRole("button", { name: "Mit einem Passkey anmelden" });
      const alert = page.locator("form").filter({ has: button }).getByRole("alert");
      assert.equal(await alert.count(), 0, "nothing is said before");
      const cases: [fault: string, text: string][] = [
        ["NotAllowedError", "Das wurde abgebrochen oder dauerte zu lange."],
        ["SecurityError", "Unter dieser Adresse gehen Passkeys nicht."],
        ["SomethingNewError", "Etwas ging schief."],
        ['"]*', "Etwas ging schief."],
      ];
      for (const [fault, text] of cases) {
        await page.evaluate(`navigator.credentials.get = () =>
          Promise.reject(new DOMException("in English", ${JSON.stringify(fault)}))`);
        await button.click();
        await alert.filter({ hasText: text }).waitFor();
      }
      const options = "**/auth/passkey/options/authenticate";
      for (
        const [code, text, wait] of [
          ["RATE_LIMITED", "Es waren zu viele <b>Versuche: warten Sie 12 Minuten.", "700"],
          ["RATE_LIMITED", "Gleich wieder.", "60"],
          ["NEWER_CODE", "Etwas ging schief.", "60"],
        ] as const
      ) {
        const json = { code, message: "in English" };
        const headers = { "retry-after": wait };
        await page.route(options, (route) => route.fulfill({ status: 429, headers, json }));
        await button.click();
        await alert.filter({ hasText: text }).waitFor();
        await page.unroute(options);
      }
      await page.route(options, (route) => route.fulfill({ status: 502, body: "<html>" }));
      await button.click();
      await alert.filter({ hasText: "Etwas ging schief." }).waitFor();
    });
  },
);

Deno.test(
  "without scripts and by the keyboard alone somebody signs in and out",
  OPTIONS,
  async () => {
    await withWorld({}, async ({ site, visit }) => {
      for (const javaScriptEnabled of [true, false]) {
        const page = await visit({ javaScriptEnabled });
        await page.goto(`${site.origin}/auth/signin?callbackUrl=/inside`);
        const walked: string[] = [];
        for (let time = 0; walked.at(-1) !== "password"; time++) {
          assert.ok(time < 9);
          await page.keyboard.press("Tab");
          walked.push(
            await page.evaluate(
              "document.activeElement.name || document.activeElement.textContent",
            ),
          );
          const ring = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
          assert.equal(ring, "solid", "the focus is seen");
          if (walked.at(-1) === "email") await page.keyboard.type("ada@example.com");
          if (walked.at(-1) === "password") await page.keyboard.type("right");
        }
        assert.deepEqual(walked, [
          "Continue with GitHub",
          "Continue with Google",
          ...javaScriptEnabled
            ? ["Continue with a passkey", "Create an account with a passkey"]
            : [],
          "email",
          "password",
        ]);
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "Hello Ada" }).waitFor();
        assert.equal(page.url(), `${site.origin}/inside`);
        await page.goto(`${site.origin}/auth/signout`);
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "Hello nobody" }).waitFor();
      }
    });
  },
);

// Tracks: CVE-2024-56734, GHSA-8jhw-6pjj-8723, GHSA-hjpm-7mrm-26w8
Deno.test(
  "a link in a mail leads nowhere but to the application, whatever its page was asked for",
  OPTIONS,
  async () => {
    await withWorld({}, async ({ site, visit }) => {
      const asked = [
        "https://evil.example/",
        "/\\evil.example",
        "/inside",
        ...inMatrix
          ? ["//evil.example", `${site.origin}@evil.example/`, "javascript:alert(1)"]
          : [],
      ];
      for (const [index, callbackUrl] of asked.entries()) {
        const page = await visit();
        await page.goto(`${site.origin}/auth/signin?${new URLSearchParams({ callbackUrl })}`);
        await page.getByLabel("Email", { exact: true }).fill(`visitor-${index}@example.com`);
        await page.getByRole("button", { name: "Sign in by email instead" }).click();
        await page.waitForURL(`${site.origin}/auth/verify-request`);
        await page.goto(site.mails.at(-1)!.url);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("heading", { name: "Hello" }).waitFor();
        const path = callbackUrl === "/inside" ? "/inside" : "/";
        assert.equal(page.url(), site.origin + path, callbackUrl);
        await page.context().close();
      }
    });
  },
);

Deno.test(
  "the error page says what went wrong and leads to the sign-in page",
  OPTIONS,
  async () => {
    await withWorld({}, async ({ site, visit }) => {
      const page = await visit();
      const alerts: string[] = [];
      page.on("dialog", (dialog) => void alerts.push(dialog.message()));
      await page.goto(`${site.origin}/auth/error?error=%3Cscript%3Ealert(1)%3C/script%3E`);
      await page.getByText("Something went wrong.").waitFor();
      await page.goto(`${site.origin}/auth/error?error=OAUTH_STATE_EXPIRED`);
      await page.getByText("This sign-in took too long").waitFor();
      await page.getByRole("link", { name: "Try again" }).click();
      await page.waitForURL(`${site.origin}/auth/signin`);
      assert.deepEqual(alerts, []);
    });
  },
);
