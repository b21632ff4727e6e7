import assert from "node:assert/strict";
import { isNamedModule, judgeFile } from "./file_convention.ts";

Deno.test("judgeFile() accepts convention files and files without a meaning", () => {
  const files = [
    "page.tsx",
    "layout.tsx",
    "route.ts",
    "middleware.ts",
    "not-found.tsx",
    "error.tsx",
  ];
  // Not a component: a module of the application's own.
  for (const name of [...files, "error.ts", "x.css"]) {
    assert.equal(judgeFile(name, { inAuth: false }), null, name);
  }
  for (const name of ["config.ts", "callbacks.ts", "events.ts", "rbac.ts"]) {
    assert.equal(judgeFile(name, { inAuth: true }), null, name);
  }
  assert.equal(judgeFile("rbac.ts", { inAuth: false }), null);
});

Deno.test("judgeFile() names the right ending", () => {
  assert.match(judgeFile("page.jsx", { inAuth: false })!.hint, /page\.tsx/);
  assert.match(judgeFile("route.tsx", { inAuth: false })!.hint, /route\.ts\b/);
  assert.match(judgeFile("error.jsx", { inAuth: false })!.problem, /error\.tsx$/);
  assert.match(judgeFile("rbac.tsx", { inAuth: true })!.problem, /rbac\.ts$/);
  assert.match(judgeFile("tenant.tsx", { inAuth: true })!.problem, /tenant\.ts$/);
});

Deno.test("isNamedModule() leaves tests, declarations and private files out", () => {
  assert.equal(isNamedModule("github.ts"), true);
  for (const name of ["github_test.ts", "github.test.ts", "github.d.ts", "_x.ts", "readme.md"]) {
    assert.equal(isNamedModule(name), false, name);
  }
});
