import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../main.ts";

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "framework-init-test-"));
  try {
    await test(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function init(cwd: string, argv: string[], signal?: AbortSignal) {
  let stderr = "";
  const code = await runCli(["init", ...argv], {
    cwd,
    env: {},
    stdout: { write: () => assert.fail("init has no data to print") },
    stderr: { write: (text) => stderr += text },
    ...(signal === undefined ? {} : { signal }),
  });
  return { code, stderr };
}

Deno.test("init fills the current folder when it is empty and takes its name", () =>
  withFolder(async (folder) => {
    const cwd = join(folder, "Great Shop");
    await mkdir(cwd);
    const { code, stderr } = await init(cwd, ["."]);
    assert.equal(code, 0);
    assert.match(stderr, /^✓ Created great-shop: /);
    assert.doesNotMatch(stderr, /cd /);
    assert.match(await readFile(join(cwd, "wrangler.jsonc"), "utf8"), /"name": "great-shop"/);
  }));

Deno.test("init prints only problems when quiet", () =>
  withFolder(async (folder) => {
    assert.deepEqual(await init(folder, ["app", "-q"]), { code: 0, stderr: "" });
  }));

Deno.test("init changes nothing in a folder that is used", () =>
  withFolder(async (folder) => {
    await writeFile(join(folder, "package.json"), "mine");
    const { code, stderr } = await init(folder, ["."]);
    assert.equal(code, 1);
    assert.match(stderr, /is not empty: it holds package\.json\.\nhint: Name a new or an empty/);
    assert.deepEqual(await readdir(folder), ["package.json"]);
    assert.equal(await readFile(join(folder, "package.json"), "utf8"), "mine");
  }));

Deno.test("init asks for a folder", () =>
  withFolder(async (folder) => {
    assert.match((await init(folder, [])).stderr, /^error: The argument <dir> is missing\./);
    assert.equal((await init(folder, [""])).code, 1);
    assert.equal((await init(folder, ["a\0b"])).code, 1);
    assert.deepEqual(await readdir(folder), []);
  }));

Deno.test("init leaves nothing behind when interrupted", () =>
  withFolder(async (folder) => {
    assert.deepEqual(await init(folder, ["app"], AbortSignal.abort()), { code: 130, stderr: "" });
    assert.deepEqual(await readdir(folder), []);
  }));
