import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { framework } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { createPackedApp } from "./packed_app.ts";
import { runFramework, startFramework, until } from "./framework.ts";

/** Stands for TypeScript: says how it was called, and finds problems when a file says so. */
const fakeTypescript = {
  "node_modules/typescript/package.json": JSON.stringify({ bin: { tsc: "./bin/tsc" } }),
  "node_modules/typescript/bin/tsc": `import { existsSync } from "node:fs";
console.log("tsc", process.argv.slice(2).join(" "));
process.exit(existsSync("wrong") ? 2 : 0);
`,
  "tsconfig.json": '{ "compilerOptions": { "types": ["./.framework/types/index.d.ts"] } }',
};

/** Stands for vitest: says how it was called, and passes. */
const fakeVitest = {
  "node_modules/vitest/package.json": JSON.stringify({
    version: "5.0.5",
    bin: { vitest: "./vitest.mjs" },
  }),
  "node_modules/vitest/vitest.mjs": 'console.log("vitest", process.argv.slice(2).join(" "));\n',
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
  await app.write("tsconfig.json", "{}");
  await app.write("node_modules/typescript/bin/tsc", "");
  const unread = await framework(app.root, "typecheck");
  assert.equal(unread.code, 0);
  assert.match(unread.stderr, /^warning: tsconfig\.json does not read the generated types: /);
});

Deno.test("typecheck says that migrations without a database give context.db no types", async () => {
  const platform = (more = ""): string =>
    `{ "name": "fixture", "compatibility_date": "2026-07-30", "compatibility_flags": ["nodejs_compat"]${more} }`;
  await using app = await createFixtureApp({
    ...fakeTypescript,
    "node_modules/typescript/bin/tsc": "",
    "wrangler.jsonc": platform(),
  });
  assert.equal((await framework(app.root, "typecheck")).stderr, "✓ No type errors\n");
  await app.write("migrations/0001_tasks.sql", "CREATE TABLE tasks (id INTEGER PRIMARY KEY);");
  const undeclared =
    "warning: wrangler.jsonc declares no D1 database DB, which the migrations are " +
    "for: context.db has no types, and does not work. ";
  const { code, stderr } = await framework(app.root, "typecheck");
  assert.equal(code, 0);
  assert.ok(
    stderr.startsWith(`${undeclared}Run \`framework doctor --fix\`, which adds it.\n`),
    stderr,
  );
  const other = ', "d1_databases": [{ "binding": "LOG", "database_name": "log" }]';
  await app.write("wrangler.jsonc", platform(other));
  const named = await framework(app.root, "typecheck");
  assert.ok(named.stderr.startsWith(`${undeclared}Add it to d1_databases, or name`), named.stderr);
  await app.write("wrangler.jsonc", platform());
  await framework(app.root, "doctor", "--fix");
  assert.equal((await framework(app.root, "typecheck")).stderr, "✓ No type errors\n");
});

Deno.test("typecheck --watch writes the types of a durable object that is added", async () => {
  await using app = await createFixtureApp({
    ...fakeTypescript,
    "wrangler.jsonc": JSON.stringify({
      name: "fixture",
      compatibility_date: "2026-07-30",
      compatibility_flags: ["nodejs_compat"],
      d1_databases: [{ binding: "DB", database_name: "fixture", database_id: "fixture" }],
      durable_objects: { bindings: [{ name: "ROOMS", class_name: "Room" }] },
    }),
    "node_modules/typescript/bin/tsc": 'console.log("watching");\nsetInterval(() => {}, 1000);\n',
    "app/page.tsx": "export default () => null;",
  });
  const child = startFramework(app.root, "typecheck", "--watch");
  await child.waitFor(/watching/);
  const types = join(app.root, ".framework/types/app.ts");
  assert.doesNotMatch(await Deno.readTextFile(types), /room\.ts/);
  await app.write("app/objects/room.ts", "export class Room {}");
  await until(() => Deno.readTextFile(types), (text) => /room\.ts/.test(text));
  await child.stop();
});

Deno.test("typecheck checks with Deno when the project has no TypeScript", async () => {
  // The checker reads no more than it must, so the packages' declarations and not their sources.
  await using app = await createPackedApp({
    "deno.json": '{ "compilerOptions": { "lib": ["es2022"] } }',
    "app/a.ts": "export const a = 1;",
  });
  // In types_written_test.ts it finds no mistake, too.
  if (inMatrix) assert.equal((await runFramework(app.root, "typecheck", "--strict")).code, 0);
  await app.write("app/a.ts", 'export const a: number = "text";');
  const wrong = await runFramework(app.root, "typecheck", "--strict");
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /TS2322/);
  await app.write("deno.json", '{ "compilerOptions": { "strictNullChecks": false } }');
  const lax = await framework(app.root, "typecheck", "--strict");
  assert.equal(lax.code, 2);
  assert.match(lax.stderr, /deno\.json turns off strictNullChecks, which --strict asks for/);
});

Deno.test("typecheck says what is missing", async () => {
  await using app = await createFixtureApp({ "tsconfig.json": "{}" });
  const missing = await framework(app.root, "typecheck");
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /typescript is not installed in this project\.\nhint: Run `/);
  await app.remove("tsconfig.json");
  assert.match(
    (await framework(app.root, "typecheck")).stderr,
    /has neither a tsconfig\.json nor/,
  );
});

// Tracks: SP-W5
Deno.test("test runs vitest when the project has it, all files or those that are named", async () => {
  await using app = await createFixtureApp({
    "vitest.config.ts": "export default {};",
    "tests/good.test.ts": 'import { test } from "vitest";\ntest("good", () => {});',
    "tests/bad.test.ts": `import { expect, test } from "vitest";
test("bad", () => expect(1).toBe(2));`,
  });
  await app.remove("node_modules/vitest");
  const missing = await framework(app.root, "test");
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /vitest is not installed in this project\.\nhint: Run `/);

  await install(app, "vitest");
  const all = await runFramework(app.root, "test");
  assert.equal(all.code, 1, all.stderr);
  assert.match(all.stdout, /1 failed \| 1 passed/);

  const page = await framework(app.root, "test", "--ui");
  assert.equal(page.code, 2);
  const { version } = JSON.parse(
    await Deno.readTextFile(join(app.root, "node_modules/vitest/package.json")),
  );
  assert.match(page.stderr, /@vitest\/ui, is not installed[\s\S]*hint: Run `/);
  assert.ok(page.stderr.includes(`@vitest/ui@${version}\``), page.stderr);
  const coverage = await framework(app.root, "test", "--coverage");
  assert.equal(coverage.code, 2);
  assert.ok(coverage.stderr.includes(`@vitest/coverage-v8@${version}\``), coverage.stderr);

  await app.remove("node_modules/vitest");
  for (const [path, text] of Object.entries(fakeVitest)) await app.write(path, text);
  const one = await runFramework(app.root, "test", "tests/good.test.ts");
  assert.equal(one.code, 0, one.stderr);
  assert.equal(one.stdout, "vitest run tests/good.test.ts\n");
  const passed = await runFramework(app.root, "test", "good", "--", "--shard=1/2", "--bail=1");
  assert.equal(passed.stdout, "vitest run good --shard=1/2 --bail=1\n", passed.stderr);
  const unknown = await framework(app.root, "test", "--shard=1/2");
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /"--shard"[^]*follow `--`, .*`framework test -- --bail=1`/);
});

Deno.test("test --watch runs a test with a context again when a file of the application changes", async () => {
  const route = (text: string) => `export const GET = () => "${text}";\n`;
  await using app = await createPackedApp({
    "vitest.config.ts": `import { defineTestConfig } from "@framework/testing/vitest";
export default defineTestConfig();`,
    "app/word/word.ts": 'export const word = "first";\n',
    // The watcher may miss what is written into a folder at the moment in which that is made.
    "migrations/0001_start.sql": "CREATE TABLE start (id INTEGER PRIMARY KEY);",
    "app/word/route.ts":
      'import { word } from "./word.ts";\nexport const GET = () => `<${word}>`;\n',
    "tests/said.test.ts": `import { createTestContext } from "@framework/testing";
import { test } from "vitest";
test("said", async () => {
  await using ctx = await createTestContext();
  for (const path of ["/word", "/later"]) {
    const response = await ctx.fetch(path);
    console.log(path, response.status, response.ok && await response.json());
  }
  const tables = ctx.db.selectFrom("sqlite_schema").select("name").where("name", "=", "words");
  console.log("tables", JSON.stringify(await tables.execute()));
});`,
    "tests/alone.test.ts": `import { test } from "vitest";
test("alone", () => console.log("ran alone"));`,
  });
  const child = startFramework(app.root, "test", "--watch");
  await child.waitFor(/<first>[^]*Waiting for file changes/);
  const alone = child.output().split("ran alone").length;
  await app.write("app/word/word.ts", 'export const word = "second";\n');
  await child.waitFor(/<second>[^]*Waiting for file changes/);
  await app.write("app/later/route.ts", route("third"));
  await child.waitFor(/\/later 200 third[^]*Waiting for file changes/);
  await app.write("migrations/0002_words.sql", "CREATE TABLE words (id INTEGER PRIMARY KEY);");
  await child.waitFor(/tables \[\{"name":"words"\}\][^]*Waiting for file changes/);
  assert.equal(child.output().split("ran alone").length, alone);
  await child.stop();
});

// Tracks: SP-A2
Deno.test("test names defineTestConfig() where vitest would not find the application", async () => {
  await using app = await createFixtureApp({
    "package.json": JSON.stringify({
      type: "module",
      devDependencies: { vitest: "5.0.5", "@framework/testing": "0.1.0" },
    }),
    "tests/good.test.ts": 'import { test } from "vitest";\ntest("good", () => {});',
  });
  const missing = await framework(app.root, "test");
  assert.equal(missing.code, 2, missing.stdout);
  assert.match(
    missing.stderr,
    /has no vitest\.config\.ts.*\nhint: .*export default defineTestConfig\(\)/,
  );

  const environment = 'export default { test: { environment: "miniflare" } };';
  await app.write("vitest.config.ts", environment);
  const foreign = await framework(app.root, "test");
  assert.equal(foreign.code, 2, foreign.stdout);
  assert.match(
    foreign.stderr,
    /vitest\.config\.ts has the environment "miniflare".*\nhint: .*defineTestConfig\(/,
  );

  // A package of that name is the project's own affair.
  await app.write("node_modules/vitest-environment-miniflare/package.json", "{}");
  await app.remove("node_modules/vitest");
  for (const [path, text] of Object.entries(fakeVitest)) await app.write(path, text);
  const installed = await framework(app.root, "test");
  assert.equal(installed.code, 0, installed.stderr);
  await app.remove("node_modules/vitest-environment-miniflare");

  await app.write(
    "vitest.config.ts",
    `import { defineTestConfig } from "@framework/testing/vitest";
export default defineTestConfig({ test: { environment: "miniflare" } });`,
  );
  if (inMatrix) {
    await app.remove("node_modules/vitest");
    await install(app, "vitest");
  }
  const good = await framework(app.root, "test");
  assert.equal(good.code, 0, good.stderr);
});

Deno.test("test --coverage counts the application that a test context loads under Deno", async () => {
  await using app = await createPackedApp({
    "deno.json": '{ "nodeModulesDir": "manual" }',
    "app/page.tsx": `import "./page.css";
export default function Page() {
  return <p>hello</p>;
}`,
    "app/page.css": "p { color: red; }",
    "app/api/route.ts": `export function GET(): object {
  return { ok: true };
}
export function POST(): object {
  return { ok: false };
}`,
    // JavaScript: what Deno makes of types is another test's matter.
    "tests/app_test.js": `import { createTestContext } from "@framework/testing";
Deno.test("app", async () => {
  await using ctx = await createTestContext();
  if ((await ctx.fetch("/api")).status !== 200) throw new Error("not there");
});`,
  });
  // The first run has to compile it, which is the hard case; a second one finds all of it compiled.
  for (let run = 0; run < (inMatrix ? 2 : 1); run++) {
    const { code, stdout, stderr } = await runFramework(app.root, "test", "--coverage");
    assert.equal(code, 0, stdout + stderr);
    const report = stripVTControlCharacters(stdout);
    assert.match(report, /page\.tsx +\| +100\.0 +\| +0\.0 +\| +\d/);
    assert.match(report, /route\.ts +\| +100\.0 +\| +50\.0 +\| +\d/);
    assert.doesNotMatch(report, /page\.css/);
  }
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
  await app.write(
    "tests/plain_test.js",
    'import { half } from "./plain.js";\nDeno.test("plain", () => void half(true));',
  );
  await app.write(
    "tests/plain.js",
    "export function half(is) {\n  if (is) return 1;\n  return 2;\n}",
  );
  // All files or those that are named: the bad one is not among them.
  const covered = await runFramework(app.root, "test", "tests/plain_test.js", "--coverage");
  assert.equal(covered.code, 0, covered.stderr);
  assert.match(stripVTControlCharacters(covered.stdout), /plain\.js +\| +50\.0/);
  const nothing = await runFramework(app.root, "test", "tests/good_test.js", "--coverage");
  assert.equal(nothing.code, 1, nothing.stdout);
  assert.match(nothing.stderr, /No covered files/);
  const first = await runFramework(app.root, "test", "--", "--filter=good");
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /1 passed \| 0 failed/);
  const page = await framework(app.root, "test", "--ui");
  assert.equal(page.code, 2);
  assert.match(page.stderr, /belongs to vitest, and the package vitest is not installed/);
});
