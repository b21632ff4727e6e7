import assert from "node:assert/strict";
import { join } from "node:path";
import { layPackages } from "../../scripts/demo_packages.ts";
import { buildPackages } from "../../scripts/npm.ts";
import { capture, run } from "../../scripts/run_command.ts";
import { initApplication, installPackages } from "../../scripts/scaffold.ts";
import { exists } from "../../scripts/workspace.ts";

const later = ["oxlint", "typescript", "vitest", "wrangler"];
const serving = [
  "@framework/cli",
  "@framework/testing",
  "esbuild",
  "hono",
  "miniflare",
];

// Tracks: AB-18
Deno.test("the demo's folder has what serves the application, and by `deno install` what tests and deploys it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-demo-served-" });
  try {
    const root = join(folder, "demo");
    const installed = (name: string) => exists(join(root, "node_modules", name, "package.json"));
    const manifest = () => Deno.readTextFile(join(root, "package.json"));
    const build = await buildPackages({ gate: false });
    await initApplication(root, { name: "demo" });
    const before = await manifest();
    await installPackages(root, build, { toServe: true });
    await layPackages(root, build);
    assert.equal(await manifest(), before);
    for (const name of later) assert.ok(!await installed(name), `${name} is not needed yet`);
    for (const name of serving) assert.ok(await installed(name), name);
    const framework = join(root, "node_modules", ".bin", "framework");
    const built = await capture(Deno.execPath(), ["run", "-A", framework, "build"], { cwd: root });
    assert.equal(built.code, 0, built.stdout + built.stderr);

    await run(Deno.execPath(), ["install"], { cwd: root });
    for (const name of [...later, ...serving]) assert.ok(await installed(name), name);
    const args = ["task", "test", "tests/guarded.test.ts"];
    const tested = await capture(Deno.execPath(), args, { cwd: root });
    assert.equal(tested.code, 0, tested.stdout + tested.stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
