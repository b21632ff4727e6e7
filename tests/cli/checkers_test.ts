import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { runFramework, startFramework, until } from "./framework.ts";

/** Stands for TypeScript: says how it was called, and finds problems when a file says so. */
const fakeTypescript = {
  "node_modules/typescript/package.json": JSON.stringify({ bin: { tsc: "./bin/tsc" } }),
  "node_modules/typescript/bin/tsc": `import { existsSync } from "node:fs";
console.log("tsc", process.argv.slice(2).join(" "));
process.exit(existsSync("wrong") ? 2 : 0);
`,
  "tsconfig.json": "{}",
};

async function install(app: FixtureApp, name: string): Promise<void> {
  const from = fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url));
  await symlink(from, join(app.root, "node_modules", name));
}

Deno.test("typecheck runs the project's tsc, and a problem is exit 1 whatever tsc's own code is", async () => {
  await using app = await createFixtureApp(fakeTypescript);
  assert.deepEqual(await runFramework(app.root, "typecheck"), {
    code: 0,
    stdout: "tsc --noEmit --project tsconfig.json\n",
    stderr: "✓ No type errors\n",
  });
  await app.write("wrong", "");
  const wrong = await runFramework(app.root, "typecheck", "--strict", "--watch", "--verbose");
  assert.equal(wrong.code, 1);
  assert.match(
    wrong.stdout,
    /^tsc --noEmit --project tsconfig\.json --strict --\w.* --watch --preserveWatchOutput\n$/,
  );
  assert.equal(wrong.stderr, "The type checker ended with code 2.\n");
});

Deno.test("typecheck --watch writes the types of a route that is added", async () => {
  await using app = await createFixtureApp({
    ...fakeTypescript,
    "node_modules/typescript/bin/tsc": 'console.log("watching");\nsetInterval(() => {}, 1000);\n',
    "app/page.tsx": "export default () => null;",
  });
  const child = startFramework(app.root, "typecheck", "--watch");
  await child.waitFor(/watching/);
  const types = join(app.root, ".framework/types/routes.ts");
  assert.doesNotMatch(await Deno.readTextFile(types), /users/);
  await app.write("app/users/[id]/page.tsx", "export default () => null;");
  await until(() => Deno.readTextFile(types), (text) => /users/.test(text));
  await child.stop();
});

Deno.test("typecheck checks with Deno when the project has no TypeScript", async () => {
  await using app = await createFixtureApp({
    // The checker reads no more than it must.
    "deno.json": '{ "compilerOptions": { "lib": ["es2022"] } }',
    "app/a.ts": "export const a = 1;",
  });
  assert.equal((await runFramework(app.root, "typecheck", "--strict")).code, 0);
  await app.write("app/a.ts", 'export const a: number = "text";');
  const wrong = await runFramework(app.root, "typecheck");
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /TS2322/);
  await app.write("deno.json", '{ "compilerOptions": { "strictNullChecks": false } }');
  const lax = await runFramework(app.root, "typecheck", "--strict");
  assert.equal(lax.code, 2);
  assert.match(lax.stderr, /deno\.json turns off strictNullChecks, which --strict asks for/);
});

Deno.test("typecheck says what is missing", async () => {
  await using app = await createFixtureApp({ "tsconfig.json": "{}" });
  const missing = await runFramework(app.root, "typecheck");
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /typescript is not installed in this project\.\nhint: Run `/);
  await app.remove("tsconfig.json");
  assert.match((await runFramework(app.root, "typecheck")).stderr, /has no tsconfig\.json, and no/);
});

Deno.test("test runs vitest when the project has it, all files or those that are named", async () => {
  await using app = await createFixtureApp({
    "vitest.config.ts": "export default {};",
    "tests/good.test.ts": 'import { test } from "vitest";\ntest("good", () => {});',
    "tests/bad.test.ts": `import { expect, test } from "vitest";
test("bad", () => expect(1).toBe(2));`,
  });
  await app.remove("node_modules/vitest");
  const missing = await runFramework(app.root, "test");
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /vitest is not installed in this project\.\nhint: Run `/);

  await install(app, "vitest");
  const all = await runFramework(app.root, "test");
  assert.equal(all.code, 1, all.stderr);
  assert.match(all.stdout, /1 failed \| 1 passed/);
  const one = await runFramework(app.root, "test", "tests/good.test.ts");
  assert.equal(one.code, 0, one.stderr);
  assert.match(one.stdout, /1 passed/);

  const page = await runFramework(app.root, "test", "--ui");
  assert.equal(page.code, 2);
  assert.match(page.stderr, /@vitest\/ui, is not installed[\s\S]*hint: Run `.*@vitest\/ui`/);
  const coverage = await runFramework(app.root, "test", "--coverage");
  assert.equal(coverage.code, 2);
  assert.match(coverage.stderr, /hint: Run `.*@vitest\/coverage-v8`/);
});

Deno.test("test runs Deno's own runner when the project has no vitest", async () => {
  await using app = await createFixtureApp({
    "deno.json": "{}",
    // JavaScript: what Deno makes of types is another test's matter.
    "tests/good_test.js": 'Deno.test("good", () => {});',
    "tests/bad_test.js": 'Deno.test("bad", () => { throw new Error("on purpose"); });',
  });
  await app.remove("node_modules/vitest");
  const all = await runFramework(app.root, "test");
  assert.equal(all.code, 1);
  assert.match(all.stdout, /1 passed \| 1 failed/);
  const one = await runFramework(app.root, "test", "tests/good_test.js");
  assert.equal(one.code, 0, one.stderr);
  const covered = await runFramework(app.root, "test", "tests/good_test.js", "--coverage");
  assert.equal(covered.code, 0, covered.stderr);
  const page = await runFramework(app.root, "test", "--ui");
  assert.equal(page.code, 2);
  assert.match(page.stderr, /is vitest's, and vitest is not installed/);
});
