import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const fixtures = fileURLToPath(new URL("./fixtures/", import.meta.url));

function run(args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: fixtures }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, output: stripVTControlCharacters(stdout + stderr) });
    });
  });
}

const denoTest = (...args: string[]) => run(["test", "-A", "--no-check", ...args]);

Deno.test("tests pass under deno test, each counted by its full name", async () => {
  const { code, output } = await denoTest("passing.ts");
  assert.match(output, /order > inner > waits for them \.\.\. ok/);
  assert.match(output, /doubles 2 to 4 \(1\) \.\.\. ok/);
  assert.match(output, /7 passed \| 0 failed \| 3 ignored/);
  assert.equal(code, 0);
});

Deno.test("the same file passes under vitest", async () => {
  const { code, output } = await run(["run", "-A", "npm:vitest@5.0.5", "run", "passing.ts"]);
  assert.match(output, /7 passed \| 2 skipped \| 1 todo/);
  assert.equal(code, 0, output);
});

Deno.test("every way to fail fails deno test, and says why", async () => {
  const { code, output } = await denoTest("failing.ts");
  assert.equal(code, 1);
  assert.match(output, /1 passed \| 11 failed/);
  for (
    const line of [
      '-     "user",\n+     "admin",',
      '-   "wanted",\n+   "given",',
      "error: Error: plain failure",
      'promise resolved "1" instead of rejecting',
      "was not awaited",
      "Expected number of assertions to be 2, but got 1.",
      "timed out after 20ms",
      "error: Error: afterEach failed",
      "set-up > fails first",
      "set-up > fails second",
      "error: Error: beforeAll failed",
      "error: Error: afterAll failed",
    ]
  ) assert.ok(output.includes(line), line);
});

Deno.test("only leaves out the other tests of the file, and still ends its block", async () => {
  const { output } = await denoTest("only.ts");
  assert.match(output, /2 passed \| 0 failed \| 1 filtered out/);
  assert.match(output, /afterAll ran/);
});

Deno.test("tests can be selected by their full name", async () => {
  const { output } = await denoTest("--filter", "order > inner", "passing.ts");
  assert.match(output, /1 passed \| 0 failed \| 9 filtered out/);
});
