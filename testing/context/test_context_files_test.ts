// Which files of the folder of static files a context serves: what its build, or wrangler, makes public.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestContext } from "./test_context.ts";

const FILES: Record<string, string> = {
  "public/robots.txt": "robots",
  "public/.well-known/security.txt": "security",
  "public/.env": "SECRET=1",
  "public/.git/config": "[core]",
};
const COMMON = {
  name: "files",
  "compatibility_date": "2026-07-30",
  "compatibility_flags": ["nodejs_compat"],
  assets: { directory: "./public" },
};
const APPLICATION = {
  "tsconfig.json": `{ "extends": "../../../testing/context/fixtures/project/tsconfig.json" }`,
  "wrangler.jsonc": JSON.stringify(COMMON),
  "app/hello/route.ts": `export const GET = () => ({ hello: "world" });`,
};
const WORKER = {
  "wrangler.jsonc": JSON.stringify({ ...COMMON, main: "worker.js" }),
  "worker.js": `export default { fetch: () => new Response("worker", { status: 404 }) };`,
};
const PATHS = ["/robots.txt", "/.well-known/security.txt", "/.env", "/.git/config"];

async function statuses(
  files: Record<string, string>,
  runtime: "process" | "workerd",
): Promise<number[]> {
  // Within the repository, whose esbuild and miniflare are the project's.
  const output = fileURLToPath(new URL("../../tests/output/", import.meta.url));
  await mkdir(output, { recursive: true });
  const cwd = await mkdtemp(join(output, "files-"));
  try {
    for (const [name, text] of Object.entries({ ...FILES, ...files })) {
      await mkdir(dirname(join(cwd, name)), { recursive: true });
      await writeFile(join(cwd, name), text);
    }
    await using ctx = await createTestContext({ cwd, runtime });
    const found: number[] = [];
    for (const path of PATHS) {
      const response = await ctx.fetch(path);
      await response.body?.cancel();
      found.push(response.status);
    }
    return found;
  } finally {
    await rm(cwd, { recursive: true });
  }
}

// The emulator keeps timers and message ports of its own.
const sanitizers = { sanitizeOps: false, sanitizeResources: false };

Deno.test({
  name: "an application serves no file whose name begins with a dot, as its build has none",
  ...sanitizers,
  fn: async () => {
    assert.deepEqual(await statuses(APPLICATION, "workerd"), [200, 200, 404, 404]);
    // In process no files are served.
    assert.deepEqual(await statuses(APPLICATION, "process"), [404, 404, 404, 404]);
  },
});

Deno.test({
  name: "any other worker serves what wrangler uploads, such files among it",
  ...sanitizers,
  fn: async () => {
    assert.deepEqual(await statuses(WORKER, "workerd"), [200, 200, 200, 200]);
    assert.deepEqual(await statuses(WORKER, "process"), [200, 200, 200, 200]);
    const ignored = { ...WORKER, "public/.assetsignore": ".*\n!.well-known\n" };
    assert.deepEqual(await statuses(ignored, "workerd"), [200, 200, 404, 404]);
    assert.deepEqual(await statuses(ignored, "process"), [200, 200, 404, 404]);
  },
});
