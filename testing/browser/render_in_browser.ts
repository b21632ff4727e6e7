import { beginAtCallers } from "../errors.ts";
import { type DocumentIslands, islandScripts, withIslands } from "@framework/cli/testing";
import { join } from "node:path";
import process from "node:process";
import { type Renderable, toHtml } from "../components/to_html.ts";
import { testApplication } from "../context/application.ts";
import { ORIGIN } from "../context/fetch.ts";
import { testWorker } from "../context/test_worker.ts";
import { type BrowserOptions, type BrowserView, openView } from "./view.ts";

/** Options for `renderInBrowser()`: the component's place, and the browser's start. */
export interface RenderInBrowserOptions extends BrowserOptions {
  /** The project's folder. Default: the current one. */
  cwd?: string;
}

/**
 * Renders a component as a worker would and hydrates its client components (files that begin with
 * `"use client"`) in a browser, by default Chromium. Stylesheets are not loaded, because no page links them: use
 * `openInBrowser` to test those.
 *
 * ```tsx ignore
 * await using view = await renderInBrowser(() => <Like since={new Date(0)} />);
 * await view.page.getByRole("button").click();
 * ```
 *
 * @param make Creates the element; called once the application's client components are known.
 * @param options See {@linkcode RenderInBrowserOptions}.
 * @throws {TestingError} `NO_BROWSER` without playwright-core or the browser; `PROJECT` when the application cannot be
 * built.
 *
 * @example
 * ```tsx
 * import { renderInBrowser } from "@framework/testing/browser";
 * import { equal, rejects } from "node:assert/strict";
 *
 * async function counts(cwd: string, Counter: () => string): Promise<void> {
 *   await using view = await renderInBrowser(() => <Counter />, { cwd });
 *   await view.page.getByRole("button").click();
 *   equal(await view.page.getByRole("button").textContent(), "1");
 * }
 * await rejects(counts("/no/such/project", () => ""), { code: "PROJECT" }); // there is no application
 * ```
 */
export async function renderInBrowser(
  make: () => Renderable | Promise<Renderable>,
  { cwd = process.cwd(), ...options }: RenderInBrowserOptions = {},
): Promise<BrowserView> {
  const app = await testApplication(cwd);
  const { folder, assets } = await testWorker(app);
  const islands: DocumentIslands = { assets, files: new Set(), sent: false };
  const html = await toHtml(withIslands(islands, await make()) as Renderable);
  const document = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/>` +
    `${islandScripts(islands)}</head><body>${html}</body></html>`;
  const headers = { "content-type": "text/html; charset=utf-8" };
  return await openView(
    {
      root: app.config.root,
      files: join(folder, "assets"),
      origin: ORIGIN,
      answer: ({ url }) =>
        Promise.resolve(
          new URL(url).pathname === "/"
            ? new Response(document, { headers })
            : new Response(null, { status: 404 }),
        ),
    },
    "/",
    options,
  );
}

beginAtCallers(renderInBrowser);
