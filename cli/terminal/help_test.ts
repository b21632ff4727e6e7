import assert from "node:assert/strict";
import { createColors } from "./output.ts";
import type { Command } from "./command.ts";
import { renderCommand, renderOverview } from "./help.ts";

const plain = createColors(false);

const command: Command = {
  name: "serve",
  summary: "Serve it",
  positionals: [
    { name: "dir", summary: "Folder", required: true },
    { name: "file", summary: "File" },
  ],
  options: {
    port: { type: "integer", short: "p", default: 8787, placeholder: "port", summary: "Port" },
    minify: { type: "boolean", default: true, summary: "Minify" },
    open: { type: "boolean", short: "o", default: false, summary: "Open" },
  },
  examples: ["framework serve app"],
  run: () => Promise.resolve(0),
};

Deno.test("renderCommand() shows arguments, options, defaults and examples", () => {
  const text = renderCommand(command, plain);
  assert.ok(text.startsWith(`Serve it.

Usage: framework serve <dir> [file] [options]

Arguments:
  <dir>   Folder
  <file>  File

Options:
  -p, --port <port>  Port (default: 8787)
      --[no-]minify  Minify (default: on)
  -o, --open         Open

Global options:
`));
  assert.ok(text.endsWith("\nExamples:\n  framework serve app\n"));
});

Deno.test("renderCommand() takes the usage that the command gives", () => {
  const text = renderCommand({ ...command, usage: "[anything]" }, plain);
  assert.match(text, /^Usage: framework serve \[anything\]$/m);
});

Deno.test("renderCommand() says what --verbose shows of this command", () => {
  assert.match(
    renderCommand(command, plain),
    /--verbose +Show more, including the stack trace of an error\n/,
  );
  const text = renderCommand({ ...command, verbose: "the requests" }, plain);
  assert.match(text, /--verbose +Show the requests too, and the stack trace of an error\n/);
});

Deno.test("renderOverview() aligns the columns also with colour", () => {
  const load = () => Promise.reject(new Error("must not load"));
  const registry = { a: { summary: "First", load }, longer: { summary: "Second", load } };
  const text = renderOverview(registry, createColors(true));
  // deno-lint-ignore no-control-regex -- colour sequences are the subject here.
  assert.equal(text.replace(/\x1b\[\d+m/g, ""), renderOverview(registry, plain));
  assert.ok(text.includes("\x1b[36ma     \x1b[39m  First"));
});
