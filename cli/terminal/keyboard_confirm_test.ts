import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { confirmDestruction, type Keyboard } from "./keyboard.ts";
import { createOutput } from "./output.ts";

function typing(text: string): Keyboard {
  const keyboard = new PassThrough();
  if (text !== "") keyboard.write(text);
  return Object.assign(keyboard, { setRawMode() {} });
}

async function ask(
  keyboard: Keyboard | undefined,
  { yes = false, signal = new AbortController().signal } = {},
): Promise<string> {
  let shown = "";
  const stream = { write: (text: string) => shown += text };
  const output = createOutput({ stdout: stream, stderr: stream, env: {} });
  try {
    await confirmDestruction("Drop it?", { output, signal, keyboard, yes });
    return shown;
  } catch (error) {
    return `${shown}${error instanceof Error ? error.message : error}`;
  }
}

Deno.test("confirmDestruction() goes on after yes, and after nothing else", async () => {
  const question = "warning: Drop it? [y/N]\n";
  for (const answer of ["y\n", "Yes\r\n", " y \n"]) {
    assert.equal(await ask(typing(answer)), question);
  }
  for (const answer of ["n\n", "\n", "yesterday\n"]) {
    assert.equal(await ask(typing(answer)), `${question}Nothing was changed.`);
  }
});

Deno.test("confirmDestruction() asks nobody when --yes was given, or nobody is there", async () => {
  assert.equal(await ask(typing(""), { yes: true }), "");
  assert.equal(await ask(undefined, { yes: true }), "");
  assert.equal(
    await ask(undefined),
    "This deletes data, and there is no terminal to ask for confirmation.",
  );
});

Deno.test("confirmDestruction() takes an interruption for a no", async () => {
  const interruption = new AbortController();
  const answer = ask(typing(""), { signal: interruption.signal });
  interruption.abort();
  assert.match(await answer, /Nothing was changed\.$/);
});
