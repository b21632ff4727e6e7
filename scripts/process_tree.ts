/**
 * Ends a process with all that it started.
 *
 * @module
 */

import { capture } from "./run_command.ts";

/** Every process of this machine with its parent: from `/proc` where there is one, else from `ps`. */
async function readParents(): Promise<Map<number, number>> {
  const parents = new Map<number, number>();
  if (Deno.build.os === "linux") {
    for await (const { name } of Deno.readDir("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      // It may have ended since. The name of the program, in parentheses, may hold anything.
      const stat = await Deno.readTextFile(`/proc/${name}/stat`).catch(() => "");
      const parent = /^.*\) \S (\d+)/s.exec(stat)?.[1];
      if (parent !== undefined) parents.set(Number(name), Number(parent));
    }
    return parents;
  }
  const { stdout } = await capture("ps", ["-A", "-o", "pid=,ppid="]);
  for (const line of stdout.trim().split("\n")) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    parents.set(pid!, parent!);
  }
  return parents;
}

/** The process, its children, and theirs, also those that have a group of their own. */
export async function processTree(pid: number): Promise<number[]> {
  const parents = await readParents();
  const tree = [pid];
  for (const member of tree) {
    for (const [child, parent] of parents) if (parent === member) tree.push(child);
  }
  return tree;
}

/** Ends a process and all below it at once, parents first, so that none is started again. */
export async function killTree(pid: number): Promise<void> {
  for (const member of await processTree(pid)) {
    try {
      Deno.kill(member, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}
