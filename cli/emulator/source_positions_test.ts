import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explainError, foldFrames } from "./source_positions.ts";

Deno.test("explainError() finds the first line of the stack that is the application's own", async () => {
  const root = await mkdtemp(join(tmpdir(), "explain-"));
  try {
    await mkdir(join(root, "app"));
    await writeFile(join(root, "app/page.tsx"), "one\n  throw two;\n");
    const text = [
      "TypeError: no two",
      "    at run (node_modules/x/index.js:1:1)",
      "    at gone (app/gone.tsx:1:1)",
      "    at loader (app/page.tsx:2:3)",
    ].join("\n");
    assert.deepEqual(explainError(text, root), {
      text,
      place: {
        message: "TypeError: no two",
        file: "app/page.tsx",
        line: 2,
        column: 3,
        lineText: "  throw two;",
        notes: [],
      },
    });
    assert.equal(explainError("Thrown: 1", root).place, null);
  } finally {
    await rm(root, { recursive: true });
  }
});

Deno.test("explainError() shows no line of what is no code of the project, whatever a message names", async () => {
  const parent = await mkdtemp(join(tmpdir(), "explain-"));
  try {
    const root = join(parent, "project");
    await mkdir(join(root, "app/.hidden"), { recursive: true });
    await writeFile(join(root, ".dev.vars"), "AUTH_SECRET=1\n");
    await writeFile(join(root, "key.pem"), "secret\n");
    await writeFile(join(root, "app/.hidden/page.ts"), "secret\n");
    await writeFile(join(parent, "other.ts"), "secret\n");
    await symlink(join(parent, "other.ts"), join(root, "app/link.ts"));
    await symlink(join(root, ".dev.vars"), join(root, "app/vars.ts"));
    await mkdir(join(root, "app/folder.ts"));
    for (
      const file of [
        ".dev.vars",
        "key.pem",
        "app/../.dev.vars",
        "app/../../other.ts",
        "/etc/passwd",
        "app/.hidden/page.ts",
        "app/link.ts",
        "app/vars.ts",
        "app/folder.ts",
      ]
    ) {
      assert.equal(explainError(`Error: no\n    at f (${file}:1:1)`, root).place, null, file);
    }
  } finally {
    await rm(parent, { recursive: true });
  }
});

// Tracks: AB-18
Deno.test("foldFrames() begins each stack with the application's own lines, and counts the others", () => {
  const text = [
    "[1] GET / failed. Error: D1_ERROR: no such table: nope: SQLITE_ERROR",
    "    at Session._send (cloudflare-internal:d1-api:146:19)",
    "    at async cloudflare-internal:d1-api:374:41",
    "    at async Module.loader (app/d/page.tsx:2:3)",
    "    at async runLoader (node_modules/@framework/cli/runtime/loaders.ts:60:18)",
    "    at async Promise.all (index 0)",
    "    at lib/words.ts:1:2",
    "    at toString (node_modules/.pnpm/hono@4.13.19/node_modules/hono/dist/base.js:190:24)",
    "    at f (../other/node_modules/hono/dist/base.js:160:10)",
    "    at async Object.fetch (shell.js:17:22)",
    "Caused by: Error: why",
    "    at loader (app/d/page.tsx:1:1)",
    "    at run (.framework/worker.ts:1:1)",
  ].join("\n");
  assert.equal(
    foldFrames(text),
    [
      "[1] GET / failed. Error: D1_ERROR: no such table: nope: SQLITE_ERROR",
      "    at async Module.loader (app/d/page.tsx:2:3)",
      "    at lib/words.ts:1:2",
      "    … and 7 lines of @framework/cli, hono",
      "Caused by: Error: why",
      "    at loader (app/d/page.tsx:1:1)",
      "    … and 1 line",
    ].join("\n"),
  );
});

Deno.test("explainError() and foldFrames() know the files of route groups, whose folders have parentheses", async () => {
  const root = await mkdtemp(join(tmpdir(), "explain-"));
  try {
    await mkdir(join(root, "app/(shop)/products/[slug]"), { recursive: true });
    const file = "app/(shop)/products/[slug]/page.tsx";
    await writeFile(join(root, file), "throw one;\n");
    const foreign = "    at async run (node_modules/@framework/cli/runtime/loaders.js:42:18)";
    for (const frame of [`at loader9 (${file}:1:7)`, `at async ${file}:1:7`]) {
      const text = ["Error: boom", `    ${frame}`, foreign].join("\n");
      const { place } = explainError(text, root);
      assert.deepEqual([place?.file, place?.lineText], [file, "throw one;"]);
      assert.equal(
        foldFrames(text),
        ["Error: boom", `    ${frame}`, "    … and 1 line of @framework/cli"].join("\n"),
      );
    }
  } finally {
    await rm(root, { recursive: true });
  }
});

// Tracks: AB-18
Deno.test("foldFrames() leaves the first lines of a stack without a line of the application", () => {
  const frame = (line: number): string =>
    `    at run (node_modules/@framework/cli/runtime/page.js:${line}:1)`;
  assert.equal(
    foldFrames(["Error: x", ...Array.from({ length: 30 }, (_, index) => frame(index))].join("\n")),
    ["Error: x", frame(0), frame(1), frame(2), "    … and 27 lines of @framework/cli"].join("\n"),
  );
});

// Tracks: AB-18
Deno.test("foldFrames() leaves a short stack without a line of the application as it is, and all other text", () => {
  for (
    const text of [
      "Error: x\n    at run (node_modules/hono/dist/base.js:1:1)\n    at async Promise.all (index 0)\n",
      "Error: x\n    at a (app/page.tsx:1:1)\n    at b (app/page.tsx:2:1)\n",
      "look at app/page.tsx:1:1\n\n  at last",
    ]
  ) assert.equal(foldFrames(text), text);
});
