/**
 * Transcripts: what commands print, on which stream, and how they end. Each is kept as a file, and is the same
 * whatever runs the program.
 *
 * @module
 */

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { VERSION } from "../../cli/version.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";

/** A program that is the command, with the arguments that come before those of the command. */
export interface Engine {
  name: string;
  program: string;
  args: readonly string[];
}

/** One command of a session. */
export interface Step {
  /** Words after `framework`. */
  run: readonly string[];
  /** Files to write before, by path; null removes. */
  files?: Record<string, string | null>;
  /** What the change is, for the reader. */
  note?: string;
  /** Environment variables of this command. */
  env?: Record<string, string>;
  /** Interrupts the command, as Ctrl-C does, once its stderr holds this. */
  interruptAt?: RegExp;
}

/** Commands that run one after another in one project. */
export interface Session {
  /** Files of the application; null for an empty folder. */
  files: Record<string, string> | null;
  steps: readonly Step[];
}

/** Runs a session and writes it down. */
export async function transcribe(session: Session, engine: Engine): Promise<string> {
  await using folder = await createFolder(session.files);
  const parts: string[] = [];
  for (const step of session.steps) {
    for (const [path, text] of Object.entries(step.files ?? {})) {
      await (text === null ? folder.remove(path) : folder.write(path, text));
    }
    const { code, stdout, stderr } = await run(step, folder.root, engine);
    const words = step.run.map((word) => /^[\w./:=@[\]-]+$/.test(word) ? word : `'${word}'`);
    parts.push([
      ...step.note === undefined ? [] : [`# ${step.note}`],
      `$ ${["framework", ...words].join(" ")}`,
      ...section("stdout", stdout),
      ...section("stderr", stderr),
      `[exit ${code}]`,
    ].join("\n"));
  }
  return `${normalize(parts.join("\n\n"), folder.root)}\n`;
}

function section(name: string, text: string): string[] {
  return text === "" ? [] : [`[${name}]`, text.endsWith("\n") ? text.slice(0, -1) : `${text}\\`];
}

async function createFolder(
  files: Record<string, string> | null,
): Promise<Pick<FixtureApp, "root" | "write" | "remove" | typeof Symbol.asyncDispose>> {
  if (files !== null) return await createFixtureApp(files);
  const root = await realpath(await mkdtemp(join(tmpdir(), "framework-transcript-")));
  return {
    root,
    write: (path, text) => Deno.writeTextFile(join(root, path), text),
    remove: (path) => rm(join(root, path), { recursive: true }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

async function run(
  step: Step,
  cwd: string,
  { program, args }: Engine,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = new Deno.Command(program, {
    args: [...args, ...step.run],
    cwd,
    clearEnv: true,
    env: {
      // The tools that commands look for; among them the Deno that runs this test.
      PATH: `${dirname(Deno.execPath())}:${process.env["PATH"] ?? ""}`,
      HOME: process.env["HOME"] ?? cwd,
      DENO_NO_UPDATE_CHECK: "1",
      NO_COLOR: "1",
      ...step.env,
    },
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

/** What differs from run to run, from machine to machine or with every change of the library. */
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
