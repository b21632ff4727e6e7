import assert from "node:assert/strict";
import { join } from "node:path";
import { ensureAuthenticators } from "./authenticators.ts";

/** Runs a test with a PATH of its own, on which an apt-get "installs" the program of what it is asked for. */
async function withPath(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-authenticators-" });
  const before = Deno.env.get("PATH") ?? "";
  const script = "#!/bin/sh\nfor last; do :; done\n" +
    `case "$last" in keepassxc) last=keepassxc-cli;; update) exit;; esac\n: > "${folder}/$last"\n`;
  await Deno.writeTextFile(join(folder, "apt-get"), script, { mode: 0o755 });
  try {
    Deno.env.set("PATH", folder);
    await test(folder);
  } finally {
    Deno.env.set("PATH", before);
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("ensureAuthenticators() installs what is missing, and nothing that is there", () =>
  withPath(async (folder) => {
    await Deno.writeTextFile(join(folder, "oathtool"), "");
    const said: string[] = [];
    await ensureAuthenticators((line) => said.push(line), true);
    // Whether Debian's Python has the module is the machine's business.
    const programs = said.filter((line) => !line.startsWith("python3-pyotp"));
    assert.deepEqual(programs, ["keepassxc is missing: installing it with apt-get."]);
  }));

Deno.test("ensureAuthenticators() installs nothing without the right to", () =>
  withPath(async () => {
    const said: string[] = [];
    assert.equal(await ensureAuthenticators((line) => said.push(line), false), false);
    assert.deepEqual(said, []);
  }));
