import assert from "node:assert/strict";
import { join } from "node:path";
import { layPackages } from "../../scripts/demo_packages.ts";
import { buildPackages } from "../../scripts/npm.ts";
import { capture, run } from "../../scripts/run_command.ts";
import { initApplication, type InstallOptions, installPackages } from "../../scripts/scaffold.ts";
import { exists, readJson } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { runNpm } from "../support/npm_packages.ts";

const later = ["oxlint", "typescript", "vitest", "wrangler"];
const serving = [
  "@framework/cli",
  "@framework/testing",
  "esbuild",
  "hono",
  "miniflare",
];

/** A folder as `deno task demo --dir` leaves it, with everything or what serves it. */
async function withDemo(
  options: InstallOptions,
  test: (root: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-demo-packages-" });
  try {
    const root = join(folder, "demo");
    const build = await buildPackages({ gate: false });
    await initApplication(root, { name: "demo" });
    const manifest = () => Deno.readTextFile(join(root, "package.json"));
    const before = await manifest();
    await installPackages(root, build, options);
    await layPackages(root, build);
    assert.equal(await manifest(), before);
    await test(root);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function builds(root: string): Promise<void> {
  const framework = join(root, "node_modules", ".bin", "framework");
  const { code, stdout, stderr } = await capture(
    Deno.execPath(),
    ["run", "-A", framework, "build"],
    {
      cwd: root,
    },
  );
  assert.equal(code, 0, stdout + stderr);
}

async function assertComplete(root: string): Promise<void> {
  const { dependencies } = await readJson(join(root, "package.json")) as {
    dependencies: Record<string, string>;
  };
  assert.ok(dependencies["zod"] !== undefined, "package.json lists what was added");
  assert.match(dependencies["@framework/auth"]!, /^\^/, "and nothing else of it has changed");
  for (const name of ["zod", "@framework/auth", "@framework/cli", "@framework/testing"]) {
    assert.ok(await exists(join(root, "node_modules", name, "package.json")), name);
  }
  await Deno.mkdir(join(root, "app", "zod"));
  await Deno.writeTextFile(
    join(root, "app", "zod", "route.ts"),
    'import { z } from "zod";\n\nexport const GET = () => Response.json(z.string().parse("zod"));\n',
  );
  await builds(root);
}

// Tracks: AB-18
Deno.test("the demo's folder has what serves the application, and by `deno install` what tests and deploys it", async (t) => {
  await withDemo({ toServe: true }, async (root) => {
    const installed = (name: string) => exists(join(root, "node_modules", name, "package.json"));
    for (const name of later) assert.ok(!await installed(name), `${name} is not needed yet`);
    for (const name of serving) assert.ok(await installed(name), name);
    await builds(root);

    await run(Deno.execPath(), ["install"], { cwd: root });
    for (const name of [...later, ...serving]) assert.ok(await installed(name), name);
    const args = ["task", "test", "tests/guarded.test.ts"];
    const tested = await capture(Deno.execPath(), args, { cwd: root });
    assert.equal(tested.code, 0, tested.stdout + tested.stderr);

    // Tracks: AB-04
    await t.step("deno add adds a package to the demo's folder", async () => {
      await run(Deno.execPath(), ["add", "npm:zod@4.6.7"], { cwd: root });
      await assertComplete(root);
    });
  });
});

if (inMatrix) {
  // Tracks: AB-04
  Deno.test("npm install adds a package to the demo's folder, beside what Deno has installed", async () => {
    await withDemo({}, async (root) => {
      await runNpm(["install", "--no-audit", "--no-fund", "zod@4.6.7"], { cwd: root });
      await assertComplete(root);
    });
  });
}
