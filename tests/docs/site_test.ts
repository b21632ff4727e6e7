import axe from "axe-core";
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findChromium } from "../../scripts/chromium.ts";
import { buildDocs } from "../../scripts/docs.ts";
import { exists, listFiles } from "../../scripts/workspace.ts";
import { launchBrowser } from "../support/browser.ts";

const output = fileURLToPath(new URL("../output/site", import.meta.url));
const screenshots = fileURLToPath(new URL("../output/screenshots", import.meta.url));
const chromium = await findChromium();
let pages: string[];

Deno.test.beforeAll(async () => {
  pages = await buildDocs(output);
});

Deno.test("every link of the site leads to a page, and to a place on it", async () => {
  const lost: string[] = [];
  for (const page of pages) {
    const html = await Deno.readTextFile(join(output, page));
    for (const [, address] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (/^https?:/.test(address!)) continue;
      const [path, anchor] = address!.split("#") as [string, string?];
      const target = path === "" ? page : join(dirname(page), path);
      if (!await exists(join(output, target))) lost.push(`${page}: ${address}`);
      else if (anchor !== undefined) {
        const there = await Deno.readTextFile(join(output, target));
        if (!there.includes(`id="${anchor}"`)) lost.push(`${page}: ${address}`);
      }
    }
  }
  assert.deepEqual(lost, []);
});

Deno.test("every link of the reference leads to a page, and names entries as users import them", async () => {
  const there = new Set(await listFiles(output));
  const lost: string[] = [];
  for (const file of there) {
    if (!file.startsWith("reference/") || !file.endsWith(".html")) continue;
    const html = await Deno.readTextFile(join(output, file));
    assert.doesNotMatch(html, /from &quot;(auth|cli|testing)\//, file);
    for (const [, address] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      const plain = address!.replaceAll("&#x2F;", "/").replace(/#.*/, "");
      if (/^[a-z]+:/.test(plain) || plain === "") continue;
      const target = join(dirname(file), plain);
      if (!there.has(target) && !there.has(join(target, "index.html"))) {
        lost.push(`${file}: ${plain}`);
      }
    }
  }
  assert.deepEqual(lost.slice(0, 20), []);
});

Deno.test("no page shows the signs of Markdown", async () => {
  for (const page of pages) {
    const html = await Deno.readTextFile(join(output, page));
    const text = html.replace(/<pre[^]*?<\/pre>|<code>[^]*?<\/code>|<head>[^]*?<\/head>/g, "")
      .replace(/<[^>]+>/g, "");
    assert.doesNotMatch(text, /\*\*|\]\(|^\s*\||^#+ |```/m, page);
  }
});

const views = [
  { name: "desktop", viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  { name: "phone", viewport: { width: 390, height: 844 }, colorScheme: "dark" },
] as const;

Deno.test({
  name:
    "the site can be read in Chromium: wide and narrow, light and dark, without mistakes that " +
    `keep people out${chromium ? "" : " (needs Chromium)"}`,
  ignore: chromium === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await Deno.mkdir(screenshots, { recursive: true });
    const browser = await launchBrowser();
    try {
      for (const { name, ...options } of views) {
        const context = await browser.newContext(options);
        const tab = await context.newPage();
        for (const page of pages) {
          await tab.goto(pathToFileURL(join(output, page)).href);
          const [scroll, width] = await tab.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
          ) as [number, number];
          assert.ok(scroll <= width, `${page} (${name}) is ${scroll - width} pixels too wide`);
          await tab.evaluate(axe.source);
          const violations = await tab.evaluate(
            "axe.run().then(({ violations }) => violations)",
          ) as {
            id: string;
            nodes: { html: string }[];
          }[];
          assert.deepEqual(
            violations.map(({ id, nodes }) => `${page} (${name}): ${id} ${nodes[0]?.html}`),
            [],
          );
          if (/^(index|reference|security|docs\/(sessions|deployment))\.html$/.test(page)) {
            const file = `docs-${page.replace("/", "-").replace(".html", "")}-${name}.png`;
            await tab.screenshot({
              path: join(screenshots, file),
              fullPage: page === "index.html",
            });
          }
        }
        for (
          const page of ["index.html", "auth/mod.ts/index.html", "auth/mod.ts/~/createAuth.html"]
        ) {
          await tab.goto(pathToFileURL(join(output, "reference", page)).href);
          const [scroll, width] = await tab.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
          ) as [number, number];
          assert.ok(scroll <= width, `reference/${page} (${name}): ${scroll - width} too wide`);
        }
        await context.close();
      }
      const tab = await browser.newPage();
      await tab.goto(pathToFileURL(join(output, "reference/auth/mod.ts/index.html")).href);
      assert.match(await tab.innerText("body"), /createAuth/);
      await tab.screenshot({ path: join(screenshots, "docs-symbols-desktop.png") });
    } finally {
      await browser.close();
    }
  },
});
