// Every shape in which the testing package is used, as an application's own test files, run without
// a change under each runner.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { fileURLToPath } from "node:url";
import { capture, type Finished } from "../../scripts/run_command.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { createStarter, type Starter } from "../support/starter.ts";

const project = fileURLToPath(new URL("./project", import.meta.url));
const SPECS = [
  "api",
  "client",
  "component",
  "env",
  "fixture",
  "loader",
  "middleware",
  "object",
  "outgoing",
  "queue",
  "room",
];
const TESTS = 37;
let starter: Starter;

Deno.test.beforeAll(async () => {
  starter = await createStarter();
  await cp(project, starter.root, { recursive: true });
});

Deno.test.afterAll(async () => {
  await (starter as Starter | undefined)?.remove();
});

const specs = SPECS.map((name) => `tests/${name}.spec.${name === "component" ? "tsx" : "ts"}`);

function vitestPassed({ code, stdout, stderr }: Finished): void {
  assert.equal(code, 0, stdout + stderr);
  const output = stripVTControlCharacters(stdout);
  assert.match(output, new RegExp(`Test Files +${SPECS.length} passed \\(${SPECS.length}\\)`));
  assert.match(output, new RegExp(`Tests +${TESTS} passed \\(${TESTS}\\)`));
}

Deno.test("every usage shape passes under deno test", async () => {
  const { code, stdout, stderr } = await capture(Deno.execPath(), ["test", "-A", ...specs], {
    cwd: starter.root,
  });
  assert.equal(code, 0, stdout + stderr);
  assert.match(
    stripVTControlCharacters(stdout),
    new RegExp(`ok \\| ${TESTS} passed (?:.* )?\\| 0 failed`),
  );
});

Deno.test("every usage shape passes under vitest on Deno", async () => {
  vitestPassed(
    await capture(Deno.execPath(), ["run", "-A", "npm:vitest", "run", ...specs], {
      cwd: starter.root,
    }),
  );
});

Deno.test({
  name: `every usage shape passes under vitest on the newest Node${
    nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]"
  }`,
  ignore: !nodeIsAvailable,
  fn: async () => {
    const { newest } = await findNodes();
    vitestPassed(
      await capture(newest, [join("node_modules", "vitest", "vitest.mjs"), "run", ...specs], {
        cwd: starter.root,
      }),
    );
  },
});

Deno.test("the types of every usage shape hold", async () => {
  const { code, stdout, stderr } = await starter.script("typecheck");
  assert.equal(code, 0, stdout + stderr);
});
