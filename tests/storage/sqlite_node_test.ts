import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/run_command.ts";
import { canHaveBetterSqlite3, installBetterSqlite3 } from "../support/better_sqlite3.ts";
import { bundleEntries } from "../support/bundle.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";

const PROGRAM = fileURLToPath(new URL("./sqlite_on_node.ts", import.meta.url));

/** Runs all cases on a Node. */
async function runCases(node: string, driver: string[] = []): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-sqlite-" });
  try {
    const [program] = await bundleEntries([PROGRAM]);
    const file = join(folder, program!.name);
    await Deno.writeTextFile(file, program!.text);
    const { stdout } = await run(node, ["--no-warnings", file, ...driver]);
    const { passed, failures } = JSON.parse(stdout) as { passed: number; failures: string[] };
    assert.deepEqual(failures, []);
    assert.ok(passed > 50, `only ${passed} cases ran`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

for (const which of ["supported", "newest"] as const) {
  // The oldest node:sqlite fills numbered parameters by name only.
  Deno.test({
    name: `the storage over node:sqlite does on the ${which} Node what it does everywhere`,
    ignore: !nodeIsAvailable,
    fn: async () => await runCases((await findNodes())[which]),
  });
}

if (inMatrix) {
  // Tracks: AU-05
  Deno.test({
    name: "the storage over better-sqlite3 does on Node 20 what it does everywhere" +
      " [unavoidable: it is compiled, by what Debian's build-essential and libnode-dev hold]",
    ignore: !nodeIsAvailable || !await canHaveBetterSqlite3(),
    async fn() {
      const { oldest } = await findNodes();
      await runCases(oldest, [await installBetterSqlite3(oldest)]);
    },
  });
}
