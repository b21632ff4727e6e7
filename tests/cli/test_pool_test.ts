import assert from "node:assert/strict";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { createFixtureApp } from "./fixture_app.ts";
import { runFrameworkWith } from "./framework.ts";

const files = {
  "package.json": JSON.stringify({
    name: "fixture",
    type: "module",
    devDependencies: { vitest: "5.0.5" },
  }),
  "vitest.config.ts": `import { defineTestConfig } from "@framework/testing/vitest";
export default defineTestConfig({});
`,
};

// Stands for a Node that is supported, and says how it was called.
const node = `#!/bin/sh
if [ "$1" = --version ]; then echo v22.13.0; exit; fi
echo "pool: $FRAMEWORK_TEST_POOL"
echo "script: $*"
`;

// Tracks: SP-A2
Deno.test(
  "test --pool runs vitest on Node with the platform's file, and says what is missing for it",
  {
    ignore: Deno.build.os === "windows",
  },
  async () => {
    await using app = await createFixtureApp({ ...files, "bin/node": node });
    await chmod(join(app.root, "bin/node"), 0o755);
    const pool = (PATH: string) =>
      runFrameworkWith({ root: app.root, env: { PATH } }, "test", "--pool", "tests/a.test.ts");
    const withNode = join(app.root, "bin");

    const bare = await pool(withNode);
    assert.equal(bare.code, 2);
    assert.match(bare.stderr, /The worker pool, @cloudflare\/vitest-plugin, is not installed/);
    assert.match(bare.stderr, /hint: Run `deno add --dev npm:@cloudflare\/vitest-plugin@1\.4\.10`/);

    await app.write(
      "node_modules/@cloudflare/vitest-plugin/package.json",
      JSON.stringify({ name: "@cloudflare/vitest-plugin", version: "1.4.10" }),
    );
    const without = await pool(join(app.root, "empty"));
    assert.equal(without.code, 2);
    assert.match(without.stderr, /requires Node, and the PATH has no Node 22\.13 or newer/);
    assert.match(without.stderr, /or run the tests without --pool/);

    const run = await pool(withNode);
    assert.equal(run.code, 0, run.stderr);
    const [place, script] = run.stdout.split("\n");
    assert.equal(place, `pool: ${join(app.root, "wrangler.jsonc")}`);
    assert.match(script!, /vitest\.mjs run tests\/a\.test\.ts$/);
  },
);
