import assert from "node:assert/strict";
import { build, stop, transform } from "esbuild";
import { fileURLToPath } from "node:url";
import { threadSource } from "./auth_thread.ts";

// As a plain script a program cannot wait at its top: the bundler refuses one that does.
Deno.test({
  name: "neither the command nor the thread that reads app/auth waits at the top of a module",
  // esbuild's process may end a moment after `stop()`.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: bundlesAsScripts,
});

async function bundlesAsScripts(): Promise<void> {
  const files = [{ part: "callbacks", file: "./callbacks.ts", name: "callbacks.ts" }];
  const thread = await transform(threadSource(files, { describes: true }), {
    format: "iife",
    logLevel: "silent",
  });
  assert.match(thread.code, /composeAuth/);
  await assert.rejects(
    transform("await 1;", { format: "iife", logLevel: "silent" }),
    /Top-level await/,
  );
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../main.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    platform: "node",
    packages: "external",
    logLevel: "silent",
    logOverride: { "empty-import-meta": "silent" },
  });
  assert.equal(outputFiles.length, 1);
  await stop();
}
