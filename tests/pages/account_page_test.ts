import { accountPage, type EmailChangeParams } from "@framework/auth";
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { createDevice } from "../passkey/device.ts";
import { launchBrowser, type TestBrowser } from "../support/browser.ts";
import { inMatrix } from "../support/matrix.ts";
import { takePicture } from "../support/picture.ts";
import { assertAccessible, assertLooks, watch } from "./check_page.ts";
import { type PagesSite, servePagesSite, signInElsewhere } from "./pages_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

interface World {
  browser: TestBrowser;
  site: PagesSite;
  clock: { ahead: number };
  mails: EmailChangeParams[];
  visit(options?: BrowserContextOptions): Promise<Page>;
}

async function withWorld(work: (world: World) => Promise<void>): Promise<void> {
  const mails: EmailChangeParams[] = [];
  const clock = { ahead: 0 };
  const cookies = { sessionToken: { hostOnly: true } };
  const site = servePagesSite({ now: () => Date.now() + clock.ahead, cookies }, [
    accountPage({ sendEmailChange: (mail) => void mails.push(mail) }),
  ]);
  const browser = await launchBrowser();
  const complaints: string[][] = [];
  try {
    await work({
      browser,
      site,
      clock,
      mails,
      async visit(visitor = {}) {
        const context = await browser.newContext(visitor);
        complaints.push(watch(context, site.origin));
        return await context.newPage();
      },
    });
    assert.deepEqual(complaints.flat(), []);
  } finally {
    await browser.close();
    await site.close();
  }
}

/** Signs the page's browser in and opens the account page. */
async function openAccount(page: Page, origin: string, email = "ada@example.com"): Promise<void> {
  const response = await page.request.post(`${origin}/auth/signin/credentials`, {
    headers: { origin },
    form: { email, password: "right" },
    maxRedirects: 0,
  });
  assert.equal(response.status(), 303);
  await page.goto(`${origin}/auth/account`);
  await page.getByRole("heading", { name: "Your account" }).waitFor();
}

async function askForEmail(page: Page, email: string): Promise<void> {
  await page.getByText("Change email address", { exact: true }).click();
  await page.getByLabel("New email address").fill(email);
  await press(page, "Send a confirmation");
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

Deno.test(
  "the account page is accessible on a phone and a desktop, light and dark",
  OPTIONS,
  async () => {
    await withWorld(async ({ site, visit }) => {
      await signInElsewhere(site.origin);
      const page = await visit();
      await openAccount(page, site.origin);
      await assertLooks(page, "account");
      await page.getByRole("link", { name: "Delete account" }).click();
      await page.getByText("cannot be undone").waitFor();
      await assertLooks(page, "account-delete");
    });
  },
);

Deno.test(
  "every section of the account page can be chosen on the narrowest phone",
  OPTIONS,
  async () => {
    await withWorld(async ({ site, visit }) => {
      const page = await visit();
      await openAccount(page, site.origin);
      for (const width of inMatrix ? [320, 360, 390] : [320]) {
        await page.setViewportSize({ width, height: 740 });
        const links = await page.locator(".toc a").all();
        assert.ok(links.length >= 5, String(links.length));
        for (const link of links) {
          const { x, width: own } = (await link.boundingBox())!;
          assert.ok(x >= 0 && x + own <= width, `${await link.textContent()}, ${width} px`);
        }
        await takePicture(page, `account-${width}`);
      }
    });
  },
);

Deno.test(
  "without scripts a user changes name, devices and data, and deletes the account",
  OPTIONS,
  async () => {
    await withWorld(async ({ site, visit }) => {
      const other = await visit({ userAgent: "Mozilla/5.0 (iPhone) Version/18.0 Safari/605.1.15" });
      await openAccount(other, site.origin);
      const page = await visit({ javaScriptEnabled: false });
      await openAccount(page, site.origin);

      await page.getByLabel("Name", { exact: true }).fill("Ada <b>Lovelace");
      await page.getByLabel("Profile picture URL").fill("https://pictures.example/ada.png");
      await press(page, "Save");
      await page.getByRole("status").filter({ hasText: "saved" }).waitFor();
      assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Ada <b>Lovelace");

      const download = page.waitForEvent("download");
      await press(page, "Download");
      const file = JSON.parse(await Deno.readTextFile(await (await download).path()));
      const [newest] = file.activity;
      assert.deepEqual([newest.type, newest.provider], ["sign-in", "credentials"]);
      assert.equal(file.user.name, "Ada <b>Lovelace");
      assert.equal(file.sessions.length, 2);
      assert.equal(/token|hash|secret/i.test(JSON.stringify(file)), false);

      await press(page, "Sign out Safari on iPhone");
      await page.getByRole("status").filter({ hasText: "That device is signed out" })
        .waitFor();
      await other.goto(`${site.origin}/auth/account`);
      assert.match(other.url(), /\/auth\/signin\?callbackUrl=/);
      await openAccount(other, site.origin);
      await page.reload();
      await press(page, "Sign out everywhere else");
      await page.getByRole("status").waitFor();
      await other.reload();
      assert.match(other.url(), /\/auth\/signin/);

      await page.getByRole("link", { name: "Delete account" }).click();
      await press(page, "Delete account");
      await page.getByRole("heading", { name: "Your account is deleted." }).waitFor();
      await page.getByRole("link", { name: "start page" }).click();
      await page.getByRole("heading", { name: "Hello nobody" }).waitFor();
      await page.goto(`${site.origin}/auth/account`);
      assert.match(page.url(), /\/auth\/signin/);
    });
  },
);

/** Walks with Tab to what has this text, or this name as a field. */
async function walkTo(page: Page, goal: string): Promise<void> {
  for (let steps = 0; steps < 60; steps++) {
    await page.keyboard.press("Tab");
    const { name, outline } = await page.evaluate(`(() => {
      const { activeElement } = document;
      const label = activeElement.labels?.[0]?.firstChild.textContent.trim();
      return { name: activeElement.ariaLabel ?? label ?? activeElement.textContent.trim(),
        outline: getComputedStyle(activeElement).outlineStyle };
    })()`) as { name: string; outline: string };
    assert.equal(outline, "solid", `the focus is seen on ${name}`);
    if (name === goal) return;
  }
  assert.fail(`The keyboard does not reach ${goal}`);
}

Deno.test("the account page is used by the keyboard alone", OPTIONS, async () => {
  await withWorld(async ({ site, visit }) => {
    for (const javaScriptEnabled of inMatrix ? [true, false] : [true]) {
      const other = await visit({
        userAgent: "Mozilla/5.0 (iPhone) Version/18.0 Safari/605.1.15",
      });
      await openAccount(other, site.origin);
      // Enough for the part of the list that opens.
      for (let time = 0; time < 5; time++) await signInElsewhere(site.origin);
      const page = await visit({ javaScriptEnabled });
      await openAccount(page, site.origin);
      await walkTo(page, "Name");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type("Ada by hand");
      await page.keyboard.press("Enter");
      await page.getByRole("status").filter({ hasText: "saved" }).waitFor();
      await walkTo(page, "Sign out Safari on iPhone");
      await page.keyboard.press("Enter");
      await page.getByRole("status").filter({ hasText: "That device is signed out" })
        .waitFor();
      await page.goto(`${site.origin}/auth/account`);
      const recent = page.locator("section").filter({ hasText: "Recent activity" });
      const last = recent.locator("li").last();
      assert.equal(await last.isVisible(), false);
      await walkTo(page, "Show more");
      await page.keyboard.press("Enter");
      await last.getByText("Account created").or(last.getByText("Signed in")).first()
        .waitFor();
      await page.reload();
      await walkTo(page, "Sign out everywhere else");
      await page.keyboard.press("Space");
      await page.getByRole("status").filter({ hasText: "That device is signed out" })
        .waitFor();
      await walkTo(page, "Delete account");
      await page.keyboard.press("Enter");
      await page.getByText("cannot be undone").waitFor();
      await walkTo(page, "Keep it");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Your account" }).waitFor();
      await other.context().close();
      await page.context().close();
    }
  });
});

Deno.test(
  "what changes how somebody signs in takes a fresh proof, also when the page stood open",
  OPTIONS,
  async () => {
    await withWorld(async ({ site, visit, clock, mails }) => {
      const page = await visit();
      await openAccount(page, site.origin);
      clock.ahead = 700_000;
      await askForEmail(page, "new@example.com");
      await page.waitForURL(/\/auth\/signin\?/);
      await page.getByText("Sign in again to continue.").waitFor();
      assert.deepEqual(mails, []);
      await page.goto(`${site.origin}/auth/account`);
      for (const name of ["Send a confirmation", "Download", "Connect GitHub"]) {
        assert.equal(await page.getByRole("button", { name }).count(), 0, name);
      }
      for (const path of ["unlink", "export", "delete", "passkeys/remove", "email"]) {
        const status = await page.evaluate(`fetch("/auth/account/${path}", { method: "POST",
        redirect: "manual", body: new URLSearchParams({ id: "x" }) }).then(({ type }) => type)`);
        assert.equal(status, "opaqueredirect", path);
      }
      await page.locator("#connected").getByRole("link", { name: "sign in again" }).click();
      await page.getByRole("heading", { name: "Confirm it’s you" }).waitFor();
      assert.equal(await page.getByLabel("Email", { exact: true }).inputValue(), "ada@example.com");
      await page.getByLabel("Password", { exact: true }).fill("right");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.waitForURL(`${site.origin}/auth/account`);
      await page.getByRole("button", { name: "Connect GitHub" }).waitFor();
    });
  },
);

// Tracks: R019
Deno.test("an address changes when both addresses agree, and not before", OPTIONS, async () => {
  await withWorld(async ({ site, visit, mails }) => {
    const page = await visit();
    await openAccount(page, site.origin);
    await askForEmail(page, "Countess@example.org");
    await page.getByRole("status").filter({ hasText: "both addresses" }).waitFor();
    assert.deepEqual(mails.map(({ to, part }) => [to, part]), [
      ["ada@example.com", "old"],
      ["Countess@example.org", "new"],
    ]);
    const reader = await visit();
    const [old, fresh] = [mails[0]!, mails[1]!];
    // Looking changes nothing, however often mail scanners do it.
    for (let time = 0; time < 3; time++) {
      assert.equal((await reader.goto(old.url))!.status(), 200);
      assert.equal((await page.goto(fresh.url))!.status(), 200);
    }
    const swapped = old.url.replace("part=old", "part=new");
    assert.equal((await page.goto(swapped))!.status(), 400);
    assert.equal((await reader.goto(fresh.url))!.status(), 400, "the new side is signed in");
    for (
      const [visitor, { url }, email] of [
        [page, fresh, "ada@example.com"],
        [reader, old, "Countess@example.org"],
      ] as const
    ) {
      await visitor.goto(url);
      await visitor.getByText("Countess@example.org").waitFor();
      await assertAccessible(visitor, "agreeing");
      await press(visitor, "Confirm this address");
      await visitor.getByRole("status").waitFor();
      const { user } = await (await page.request.get(`${site.origin}/auth/session`)).json();
      assert.equal(user.email, email);
      assert.equal((await visitor.goto(url))!.status(), 400, "used once");
    }
  });
});

Deno.test(
  "an address of somebody else gets no mail, and the page does not tell",
  OPTIONS,
  async () => {
    await withWorld(async ({ site, visit, mails }) => {
      await signInElsewhere(site.origin, "grace@example.com");
      const page = await visit();
      await openAccount(page, site.origin);
      await askForEmail(page, "grace@example.com");
      await page.getByRole("status").filter({ hasText: "both addresses" }).waitFor();
      assert.deepEqual(mails.map(({ to }) => to), ["ada@example.com"]);
    });
  },
);

Deno.test("passkeys are added, named and removed on the page", OPTIONS, async () => {
  await withWorld(async ({ site, browser }) => {
    const { page, complaints } = await createDevice(browser);
    await openAccount(page, site.origin);
    await page.getByText("Add a passkey", { exact: true }).click();
    await page.getByLabel("Name of the new passkey").fill("Desk");
    await press(page, "Create a passkey");
    await page.getByRole("status").filter({ hasText: "passkey is added" }).waitFor();
    await assertAccessible(page, "account with a passkey");
    await page.locator("summary", { hasText: "Rename" }).click();
    await takePicture(page, "pages/account-passkey");
    await assertAccessible(page, "renaming a passkey");
    await page.getByLabel("Passkey name").fill("Phone");
    await press(page, "Rename");
    await page.getByText("Phone", { exact: true }).waitFor();
    await page.locator("summary", { hasText: "Remove" }).click();
    await takePicture(page, "pages/account-passkey-remove");
    await assertAccessible(page, "removing a passkey");
    await press(page, "Remove this passkey Phone");
    await page.getByRole("status").filter({ hasText: "removed" }).waitFor();
    assert.equal(await page.getByText("Phone", { exact: true }).count(), 0);
    assert.deepEqual(complaints, []);
  });
});

Deno.test(
  "the account page is no way to sign in, and other sites cannot use it",
  OPTIONS,
  async () => {
    await withWorld(async ({ site }) => {
      const providers = await (await fetch(`${site.origin}/auth/providers`)).json();
      assert.deepEqual(
        providers.map(({ id }: { id: string }) => id),
        ["github", "google", "credentials", "email", "passkey"],
      );
      const response = await fetch(`${site.origin}/auth/account/delete`, {
        method: "POST",
        headers: { origin: "https://evil.example" },
        body: new URLSearchParams({}),
      });
      assert.equal(response.status, 403);
      await response.body?.cancel();
    });
  },
);
