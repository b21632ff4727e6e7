import { authSchema } from "@framework/auth/storage";
import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { DEMO_CLIENT, startIdentityProvider } from "../../scripts/identity_provider.ts";
import { createDevice } from "../passkey/device.ts";
import { workerModules } from "../runtimes/runtimes.ts";
import { launchBrowser, type TestBrowser } from "../support/browser.ts";
import { bundleEntries } from "../support/bundle.ts";
import { freePort } from "../support/free_port.ts";
import { inMatrix } from "../support/matrix.ts";
import { assertLooks, watch } from "./check_page.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const port = freePort();
const origin = `http://localhost:${port}`;
let issuer: string;
let database: Awaited<ReturnType<Miniflare["getD1Database"]>>;
const cleanup = new AsyncDisposableStack();

// The application on workerd with D1, beside a real provider.
Deno.test.beforeAll(async () => {
  if (OPTIONS.ignore) return;
  const redirectUris = [`${origin}/auth/callback/local`];
  const identity = await startIdentityProvider({ redirectUris });
  cleanup.defer(() => identity.close());
  issuer = identity.issuer;
  const files = await bundleEntries([fileURLToPath(new URL("./worker.ts", import.meta.url))]);
  const { clientId, clientSecret } = DEMO_CLIENT;
  const miniflare = new Miniflare({
    modules: workerModules(files, files[0]!.name),
    modulesRoot: "/",
    port,
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    d1Databases: { DB: "auth" },
    bindings: { ISSUER: issuer, ORIGIN: origin, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret },
  });
  cleanup.defer(() => miniflare.dispose());
  await miniflare.ready;
  database = await miniflare.getD1Database("DB");
  const statements = authSchema.up.split(/;\n/).map((sql) => sql.trim()).filter((sql) => sql);
  await database.batch(statements.map((sql) => database.prepare(sql)));
});

Deno.test.afterAll(() => cleanup.disposeAsync());

async function withBrowser(work: (browser: TestBrowser) => Promise<void>): Promise<void> {
  const browser = await launchBrowser();
  try {
    await work(browser);
  } finally {
    await browser.close();
  }
}

async function openAccount(page: Page, email: string): Promise<void> {
  await page.goto(`${origin}/auth/account`);
  await page.getByLabel("Email", { exact: true }).fill(email);
  await page.getByLabel("Password", { exact: true }).fill("right");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Your account" }).waitFor();
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

async function done(page: Page, text: string): Promise<void> {
  await page.getByRole("status").filter({ hasText: text }).waitFor();
}

/** Goes to the provider, is somebody there, and comes back. */
async function connect(page: Page, person: string): Promise<void> {
  await press(page, "Connect Local");
  await page.getByRole("button", { name: person }).click();
  await done(page, "The account is connected.");
}

/** Returns the activity that the page shows, newest first; background writes appear a moment later. */
async function activityOf(page: Page, newest: string): Promise<string[]> {
  const items = page.locator("section").filter({
    has: page.getByRole("heading", { name: "Recent activity" }),
  }).locator("li b");
  for (;;) {
    const texts = await items.allTextContents();
    if (texts[0] === newest) return texts;
    await page.goto(page.url().split("?")[0]!);
  }
}

// Tracks: R080
Deno.test(
  "the account page on workerd with D1: an account of a real provider, a passkey, what happened",
  OPTIONS,
  async () => {
    await withBrowser(async (browser) => {
      const { page, complaints } = await createDevice(browser);
      const more = watch(page.context(), [origin, issuer]);
      await openAccount(page, "ada@example.com");
      await connect(page, "Ada Lovelace");
      assert.deepEqual(await activityOf(page, "Connected Local"), [
        "Connected Local",
        "Signed in with Password",
        "Account created with Password",
      ]);
      await page.getByText("Add a passkey", { exact: true }).click();
      await page.getByLabel("Name of the new passkey").fill("Desk");
      await press(page, "Create a passkey");
      await done(page, "The passkey is added.");
      assert.equal((await activityOf(page, "Passkey added")).length, 4);
      // account_page_test.ts looks at the same page.
      if (inMatrix) await assertLooks(page, "account-workerd");
      // One of two ways in goes, the last stays.
      await press(page, "Disconnect Local");
      await done(page, "The account is disconnected.");
      await page.locator("summary", { hasText: "Remove" }).click();
      await press(page, "Remove this passkey Desk");
      await page.getByRole("alert").filter({ hasText: "only way to sign in" }).waitFor();
      assert.equal((await activityOf(page, "Disconnected Local")).length, 5);
      const { results } = await database.prepare("SELECT * FROM account_activity").all();
      assert.equal(results.length, 5);
      const text = JSON.stringify(results);
      assert.equal(/Mozilla|AppleWebKit/.test(text), false, "no whole User-Agent");
      assert.deepEqual([complaints, more], [[], []]);

      await page.getByRole("link", { name: "Delete account" }).click();
      await press(page, "Delete account");
      await page.getByRole("heading", { name: "Your account is deleted." }).waitFor();
      const { results: left } = await database.prepare("SELECT * FROM account_activity").all();
      assert.deepEqual(left, []);
    });
  },
);

// tests/oauth/account_test.ts holds that an account of another user is refused; without scripts the forms are the same.
if (inMatrix) {
  Deno.test(
    "the account page on workerd without scripts: linking at a real provider, and who has it already",
    OPTIONS,
    async () => {
      await withBrowser(async (browser) => {
        const context = await browser.newContext({ javaScriptEnabled: false });
        const complaints = watch(context, [origin, issuer]);
        const page = await context.newPage();
        await openAccount(page, "grace@example.com");
        await connect(page, "Grace Hopper");
        await press(page, "Disconnect Local");
        await page.getByRole("alert").filter({ hasText: "only way to sign in" }).waitFor();
        const other = await browser.newContext({ javaScriptEnabled: false });
        complaints.push(...watch(other, [origin, issuer]));
        const eve = await other.newPage();
        await openAccount(eve, "eve@example.com");
        await press(eve, "Connect Local");
        await eve.getByRole("button", { name: "Grace Hopper" }).click();
        await eve.getByText("This account already belongs to another user.").waitFor();
        await eve.goto(`${origin}/auth/account`);
        assert.equal((await activityOf(eve, "Signed in with Password")).length, 2);
        await eve.getByRole("button", { name: "Connect Local" }).waitFor();
        assert.deepEqual(complaints, []);
      });
    },
  );
}
