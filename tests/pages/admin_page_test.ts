import { accountPage, adminPage, createMemoryStorage, defineRBAC } from "@framework/auth";
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { launchBrowser } from "../support/browser.ts";
import { inMatrix } from "../support/matrix.ts";
import { takePicture } from "../support/picture.ts";
import { assertAccessible, assertLooks, watch } from "./check_page.ts";
import { servePagesSite, signInElsewhere } from "./pages_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const ADMIN = "ada@example.com";

const RBAC = defineRBAC({
  roles: [
    { id: "admin", name: "Administrator", permissions: ["*"] },
    { id: "support", name: "Support", permissions: ["users:manage"] },
    { id: "editor", name: "Editor", permissions: ["posts:update"] },
  ],
});

/** Widths, and pages with names in many words and in one. */
const WIDTHS: readonly (readonly [width: number, path: string])[] = [
  ...inMatrix ? [320, 390] : [320],
  1280,
].flatMap((width) =>
  ["?search=%3Ci", "?search=www", "/user?id=u4"].map((path) => [width, path] as const)
);

/** A site with thirty users and an administrator, who is on the list in a browser without scripts. */
async function withList(work: (page: Page, origin: string) => Promise<void>): Promise<void> {
  const database = createMemoryStorage();
  const site = servePagesSite({ database, rbac: RBAC }, [
    accountPage(),
    adminPage({ permission: "users:manage" }),
  ]);
  const browser = await launchBrowser();
  try {
    const at = Date.UTC(2026, 2, 3);
    const names = [
      "Grace Hopper",
      "Mary Somerville",
      "Charles Babbage",
      "<i>Long</i> ".repeat(12),
      "W".repeat(180),
    ];
    for (let index = 0; index < 30; index++) {
      const email = `person${index}@example.com`;
      const name = names[index] ?? `Person ${index}`;
      const user = {
        id: index === 0 ? email : `u${index}`,
        email,
        name,
        ...index % 7 === 1 && { roles: ["editor"] },
      };
      await database.createUser({ user, emailIdentity: email, at: at + index });
    }
    await database.disableUser("u2", at);
    for (const email of [ADMIN, "person0@example.com"]) await signInElsewhere(site.origin, email);
    await database.setUserRoles(ADMIN, { roles: { roles: ["admin"] }, at });
    const context = await browser.newContext({ javaScriptEnabled: false });
    const complaints = watch(context, site.origin);
    const page = await context.newPage();
    await page.goto(`${site.origin}/auth/admin`);
    await page.getByLabel("Email", { exact: true }).fill(ADMIN);
    await page.getByLabel("Password", { exact: true }).fill("right");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Users" }).waitFor();
    await work(page, site.origin);
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
    await site.close();
  }
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

async function told(page: Page, text: string): Promise<void> {
  await page.getByRole("status").filter({ hasText: text }).waitFor();
}

Deno.test(
  "without scripts an administrator finds a user, changes roles, blocks, unblocks and deletes",
  OPTIONS,
  () =>
    withList(async (page) => {
      assert.equal(await page.locator("tbody tr").count(), 25);
      await page.getByRole("link", { name: "Next page" }).click();
      await page.getByRole("link", { name: "First page" }).waitFor();
      await page.getByLabel("Name, email or ID").fill("mary");
      await press(page, "Search");
      assert.equal(await page.locator("tbody tr").count(), 1);
      await page.getByRole("link", { name: "Mary Somerville" }).click();
      await page.getByRole("heading", { name: "Mary Somerville Active" }).waitFor();

      await page.getByLabel("support", { exact: true }).check();
      await page.getByLabel("editor", { exact: true }).uncheck();
      await press(page, "Save");
      await told(page, "Your changes are saved.");
      assert.equal(await page.getByLabel("support", { exact: true }).isChecked(), true);
      assert.equal(await page.getByLabel("editor", { exact: true }).isChecked(), false);

      await press(page, "Block");
      await told(page, "The account is blocked.");
      await page.getByRole("heading", { name: "Mary Somerville Blocked" }).waitFor();
      await press(page, "Unblock");
      await told(page, "The account is unblocked.");

      await page.getByRole("link", { name: "Delete account" }).click();
      await page.getByRole("heading", { name: "Delete this account?" }).waitFor();
      await press(page, "Delete account");
      await told(page, "The account is deleted.");
      await page.getByLabel("Name, email or ID").fill("mary");
      await press(page, "Search");
      await page.getByText("Only the beginning").waitFor();
    }),
);

Deno.test(
  "the pages of administrators are accessible on a phone and a desktop, light and dark",
  OPTIONS,
  () =>
    withList(async (still, origin) => {
      // axe is a script, so the pages are looked at where scripts run.
      const context = await still.context().browser()!.newContext({
        storageState: await still.context().storageState(),
      });
      const page = await context.newPage();
      await page.goto(`${origin}/auth/admin`);
      await assertLooks(page, "admin-list");
      await page.goto(`${origin}/auth/admin?search=nobody&role=editor`);
      await assertLooks(page, "admin-none");
      await page.goto(`${origin}/auth/admin/user?id=person0%40example.com`);
      await assertLooks(page, "admin-user");
      await page.goto(`${origin}/auth/admin/user?id=${encodeURIComponent(ADMIN)}`);
      await assertAccessible(page, "admin-own");
      for (const [width, path] of WIDTHS) {
        await page.setViewportSize({ width, height: 740 });
        await page.goto(`${origin}/auth/admin${path}`);
        await takePicture(page, `pages/admin-long-${path.length}-${width}`);
        const scrollWidth = await page.evaluate("document.documentElement.scrollWidth") as number;
        assert.ok(scrollWidth <= width, `${scrollWidth} of ${width}`);
      }
    }),
);
