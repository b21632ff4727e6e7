import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";

const lifeline = new URL("./lifeline.ts", import.meta.url).href;

/** Returns true while a process runs. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Runs a program that starts a workerd, which it names, and is killed then. */
async function killParent(source: string): Promise<number> {
  const folder = await Deno.makeTempDir();
  await symlink("/bin/sleep", join(folder, "workerd"));
  const program = `import { spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createLifeline } from ${JSON.stringify(lifeline)};
const start = () => spawn(${JSON.stringify(join(folder, "workerd"))}, ["600"], { stdio: "ignore" });
let shell;
subscribe("child_process", ({ process }) => shell ??= process);
${source}
console.log(workerd.pid);
setInterval(() => {}, 1000);`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--ext=ts", program],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const pid = Number((await reader.read()).value);
  assert.ok(isAlive(pid));
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
  await Deno.remove(folder, { recursive: true });
  return pid;
}

const ignore = Deno.build.os === "windows";

// Tracks: R157, F41
Deno.test({
  name: "createLifeline() ends the workerd that runs when its process is killed",
  ignore,
  async fn() {
    const pid = await killParent(`createLifeline();
const workerd = start();
await once(workerd, "spawn");`);
    await until(() => !isAlive(pid));
  },
});

Deno.test({
  name: "createLifeline() ends the workerd that was started last, after another one has ended",
  ignore,
  async fn() {
    const pid = await killParent(`createLifeline();
const first = start();
await once(first, "spawn");
const workerd = start();
await once(workerd, "spawn");
first.kill("SIGKILL");
await once(first, "exit");`);
    await until(() => !isAlive(pid));
  },
});

Deno.test({
  name: "createLifeline() lets go of what was released",
  ignore,
  async fn() {
    const pid = await killParent(`const { release } = createLifeline();
const workerd = start();
await once(workerd, "spawn");
release();
await once(shell, "exit");`);
    assert.ok(isAlive(pid));
    process.kill(pid, "SIGKILL");
  },
});
