import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { sourceHash } from "./source_hash.ts";
import { readWorkspace } from "./workspace.ts";

const files: Record<string, string> = {
  "deno.json": '{ "workspace": ["./auth"], "imports": { "hono": "npm:hono@4" } }',
  "auth/deno.json":
    '{ "name": "@framework/auth", "version": "1.0.0", "license": "MIT", "exports": { ".": "./mod.ts" } }',
  "auth/mod.ts": "export {};",
  "auth/session/cookie.ts": "export {};",
  "deno.lock": "{}",
  "SECURITY.md": "# Security",
  "docs/README.md": "# Guides",
  "npm/packages.json": "{}",
  "scripts/npm.ts": "export {};",
};

async function hashWith(changes: Record<string, string>): Promise<string> {
  const root = await Deno.makeTempDir({ prefix: "framework-hash-" });
  try {
    for (const [name, text] of Object.entries({ ...files, ...changes })) {
      await Deno.mkdir(dirname(join(root, name)), { recursive: true });
      await Deno.writeTextFile(join(root, name), text);
    }
    return await sourceHash(await readWorkspace(root));
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const relevant: Record<string, Record<string, string>> = {
  "a source file": { "auth/session/cookie.ts": "export const a = 1;" },
  "a new file": { "auth/README.md": "# auth" },
  "the shared imports": { "deno.json": files["deno.json"]!.replace("hono@4", "hono@5") },
  "the version of another package": { "deno.lock": '{ "version": "5" }' },
  "what npm adds": { "npm/packages.json": '{ "auth": {} }' },
  "a guide": { "docs/sessions.md": "# Sessions" },
  "the program that packs": { "scripts/npm.ts": "export const a = 1;" },
};
for (const [what, changes] of Object.entries(relevant)) {
  Deno.test(`sourceHash() changes with ${what}`, async () => {
    assert.notEqual(await hashWith(changes), await hashWith({}));
  });
}

Deno.test("sourceHash() is the same wherever the repository stands, and whatever is not packed", async () => {
  const beside = {
    "auth/session/cookie_test.ts": "Deno.test();",
    "auth/templates/starter/app/page.tsx": "x",
    "auth/node_modules/a/b.js": "x",
    "npm/auth/mod.js": "x",
    "scripts/demo.ts": "x",
  };
  assert.equal(await hashWith(beside), await hashWith({}));
});

Deno.test("sourceHash() tells a file from its neighbour", async () => {
  const one = await hashWith({ "auth/a.ts": "xy", "auth/b.ts": "" });
  assert.notEqual(one, await hashWith({ "auth/a.ts": "x", "auth/b.ts": "y" }));
});
