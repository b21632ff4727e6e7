import { createTestContext } from "@framework/testing";
import { type BrowserView, openInBrowser, renderInBrowser } from "@framework/testing/browser";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { firefox, webkit } from "playwright-core";
import { copyFixtureProject } from "../support/fixture_project.ts";
import { chromiumHint, findChromium } from "../../scripts/chromium.ts";
import { answerRequest } from "../../testing/browser/answers.ts";
import { launchBrowser } from "../../testing/browser/launch.ts";
import { startProxy } from "../../testing/browser/proxy.ts";
import { applicationOf } from "../../testing/context/application.ts";
import { withBuiltAssets } from "../../testing/context/assets.ts";
import { testWorker } from "../../testing/context/test_worker.ts";
import { runTest } from "../../testing/trace/test_failure.ts";
import { PATIENCE } from "../support/browser.ts";
import { inMatrix } from "../support/matrix.ts";

const { cwd, remove } = await copyFixtureProject();
const executablePath = await findChromium() ?? chromiumHint;

// The browser's driver and the emulator keep timers and message ports of their own.
const sanitizers = { sanitizeOps: false, sanitizeResources: false };

const colorOf = (element: unknown) =>
  (globalThis as unknown as { getComputedStyle(element: unknown): { color: string } })
    .getComputedStyle(element).color;

/** Talks to a WebSocket, in a page, and tells what it hears, up to the code and the reason of the end. */
function talkTo(address: string): Promise<string[]> {
  const heard: string[] = [];
  const socket = new WebSocket(new URL(address, location.href));
  socket.onopen = () => ["hello", "ä", "bye"].forEach((text) => socket.send(text));
  socket.onmessage = ({ data }) => heard.push(data);
  return new Promise((resolve) => {
    socket.onclose = ({ code, reason }) => resolve([...heard, `${code} ${reason}`]);
  });
}

/** Has a page wait for as long as a slow machine takes. */
function patient(view: BrowserView): BrowserView {
  view.page.setDefaultTimeout(PATIENCE);
  return view;
}

/** Has client components taken over, stylesheets apply, and forms answered. */
async function walk({ page }: Pick<BrowserView, "page">): Promise<void> {
  const button = page.getByRole("button", { name: /^Count/ });
  await button.click();
  await button.click();
  assert.match(await button.textContent() ?? "", /^Count 42/);
  assert.equal(await page.locator(".counter").evaluate(colorOf), "rgb(10, 20, 30)");
  await page.getByLabel("Note").fill("hello");
  await page.getByRole("button", { name: "Send" }).click();
  assert.equal(await page.getByText("hello").textContent(), "hello");
}

for (const runtime of inMatrix ? ["process", "workerd"] as const : ["process"] as const) {
  Deno.test({
    name: `openInBrowser() runs a page of the application, ${runtime}`,
    ...sanitizers,
    fn: async (t) => {
      await using ctx = await createTestContext({ cwd, runtime });
      await using view = patient(await openInBrowser(ctx, "/counter", { executablePath }));
      const { page } = view;
      await t.step("client components, stylesheets and forms", () => walk(view));

      await t.step("WebSockets reach the application, and nobody else", async () => {
        const talk = (address: string) => page.evaluate(talkTo, address);
        assert.deepEqual(await talk("/api/echo"), ["nobody: hello", "nobody: ä", "4000 bye"]);
        // Answered with 426, and another server.
        assert.deepEqual(await talk("/api/count"), ["1006 "]);
        assert.deepEqual(await talk("ws://evil.example/"), ["1006 "]);
      });
    },
  });
}

Deno.test({
  name: "openInBrowser() is signed in as the context is, and follows redirects",
  ...sanitizers,
  fn: async () => {
    await using ctx = await createTestContext({ cwd });
    const ada = await ctx.withAuth({ userId: "ada", name: "Ada" });
    await using signedIn = patient(await openInBrowser(ada, "/dashboard", { executablePath }));
    assert.match(await signedIn.page.textContent("body") ?? "", /Hello, Ada/);
    await using visitor = patient(await openInBrowser(ctx, "/dashboard", { executablePath }));
    assert.match(visitor.page.url(), /^http:\/\/localhost\/auth\/signin/);
  },
});

Deno.test({
  name: "close() throws what failed in the page and what the application failed with",
  ...sanitizers,
  fn: async () => {
    await using ctx = await createTestContext({ cwd });
    const view = patient(await openInBrowser(ctx, "/counter", { executablePath }));
    for (let count = 0; count < 3; count++) await view.page.locator(".counter").click();
    await assert.rejects(view.close(), /That is enough/);
    const failing = openInBrowser(ctx, "/api/fail", { executablePath });
    await assert.rejects(failing, RangeError);
  },
});

Deno.test({
  name: "renderInBrowser() lets the browser take a component over",
  ...sanitizers,
  fn: async () => {
    // Deno loads no stylesheets by a static import.
    const { Counter } = await import(`${cwd}app/_components/counter.tsx`);
    await using view = patient(
      await renderInBrowser(() => <Counter start={7n} onServer="times" />, {
        cwd,
        executablePath,
      }),
    );
    const button = view.page.getByRole("button");
    assert.equal(await button.textContent(), "Count 7 times");
    await button.click();
    assert.equal(await button.textContent(), "Count 8 times");
  },
});

for (const name of ["firefox", "webkit"] as const) {
  const isInstalled = existsSync({ firefox, webkit }[name].executablePath());
  const hint =
    ` [unavoidable: Playwright's ${name} is missing, npx playwright-core install --with-deps ${name}]`;
  Deno.test({
    name: `openInBrowser() runs a page of the application in ${name}${isInstalled ? "" : hint}`,
    ignore: !isInstalled,
    ...sanitizers,
    fn: async () => {
      await using ctx = await createTestContext({ cwd });
      await using view = patient(await openInBrowser(ctx, "/counter", { browser: name }));
      await walk(view);
    },
  });
}

Deno.test({
  name: "a page whose requests a proxy answers, as those of Firefox and WebKit, works in Chromium",
  ...sanitizers,
  fn: async () => {
    await using ctx = await createTestContext({ cwd });
    const { folder, assets } = await testWorker(applicationOf(ctx)!);
    const source = {
      root: cwd,
      files: `${folder}/assets`,
      origin: ctx.origin,
      async answer(request: Request) {
        const { url, method, headers } = request;
        const body = request.body === null ? null : await request.arrayBuffer();
        return await withBuiltAssets(assets, () => ctx.fetch(url, { method, headers, body }));
      },
    };
    const failures: unknown[] = [];
    const proxy = await startProxy({
      origin: ctx.origin,
      answer: (request) => answerRequest(request, source),
      failed: (error) => void failures.push(error),
    });
    const browser = await launchBrowser(cwd, {
      name: "chromium",
      executablePath,
      proxy: proxy.address,
    });
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(PATIENCE);
      await page.goto(`${ctx.origin}/counter`);
      await walk({ page });
      assert.deepEqual(failures, []);
      await page.goto(`${ctx.origin}/dashboard`);
      assert.match(page.url(), /^http:\/\/localhost\/auth\/signin/);
    } finally {
      await browser.close();
      proxy.close();
    }
  },
});

Deno.test({
  name: "a test that fails leaves a picture of its page in its trace",
  ...sanitizers,
  fn: async () => {
    const traces = `${cwd}.framework/traces`;
    const failing = runTest("the page fails", async () => {
      await using ctx = await createTestContext({ cwd });
      await using view = patient(await openInBrowser(ctx, "/counter", { executablePath }));
      await view.page.getByRole("button", { name: /^Count/ }).click();
      assert.fail("as it should");
    });
    await assert.rejects(failing, /as it should/);
    const html = await Deno.readTextFile(`${traces}/the-page-fails.html`);
    assert.match(html, /GET \S*\/counter → 200/);
    assert.match(html, /<img alt="http:\/\/localhost\/counter" src="data:image\/png;base64,iVBOR/);
  },
});

Deno.test("openInBrowser() says what to do about a browser that is not there", async () => {
  await using ctx = await createTestContext({ cwd });
  await assert.rejects(openInBrowser(ctx, "/", { executablePath: "/no/such/program" }), {
    code: "NO_BROWSER",
    message: /CHROMIUM_PATH/,
  });
  for (const browser of ["firefox", "webkit"] as const) {
    const options = { browser, executablePath: "/no/such/program" };
    await assert.rejects(openInBrowser(ctx, "/", options), {
      code: "NO_BROWSER",
      message: new RegExp(`npx playwright-core install --with-deps ${browser}`),
    });
  }
  await assert.rejects(openInBrowser(ctx, "/", { browser: "lynx" as "firefox" }), {
    code: "OPTIONS",
  });
});

Deno.test.afterAll(remove);
