// testStorage() of the packed packages, under each runner, where nothing of the workspace is found.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { capture } from "../../scripts/run_command.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { type Consumer, installConsumer } from "./consumer.ts";

const STORAGES = fileURLToPath(
  new URL("../../testing/storage/fixtures/storages.ts", import.meta.url),
);

let consumer: Consumer;
let folder: string;
Deno.test.beforeAll(async () => {
  consumer = await installConsumer();
  // Below the project, whose packages are found from there.
  folder = await Deno.makeTempDir({ dir: consumer.folder, prefix: "suite-" });
  await Deno.copyFile(STORAGES, join(folder, "storages.test.ts"));
});
Deno.test.afterAll(() => (consumer as Consumer | undefined)?.remove());

/** Runs the test file with a storage of the fixtures. */
async function testOf(storage: string, [program, ...args]: [string, ...string[]]) {
  const { code, stdout, stderr } = await capture(program, args, {
    cwd: folder,
    env: { STORAGES: storage },
  });
  return { code, output: stripVTControlCharacters(stdout + stderr) };
}

/** Broken storages, and the test that finds each. */
const BROKEN = [
  ["that loses a race", "takeSecret() gives a secret to one of 100 at once"],
  ["that forgets a row", "insertSession() ends the session that it replaces"],
  ["that shows what is not committed", "nobody reads what an operation takes back"],
  ["that compares without case", "a token hash opens no session whose hash looks alike"],
] as const;

// Which test fails depends on no runner, and testing/storage/test_storage_test.ts has each; that one fails does.
const broken = inMatrix ? BROKEN : BROKEN.slice(0, 1);
// The one over SQLite is proven there too.
const sound = inMatrix ? "over SQLite" : "in memory";

/** Holds that a runner passes a right storage and fails those that are broken. */
async function assertProves(command: [string, ...string[]]): Promise<void> {
  const right = await testOf(sound, command);
  assert.equal(right.code, 0, right.output);
  const [, passed] = /(\d+) passed/.exec(right.output.replace(/^.*Test Files.*$/m, ""))!;
  assert.ok(Number(passed) > 230, right.output);
  for (const [storage, failed] of broken) {
    const { code, output } = await testOf(storage, command);
    assert.equal(code, 1, output);
    assert.ok(output.includes(`a storage ${storage}: ${failed}`), output);
  }
}

// testing/storage/test_storage_test.ts runs under Deno what the package holds.
if (inMatrix) {
  Deno.test("testStorage() of the packed package proves a storage under deno test", async () => {
    await assertProves([Deno.execPath(), "test", "-A", "--no-check", "storages.test.ts"]);
  });
}

Deno.test({
  name: `testStorage() of the packed package proves a storage under vitest${
    nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]"
  }`,
  ignore: !nodeIsAvailable,
  async fn() {
    const vitest = join(consumer.folder, "node_modules", "vitest", "vitest.mjs");
    await assertProves([(await findNodes()).newest, vitest, "run", "--root", folder]);
  },
});
