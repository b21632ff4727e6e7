import assert from "node:assert/strict";
import { isProviderFile, judgeFile } from "./file_convention.ts";

Deno.test("judgeFile() accepts convention files and files without a meaning", () => {
  for (const name of ["page.tsx", "layout.tsx", "route.ts", "middleware.ts", "error.ts", "x.css"]) {
    assert.equal(judgeFile(name, { inAuth: false }), null, name);
  }
  assert.equal(judgeFile("config.ts", { inAuth: true }), null);
  assert.equal(judgeFile("rbac.ts", { inAuth: false }), null);
});

Deno.test("judgeFile() names the right ending", () => {
  assert.match(judgeFile("page.jsx", { inAuth: false })!.hint, /page\.tsx/);
  assert.match(judgeFile("route.tsx", { inAuth: false })!.hint, /route\.ts\b/);
});

Deno.test("judgeFile() does not let rules that are not in force look as if they were", () => {
  assert.match(judgeFile("rbac.ts", { inAuth: true })!.problem, /not support/);
});

Deno.test("isProviderFile() leaves tests, declarations and private files out", () => {
  assert.equal(isProviderFile("github.ts"), true);
  for (const name of ["github_test.ts", "github.test.ts", "github.d.ts", "_x.ts", "readme.md"]) {
    assert.equal(isProviderFile(name), false, name);
  }
});
