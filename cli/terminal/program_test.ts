import assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { isProgram } from "./program.ts";

Deno.test("isProgram() believes import.meta.main", () => {
  assert.equal(isProgram({ url: "file:///x.js", main: true }), true);
  assert.equal(isProgram({ url: "file:///x.js", main: false }), false);
});

Deno.test("isProgram() follows the link of an npm bin when there is no import.meta.main", async () => {
  const folder = await mkdtemp(join(tmpdir(), "framework-program-"));
  const script = process.argv[1];
  try {
    const file = join(folder, "main.js");
    const link = join(folder, "framework");
    await writeFile(file, "");
    await symlink(file, link);
    process.argv[1] = link;
    assert.equal(isProgram({ url: pathToFileURL(file).href }), true);
    assert.equal(isProgram({ url: pathToFileURL(join(folder, "other.js")).href }), false);
    process.argv[1] = join(folder, "gone.js");
    assert.equal(isProgram({ url: pathToFileURL(file).href }), false);
  } finally {
    if (script === undefined) process.argv.length = 1;
    else process.argv[1] = script;
    await rm(folder, { recursive: true });
  }
});

const program = new URL("program.ts", import.meta.url).href;

function start(run: string): Deno.ChildProcess {
  const code = `import { runProgram } from ${JSON.stringify(program)};
    import process from "node:process";
    await runProgram(${run});`;
  return new Deno.Command(Deno.execPath(), {
    args: ["eval", code],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Ends a process by signals, each sent once the process has written a byte more. */
async function interrupt(child: Deno.ChildProcess, signals: Deno.Signal[]): Promise<number> {
  const reader = child.stdout.getReader();
  for (const signal of signals) {
    await reader.read();
    child.kill(signal);
  }
  while (!(await reader.read()).done);
  await child.stderr.cancel();
  return (await child.status).code;
}

Deno.test("runProgram() exits with the code of the run, after all output was read", async () => {
  const { code, stdout } = await start(`() => {
    process.stdout.write("x".repeat(3_000_000));
    return Promise.resolve(7);
  }`).output();
  assert.equal(code, 7);
  assert.equal(stdout.length, 3_000_000);
});

Deno.test("runProgram() lets the command end by itself at the first Ctrl-C", async () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const child = start(`(_, signal) => new Promise((resolve) => {
      const timer = setInterval(() => {}, 1000);
      signal.addEventListener("abort", () => {
        clearInterval(timer);
        resolve(42);
      });
      process.stdout.write(".");
    })`);
    assert.equal(await interrupt(child, [signal]), 42);
  }
});

Deno.test("runProgram() ends at once at the second Ctrl-C", async () => {
  const child = start(`(_, signal) => new Promise(() => {
    setInterval(() => {}, 1000);
    signal.addEventListener("abort", () => process.stdout.write("."));
    process.stdout.write(".");
  })`);
  assert.equal(await interrupt(child, ["SIGINT", "SIGINT"]), 130);
});

Deno.test("runProgram() is content when the reader goes away", async () => {
  const child = start(`() => new Promise(() => {
    setInterval(() => process.stdout.write("x".repeat(100_000)), 5);
  })`);
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  await child.stderr.cancel();
  assert.equal((await child.status).code, 0);
});
