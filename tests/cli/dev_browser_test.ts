import assert from "node:assert/strict";
import { launchBrowser } from "../support/browser.ts";
import { inMatrix } from "../support/matrix.ts";
import { createFixtureApp } from "./fixture_app.ts";
import { startFrameworkWith } from "./framework.ts";

const page = (text: string): string => `export default () => <p>${text}</p>;`;

Deno.test(
  "framework dev --https serves pages that the browser takes for secure",
  { sanitizeOps: false, sanitizeResources: false },
  async (t) => {
    await using app = await createFixtureApp({
      "migrations/0001_a.sql": "CREATE TABLE a (x);",
      "wrangler.jsonc":
        '{ "name": "fixture", "compatibility_date": "2026-07-30", "compatibility_flags": ["nodejs_compat"] }',
      "app/page.tsx": page("first"),
      "app/where/route.ts": `export const GET = (request: Request) => ({
  url: request.url, header: request.headers.get("mf-original-url"),
});`,
    });
    const env = { XDG_CONFIG_HOME: `${app.root}/settings` };
    const child = startFrameworkWith({ root: app.root, env }, "dev", "--port", "0", "--https");
    const [, origin] = await child.waitFor(/ready at (https:\S+)/);
    assert.match(
      child.output(),
      /Created a certificate.* trust .*\/settings\/framework\/dev-certificate\.pem/,
    );
    // Tracks: AB-18
    await t.step("framework dev warns of migrations that no database is declared for", async () => {
      await child.waitFor(
        /^warning: wrangler\.jsonc declares no D1 database DB, .+ `framework doctor --fix`/m,
      );
    });
    const browser = await launchBrowser();
    try {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const tab = await context.newPage();
      await tab.goto(origin!);
      assert.equal(await tab.evaluate("isSecureContext"), true);
      await tab.goto(`${origin}/where?a=1`);
      assert.deepEqual(JSON.parse((await tab.textContent("body"))!), {
        url: `${origin}/where?a=1`,
        header: null,
      });
      await app.write("app/page.tsx", page("second"));
      await tab.goto(origin!);
      await tab.waitForSelector("text=second");
    } finally {
      await browser.close();
      await child.stop();
    }
    // That a kept certificate is taken again is asked of keepCertificate(), beside it.
    if (!inMatrix) return;
    const again = startFrameworkWith({ root: app.root, env }, "dev", "--port", "0", "--https");
    await again.waitFor(/ready at https:/);
    assert.doesNotMatch(again.output(), /Created a certificate/);
    await again.stop();
  },
);
