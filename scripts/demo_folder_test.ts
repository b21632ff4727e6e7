import assert from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { findDemoFolder, forgetPackages, markDemoFolder } from "./demo_folder.ts";
import { exists } from "./workspace.ts";

async function inTemporaryFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-demo-folder-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function makeDemo(path: string, hash: string): Promise<void> {
  await Deno.mkdir(join(path, "node_modules"), { recursive: true });
  await Deno.writeTextFile(join(path, "package.json"), "{}");
  await markDemoFolder(path, hash);
}

Deno.test("findDemoFolder() names the default folder after the source hash", async () => {
  const hash = "0123456789abcdef-of-no-source";
  const { path, state } = await findDemoFolder(hash, {});
  assert.equal(dirname(path), tmpdir());
  assert.equal(basename(path), "framework-demo-0123456789ab");
  assert.equal(state, "missing");
});

Deno.test("findDemoFolder() reuses a demo, and knows when its packages are outdated", async () => {
  await inTemporaryFolder(async (folder) => {
    const dir = join(folder, "app");
    assert.equal((await findDemoFolder("aa", { dir })).state, "missing");
    await makeDemo(dir, "aa");
    assert.equal((await findDemoFolder("aa", { dir })).state, "ready");
    assert.equal((await findDemoFolder("bb", { dir })).state, "outdated");
  });
});

Deno.test("findDemoFolder() empties a demo when it is to be fresh", async () => {
  await inTemporaryFolder(async (folder) => {
    const dir = join(folder, "app");
    await makeDemo(dir, "aa");
    assert.equal((await findDemoFolder("aa", { dir, fresh: true })).state, "missing");
    assert.equal(await exists(dir), false);
  });
});

Deno.test("forgetPackages() leaves a demo whose packages are outdated", async () => {
  await inTemporaryFolder(async (folder) => {
    await makeDemo(folder, "aa");
    await Deno.mkdir(join(folder, "node_modules", "hono"));
    await forgetPackages(folder);
    assert.equal(await exists(join(folder, "node_modules", "hono")), false);
    assert.equal((await findDemoFolder("aa", { dir: folder })).state, "outdated");
  });
});

Deno.test("findDemoFolder() refuses a folder that holds other files, and leaves them", async () => {
  await inTemporaryFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "thesis.txt"), "mine");
    for (const fresh of [false, true]) {
      await assert.rejects(findDemoFolder("aa", { dir: folder, fresh }), /Choose an empty folder/);
    }
    assert.equal(await Deno.readTextFile(join(folder, "thesis.txt")), "mine");
  });
});

Deno.test("findDemoFolder() refuses a link in place of the folder", async () => {
  await inTemporaryFolder(async (folder) => {
    await makeDemo(join(folder, "elsewhere"), "aa");
    await Deno.symlink(join(folder, "elsewhere"), join(folder, "link"));
    await assert.rejects(findDemoFolder("aa", { dir: join(folder, "link") }), /is not a folder/);
  });
});
