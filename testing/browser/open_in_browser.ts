import { join } from "node:path";
import { applicationOf } from "../context/application.ts";
import { withBuiltAssets } from "../context/assets.ts";
import { testWorker } from "../context/test_worker.ts";
import type { TestContext } from "../context/types.ts";
import { beginAtCallers, TestingError } from "../errors.ts";
import { traceOf } from "../trace/trace.ts";
import { type BrowserOptions, type BrowserView, openView } from "./view.ts";

/**
 * Opens a page of a context's application in a browser, by default Chromium. The context answers requests and WebSockets
 * to the application's origin, with its cookies; those to any other origin fail. Scripts and
 * stylesheets are built once per process.
 *
 * ```ts ignore
 * await using ctx = await createTestContext();
 * const ada = await ctx.withAuth({ userId: "ada" });
 * await using view = await openInBrowser(ada, "/settings");
 * await view.page.getByLabel("Name").fill("Ada");
 * ```
 *
 * @param ctx The context, or one that `withAuth` made of it.
 * @param path Path with query.
 * @param options Options for starting the browser.
 * @throws {TestingError} `NO_BROWSER` without playwright-core or the browser; `PROJECT` when the application cannot be
 * built.
 *
 * @example
 * ```ts
 * import { createTestContext } from "@framework/testing";
 * import { openInBrowser } from "@framework/testing/browser";
 * import { equal, rejects } from "node:assert/strict";
 *
 * async function greets(cwd: string): Promise<void> {
 *   await using ctx = await createTestContext({ cwd });
 *   const ada = await ctx.withAuth({ userId: "ada", name: "Ada" });
 *   await using view = await openInBrowser(ada, "/dashboard");
 *   equal(await view.page.getByRole("heading").textContent(), "Hello Ada");
 * }
 * await rejects(greets("/no/such/project"), { code: "PROJECT" }); // there is no application
 * ```
 */
export async function openInBrowser<Env>(
  ctx: TestContext<Env>,
  path: string,
  options: BrowserOptions = {},
): Promise<BrowserView> {
  const app = applicationOf(ctx);
  if (app === undefined) {
    throw new TestingError(
      "NO_BROWSER",
      "openInBrowser() was given a context without a project folder. Pass a context of createTestContext(), outside of " +
        "vitest's worker pool.",
    );
  }
  const { folder, assets } = await testWorker(app);
  return await openView(
    {
      root: app.config.root,
      files: join(folder, "assets"),
      origin: ctx.origin,
      trace: traceOf(ctx),
      async answer(request) {
        const { url, method, headers } = request;
        const body = request.body === null ? null : await request.arrayBuffer();
        return await withBuiltAssets(assets, () => ctx.fetch(url, { method, headers, body }));
      },
      connect: (url, protocols) => ctx.connect(url, protocols.length === 0 ? {} : { protocols }),
    },
    path,
    options,
  );
}

beginAtCallers(openInBrowser);
