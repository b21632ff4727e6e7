import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { buildDocs } from "../../scripts/docs.ts";
import { readErrorCodes } from "../../scripts/docs_error_codes.ts";
import { pictureFile, PICTURES, SCHEMES } from "../../scripts/docs_pictures.ts";
import { rewriteLinks } from "../../scripts/markdown_links.ts";
import { exists, listFiles } from "../../scripts/workspace.ts";
import { anchor, readDocument } from "./markdown.ts";
import { EVERY_RULE, findMistakes, findNewContrasts, learnKinds } from "../support/axe.ts";
import { launchBrowser } from "../support/browser.ts";
import { inMatrix } from "../support/matrix.ts";
import { takePicture } from "../support/picture.ts";

const site = fileURLToPath(new URL("../output/site", import.meta.url));
const chromium = await findChromium();
let output: string;
let pages: string[];

const before = join(site, "0.0.1-before", "index.html");

Deno.test.beforeAll(async () => {
  await Deno.mkdir(dirname(before), { recursive: true });
  await Deno.writeTextFile(before, "<!doctype html>");
  const known = { version: "0.0.1-before", pages: ["index.html"] };
  const list = { latest: known.version, versions: [known] };
  await Deno.writeTextFile(join(site, "versions.json"), JSON.stringify(list));
  ({ output, pages } = await buildDocs(site));
});

Deno.test("a build keeps the folders of other versions, and lists them beside its own", async () => {
  assert.equal(await Deno.readTextFile(before), "<!doctype html>");
  const { latest, versions } = JSON.parse(await Deno.readTextFile(join(site, "versions.json")));
  assert.equal(join(site, latest), output);
  assert.deepEqual(versions, [{ version: latest, pages }, {
    version: "0.0.1-before",
    pages: ["index.html"],
  }]);
  assert.ok((await Deno.readTextFile(join(site, "llms.txt"))).includes(`(${latest}/docs/api.md)`));
});

// The bundler's own process ends a moment after the site is built.
const afterBundler = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "every link of the site leads to a page, and to a place on it",
  afterBundler,
  async () => {
    const there = new Set(await listFiles(output));
    const texts = new Map(
      await Promise.all(
        pages.map(async (page) => [page, await Deno.readTextFile(join(output, page))] as const),
      ),
    );
    const lost: string[] = [];
    for (const [page, html] of texts) {
      for (const [, address] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
        if (/^https?:/.test(address!)) continue;
        const [path, anchor] = address!.split("#") as [string, string?];
        const target = path === "" ? page : join(dirname(page), path);
        // What all versions share is above this one.
        const isThere = there.has(target) || await exists(join(output, target));
        if (!isThere) lost.push(`${page}: ${address}`);
        else if (anchor !== undefined) {
          const text = texts.get(target) ?? await Deno.readTextFile(join(output, target));
          if (!text.includes(`id="${anchor}"`)) lost.push(`${page}: ${address}`);
        }
      }
    }
    assert.deepEqual(lost, []);
  },
);

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

/** Links of a Markdown text, without those in code. */
function markdownLinks(text: string): string[] {
  const links: string[] = [];
  rewriteLinks(text, (address) => {
    links.push(address);
    return null;
  });
  return links;
}

Deno.test("every page has its Markdown beside it, and every link of that leads to Markdown or to the reference", async () => {
  const lost: string[] = [];
  for (const page of pages) {
    const html = await Deno.readTextFile(join(output, page));
    const [, name] = /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(html) ?? [];
    if (page === "search.html") {
      assert.equal(name, undefined);
      continue;
    }
    assert.equal(join(dirname(page), name!), page.replace(/html$/, "md"));
    lost.push(...await lostLinks(page.replace(/html$/, "md")));
  }
  assert.deepEqual(lost, []);
});

/** Links of a Markdown file that lead nowhere, or to a page where Markdown is. */
async function lostLinks(file: string): Promise<string[]> {
  const text = await Deno.readTextFile(join(output, file));
  const lost: string[] = [];
  for (const address of markdownLinks(text)) {
    if (/^[a-z]+:/.test(address)) continue;
    const [path = "", heading] = address.split("#");
    const target = path === "" ? file : join(dirname(file), path);
    const isRight = path === "" || target.endsWith(".md") || target.startsWith("reference/");
    const there = isRight && await exists(join(output, target))
      ? await Deno.readTextFile(join(output, target))
      : null;
    const headings = there?.match(/^#+ .*$/gm) ?? [];
    const isThere = there !== null && (heading === undefined || !target.endsWith(".md") ||
      headings.some((line) => anchor(line.replace(/^#+ /, "")) === heading));
    if (!isThere) lost.push(`${file}: ${address}`);
  }
  return lost;
}

Deno.test("llms.txt has a title, a summary and lists of links with what they are about, to every document", async () => {
  const text = await Deno.readTextFile(join(output, "llms.txt"));
  const [title, , summary, , ...rest] = text.split("\n");
  assert.match(title!, /^# \w/);
  assert.match(summary!, /^> \w.*\.$/);
  for (const line of rest.filter((each) => each !== "")) {
    assert.match(line, /^## [\w ]+$|^- \[[^\]]+\]\([\w./]+\.md\): \S.*$/);
  }
  assert.deepEqual(await lostLinks("llms.txt"), []);
  const listed = new Set(markdownLinks(text));
  const documents = pages.filter((page) => page !== "search.html");
  assert.deepEqual([...listed].sort(), documents.map((page) => page.replace(/html$/, "md")).sort());
});

Deno.test("llms-full.txt has every guide and every error code, and its links lead somewhere", async () => {
  const text = await Deno.readTextFile(join(output, "llms-full.txt"));
  for (const title of ["# Sessions", "# @framework/auth", "# Error codes", "### OAUTH_DENIED"]) {
    assert.ok(text.includes(`\n${title}\n`), title);
  }
  assert.deepEqual(await lostLinks("llms-full.txt"), []);
});

Deno.test("every error code has a page that says what happened and what to do, and the list leads to it", async () => {
  const list = await Deno.readTextFile(join(output, "docs/error_codes.html"));
  const codes = readErrorCodes(await readDocument("docs/error_codes.md"));
  assert.ok(codes.length > 100);
  for (const { code, classes } of codes) {
    assert.ok(list.includes(`href="../errors/${code}.html"`), code);
    const page = await Deno.readTextFile(join(output, `errors/${code}.html`));
    assert.match(page, /<h2 id="what-happened">What happened<[^]*<h2 id="what-to-do">What to do</);
    for (const { name } of classes) {
      assert.match(page, new RegExp(`reference/.*/~/${name}\\.html"`));
    }
  }
});

Deno.test("each page says what it is about, and leads to the one before and the one after it", async () => {
  const read = (page: string): Promise<string> => Deno.readTextFile(join(output, page));
  for (const page of pages) {
    assert.match(await read(page), /<meta name="description" content="[^"]{5,}">/, page);
  }
  const providers = await read("docs/providers.html");
  assert.match(providers, /<a rel="prev" href="sessions\.html">/);
  assert.match(providers, /<a rel="next" href="passwords\.html">/);
  assert.doesNotMatch(await read("index.html"), /rel="prev"/);
});

Deno.test({
  name: `the gallery has each page of an account, light and dark${
    chromium ? "" : " (needs Chromium)"
  }`,
  ignore: chromium === null,
  async fn() {
    const page = await Deno.readTextFile(join(output, "pictures.html"));
    assert.ok(PICTURES.length > 5);
    for (const picture of PICTURES) {
      const [light, dark] = await Promise.all(SCHEMES.map(async (scheme) => {
        const file = `pictures/${pictureFile(picture, scheme)}`;
        assert.ok(page.includes(`"${file}"`), file);
        return await Deno.readFile(join(output, file));
      }));
      assert.equal(new TextDecoder().decode(light!.slice(1, 4)), "PNG");
      assert.notDeepEqual(light, dark, picture.name);
    }
  },
});

Deno.test("no page shows the signs of Markdown", async () => {
  for (const page of pages) {
    const html = await Deno.readTextFile(join(output, page));
    const text = html.replace(/<pre[^]*?<\/pre>|<code>[^]*?<\/code>|<head>[^]*?<\/head>/g, "")
      .replace(/<[^>]+>/g, "");
    assert.doesNotMatch(text, /\*\*|\]\(|^\s*\||^#+ |```/m, page);
  }
});

Deno.test({
  name: `the search finds the section that has the words${chromium ? "" : " (needs Chromium)"}`,
  ignore: chromium === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const browser = await launchBrowser();
    try {
      const tab = await browser.newPage();
      await tab.goto(pathToFileURL(join(output, "docs/sessions.html")).href);
      await tab.fill("header input", "passkeys");
      await tab.press("header input", "Enter");
      await tab.waitForURL(/\/search\.html\?q=passkeys$/);
      await tab.getByRole("link", { name: /passkey/i }).and(tab.locator("#results a")).first()
        .click();
      await tab.waitForURL(/\.html#./);
      assert.match(await tab.innerText("main"), /passkey/i);
      await tab.goBack();
      await tab.fill("#words", "OAUTH_STATE_FOREIGN");
      await tab.locator("#results a").first().click();
      await tab.waitForURL(/\/errors\/OAUTH_STATE_FOREIGN\.html#/);
      await tab.goBack();
      await tab.fill("#words", "issueSession");
      await tab.locator("#results a").and(tab.getByText("issueSession", { exact: true })).click();
      await tab.waitForURL(/\/reference\/auth\/mod\.ts\/~\/issueSession\.html$/);
      await tab.goBack();
      await tab.fill("#words", "<b>zzqxy");
      await tab.getByText("Nothing was found for “<b>zzqxy”").waitFor();
      assert.equal(await tab.locator("#results li").count(), 0);
    } finally {
      await browser.close();
    }
  },
});

const views = [
  { name: "phone", size: { width: 390, height: 844 }, colorScheme: "dark" },
  { name: "desktop", size: { width: 1440, height: 900 }, colorScheme: "light" },
] as const;

async function fits(tab: Page, place: string): Promise<void> {
  const [scroll, width] = await tab.evaluate(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  ) as [number, number];
  assert.ok(scroll <= width, `${place} is ${scroll - width} pixels too wide`);
}

async function show(tab: Page, { size, colorScheme }: typeof views[number]): Promise<void> {
  await tab.setViewportSize(size);
  await tab.emulateMedia({ colorScheme });
}

/** Those of the pages that have a tag with a class that none before them has. */
async function withNewTags(): Promise<string[]> {
  const known = new Set<string>();
  const found: string[] = [];
  for (const page of pages) {
    const html = await Deno.readTextFile(join(output, page));
    const before = known.size;
    for (const [tag] of html.matchAll(/<[a-z]\w*(?: class="[^"]*")?/g)) known.add(tag);
    if (known.size > before) found.push(page);
  }
  return found;
}

const pictured =
  /^(index|pictures|reference|security|docs\/(sessions|deployment|error_codes)|errors\/NOT_FOUND)\.html$/;

Deno.test({
  name:
    "the site can be read in Chromium: wide and narrow, light and dark, without mistakes that " +
    `keep people out${chromium ? "" : " (needs Chromium)"}`,
  ignore: chromium === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const browser = await launchBrowser();
    try {
      const tab = await browser.newPage();
      const kinds = new Set<string>();
      // One program writes all pages: a push looks at what each of its parts becomes, and the matrix at every text.
      const tagged = await withNewTags();
      let seen = pages.filter((page) =>
        inMatrix
          // Pages of error codes are alike.
          ? !page.startsWith("errors/") || /RECOVERY_REFUSED|NOT_FOUND/.test(page)
          : tagged.includes(page) || pictured.test(page)
      );
      for (const view of views) {
        await show(tab, view);
        const contrasts = new Set<string>();
        const fresh: string[] = [];
        for (const page of seen) {
          await tab.goto(pathToFileURL(join(output, page)).href);
          await fits(tab, `${page} (${view.name})`);
          const isNew = await learnKinds(tab, kinds) || inMatrix;
          const hard = await findNewContrasts(tab, inMatrix ? new Set() : contrasts);
          const found = isNew ? await findMistakes(tab, EVERY_RULE) : [];
          assert.deepEqual([...found, ...hard ?? []], [], `${page} (${view.name})`);
          if (isNew || hard !== null) fresh.push(page);
          if (pictured.test(page)) {
            await takePicture(
              tab,
              `docs-${page.replace("/", "-").replace(".html", "")}-${view.name}`,
            );
          }
        }
        // And again at each that has something which those before it have not.
        if (!inMatrix) seen = fresh;
      }
      for (
        const page of ["index.html", "auth/mod.ts/index.html", "auth/mod.ts/~/createAuth.html"]
      ) {
        await tab.goto(pathToFileURL(join(output, "reference", page)).href);
        for (const view of views) {
          await show(tab, view);
          await fits(tab, `reference/${page} (${view.name})`);
        }
        if (page === "auth/mod.ts/index.html") {
          assert.match(await tab.innerText("body"), /createAuth/);
          await takePicture(tab, "docs-symbols");
        }
      }
    } finally {
      await browser.close();
    }
  },
});
