/**
 * Transcripts: what commands print, on which stream, and how they end, the same whatever runs the program.
 *
 * @module
 */

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { VERSION } from "../../cli/version.ts";
import { TextLineStream } from "../support/text_line_stream.ts";
import type { FixtureApp } from "./fixture_app.ts";
import { createPackedApp } from "./packed_app.ts";

const commandLines = fileURLToPath(new URL("command_lines.js", import.meta.url));

/** A runtime and the program that is the command. */
export interface Engine {
  name: string;
  runtime: string;
  /** Options of the runtime. */
  options: readonly string[];
  /** Path of the program. */
  program: string;
}

/** Result of a command line. */
interface Ending {
  code: number;
  stdout: string;
  stderr: string;
}

/** An engine that is ready for sessions. */
export interface Transcriber extends AsyncDisposable {
  /** Runs a session and writes it down, a part for each command; null for one that it leaves to another engine. */
  transcribe(session: Session): Promise<(string | null)[]>;
}

/** One command of a session. */
export interface Step {
  /** Words after `framework`. */
  run: readonly string[];
  /** Exit code. Default: 0. */
  exit?: number;
  /** Part of what it prints. */
  says?: string;
  /** Files to write before, by path; null removes. */
  files?: Record<string, string | null>;
  /** Description of the change, for the reader. */
  note?: string;
  /** Environment variables of this command. */
  env?: Record<string, string>;
  /**
   * True to run it in one process with all such lines, because it says the same in any. Not for what a
   * process of its own shows: that it ends, with each code, and what leaves its output to other programs.
   */
  shared?: boolean;
  /** True when one engine is enough: an earlier line has run on each all that could differ between them. */
  once?: boolean;
  /** Interrupts the command, as Ctrl-C does, once its stderr holds this. */
  interruptAt?: RegExp;
}

/** Commands that run one after another in one project. */
export interface Session {
  /** Files of the application; null for an empty folder. */
  files: Record<string, string> | null;
  steps: readonly Step[];
}

/** Makes an engine ready. With `all`, it runs also what one engine is enough for. */
export function startTranscriber(engine: Engine, { all }: { all: boolean }): Transcriber {
  let lines: CommandLines | undefined;
  return {
    async transcribe(session) {
      await using folder = await createFolder(session.files);
      const parts: (string | null)[] = [];
      for (const step of session.steps) {
        for (const [path, text] of Object.entries(step.files ?? {})) {
          await (text === null ? folder.remove(path) : folder.write(path, text));
        }
        if (step.once && !all) {
          parts.push(null);
          continue;
        }
        const ending = step.shared
          ? await (lines ??= startCommandLines(engine)).run(step, folder.root)
          : await run(step, folder.root, engine);
        parts.push(normalize(describe(step, ending), folder.root));
      }
      return parts;
    },
    async [Symbol.asyncDispose]() {
      await lines?.end();
    },
  };
}

function describe(step: Step, { code, stdout, stderr }: Ending): string {
  const words = step.run.map((word) => /^[\w./:=@[\]-]+$/.test(word) ? word : `'${word}'`);
  return [
    ...step.note === undefined ? [] : [`# ${step.note}`],
    `$ ${["framework", ...words].join(" ")}`,
    ...section("stdout", stdout),
    ...section("stderr", stderr),
    `[exit ${code}]`,
  ].join("\n");
}

function section(name: string, text: string): string[] {
  return text === "" ? [] : [`[${name}]`, text.endsWith("\n") ? text.slice(0, -1) : `${text}\\`];
}

async function createFolder(
  files: Record<string, string> | null,
): Promise<Pick<FixtureApp, "root" | "write" | "remove" | typeof Symbol.asyncDispose>> {
  if (files !== null) return await createPackedApp(files);
  const root = await realpath(await mkdtemp(join(tmpdir(), "framework-transcript-")));
  return {
    root,
    write: (path, text) => Deno.writeTextFile(join(root, path), text),
    remove: (path) => rm(join(root, path), { recursive: true }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

function environment(cwd: string, own: Record<string, string> = {}): Record<string, string> {
  return {
    // The tools that commands look for; among them the Deno that runs this test.
    PATH: `${dirname(Deno.execPath())}:${process.env["PATH"] ?? ""}`,
    HOME: process.env["HOME"] ?? cwd,
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
    ...own,
  };
}

async function run(step: Step, cwd: string, engine: Engine): Promise<Ending> {
  const child = new Deno.Command(engine.runtime, {
    args: [...engine.options, engine.program, ...step.run],
    cwd,
    clearEnv: true,
    env: environment(cwd, step.env),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const seen = { stdout: "", stderr: "" };
  let interrupted = false;
  async function collect(name: "stdout" | "stderr"): Promise<void> {
    for await (const text of child[name].pipeThrough(new TextDecoderStream())) {
      seen[name] += text;
      if (!interrupted && step.interruptAt?.test(seen.stderr)) {
        interrupted = true;
        child.kill("SIGINT");
      }
    }
  }
  const [{ code }] = await Promise.all([child.status, collect("stdout"), collect("stderr")]);
  return { code, ...seen };
}

/** A process of the engine that runs command lines one after another. */
interface CommandLines {
  run(step: Step, cwd: string): Promise<Ending>;
  end(): Promise<void>;
}

function startCommandLines(engine: Engine): CommandLines {
  const root = tmpdir();
  const child = new Deno.Command(engine.runtime, {
    args: [...engine.options, commandLines, pathToFileURL(engine.program).href],
    cwd: root,
    clearEnv: true,
    env: environment(root),
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const requests = child.stdin.getWriter();
  const answers = child.stdout
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream())
    .getReader();
  return {
    async run({ run, env }, cwd) {
      const request = JSON.stringify({ argv: run, cwd, env: environment(cwd, env) });
      await requests.write(new TextEncoder().encode(`${request}\n`));
      const { value } = await answers.read();
      if (value === undefined) throw new Error(`${engine.name} ended at "${run.join(" ")}".`);
      return JSON.parse(value);
    },
    async end() {
      await requests.close();
      const { value } = await answers.read();
      const { code } = await child.status;
      if (value !== undefined || code !== 0) {
        throw new Error(`${engine.name} ended with code ${code}, after saying: ${value}`);
      }
    },
  };
}

/** Output that differs between runs, machines or changes of the library. */
const variable: [pattern: RegExp, text: string][] = [
  [/\b(Deno|Node|deno@|v)( ?)\d+\.\d+\.\d+\b/g, "$1$2<version>"],
  [/\b\d+(\.\d+)? ?(µs|ms|s)\b/g, "<time>"],
  [/ *\b\d+(\.\d+)? ([kM]?B)\b/g, " <size>"],
  [/^ {2}on the network: .*$/gm, "  on the network: <addresses>"],
  // The columns of a table of sizes.
  [/(?<=^(?:route|package)\b.*) {2,}/gm, "  "],
  // Which packages a worker holds is no matter of the command.
  [/(?<=^package {2}in the worker\n)(?:.+ <size>\n)+/gm, "<packages>\n"],
  // Each runtime names its own package manager.
  [/`(?:deno add --dev npm:|npm install -D )([^`]+)`/g, "`<install> $1`"],
  // The version of the installed vitest.
  [/(`<install> @vitest\/ui@)\d+\.\d+\.\d+`/g, "$1<version>`"],
  [/^ {2}(?:deno|npm) install$/gm, "  <install>"],
  [/^ {2}(?:deno task|npm run) /gm, "  <run> "],
  [/^(✓ runtime +|.*"message": ")(?:Deno|Node) <version>/gm, "$1<runtime>"],
  [/^(✓ tools run on +)(?:Deno|Node)$/gm, "$1<runtime>"],
  [/("check": "tools run on",\n *"status": "ok",\n *"message": )"\w+"/g, '$1"<runtime>"'],
  [/^(✓ (?:hono|kysely|esbuild|miniflare|wrangler) +)\d\S+$/gm, "$1<version>"],
  [/("message": )"\d+\.\d+\.\d+"/g, '$1"<version>"'],
  [/("(?:gzipBytes|bytes)":)\d+/g, "$1<size>"],
  [/\b\d+ (files in|more)\b/g, "<count> $1"],
  [/\b[0-9a-f]{64}\b/g, "<64 hex digits>"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z| UTC)?/g, "<moment>"],
  [/\b\d{2}:\d{2}:\d{2}\b/g, "<clock>"],
  [/((?:localhost|127\.0\.0\.1|0\.0\.0\.0|on):?)(\d{4,5})\b/g, "$1<port>"],
];

function normalize(text: string, root: string): string {
  let plain = text.replaceAll(root, "<project>").replaceAll(VERSION, "<version>");
  for (const [pattern, replacement] of variable) plain = plain.replace(pattern, replacement);
  return plain.replace(/[ \t]+$/gm, "");
}
