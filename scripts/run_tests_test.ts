import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { until } from "../tests/support/until.ts";
import { capture } from "./run_command.ts";
import { repositoryRoot } from "./workspace.ts";
import { dearest, findTested, type Outcome, runTests, withoutWorkerd } from "./run_tests.ts";

type Look = (outcome: Outcome, folder: string) => Promise<void> | void;

/** Runs planted files, and looks at what came of them. */
async function plant(texts: Record<string, string>, look: Look, limit?: number): Promise<void> {
  const cwd = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-planted-" }));
  try {
    for (const [name, text] of Object.entries(texts)) {
      await Deno.mkdir(join(cwd, dirname(name)), { recursive: true });
      await Deno.writeTextFile(join(cwd, name), text);
    }
    await look(await runTests(Object.keys(texts), { cwd, limit }), cwd);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
}

/** The same for files of which one hangs: with more time where the others had not yet ended. */
async function plantHanging(texts: Record<string, string>, look: Look, first = 4): Promise<void> {
  for (let limit = first;; limit *= 3) {
    try {
      return await plant(texts, look, limit);
    } catch (error) {
      if (limit > 100) throw error;
    }
  }
}

const good = 'Deno.test("good", () => {});\n';
const forever = "setInterval(() => {}, 1000)";

Deno.test("runTests() runs a file once whose tests a helper registers", () =>
  plant(
    {
      "good_test.ts": good,
      "helped_test.ts": 'import { register } from "./register/one_test.ts";\nregister("helped");\n',
      "register/one_test.ts":
        `export const register = (name) => Deno.test(name, () => {});\n${good}`,
    },
    ({ passed, failures }) => {
      assert.deepEqual(failures, []);
      assert.equal(passed, 4);
    },
  ));

Deno.test("runTests() counts tests with their steps, and tells failures with what they said and where", () =>
  plant(
    {
      "bad_test.ts": `${good}Deno.test("bad", async (t) => {
  await t.step("a <step> & more", () => { throw new Error("so\\nand so"); });
});`,
      "skipped_test.ts": `${good}Deno.test({ name: "skipped", ignore: true, fn() {} });`,
    },
    ({ passed, failures, skips }) => {
      assert.equal(passed, 2);
      assert.deepEqual(failures, [
        "bad_test.ts: bad > a <step> & more\n    Uncaught Error: so\n    and so\n" +
        "    at bad_test.ts:3:49\n    at bad_test.ts:3:11",
      ]);
      assert.deepEqual(skips, ["skipped_test.ts: skipped"]);
    },
  ));

/** Failures without the seconds of their limit, which differs from try to try. */
function withoutSeconds(failures: string[]): string[] {
  return failures.map((failure) => failure.replace(/after \d+ s/, "after N s"));
}

Deno.test("runTests() ends a test that hangs, names it with its step and the seconds, and runs what stood behind it and the files that are left", () =>
  plantHanging(
    {
      "a_test.ts": good,
      "b_test.ts": `${good}Deno.test("hangs", async (t) => {
  await t.step("one", () => {});
  await t.step("two", () => new Promise(() => ${forever}));
});
Deno.test("behind (with /.*/ signs)", async (t) => { await t.step("one", () => {}); });
Deno.test({ name: "behind, skipped", ignore: true, fn() {} });
Deno.test("behind, bad", () => { throw new Error("so"); });`,
      "c_test.ts": good,
    },
    ({ passed, failures, skips }) => {
      // The step before the one that hangs is one of them.
      assert.equal(passed, 6);
      assert.match(failures[0] ?? "", /after (?:4|12|36|108) s/);
      assert.deepEqual(withoutSeconds(failures), [
        "b_test.ts: hangs\n    hung, in its step two, and was ended after N s of its process",
        "b_test.ts: behind, bad\n    Uncaught Error: so\n    at b_test.ts:8:40",
      ]);
      assert.deepEqual(skips, ["b_test.ts: behind, skipped"]);
    },
  ));

Deno.test("runTests() runs once again what stood behind a test that hangs, and says what still was not reached", () =>
  plantHanging(
    {
      "a_test.ts": ["first", "second", "third", "fourth"].map((name) =>
        name === "fourth"
          ? `Deno.test("fourth", () => {});\n`
          : `Deno.test("${name}", () => new Promise(() => ${forever}));\n`
      ).join(""),
    },
    ({ passed, failures }) => {
      assert.equal(passed, 0);
      assert.deepEqual(withoutSeconds(failures), [
        "a_test.ts: first\n    hung, and was ended after N s of its process",
        "a_test.ts: second\n    hung, and was ended after N s of its process",
        "a_test.ts: third\n    was not reached",
        "a_test.ts: fourth\n    was not reached",
      ]);
    },
  ));

Deno.test("runTests() tells a test that an error outside of it has cancelled from one that hangs, and runs what stood behind it", () =>
  plant(
    {
      "a_test.ts": `${good}Deno.test("cancelled", async () => {
  setTimeout(() => void Promise.reject(new Error("late\\nand so")), 10);
  await new Promise((done) => setTimeout(done, 10_000));
});
Deno.test("behind", () => {});`,
      "tests_test.ts": good,
    },
    ({ passed, failures }) => {
      assert.equal(passed, 3);
      assert.deepEqual(failures, [
        "a_test.ts: cancelled\n    was cancelled by an error outside of the tests: (in promise) Error: late",
      ]);
    },
  ));

Deno.test("runTests() tells of an error, and of what hangs, after the last test of a file", () =>
  plantHanging(
    {
      "tests/error_test.ts": `${good}Deno.test.afterAll(() => new Promise((done) => {
  setTimeout(() => void Promise.reject(new Error("late")), 10);
  setTimeout(done, 1000);
}));`,
      "tests/hung_test.ts": `${good}Deno.test.afterAll(() => new Promise(() => ${forever}));`,
    },
    ({ passed, failures }) => {
      assert.equal(passed, 2);
      assert.deepEqual(withoutSeconds(failures).toSorted(), [
        "tests/error_test.ts: an error outside of its tests: (in promise) Error: late",
        "tests/hung_test.ts: hung outside of its tests, and was ended after N s",
      ]);
    },
  ));

Deno.test("runTests() ends a test that never gives the processor back", () =>
  plantHanging({ "a_test.ts": 'Deno.test("busy", () => { for (;;); });' }, ({ failures }) => {
    assert.deepEqual(withoutSeconds(failures), [
      "a_test.ts: busy\n    hung, and was ended after N s of its process",
    ]);
    // It takes the processor from others all the while.
  }, 1));

Deno.test("runTests() names the file in which a process dies, and runs the others", () =>
  plant(
    {
      "a_test.ts": good,
      "b_test.ts": `import process from "node:process";
Deno.test("dies", () => process.kill(process.pid, "SIGKILL"));`,
      "c_test.ts": good,
      "exits_test.ts": 'Deno.test("exits", () => Deno.exit(0));',
    },
    ({ passed, failures }) => {
      assert.equal(passed, 2);
      assert.deepEqual(failures.toSorted(), [
        "b_test.ts: no test of it was reported",
        "exits_test.ts: exits\n    Uncaught Error: Test case attempted to exit with exit code: 0\n" +
        "    at exits_test.ts:1:31",
      ]);
    },
  ));

Deno.test("runTests() names a file that does not load, one that has no test, and one that never loads", () =>
  plantHanging(
    {
      "a_test.ts": "throw new Error('no module');",
      "b_test.ts": "export {};",
      "c_test.ts": `await new Promise(() => ${forever});`,
      "d_test.ts": good,
    },
    ({ passed, failures }) => {
      assert.equal(passed, 1);
      assert.deepEqual(withoutSeconds(failures).toSorted(), [
        "a_test.ts: no test of it was reported",
        "b_test.ts: no test of it was reported",
        "c_test.ts: no test of it was reported, and it was ended after N s",
      ]);
    },
  ));

/** Returns true when a process has ended. One that nobody waits for may stay as a zombie. */
async function hasEnded(pid: number): Promise<boolean> {
  const { stdout } = await capture("ps", ["-o", "stat=", "-p", String(pid)]);
  return /^$|^Z/.test(stdout.trim());
}

for (const hangs of [false, true]) {
  const what = hangs ? "of a test that hangs, in a group of its own" : "that a test leaves behind";
  Deno.test(`runTests() ends the child ${what}`, () =>
    (hangs ? plantHanging : plant)({
      "a_test.ts": `import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
Deno.test({ name: "leaks", sanitizeOps: false, sanitizeResources: false, async fn() {
  const child = spawn("sleep", ["1000"], { detached: ${hangs}, stdio: "inherit" });
  child.unref();
  writeFileSync("child", String(child.pid));
  ${hangs ? `await new Promise(() => ${forever});` : ""}
} });`,
    }, async (_outcome, folder) => {
      const child = Number(await Deno.readTextFile(join(folder, "child")));
      assert.ok(child > 0);
      await until(() => hasEnded(child), () => `The child ${child} is still there.`);
    }));
}

Deno.test("dearest() lists what took the most processor time, and the sum of all", () => {
  const costs = [
    { name: "types", seconds: 26.42 },
    { name: "a_test.ts", seconds: 0.3 },
    { name: "b_test.ts", seconds: 100 },
  ];
  assert.deepEqual(dearest(costs, 2), [
    "Processor time: 126.7 s, of which the most:",
    "  100.0 s  b_test.ts",
    "   26.4 s  types",
  ]);
});

Deno.test("findTested() finds tests and examples, and nothing that deno.json excludes", async () => {
  const { tests, examples } = await findTested(["."]);
  assert.ok(tests.includes("scripts/run_tests_test.ts"));
  assert.deepEqual(tests.filter((file) => file.endsWith("/test.ts")), []);
  assert.ok(examples.includes("auth/convention.ts") && examples.includes("README.md"));
  const excluded = /node_modules|^tests\/output|templates\/starter\//;
  assert.deepEqual([...tests, ...examples].filter((file) => excluded.test(file)), []);
  assert.deepEqual(
    (await findTested(["./scripts/"])).tests,
    tests.filter((file) => /^scripts/.test(file)),
  );
});

Deno.test("withoutWorkerd() leaves out the files that start workerd, and no other", async () => {
  const { tests } = await findTested(["auth", "testing"]);
  const quick = await withoutWorkerd(tests);
  const left = tests.filter((file) => !quick.includes(file));
  assert.ok(left.includes("auth/tenant/tenant_workerd_test.ts"));
  assert.ok(left.includes("testing/platform/kv_conformance_test.ts"));
  assert.deepEqual(
    left.filter((file) => !/(?:workerd|limits|conformance|production)_test/.test(file)),
    [],
  );
  assert.ok(quick.includes("auth/storage/storage_conformance_test.ts"));
});

Deno.test("runTests() runs files in one isolate, and hides no fault that they have only together", () =>
  plant(
    {
      "a_test.ts": `(globalThis as { planted?: number }).planted = 1;\n${good}`,
      "b_test.ts": `Deno.test("alone", () => {
  if ((globalThis as { planted?: number }).planted) queueMicrotask(() => { throw new Error("late"); });
});
Deno.test("behind", () => new Promise((done) => setTimeout(done, 50)));`,
    },
    ({ passed, failures }) => {
      assert.equal(passed, 3);
      assert.deepEqual(failures, [
        "a_test.ts, b_test.ts: failed together, though each of them passes alone",
      ]);
    },
  ));

Deno.test("scripts/test_seconds.json has the seconds of tests that are there", async () => {
  const times: Record<string, number> = JSON.parse(
    await Deno.readTextFile(join(repositoryRoot, "scripts", "test_seconds.json")),
  );
  const { tests } = await findTested(["tests"]);
  assert.deepEqual(Object.keys(times).filter((file) => !tests.includes(file)), []);
  assert.ok(Object.values(times).every((seconds) => Number.isInteger(seconds) && seconds > 0));
});
