import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withProject } from "../../tests/support/command_line.ts";
import { CliError } from "../terminal/exit.ts";
import { writeGenerated } from "./write.ts";

const switches = { force: true, dryRun: false, signal: new AbortController().signal };

// Tracks: F43
Deno.test("writeGenerated() leaves everything as it was when the disk refuses the last file", () =>
  withProject({ "app/page.tsx": "old" }, async (root) => {
    const within = join(root, "app");
    const files = [
      { path: join(within, "page.tsx"), text: "new", within },
      { path: join(within, "a", "b", "page.tsx"), text: "new", within },
      // Short enough for a name, too long for the name of its draft.
      { path: join(within, "c", "x".repeat(250)), text: "new", within },
    ];
    await assert.rejects(writeGenerated(files, { ...switches, root }), CliError);
    assert.deepEqual(readdirSync(within), ["page.tsx"]);
    assert.equal(readFileSync(join(within, "page.tsx"), "utf8"), "old");
  }));

Deno.test("writeGenerated() leaves nothing behind when it is interrupted", () =>
  withProject({ "app/page.tsx": "old" }, async (root) => {
    const within = join(root, "app");
    const files = [{ path: join(within, "a", "page.tsx"), text: "new", within }];
    const signal = AbortSignal.abort();
    await assert.rejects(writeGenerated(files, { ...switches, root, signal }), {
      name: "AbortError",
    });
    assert.deepEqual(readdirSync(within), ["page.tsx"]);
  }));
