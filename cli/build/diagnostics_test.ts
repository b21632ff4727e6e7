import assert from "node:assert/strict";
import { toDiagnostic } from "./diagnostics.ts";

Deno.test("toDiagnostic() counts columns from 1 and in characters, not in bytes", () => {
  const lineText = 'const é = "ü" oops;';
  const column = new TextEncoder().encode('const é = "ü" ').byteLength;
  const diagnostic = toDiagnostic({
    text: "Unexpected",
    location: { file: "a.ts", line: 3, column, length: 4, lineText },
    notes: [{ text: "Note", location: null }],
  }, "/");
  assert.deepEqual(diagnostic, {
    message: "Unexpected",
    file: "a.ts",
    line: 3,
    column: lineText.indexOf("oops") + 1,
    length: 4,
    lineText,
    notes: ["Note"],
  });
});

Deno.test("toDiagnostic() leaves the place out when there is none", () => {
  assert.deepEqual(toDiagnostic({ text: "m", location: null, notes: [] }, "/"), {
    message: "m",
    notes: [],
  });
});

Deno.test("toDiagnostic() replaces advice to set esbuild's options by what can be done here", async () => {
  // Tracks: AB-18, SP-W13
  const root = await Deno.makeTempDir();
  const notesOf = (name: string, note: string): string[] =>
    toDiagnostic({
      text: `Could not resolve "${name}"`,
      location: null,
      notes: [{ text: note, location: null }],
    }, root).notes;
  const external =
    'You can mark the path "left-pad" as external to exclude it from the bundle, which will remove this error.';
  try {
    await Deno.writeTextFile(`${root}/package-lock.json`, "{}");
    assert.deepEqual(notesOf("left-pad", external), [
      "Run `npm install left-pad`, or correct the name.",
    ]);
    assert.deepEqual(notesOf("@a/b/c.js", external), [
      "Run `npm install @a/b`, or correct the name.",
    ]);
    assert.deepEqual(notesOf("./left-pad", external), []);
    assert.deepEqual(notesOf("fs", `You can use "platform: 'node'" to do that.`), []);
    assert.deepEqual(notesOf("./a.ts", "It was imported here."), ["It was imported here."]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("toDiagnostic() names the file whose default export the generated entry lacks", () => {
  const message = (file: string) =>
    toDiagnostic({
      text: 'No matching export in "app/auth/rbac.ts" for import "default"',
      location: { file, line: 6, column: 7, length: 8, lineText: 'import authRbac from "…";' },
      notes: [],
    }, "/");
  const { file, line, message: said } = message(".framework/entry.ts");
  assert.deepEqual([file, line], ["app/auth/rbac.ts", 1]);
  assert.match(said, /^This file has no default export/);
  assert.equal(message("app/page.tsx").file, "app/page.tsx");
});
