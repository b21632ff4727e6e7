import assert from "node:assert/strict";
import { join } from "node:path";
import { compile, compileOptions, dryRun, targets } from "../../scripts/compile.ts";
import { permissions } from "../../scripts/compile_permissions.ts";
import { capture, run } from "../../scripts/run_command.ts";
import { readWorkspace } from "../../scripts/workspace.ts";
import { findDenort } from "./denort.ts";

const denort = await findDenort();
const version = (await readWorkspace()).members.find(({ folder }) => folder === "cli")!.version;

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-compiled-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the compiled command would hold its own modules, no package, and less than 1.1 megabytes", async () => {
  const { bytes, files, report } = await dryRun();
  assert.ok(files.includes("main.js") && files.includes("driver.js"));
  assert.deepEqual(files.filter((file) => !file.endsWith(".js") || file.includes("..")), []);
  assert.ok(bytes < 1_100_000, `${bytes} bytes`);
  assert.match(report, /Embedded Files/);
  assert.doesNotMatch(report, /node_modules|npm/);
});

Deno.test("the compiled command gets the permissions of the one list, and all five platforms", () => {
  for (const permission of permissions) assert.ok(compileOptions.includes(permission));
  const others = compileOptions.filter((option) => option.startsWith("--allow"));
  assert.deepEqual(others, permissions.filter((option) => option.startsWith("--allow")));
  assert.deepEqual(targets.map((target) => target.split("-")[2]), [
    ...["linux", "linux", "darwin", "darwin", "windows"],
  ]);
});

Deno.test("compile() refuses a runtime part that is not one, and writes nothing", () =>
  inFolder(async (folder) => {
    const output = join(folder, "out");
    const script = `import { compile } from "${new URL(
      "../../scripts/compile.ts",
      import.meta.url,
    )}";
      await compile({ targets: ["${Deno.build.target}"], output: ${JSON.stringify(output)} });`;
    for (const part of [Deno.execPath(), join(folder, "missing")]) {
      const { code, stderr } = await capture(Deno.execPath(), ["eval", script], {
        env: { DENORT_BIN: part },
      });
      assert.equal(code, 1, stderr);
      assert.match(stderr, /DENORT_BIN/);
      await assert.rejects(() => Deno.stat(output), { name: "NotFound" });
    }
  }));

Deno.test({
  name: `the compiled command runs, and makes an application${
    denort ? "" : " [unavoidable: this machine has no runtime part of Deno to compile with]"
  }`,
  ignore: denort === null,
  fn: () =>
    inFolder(async (folder) => {
      const target = Deno.build.target;
      const [archive] = await compile({ targets: [target], output: folder });
      await run("tar", ["-xzf", archive!], { cwd: folder });
      await run("sha256sum", ["--check", "SHA256SUMS"], { cwd: folder });
      const program = join(folder, "framework");
      assert.equal((await run(program, ["--version"])).stdout.trim(), version);
      await run(program, ["init", "my-app"], { cwd: folder });
      await run(program, ["routes"], { cwd: join(folder, "my-app") });
    }),
});
