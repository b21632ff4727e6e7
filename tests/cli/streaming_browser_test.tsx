import { createApplication, type ManifestRoute, redirect } from "@framework/cli/runtime";
import { raw } from "hono/html";
import { Suspense } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import assert from "node:assert/strict";
import { launchBrowser } from "../support/browser.ts";

async function Failing(): Promise<never> {
  await seen.promise;
  throw new Error("expected by this test");
}

function page(pattern: string, component: unknown, loading: unknown): ManifestRoute {
  return {
    kind: "page",
    pattern,
    file: `app${pattern}/page.tsx`,
    module: { default: component },
    layouts: [],
    middleware: [],
    loading: { file: "app/loading.tsx", module: { default: loading } },
    errorPages: [{
      kind: "error",
      file: "app/error.tsx",
      module: { default: () => <p id="failed">Failed</p> },
      layouts: [],
    }],
  };
}

/** Late content comes when the test has seen what stands in its place. */
let seen = Promise.withResolvers<void>();

const routes = [
  page("/late", async (): Promise<JSX.Element> => {
    await seen.promise;
    return <p id="late">Ready</p>;
  }, () => <p id="wait">Please wait</p>),
  page("/away", async (): Promise<never> => {
    await seen.promise;
    throw redirect("/late");
  }, () => <p id="wait">Please wait</p>),
  page("/failing", () => (
    <main>
      <Suspense fallback={<p id="wait">Please wait</p>}>
        <Failing />
      </Suspense>
      <p id="beside">Here</p>
    </main>
  ), () => null),
  page(
    "/injected",
    () => raw('<script>document.title = "injected"</script><p id="there"></p>'),
    () => null,
  ),
];

// Tracks: R080
Deno.test(
  "Chromium puts late content in its place under the default policy, and runs no other inline script",
  {
    sanitizeOps: false,
    sanitizeResources: false,
  },
  async () => {
    const { worker } = createApplication({ database: "DB", dev: false, auth: null, routes }, {
      onError: () => {},
    });
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      (request) => worker.fetch(request, {}),
    );
    const origin = `http://127.0.0.1:${server.addr.port}`;
    const browser = await launchBrowser();
    try {
      const tab = await browser.newPage();
      const complaints: string[] = [];
      tab.on("console", (message) => complaints.push(message.text()));
      tab.on("pageerror", (error) => complaints.push(error.message));

      await tab.goto(`${origin}/late`, { waitUntil: "commit" });
      await tab.waitForSelector("#wait");
      assert.equal(await tab.locator("#late").count(), 0);
      seen.resolve();
      await tab.waitForSelector("#late");
      assert.equal(await tab.locator("#wait").count(), 0);

      seen = Promise.withResolvers();
      await tab.goto(`${origin}/away`, { waitUntil: "commit" });
      await tab.waitForSelector("#wait");
      seen.resolve();
      await tab.waitForURL(`${origin}/late`);
      await tab.waitForSelector("#late");

      seen = Promise.withResolvers();
      await tab.goto(`${origin}/failing`, { waitUntil: "commit" });
      await tab.waitForSelector("#wait");
      seen.resolve();
      await tab.waitForSelector("#failed");
      assert.equal(await tab.locator("#wait").count(), 0);
      assert.equal(await tab.locator("main > #beside").count(), 1);
      assert.deepEqual(
        complaints.filter((text) => !text.includes("favicon") && !text.includes("404")),
        [],
      );

      await tab.goto(`${origin}/injected`);
      await tab.waitForSelector("#there", { state: "attached" });
      assert.notEqual(await tab.title(), "injected");
      assert.match(complaints.join("\n"), /Content Security Policy/);
    } finally {
      // Also where the test has failed: the server ends when it has answered.
      seen.resolve();
      await browser.close();
    }
  },
);
