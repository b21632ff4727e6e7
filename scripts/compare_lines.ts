/**
 * Counts the lines of one product, that of the quick start, as it is written with this library and with others.
 *
 * Usage: `deno run -A scripts/compare_lines.ts`
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { readFiveMinutes } from "../tests/packages/five_minutes.ts";
import { repositoryRoot } from "./workspace.ts";

/** The programs of the other libraries, which do what the quick start does. */
const OTHERS = {
  "Better Auth": "scripts/compare/better_auth.ts",
  "Auth.js": "scripts/compare/auth_js.ts",
} as const;

/** Lines of a program that are neither empty nor a comment alone. */
export function countLines(text: string): number {
  return text.split("\n").filter((line) => !/^\s*(?:\/\/.*)?$/.test(line)).length;
}

/** Lines of the quick start and of the others, by name. */
export async function compareLines(): Promise<Record<string, number>> {
  const { files } = await readFiveMinutes("auth/README.md", "npm");
  const others = await Promise.all(
    Object.entries(OTHERS).map(async ([name, file]) => {
      return [name, countLines(await Deno.readTextFile(join(repositoryRoot, file)))] as const;
    }),
  );
  return { "@framework/auth": countLines(files.get("app.ts")!), ...Object.fromEntries(others) };
}

if (import.meta.main) {
  for (const [name, lines] of Object.entries(await compareLines())) {
    process.stdout.write(`${name.padEnd(16)} ${String(lines).padStart(4)}\n`);
  }
}
