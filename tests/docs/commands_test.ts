import assert from "node:assert/strict";
import { join } from "node:path";
import {
  type Command,
  type CommandRegistry,
  globalOptions,
  isGroup,
} from "../../cli/terminal/command.ts";
import { commands } from "../../cli/commands/registry.ts";
import { exists, readJson, repositoryRoot } from "../../scripts/workspace.ts";
import { codeBlocks, documents, prose, readDocument } from "./markdown.ts";

interface Line {
  file: string;
  text: string;
}

/**
 * Commands that documents tell their readers to type: lines of the shell, and code in their
 * sentences.
 */
async function typed(): Promise<Line[]> {
  const lines: Line[] = [];
  for (const file of await documents()) {
    const text = await readDocument(file);
    for (const block of codeBlocks(file, text).filter(({ language }) => language === "sh")) {
      for (const line of block.text.split("\n")) {
        for (const part of line.replace(/(^|\s)#.*/, "").split(/&&|\||<\(|\)/)) {
          lines.push({ file, text: part.trim() });
        }
      }
    }
    for (const [, code] of prose(text).matchAll(/`([^`]+)`/g)) {
      lines.push({ file, text: code!.replace(/\s+/g, " ") });
    }
  }
  return lines;
}

async function findCommand(words: string[]): Promise<Command | null> {
  let registry: CommandRegistry = commands;
  for (const word of words) {
    const loaded = await registry[word]?.load();
    if (loaded === undefined) return null;
    if (!isGroup(loaded)) return loaded;
    registry = loaded.commands;
  }
  return null;
}

const lines = await typed();

Deno.test("every command that the documents name is there, with its options", async () => {
  const wrong: string[] = [];
  let seen = 0;
  for (const { file, text } of lines) {
    const rest = /^(?:npx (?:--no-install )?)?framework ([a-z][^`]*)$/.exec(text)?.[1] ??
      /npm:@framework\/cli ([a-z].*)$/.exec(text)?.[1];
    if (rest === undefined) continue;
    const words = rest.split(" ");
    const command = await findCommand(words);
    const isHelpOfGroup = words.length === 1 && words[0]! in commands;
    if (!command && !isHelpOfGroup) wrong.push(`${file}: ${text}`);
    const [own = ""] = command?.passes ? rest.split(" -- ") : [rest];
    for (const [, option] of own.matchAll(/--([a-z][\w-]*)/g)) {
      if (command && !(option! in command.options) && !(option! in globalOptions)) {
        wrong.push(`${file}: ${text}`);
      }
    }
    seen++;
  }
  assert.deepEqual(wrong, []);
  assert.ok(seen > 40, String(seen));
});

Deno.test("every task, script and file that the documents have their readers run is there", async () => {
  const own = await readJson(join(repositoryRoot, "deno.json"));
  const starter = await readJson(
    join(repositoryRoot, "cli", "templates", "starter", "_package.json"),
  );
  const tasks = { ...own.tasks as object, ...starter.scripts as object };
  const wrong: string[] = [];
  let seen = 0;
  for (const { file, text } of lines) {
    const task = /^(?:npx -y )?deno(?:@[\d.]+)? task ([\w:-]+)/.exec(text)?.[1] ??
      /^npm run ([\w:-]+)/.exec(text)?.[1];
    if (task !== undefined && !(task in tasks)) wrong.push(`${file}: ${text}`);
    const script = /\b(scripts\/[\w/]+\.ts)/.exec(text)?.[1];
    if (script !== undefined && !await exists(join(repositoryRoot, script))) {
      wrong.push(`${file}: ${text}`);
    }
    if (task !== undefined || script !== undefined) seen++;
  }
  assert.deepEqual(wrong, []);
  assert.ok(seen > 20, String(seen));
});
