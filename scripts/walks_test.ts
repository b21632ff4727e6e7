import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "./run_command.ts";
import { repositoryRoot } from "./workspace.ts";

/** The most files that a warm request may enter: whoever follows it through the code opens each of them. */
const MOST: Record<string, number> = {
  "session read": 15,
  "password sign-in": 31,
  "OAuth callback": 41,
};

Deno.test("a warm request enters no more files than are counted for it", async () => {
  const program = join(repositoryRoot, "scripts", "walks.ts");
  const { stdout } = await run(Deno.execPath(), ["run", "-A", "--no-check", program]);
  const found = stdout.matchAll(/^(.+): (\d+) files$/gm);
  const counts: Record<string, number> = Object.fromEntries(
    [...found].map(([, walk, files]) => [walk, Number(files)]),
  );
  assert.deepEqual(Object.keys(counts), Object.keys(MOST));
  for (const [walk, files] of Object.entries(counts)) {
    assert.ok(files <= MOST[walk]!, `${walk}: ${files} files`);
  }
});
