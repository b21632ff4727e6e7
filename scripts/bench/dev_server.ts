/**
 * Servers of development under measurement: how long they take to start, and from an edit to the answer that shows it.
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";

/** A project, and the Node that works on it. */
export interface Project {
  root: string;
  /** Program of Node. */
  node: string;
  env: Record<string, string>;
}

/** A file that is edited over and over while the server runs. */
export interface Edited {
  /** Its path from the project's folder. */
  file: string;
  /** Path of the page that shows it. */
  shown: string;
  /** Number of edits. */
  times: number;
}

/** What was measured of a server, in milliseconds. */
export interface Served {
  /** From the start of the program to its first answer. */
  ready: number;
  /** Of each edited file, from each save to the answer that shows it. */
  edits: number[][];
}

/** Starts a server, edits the first heading or paragraph of the files, each in turn, and ends it. */
export async function measureServer(
  { node, root, env }: Project,
  args: string[],
  ready: RegExp,
  edited: readonly Edited[],
): Promise<Served> {
  const sources = new Map<string, string>();
  for (const { file } of edited) sources.set(file, await Deno.readTextFile(join(root, file)));
  const start = performance.now();
  const child = new Deno.Command(node, {
    args,
    cwd: root,
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    for await (const part of stream.pipeThrough(new TextDecoderStream())) text += part;
  }
  const ended = Promise.all([collect(child.stdout), collect(child.stderr), child.status]);
  try {
    const origin = await until(() => ready.exec(text)?.[1] ?? null, () => text);
    await until(() => ask(origin, "</html>"), () => text);
    const first = performance.now() - start;
    const edits: number[][] = [];
    for (const { file, shown, times } of edited) {
      const own: number[] = [];
      for (let edit = 0; edit < times; edit++) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        // Each another one, for a page may show several of the files.
        const mark = `edit-${edits.length}-${edit}-`;
        const saved = performance.now();
        await Deno.writeTextFile(
          join(root, file),
          sources.get(file)!.replace(/<(?:h1|p)\b[^>]*>/, (tag) => tag + mark),
        );
        await until(() => ask(new URL(shown, origin).href, mark), () => text);
        own.push(performance.now() - saved);
      }
      edits.push(own);
    }
    return { ready: first, edits };
  } finally {
    for (const [file, source] of sources) await Deno.writeTextFile(join(root, file), source);
    try {
      child.kill("SIGINT");
    } catch {
      // It has ended by itself; what it said is in the error.
    }
    await ended;
  }
}

async function ask(address: string, mark: string): Promise<true | null> {
  const body = await fetch(address).then((response) => response.text(), () => "");
  return body.includes(mark) ? true : null;
}

async function until<T>(look: () => Promise<T | null> | T | null, said: () => string): Promise<T> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error(`Nothing came of it:\n${said()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The variables of a program that says nothing to anybody and asks for nothing. */
export function quietEnvironment(bin: string): Record<string, string> {
  return {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    CI: "true",
    NO_COLOR: "1",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
  };
}
