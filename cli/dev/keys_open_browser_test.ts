import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser } from "./keys.ts";

const url = "http://localhost:8787";

Deno.test("openBrowser() starts what BROWSER names with the address, as one argument", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "framework-browser-"));
  try {
    const program = join(folder, "browser");
    await writeFile(
      program,
      `#!/bin/sh\nprintf '%s|' "$#" "$@" > "${folder}/part"\nmv "${folder}/part" "${folder}/opened"\n`,
    );
    await chmod(program, 0o755);
    assert.equal(await openBrowser(url, { BROWSER: program, PATH: "/usr/bin:/bin" }), undefined);
    let opened = "";
    while (opened === "") {
      opened = await readFile(join(folder, "opened"), "utf8").catch(() => "");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(opened, `1|${url}|`);
  } finally {
    await rm(folder, { recursive: true });
  }
});

Deno.test("openBrowser() opens nothing for BROWSER=none, and says why it failed", async () => {
  assert.equal(await openBrowser(url, { BROWSER: "none" }), undefined);
  assert.match((await openBrowser(url, { BROWSER: "/no/such/program" })) ?? "", /ENOENT/);
});
