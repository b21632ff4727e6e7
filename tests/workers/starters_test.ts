// The starters that create-cloudflare ships, as they are: only the names that it asks for are filled in.
import { createTestContext, type TestContext } from "@framework/testing";
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inMatrix } from "../support/matrix.ts";
import { linkNpmPackages } from "../support/npm_packages.ts";
import { STARTERS } from "./starters.ts";

const COPIES = fileURLToPath(new URL("../output/projects/", import.meta.url));
const folders: string[] = [];

/** Copies a starter, and fills in what create-cloudflare does. */
async function copyStarter(modules: string, path: string): Promise<string> {
  await mkdir(COPIES, { recursive: true });
  const cwd = await mkdtemp(COPIES);
  folders.push(cwd);
  await cp(join(modules, "create-cloudflare", "templates", path), cwd, { recursive: true });
  await symlink(modules, join(cwd, "node_modules"), "dir");
  const file = join(cwd, "wrangler.jsonc");
  const text = (await readFile(file, "utf8"))
    .replaceAll("<WORKER_NAME>", "starter")
    .replace("<COMPATIBILITY_DATE>", "2026-07-30");
  await writeFile(file, text);
  return cwd;
}

const modules = await linkNpmPackages({
  "create-cloudflare": "2.67.4",
  "chanfana": "3.3.0",
  "hono": "4.13.19",
  "itty-router": "3.0.12",
  "zod": "4.6.7",
});
Deno.test.afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

// In process first: what the emulator leaves behind would count for the tests after it.
for (const runtime of inMatrix ? ["process", "workerd"] as const : ["process"] as const) {
  for (const [path, run] of Object.entries(STARTERS).slice(0, inMatrix ? Infinity : 1)) {
    Deno.test({
      name: `${runtime}: ${path}`,
      ...(runtime === "workerd" && { sanitizeOps: false, sanitizeResources: false }),
      fn: async () => {
        const cwd = await copyStarter(modules, path);
        await using ctx: TestContext = await createTestContext({ cwd, runtime });
        await run(ctx);
        assert.equal(ctx.origin, "http://localhost");
      },
    });
  }
}
