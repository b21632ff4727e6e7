import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { RenderedPage } from "../emulator/prerender.ts";
import { createAssets } from "../server/assets.ts";
import { imagePolicy } from "./asset_imports.ts";
import { writeHeaderFile } from "./header_file.ts";

const process = { sanitizeOps: false, sanitizeResources: false };

type Headers = Record<string, string>;

/** Pages of a route with the same headers. */
function pagesOf(pattern: string, paths: string[], headers: Headers): RenderedPage[] {
  return paths.map((path) => ({ path, pattern, headers: Object.entries(headers), body: "" }));
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

/** Writes the files of a build, and returns `_headers` and what each address has of these headers. */
async function build(
  { pages, files = {}, addresses }: {
    pages: RenderedPage[];
    files?: Record<string, string>;
    addresses: string[];
  },
): Promise<{ text: string; headers: Record<string, Headers> }> {
  const folder = await mkdtemp(join(tmpdir(), "header-file-"));
  const names = pages.map(({ path }) =>
    path === "/" ? "index.html" : `${decodeURIComponent(path.slice(1))}.html`
  );
  for (const [name, text] of [...Object.entries(files), ...names.map((name) => [name, "page"])]) {
    await mkdir(dirname(join(folder, name!)), { recursive: true });
    await writeFile(join(folder, name!), text!);
  }
  await writeHeaderFile(folder, pages);
  const text = await readFile(join(folder, "_headers"), "utf8");
  const miniflare = new Miniflare({
    cf: false,
    handleStructuredLogs: () => {},
    workers: [{
      name: "assets",
      modules: true,
      script: "export default { fetch: () => new Response(null, { status: 404 }) };",
      compatibilityDate: "2026-07-30",
      assets: { directory: folder, routerConfig: { "has_user_worker": true } },
    }],
  });
  try {
    const assets = await createAssets(folder, { html: true });
    const headers: Record<string, Headers> = {};
    for (const address of addresses) {
      const url = new URL(address, "http://localhost").href;
      const answer = await miniflare.dispatchFetch(url, { redirect: "manual" });
      await answer.arrayBuffer();
      headers[address] = described(answer as unknown as Response);
      const served = await assets.answer(new Request(url)) ?? new Response(null, { status: 404 });
      await served.arrayBuffer();
      assert.deepEqual(described(served), headers[address], address);
    }
    return { text, headers };
  } finally {
    await miniflare.dispose();
    await rm(folder, { recursive: true });
  }
}

function described({ headers }: Response): Headers {
  const names = ["a", "b", "c", "cache-control", "content-security-policy"];
  return Object.fromEntries([...headers].filter(([name]) => names.includes(name)));
}

const unchanged = { "cache-control": "public, max-age=0, must-revalidate" };

// Tracks: R080
Deno.test(
  "a page has its own headers alone, whatever other patterns cover it",
  process,
  async () => {
    const rest = pagesOf("/:path*?", ["/", ...numbered("/x/", 20)], { a: "rest", b: "rest" });
    const posts = pagesOf("/posts/:slug", numbered("/posts/", 5), { a: "post", c: "post" });
    const about = pagesOf("/about", ["/about"], { a: "about" });
    const odd = pagesOf("/odd/:a-b/:a_b", ["/odd/1/2", "/odd/3/4", "/odd/5/6"], { a: "odd" });
    const { text, headers } = await build({
      pages: [...rest, ...posts, ...about, ...odd],
      files: {
        "posts/picture.svg": "<svg/>",
        "favicon.ico": "icon",
        "legacy/index.html": "<p>",
        "_framework/logo-1234.svg": "<svg/>",
        "_framework/chunk-1234.js": "",
      },
      addresses: [
        "/",
        "/x/7",
        "/posts/3",
        "/about",
        "/odd/3/4",
        "/posts/picture.svg",
        "/favicon.ico",
        "/legacy/",
        "/_framework/logo-1234.svg",
        "/_framework/chunk-1234.js",
      ],
    });
    const immutable = { "cache-control": "public, max-age=31536000, immutable" };
    assert.deepEqual(headers, {
      "/": { a: "rest", b: "rest", ...unchanged },
      "/x/7": { a: "rest", b: "rest", ...unchanged },
      "/posts/3": { a: "post", c: "post", ...unchanged },
      "/about": { a: "about", ...unchanged },
      "/odd/3/4": { a: "odd", ...unchanged },
      "/posts/picture.svg": unchanged,
      "/favicon.ico": unchanged,
      "/legacy/": unchanged,
      "/_framework/logo-1234.svg": {
        ...immutable,
        "content-security-policy": imagePolicy,
      },
      "/_framework/chunk-1234.js": immutable,
    });
    assert.ok(text.split("\n").filter((line) => line.startsWith("/")).length < 20, text);
  },
);

Deno.test("a hundred pages and more of a route need one rule", process, async () => {
  const { text, headers } = await build({
    pages: pagesOf("/docs/:path*", numbered("/docs/", 150), {
      a: "docs",
      "cache-control": "no-store",
    }),
    files: { "docs/picture.svg": "<svg/>" },
    addresses: ["/docs/149", "/docs/picture.svg"],
  });
  assert.deepEqual(headers, {
    "/docs/149": { a: "docs", "cache-control": "no-store" },
    "/docs/picture.svg": unchanged,
  });
  assert.equal(text.split("\n").filter((line) => line.startsWith("/")).length, 2, text);
});

Deno.test("rules of the project come last, also for the path of a page", process, async () => {
  const { headers } = await build({
    pages: [
      ...pagesOf("/about", ["/about"], { a: "page", b: "page" }),
      ...pagesOf("/other", ["/other"], { a: "page", b: "page" }),
      ...pagesOf("/docs/:path*", numbered("/docs/", 9), { a: "page", b: "page" }),
    ],
    files: {
      "_headers": [
        "# Of the project",
        "/*",
        "  a: own",
        "  ! b",
        "/about",
        "  c: own",
        "/docs/:path",
        "  ! a",
        "  a: docs",
        "/_framework/*",
        "  c: cross-origin",
      ].join("\n"),
      "_framework/chunk-1234.js": "",
    },
    addresses: ["/about", "/other", "/docs/1", "/_framework/chunk-1234.js"],
  });
  assert.deepEqual(headers, {
    "/about": { a: "own, page", c: "own", ...unchanged },
    "/other": { a: "page, own", ...unchanged },
    "/docs/1": { a: "docs", ...unchanged },
    "/_framework/chunk-1234.js": {
      a: "own",
      c: "cross-origin",
      "cache-control": "public, max-age=31536000, immutable",
    },
  });
});

Deno.test("names of pages have no meaning in a rule, and values none either", process, async () => {
  const names = ["/p/%3Aslug", "/p/zwei%20%26%20%C3%A4", "/p/a%40b", "/p/(x)'", "/p/plain"];
  const { headers } = await build({
    pages: [
      ...pagesOf("/p/:slug", names, { a: "wss://x:splat :p2_ :slug" }),
      ...pagesOf("/a@b/:slug", ["/a@b/1"], { a: "static" }),
    ],
    addresses: [...names, "/a%40b/1"],
  });
  const each = { a: "wss://x:splat :p2_ :slug", ...unchanged };
  assert.deepEqual(headers, {
    ...Object.fromEntries(names.map((name) => [name, each])),
    "/a%40b/1": { a: "static", ...unchanged },
  });
});

Deno.test.each([
  [
    "too many rules",
    pagesOf("/:slug", numbered("/", 99), { a: "1" }).map((page, index) => ({
      ...page,
      headers: [["a", String(index)]] as [string, string][],
    })),
    /needs 101 rules .* 100 are the limit: 99 for prerendered pages, 2 of public\/_headers, 0 for/,
  ],
  [
    "a line that is too long",
    pagesOf("/long", ["/long"], { a: "x".repeat(2_000) }),
    /^\/long has a header a of more than 2000 characters\.$/,
  ],
])("a build with %s is refused", async (_, pages, message) => {
  const folder = await mkdtemp(join(tmpdir(), "header-file-"));
  await writeFile(join(folder, "_headers"), "/a.txt\n  a: 1\n/b.txt\n  a: 1\n");
  await assert.rejects(writeHeaderFile(folder, pages), { message, exitCode: 3 });
  await rm(folder, { recursive: true });
});
