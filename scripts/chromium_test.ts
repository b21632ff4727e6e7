import assert from "node:assert/strict";
import { join } from "node:path";
import { findProgram } from "./apt.ts";
import { ensureChromium, ensureWholeChromium, findChromium } from "./chromium.ts";

/** Runs a test with a PATH of its own, on which an apt-get "installs" the packages that it has. */
async function withPath(
  packages: string[] | null,
  test: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-path-" });
  const { PATH, CHROMIUM_PATH } = Deno.env.toObject();
  try {
    const script = `#!/bin/sh\necho "$*" >> ${folder}/log\n` +
      (packages === null
        ? "echo no network >&2; exit 100\n"
        : `[ "$1" = update ] && exit 0\ncase " ${
          packages.join(" ")
        } " in *" $4 "*) : > ${folder}/$4; exit 0;; esac\n` +
          "echo no such package >&2; exit 100\n");
    await Deno.writeTextFile(join(folder, "apt-get"), script, { mode: 0o755 });
    Deno.env.set("PATH", folder);
    Deno.env.delete("CHROMIUM_PATH");
    await test(folder);
  } finally {
    if (PATH !== undefined) Deno.env.set("PATH", PATH);
    if (CHROMIUM_PATH !== undefined) Deno.env.set("CHROMIUM_PATH", CHROMIUM_PATH);
    else Deno.env.delete("CHROMIUM_PATH");
    await Deno.remove(folder, { recursive: true });
  }
}

// On a Mac with Chrome installed there is a browser whatever the PATH says.
const ignore = Deno.build.os !== "linux";

Deno.test({
  name: "ensureChromium() installs Debian's package when it is missing, and does so once",
  ignore,
  fn: async () => {
    for (const others of [[], ["chromium"]]) {
      await withPath(["chromium-headless-shell"], async (folder) => {
        for (const other of others) await Deno.writeTextFile(join(folder, other), "");
        const said: string[] = [];
        const shell = join(folder, "chromium-headless-shell");
        assert.equal(await ensureChromium((line) => said.push(line), true), shell);
        assert.equal(await ensureChromium((line) => said.push(line), true), shell);
        assert.deepEqual(said, [
          "Chromium's headless shell is missing: installing it with apt-get.",
        ]);
        assert.equal(
          await Deno.readTextFile(join(folder, "log")),
          "update\ninstall -y --no-install-recommends chromium-headless-shell\n",
        );
      });
    }
  },
});

Deno.test({
  name: "ensureChromium() installs the whole browser where there is no headless shell",
  ignore,
  fn: async () => {
    await withPath(["chromium"], async (folder) => {
      const chromium = join(folder, "chromium");
      const said: string[] = [];
      assert.equal(await findChromium(), null);
      assert.equal(await ensureChromium((line) => said.push(line), true), chromium);
      assert.equal(said.at(-1), "Chromium is missing: installing it with apt-get.");
      const log = await Deno.readTextFile(join(folder, "log"));
      assert.match(log, /install -y --no-install-recommends chromium\n$/);
      assert.equal(await ensureChromium(() => {}, true), chromium);
    });
  },
});

Deno.test({
  name: "ensureChromium() passes on why the installation failed",
  ignore,
  fn: async () => {
    await withPath(null, async () => {
      const said: string[] = [];
      assert.equal(await ensureChromium((line) => said.push(line), true), null);
      assert.match(said.at(-1)!, /apt-get update failed:\nno network/);
    });
  },
});

Deno.test({
  name: "ensureChromium() installs nothing for a user who is not root, or has chosen a program",
  ignore,
  fn: async () => {
    await withPath(["chromium"], async (folder) => {
      assert.equal(await ensureChromium(() => {}, false), null);
      Deno.env.set("CHROMIUM_PATH", join(folder, "missing"));
      assert.equal(await ensureChromium(() => {}, true), null);
      assert.equal(await findProgram(["chromium"]), null);
      Deno.env.set("CHROMIUM_PATH", join(folder, "apt-get"));
      assert.equal(await ensureChromium(() => {}, true), join(folder, "apt-get"));
    });
  },
});

Deno.test({
  name:
    "ensureWholeChromium() installs the whole browser beside the headless shell, once, and for root alone",
  ignore,
  fn: async () => {
    await withPath(["chromium"], async (folder) => {
      await Deno.writeTextFile(join(folder, "chromium-headless-shell"), "");
      const said: string[] = [];
      const say = (line: string) => void said.push(line);
      assert.equal(await ensureWholeChromium(say, false), null);
      assert.equal(await ensureWholeChromium(say, true), join(folder, "chromium"));
      assert.equal(await ensureWholeChromium(say, true), join(folder, "chromium"));
      assert.deepEqual(said, ["The whole Chromium is missing: installing it with apt-get."]);
    });
  },
});
