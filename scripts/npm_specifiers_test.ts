import assert from "node:assert/strict";
import { join } from "node:path";
import { declarationSpecifiers, packageName, packageSpecifiers } from "./npm_specifiers.ts";

async function withPackage(
  files: Record<string, string>,
  test: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-specifiers-" });
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(join(folder, name), text);
    }
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

// The bundler runs as a process of its own, whose pipes close after the test.
const unsanitized = { sanitizeOps: false, sanitizeResources: false };

Deno.test({
  name: "packageSpecifiers() finds imports of scripts and of declarations, once each",
  ...unsanitized,
  fn: async () => {
    await withPackage({
      "mod.js":
        'import "./other.js"; import { Hono } from "hono"; export * from "@framework/auth/storage"; export const h = Hono;',
      "other.js": 'export const late = () => import("hono/jsx"); import "node:fs";',
      "mod.d.ts":
        'import type { Kysely } from "kysely"; export type H = import("hono").Hono | Kysely<unknown>;',
    }, async (folder) => {
      assert.deepEqual(await packageSpecifiers(folder), [
        "@framework/auth/storage",
        "hono",
        "hono/jsx",
        "kysely",
        "node:fs",
      ]);
    });
  },
});

Deno.test({
  name: "packageSpecifiers() takes code in strings for what it is",
  ...unsanitized,
  fn: async () => {
    await withPackage({
      "mod.js": 'export const template = `import { describe } from "vitest";`;',
    }, async (folder) => assert.deepEqual(await packageSpecifiers(folder), []));
  },
});

Deno.test({
  name: "packageSpecifiers() refuses JSX that was not compiled, and imports that lead nowhere",
  ...unsanitized,
  fn: async () => {
    await withPackage({ "page.js": "export const page = <p>hello</p>;" }, async (folder) => {
      await assert.rejects(packageSpecifiers(folder), /page\.js.*JSX/s);
    });
    await withPackage({ "mod.js": 'import "./gone.js";' }, async (folder) => {
      await assert.rejects(packageSpecifiers(folder), /gone\.js/);
    });
  },
});

Deno.test("declarationSpecifiers() passes over comments and string types", () => {
  const text = `/**
 * import { a } from "in-a-comment";
 */
// import "in-a-line";
export declare type Text = 'import "in-a-string"' | "from 'another'";
import { type A } from "real";
export declare const b: import('also-real/entry').B;
import "side-effect";`;
  assert.deepEqual(declarationSpecifiers(text), ["real", "also-real/entry", "side-effect"]);
});

Deno.test("packageName() keeps the scope, drops the entry, and knows no package of node:", () => {
  assert.equal(packageName("@framework/cli/runtime"), "@framework/cli");
  assert.equal(packageName("hono/jsx"), "hono");
  assert.equal(packageName("kysely"), "kysely");
  assert.equal(packageName("node:fs/promises"), null);
  assert.equal(packageName("cloudflare:workers"), null);
});
