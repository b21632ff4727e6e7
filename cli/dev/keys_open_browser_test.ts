import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { openBrowser } from "./keys.ts";

const url = "http://localhost:8787";

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

Deno.test("openBrowser() starts what BROWSER names with the address, as one argument", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "framework-browser-"));
  try {
    const program = join(folder, "browser");
    await writeFile(
      program,
      `#!/bin/sh\nprintf '%s|' "$$" "$#" "$@" > "${folder}/part"\nmv "${folder}/part" "${folder}/opened"\n`,
    );
    await chmod(program, 0o755);
    assert.equal(await openBrowser(url, { BROWSER: program, PATH: "/usr/bin:/bin" }), undefined);
    let opened = "";
    while (opened === "") {
      opened = await readFile(join(folder, "opened"), "utf8").catch(() => "");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const [pid, ...given] = opened.split("|");
    assert.deepEqual(given, ["1", url, ""]);
    // Nobody waits for a browser; its end would be counted to the next test.
    while (isRunning(Number(pid))) await new Promise((resolve) => setTimeout(resolve, 5));
  } finally {
    await rm(folder, { recursive: true });
  }
});

Deno.test("openBrowser() opens nothing for BROWSER=none, and says why it failed", async () => {
  assert.equal(await openBrowser(url, { BROWSER: "none" }), undefined);
  assert.match((await openBrowser(url, { BROWSER: "/no/such/program" })) ?? "", /ENOENT/);
});
