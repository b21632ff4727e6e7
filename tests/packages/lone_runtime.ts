import assert from "node:assert/strict";
import { join } from "node:path";
import { capture, type Finished } from "../../scripts/run_command.ts";
import { freePort } from "../support/free_port.ts";
import { type Child, startChild } from "../support/child.ts";
import { findNodes, installNpm } from "../support/node.ts";

/** A machine on which one JavaScript runtime is installed, and no other. */
export interface LoneRuntime {
  /** Runs a line of a shell to its end. */
  shell(line: string, cwd: string): Promise<Finished>;
  /** Starts a line of a shell; a signal reaches the program, not the shell. */
  start(line: string, cwd: string): Child;
}

// What the programs of npm packages are started by.
const tools = ["sh", "uname", "dirname", "basename", "readlink", "sed"];

async function makePath(folder: string, programs: Record<string, string>): Promise<LoneRuntime> {
  const bin = join(folder, "bin");
  await Deno.mkdir(bin);
  for (const tool of tools) {
    const { stdout } = await capture("/bin/sh", ["-c", `command -v ${tool}`]);
    if (stdout.trim() !== "") await Deno.symlink(stdout.trim(), join(bin, tool));
  }
  for (const [name, text] of Object.entries(programs)) {
    await Deno.writeTextFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  const env = { PATH: bin, WRANGLER_SEND_METRICS: "false", CI: "true" };
  return {
    shell: (line, cwd) => capture("/bin/sh", ["-c", line], { cwd, env }),
    start: (line, cwd) => startChild("/bin/sh", ["-c", `exec ${line}`], { cwd, env }),
  };
}

/** A machine with the newest Node and npm. */
export async function onlyNode(folder: string): Promise<LoneRuntime> {
  const { newest } = await findNodes();
  const npm = join(await installNpm(), "bin");
  const runtime = await makePath(folder, {
    node: `exec "${newest}" "$@"`,
    npm: `exec "${newest}" "${npm}/npm-cli.js" "$@"`,
    npx: `exec "${newest}" "${npm}/npx-cli.js" "$@"`,
  });
  const { stdout } = await runtime.shell("command -v deno || echo none", folder);
  assert.equal(stdout.trim(), "none");
  return runtime;
}

/** A machine with this Deno. */
export async function onlyDeno(folder: string): Promise<LoneRuntime> {
  const runtime = await makePath(folder, { deno: `exec "${Deno.execPath()}" "$@"` });
  const { stdout } = await runtime.shell("command -v node || command -v npm || echo none", folder);
  assert.equal(stdout.trim(), "none");
  return runtime;
}

/** Runs a line that has to succeed. */
export async function succeed(runtime: LoneRuntime, line: string, cwd: string): Promise<Finished> {
  const finished = await runtime.shell(line, cwd);
  assert.equal(finished.code, 0, `${line}\n${finished.stdout}${finished.stderr}`);
  return finished;
}

/** Serves an application by its own `framework dev`, asks for the first page and stops it. */
export async function tryDevelopment(
  runtime: LoneRuntime,
  framework: string,
  cwd: string,
): Promise<void> {
  const port = freePort();
  const dev = runtime.start(`${framework} dev --port ${port}`, cwd);
  try {
    await dev.waitFor(new RegExp(`http://localhost:${port}`));
    const response = await fetch(`http://localhost:${port}/`);
    const text = await response.text();
    assert.equal(response.status, 200, text + dev.output());
    assert.match(text, /<h1/);
  } finally {
    await dev.stop();
  }
}
