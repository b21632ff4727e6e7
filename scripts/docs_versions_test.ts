import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { launchBrowser } from "../tests/support/browser.ts";
import { findChromium } from "./chromium.ts";
import { renderPage } from "./docs_page.ts";
import { compareVersions, listVersion, type Versions } from "./docs_versions.ts";
import { renderMarkdown } from "./markdown.ts";

const chromium = await findChromium();

/** Writes pages of a version as a build does, and lists it. */
async function build(site: string, version: string, pages: string[]): Promise<Versions> {
  for (const page of pages) {
    const path = join(site, version, page);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(
      path,
      renderPage({
        content: renderMarkdown(`# ${page} of ${version}\n\n## Part\n`),
        navigation: [],
        home: "index.html",
        search: null,
        stylesheet: "style.css",
        markdown: null,
        version,
        page,
        description: page,
        before: null,
        after: null,
      }),
    );
  }
  await Deno.writeTextFile(
    join(site, version, "llms.txt"),
    `# ${version}\n\n- [a](docs/a.md): a\n`,
  );
  return await listVersion(site, { version, pages });
}

async function withSite(act: (site: string) => Promise<void>): Promise<void> {
  const site = await Deno.makeTempDir({ prefix: "framework-site-" });
  try {
    await act(site);
  } finally {
    await Deno.remove(site, { recursive: true });
  }
}

Deno.test("compareVersions() puts the newest first, and pre-releases behind what they lead to", () => {
  const sorted = ["1.10.0", "1.9.1", "1.9.0", "1.9.0-rc.10", "1.9.0-rc.2", "0.30.0"];
  assert.deepEqual([...sorted].reverse().sort(compareVersions), sorted);
  assert.deepEqual(["1.0.0-a", "1.0.0"].sort(compareVersions), ["1.0.0", "1.0.0-a"]);
});

Deno.test("listVersion() keeps other versions, leads to the newest, and names its pages as canonical", async () => {
  await withSite(async (site) => {
    await build(site, "0.9.0", ["index.html", "docs/a.html", "docs/old.html"]);
    await build(site, "0.10.0-rc.1", ["index.html", "docs/a.html"]);
    const list = await build(site, "0.10.0", ["index.html", "docs/a.html", "docs/new.html"]);
    assert.equal(list.latest, "0.10.0");
    assert.deepEqual(
      list.versions.map(({ version }) => version),
      ["0.10.0", "0.10.0-rc.1", "0.9.0"],
    );
    const read = (name: string): Promise<string> => Deno.readTextFile(join(site, name));
    assert.deepEqual(JSON.parse(await read("versions.json")), list);
    const canonical = async (name: string): Promise<string> => {
      const [, address] = /<link rel="canonical" href="([^"]+)">/.exec(await read(name))!;
      return join(dirname(name), address!);
    };
    assert.equal(await canonical("0.9.0/docs/a.html"), "0.10.0/docs/a.html");
    assert.equal(await canonical("0.9.0/docs/old.html"), "0.9.0/docs/old.html");
    assert.equal(await canonical("0.10.0/index.html"), "0.10.0/index.html");
    assert.match(await read("index.html"), /url=0\.10\.0\/index\.html"/);
    assert.match(await read("latest/index.html"), /url=\.\.\/0\.10\.0\/index\.html"/);
    assert.match(await read("llms.txt"), /\[a\]\(0\.10\.0\/docs\/a\.md\)/);
    assert.match(await read("versions.html"), /href="0\.9\.0\/index\.html"/);
    // An older version that is built later does not become the newest, and one whose folder is gone is not listed.
    await Deno.remove(join(site, "0.10.0-rc.1"), { recursive: true });
    const again = await build(site, "0.9.1", ["index.html"]);
    assert.equal(again.latest, "0.10.0");
    assert.deepEqual(again.versions.map(({ version }) => version), ["0.10.0", "0.9.1", "0.9.0"]);
  });
});

Deno.test({
  name: `the switch of versions leads to the same page, or to the first one where that is missing${
    chromium ? "" : " (needs Chromium)"
  }`,
  ignore: chromium === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const browser = await launchBrowser();
    try {
      await withSite(async (site) => {
        await build(site, "0.1.0", ["index.html", "docs/a.html", "docs/old.html"]);
        const tab = await browser.newPage();
        const open = (name: string) => tab.goto(new URL(name, pathToFileURL(`${site}/`)).href);
        await open("0.1.0/docs/a.html");
        assert.equal(await tab.locator("details.versions, .note").count(), 0);
        await build(site, "0.2.0", ["index.html", "docs/a.html"]);
        await open("0.1.0/docs/a.html#part");
        await tab.reload();
        assert.match(
          await tab.innerText(".note"),
          /This is version 0\.1\.0\. The newest is 0\.2\.0/,
        );
        await tab.click("details.versions summary");
        await tab.click("details.versions a:text('0.2.0')");
        await tab.waitForURL(/\/0\.2\.0\/docs\/a\.html#part$/);
        assert.equal(await tab.locator(".note").count(), 0);
        await open("0.1.0/docs/old.html");
        await tab.click(".note a");
        await tab.waitForURL(/\/0\.2\.0\/index\.html$/);
        await open("latest/index.html");
        await tab.waitForURL(/\/0\.2\.0\/index\.html$/);
      });
    } finally {
      await browser.close();
    }
  },
});
