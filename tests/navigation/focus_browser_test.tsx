// Where the focus is in Chromium after links and forms, as docs/styling_and_assets.md says.
import { createApplication, type ManifestRoute, redirect } from "@framework/cli/runtime";
import type { Page } from "playwright-core";
import assert from "node:assert/strict";
import { launchBrowser } from "../support/browser.ts";
import { until } from "../support/until.ts";

function page(
  pattern: string,
  content: () => unknown,
  exported: Record<string, unknown> = {},
): ManifestRoute {
  return {
    kind: "page",
    pattern,
    file: `app${pattern}/page.tsx`,
    module: { default: content, ...exported },
    layouts: [],
    middleware: [],
  };
}

const header = <a id="first" href="/">Home</a>;

const routes = [
  page("/", () => (
    <main>
      {header}
      <a id="list" href="/list">List</a> <a id="search" href="/search">Search</a>
      <a id="comments" href="/list#comments">Comments</a>
      <a id="answer" href="/list#answer">Answer</a>
      <form method="post" action="/list">
        <button type="submit">Send</button>
      </form>
    </main>
  )),
  page("/list", () => (
    <main>
      {header}
      <h1>List</h1>
      <p id="comments" style={{ marginTop: "2000px" }}>
        <a id="reply" href="/">Reply</a>
      </p>
      <textarea id="answer" />
    </main>
  ), { action: () => redirect("/list#comments") }),
  page("/search", () => (
    <main>
      {header}
      <input id="words" autofocus />
    </main>
  )),
];

/** Waits until an element has the focus; `""` stands for the document itself. */
function hasFocus(tab: Page, id: string): Promise<void> {
  let found: unknown;
  return until(async () => {
    // A page that is being replaced cannot be asked.
    found = await tab.evaluate("document.activeElement?.id").catch(() => undefined);
    return found === id;
  }, () => `#${found} has the focus in ${tab.url()}, not #${id}.`);
}

Deno.test("the focus goes to the start of a new page, to its field, or to what a fragment names", {
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  const { worker } = createApplication({ database: "DB", dev: false, auth: null, routes });
  const server = Deno.serve({ port: 0, onListen: () => {} }, (request) => {
    return worker.fetch(request, {});
  });
  const origin = `http://localhost:${server.addr.port}`;
  const browser = await launchBrowser();
  try {
    const tab = await browser.newPage();
    // Each is followed by Tab, which says where a reader by keyboard goes on.
    for (
      const [selector, address, focused, next] of [
        ["#list", "/list", "", "first"],
        ["#search", "/search", "words", null],
        ["#comments", "/list#comments", "", "reply"],
        ["#answer", "/list#answer", "answer", null],
        ["button", "/list#comments", "", "reply"],
      ] as const
    ) {
      // By keyboard: a click moves the focus by itself.
      await tab.goto(origin);
      await tab.focus(selector);
      await tab.keyboard.press("Enter");
      await tab.waitForURL(origin + address);
      await hasFocus(tab, focused);
      if (next === null) continue;
      const scrolls = async () => await tab.evaluate("scrollY > 0") === address.includes("#");
      await until(scrolls, () => `${tab.url()} is not where its fragment is.`);
      await tab.keyboard.press("Tab");
      await hasFocus(tab, next);
    }
    assert.equal(await tab.locator("script").count(), 0);
  } finally {
    await browser.close();
    await server.shutdown();
  }
});
