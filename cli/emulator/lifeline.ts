import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { basename } from "node:path";
import process from "node:process";

/** Ends workerd when this process has ended. */
export interface Lifeline {
  /** Ends the workerd that was started last, and resolves once it has ended. */
  cut(): Promise<void>;
  /** Releases the lifeline, which then ends and reports nothing. */
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

/** Signals that a terminal also sends to this process, which then ends by itself. A workerd that takes one is exit code 0. */
const endings: readonly unknown[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Ties every workerd that this process starts from now on to its lifetime. On Windows, which has no
 * shell, it only knows the workerd that was started last.
 *
 * @param onExit Called with the reason when a workerd ends that nothing has asked to end.
 */
export function createLifeline(onExit: (reason: string) => void): Lifeline {
  const shell = process.platform === "win32"
    ? undefined
    : spawn("/bin/sh", ["-c", program], { stdio: ["pipe", "ignore", "ignore"] });
  for (const part of [shell, shell?.stdin]) part?.on("error", () => {});
  shell?.unref();
  let tied: ChildProcess | undefined;
  let cut: ChildProcess | undefined;

  function tie(child: ChildProcess): void {
    child.once("spawn", () => {
      if (!/^workerd(\.exe)?$/.test(basename(child.spawnfile))) return;
      tied = child;
      shell?.stdin.write(`${child.pid}\n`);
      child.once("exit", (code, signal) => {
        if (tied !== child) return;
        tied = undefined;
        // Its process id may be reused.
        shell?.stdin.write("\n");
        if (cut === child || endings.includes(signal)) return;
        onExit(signal === null ? `exit code ${code}` : `signal ${signal}`);
      });
    });
  }
  const listener = (message: unknown): void => tie((message as { process: ChildProcess }).process);
  subscribe("child_process", listener);
  return {
    async cut() {
      if (tied === undefined) return;
      cut = tied;
      const ended = once(cut, "exit");
      cut.kill("SIGKILL");
      await ended;
    },
    release() {
      unsubscribe("child_process", listener);
      tied = undefined;
      shell?.stdin.end("\n");
    },
  };
}
