import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeForgotten, placeOf } from "./forgotten_contexts.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const cwd = fileURLToPath(new URL("./fixtures/project/", import.meta.url));

Deno.test("describeForgotten() names each place once", () => {
  assert.equal(describeForgotten([]), null);
  const text = describeForgotten(["at a.ts:1:1", "at b.ts:2:2", "at a.ts:1:1"]) ?? "";
  assert.match(
    text,
    /^3 test contexts were not cleaned up\. .*\n {2}at a\.ts:1:1 \(2×\)\n {2}at b/s,
  );
});

Deno.test("placeOf() is where the test calls, not where the library does", () => {
  const error = new Error();
  error.stack = [
    "Error: made here",
    "    at createTestContext (file:///x/node_modules/@framework/testing/context/test_context.js:1:1)",
    "    at file:///x/tests/items.spec.ts:7:21",
    "    at node:internal/process:1:1",
  ].join("\n");
  assert.equal(placeOf(error), "at file:///x/tests/items.spec.ts:7:21");
});

// Tracks: F50
Deno.test("a context that was not cleaned up is named when the process ends", async () => {
  const folder = await mkdtemp(join(tmpdir(), "forgotten-"));
  try {
    const file = join(folder, "forgetful_test.ts");
    const module = new URL("./test_context.ts", import.meta.url).href;
    await writeFile(
      file,
      `import { createTestContext } from "${module}";
       const cwd = ${JSON.stringify(cwd)};
       Deno.test("forgets", async () => { await createTestContext({ cwd }); });
       Deno.test("crashes", async () => { await createTestContext({ cwd }); throw new Error("crash"); });
       Deno.test("goes on", async () => {
         await using ctx = await createTestContext({ cwd });
         const response = await ctx.fetch("/api/items");
         if ((await response.json()).length > 0) throw new Error("not a fresh database");
       });`,
    );
    const config = join(repository, "deno.json");
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--no-check", "--config", config, file],
      cwd: repository,
      env: { NO_COLOR: "1" },
    }).output();
    const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assert.match(output, /2 passed \| 1 failed/);
    assert.match(output, /2 test contexts were not cleaned up\..*forgetful_test\.ts:3:\d+/s);
  } finally {
    await rm(folder, { recursive: true });
  }
});
