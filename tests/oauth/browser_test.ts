import assert from "node:assert/strict";
import {
  createAuth,
  createMemoryStorage,
  createOidcProvider,
  defaultTheme,
  getUser,
} from "@framework/auth";
import type { Page } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { DEMO_CLIENT, startIdentityProvider } from "../../scripts/identity_provider.ts";
import { launchBrowser, type TestBrowser } from "../support/browser.ts";
import { freePort } from "../support/free_port.ts";

const options = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

interface Site {
  origin: string;
  close(): Promise<void>;
}

/** An application that signs in at a local provider: by the address, and by a form. */
async function startSite(): Promise<Site> {
  const port = freePort();
  const origin = `http://localhost:${port}`;
  const identity = await startIdentityProvider({
    redirectUris: [`${origin}/auth/callback/local`, `${origin}/auth/callback/form`],
  });
  const common = { issuer: identity.issuer, ...DEMO_CLIENT };
  const auth = createAuth<unknown>({
    database: createMemoryStorage(),
    baseUrl: origin,
    pages: { theme: defaultTheme },
    providers: [
      createOidcProvider({ ...common, id: "local", name: "Local" }),
      createOidcProvider({ ...common, id: "form", name: "Form", responseMode: "form_post" }),
    ],
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, async (request) => {
    return await auth.handle(request, {}) ??
      await auth.run(request, {}, undefined, () => {
        return new Response(`<p id="who">${getUser()?.name ?? "nobody"}</p>`, {
          headers: { "content-type": "text/html" },
        });
      });
  });
  return {
    origin,
    async close() {
      await server.shutdown();
      await identity.close();
    },
  };
}

async function signIn(page: Page, origin: string, name: string): Promise<void> {
  await page.goto(`${origin}/auth/signin?callbackUrl=/home`);
  await page.getByRole("button", { name: `Continue with ${name}` }).click();
  await page.getByRole("button", { name: /Ada Lovelace/ }).click();
}

async function whoAt(page: Page, origin: string): Promise<string | null> {
  await page.waitForURL(`${origin}/home`);
  return await page.locator("#who").textContent();
}

async function byAddress(page: Page, origin: string): Promise<void> {
  await signIn(page, origin, "Local");
  assert.equal(await whoAt(page, origin), "Ada Lovelace");
  const cookies = await page.context().cookies(origin);
  assert.deepEqual(cookies.map(({ name }) => name), [
    "framework.session-token",
    "framework.last",
  ]);
}

async function withPage(
  browser: TestBrowser,
  settings: { javaScriptEnabled: boolean },
  tests: ((page: Page) => Promise<void>)[],
): Promise<void> {
  const context = await browser.newContext(settings);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) complaints.push(message.text());
  });
  try {
    for (const test of tests) {
      await test(page);
      // The provider, too, forgets who signed in.
      await context.clearCookies();
    }
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

// Tracks: R090, R098, R099
Deno.test(
  "Chromium signs in at a real provider, with and without scripts, by address and by form",
  options,
  async () => {
    const site = await startSite();
    const browser = await launchBrowser();
    try {
      await withPage(browser, { javaScriptEnabled: true }, [
        async (page) => {
          await byAddress(page, site.origin);
          // Back and forth: no second sign-in, and no error of the server.
          await page.goBack();
          await page.goForward();
          assert.equal(await whoAt(page, site.origin), "Ada Lovelace");
        },
        // The provider's page submits itself where it can.
        async (page) => {
          await signIn(page, site.origin, "Form");
          assert.equal(await whoAt(page, site.origin), "Ada Lovelace");
        },
        async (page) => {
          await page.goto(`${site.origin}/auth/signin?callbackUrl=/home`);
          await page.getByRole("button", { name: "Continue with Local" }).click();
          await page.getByRole("button", { name: "Cancel" }).click();
          await page.waitForURL(/\/auth\/signin\?/);
          assert.match(await page.getByRole("alert").innerText(), /cancelled/);
          assert.equal(new URL(page.url()).searchParams.get("code"), null);
          // From there it can be tried again at once.
          await page.getByRole("button", { name: "Continue with Local" }).click();
          await page.getByRole("button", { name: /Grace/ }).click();
          assert.equal(await whoAt(page, site.origin), "Grace Hopper");
        },
        // Two tabs of one browser.
        async (first) => {
          const second = await first.context().newPage();
          for (const page of [first, second]) {
            await page.goto(`${site.origin}/auth/signin?callbackUrl=/home`);
            await page.getByRole("button", { name: "Continue with Local" }).click();
          }
          await second.getByRole("button", { name: /Grace/ }).click();
          assert.equal(await whoAt(second, site.origin), "Grace Hopper");
          await first.getByRole("button", { name: /Ada/ }).click();
          assert.equal(await whoAt(first, site.origin), "Ada Lovelace");
        },
      ]);
      await withPage(browser, { javaScriptEnabled: false }, [
        (page) => byAddress(page, site.origin),
        async (page) => {
          await signIn(page, site.origin, "Form");
          await page.getByRole("button", { name: "Continue" }).click();
          assert.equal(await whoAt(page, site.origin), "Ada Lovelace");
        },
      ]);
    } finally {
      await browser.close();
      await site.close();
    }
  },
);
