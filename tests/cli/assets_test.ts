import { createTestContext } from "@framework/testing";
import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { launchBrowser } from "../support/browser.ts";
import { framework } from "../support/command_line.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { startFramework, until } from "./framework.ts";

const options = { sanitizeOps: false, sanitizeResources: false };

const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">' +
  '<script>document.documentElement.setAttribute("data-ran", "yes")</script></svg>';

const files = {
  "tsconfig.json": JSON.stringify({ compilerOptions: { jsxImportSource: "@framework/cli" } }),
  "app/page.tsx": `import font from "./_fonts/text.woff2";
import icon from "./_images/icon.svg";
import terms from "./terms.txt";
import numbers, { one } from "./numbers.json";
import styles, { title } from "./page.module.css";
import { Badge } from "./_components/badge.tsx";
export default () => (
  <main>
    <link rel="preload" as="font" crossorigin="" href={font} />
    <h1 class={title}>{terms}</h1>
    <p class={styles["odd-name"]}>{one + numbers.two}</p>
    <img id="server" src={icon} />
    <Badge />
  </main>
);`,
  "app/page.module.css":
    `.title { composes: loud from "./_components/badge.module.css"; color: rgb(1, 2, 3) }
.odd-name { background: url("./_images/icon.svg"); animation: pulse 1s }
@keyframes pulse { from { opacity: 0 } }
@font-face { font-family: own; src: url("./_fonts/text.woff2") format("woff2") }`,
  "app/_components/badge.tsx": `"use client";
import icon from "../_images/icon.svg";
import { useEffect, useState } from "hono/jsx";
import * as styles from "./badge.module.css";
export function Badge() {
  const [live, setLive] = useState(false);
  useEffect(() => setLive(true), []);
  return <b class={styles.loud} data-live={String(live)}><img src={icon} /></b>;
}`,
  "app/_components/badge.module.css": ".loud { font-size: 33px }",
  "app/_images/icon.svg": picture,
  // Its content is a browser's concern: here it is only delivered.
  "app/_fonts/text.woff2": "wOF2 a font",
  "app/terms.txt": "Be kind.",
  "app/numbers.json": '{ "one": 1, "two": 2, "default": 3 }',
};

/** Addresses of images and classes in a page. */
function namesIn(html: string): { images: string[]; classes: string[] } {
  const all = (pattern: RegExp): string[] => [...html.matchAll(pattern)].map(([, found]) => found!);
  return { images: all(/<img[^>]* src="([^"]+)"/g), classes: all(/ class="([^"]+)"/g) };
}

/** Address of the font in a page. */
function fontIn(html: string): string {
  return / href="([^"]+\.woff2)"/.exec(html)?.[1] ?? "";
}

async function runBuilt(app: FixtureApp): Promise<Miniflare> {
  return await Promise.resolve(
    new Miniflare({
      cf: false,
      handleStructuredLogs: () => {},
      workers: [{
        name: "fixture",
        modules: [{ type: "ESModule", path: join(app.root, "dist/worker.js") }],
        modulesRoot: join(app.root, "dist"),
        compatibilityDate: "2026-07-30",
        compatibilityFlags: ["nodejs_compat"],
        assets: {
          directory: join(app.root, "dist/assets"),
          routerConfig: { "has_user_worker": true },
        },
      }],
    }),
  );
}

// Tracks: AB-13, R080
Deno.test(
  "framework build serves imported files by their content, alike in worker, scripts and stylesheets",
  options,
  async () => {
    await using app = await createFixtureApp(files);
    const { code, stderr } = await framework(app.root, "build");
    assert.equal(code, 0, stderr);
    const built = readdirSync(join(app.root, "dist/assets/_framework")).sort();
    assert.match(
      built.join(" "),
      /^app-components-badge-[A-Z\d]{8}\.js app-components-badge-module-\w{8}\.css app-page-module-\w{8}\.css icon-\w{8}\.svg text-\w{8}\.woff2$/,
    );
    const [script = "", , sheet = "", image = "", font = ""] = built;
    const read = (name: string): Promise<string> =>
      Deno.readTextFile(join(app.root, "dist/assets/_framework", name));
    const miniflare = await runBuilt(app);
    const browser = await launchBrowser();
    try {
      const { origin } = await miniflare.ready;
      const html = await (await fetch(origin)).text();
      const { images, classes } = namesIn(html);
      assert.deepEqual(images, [`/_framework/${image}`, `/_framework/${image}`]);
      assert.match(html, />Be kind\.<\/h1>.*>3<\/p>/);
      const [title = "", odd = "", loud = ""] = classes;
      assert.match(title, /^badge_\w{6}_loud page_\w{6}_title$/);
      assert.match(odd, /^page_\w{6}_odd-name$/);
      assert.equal(title.split(" ")[0], loud);
      const rules = await read(sheet);
      assert.ok(rules.includes(`.${odd}{`) && rules.includes(`.${title.split(" ")[1]}{`), rules);
      assert.match(rules, new RegExp(`url\\("?/_framework/${image}"?\\)`));
      assert.match(rules, new RegExp(`@font-face{[^}]*url\\("?/_framework/${font}"?\\)`));
      assert.equal(fontIn(html), `/_framework/${font}`);
      const file = await fetch(`${origin}/_framework/${font}`);
      assert.equal(file.headers.get("content-type"), "font/woff2");
      assert.equal(file.headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(await file.text(), files["app/_fonts/text.woff2"]);
      assert.ok((await read(script)).includes(`"${loud}"`));
      assert.ok((await read(script)).includes(`"/_framework/${image}"`));

      // A file for everybody, of the type of its name.
      const { headers, status } = await fetch(`${origin}/_framework/${image}`);
      assert.equal(status, 200);
      assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(headers.get("content-type"), "image/svg+xml");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.match(headers.get("content-security-policy")!, /^default-src 'none';.*; sandbox$/);

      const page = await browser.newPage();
      await page.goto(origin);
      await page.waitForSelector("b[data-live=true]");
      const look = await page.evaluate(
        "[document.querySelector('h1'), document.querySelector('b')].map((element) => " +
          "getComputedStyle(element).fontSize + getComputedStyle(element).color)",
      );
      assert.deepEqual(look, ["33pxrgb(1, 2, 3)", "33pxrgb(0, 0, 0)"]);
      assert.equal(await page.evaluate("document.querySelector('#server').naturalWidth"), 9);
      await page.goto(`${origin}/_framework/${image}`);
      assert.equal(await page.evaluate("document.documentElement.localName"), "svg");
      assert.equal(await page.evaluate("document.documentElement.getAttribute('data-ran')"), null);
    } finally {
      await browser.close();
      await miniflare.dispose();
    }
  },
);

// Tracks: AB-13
Deno.test("framework dev serves imported files, and swaps a CSS module", options, async () => {
  await using app = await createFixtureApp(files);
  const child = startFramework(app.root, "dev", "--port", "0");
  const browser = await launchBrowser();
  try {
    const [, origin = ""] = await child.waitFor(/ready at (http:\S+)/);
    const page = await browser.newPage();
    await page.goto(origin);
    await page.waitForSelector("b[data-live=true]");
    assert.equal(await page.evaluate("document.querySelector('#server').naturalWidth"), 9);
    const color = (): Promise<unknown> =>
      page.evaluate("getComputedStyle(document.querySelector('h1')).color");
    assert.equal(await color(), "rgb(1, 2, 3)");
    const html = await (await fetch(origin)).text();
    const { images } = namesIn(html);
    const font = await fetch(new URL(fontIn(html), origin));
    assert.equal(font.headers.get("content-type"), "font/woff2");
    assert.equal(await font.text(), files["app/_fonts/text.woff2"]);
    const { headers } = await fetch(new URL(images[0]!, origin));
    assert.equal(headers.get("content-type"), "image/svg+xml");
    assert.match(headers.get("content-security-policy")!, /sandbox$/);

    await page.evaluate("window.kept = true");
    const css = files["app/page.module.css"].replace("rgb(1, 2, 3)", "rgb(4, 5, 6)");
    await app.write("app/page.module.css", `${css}\n.added { top: 0 }`);
    await until(color, (found) => found === "rgb(4, 5, 6)");
    assert.equal(await page.evaluate("window.kept"), true, "the page itself was not loaded again");
    await until(
      () => Deno.readTextFile(join(app.root, ".framework/types/app/page.module.css.d.ts")),
      (text) => /v\d+ as added\b/.test(text),
    );

    await app.write("app/_images/icon.svg", picture.replace('width="9"', 'width="11"'));
    await until(
      () => page.evaluate("document.querySelector('#server').naturalWidth").catch(() => 0),
      (width) => width === 11,
    );
    await app.write("app/page.module.css", ".title { color: rgb(1, 2, 3)");
    await child.waitFor(/warning: app\/page\.module\.css:1:29 Expected "}" to go with "{"/);
    await app.write(
      "app/page.module.css",
      '.title { composes: a from "./none.module.css" }',
    );
    await child.waitFor(/app\/page\.module\.css:1:\d+ .*none\.module\.css/);
  } finally {
    await browser.close();
    await child.stop();
  }
});

// Tracks: AB-13
Deno.test(
  "createTestContext() imports files as the bundler does, in process",
  options,
  async () => {
    await using app = await createFixtureApp(files);
    await using context = await createTestContext({ cwd: app.root });
    const html = await (await context.fetch("/")).text();
    const { images, classes } = namesIn(html);
    assert.deepEqual(images, ["/app/_images/icon.svg", "/app/_images/icon.svg"]);
    assert.equal(fontIn(html), "/app/_fonts/text.woff2");
    assert.match(html, />Be kind\.<\/h1>.*>3<\/p>/);
    assert.match(classes.join(" "), /^page_\w{6}_title page_\w{6}_odd-name badge_\w{6}_loud$/);
  },
);
