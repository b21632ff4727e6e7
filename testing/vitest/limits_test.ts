import assert from "node:assert/strict";
import { createLimits } from "./limits.ts";

const configure = (config: { root: string; pool?: string }) =>
  createLimits().configureVitest({ project: { config } });

Deno.test("createLimits() refuses what vitest would fail at without naming it", () => {
  configure({ root: "/project", pool: "forks" });
  configure({ root: "/my project" });
  assert.throws(() => configure({ root: "/project", pool: "vmThreads" }), {
    code: "VITEST_CONFIG",
    message: /pool vmThreads.*"forks"/,
  });
  for (const root of ["/100% mine", "/my%20project"]) {
    assert.throws(() => configure({ root }), {
      code: "VITEST_CONFIG",
      message: /percent sign: \/.*Rename/,
    });
  }
});
