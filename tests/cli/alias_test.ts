/** The alias of the starter, `#app/`, means the same file to each program that reads an application. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { capture } from "../../scripts/run_command.ts";
import { framework } from "../support/command_line.ts";
import { createFixtureApp } from "./fixture_app.ts";
import { runFramework } from "./framework.ts";
import { newest, replaceTypescript } from "./other_typescript.ts";

const starter = new URL("../../cli/templates/starter/", import.meta.url);

async function readStarter(name: string): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(new URL(name, starter)));
}

// Tracks: AB-10
Deno.test("#app/ works in build, typecheck, vitest and deno test", {
  // The bundler's own process ends a moment after what it was started for.
  sanitizeOps: false,
  sanitizeResources: false,
}, async (t) => {
  const { imports, type } = await readStarter("_package.json");
  const { compilerOptions } = await readStarter("_tsconfig.json") as {
    compilerOptions: Record<string, unknown>;
  };
  await using app = await createFixtureApp({
    "package.json": JSON.stringify({ name: "fixture", private: true, type, imports }),
    "deno.json": JSON.stringify({ nodeModulesDir: "manual", imports: {} }),
    "tsconfig.json": JSON.stringify({
      // Without the generated types, which bring the packages' own sources along here.
      compilerOptions: { ...compilerOptions, types: [], jsx: "preserve" },
      files: ["app/greet/deep/greeting.ts"],
    }),
    "app/_lib/word.ts": 'export const word: string = "Hello";\n',
    "app/greet/deep/greeting.ts":
      'import { word } from "#app/_lib/word.ts";\nexport const greeting: string = `${word}!`;\n',
    "app/greet/deep/route.ts":
      'import { greeting } from "#app/greet/deep/greeting.ts";\nexport const GET = () => greeting;\n',
    "tests/vitest.test.ts": `import { expect, test } from "vitest";
import { greeting } from "#app/greet/deep/greeting.ts";
test("alias", () => expect(greeting).toBe("Hello!"));
`,
    "tests/deno_test.ts": `import { greeting } from "#app/greet/deep/greeting.ts";
Deno.test("alias", () => { if (greeting !== "Hello!") throw new Error(greeting); });
`,
  });
  await t.step("build", async () => {
    const built = await framework(app.root, "build");
    assert.equal(built.code, 0, built.stderr);
    assert.match(await Deno.readTextFile(join(app.root, "dist/worker.js")), /Hello/);
  });
  await t.step("typecheck", async () => {
    await replaceTypescript(app.root, newest);
    const checked = await runFramework(app.root, "typecheck");
    assert.deepEqual([checked.code, checked.stdout], [0, ""], checked.stderr);
  });
  await t.step("vitest", async () => {
    const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
    const tested = await capture(Deno.execPath(), ["run", "-A", vitest, "run", "tests/vitest"], {
      cwd: app.root,
    });
    assert.equal(tested.code, 0, tested.stdout + tested.stderr);
  });
  await t.step("deno test", async () => {
    const tested = await capture(Deno.execPath(), ["test", "-A", "tests/deno_test.ts"], {
      cwd: app.root,
    });
    assert.equal(tested.code, 0, tested.stdout + tested.stderr);
  });
});
