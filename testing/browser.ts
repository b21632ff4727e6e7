/**
 * Opens pages and client components of the application under test in Chromium, hydrated and styled, or in
 * Playwright's Firefox and WebKit. No server is started: the test context answers the browser's requests. Requires
 * `playwright-core` as a development dependency of the project, and the browser on the machine.
 *
 * ```ts ignore
 * import { createTestContext } from "@framework/testing";
 * import { openInBrowser } from "@framework/testing/browser";
 * import { expect, it } from "vitest";
 *
 * it("counts", async () => {
 *   await using ctx = await createTestContext();
 *   await using view = await openInBrowser(ctx, "/counter");
 *   await view.page.getByRole("button").click();
 *   expect(await view.page.getByRole("button").textContent()).toBe("1");
 * });
 * ```
 *
 * @example Without a runner
 * ```ts
 * import { createTestContext } from "@framework/testing";
 * import { openInBrowser } from "@framework/testing/browser";
 * import { equal, rejects } from "node:assert/strict";
 *
 * async function counts(cwd: string): Promise<void> {
 *   await using ctx = await createTestContext({ cwd });
 *   await using view = await openInBrowser(ctx, "/counter");
 *   await view.page.getByRole("button").click();
 *   equal(await view.page.getByRole("button").textContent(), "1");
 * }
 * await rejects(counts("/no/such/project"), { code: "PROJECT" }); // there is no application
 * ```
 *
 * @module
 */

export { openInBrowser } from "./browser/open_in_browser.ts";
export { renderInBrowser, type RenderInBrowserOptions } from "./browser/render_in_browser.ts";
export type { BrowserName } from "./browser/launch.ts";
export type { BrowserOptions, BrowserView } from "./browser/view.ts";
