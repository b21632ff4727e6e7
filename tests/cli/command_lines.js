/**
 * Runs command lines one after another in this process, for transcripts: each line of standard input is one, and is
 * answered by a line.
 *
 * Usage: `<runtime> command_lines.js <address of the program's module>`
 *
 * @module
 */
import process from "node:process";
import { createInterface } from "node:readline";

const { runCli } = await import(process.argv[2]);
for await (const request of createInterface({ input: process.stdin })) {
  const { argv, cwd, env } = JSON.parse(request);
  const said = { stdout: "", stderr: "" };
  const code = await runCli(argv, {
    cwd,
    env,
    stdout: { write: (text) => said.stdout += text },
    stderr: { write: (text) => said.stderr += text },
  });
  process.stdout.write(`${JSON.stringify({ code, ...said })}\n`);
}
