import assert from "node:assert/strict";
import { isEventStream, launchBrowser, PATIENCE } from "../support/browser.ts";
import { createFixtureApp } from "./fixture_app.ts";
import { startFramework, startFrameworkWith, until } from "./framework.ts";

const browserTest = { sanitizeOps: false, sanitizeResources: false };

const files = {
  "app/page.tsx": `export default () => (
  <html>
    <head><link rel="stylesheet" href="/styles.css" /></head>
    <body><p>first</p><input /></body>
  </html>
);`,
  "public/styles.css": "p { color: rgb(1, 2, 3) }",
};

const COLOR = "getComputedStyle(document.querySelector('p')).color";

Deno.test(
  "framework dev reloads an open page, swaps stylesheets alone, and shows and leaves the error page",
  browserTest,
  async () => {
    await using app = await createFixtureApp(files);
    const child = startFramework(app.root, "dev", "--port", "0");
    const [, origin] = await child.waitFor(/ready at (http:\S+)/);
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const color = (): Promise<unknown> => page.evaluate(COLOR);
      // What is saved before the page hears of it makes it load again.
      const listens = page.waitForResponse(isEventStream);
      await page.goto(origin!);
      await listens;
      await until(color, (found) => found === "rgb(1, 2, 3)", PATIENCE);
      await page.fill("input", "typed");

      await app.write("public/styles.css", "p { color: rgb(4, 5, 6) }");
      await until(color, (found) => found === "rgb(4, 5, 6)", PATIENCE);
      assert.equal(await page.inputValue("input"), "typed", "the page itself was not loaded again");

      await app.write("app/page.tsx", files["app/page.tsx"].replace("first", "second"));
      await page.waitForSelector("text=second");

      await app.write("app/page.tsx", "export default () => <p>;");
      await page.waitForSelector("text=The application has a problem");
      await app.write("app/page.tsx", files["app/page.tsx"].replace("first", "mended"));
      await page.waitForSelector("text=mended");
    } finally {
      await browser.close();
      await child.stop();
    }
  },
);

Deno.test(
  "framework dev --https serves pages that the browser takes for secure",
  browserTest,
  async () => {
    await using app = await createFixtureApp({
      ...files,
      "app/where/route.ts": `export const GET = (request: Request) => ({
  url: request.url, header: request.headers.get("mf-original-url"),
});`,
    });
    const env = { XDG_CONFIG_HOME: `${app.root}/settings` };
    const child = startFrameworkWith({ root: app.root, env }, "dev", "--port", "0", "--https");
    const [, origin] = await child.waitFor(/ready at (https:\S+)/);
    assert.match(child.output(), /trust .*\/settings\/framework\/dev-certificate\.pem/);
    const browser = await launchBrowser();
    try {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      await page.goto(origin!);
      assert.equal(await page.evaluate("isSecureContext"), true);
      await page.goto(`${origin}/where?a=1`);
      assert.deepEqual(JSON.parse((await page.textContent("body"))!), {
        url: `${origin}/where?a=1`,
        header: null,
      });
      await app.write("app/page.tsx", files["app/page.tsx"].replace("first", "second"));
      await page.goto(origin!);
      await page.waitForSelector("text=second");
    } finally {
      await browser.close();
      await child.stop();
    }
    const again = startFrameworkWith({ root: app.root, env }, "dev", "--port", "0", "--https");
    await again.waitFor(/ready at https:/);
    assert.doesNotMatch(again.output(), /Made a certificate/);
    await again.stop();
  },
);
