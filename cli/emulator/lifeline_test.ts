import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { createLifeline } from "./lifeline.ts";

const source = new URL("./lifeline.ts", import.meta.url).href;

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
async function killParent(steps: string): Promise<number> {
  const folder = await Deno.makeTempDir();
  await symlink("/bin/sleep", join(folder, "workerd"));
  const program = `import { spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createLifeline } from ${JSON.stringify(source)};
const start = () => spawn(${JSON.stringify(join(folder, "workerd"))}, ["600"], { stdio: "ignore" });
let shell;
subscribe("child_process", ({ process }) => shell ??= process);
${steps}
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
    const pid = await killParent(`createLifeline(() => {});
const workerd = start();
await once(workerd, "spawn");`);
    await until(() => !isAlive(pid));
  },
});

Deno.test({
  name: "createLifeline() ends the workerd that was started last, after another one has ended",
  ignore,
  async fn() {
    const pid = await killParent(`createLifeline(() => {});
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
    const pid = await killParent(`const { release } = createLifeline(() => {});
const workerd = start();
await once(workerd, "spawn");
release();
await once(shell, "exit");`);
    assert.ok(isAlive(pid));
    process.kill(pid, "SIGKILL");
  },
});

Deno.test({
  name: "createLifeline() reports the end of a workerd that nothing has asked to end",
  ignore,
  // The shell ends behind the test.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const folder = await Deno.makeTempDir();
    await symlink("/bin/sleep", join(folder, "workerd"));
    const reasons: string[] = [];
    const lifeline = createLifeline((reason) => reasons.push(reason));
    const start = async (seconds: string) => {
      const workerd = spawn(join(folder, "workerd"), [seconds], { stdio: "ignore" });
      await once(workerd, "spawn");
      return workerd;
    };
    const killed = await start("600");
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const asked = await start("600");
    asked.kill("SIGTERM");
    await once(asked, "exit");
    const cut = await start("600");
    await lifeline.cut();
    assert.equal(cut.signalCode, "SIGKILL");
    await once(await start("0"), "exit");
    await lifeline.cut();
    assert.deepEqual(reasons, ["signal SIGKILL", "exit code 0"]);
    lifeline.release();
    await Deno.remove(folder, { recursive: true });
  },
});
