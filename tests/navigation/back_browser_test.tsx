// What Chromium shows on Back where it keeps left pages in memory, as browsers of people do.
import { credentials, getUser, requireAuth } from "@framework/auth";
import { createMemoryStorage } from "@framework/auth/storage";
import { createApplication, type ManifestRoute } from "@framework/cli/runtime";
import type { Page } from "playwright-core";
import assert from "node:assert/strict";
import { findWholeChromium } from "../../scripts/chromium.ts";
import { launchBrowser } from "../support/browser.ts";
import { until } from "../support/until.ts";

function page(pattern: string, content: () => unknown): ManifestRoute {
  return {
    kind: "page",
    pattern,
    file: `app${pattern}/page.tsx`,
    module: { default: content },
    layouts: [],
    middleware: [],
  };
}

/** What a tab shows after a navigation, as its page reports it. */
interface Shown {
  path: string;
  /** True for a page that the browser had kept in memory. */
  persisted: boolean;
  text: string;
}

/** Serves an application, and collects what its pages report. */
function serve(): { origin: string; shown: Shown[]; stop(): Promise<void> } {
  const DB = createMemoryStorage();
  const { worker } = createApplication({
    database: "DB",
    dev: false,
    auth: {
      providers: {
        credentials: credentials({
          credentials: { name: { label: "Name", type: "text" } },
          authorize: ({ name }) => Promise.resolve({ id: name!, name: name! }),
        }),
      },
    },
    routes: [
      page("/", () => <p>Start</p>),
      page("/about", () => <p>About</p>),
      page("/own", () => {
        requireAuth();
        return <p>Private to {getUser()!.name}</p>;
      }),
    ],
  }, { logger: { info: () => {}, warn: () => {}, error: () => {} } });
  const shown: Shown[] = [];
  const server = Deno.serve({ port: 0, onListen: () => {} }, async (request) => {
    if (new URL(request.url).pathname !== "/shown") return await worker.fetch(request, { DB });
    shown.push(await request.json());
    return new Response(null, { status: 204 });
  });
  const origin = `http://localhost:${server.addr.port}`;
  return { origin, shown, stop: () => server.shutdown() };
}

/** Has each page report itself whenever it is shown: Playwright does not follow kept pages. */
const REPORT = `addEventListener("pageshow", ({ persisted }) =>
  fetch("/shown", { method: "POST", keepalive: true, body: JSON.stringify({
    path: location.pathname, persisted, text: document.body.innerText }) }))`;

/** Starts a navigation, and returns what the page after it reports. */
async function shownAfter(
  { shown }: { shown: Shown[] },
  navigate: () => Promise<unknown>,
): Promise<Shown> {
  const before = shown.length;
  await navigate();
  await until(() => Promise.resolve(shown.length > before), () => "No page was shown.");
  return shown.at(-1)!;
}

/** Goes back by a script, which does not wait for a new document. */
function goBack(tab: Page): Promise<unknown> {
  return tab.evaluate("void setTimeout(() => history.back())");
}

// Tracks: R044
Deno.test({
  name: "Back shows a public page from memory, and after a sign-out never the page of before",
  ignore: await findWholeChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const site = serve();
    const browser = await launchBrowser({ keepsPages: true });
    try {
      // The pages of accounts let no script of others speak, that of this test neither.
      const tab = await browser.newPage({ bypassCSP: true });
      await tab.addInitScript(REPORT);
      const visit = (path: string) => shownAfter(site, () => tab.goto(site.origin + path));
      await visit("/about");
      await visit("/");
      assert.deepEqual(await shownAfter(site, () => goBack(tab)), {
        path: "/about",
        persisted: true,
        text: "About",
      });
      // The page may report itself before Playwright has heard of the navigation.
      await tab.waitForURL("**/about", { waitUntil: "commit" });

      await visit("/auth/signin");
      await tab.fill("[name=name]", "ada");
      await shownAfter(site, () => tab.click("button"));
      assert.equal((await visit("/own")).text, "Private to ada");
      await visit("/auth/signout");
      assert.equal((await shownAfter(site, () => tab.click("button"))).path, "/");
      for (const _step of ["the question", "the page of before"]) {
        const { persisted, text } = await shownAfter(site, () => goBack(tab));
        assert.equal(persisted, false);
        assert.equal(text.includes("Private"), false, text);
      }
    } finally {
      await browser.close();
      await site.stop();
    }
  },
});
