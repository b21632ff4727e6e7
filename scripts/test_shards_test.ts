import assert from "node:assert/strict";
import { divide, findTested, isTestFile } from "./test_shards.ts";

Deno.test("isTestFile() takes what deno test takes", () => {
  for (const path of ["a_test.ts", "x/a_test.tsx", "a.test.js", "x/test.ts"]) {
    assert.ok(isTestFile(path), path);
  }
  for (const path of ["a.ts", "x/test_report.ts", "latest.ts", "a_test.md"]) {
    assert.ok(!isTestFile(path), path);
  }
});

Deno.test("findTested() finds tests and examples, and nothing that deno.json excludes", async () => {
  const files = await findTested([".", "./scripts/test_shards_test.ts"]);
  assert.ok(files.includes("scripts/test_shards_test.ts"));
  assert.ok(files.includes("auth/convention.ts") && files.includes("README.md"));
  assert.deepEqual(files, [...new Set(files)].sort());
  assert.deepEqual(
    files.filter((file) => /node_modules|^tests\/output|templates\/starter\//.test(file)),
    [],
  );
});

Deno.test("divide() leaves slow files alone, puts others together by folder, and begins with the longest", () => {
  const files = [
    "README.md",
    "auth/a_test.ts",
    "auth/b/c/d_test.ts",
    "auth/b/e_test.ts",
    "x/slow_test.ts",
  ];
  const shards = divide(files, { "x/slow_test.ts": 30, "auth/a_test.ts": 2 });
  assert.deepEqual(
    shards.map(({ name }) => name),
    ["x/slow_test.ts", "examples", "auth", "auth/b"],
  );
  assert.deepEqual(shards.flatMap((shard) => shard.files).sort(), files);
  assert.deepEqual(shards[3]!.files, ["auth/b/c/d_test.ts", "auth/b/e_test.ts"]);
  assert.deepEqual(shards.map(({ examples }) => examples ?? false), [false, true, false, false]);
});
