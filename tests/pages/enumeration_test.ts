import assert from "node:assert/strict";
import type { Page, Response as Reply } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { createDevice } from "../passkey/device.ts";
import { launchBrowser, type TestBrowser } from "../support/browser.ts";
import { inMatrix } from "../support/matrix.ts";
import { type PagesSite, servePagesSite, signInElsewhere } from "./pages_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const KNOWN = "ada@example.com";
const UNKNOWN = "eve@example.com";

async function withSite(
  work: (browser: TestBrowser, site: PagesSite) => Promise<void>,
): Promise<void> {
  const site = servePagesSite();
  const browser = await launchBrowser();
  try {
    await signInElsewhere(site.origin, KNOWN);
    await work(browser, site);
  } finally {
    await browser.close();
    await site.close();
  }
}

/** Returns a response without its variable parts: its date, its secrets, and the typed address. */
async function wordsOf(reply: Reply, typed: string): Promise<unknown> {
  const headers = (await reply.headersArray())
    .filter(({ name }) => !["date", "content-length"].includes(name.toLowerCase()))
    .map(({ name, value }) => [name, /cookie/i.test(name) ? value.replace(/=[^;]*/, "") : value]);
  const hasBody = reply.status() < 300 || reply.status() >= 400;
  const body = hasBody ? (await reply.text()).replaceAll(typed, "<typed>") : "";
  return [reply.status(), headers, body.replace(/"challenge":"[\w-]+"/, "")];
}

interface Way {
  /** The endpoint whose answer is compared. */
  path: string;
  /** Asks in a page of its own; what is seen afterwards is compared too. */
  ask(page: Page, address: string): Promise<void>;
}

const WAYS: Record<string, Way> = {
  "a wrong password": {
    path: "/auth/signin/credentials",
    async ask(page, address) {
      await page.getByLabel("Email", { exact: true }).fill(address);
      await page.getByLabel("Password", { exact: true }).fill("wrong");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("is wrong").waitFor();
    },
  },
  "a link by email": {
    path: "/auth/signin/email",
    async ask(page, address) {
      await page.getByLabel("Email", { exact: true }).fill(address);
      await page.getByRole("button", { name: "Sign in by email instead" }).click();
      await page.waitForURL(/\/auth\/verify-request$/);
    },
  },
  "a wrong code": {
    path: "/auth/callback/email/code",
    async ask(page, address) {
      await page.getByLabel("Email", { exact: true }).fill(address);
      await page.getByRole("button", { name: "Sign in by email instead" }).click();
      await page.getByRole("textbox").fill("000000");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("doesn’t match").waitFor();
    },
  },
};

// Tracks: R012, R022
for (const [name, { path, ask }] of Object.entries(WAYS)) {
  // The server's answers are the same without scripts.
  for (const javaScriptEnabled of inMatrix ? [true, false] : [true]) {
    const scripts = javaScriptEnabled ? "with" : "without";
    Deno.test(`${name} tells nobody who has an account, ${scripts} scripts`, OPTIONS, async () => {
      await withSite(async (browser, site) => {
        const seen: unknown[] = [];
        for (const address of [KNOWN, UNKNOWN]) {
          const context = await browser.newContext({ javaScriptEnabled });
          const page = await context.newPage();
          await page.goto(`${site.origin}/auth/signin`);
          const answered = page.waitForResponse((reply) =>
            reply.request().method() === "POST" && new URL(reply.url()).pathname === path
          );
          await ask(page, address);
          const cookies = (await context.cookies()).map(({ name }) => name);
          const shown = (await page.locator("main").innerText()).replaceAll(address, "<typed>");
          seen.push([await wordsOf(await answered, address), cookies, page.url(), shown]);
          await context.close();
        }
        assert.deepEqual(seen[0], seen[1]);
      });
    });
  }
}

// Tracks: R125
Deno.test(
  "the passkey button asks the same, and says the same, whoever has typed their address",
  OPTIONS,
  async () => {
    await withSite(async (browser, site) => {
      const owner = await createDevice(browser);
      await owner.page.goto(`${site.origin}/auth/signin`);
      await owner.page.getByText("Create an account with a passkey").first().click();
      await owner.page.getByLabel("Your name").fill("Grace");
      await owner.page.getByRole("button", { name: "Create an account with a passkey" }).click();
      await owner.page.getByRole("heading", { name: "Hello Grace" }).waitFor();
      const seen: unknown[] = [];
      for (const address of [KNOWN, UNKNOWN]) {
        // A device that has no passkey; whoever it belongs to, the server names none.
        const { page, command, close } = await createDevice(browser);
        await command("setUserVerified", { isUserVerified: false });
        await page.goto(`${site.origin}/auth/signin`);
        await page.getByLabel("Email", { exact: true }).fill(address);
        const button = page.getByRole("button", { name: "Continue with a passkey" });
        const answered = page.waitForResponse(/\/auth\/passkey\/options\/authenticate$/);
        await button.click();
        const reply = await answered;
        const options = await reply.json();
        assert.deepEqual(options.allowCredentials, []);
        assert.equal(reply.request().postData()?.includes(address) ?? false, false);
        const form = page.locator("form").filter({ has: button });
        const alert = form.getByRole("alert");
        await alert.waitFor();
        seen.push([await wordsOf(reply, address), await alert.innerText()]);
        await close();
      }
      assert.deepEqual(seen[0], seen[1]);
    });
  },
);
