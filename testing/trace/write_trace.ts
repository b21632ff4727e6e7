import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type TracedTest, tracePage } from "./trace_page.ts";

/**
 * Writes the trace of a test into `.framework/traces` of the project, and names the file on standard error.
 *
 * @param root The project's folder.
 * @param test The test.
 * @returns Path of the file.
 */
export function writeTrace(root: string, test: TracedTest): string {
  const folder = join(root, ".framework", "traces");
  const name = test.name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "")
    .slice(0, 80) || "test";
  mkdirSync(folder, { recursive: true });
  for (let number = 1;; number++) {
    const path = join(folder, `${name}${number === 1 ? "" : `-${number}`}.html`);
    try {
      // Several contexts of one test, and tests of one name, each have a file.
      writeFileSync(path, tracePage(test), { flag: written.has(path) ? "wx" : "w" });
    } catch (error) {
      if ((error as { code?: unknown }).code === "EEXIST") continue;
      throw error;
    }
    written.add(path);
    process.stderr.write(`Trace of "${test.name}": ${path}\n`);
    return path;
  }
}

/** Files of this run; those of an earlier one are written anew. */
const written = new Set<string>();
