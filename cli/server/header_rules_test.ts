import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createAssets } from "./assets.ts";
import { parseHeaderRules } from "./header_rules.ts";

const rules = parseHeaderRules(`
# Of everything
/*
  X-Frame-Options: DENY
  Link: </a.css>; rel=preload

/files/:name/raw
  ! X-Frame-Options
  content-disposition: attachment; filename="a: b"
/_framework/*
  ! Cache-Control
  Cache-Control: public, max-age=31536000, immutable
/a.b
  Link: </b.css>; rel=preload
not a path
`);

Deno.test.each([
  ["/", { "x-frame-options": "DENY", link: "</a.css>; rel=preload", "cache-control": "no-cache" }],
  ["/files/x/raw", {
    link: "</a.css>; rel=preload",
    "cache-control": "no-cache",
    "content-disposition": 'attachment; filename="a: b"',
  }],
  ["/files/x/y/raw", {
    "x-frame-options": "DENY",
    link: "</a.css>; rel=preload",
    "cache-control": "no-cache",
  }],
  ["/_framework/a.js", {
    "x-frame-options": "DENY",
    link: "</a.css>; rel=preload",
    "cache-control": "public, max-age=31536000, immutable",
  }],
  ["/a.b", {
    "x-frame-options": "DENY",
    link: "</a.css>; rel=preload, </b.css>; rel=preload",
    "cache-control": "no-cache",
  }],
  ["/aXb", {
    "x-frame-options": "DENY",
    link: "</a.css>; rel=preload",
    "cache-control": "no-cache",
  }],
])("the headers of %s are those of all rules that cover it", (path, expected) => {
  const headers = new Headers({ "cache-control": "no-cache" });
  rules(new URL(path, "http://localhost"), headers);
  assert.deepEqual(Object.fromEntries(headers), expected);
});

const headersFile = `# A comment
/*
  X-General: all
  X-Frame-Options: SAMEORIGIN
    ! Cache-Control
/posts/:slug
  X-Slug: of :slug, twice :slug and :slugs
  X-Frame-Options: DENY
/posts/one
  ! X-Frame-Options
  X-Frame-Options: from one
  X-Frame-Options: and again
  X-Twice: first
/posts/one
  X-Twice: second
/docs/*
  X-Splat: :splat
  ! X-General
/docs/:a/:b
  X-Parts: :b after :a
/docs/:a/:a
  X-Same: never
/docs/:id/:idea
  X-Prefix: never
/docs/:idea/:id
  X-Prefix: :id and :idea
/docs/*/*
  X-Two: never
/docs/*/:splat
  X-Both: never
/a%20b
  X-Encoded: yes
/ä
  X-Umlaut: yes
/about?query#hash
  X-Query: yes
/.x.y
  X-Dots: yes
http://localhost/about
  X-Http: never
https://localhost/*
  X-Host: :splat
https://:sub.example/about
  X-Sub: :sub
https://localhost:8787/about
  X-Port: never
  x-lower : spaced
  X Space: never
  X-Empty:
nothing: of this
  X-Long: ${"l".repeat(2_000)}
/redirected/*
  X-Redirected: :splat
  Content-Type: text/x-own
`;

const names = [
  "about.html",
  "posts/one.html",
  "posts/two.html",
  "posts/*.html",
  "posts/:slug.html",
  "docs/a/b.html",
  "docs/a/index.html",
  "docs/a/a.html",
  "a b.html",
  "ä.html",
  ".x.y",
  "zxzy",
  "it's (@,+&=$).txt",
  "redirected/index.html",
  "redirected/page.html",
];

const addresses = [
  "/about",
  "/about?query",
  "/%61bout",
  "/about.html",
  "/about/",
  "//about",
  "/posts/one",
  "/posts/%6fne",
  "/posts/two",
  "/posts/*",
  "/posts/%2A",
  "/posts/:slug",
  "/posts/%3Aslug",
  "/docs/a/b",
  "/docs/a/",
  "/docs/a",
  "/docs/a%2Fb",
  "/docs/a/a",
  "/a%20b",
  "/a b",
  "/%C3%A4",
  "/ä",
  "/%c3%a4",
  "/.x.y",
  "/zxzy",
  "/it's (@,+&=$).txt",
  "/it's%20(%40%2C%2B%26%3D%24).txt",
  "/redirected",
  "/redirected/index",
  "/redirected/page",
  "/redirected/page.html?a=1",
  "/nothing",
  "/_headers",
];

const origins = ["http://localhost", "https://localhost", "https://one.example"];

Deno.test({
  name: "a server sends the headers that Workers send for the same _headers",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const folder = await mkdtemp(join(tmpdir(), "headers-"));
    for (const name of names) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), name);
    }
    await writeFile(join(folder, "_headers"), headersFile);
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
      const own: Record<string, unknown> = {};
      const theirs: Record<string, unknown> = {};
      for (const { href } of origins.flatMap((at) => addresses.map((path) => new URL(path, at)))) {
        const response = await assets.answer(new Request(href));
        own[href] = await describe(response ?? new Response(null, { status: 404 }));
        const answer = await miniflare.dispatchFetch(href, { redirect: "manual" });
        theirs[href] = await describe(answer as unknown as Response);
      }
      assert.deepEqual(own, theirs);
      assert.deepEqual(own["http://localhost/posts/one"], {
        status: 200,
        "x-frame-options": "SAMEORIGIN, DENY",
        "x-general": "all",
        "x-host": "posts/one",
        "x-slug": "of one, twice one and ones",
        "x-twice": "second",
      });
    } finally {
      await miniflare.dispose();
      await rm(folder, { recursive: true });
    }
  },
});

/** What a `_headers` file decides of a response, and where it leads. */
async function describe(response: Response): Promise<unknown> {
  await response.arrayBuffer();
  const decided = [...response.headers].filter(([name]) =>
    /^(?:x-(?!content-type|mf-)|cache-control|location)/.test(name)
  );
  return { status: response.status, ...Object.fromEntries(decided) };
}
