import { accountPage, apiKeys, defineRBAC } from "@framework/auth";
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { launchBrowser } from "../support/browser.ts";
import { assertLooks, watch } from "./check_page.ts";
import { servePagesSite } from "./pages_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const RBAC = defineRBAC({
  roles: [{ id: "writer", name: "Writer", permissions: ["posts:read", "posts:update:own"] }],
  defaultRole: "writer",
});

const PERMISSIONS = {
  "posts:read": "Read posts",
  "posts:update:own": "Change own posts",
  "users:manage": "Manage users",
};

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

// Tracks: R188
Deno.test(
  "without scripts a user makes, replaces and revokes a key, which is shown once and stands in no address",
  OPTIONS,
  async () => {
    const clock = { ahead: 0 };
    const site = servePagesSite({ rbac: RBAC, now: () => Date.now() + clock.ahead }, [
      accountPage(),
      apiKeys({ prefix: "acme", permissions: PERMISSIONS }),
    ]);
    const browser = await launchBrowser();
    try {
      const context = await browser.newContext({ javaScriptEnabled: false });
      const complaints = watch(context, site.origin);
      const addresses: string[] = [];
      context.on("request", (request) => void addresses.push(request.url()));
      const page = await context.newPage();
      await page.goto(`${site.origin}/auth/account`);
      await page.getByLabel("Email", { exact: true }).fill("ada@example.com");
      await page.getByLabel("Password", { exact: true }).fill("right");
      await press(page, "Sign in");
      await page.getByRole("heading", { name: "API keys" }).waitFor();
      await page.getByText("No API keys yet.").waitFor();

      await page.getByText("Create an API key", { exact: true }).click();
      // What its user may not do is not there to be chosen.
      assert.equal(await page.getByLabel("Manage users").count(), 0);
      await page.getByLabel("Name of the key").fill("Nightly <b>export");
      await page.getByLabel("Read posts").check();
      await page.getByLabel("Ends", { exact: true }).selectOption("90");
      await press(page, "Create key");
      const shown = page.getByLabel("Nightly <b>export");
      const first = await shown.inputValue();
      assert.match(first, /^acme_live_\w{17}_\w{43}_\w{6}$/);
      await page.getByRole("link", { name: "I have copied it" }).click();
      await page.getByRole("heading", { name: "API keys" }).waitFor();
      assert.equal((await page.content()).includes(first), false);
      await page.getByText("API key created").waitFor();
      await page.getByText("Read posts", { exact: false }).first().waitFor();

      await press(page, "Replace Nightly <b>export");
      const second = await page.getByLabel("Nightly <b>export").inputValue();
      assert.notEqual(second, first);
      await page.getByText("The key before works until").waitFor();
      await page.getByRole("link", { name: "I have copied it" }).click();

      // Later a key that has leaked still ends, and a new one takes the password first.
      clock.ahead = 700_000;
      await page.reload();
      await page.getByRole("heading", { name: "API keys" }).waitFor();
      assert.equal(await page.getByLabel("Name of the key").count(), 0);
      await press(page, "Revoke Nightly <b>export");
      await page.getByText("No API keys yet.").waitFor();
      await page.getByRole("link", { name: "Create an API key" }).click();
      await page.getByLabel("Email", { exact: true }).fill("ada@example.com");
      await page.getByLabel("Password", { exact: true }).fill("right");
      await press(page, "Sign in");
      await page.waitForURL(`${site.origin}/auth/account#api-keys`);
      await page.getByText("Create an API key", { exact: true }).click();
      await page.getByLabel("Name of the key").waitFor();
      for (const key of [first, second]) {
        assert.deepEqual(addresses.filter((address) => address.includes(key.split("_")[3]!)), []);
      }
      assert.deepEqual(complaints, []);
    } finally {
      await browser.close();
      await site.close();
    }
  },
);

Deno.test(
  "the account page with keys, and the page that shows one, are accessible on a phone and a desktop",
  OPTIONS,
  async () => {
    const site = servePagesSite({ rbac: RBAC }, [
      accountPage(),
      apiKeys({ prefix: "acme", permissions: PERMISSIONS }),
    ]);
    const browser = await launchBrowser();
    try {
      const page = await (await browser.newContext()).newPage();
      await page.goto(`${site.origin}/auth/account`);
      await page.getByLabel("Email", { exact: true }).fill("ada@example.com");
      await page.getByLabel("Password", { exact: true }).fill("right");
      await press(page, "Sign in");
      await page.getByText("Create an API key", { exact: true }).click();
      await page.getByLabel("Name of the key").fill("Label printer in the warehouse");
      await page.getByLabel("Read posts").check();
      await assertLooks(page, "api-keys-form");
      await press(page, "Create key");
      await page.getByRole("heading", { name: "Copy your API key" }).waitFor();
      await assertLooks(page, "api-keys-shown");
      await page.getByRole("link", { name: "I have copied it" }).click();
      await page.getByText("Label printer in the warehouse").first().waitFor();
      await assertLooks(page, "api-keys-list");
    } finally {
      await browser.close();
      await site.close();
    }
  },
);
