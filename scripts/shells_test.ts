import assert from "node:assert/strict";
import { join } from "node:path";
import { ensureShells } from "./shells.ts";

/** Runs a test with a PATH of its own, on which an apt-get "installs" what it is asked for. */
async function withPath(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-shells-" });
  const before = Deno.env.get("PATH") ?? "";
  const script = `#!/bin/sh\nfor last; do :; done\n[ "$1" = update ] || : > "${folder}/$last"\n`;
  await Deno.writeTextFile(join(folder, "apt-get"), script, { mode: 0o755 });
  try {
    Deno.env.set("PATH", folder);
    await test(folder);
  } finally {
    Deno.env.set("PATH", before);
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("ensureShells() installs what is missing, and nothing that is there", () =>
  withPath(async (folder) => {
    await Deno.writeTextFile(join(folder, "zsh"), "");
    const said: string[] = [];
    assert.equal(await ensureShells((line) => said.push(line), true), true);
    assert.deepEqual(said, ["fish is missing: installing it with apt-get."]);
    assert.equal(await ensureShells((line) => said.push(line), true), true);
    assert.equal(said.length, 1);
  }));

Deno.test("ensureShells() installs nothing without the right to", () =>
  withPath(async () => {
    const said: string[] = [];
    assert.equal(await ensureShells((line) => said.push(line), false), false);
    assert.deepEqual(said, []);
  }));
