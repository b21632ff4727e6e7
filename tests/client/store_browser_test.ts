import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import type { AuthOptions } from "@framework/auth";
import { findChromium } from "../../scripts/chromium.ts";
import { launchBrowser, PATIENCE } from "../support/browser.ts";
import { bundlePage, type ClientSite, serveClientSite } from "./client_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const SCRIPT = `
import * as client from "@framework/auth/client";
const store = client.createAuthStore();
const states = [];
for (let time = 0; time < 10; time++) store.subscribe(() => {});
store.subscribe(({ status, user }) => states.push(user === null ? status : status + " " + user.name));
Object.assign(globalThis, { client, store, states });
`;

interface World {
  site: ClientSite;
  context: BrowserContext;
  /** Opens the application in a further tab. */
  open(): Promise<Page>;
}

async function withWorld(
  options: Partial<AuthOptions>,
  work: (world: World) => Promise<void>,
): Promise<void> {
  const site = serveClientSite(await bundlePage(SCRIPT), () => options);
  const browser = await launchBrowser();
  const complaints: string[] = [];
  try {
    const context = await browser.newContext();
    context.on("weberror", (error) => complaints.push(String(error.error())));
    context.on("request", (request) => {
      if (!request.url().startsWith(site.origin)) complaints.push(request.url());
    });
    await work({
      site,
      context,
      async open() {
        const page = await context.newPage();
        await page.goto(site.origin);
        await until(page, null);
        return page;
      },
    });
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
    await site.close();
  }
}

function statesOf(page: Page): Promise<string[]> {
  return page.evaluate("states");
}

/** Waits for a state. The policy of the page forbids what Playwright's own way to wait does. */
async function until(page: Page, state: string | null): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  while (Date.now() < deadline) {
    const [first, ...later] = await page.evaluate("[...globalThis.states ?? []]") as string[];
    if (first !== undefined && (state === null ? later.length > 0 : later.at(-1) === state)) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`${state ?? "no state"}: ${await statesOf(page)}`);
}

function signIn(page: Page, name = "ada"): Promise<{ ok: boolean }> {
  return page.evaluate(`client.signIn("credentials", { name: "${name}", redirect: false })`);
}

/** All that scripts of the page can read, and what they could have kept. */
async function dump(page: Page): Promise<string> {
  return await page.evaluate(`(async () => {
    const databases = await indexedDB.databases();
    const kept = await caches.keys();
    const session = await client.getSession();
    return JSON.stringify([
      document.cookie, { ...localStorage }, { ...sessionStorage }, databases, kept, states, session,
      store.getState(), history.state, location.href, document.documentElement.outerHTML,
      performance.getEntriesByType("resource").map(({ name }) => name), globalThis.name,
    ]);
  })()`);
}

// Tracks: R156
Deno.test("two tabs agree on who is signed in, and scripts see no token", OPTIONS, async () => {
  await withWorld({}, async ({ site, context, open }) => {
    const [one, two] = [await open(), await open()];
    assert.equal(site.asked, 2);
    for (const page of [one, two]) {
      assert.deepEqual(await statesOf(page), ["loading", "unauthenticated"]);
    }
    assert.equal((await signIn(one, "nobody")).ok, false);
    assert.equal((await signIn(one)).ok, true);
    for (const page of [one, two]) await until(page, "authenticated ada");

    const cookies = await context.cookies();
    const names = ["framework.known", "framework.session-token"];
    assert.deepEqual(cookies.map(({ name }) => name).sort(), names);
    const text = await dump(one);
    assert.match(text, /"ada"/);
    for (const { value, httpOnly } of cookies) {
      assert.ok(httpOnly && value.length >= 43);
      assert.equal(text.includes(value), false);
    }
    assert.deepEqual(JSON.parse(text).slice(0, 5), ["", {}, {}, [], []]);

    await two.evaluate("client.signOut({ redirect: false })");
    for (const page of [one, two]) await until(page, "unauthenticated");
    for (const page of [one, two]) {
      assert.deepEqual(await statesOf(page), [
        "loading",
        "unauthenticated",
        "authenticated ada",
        "unauthenticated",
      ]);
    }
    // What is left says that somebody has signed in here, and opens nothing.
    assert.deepEqual((await context.cookies()).map(({ name }) => name), names.slice(0, 1));
  });
});

// Tracks: R156
Deno.test(
  "a tab without a network keeps what it knows, and hears the rest later",
  OPTIONS,
  async () => {
    await withWorld({}, async ({ site, context, open }) => {
      const one = await open();
      await signIn(one);
      await until(one, "authenticated ada");
      await context.setOffline(true);
      const result = await one.evaluate("client.signIn('credentials', { name: 'grace' })");
      assert.equal((result as { error: { code: string } }).error.code, "NETWORK_ERROR");
      assert.equal(
        (await one.evaluate("store.refresh()") as { status: string }).status,
        "authenticated",
      );
      await context.setOffline(false);
      site.fault = 503;
      assert.equal(
        (await one.evaluate("store.refresh()") as { status: string }).status,
        "authenticated",
      );
      // As another device of the user would: nobody tells this tab.
      await context.clearCookies();
      site.fault = null;
      await one.evaluate("dispatchEvent(new Event('online'))");
      await until(one, "unauthenticated");
      assert.deepEqual(await statesOf(one), [
        "loading",
        "unauthenticated",
        "authenticated ada",
        "unauthenticated",
      ]);
    });
  },
);

// Tracks: R156
Deno.test("a session that ends while the page is open ends on the page", OPTIONS, async () => {
  const maxAge = 3600;
  await withWorld(
    { session: { strategy: "database", maxAge } },
    async ({ site, context, open }) => {
      await context.clock.install();
      const one = await open();
      await signIn(one);
      await until(one, "authenticated ada");
      site.fault = 500;
      await one.clock.fastForward(maxAge * 1000);
      await until(one, "unauthenticated");
    },
  );
});

Deno.test("a sign-in goes where it was asked to, and a sign-out too", OPTIONS, async () => {
  await withWorld({}, async ({ site, open }) => {
    const page = await open();
    await page.evaluate(
      `void client.signIn("credentials", { name: "ada", redirectTo: "/inside?a=1" })`,
    );
    await page.waitForURL(`${site.origin}/inside?a=1`);
    await until(page, "authenticated ada");
    await page.evaluate(`void client.signOut({ redirectTo: "/outside" })`);
    await page.waitForURL(`${site.origin}/outside`);
    await until(page, "unauthenticated");
    // Back to a page that the browser kept: who was signed in there is not shown any more.
    await page.goBack();
    await until(page, "unauthenticated");
  });
});
