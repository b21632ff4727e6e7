import assert from "node:assert/strict";
import { createColors, wantsColor } from "./output.ts";

Deno.test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "1", CI: "true" }, false, true],
  [{ TERM: "dumb" }, true, false],
  [{ CI: "true" }, true, false],
])("wantsColor(%o, %o) is %o", (env, isTerminal, expected) => {
  assert.equal(wantsColor(env, isTerminal), expected);
});

Deno.test("createColors() paints only when enabled", () => {
  assert.equal(createColors(true).red("x"), "\x1b[31mx\x1b[39m");
  assert.equal(createColors(false).red("x"), "x");
});
