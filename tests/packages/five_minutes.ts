import assert from "node:assert/strict";
import { join } from "node:path";
import { type CodeBlock, codeBlocks, readDocument } from "../docs/markdown.ts";
import type { Child } from "../support/child.ts";
import { until } from "../support/until.ts";
import { type LoneRuntime, succeed } from "./lone_runtime.ts";

/** Instructions of a README for newcomers. */
export interface FiveMinutes {
  /** The commands with which it begins, for one of the runtimes. */
  commands: string[];
  /** The files that it has them write, by name. */
  files: Map<string, string>;
}

/** Reads the section "Five minutes to …" of a document, or another one by the words with which its heading begins. */
export async function readFiveMinutes(
  file: string,
  runtime: "npm" | "deno",
  heading = "Five minutes",
): Promise<FiveMinutes> {
  const text = await readDocument(file);
  const section = new RegExp(`^## ${heading}[^]*?(?=^## )`, "m").exec(text)![0];
  const blocks = codeBlocks(file, section);
  const shell = blocks.find((block) =>
    block.language === "sh" && block.text.includes(`${runtime} `)
  );
  const files = new Map<string, string>();
  for (
    const block of blocks.filter(({ language }) =>
      language.startsWith("ts") || language === "jsonc"
    )
  ) {
    files.set(nameBefore(section, block), block.text);
  }
  return { commands: shell!.text.trim().split("\n"), files };
}

/** The last file name that a text speaks of before a block. */
function nameBefore(text: string, { line }: CodeBlock): string {
  const before = text.split("\n").slice(0, line - 1).join("\n");
  return [...before.matchAll(/`([\w/]+\.(?:tsx?|jsonc))`/g)].at(-1)![1]!;
}

/** Types commands into one shell, one after the other; gives the folder where they lead to. */
export async function type(
  runtime: LoneRuntime,
  commands: string[],
  cwd: string,
): Promise<string> {
  const { stdout } = await succeed(runtime, ["set -e", ...commands, "pwd"].join("\n"), cwd);
  return stdout.trim().split("\n").at(-1)!;
}

/** Starts a server by a command, waits for the address that it prints, works with it, and stops it. */
export async function serving(
  start: Child,
  work: (origin: string) => Promise<void>,
): Promise<void> {
  try {
    const [origin] = await start.waitFor(/http:\/\/localhost:\d+/, 300);
    await work(origin);
  } finally {
    await start.stop();
  }
}

/** Saves another text of a file, and waits until the page shows it. */
export async function changePage(folder: string, origin: string): Promise<void> {
  const file = join(folder, "app", "page.tsx");
  const text = await Deno.readTextFile(file);
  const changed = text.replace(/<h1([^>]*)>/, "<h1$1>Changed: ");
  assert.notEqual(changed, text);
  await Deno.writeTextFile(file, changed);
  await until(
    async () => (await (await fetch(origin)).text()).includes("Changed: "),
    () => "The page did not follow.",
  );
}
