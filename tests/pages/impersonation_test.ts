import {
  accountPage,
  adminPage,
  createMemoryStorage,
  defineRBAC,
  impersonation,
} from "@framework/auth";
import assert from "node:assert/strict";
import { findChromium } from "../../scripts/chromium.ts";
import { launchBrowser } from "../support/browser.ts";
import { takePicture } from "../support/picture.ts";
import { assertLooks, watch } from "./check_page.ts";
import { servePagesSite, signInElsewhere } from "./pages_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const ADMIN = "ada@example.com";
const USER = "grace@example.com";

Deno.test("the note that somebody acts for a user looks right on any page", OPTIONS, async () => {
  const database = createMemoryStorage();
  const rbac = defineRBAC({ roles: [{ id: "admin", name: "Administrator", permissions: ["*"] }] });
  const site = servePagesSite({ database, rbac }, [
    accountPage(),
    adminPage({ permission: "users:manage" }),
    impersonation({ permission: "users:impersonate" }),
  ]);
  const browser = await launchBrowser();
  try {
    for (const email of [ADMIN, USER]) await signInElsewhere(site.origin, email);
    await database.setUserRoles(ADMIN, { roles: { roles: ["admin"] }, at: 0 });
    const context = await browser.newContext();
    const complaints = watch(context, site.origin);
    const page = await context.newPage();
    await page.goto(`${site.origin}/auth/admin/user?id=${USER}`);
    await page.getByLabel("Email", { exact: true }).fill(ADMIN);
    await page.getByLabel("Password", { exact: true }).fill("right");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByLabel("Reason, such as a ticket number").fill("Ticket 17");
    await page.getByRole("button", { name: "Sign in as this user" }).click();

    const note = page.getByRole("status").filter({ hasText: "You act for Ada until" });
    const stop = note.getByRole("button", { name: "Stop" });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      // The application's page, which has no stylesheet.
      await page.goto(`${site.origin}/`);
      await takePicture(page, `impersonation.own.${width}`);
      const { height } = (await note.boundingBox())!;
      assert.ok(height < 160, `${height} pixels at ${width}`);
      assert.equal(await note.locator("svg, img").count(), 0);
      assert.ok(await stop.isVisible());

      await page.goto(`${site.origin}/auth/account`);
      const [text, button] = await Promise.all(
        [note.locator("p").first(), stop].map((one) => one.boundingBox()),
      );
      assert.equal(button!.x, text!.x, `"Stop" begins where the text does, at ${width}`);
      assert.ok(button!.y >= text!.y + text!.height);
    }
    await assertLooks(page, "account.acting");
    await stop.click();
    await page.getByRole("heading", { name: "Ada Active" }).waitFor();
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
    await site.close();
  }
});
