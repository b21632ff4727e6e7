import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** What a person may have set in the browser. */
export interface Visitor {
  /** Part of the screenshots' names. */
  name: string;
  options: BrowserContextOptions;
}

/** A phone in the dark, a desktop in the light, and a browser without scripts. */
export const visitors: Visitor[] = [
  {
    name: "desktop-light",
    options: { colorScheme: "light", viewport: { width: 1280, height: 800 } },
  },
  {
    name: "phone-dark",
    options: { colorScheme: "dark", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
  },
  {
    name: "no-script",
    options: { javaScriptEnabled: false, viewport: { width: 800, height: 700 } },
  },
];

/**
 * Clicks through the starter application as one visitor, and takes a screenshot of each page.
 *
 * @param makeAdmin Makes the account with this address an administrator.
 */
export async function browserWalk(
  browser: Browser,
  visitor: Visitor,
  { origin, screenshots, makeAdmin }: {
    origin: string;
    screenshots: string;
    makeAdmin: (email: string) => void;
  },
): Promise<void> {
  const context = await browser.newContext(visitor.options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    // Chromium reports the status of every refused page that the walk asks for on purpose.
    const refused = /status of 40[13]/.test(message.text());
    if (message.type() === "error" && !refused) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`Asked for ${request.url()}`);
  });
  let shots = 0;
  async function shoot(name: string): Promise<void> {
    const number = String(++shots).padStart(2, "0");
    await page.screenshot({
      path: join(screenshots, `${visitor.name}-${number}-${name}.png`),
      fullPage: true,
    });
    const { content, shown } = await overflow(page);
    assert.ok(content <= shown, `${name} is ${content} px wide on a screen of ${shown} px`);
  }
  const email = `${visitor.name}@example.com`;
  const password = "a few words are easiest";

  await page.goto(`${origin}/`);
  await shoot("home");
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Name").fill("Grace Hopper");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await shoot("sign-up");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(`${origin}/dashboard`);
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Hello, Grace Hopper");
  await shoot("dashboard");

  const refused = await page.goto(`${origin}/admin`);
  assert.equal(refused?.status(), 403);
  await shoot("admin-refused");
  makeAdmin(email);
  await page.goto(`${origin}/admin`);
  assert.equal(await page.getByRole("cell", { name: email }).count(), 1);
  await shoot("admin");

  const [before] = await context.cookies();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${origin}/`);
  assert.deepEqual(await context.cookies(), []);
  await shoot("signed-out");

  await page.goto(`${origin}/dashboard`);
  assert.equal(new URL(page.url()).pathname, "/signin");
  await shoot("sign-in");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill("not the right one");
  await page.getByRole("button", { name: "Sign in" }).click();
  assert.match(await page.getByRole("alert").textContent() ?? "", /is not right/);
  assert.equal(await page.getByLabel("E-mail").inputValue(), email);
  await shoot("sign-in-refused");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${origin}/dashboard`);
  const [after] = await context.cookies();
  assert.equal(after?.httpOnly, true);
  assert.equal(after?.sameSite, "Lax");
  assert.notEqual(after?.value, before?.value);

  assert.deepEqual(complaints, []);
  await context.close();
}

async function overflow(page: Page): Promise<{ content: number; shown: number }> {
  const content = await page.evaluate("document.documentElement.scrollWidth");
  return { content: Number(content), shown: page.viewportSize()?.width ?? 0 };
}
