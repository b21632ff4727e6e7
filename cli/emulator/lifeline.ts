import { type ChildProcess, spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { basename } from "node:path";
import process from "node:process";

/** Ends workerd when this process has ended. */
export interface Lifeline {
  /** Releases the lifeline, which ends workerd. */
  release(): void;
}

/**
 * A killed process cannot tell anybody, and workerd does not notice that its parent is gone: it
 * would keep serving. A shell notices the end of the pipe and ends the workerd that was named to it
 * last.
 */
const program = `trap "" HUP INT TERM
while read -r line; do pid=$line; done
[ -z "$pid" ] || kill -9 "$pid"`;

/**
 * Ties every workerd that this process starts from now on to its lifetime. Does nothing on Windows,
 * which has no shell.
 */
export function createLifeline(): Lifeline {
  if (process.platform === "win32") return { release() {} };
  const shell = spawn("/bin/sh", ["-c", program], { stdio: ["pipe", "ignore", "ignore"] });
  for (const part of [shell, shell.stdin]) part.on("error", () => {});
  shell.unref();
  let tied: ChildProcess | undefined;

  function tie(child: ChildProcess): void {
    child.once("spawn", () => {
      if (!/^workerd(\.exe)?$/.test(basename(child.spawnfile))) return;
      tied = child;
      shell.stdin.write(`${child.pid}\n`);
      // Its process id may be reused.
      child.once("exit", () => void (tied === child && shell.stdin.write("\n")));
    });
  }
  const listener = (message: unknown): void => tie((message as { process: ChildProcess }).process);
  subscribe("child_process", listener);
  return {
    release() {
      unsubscribe("child_process", listener);
      tied = undefined;
      shell.stdin.end("\n");
    },
  };
}
