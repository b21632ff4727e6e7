import type { Page } from "playwright-core";
import assert from "node:assert/strict";
import { isEventStream, launchBrowser, PATIENCE } from "../support/browser.ts";
import { inMatrix } from "../support/matrix.ts";
import { until } from "./framework.ts";

const color = (page: Page, selector: string): Promise<string> =>
  page.locator(selector).evaluate((element) => {
    const { getComputedStyle } = globalThis as unknown as {
      getComputedStyle(element: unknown): { color: string };
    };
    return getComputedStyle(element).color;
  });

/**
 * The client components of the application of the folder `conventions`, in Chromium.
 *
 * @param test The test, of which this makes steps.
 * @param engine What runs the application.
 * @param origin Where it answers.
 */
export async function takesClientComponentsOver(
  test: Deno.TestContext,
  engine: string,
  origin: string,
): Promise<void> {
  const browser = await launchBrowser();
  const page = await browser.newPage();
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) foreign.push(request.url());
  });
  // Scripts wait until they are let go, so that a person is faster.
  const held = Promise.withResolvers<void>();
  await page.route("**/_framework/*.js", async (route) => {
    await held.promise;
    await route.continue();
  });
  try {
    await test.step("what was typed before the script came stays, with the focus, and counts", async () => {
      // What is saved before the page hears of it makes it load again.
      const listens = engine === "under dev" ? page.waitForResponse(isEventStream) : null;
      await page.goto(`${origin}/client`, { waitUntil: "commit" });
      await page.waitForSelector("section.server");
      const input = page.locator("input[name=note]");
      await input.focus();
      await page.keyboard.type("half a sen");
      await input.evaluate((element) => Object.assign(element, { isTheSame: true }));
      assert.equal(await page.textContent("output"), "");
      held.resolve();
      await page.waitForSelector("output:has-text('half a sen')");
      await page.keyboard.type("tence");
      assert.equal(await input.inputValue(), "half a sentence");
      assert.equal(await page.textContent("output"), "half a sentence");
      const isTheSame = await input.evaluate((element) => "isTheSame" in element);
      assert.ok(isTheSame, "the element was not replaced");
      await listens;
    });

    await test.step("a counter counts from a prop that JSON does not know", async () => {
      await page.click(".counter button");
      await page.click(".counter button");
      assert.equal(await page.textContent(".counter button"), "More 43");
      assert.equal(await page.textContent("time"), "86400000");
      assert.equal(await page.textContent(".tags"), "a,b");
      assert.equal(await page.textContent("section.server"), "Rendered on the server");
    });

    // Tracks: R080
    await test.step("hostile props are text and nothing else", async () => {
      assert.equal(await page.title(), "Client");
      assert.match((await page.textContent(".text"))!, /^<\/script><script>document/);
      assert.equal(await page.locator("framework-island script").count(), 0);
    });

    await test.step("stylesheets of pages and components apply", async () => {
      assert.equal(await color(page, ".counter button"), "rgb(10, 20, 30)");
      assert.equal(await color(page, "section.server"), "rgb(40, 50, 60)");
    });

    await test.step("an island that comes late is taken over too", async () => {
      await page.goto(`${origin}/late`);
      await page.waitForSelector(".counter button");
      await until(
        async () => {
          await page.click(".counter button");
          return await page.textContent(".counter button");
        },
        (text) => text !== "More 1",
        PATIENCE,
      );
      assert.equal(await page.locator(".counter").count(), 1);
    });

    await test.step("a client of the API saves, and shows the message of a field", async () => {
      await page.goto(`${origin}/quick`);
      // Until its script is there, a click does nothing.
      const clicked = async (id: string): Promise<string | null> => {
        await page.click(id);
        return await page.textContent("#message");
      };
      await until(() => clicked("#short"), (text) => /three letters/.test(text!), PATIENCE);
      await until(
        () => clicked("#long"),
        (text) => text === "Saved Paint at 1970-01-01T00:00:00.000Z",
        PATIENCE,
      );
    });

    // forms_browser_test.ts asks more of forms. Without JavaScript a form is the server's alone, which
    // conventions_test.ts asks under each engine.
    const scripts = engine === "under build" ? [true, false] : [true];
    for (const javaScriptEnabled of inMatrix ? scripts : []) {
      await test.step(`a form works ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
        const context = await browser.newContext({ javaScriptEnabled });
        const page = await context.newPage();
        await page.goto(`${origin}/form`);
        await page.fill("input", "Al");
        await page.click("button");
        await page.waitForSelector("#problem");
        assert.equal(await page.inputValue("input"), "Al");
        await page.fill("input", "Alan");
        await page.click("button");
        await page.waitForSelector("#saved");
        assert.equal(await page.textContent("#saved"), "Saved Alan");
        await page.goto(`${origin}/notes`);
        await page.fill("[name=title]", "Al");
        await page.fill("[name=password]", "hunter2");
        await page.click("button");
        await page.waitForSelector("[aria-invalid=true]");
        assert.equal(await page.inputValue("[name=title]"), "Al");
        assert.equal(await page.inputValue("[name=password]"), "");
        await page.fill("[name=title]", "Alan");
        await page.click("button");
        await page.waitForSelector("#flash");
        assert.equal(await page.textContent("#flash"), "Alan: no file");
        await page.reload();
        await page.waitForSelector("[name=title]");
        assert.equal(await page.locator("#flash").count(), 0);
        await context.close();
      });
    }

    assert.deepEqual(complaints.filter((text) => !/favicon|status of 422/.test(text)), []);
    assert.deepEqual(foreign, []);
  } finally {
    await browser.close();
  }
}
