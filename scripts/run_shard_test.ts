import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../tests/support/until.ts";
import { processTree } from "./process_tree.ts";
import { capture } from "./run_command.ts";
import { runLimited, runShard } from "./run_shard.ts";

async function withFile(text: string, work: (file: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-shard-" });
  try {
    await Deno.writeTextFile(join(folder, "a_test.ts"), text);
    await work(join(folder, "a_test.ts"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function processState(pid: number): Promise<string> {
  const { stdout } = await capture("ps", ["-o", "stat=", "-p", String(pid)]);
  return stdout.trim();
}

Deno.test("runShard() tells the failures with the first line of what they said", async () => {
  const text = `Deno.test("good", () => {});
    Deno.test("bad", async (t) => { await t.step("step", () => { throw new Error("so\\nand so"); }) });`;
  await withFile(text, async (file) => {
    const { report, output } = await runShard({ name: "a", files: [file] });
    assert.deepEqual([report.passed, report.failed], [1, 2]);
    assert.deepEqual(report.failures.map(({ name, message }) => [name, message]), [
      ["bad > step", "Error: so"],
    ]);
    assert.match(output, /good/);
  });
});

Deno.test("runShard() names what failed before there was a test", async () => {
  await withFile("throw new Error('no module');", async (file) => {
    const { report, output } = await runShard({ name: "the part", files: [file] });
    assert.equal(report.failed, 1);
    assert.equal(report.failures.length, 1);
    assert.match(output, /no module/);
  });
});

Deno.test("runShard() counts a part in which no test is as a failure with a name", async () => {
  await withFile("export {};", async (file) => {
    const { report } = await runShard({ name: "the part", files: [file] });
    assert.deepEqual([report.passed, report.failed], [0, 1]);
    assert.deepEqual(report.failures, [{ file: "the part", name: file, message: "ran no test" }]);
  });
});

Deno.test("runLimited() ends a program that hangs, and all that it started", async () => {
  // A child in a group of its own, as browsers are.
  const text = `
    import { spawn } from "node:child_process";
    const child = spawn(Deno.execPath(), ["eval", "setInterval(() => {}, 1000)"], { detached: true });
    console.log("child " + child.pid);
    setInterval(() => {}, 1000);`;
  await withFile(text, async (file) => {
    // Long enough for the program to begin; one that had not begun would have no child to look at.
    for (let limit = 2000;; limit *= 2) {
      const run = await runLimited(["run", "-A", "--no-check", file], { limit });
      assert.ok(run.timedOut);
      const child = Number(/child (\d+)/.exec(run.output)?.[1] ?? 0);
      if (child === 0 && limit < 120_000) continue;
      assert.notEqual(child, 0);
      // Nobody waits for it any more: whoever takes orphans in may leave it as a zombie.
      await until(
        async () => /^$|^Z/.test(await processState(child)),
        () => `The child ${child} is still there.`,
      );
      break;
    }
  });
});

Deno.test("runShard() counts what did not end as a failure with a name", async () => {
  await withFile(
    'Deno.test("hangs", () => new Promise(() => setInterval(() => {}, 1000)));',
    async (file) => {
      const { report } = await runShard({ name: "the part", files: [file] }, { limit: 500 });
      assert.deepEqual([report.passed, report.failed], [0, 1]);
      assert.match(report.failures[0]!.message, /did not end/);
      assert.equal(report.failures[0]!.file, "the part");
    },
  );
});

Deno.test("processTree() begins with the process and holds its children", async () => {
  const child = new Deno.Command(Deno.execPath(), { args: ["eval", "setInterval(() => {}, 1000)"] })
    .spawn();
  try {
    const tree = await processTree(Deno.pid);
    assert.equal(tree[0], Deno.pid);
    assert.ok(tree.includes(child.pid));
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
});
