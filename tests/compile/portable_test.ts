import assert from "node:assert/strict";
import { join } from "node:path";
import { compilePortable } from "../../scripts/compile_portable.ts";
import { initApplication, installPackages } from "../../scripts/scaffold.ts";
import { buildPackages } from "../../scripts/npm.ts";
import { capture, type Finished, run } from "../../scripts/run_command.ts";
import { exists, listFiles, readWorkspace } from "../../scripts/workspace.ts";

const version = (await readWorkspace()).members.find(({ folder }) => folder === "cli")!.version;
const ignore = Deno.build.os === "windows";
let folder: string;
let program: string;
/** The home of somebody who starts it more than once. */
let home: string;

Deno.test.beforeAll(async () => {
  folder = await Deno.makeTempDir({ prefix: "framework-portable-test-" });
  if (ignore) return;
  program = await compilePortable(join(folder, "out"), { level: 1 });
  await makeTools();
  home = await makeHome("home");
});
Deno.test.afterAll(async () => {
  await Deno.remove(folder, { recursive: true });
});

// Neither Deno nor Node is on this PATH, and the home is a new one.
function portable(args: string[], cwd: string, home: string): Promise<Finished> {
  return capture("/usr/bin/env", [
    ...["-i", `HOME=${home}`, `PATH=${join(folder, "tools")}`, "NO_COLOR=1", program, ...args],
  ], { cwd });
}

async function makeTools(): Promise<void> {
  const tools = join(folder, "tools");
  await Deno.mkdir(tools);
  const names = ["sh", "mkdir", "mktemp", "rm", "tail", "gzip", "tar", "find", "mv"];
  for (const name of names) {
    const { stdout } = await run("/bin/sh", ["-c", `command -v ${name}`]);
    await Deno.symlink(stdout.trim(), join(tools, name));
  }
}

async function makeHome(name: string): Promise<string> {
  const made = join(folder, name);
  await Deno.mkdir(made);
  return made;
}

// Before all others, which find it unpacked.
Deno.test({
  name: "framework-portable answers all of several first starts at the same time",
  ignore,
  async fn() {
    const starts = await Promise.all(
      [1, 2].map(() => portable(["--version"], folder, home)),
    );
    assert.deepEqual(starts.map(({ stdout }) => stdout.trim()), [version, version]);
  },
});

Deno.test({
  name: "framework-portable runs where neither a runtime nor a network is, and unpacks itself once",
  ignore,
  async fn() {
    const first = await portable(["--version"], folder, home);
    assert.equal(first.stdout.trim(), version, first.stderr);
    const unpacked = await listFiles(join(home, ".cache", "framework"));
    assert.ok(unpacked.some((file) => file.endsWith("/deno")));
    assert.ok(unpacked.some((file) => file.endsWith("/THIRD_PARTY_NOTICES.txt")));
    assert.deepEqual(unpacked.filter((file) => file.includes(".new.")), []);
    assert.equal((await portable(["--version"], folder, home)).stdout.trim(), version);
    assert.deepEqual(await listFiles(join(home, ".cache", "framework")), unpacked);
    const unknown = await portable(["nonsense"], folder, home);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /nonsense/);
  },
});

Deno.test({
  name: "framework-portable makes, migrates and builds an application",
  ignore,
  async fn() {
    const made = await portable(["init", "my-app"], folder, home);
    assert.equal(made.code, 0, made.stderr);
    const app = join(folder, "my-app");
    await installPackages(app, await buildPackages({ gate: false }));
    for (const args of [["migrate", "up"], ["build"], ["routes"]]) {
      const { code, stderr } = await portable(args, app, home);
      assert.equal(code, 0, stderr);
    }
    assert.ok(await exists(join(app, "dist", "worker.js")));
  },
});

Deno.test({
  name: "framework-portable generates, lists, migrates and examines before packages are installed",
  ignore,
  async fn() {
    assert.equal((await portable(["init", "fresh"], folder, home)).code, 0);
    const app = join(folder, "fresh");
    await Deno.writeTextFile(
      join(app, "framework.config.ts"),
      'import { defineConfig } from "@framework/cli";\nimport { database } from "./database.ts";\n\n' +
        "export default defineConfig({ database });\n",
    );
    await Deno.writeTextFile(join(app, "database.ts"), 'export const database: string = "DB";\n');
    for (
      const [args, said] of [
        [["generate", "page", "notes"], /Created app\/notes\/page\.tsx/],
        [["routes"], /^GET.* \/notes /m],
        [["migrate", "up"], /Applied 0001_auth\.sql/],
        [["migrate", "status"], /0001_auth\.sql/],
      ] as const
    ) {
      const { code, stdout, stderr } = await portable([...args], app, home);
      assert.equal(code, 0, `${args}: ${stderr}`);
      assert.match(stdout + stderr, said);
    }
    const doctor = await portable(["doctor"], app, home);
    assert.match(doctor.stdout, /✓ configuration/);
    assert.match(doctor.stdout, /✗ esbuild +not installed/);
    assert.match(doctor.stdout, /✓ migrations/);
    const build = await portable(["build"], app, home);
    assert.equal(build.code, 2);
    assert.match(build.stderr, /The package esbuild is not installed in this project/);
  },
});

Deno.test({
  name: "framework-portable says so when it is damaged, and leaves nothing that would run",
  ignore,
  async fn() {
    const fresh = await makeHome("home-of-damaged");
    const whole = program;
    program = join(folder, "damaged");
    try {
      await Deno.copyFile(whole, program);
      await Deno.truncate(program, (await Deno.stat(whole)).size - 1_000_000);
      const { code, stderr } = await portable(["--version"], folder, fresh);
      assert.equal(code, 1);
      assert.match(stderr, /damaged/);
      assert.deepEqual(await listFiles(join(fresh, ".cache", "framework")), []);
    } finally {
      program = whole;
    }
  },
});

Deno.test("what framework init of the packed command writes is what the portable one writes", {
  ignore,
}, async () => {
  const other = join(folder, "other");
  await initApplication(other);
  const files = async (path: string) => (await listFiles(path, (name) => name !== "node_modules"));
  assert.equal((await portable(["init", "same", "--no-git"], folder, home)).code, 0);
  assert.deepEqual(await files(join(folder, "same")), await files(other));
});
