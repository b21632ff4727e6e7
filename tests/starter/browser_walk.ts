import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { TestBrowser } from "../support/browser.ts";
import { mailedLink } from "./mails.ts";
import { look, type Visitor, watch } from "./visitors.ts";

/** In how many lines the children of an element stand. */
async function linesOf(page: Page, selector: string): Promise<number> {
  return Number(
    await page.evaluate(
      `new Set([...document.querySelector("${selector}").children].map((child) => {
        const { top, height } = child.getBoundingClientRect();
        return Math.round((top + height / 2) / 8);
      })).size`,
    ),
  );
}

/**
 * Clicks through the starter application as one visitor, and looks at each page.
 *
 * @param mails The mails of the application so far, as its terminal shows them.
 * @param makeAdmin Makes the account with this address an administrator.
 */
export async function browserWalk(
  browser: TestBrowser,
  visitor: Visitor,
  { origin, mails, makeAdmin }: {
    origin: string;
    mails: () => string;
    makeAdmin: (email: string) => void;
  },
): Promise<void> {
  const context = await browser.newContext(visitor.options);
  const page = await context.newPage();
  const complaints = watch(page, [origin]);
  let shots = 0;
  async function shoot(name: string): Promise<void> {
    await look(page, `${visitor.name}-${String(++shots).padStart(2, "0")}-${name}`);
  }
  async function sessionCookie() {
    const cookies = await context.cookies();
    return cookies.find(({ name }) => name === "framework.session-token");
  }
  // Longer than a phone is wide, as addresses are.
  const email = `${visitor.name}@a.mail.address.as.there.are.example.com`;
  const password = "a few words are easiest";

  await page.goto(`${origin}/`);
  await shoot("home");
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Name").fill("Grace Hopper");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await shoot("sign-up");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(`${origin}/auth/signup/sent`);
  await shoot("signed-up");
  await page.goto(await mailedLink(mails, { to: email, path: "/auth/signup/confirm" }));
  await shoot("confirm");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(`${origin}/dashboard`);
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Hello, Grace Hopper");
  await shoot("dashboard");

  const refused = await page.goto(`${origin}/admin`);
  assert.equal(refused?.status(), 403);
  await shoot("admin-refused");
  makeAdmin(email);
  await page.goto(`${origin}/admin`);
  assert.equal(await page.getByRole("link", { name: "Look after users" }).count(), 1);
  // Tracks: AB-17
  await shoot("admin");
  assert.equal(await linesOf(page, ".site-header nav"), 1, "the header's links are one line");

  const before = await sessionCookie();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${origin}/`);
  assert.equal(await sessionCookie(), undefined);
  await shoot("signed-out");

  await page.goto(`${origin}/dashboard`);
  assert.equal(new URL(page.url()).pathname, "/auth/signin");
  await shoot("sign-in");
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: /^Continue(?! with)/ }).click();
  await page.getByLabel("Password", { exact: true }).fill("not the right one");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("That email or password is wrong.").waitFor();
  assert.equal(await page.getByLabel("Email").inputValue(), email);
  await shoot("sign-in-refused");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(`${origin}/dashboard`);
  const after = await sessionCookie();
  assert.equal(after?.httpOnly, true);
  assert.equal(after?.sameSite, "Lax");
  assert.notEqual(after?.value, before?.value);

  assert.deepEqual(complaints, []);
  await context.close();
}
