import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/run_command.ts";
import { bundleEntries } from "../support/bundle.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";

const PROGRAM = fileURLToPath(new URL("./sqlite_on_node.ts", import.meta.url));

for (const which of ["supported", "newest"] as const) {
  // The oldest node:sqlite fills numbered parameters by name only.
  Deno.test({
    name: `the storage over node:sqlite does on the ${which} Node what it does everywhere`,
    ignore: !nodeIsAvailable,
    async fn() {
      const folder = await Deno.makeTempDir({ prefix: "framework-sqlite-" });
      try {
        const [program] = await bundleEntries([PROGRAM]);
        const file = join(folder, program!.name);
        await Deno.writeTextFile(file, program!.text);
        const node = (await findNodes())[which];
        const { stdout } = await run(node, ["--no-warnings", file]);
        const { passed, failures } = JSON.parse(stdout) as { passed: number; failures: string[] };
        assert.deepEqual(failures, []);
        assert.ok(passed > 50, `only ${passed} cases ran`);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}
