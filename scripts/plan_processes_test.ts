import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { planProcesses } from "./plan_processes.ts";

const good = 'Deno.test("good", () => {});\n';

Deno.test("planProcesses() gives a long test across packages, and one that starts workerd, a process of its own, the others one for some of a folder, and begins with the longest", async () => {
  const cwd = await Deno.makeTempDir({ prefix: "framework-planted-" });
  try {
    const pure = Array.from({ length: 30 }, (_, n) => `pure_${n}_test.ts`);
    const across = Array.from({ length: 5 }, (_, n) => `tests/cli/${n}_test.ts`);
    const chromium = Array.from({ length: 5 }, (_, n) => `tests/cli/browser_${n}_test.ts`);
    const times = { "tests/cli/long_test.ts": 40, "tests/docs/longer_test.ts": 50 };
    const inBrowser = `import { launchBrowser } from "../support/browser.ts";\n${good}`;
    const inWorkerd = `import { Miniflare } from "miniflare";\n${good}`;
    const texts = {
      ...Object.fromEntries([...pure, ...across].map((file) => [file, good])),
      ...Object.fromEntries([...chromium, ...Object.keys(times)].map((file) => [file, inBrowser])),
      "tests/docs/short_test.ts": good,
      "tests/docs/helped_test.ts":
        'import { launchBrowser } from "../support/browser.ts";\nregister();\n',
      "tests/docs/worker_test.ts": inWorkerd,
      "bundle_test.ts": `import * as esbuild from "esbuild";\n${good}`,
      "worker_test.ts": inWorkerd,
      "helped_test.ts": 'import { register } from "./register.ts";\nregister();\n',
      "scripts/test_seconds.json": JSON.stringify(times),
    };
    for (const [name, text] of Object.entries(texts)) {
      await Deno.mkdir(join(cwd, dirname(name)), { recursive: true });
      await Deno.writeTextFile(join(cwd, name), text);
    }
    const files = Object.keys(texts).filter((name) => name.endsWith(".ts"));
    assert.deepEqual(await planProcesses(files, cwd), [
      { files: ["tests/docs/longer_test.ts"], shared: false },
      { files: ["tests/cli/long_test.ts"], shared: false },
      { files: across.slice(0, 4), shared: true },
      { files: chromium.slice(0, 4), shared: true },
      { files: pure.slice(0, 24), shared: true },
      { files: ["tests/docs/helped_test.ts"], shared: false },
      { files: ["tests/docs/worker_test.ts"], shared: false },
      { files: ["helped_test.ts"], shared: false },
      { files: across.slice(4), shared: true },
      { files: chromium.slice(4), shared: true },
      { files: ["tests/docs/short_test.ts"], shared: true },
      { files: ["bundle_test.ts", "worker_test.ts"], shared: false },
      { files: pure.slice(24), shared: true },
    ]);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
});
