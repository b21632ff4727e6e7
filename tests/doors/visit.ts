import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { createDevice, type Device } from "../passkey/device.ts";
import { mailedLink } from "../starter/mails.ts";
import type { TestBrowser } from "../support/browser.ts";
import { createClient } from "../support/client.ts";

/** A served project of a framework, with the pages `/`, `/account`, `/admin` and `/stream`. */
export interface Door {
  origin: string;
  /** Path of its SQLite database. */
  database: string;
  /** All that it has printed: the mails too. */
  output(): string;
  /** True when the framework refuses a form of another site that its page has; SvelteKit does in production alone. */
  refusesForms: boolean;
}

const ADDRESS = "ada@mail.example";
const PASSWORD = "a sentence that only tests use";

function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).click();
}

/** The name of whoever is signed in, in the browser's own cookies. */
async function whoIs(page: Page, origin: string): Promise<string | null> {
  const response = await page.request.get(`${origin}/auth/session`);
  return (await response.json())?.user.name ?? null;
}

async function greets(page: Page, name: string): Promise<void> {
  await page.getByText(`Hello ${name}`).waitFor();
}

/** Asks for the page of users, which sends a visitor to sign in. */
async function sentToSignIn(page: Page, { origin }: Door): Promise<void> {
  await page.goto(`${origin}/account`);
  await page.waitForURL(`${origin}/auth/signin?callbackUrl=%2Faccount`);
}

/** Signs out by the action of the page of users. */
async function signOut(page: Page, { origin }: Door): Promise<void> {
  await page.goto(`${origin}/account`);
  await press(page, "Sign out");
  await greets(page, "stranger");
  assert.equal(await whoIs(page, origin), null);
}

function query(door: Door, text: string): Record<string, unknown>[] {
  const database = new DatabaseSync(door.database);
  try {
    database.exec("PRAGMA busy_timeout = 30000");
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}

/** Rows of the sessions, all columns of them. */
export function sessionRows(door: Door): string {
  return JSON.stringify(query(door, "SELECT * FROM sessions ORDER BY 1"));
}

/** The cookies of a browser, for a request beside it. */
export async function cookieHeader(page: Page): Promise<string> {
  const cookies = await page.context().cookies();
  return cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
}

/** The form of a page, as a browser without scripts sends it. */
async function readForm(
  url: string,
  cookie: string,
): Promise<{ path: string; body: FormData }> {
  const page = await (await fetch(url, { headers: { cookie } })).text();
  const fields = /<form([^>]*)>([^]*?)<\/form>/.exec(page)!;
  const action = /action="([^"]*)"/.exec(fields[1]!)?.[1] ?? "";
  const body = new FormData();
  for (const [tag] of fields[2]!.matchAll(/<input[^>]*>/g)) {
    body.set(/name="([^"]*)"/.exec(tag)![1]!, /value="([^"]*)"/.exec(tag)?.[1] ?? "");
  }
  const { pathname, search } = new URL(action, url);
  return { path: pathname + search, body };
}

/** Signs up and uses every way in, a guarded page, a role, a stream, and what other sites must not do. */
export async function visitDoor(
  door: Door,
  browser: TestBrowser,
  meanwhile: (page: Page) => Promise<void>,
): Promise<void> {
  const device = await createDevice(browser, { list: false });
  const { page } = device;
  try {
    await visit(door, device, meanwhile);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const text = await page.locator("body").innerText();
    error.message += `\nAt ${page.url()}:\n${text}\nThe server:\n${door.output()}`;
    throw error;
  }
}

async function visit(
  door: Door,
  { page, complaints }: Device,
  meanwhile: (page: Page) => Promise<void>,
): Promise<void> {
  const { origin, output } = door;
  await page.goto(origin);
  await greets(page, "stranger");

  // Sign-up, from the guarded page, to which a link leads without a new document, and back to it.
  await page.getByRole("link", { name: "Account" }).click();
  await page.waitForURL(`${origin}/auth/signin?callbackUrl=%2Faccount`);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("Email").fill(ADDRESS);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press(page, "Create account");
  await page.waitForURL(`${origin}/auth/signup/sent`);
  await page.goto(await mailedLink(output, { to: ADDRESS, path: "/auth/signup/confirm" }));
  await press(page, "Create account");
  await page.waitForURL(`${origin}/account`);
  await greets(page, "Ada");

  // A role.
  const refused = await page.goto(`${origin}/admin`);
  assert.equal(refused!.status(), 403);
  assert.doesNotMatch(await refused!.text(), /Secret/);
  query(door, `UPDATE users SET role = 'admin' WHERE name = 'Ada'`);
  const allowed = await page.goto(`${origin}/admin`);
  assert.equal(allowed!.status(), 200);
  await page.getByText("Secret").waitFor();
  await press(page, "Ask again");
  await page.getByText("Secret").waitFor();
  const visitor = await createClient(origin).fetch("/admin");
  assert.equal(visitor.status, 401, await visitor.text());

  // A page that is sent in parts.
  await page.goto(`${origin}/stream`);
  await page.getByText("Late Ada").waitFor();

  await meanwhile(page);

  // A passkey.
  await page.goto(`${origin}/auth/account`);
  await page.getByText("Add a passkey", { exact: true }).click();
  await press(page, "Create a passkey");
  await page.getByRole("status").filter({ hasText: "passkey is added" }).waitFor();

  // The form that signs out, sent by another site with the user's cookies, and by the application's own page.
  const cookie = await cookieHeader(page);
  const form = await readForm(`${origin}/account`, cookie);
  for (const from of ["https://evil.example", origin]) {
    assert.equal(await whoIs(page, origin), "Ada");
    for (const { path, body } of [form, { path: "/auth/signout", body: new FormData() }]) {
      if (path === form.path ? from !== origin && !door.refusesForms : from === origin) continue;
      const site = from === origin ? "same-origin" : "cross-site";
      const headers = { cookie, origin: from, "sec-fetch-site": site, accept: "text/html" };
      const init = { method: "POST", headers, body, redirect: "manual" } as const;
      const sent = await fetch(`${origin}${path}`, init);
      await sent.body?.cancel();
      assert.equal(sent.status < 400, from === origin, `${from} ${path}: ${sent.status}`);
    }
  }
  assert.equal(await whoIs(page, origin), null);
  await sentToSignIn(page, door);
  await press(page, "Continue with a passkey");
  await page.waitForURL(`${origin}/account`);
  await greets(page, "Ada");
  await signOut(page, door);

  // The password.
  await sentToSignIn(page, door);
  await page.getByLabel("Email", { exact: true }).fill(ADDRESS);
  await press(page, "Continue");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press(page, "Sign in");
  await page.waitForURL(`${origin}/account`);
  await greets(page, "Ada");
  await signOut(page, door);

  // A link by mail.
  await sentToSignIn(page, door);
  await page.getByLabel("Email", { exact: true }).fill(ADDRESS);
  await press(page, "Continue");
  await press(page, "Email me a link instead");
  await page.waitForURL(`${origin}/auth/verify-request`);
  await page.goto(await mailedLink(output, { to: ADDRESS, path: "/auth/callback/email" }));
  await press(page, "Sign in");
  await page.waitForURL(`${origin}/account`);
  await greets(page, "Ada");
  await signOut(page, door);

  // A provider.
  await sentToSignIn(page, door);
  await press(page, "Continue with Local");
  await page.getByRole("button", { name: "Grace Hopper" }).click();
  await page.waitForURL(`${origin}/account`);
  await greets(page, "Grace Hopper");
  await signOut(page, door);
  // Next.js says so when a page is left before a link of it was fetched ahead.
  assert.deepEqual(complaints.filter((text) => !text.includes("RSC payload")), []);
}
