import assert from "node:assert/strict";
import { isNamedModule, judgeAuthFolder, judgeFile, judgeProvider } from "./convention.ts";

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

// Tracks: SP-W3
Deno.test("judgeFile() names what a mistyped file of app/auth is called, and leaves others alone", () => {
  const judge = (name: string, siblings: string[] = []): string | undefined =>
    judgeFile(name, { inAuth: true, siblings })?.problem;
  for (
    const [name, right] of [
      ["callback.ts", "callbacks.ts"],
      ["Callbacks.ts", "callbacks.ts"],
      ["callbakcs.js", "callbacks.ts"],
      ["event.ts", "events.ts"],
      ["tenants.ts", "tenant.ts"],
      ["roles.ts", "rbac.ts"],
      ["conf.ts", "config.ts"],
    ]
  ) assert.equal(judge(name!), `is not read: this file must be named ${right}`, name);
  assert.match(judge("provider.ts")!, /app\/auth\/providers\/<id>\.ts/);
  // A part of the right file, a test, and what something else imports.
  assert.equal(judge("roles.ts", ["rbac.ts"]), undefined);
  for (const name of ["callbacks_test.ts", "_callback.ts", "mail.ts", "callback.md"]) {
    assert.equal(judge(name), undefined, name);
  }
  assert.equal(judgeFile("callback.ts", { inAuth: false }), null);
});

// Tracks: SP-W3
Deno.test("judgeAuthFolder() and judgeProvider() name where providers belong", () => {
  assert.match(judgeAuthFolder("provider", ["github.ts"])!.problem, /must be named providers$/);
  assert.match(judgeAuthFolder("Providers", ["github.ts"])!.problem, /must be named providers$/);
  for (const [name, file] of [["provider", "page.tsx"], ["providers", "a.ts"], ["team", "a.ts"]]) {
    assert.equal(judgeAuthFolder(name!, [file!]), null);
  }
  assert.match(
    judgeProvider("github.tsx", { isFolder: false })!.problem,
    /must be named github\.ts$/,
  );
  assert.match(judgeProvider("github", { isFolder: true })!.problem, /providers\/github\.ts$/);
  for (const name of ["github.ts", "_shared.js", "github.test.js", "notes.md"]) {
    assert.equal(judgeProvider(name, { isFolder: false }), null, name);
  }
});

Deno.test("isNamedModule() leaves tests, declarations and private files out", () => {
  assert.equal(isNamedModule("github.ts"), true);
  for (const name of ["github_test.ts", "github.test.ts", "github.d.ts", "_x.ts", "readme.md"]) {
    assert.equal(isNamedModule(name), false, name);
  }
});
