import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { listenToKeys } from "./keys.ts";

Deno.test("listenToKeys() takes single keys, ^C among them, until the keyboard is given back", async () => {
  const modes: boolean[] = [];
  const keyboard = Object.assign(new PassThrough(), {
    setRawMode: (raw: boolean) => modes.push(raw),
  });
  const pressed: string[] = [];
  const release = listenToKeys(keyboard, {
    open: () => pressed.push("open"),
    restart: () => pressed.push("restart"),
    help: () => pressed.push("help"),
    quit: (interrupted) => pressed.push(interrupted ? "interrupt" : "quit"),
  });
  const press = async (text: string): Promise<void> => {
    keyboard.write(text);
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  for (const key of ["o", "R", "h", "x", "q", "\x03", "\x1b[A"]) await press(key);
  assert.deepEqual(pressed, ["open", "restart", "help", "quit", "interrupt"]);
  release();
  await press("o");
  assert.equal(pressed.length, 5);
  assert.deepEqual(modes, [true, false]);
});
