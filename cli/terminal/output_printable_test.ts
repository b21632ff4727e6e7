import assert from "node:assert/strict";
import { printable } from "./output.ts";

Deno.test("printable() takes the sting out of terminal sequences", () => {
  assert.equal(printable("a\x1b]0;title\x07b"), "a\ufffd]0;title\ufffdb");
  assert.equal(printable("a\x1b[2Jb"), "a\ufffd[2Jb");
  assert.equal(printable("a\rb\x9bc\u202ed"), "a\ufffdb\ufffdc\ufffdd");
});

Deno.test("printable() keeps line feeds, tabs and text of every language", () => {
  assert.equal(printable("a\n\tß 語 🙂"), "a\n\tß 語 🙂");
});

Deno.test("printable() keeps colour only when told to", () => {
  assert.equal(printable("\x1b[31mx\x1b[39m"), "x");
  assert.equal(printable("\x1b[31mx\x1b[39m", { allowColor: true }), "\x1b[31mx\x1b[39m");
});
