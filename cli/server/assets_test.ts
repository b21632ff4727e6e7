import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Assets, createAssets } from "./assets.ts";

/** Reads an answer to its end: the file of one that is cancelled is closed when the test is over. */
async function drain(response: Response | null | undefined): Promise<void> {
  await response?.arrayBuffer();
}

async function withAssets(
  files: Record<string, string>,
  work: (assets: Assets) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "assets-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    await work(await createAssets(folder, { html: true }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

// Tracks: R080
Deno.test("a static page has the headers of its rule in every spelling of its address", async () => {
  const policy = "default-src 'self'";
  const names = ["zwei & ä", "100%", "a+b", "(c)", "日本", "plain"];
  const files = Object.fromEntries(names.map((name) => [`posts/${name}.html`, "<p>"]));
  // Pages of one route with policies of their own are written with the addresses of their links.
  const rules = names.map((name) =>
    `/posts/${
      encodeURIComponent(name)
    }\n  ! content-security-policy\n  content-security-policy: ${policy}`
  );
  await withAssets({ ...files, "_headers": rules.join("\n") }, async (assets) => {
    for (const name of names) {
      const all = Array.from(
        new TextEncoder().encode(name),
        (byte) => `%${byte.toString(16).padStart(2, "0")}`,
      );
      for (
        const spelling of [
          encodeURIComponent(name),
          all.join(""),
          all.join("").toUpperCase(),
          name.replace("%", "%25"),
        ]
      ) {
        const address = `https://app.example/posts/${spelling}`;
        // Other spellings are redirected, as on Workers.
        const first = await assets.answer(new Request(address));
        const location = new URL(first?.headers.get("location") ?? address, address);
        const response = await assets.answer(new Request(location));
        assert.equal(response?.status, 200, address);
        assert.equal(response?.headers.get("content-security-policy"), policy, address);
        await drain(first);
        await drain(response);
      }
    }
  });
});

Deno.test("a file takes no method but GET and HEAD, and says so", async () => {
  await withAssets({ "hello.txt": "hello", "about.html": "<p>" }, async (assets) => {
    for (const path of ["/hello.txt", "/about", "/about.html"]) {
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
        const response = await assets.answer(new Request(`https://app.example${path}`, { method }));
        const allow = response?.headers.get("allow");
        assert.deepEqual([response?.status, allow], [405, "GET, HEAD"], `${method} ${path}`);
      }
    }
    const other = new Request("https://app.example/none.txt", { method: "POST" });
    assert.equal(await assets.answer(other), null);
  });
});

Deno.test("what .assetsignore names is not served, in no spelling", async () => {
  await withAssets({
    ".assetsignore": "*.map\n/private/\n_worker.js\n!/kept.map\n",
    "app.js": "1",
    "app.js.map": "1",
    "APP.MAP": "1",
    "kept.map": "1",
    "private/index.html": "1",
    "below/private/index.html": "1",
    "below/_worker.js": "1",
  }, async (assets) => {
    const statuses = [];
    for (
      const path of [
        "/app.js",
        "/kept.map",
        "/below/private/",
        "/app.js.map",
        "/app.js%2emap",
        "/APP.MAP",
        "/private/",
        "/private",
        "/private/index.html",
        "/below/_worker.js",
        "/.assetsignore",
      ]
    ) {
      const response = await assets.answer(new Request(`https://app.example${path}`));
      await drain(response);
      statuses.push([path, response?.status ?? null]);
    }
    assert.deepEqual(statuses.filter(([, status]) => status !== null), [
      ["/app.js", 200],
      ["/kept.map", 200],
      ["/below/private/", 200],
    ]);
  });
});
