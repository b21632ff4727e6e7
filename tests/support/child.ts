import { TextLineStream } from "./text_line_stream.ts";

/** A program that a test started. */
export interface Child {
  readonly pid: number;
  /** Everything printed so far, standard output and standard error together. */
  output(): string;
  /**
   * Resolves with the first match of `pattern` in the output; rejects when the program ends or `seconds` pass without
   * one.
   */
  waitFor(pattern: RegExp, seconds?: number): Promise<RegExpMatchArray>;
  /** Its status, once it has ended. */
  readonly ended: Promise<number>;
  /** Interrupts the program (as Ctrl-C does) and waits for its end. */
  stop(): Promise<number>;
}

/**
 * Starts `command` in `cwd` and collects what it prints. With `group`, an interruption reaches also
 * what it has started, as Ctrl-C in a terminal does.
 */
export function startChild(
  command: string,
  args: string[],
  options: { cwd: string; env?: Record<string, string>; group?: boolean },
): Child {
  const process = new Deno.Command(command, {
    args,
    cwd: options.cwd,
    env: { NO_COLOR: "1", ...options.env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: options.group ?? false,
  }).spawn();
  let text = "";
  let ended = false;
  const listeners = new Set<() => void>();
  async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    const lines = stream.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
    for await (const line of lines) {
      text += line + "\n";
      for (const listener of listeners) listener();
    }
  }
  const finished = Promise.all([
    collect(process.stdout),
    collect(process.stderr),
    process.status,
  ]).then(([, , status]) => {
    ended = true;
    for (const listener of listeners) listener();
    return status.code;
  });
  return {
    pid: process.pid,
    output: () => text,
    ended: finished,
    waitFor(pattern, seconds = 180): Promise<RegExpMatchArray> {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => settle("in time"), seconds * 1000);
        function settle(why?: string): void {
          clearTimeout(timer);
          listeners.delete(look);
          const match = text.match(pattern);
          if (match) resolve(match);
          else reject(new Error(`${pattern} was not printed ${why}:\n${text}`));
        }
        function look(): void {
          if (pattern.test(text)) settle();
          else if (ended) settle("before the program ended");
        }
        listeners.add(look);
        look();
      });
    },
    stop(): Promise<number> {
      try {
        if (ended) return finished;
        if (options.group) Deno.kill(-process.pid, "SIGINT");
        else process.kill("SIGINT");
      } catch {
        // It ended by itself, and the last of its output is still on the way.
      }
      return finished;
    },
  };
}
