import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { permissions } from "../../scripts/compile_permissions.ts";
import { startChild } from "../support/child.ts";
import { createFixtureApp } from "./fixture_app.ts";
import { processesIn, until } from "./framework.ts";

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const files = { "app/page.tsx": "export default () => <p>first</p>;" };

/** Deno under a name of its own, as a compiled command is. */
async function copyDeno(folder: string): Promise<string> {
  const program = join(folder, "framework");
  await Deno.link(Deno.execPath(), program).catch(() => Deno.copyFile(Deno.execPath(), program));
  return program;
}

// Under Deno they run in the command's own, which dev_versions_test.ts asks.
// Tracks: R157, F41
Deno.test({
  name: "a compiled command drives the tools in a process of its own, which ends with it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using app = await createFixtureApp(files);
    const folder = await Deno.makeTempDir({ prefix: "framework-compiled-" });
    try {
      const program = await copyDeno(folder);
      const start = (...args: string[]) =>
        startChild(program, ["run", ...permissions, main, ...args], { cwd: app.root });

      const build = start("build");
      await build.waitFor(/dist/);
      await until(() => processesIn(app.root), (found) => found.length === 0);
      await build.stop();
      assert.match(await Deno.readTextFile(join(app.root, "dist/worker.js")), /first/);

      const dev = start("dev", "--port", "0");
      const [, origin] = await dev.waitFor(/ready at (http:\S+)/);
      assert.match(await (await fetch(origin!)).text(), /<p>first<\/p>/);
      const drivers = processesIn(app.root).filter((pid) =>
        Deno.readTextFileSync(`/proc/${pid}/cmdline`).includes("driver.ts")
      );
      assert.equal(drivers.length, 1);
      Deno.kill(dev.pid, "SIGKILL");
      await dev.stop();
      await until(() => processesIn(app.root), (found) => found.length === 0);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
