// The shapes in which the testing package is used, as an application's own test files, run without
// a change under each runner of Deno; vitest_versions_test.ts has every one of them on Node.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { fileURLToPath } from "node:url";
import { capture, type Finished } from "../../scripts/run_command.ts";
import { inMatrix } from "../support/matrix.ts";
import { createStarter, type Starter } from "../support/starter.ts";

const project = fileURLToPath(new URL("./project", import.meta.url));
const SPECS = [
  "api",
  "client",
  "component",
  "env",
  "fixture",
  "loader",
  "look",
  "middleware",
  "mocks",
  "object",
  "outgoing",
  "queue",
  "room",
];
const TESTS = 41;
/** Other tests may run beside these; with a process for each file, the default, tests/demo/demo_packages_test.ts runs it. */
const PATIENT = `import { defineTestConfig } from "@framework/testing/vitest";
export default defineTestConfig({
  test: { testTimeout: 300_000, hookTimeout: 300_000, isolate: false },
});
`;
let starter: Starter;

Deno.test.beforeAll(async () => {
  starter = await createStarter();
  await cp(project, starter.root, { recursive: true });
  await Deno.writeTextFile(join(starter.root, "vitest.config.ts"), PATIENT);
});

Deno.test.afterAll(async () => {
  await (starter as Starter | undefined)?.remove();
});

const filesOf = (names: string[]) =>
  names.map((name) => `tests/${name}.spec.${name === "component" ? "tsx" : "ts"}`);

function vitestPassed({ code, stdout, stderr }: Finished): void {
  assert.equal(code, 0, stdout + stderr);
  const output = stripVTControlCharacters(stdout);
  assert.match(output, new RegExp(`Test Files +${SPECS.length} passed \\(${SPECS.length}\\)`));
  assert.match(output, new RegExp(`Tests +${TESTS} passed \\(${TESTS}\\)`));
}

/** Those that what runs them may change: how it loads files, what its functions are, where contexts end. */
const OF_THE_RUNNER = ["client", "component", "env", "fixture", "look", "mocks"];
const chosen = inMatrix ? SPECS : OF_THE_RUNNER;
const passing = inMatrix ? TESTS : 16;

Deno.test("usage shapes pass under deno test", async () => {
  // The types are checked below.
  const args = ["test", "-A", "--no-check", ...filesOf(chosen)];
  const { code, stdout, stderr } = await capture(Deno.execPath(), args, { cwd: starter.root });
  assert.equal(code, 0, stdout + stderr);
  assert.match(
    stripVTControlCharacters(stdout),
    new RegExp(`ok \\| ${passing} passed (?:.* )?\\| 0 failed`),
  );
});

// On a push tests/demo/demo_packages_test.ts has the script run tests of the starter.
if (inMatrix) {
  Deno.test("every usage shape passes under vitest on Deno, by the script", async () => {
    const args = ["task", "test", ...filesOf(SPECS)];
    vitestPassed(await capture(Deno.execPath(), args, { cwd: starter.root }));
  });
}

Deno.test("the types of every usage shape hold", async () => {
  const { code, stdout, stderr } = await starter.script("typecheck");
  assert.equal(code, 0, stdout + stderr);
});

const FAILING = `
import { createTestContext } from "@framework/testing";
import { describe, expect, it } from "vitest";

describe("items", () => {
  it("has <b>none</b>", async () => {
    await using ctx = await createTestContext();
    await ctx.fetch("/api/items?search=milk");
    expect(1, "the expectation of the test").toBe(2);
  });
  it("passes", async () => {
    await using ctx = await createTestContext();
    expect((await ctx.fetch("/api/items")).status).toBe(200);
  });
});
`;

Deno.test("a test that fails leaves its trace as one HTML file, under deno test and under vitest", async () => {
  const file = join(starter.root, "tests", "failing.spec.ts");
  const traces = join(starter.root, ".framework", "traces");
  await Deno.writeTextFile(file, FAILING);
  try {
    const runners = [["test", "-A", "--no-check"], ["run", "-A", "npm:vitest", "run"]];
    for (const args of runners) {
      const { code, stdout, stderr } = await capture(Deno.execPath(), [...args, file], {
        cwd: starter.root,
      });
      assert.equal(code, 1, stdout + stderr);
      const written = [...Deno.readDirSync(traces)].map(({ name }) => name);
      assert.deepEqual(written, ["items-has-b-none-b.html"]);
      const path = join(traces, written[0]!);
      assert.ok(stripVTControlCharacters(stdout + stderr).includes(path), stderr);
      const page = await Deno.readTextFile(path);
      assert.match(page, /<h1>.*items &gt; has &lt;b&gt;none&lt;\/b&gt;<\/h1>/);
      assert.match(page, /the expectation of the test/);
      assert.match(page, /GET \/api\/items\?search=milk → 200/);
      assert.match(page, /DB\.all\(\)[^]*select .*items/i);
      await Deno.remove(traces, { recursive: true });
    }
  } finally {
    await Deno.remove(file);
  }
});
