import assert from "node:assert/strict";
import { createOutput, type Output } from "./output.ts";

function capture(options: { verbose?: boolean; quiet?: boolean; terminal?: boolean } = {}) {
  const text = { stdout: "", stderr: "" };
  const output: Output = createOutput({
    stdout: { write: (part) => text.stdout += part },
    stderr: { write: (part) => text.stderr += part, isTTY: options.terminal },
    env: {},
    verbose: options.verbose ?? false,
    quiet: options.quiet ?? false,
  });
  return { output, text };
}

function writeAll(output: Output): void {
  output.info("info");
  output.success("success");
  output.detail("detail");
  output.warn("warn");
  output.error("error", "do this");
  output.data("data");
}

Deno.test("createOutput() sends data to stdout and everything else to stderr", () => {
  const { output, text } = capture();
  writeAll(output);
  assert.equal(text.stdout, "data\n");
  assert.equal(text.stderr, "info\n✓ success\nwarning: warn\nerror: error\nhint: do this\n");
});

Deno.test("createOutput() is silent about progress when quiet", () => {
  const { output, text } = capture({ quiet: true });
  writeAll(output);
  assert.equal(text.stdout, "data\n");
  assert.equal(text.stderr, "warning: warn\nerror: error\nhint: do this\n");
});

Deno.test("createOutput() shows details when verbose", () => {
  const { output, text } = capture({ verbose: true });
  output.detail("detail");
  assert.equal(text.stderr, "detail\n");
});

// Tracks: F45
Deno.test("createOutput() lets no control character of a message through", () => {
  const { output, text } = capture();
  output.error("bad\x1b[2J\x07name");
  assert.equal(text.stderr, "error: bad\ufffd[2J\ufffdname\n");
});

Deno.test("createOutput() decides colour for each stream", () => {
  const { output } = capture({ terminal: true });
  assert.equal(output.color.enabled, true);
  assert.equal(output.dataColor.enabled, false);
});

Deno.test("Output.data() adds a line end only when there is none", () => {
  const { output, text } = capture();
  output.data("a\n");
  output.data("b");
  assert.equal(text.stdout, "a\nb\n");
});
