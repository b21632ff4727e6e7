import assert from "node:assert/strict";
import type { BrowserContextOptions, Page, Request } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { isComplaint, launchBrowser } from "../support/browser.ts";
import { type MailSite, type MailSiteOptions, serveMailSite } from "./mail_site.ts";
import { linkIn } from "./smtp_peer.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

/** Opens a browser of its own, by default without scripts. */
type Open = (options?: BrowserContextOptions) => Promise<Page>;

async function withBrowsers(
  work: (site: MailSite, open: Open) => Promise<void>,
  options?: MailSiteOptions,
): Promise<void> {
  const site = await serveMailSite(options);
  const browser = await launchBrowser();
  try {
    await work(site, (more) => browser.newPage({ javaScriptEnabled: false, ...more }));
  } finally {
    await browser.close();
    await site.close();
  }
}

/** Asks for an email by the built-in page. */
async function ask({ origin }: MailSite, page: Page, query = ""): Promise<void> {
  await page.goto(`${origin}/auth/signin${query}`);
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL(`${origin}/auth/verify-request`);
  assert.equal(await page.getByRole("heading").textContent(), "Check your email");
}

// Tracks: R021, R025
Deno.test(
  "Chromium without scripts signs in by a link, and its address goes no further",
  OPTIONS,
  () =>
    withBrowsers(async (site, open) => {
      const { origin, peer } = site;
      const page = await open();
      await ask(site, page, "?callbackUrl=/inbox");
      const asked: Request[] = [];
      const refused: string[] = [];
      page.on("console", (message) => {
        if (isComplaint(message)) refused.push(message.text());
      });
      page.on("request", (request) => {
        if (new URL(request.url()).pathname === "/inbox") asked.push(request);
      });
      const landed = await page.goto(linkIn(peer).href);
      assert.equal(landed!.headers()["referrer-policy"], "same-origin");
      assert.equal(landed!.headers()["cache-control"], "no-store");
      await page.reload();
      assert.equal(await page.getByText("in this browser").count(), 0, "it was asked for here");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(`${origin}/inbox`);
      assert.equal(await page.getByRole("heading").textContent(), "Hello ada@example.com");
      const headers = await Promise.all(asked.map((request) => request.allHeaders()));
      assert.deepEqual(headers.map(({ referer }) => referer), [undefined]);
      assert.equal(page.url(), `${origin}/inbox`);
      assert.deepEqual(refused, []);
      await page.goto(linkIn(peer).href);
      assert.equal(await page.getByRole("heading").textContent(), "This link no longer works");
    }),
);

// Tracks: R025
Deno.test(
  "with scripts the next page knows no referrer either",
  OPTIONS,
  () =>
    withBrowsers(async (site, open) => {
      const page = await open({ javaScriptEnabled: true });
      await ask(site, page);
      await page.goto(linkIn(site.peer).href);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(`${site.origin}/`);
      assert.equal(await page.evaluate("document.referrer"), "");
    }),
);

// Tracks: R026
Deno.test(
  "Chromium asks before it signs in by a link of another browser",
  OPTIONS,
  () =>
    withBrowsers(async (site, open) => {
      await ask(site, await open());
      const page = await open();
      await page.goto(linkIn(site.peer).href);
      assert.equal(await page.getByText("was not requested in this browser").count(), 1);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(`${site.origin}/`);
      assert.equal(await page.getByRole("heading").textContent(), "Hello ada@example.com");
    }),
);

// Tracks: R026
Deno.test(
  "with sameBrowser Chromium signs in where the link was asked for only",
  OPTIONS,
  () =>
    withBrowsers(async (site, open) => {
      const [page, other] = [await open(), await open()];
      await ask(site, page);
      const link = linkIn(site.peer).href;
      await other.goto(link);
      assert.match((await other.getByRole("alert").textContent())!, /in which you asked for it/);
      await page.goto(link);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(`${site.origin}/`);
    }, { config: { sameBrowser: true } }),
);

Deno.test(
  "Chromium without scripts signs in by the code, after a wrong one",
  OPTIONS,
  () =>
    withBrowsers(async (site, open) => {
      const { origin, peer } = site;
      const page = await open();
      await ask(site, page, "?callbackUrl=/inbox");
      const code = /code: (\d{6})/.exec(peer.received[0]!.mail.text!)![1]!;
      for (const typed of [String((Number(code) + 1) % 1_000_000).padStart(6, "0"), code]) {
        await page.getByLabel("code").fill(typed);
        const answered = page.waitForResponse((response) => response.request().method() === "POST");
        await page.getByRole("button", { name: "Continue" }).click();
        if ((await answered).status() === 303) break;
        assert.match((await page.locator("#code-error").textContent())!, /code doesn’t match/);
        assert.equal(await page.getByLabel("code").inputValue(), typed);
      }
      await page.waitForURL(`${origin}/inbox`);
      assert.equal(await page.getByRole("heading").textContent(), "Hello ada@example.com");
    }, { config: { code: true } }),
);
