import assert from "node:assert/strict";
import { isSupportedNode, unsupportedRuntime } from "./program.ts";

Deno.test.each([
  ["22.13.0", true],
  ["v22.13.1\n", true],
  ["22.22.0", true],
  ["24.0.0", true],
  ["100.0.0-nightly", true],
  ["22.12.9", false],
  ["v20.20.2", false],
  ["9.99.0", false],
  ["", false],
  ["text", false],
  [undefined, false],
])("isSupportedNode(%o) is %o", (version, expected) => {
  assert.equal(isSupportedNode(version), expected);
});

Deno.test("unsupportedRuntime() accepts Deno, whatever Node it claims to be", () => {
  assert.equal(unsupportedRuntime({ deno: "2.9.6", node: "18.0.0" }), undefined);
  assert.equal(unsupportedRuntime({ node: "22.13.0" }), undefined);
});

Deno.test("unsupportedRuntime() names both ways out", () => {
  const problem = unsupportedRuntime({ node: "20.20.2" });
  assert.match(problem?.message ?? "", /20\.20\.2/);
  assert.match(problem?.hint ?? "", /Node 22\.13 .*npx -y deno@/);
});
