import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Page, Response as Answer } from "playwright-core";
import { createDevice } from "../passkey/device.ts";
import { mailedLink } from "../starter/mails.ts";
import type { TestBrowser } from "../support/browser.ts";
import { createClient } from "../support/client.ts";
import { sendHandshake } from "../support/raw_http.ts";
import { until } from "../support/until.ts";
import { openWebSocket } from "../support/web_socket.ts";

/** A served project of a framework, with the pages `/`, `/account`, `/admin` and `/stream`. */
export interface Door {
  origin: string;
  /** Path of its SQLite database. */
  database: string;
  /** All that it has printed: the mails too. */
  output(): string;
  /** Status for a form of a page that another site sends; null where the framework lets it in. */
  formRefusal: number | null;
  /** Path of a WebSocket that greets its user; null where the framework has none. */
  socket: string | null;
  /** Status for the handshake of another site; 0 for none, null where another program listens for handshakes. */
  handshakeRefusal: number | null;
  /** What its log says of an address that a header claims; null on platforms that tell the client's. */
  claimWarning: string | null;
  /** What only this framework has. */
  also: ((page: Page, door: Door) => Promise<void>) | undefined;
}

/** A row of the table in docs/servers.md. */
interface Row {
  /** Who asks: Chromium (C), requests alone (R), or both. */
  by: "C" | "R" | "C, R";
  run(page: Page, door: Door): Promise<void>;
}

const ADDRESS = "ada@mail.example";
const PASSWORD = "a sentence that only tests use";

function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).click();
}

/** Opens a page. A server for development may have the one before reload at that moment, which aborts this: then again. */
export async function openPage(page: Page, url: string): Promise<Answer | null> {
  try {
    return await page.goto(url);
  } catch (error) {
    if (!String(error).includes("net::ERR_ABORTED")) throw error;
    return await page.goto(url);
  }
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
  await openPage(page, `${origin}/account`);
  await page.waitForURL(`${origin}/auth/signin?callbackUrl=%2Faccount`);
}

/** Signs in by the password. */
async function signIn(page: Page, door: Door): Promise<void> {
  await sentToSignIn(page, door);
  await page.getByLabel("Email", { exact: true }).fill(ADDRESS);
  await press(page, "Continue");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press(page, "Sign in");
  await page.waitForURL(`${door.origin}/account`);
  await greets(page, "Ada");
}

/** Signs in by the password, where the pages that ask for it are not the matter. */
async function signInByRequest(page: Page, { origin }: Door): Promise<void> {
  const signedIn = await page.request.post(`${origin}/auth/signin/passwords`, {
    headers: { origin },
    form: { email: ADDRESS, password: PASSWORD },
    maxRedirects: 0,
  });
  assert.equal(signedIn.status(), 303, await signedIn.text());
}

/** Signs out by the action of the page of users. */
async function signOut(page: Page, { origin }: Door): Promise<void> {
  await openPage(page, `${origin}/account`);
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
): Promise<{ path: string; body: FormData | URLSearchParams }> {
  const page = await (await fetch(url, { headers: { cookie } })).text();
  const fields = /<form([^>]*)>([^]*?)<\/form>/.exec(page)!;
  const action = /action="([^"]*)"/.exec(fields[1]!)?.[1] ?? "";
  const isMultipart = /enctype="multipart/i.test(fields[1]!);
  const body = isMultipart ? new FormData() : new URLSearchParams();
  for (const [tag] of fields[2]!.matchAll(/<input[^>]*>/g)) {
    body.set(/name="([^"]*)"/.exec(tag)![1]!, /value="([^"]*)"/.exec(tag)?.[1] ?? "");
  }
  const { pathname, search } = new URL(action, url);
  return { path: pathname + search, body };
}

/** Sends a form with the user's cookies, and tells the status. */
async function sendForm(
  page: Page,
  { origin }: Door,
  { path, body, from }: { path: string; body: FormData | URLSearchParams; from: string },
): Promise<number> {
  const site = from === origin ? "same-origin" : "cross-site";
  const cookie = await cookieHeader(page);
  const headers = { cookie, origin: from, "sec-fetch-site": site, accept: "text/html" };
  const init = { method: "POST", headers, body, redirect: "manual" } as const;
  const sent = await fetch(`${origin}${path}`, init);
  await sent.body?.cancel();
  return sent.status;
}

/** A row of what is asked last, when a server is told to end. */
export const AFTER = "work after the response";

/** The rows that differ among frameworks. */
export const OWN = "own routes and actions";
export const FORM_OF_PAGE = "cross-site form of a page";
export const SOCKET = "guarded WebSocket";
export const SOCKET_OF_SITE = "cross-site WebSocket";

/** An address of the client that a header claims: nobody's, of which the log tells. */
export const CLAIMED = "claimed address";

const FORGER = "https://evil.example";

/** What is asked of every project, one after the other in one browser. */
export const ROWS: Readonly<Record<string, Row>> = {
  "guarded page": {
    by: "C",
    async run(page, { origin }) {
      await openPage(page, origin);
      await greets(page, "stranger");
      // A link of the page leads there, without a new document where the framework draws pages in the browser.
      await page.getByRole("link", { name: "Account" }).click();
      await page.waitForURL(`${origin}/auth/signin?callbackUrl=%2Faccount`);
    },
  },
  "sign-up": {
    by: "C",
    async run(page, { origin, output }) {
      await page.getByRole("link", { name: "Create an account" }).click();
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("Email").fill(ADDRESS);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await press(page, "Create account");
      await page.waitForURL(`${origin}/auth/signup/sent`);
      await openPage(page, await mailedLink(output, { to: ADDRESS, path: "/auth/signup/confirm" }));
      await press(page, "Create account");
      await page.waitForURL(`${origin}/account`);
      await greets(page, "Ada");
    },
  },
  "sign-out": { by: "C", run: signOut },
  "sign-in": { by: "C", run: signIn },
  "role: 401, 403": {
    by: "C, R",
    async run(page, door) {
      const { origin } = door;
      const refused = await openPage(page, `${origin}/admin`);
      assert.equal(refused!.status(), 403);
      assert.doesNotMatch(await refused!.text(), /Secret/);
      query(door, `UPDATE users SET role = 'admin' WHERE name = 'Ada'`);
      const allowed = await openPage(page, `${origin}/admin`);
      assert.equal(allowed!.status(), 200);
      await page.getByText("Secret").waitFor();
      await press(page, "Ask again");
      await page.getByText("Secret").waitFor();
      const visitor = await createClient(origin).fetch("/admin");
      assert.equal(visitor.status, 401, await visitor.text());
    },
  },
  "streaming": {
    by: "C",
    async run(page, { origin }) {
      await openPage(page, `${origin}/stream`);
      await page.getByText("Late Ada").waitFor();
      // It is asked who is signed in when the headers have gone, which keep caches from storing it all the same.
      const streamed = await fetch(`${origin}/stream`, {
        headers: { cookie: await cookieHeader(page) },
      });
      assert.match(await streamed.text(), /Late (<!-- -->)?Ada|"Ada"/);
      assert.match(streamed.headers.get("cache-control") ?? "", /no-store/);
    },
  },
  [OWN]: {
    by: "R",
    run: async (page, door) => await door.also?.(page, door),
  },
  [SOCKET]: {
    by: "R",
    async run(page, { origin, socket }) {
      if (socket === null) return;
      const address = `${origin}${socket}`;
      const visitor = await sendHandshake(address, origin);
      assert.equal(visitor.status, 401, visitor.text);
      const own = openWebSocket(address.replace("http", "ws"), {
        origin,
        cookie: await cookieHeader(page),
      });
      const said = await new Promise((resolve) => {
        own.onmessage = ({ data }) => resolve(data);
        own.onerror = (event) => resolve((event as ErrorEvent).message);
      });
      const closed = new Promise((resolve) => own.onclose = resolve);
      own.close();
      await closed;
      assert.equal(said, "Hello Ada");
    },
  },
  [SOCKET_OF_SITE]: {
    by: "R",
    async run(page, { origin, socket, handshakeRefusal }) {
      const cookie = await cookieHeader(page);
      const { status, text } = await sendHandshake(
        `${origin}${socket ?? "/account"}`,
        FORGER,
        cookie,
      );
      if (handshakeRefusal === null) assert.notEqual(status, 101);
      else assert.equal(status, handshakeRefusal, text);
      assert.doesNotMatch(text, /Ada/);
    },
  },
  "cross-site form at `/auth`": {
    by: "R",
    async run(page, door) {
      const form = { path: "/auth/signout", body: new FormData() };
      assert.equal(await sendForm(page, door, { ...form, from: FORGER }), 403);
      assert.equal(await whoIs(page, door.origin), "Ada");
    },
  },
  [FORM_OF_PAGE]: {
    by: "R",
    async run(page, door) {
      const { origin, formRefusal } = door;
      const form = await readForm(`${origin}/account`, await cookieHeader(page));
      if (formRefusal !== null) {
        assert.equal(await sendForm(page, door, { ...form, from: FORGER }), formRefusal);
        assert.equal(await whoIs(page, origin), "Ada");
      }
      // The same form of the application's own page signs out.
      const status = await sendForm(page, door, { ...form, from: origin });
      assert.ok(status < 400, `${status}`);
      assert.equal(await whoIs(page, origin), null);
    },
  },
  [CLAIMED]: {
    by: "R",
    async run(_page, { origin, output, claimWarning }) {
      const claim = { "x-forwarded-for": "203.0.113.1" };
      const client = createClient(origin);
      const asked = await client.post("/auth/signin/email", { email: "eve@mail.example" }, claim);
      assert.ok(asked.status < 400, await asked.text());
      const isTold = async () => await Promise.resolve(output().includes(claimWarning!));
      if (claimWarning !== null) await until(isTold, output);
      else assert.doesNotMatch(output(), /proxy-not-trusted|client-address-unknown/);
    },
  },
  "passkey": {
    by: "C",
    async run(page, door) {
      const { origin } = door;
      await signInByRequest(page, door);
      await openPage(page, `${origin}/auth/account`);
      await page.getByText("Add a passkey", { exact: true }).click();
      await press(page, "Create a passkey");
      await page.getByRole("status").filter({ hasText: "passkey is added" }).waitFor();
      await page.context().clearCookies();
      await sentToSignIn(page, door);
      await press(page, "Continue with a passkey");
      await page.waitForURL(`${origin}/account`);
      await greets(page, "Ada");
      await page.context().clearCookies();
    },
  },
  "email link": {
    by: "C",
    async run(page, door) {
      const { origin, output } = door;
      await sentToSignIn(page, door);
      await page.getByLabel("Email", { exact: true }).fill(ADDRESS);
      await press(page, "Continue");
      await press(page, "Sign in by email instead");
      await page.waitForURL(`${origin}/auth/verify-request`);
      await openPage(page, await mailedLink(output, { to: ADDRESS, path: "/auth/callback/email" }));
      await press(page, "Sign in");
      await page.waitForURL(`${origin}/account`);
      await greets(page, "Ada");
      await page.context().clearCookies();
    },
  },
  "provider": {
    by: "C",
    async run(page, door) {
      await sentToSignIn(page, door);
      await press(page, "Continue with Local");
      await page.getByRole("button", { name: "Grace Hopper" }).click();
      await page.waitForURL(`${door.origin}/account`);
      await greets(page, "Grace Hopper");
    },
  },
};

/** Asks everything of {@linkcode ROWS}, each as a step of a test: what comes after a failure would only repeat it. */
export async function visitDoor(
  test: Deno.TestContext,
  door: Door,
  browser: TestBrowser,
): Promise<void> {
  const { page, complaints } = await createDevice(browser, { list: false });
  for (const [name, { run }] of Object.entries(ROWS)) {
    if (name === OWN && door.also === undefined || name === SOCKET && door.socket === null) {
      continue;
    }
    const fn = async () => {
      try {
        await run(page, door);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        const text = await page.locator("body").innerText();
        error.message += `\nAt ${page.url()}:\n${text}\nThe server:\n${door.output()}`;
        throw error;
      }
    };
    if (!await test.step({ name, fn, sanitizeOps: false, sanitizeResources: false })) return;
  }
  // Next.js says so when a page is left before a link of it was fetched ahead.
  assert.deepEqual(complaints.filter((text) => !text.includes("RSC payload")), []);
}
