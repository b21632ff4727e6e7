import assert from "node:assert/strict";
import { join } from "node:path";
import { layPackages } from "../../scripts/demo_packages.ts";
import { buildPackages } from "../../scripts/npm.ts";
import { capture, run } from "../../scripts/run_command.ts";
import { initApplication, installPackages } from "../../scripts/scaffold.ts";
import { exists, readJson } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { runNpm } from "../support/npm_packages.ts";

/** A folder as `deno task demo --dir` leaves it. */
async function withDemo(test: (root: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-demo-packages-" });
  try {
    const root = join(folder, "demo");
    const build = await buildPackages({ gate: false });
    await initApplication(root, { name: "demo" });
    await installPackages(root, build);
    await layPackages(root, build);
    await test(root);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
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
  const main = join(root, "node_modules", ".bin", "framework");
  await Deno.mkdir(join(root, "app", "zod"));
  await Deno.writeTextFile(
    join(root, "app", "zod", "route.ts"),
    'import { z } from "zod";\n\nexport const GET = () => Response.json(z.string().parse("zod"));\n',
  );
  const { code, stdout, stderr } = await capture(Deno.execPath(), ["run", "-A", main, "build"], {
    cwd: root,
  });
  assert.equal(code, 0, stdout + stderr);
}

// Tracks: AB-04
Deno.test("deno add adds a package to the demo's folder", async () => {
  await withDemo(async (root) => {
    await run(Deno.execPath(), ["add", "npm:zod@4.6.7"], { cwd: root });
    await assertComplete(root);
  });
});

if (inMatrix) {
  // Tracks: AB-04
  Deno.test("npm install adds a package to the demo's folder, beside what Deno has installed", async () => {
    await withDemo(async (root) => {
      await runNpm(["install", "--no-audit", "--no-fund", "zod@4.6.7"], { cwd: root });
      await assertComplete(root);
    });
  });
}
