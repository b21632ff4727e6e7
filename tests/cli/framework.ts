import { fileURLToPath } from "node:url";
import { permissions } from "../../scripts/compile_permissions.ts";
import { type Child, startChild } from "../support/child.ts";

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));

/** Starts the command from the repository's source, as `deno run` starts it. */
export function startFramework(root: string, ...args: string[]): Child {
  return startFrameworkWith({ root }, ...args);
}

/** Starts the command with environment variables of its own. */
export function startFrameworkWith(
  { root, env = {} }: { root: string; env?: Record<string, string> },
  ...args: string[]
): Child {
  return startChild(Deno.execPath(), ["run", ...permissions, main, ...args], { cwd: root, env });
}

/** Starts `framework dev` in a shell that lets it open so many files. */
export function startLimited(root: string, openFiles: number, ...args: string[]): Child {
  const command = `ulimit -Sn ${openFiles}; exec "$0" "$@"`;
  const program = [Deno.execPath(), "run", ...permissions, main, "dev", ...args];
  return startChild("sh", ["-c", command, ...program], { cwd: root });
}

/** Result of a run of the command. */
export interface FrameworkRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command to its end. */
export function runFramework(root: string, ...args: string[]): Promise<FrameworkRun> {
  return runFrameworkWith({ root }, ...args);
}

/** Runs the command to its end, with environment variables of its own. */
export async function runFrameworkWith(
  { root, env }: { root: string; env?: Record<string, string> },
  ...args: string[]
): Promise<FrameworkRun> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...permissions, main, ...args],
    cwd: root,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Ids of the processes that work in a folder; none where there is no /proc to ask. */
export function processesIn(root: string): number[] {
  if (Deno.build.os !== "linux") return [];
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (Deno.readLinkSync(`/proc/${name}/cwd`) === root) found.push(Number(name));
    } catch {
      // It ended while the list was read, or is another user's.
    }
  }
  return found;
}

/** Waits until a condition holds, three minutes by default; rejects with what was found last. */
export async function until<T>(
  ask: () => Promise<T> | T,
  holds: (found: T) => boolean,
  patience = 180_000,
): Promise<T> {
  const deadline = Date.now() + patience;
  // What takes long is asked for less and less often: a question may be a request that makes the server work.
  for (let pause = 20;; pause = Math.min(1.3 * pause, 200)) {
    const found = await ask();
    if (holds(found)) return found;
    if (Date.now() > deadline) throw new Error(`It did not come about; at last: ${found}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/**
 * Steps of a test that each go on with what the one before left: after one that fails, none is run.
 *
 * @param t The test.
 */
export function stepsInOrder(
  t: Deno.TestContext,
): (name: string, fn: () => Promise<void>, options?: { ignore?: boolean }) => Promise<void> {
  return async (name, fn, { ignore = false } = {}) => {
    const passed = await t.step({ name, fn, ignore });
    if (!passed && !ignore) throw new Error(`"${name}" failed; what follows needs what it leaves.`);
  };
}
