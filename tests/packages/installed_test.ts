import assert from "node:assert/strict";
import { join } from "node:path";
import { capture } from "../../scripts/run_command.ts";
import { findNodes, findOldestNodeOfCommand, nodeIsAvailable } from "../support/node.ts";
import { type Consumer, entriesOf, installConsumer } from "./consumer.ts";

let consumer: Consumer;
Deno.test.beforeAll(async () => {
  consumer = await installConsumer();
});
Deno.test.afterAll(() => (consumer as Consumer | undefined)?.remove());

const noNode = nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]";
// Declares tests with Deno's own test runner.
const forDeno = ["@framework/testing/deno"];

/** Imports entries on a Node, each by itself, and compares the answers. */
async function importOn(program: string, entries: string[]): Promise<void> {
  const script = entries
    .map((entry) => `console.log("${entry}", Object.keys(await import("${entry}")).length >= 0);`);
  await Deno.writeTextFile(join(consumer.folder, "import.mjs"), script.join("\n"));
  const { code, stdout, stderr } = await capture(program, ["import.mjs"], {
    cwd: consumer.folder,
  });
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.trim().split("\n"), entries.map((entry) => `${entry} true`));
}

Deno.test({
  name: `every entry of @framework/auth imports on Node 20${noNode}`,
  ignore: !nodeIsAvailable,
  fn: async () =>
    importOn((await findNodes()).oldest, entriesOf(consumer.build, "@framework/auth")),
});

Deno.test({
  name: `every entry of all packages imports on Node 22.13 and on the newest${noNode}`,
  ignore: !nodeIsAvailable,
  fn: async () => {
    for (const program of [await findOldestNodeOfCommand(), (await findNodes()).newest]) {
      await importOn(
        program,
        entriesOf(consumer.build).filter((entry) => !forDeno.includes(entry)),
      );
    }
  },
});

Deno.test({
  name: `the framework command runs on Node 22.13 and on the newest, and on Node 20 exits 2 and ` +
    `names both ways out${noNode}`,
  ignore: !nodeIsAvailable,
  fn: async () => {
    const bin = join(consumer.folder, "node_modules", "@framework", "cli", "main.js");
    const { oldest, newest } = await findNodes();
    for (const program of [await findOldestNodeOfCommand(), newest]) {
      const { code, stdout, stderr } = await capture(program, [bin, "--version"]);
      assert.equal(code, 0, stderr);
      assert.equal(stdout.trim(), versionOf("@framework/cli"));
    }
    const refused = await capture(oldest, [bin, "--version"]);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /Node 22\.13/);
    assert.match(refused.stderr, /Deno/);
  },
});

Deno.test("the framework command of the installed package runs on Deno", async () => {
  const { stdout } = await consumer.runPackage("@framework/cli/main.js", ["--version"]);
  assert.equal(stdout.trim(), versionOf("@framework/cli"));
});

function versionOf(name: string): string {
  return consumer.build.packages.find(({ manifest }) => manifest.name === name)!.manifest.version;
}
