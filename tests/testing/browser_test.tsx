import { createTestContext } from "@framework/testing";
import { type BrowserView, openInBrowser, renderInBrowser } from "@framework/testing/browser";
import assert from "node:assert/strict";
import { copyFixtureProject } from "../support/fixture_project.ts";
import { chromiumHint, findChromium } from "../../scripts/chromium.ts";
import { PATIENCE } from "../support/browser.ts";

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

for (const runtime of ["process", "workerd"] as const) {
  Deno.test({
    name: `openInBrowser() runs a page of the application, ${runtime}`,
    ...sanitizers,
    fn: async (t) => {
      await using ctx = await createTestContext({ cwd, runtime });
      await using view = patient(await openInBrowser(ctx, "/counter", { executablePath }));
      const { page } = view;

      await t.step("client components are taken over", async () => {
        const button = page.getByRole("button", { name: /^Count/ });
        await button.click();
        await button.click();
        assert.match(await button.textContent() ?? "", /^Count 42/);
      });

      await t.step("stylesheets apply", async () => {
        assert.equal(await page.locator(".counter").evaluate(colorOf), "rgb(10, 20, 30)");
      });

      await t.step("forms are answered", async () => {
        await page.getByLabel("Note").fill("hello");
        await page.getByRole("button", { name: "Send" }).click();
        assert.equal(await page.getByText("hello").textContent(), "hello");
      });

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

Deno.test("openInBrowser() says what to do about a browser that is not there", async () => {
  await using ctx = await createTestContext({ cwd });
  await assert.rejects(openInBrowser(ctx, "/", { executablePath: "/no/such/program" }), {
    code: "NO_BROWSER",
    message: /CHROMIUM_PATH/,
  });
});

Deno.test.afterAll(remove);
