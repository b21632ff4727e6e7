// What users do first, with the packed files, outside of the workspace, where one runtime is installed alone.
import assert from "node:assert/strict";
import { join } from "node:path";
import { buildPackages } from "../../scripts/npm.ts";
import { startRegistry } from "../../scripts/registry.ts";
import { exists } from "../../scripts/workspace.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { onlyDeno, onlyNode, succeed, tryDevelopment } from "./lone_runtime.ts";

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-lone-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

// Tracks: R161. No install script runs, and none is needed.
Deno.test({
  name: "with Node alone, npm installs the packed files, and an application is made, migrated, " +
    `built, served, checked and tested${
      nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]"
    }`,
  ignore: !nodeIsAvailable,
  fn: () =>
    inFolder(async (folder) => {
      const { packages } = await buildPackages({ gate: false });
      const files = packages.map(({ tarball }) => `"${tarball}"`).join(" ");
      const install = `npm install --ignore-scripts --no-audit --no-fund`;
      const runtime = await onlyNode(folder);
      const tool = join(folder, "tool");
      await Deno.mkdir(tool);
      await succeed(runtime, "npm init --yes", tool);
      await succeed(runtime, `${install} ${files}`, tool);
      await succeed(runtime, "npx --no-install framework init ../my-app", tool);

      const app = join(folder, "my-app");
      await succeed(runtime, `${install} ${files}`, app);
      await succeed(runtime, "npx --no-install framework migrate up", app);
      await succeed(runtime, "npx --no-install framework build", app);
      assert.ok(await exists(join(app, "dist", "worker.js")));
      await tryDevelopment(runtime, "node_modules/.bin/framework", app);
      await succeed(runtime, "npx --no-install framework typecheck", app);
      const { stdout } = await succeed(runtime, "npx --no-install framework test", app);
      assert.match(stdout, /Tests +\d+ passed/);
    }),
});

Deno.test("with Deno alone, an application is made, installed, migrated, built, served and tested", () =>
  inFolder(async (folder) => {
    const registry = await startRegistry(await buildPackages({ gate: false }));
    try {
      const runtime = await onlyDeno(folder);
      const npmrc = `@framework:registry=${registry.url}\n`;
      const tool = join(folder, "tool");
      await Deno.mkdir(tool);
      await Deno.writeTextFile(join(tool, ".npmrc"), npmrc);
      await Deno.writeTextFile(join(tool, "deno.json"), "{}");
      await succeed(runtime, "deno add --quiet npm:@framework/cli", tool);
      await succeed(runtime, "deno run -A npm:@framework/cli init ../my-app", tool);

      const app = join(folder, "my-app");
      await Deno.writeTextFile(join(app, ".npmrc"), npmrc);
      await succeed(runtime, "deno install --quiet", app);
      await succeed(runtime, "deno task migrate", app);
      await succeed(runtime, "deno task build", app);
      assert.ok(await exists(join(app, "dist", "worker.js")));
      await tryDevelopment(runtime, "deno run -A npm:@framework/cli", app);
      await succeed(runtime, "deno task typecheck", app);
      await succeed(runtime, "deno task test", app);
      const { stdout } = await succeed(runtime, "deno test -A", app);
      assert.match(stdout, /\d+ passed .*0 failed/);
    } finally {
      await registry.close();
    }
  }));
