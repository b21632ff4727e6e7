// What Chromium loads ahead of a visit of an application's pages, and what it shows after a sign-out.
import { credentials, getUser, requireAuth } from "@framework/auth";
import { createApplication } from "@framework/cli/runtime";
import { createMemoryStorage } from "@framework/auth/storage";
import type { ManifestRoute } from "@framework/cli/runtime";
import assert from "node:assert/strict";
import { findChromium } from "../../scripts/chromium.ts";
import { launchBrowser } from "../support/browser.ts";
import { until } from "../support/until.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

function page(pattern: string, content: () => unknown, exported = {}): ManifestRoute {
  return {
    kind: "page",
    pattern,
    file: `app${pattern}/page.tsx`,
    module: { default: content, ...exported },
    layouts: [],
    middleware: [],
  };
}

const LINKS = (
  <main>
    <a id="about" href="/about">About</a> <a id="query" href="/about?tab=2">Tab</a>{" "}
    <a id="route" href="/api/mails">Mails</a> <a id="marked" data-no-prefetch href="/about">No</a>
    {" "}
    <a id="load" download href="/about">Save</a> <a id="out" href="/auth/signout">Sign out</a>{" "}
    <a id="own" href="/own">Own</a>
  </main>
);

/** Serves an application, and notes what is asked of it: the path and the purpose. */
function serve(): { origin: string; asked: string[]; stop(): Promise<void> } {
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
      page("/", () => LINKS),
      page("/about", () => <p>About</p>),
      page("/own", () => {
        requireAuth();
        return <p>Private to {getUser()!.name}</p>;
      }),
      { ...page("/api/mails", () => ""), kind: "route", module: { GET: () => "mails" } },
    ],
  }, { logger: { info: () => {}, warn: () => {}, error: () => {} } });
  const asked: string[] = [];
  const server = Deno.serve({ port: 0, onListen: () => {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    const purpose = request.headers.get("sec-purpose");
    asked.push(`${pathname}${search}${purpose === null ? "" : ` ${purpose}`}`);
    return worker.fetch(request, { DB });
  });
  const origin = `http://localhost:${server.addr.port}`;
  return { origin, asked, stop: () => server.shutdown() };
}

function isAsked({ asked }: { asked: string[] }, line: string): Promise<void> {
  return until(() => Promise.resolve(asked.includes(line)), () => `No ${line} in ${asked}`);
}

// Tracks: R194
Deno.test({
  name: "pointing at a link loads a page of the application ahead, and nothing else",
  ...OPTIONS,
  async fn() {
    const site = serve();
    const browser = await launchBrowser();
    try {
      const tab = await browser.newPage();
      const complaints: string[] = [];
      tab.on("console", (message) => complaints.push(message.text()));
      await tab.goto(site.origin);
      await isAsked(site, "/_framework/speculation-rules.json");
      for (const id of ["query", "route", "marked", "load", "out", "about"]) {
        await tab.hover(`#${id}`);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      await isAsked(site, "/about prefetch");
      assert.deepEqual(site.asked.filter((line) => line.includes("prefetch")), ["/about prefetch"]);
      // The visit is shown from what was loaded ahead.
      await tab.click("#about");
      await tab.waitForURL("**/about");
      assert.equal(await tab.textContent("p"), "About");
      assert.equal(site.asked.includes("/about"), false);
      assert.deepEqual(complaints, []);
    } finally {
      await browser.close();
      await site.stop();
    }
  },
});

// Tracks: R044, R194
Deno.test({
  name: "after a sign-out neither Back nor what was loaded ahead shows the page of before",
  ...OPTIONS,
  async fn() {
    const site = serve();
    const browser = await launchBrowser();
    try {
      const tab = await browser.newPage();
      await tab.goto(`${site.origin}/auth/signin`);
      await tab.fill("[name=name]", "ada");
      await tab.click("button");
      await tab.waitForURL(`${site.origin}/`);
      await tab.hover("#own");
      await new Promise((resolve) => setTimeout(resolve, 500));
      await tab.click("#own");
      assert.equal(await tab.textContent("p"), "Private to ada");
      await tab.goto(`${site.origin}/auth/signout`);
      await tab.click("button");
      await tab.waitForURL(`${site.origin}/`);
      await tab.goBack();
      await tab.goBack();
      assert.equal((await tab.content()).includes("Private"), false, tab.url());
      await tab.goto(`${site.origin}/own`);
      assert.equal((await tab.content()).includes("Private"), false);
    } finally {
      await browser.close();
      await site.stop();
    }
  },
});
