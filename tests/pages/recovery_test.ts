// The way back for who has lost every second factor, in Chromium and without a script.
import { accountPage, secondFactor, type SecondFactorMail } from "@framework/auth";
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { stepAt, totpCode } from "../../auth/sign_in/second_factor/totp.ts";
import { findChromium } from "../../scripts/chromium.ts";
import { launchBrowser } from "../support/browser.ts";
import { watch } from "./check_page.ts";
import { servePagesSite } from "./pages_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const DAY = 86_400_000;

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const follow = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).click();
const shows = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor();

async function signIn(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/auth/signin?callbackUrl=%2Fauth%2Faccount`);
  await page.getByLabel("Email", { exact: true }).fill("ada@example.com");
  await page.getByLabel("Password", { exact: true }).fill("right");
  await press(page, "Sign in");
}

// Tracks: R174, R175
Deno.test(
  "somebody who has lost every second factor asks, is cancelled by mail and on the account page, and gets in after three days, without a script",
  OPTIONS,
  async () => {
    const clock = { ahead: 0 };
    const now = () => Date.now() + clock.ahead;
    const news: SecondFactorMail[] = [];
    const site = servePagesSite({ now, cookies: { sessionToken: { hostOnly: true } } }, [
      accountPage(),
      secondFactor({ sendMail: (mail) => void news.push(mail), recovery: {} }),
    ]);
    const browser = await launchBrowser();
    const complaints: string[][] = [];
    const { origin } = site;
    async function visit(): Promise<Page> {
      const context = await browser.newContext({ javaScriptEnabled: false });
      complaints.push(watch(context, origin));
      return await context.newPage();
    }
    const lastRequest = () => news.findLast(({ kind }) => kind === "recovery-requested")!;
    try {
      const owner = await visit();
      await signIn(owner, origin);
      await shows(owner, "Your account");
      await owner.goto(`${origin}/auth/second-factor/setup`);
      const secret = (await owner.locator("#key").textContent())!.replaceAll(" ", "");
      await owner.getByLabel("Enter the six digits it shows").fill(
        await totpCode(secret, stepAt(now())),
      );
      await press(owner, "Turn on");
      await shows(owner, "Save your recovery codes");

      const other = await visit();
      const ask = async () => {
        await signIn(other, origin);
        await shows(other, "Enter your code");
        await follow(other, "Lost your second step?");
        await shows(other, "Ask to sign in without the second step");
        await press(other, "Send the request");
        await shows(other, "We have your request");
      };
      await ask();

      await owner.goto(`${origin}/auth/account`);
      await owner.getByRole("alert").getByText("Somebody asked to sign in").waitFor();
      await press(owner, "Cancel the request");
      await owner.getByText("The request is cancelled.", { exact: true }).waitFor();
      assert.equal(await owner.getByRole("alert").count(), 0);
      await owner.getByText("Request to sign in without the second step cancelled").waitFor();
      await follow(other, "Back to the second step");
      await signIn(other, origin);
      await follow(other, "Lost your second step?");
      await shows(other, "The request was cancelled");

      clock.ahead += DAY;
      await ask();
      const reader = await visit();
      await reader.goto(lastRequest().url);
      await shows(reader, "Somebody asked to sign in without your second step");
      await press(reader, "Cancel the request");
      await shows(reader, "The request is cancelled.");

      clock.ahead += DAY;
      await ask();
      clock.ahead += 3 * DAY;
      await signIn(other, origin);
      await follow(other, "Continue without the second step");
      await shows(other, "Continue without the second step?");
      await press(other, "Remove and continue");
      await shows(other, "Set up two-step sign-in");
      await owner.goto(`${origin}/auth/account`);
      await owner.getByRole("button", { name: "Sign in", exact: true }).waitFor();
      assert.deepEqual(news.map(({ kind }) => kind), [
        "added",
        "recovery-requested",
        "recovery-cancelled",
        "recovery-requested",
        "recovery-cancelled",
        "recovery-requested",
        "removed",
      ]);
      assert.deepEqual(complaints.flat(), []);
    } finally {
      await browser.close();
      await site.close();
    }
  },
);
