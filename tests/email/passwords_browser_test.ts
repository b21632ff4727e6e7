import { accountPage, email, passwords } from "@framework/auth";
import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { cheapHasher } from "../../auth/tests/password_application.ts";
import { findChromium } from "../../scripts/chromium.ts";
import { isComplaint, launchBrowser } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { type MailSite, serveMailSite } from "./mail_site.ts";
import { linkIn, type SmtpPeer } from "./smtp_peer.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const PASSWORD = "a sentence that only tests use";
const NEW = "another sentence of mine";

function providers(peer: SmtpPeer) {
  return [
    passwords({ sendMail: peer.sendMail, hasher: cheapHasher() }),
    email({ from: "App <hello@app.example>", sendVerificationRequest: peer.send }),
    accountPage(),
  ];
}

/** Two browsers without scripts, and a place for what their consoles say. */
async function withBrowsers(
  work: (site: MailSite, here: BrowserContext, elsewhere: BrowserContext) => Promise<void>,
): Promise<void> {
  const site = await serveMailSite({ providers });
  const browser = await launchBrowser();
  const said: string[] = [];
  try {
    const contexts = [];
    for (const _ of [1, 2]) {
      const context = await browser.newContext({ javaScriptEnabled: false });
      context.on("console", (message) => {
        if (isComplaint(message)) said.push(message.text());
      });
      contexts.push(context);
    }
    await work(site, contexts[0]!, contexts[1]!);
    // What a page's policy refuses is said there; a refused password is a status.
    assert.deepEqual(said.filter((text) => !text.includes("status of 4")), []);
  } finally {
    await browser.close();
    await site.close();
  }
}

function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).click();
}

function heading(page: Page): Promise<string | null> {
  return page.getByRole("heading", { level: 1 }).textContent();
}

/** Waits for a mail that the response did not wait for. */
async function mailed({ received }: SmtpPeer, subject: string): Promise<void> {
  await until(
    () => Promise.resolve(received.at(-1)?.mail.subject === subject),
    () => `"${subject}" did not come, after ${received.map(({ mail }) => mail.subject).join()}`,
  );
}

/** Goes from the sign-in page to the form of sign-up and sends it. */
async function signUp({ origin }: MailSite, page: Page): Promise<void> {
  await page.goto(`${origin}/auth/signin`);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press(page, "Create account");
  await page.waitForURL(`${origin}/auth/signup/sent`);
}

/** Signs in by address and password. */
async function signIn({ origin }: MailSite, page: Page, password: string): Promise<void> {
  await page.goto(`${origin}/auth/signin`);
  await page.getByLabel("Email").fill("ada@example.com");
  await press(page, "Continue");
  assert.equal(await heading(page), "Enter your password");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await press(page, "Sign in");
}

// Tracks: R021, R025, R164
Deno.test(
  "Chromium without scripts signs up, proves the address, changes the password, forgets it and sets another",
  OPTIONS,
  () =>
    withBrowsers(async (site, here) => {
      const { origin, peer } = site;
      const page = await here.newPage();
      await signUp(site, page);
      assert.equal(await heading(page), "Check your email");
      assert.equal(await page.getByText("ada@example.com").count() > 0, true);
      await press(page, "send it again");
      await page.getByText("Sent again.").waitFor();
      assert.deepEqual(peer.received.map(({ recipients }) => recipients), [
        ["ada@example.com"],
        ["ada@example.com"],
      ]);
      await page.goto(linkIn(peer).href);
      await page.reload();
      assert.equal(await heading(page), "Create your account?");
      await press(page, "Create account");
      await page.waitForURL(`${origin}/`);
      assert.equal(await heading(page), "Hello ada@example.com");

      await page.goto(`${origin}/auth/account`);
      await page.getByRole("link", { name: "Change password" }).click();
      assert.equal(await heading(page), "Choose a new password");
      await page.getByLabel("New password").fill(NEW);
      await press(page, "Save");
      await page.waitForURL(`${origin}/auth/account?done=password-changed`);
      await mailed(peer, "Your password has changed");

      await here.clearCookies();
      await signIn(site, page, PASSWORD);
      await page.getByText("That email or password is wrong.").waitFor();
      assert.equal(await page.getByLabel("Email").inputValue(), "ada@example.com");
      await page.getByRole("link", { name: "Forgot password?" }).click();
      await page.getByLabel("Email").fill("ada@example.com");
      await press(page, "Send the link");
      await page.waitForURL(`${origin}/auth/forgot/sent`);
      await mailed(peer, "Choose a new password");
      const reset = linkIn(peer);
      assert.equal(reset.pathname, "/auth/reset");
      await page.goto(reset.href);
      await page.getByLabel("New password").fill(PASSWORD);
      await press(page, "Save");
      await page.waitForURL(`${origin}/auth/reset/done`);
      await page.getByRole("link", { name: "Sign in" }).click();
      await signIn(site, page, PASSWORD);
      await page.waitForURL(`${origin}/`);
      await page.goto(reset.href);
      assert.equal(await heading(page), "This link no longer works");
    }),
);

// Tracks: R026, R162, R163
Deno.test(
  "Chromium in another browser is asked for the password just chosen, or chooses a new one",
  OPTIONS,
  () =>
    withBrowsers(async (site, here, elsewhere) => {
      const first = await here.newPage();
      await signUp(site, first);
      const page = await elsewhere.newPage();
      await page.goto(linkIn(site.peer).href);
      await page.getByLabel("The password you just chose").fill("not what was chosen there");
      await press(page, "Create account");
      await page.getByText("That password is wrong.").waitFor();
      await page.getByRole("link", { name: "Choose a new password" }).click();
      await page.getByLabel("New password").fill(NEW);
      await press(page, "Create account");
      await page.waitForURL(`${site.origin}/`);
      assert.equal(await heading(page), "Hello ada@example.com");
      await signIn(site, first, PASSWORD);
      await first.getByText("That email or password is wrong.").waitFor();
    }),
);
