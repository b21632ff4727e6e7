/**
 * Runs a project's own tools for the compiled `framework` command, which starts this program with
 * Node or Deno and talks to it in lines of JSON. Do not import it; imported, it does nothing.
 *
 * @example
 * ```ts
 * import * as driver from "@framework/cli/driver";
 * import { deepEqual } from "node:assert/strict";
 *
 * deepEqual(Object.keys(driver), []);
 * ```
 *
 * @module
 */
import process from "node:process";
import { serveDriver } from "./build/process.ts";
import { isProgram } from "./terminal/program.ts";

if (isProgram(import.meta)) {
  // The terminal sends ^C to every process of the group; the command handles it and closes the
  // pipe.
  process.on("SIGINT", () => {});
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  await serveDriver({
    input: process.stdin,
    reply: (line) => void process.stdout.write(line),
    log: (line) => void process.stderr.write(`${line}\n`),
  });
  process.exit(0);
}
