import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { capture, type Finished, run } from "../../scripts/run_command.ts";
import { type Child, startChild } from "../support/child.ts";
import { findNodes, installNpm } from "../support/node.ts";

/** A machine on which one JavaScript runtime is installed, and no other. */
export interface LoneRuntime {
  /** Runs a line of a shell to its end. */
  shell(line: string, cwd: string): Promise<Finished>;
  /** Starts a line of a shell, as the group of processes of a terminal. */
  start(line: string, cwd: string): Child;
}

/** Differences of a lone machine from one that has installed the packages of others before. */
export interface MachineOptions {
  /** Program of its Node. Default: the newest. */
  node?: string;
  /** True where nothing was ever downloaded, and `registry` has every package. Default: false, it has `@framework` alone. */
  isNew?: boolean;
}

// What the programs of npm packages are started by.
const tools = ["sh", "uname", "dirname", "basename", "readlink", "sed", "mkdir", "env"];

async function makePath(
  folder: string,
  programs: Record<string, string>,
  { registry, isNew = false }: { registry: string } & MachineOptions,
): Promise<LoneRuntime> {
  const bin = join(folder, "bin");
  await Deno.mkdir(bin);
  // A user whose registry has the packages already. What was downloaded once is not again.
  const home = join(folder, "home");
  await Deno.mkdir(home);
  const own = join(process.env["HOME"] ?? "", ".npmrc");
  const settings = await Deno.readTextFile(own).catch(() => "");
  const scope = isNew ? "" : "@framework:";
  await Deno.writeTextFile(join(home, ".npmrc"), `${settings}\n${scope}registry=${registry}\n`);
  for (const tool of tools) {
    const { stdout } = await capture("/bin/sh", ["-c", `command -v ${tool}`]);
    if (stdout.trim() !== "") await Deno.symlink(stdout.trim(), join(bin, tool));
  }
  for (const [name, text] of Object.entries(programs)) {
    await Deno.writeTextFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  // Whoever runs the tests by npx or npm passes on settings, which npm leaves out when they are empty.
  const settingsOfCaller = Object.keys(process.env).filter((name) => /^npm_config_/i.test(name));
  const env = {
    ...Object.fromEntries(settingsOfCaller.map((name) => [name, ""])),
    PATH: bin,
    HOME: home,
    DENO_DIR: isNew ? join(home, "deno") : await denoFolder(),
    "npm_config_userconfig": join(home, ".npmrc"),
    "npm_config_cache": join(isNew ? home : process.env["HOME"] ?? home, ".npm"),
    "npm_config_yes": "true", // what a newcomer answers to npx
    // An audit asks the registry about each package, which no test looks at.
    "npm_config_audit": "false",
    ...(isNew ? {} : { "npm_config_prefer_offline": "true" }),
    "npm_config_fund": "false",
    WRANGLER_SEND_METRICS: "false",
    CI: "true",
  };
  return {
    shell: (line, cwd) => capture("/bin/sh", ["-c", line], { cwd, env }),
    start: (line, cwd) => startChild("/bin/sh", ["-c", line], { cwd, env, group: true }),
  };
}

async function denoFolder(): Promise<string> {
  const { stdout } = await run(Deno.execPath(), ["info", "--json"]);
  return (JSON.parse(stdout) as { denoDir: string }).denoDir;
}

/** A machine with Node and npm, for which `@framework` is at `registry`. */
export async function onlyNode(
  folder: string,
  registry: string,
  options: MachineOptions = {},
): Promise<LoneRuntime> {
  const node = options.node ?? (await findNodes()).newest;
  const npm = join(await installNpm(), "bin");
  const runtime = await makePath(folder, {
    node: `exec "${node}" "$@"`,
    npm: `exec "${node}" "${npm}/npm-cli.js" "$@"`,
    npx: `exec "${node}" "${npm}/npx-cli.js" "$@"`,
  }, { ...options, registry });
  const { stdout } = await runtime.shell("command -v deno || echo none", folder);
  assert.equal(stdout.trim(), "none");
  return runtime;
}

/** A machine with this Deno, for which `@framework` is at `registry`. */
export async function onlyDeno(
  folder: string,
  registry: string,
  options: Pick<MachineOptions, "isNew"> = {},
): Promise<LoneRuntime> {
  const programs = { deno: `exec "${Deno.execPath()}" "$@"` };
  const runtime = await makePath(folder, programs, { ...options, registry });
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
