// One list of requests, answered by the double and by the platform's own assets in workerd.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Miniflare } from "miniflare";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";
import { type AssetOptions, createStaticAssets } from "./assets.ts";

const FILES: Record<string, string> = {
  "index.html": "root",
  "404.html": "missing",
  "about.html": "about",
  "blog/index.html": "blog",
  "blog/404.html": "missing post",
  "both.html": "page",
  "both/index.html": "folder",
  "exact": "exact",
  "exact.html": "exact page",
  "a b/ü.html": "spelled",
  "app.css": "css",
  "app.js": "js",
  "data.bin": "bin",
  "index.htm": "other",
  "deep/folder/index.html": "deep",
  "hidden/secret.txt": "secret",
  ".assetsignore": "hidden/\n",
  "_headers":
    "/app.css\n  X-Style: yes\n  Cache-Control: immutable\n/blog/:post\n  X-Post: :post\n/*\n  X-All: yes\n",
  "_redirects": [
    "/old /about 301",
    "/go https://other.example/x?y=1",
    "/inner /about.html 200",
    "/lost /nowhere 200",
    "/old /second",
    "/too many tokens here",
    "/posts/:slug /blog/:slug 308",
    "/splat/* /blog/:splat",
  ].join("\n"),
};

const EXTENSIONS = (
  "avif css csv gif gz htm ico jpeg jpg js json map md mjs mp3 mp4 ogg otf pdf png svg ttf txt " +
  "wasm wav webm webmanifest webp woff woff2 xml zip bin unknown"
).split(" ");
for (const extension of EXTENSIONS) FILES[`types/file.${extension}`] = "x";

const PATHS = [
  "/",
  "/index",
  "/index.html",
  "/index.htm",
  "/about",
  "/about/",
  "/about.html",
  "/about/index.html",
  "/about/index",
  "/blog",
  "/blog/",
  "/blog/index",
  "/blog/index.html",
  "/blog.html",
  "/both",
  "/both/",
  "/both.html",
  "/both/index",
  "/both/index.html",
  "/exact",
  "/exact/",
  "/exact.html",
  "/deep/folder",
  "/deep/folder/",
  "/a%20b/%C3%BC",
  "/a b/ü",
  "/%61bout",
  "//about",
  "/about?x=1",
  "/about.html?x=1",
  "/app.css",
  "/app.js",
  "/data.bin",
  "/hidden/secret.txt",
  "/_headers",
  "/_redirects",
  "/.assetsignore",
  "/nothing",
  "/blog/nothing",
  "/api/x",
  "/api/app.css",
  "/old",
  "/old?x=1",
  "/go",
  "/inner",
  "/lost",
  "/posts/first",
  "/splat/a/b",
  "/too",
];

const REQUESTS: [path: string, init: RequestInit][] = [
  ...PATHS.map((path): [string, RequestInit] => [path, {}]),
  ["/about", { method: "HEAD" }],
  ["/about", { method: "POST" }],
  ["/nothing", { method: "POST" }],
  ["/about", { headers: { range: "bytes=0-1" } }],
  ["/about", { headers: { authorization: "Bearer x" } }],
  ["/nothing", { headers: { "sec-fetch-mode": "navigate" } }],
  ["/app.css", { headers: { "sec-fetch-mode": "navigate" } }],
];

type Settings = Omit<AssetOptions, "directory">;
const SETTINGS: Record<string, Settings> = {
  "as it is": {},
  "with slashes": { htmlHandling: "force-trailing-slash", notFoundHandling: "404-page" },
  "without slashes": { htmlHandling: "drop-trailing-slash" },
  "as files": { htmlHandling: "none", notFoundHandling: "404-page" },
  "as an application": { notFoundHandling: "single-page-application" },
  "after the worker": { runWorkerFirst: true },
  "after the worker in places": {
    runWorkerFirst: ["/api/*", "/blog/*", "!/api/app.css"],
    notFoundHandling: "single-page-application",
  },
};

async function describeResponse(response: Response) {
  const names = [
    "location",
    "content-type",
    "cache-control",
    "x-style",
    "x-post",
    "x-all",
  ];
  const headers = names.map((name) => [name, response.headers.get(name)]);
  return {
    status: response.status,
    hasEtag: response.headers.has("etag"),
    // HIT or MISS, as the platform's cache has it.
    isCached: response.headers.has("cf-cache-status"),
    ...Object.fromEntries(headers),
    text: await response.text(),
  };
}

/** Answer of the worker, to which the files leave a request; with `x-binding` it asks the binding. */
const WORKER = `export default {
  fetch: (request, env) => new URL(request.url).searchParams.has("binding")
    ? env.ASSETS.fetch(request)
    : new Response("worker", { headers: { "x-worker": "yes" } }),
};`;

async function onDouble(assets: ReturnType<typeof createStaticAssets>, request: Request) {
  const answered = await assets.answer(request);
  if (answered !== null) return answered;
  if (new URL(request.url).searchParams.has("binding")) return await assets.fetch(request);
  return new Response(request.method === "HEAD" ? null : "worker", {
    headers: { "content-type": "text/plain;charset=UTF-8" },
  });
}

/** The settings as miniflare takes them. */
function platformSettings({ htmlHandling, notFoundHandling, runWorkerFirst }: Settings) {
  const rules = Array.isArray(runWorkerFirst) ? runWorkerFirst as string[] : null;
  return {
    routerConfig: {
      "has_user_worker": true,
      "invoke_user_worker_ahead_of_assets": runWorkerFirst === true,
      ...(rules && {
        "static_routing": {
          "user_worker": rules.filter((rule) => !rule.startsWith("!")),
          "asset_worker": rules.filter((rule) => rule.startsWith("!"))
            .map((rule) => rule.slice(1)),
        },
      }),
    },
    assetConfig: {
      ...(htmlHandling && { "html_handling": htmlHandling }),
      ...(notFoundHandling && { "not_found_handling": notFoundHandling }),
      ...(rules && { "has_static_routing": true }),
    },
  };
}

Deno.test({
  name: "createStaticAssets() answers every request as the assets of workerd do",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "assets-"));
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), text);
    }
    const compatibilityDate = "2026-07-30";
    // One program with a worker and a port for each list of settings.
    const miniflare = new Miniflare(
      {
        workers: Object.entries(SETTINGS).map(([name, settings]) => ({
          name,
          modules: true,
          script: WORKER,
          compatibilityDate,
          unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
          assets: { directory, binding: "ASSETS", ...platformSettings(settings) },
        })),
      } as ConstructorParameters<typeof Miniflare>[0],
    );
    try {
      for (const [name, settings] of Object.entries(SETTINGS)) {
        await t.step(name, async () => {
          const assets = createStaticAssets({ directory, compatibilityDate, ...settings });
          const { origin } = await miniflare.unsafeGetDirectURL(name);
          const types = EXTENSIONS.map((each) => [`/types/file.${each}`, {}] as const);
          const asked = Object.keys(settings).length === 0 ? [...REQUESTS, ...types] : REQUESTS;
          for (const [path, init] of asked) {
            for (
              const url of new Set([path, `${path}${path.includes("?") ? "&" : "?"}binding`])
            ) {
              const address = `http://localhost${url}`;
              const given = { ...init, redirect: "manual" as const };
              // By the network: miniflare's own fetch writes over Sec-Fetch-Mode.
              const real = await fetch(origin + url, given);
              assert.deepEqual(
                [
                  url,
                  init,
                  await describeResponse(await onDouble(assets, new Request(address, given))),
                ],
                [url, init, await describeResponse(real)],
              );
            }
          }
        });
      }
    } finally {
      await disposeMiniflare(miniflare);
      rmSync(directory, { recursive: true });
    }
  },
});

Deno.test("createStaticAssets() answers 304 to who has the file, and sees what is written later", async () => {
  const directory = mkdtempSync(join(tmpdir(), "assets-"));
  try {
    const assets = createStaticAssets({ directory });
    assert.equal((await assets.fetch("http://localhost/a.txt")).status, 404);
    writeFileSync(join(directory, "a.txt"), "a");
    const response = await assets.fetch("http://localhost/a.txt");
    assert.equal(await response.text(), "a");
    const headers = { "if-none-match": response.headers.get("etag")! };
    assert.equal((await assets.fetch("http://localhost/a.txt", { headers })).status, 304);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
