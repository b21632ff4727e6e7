import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { type Keyboard, runCli } from "../main.ts";

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

function typing(lines: string[]): { keyboard: Keyboard; next(): void } {
  const keyboard = Object.assign(new PassThrough(), { setRawMode() {} });
  return {
    keyboard,
    next() {
      const line = lines.shift();
      if (line === undefined) keyboard.end();
      else keyboard.write(`${line}\n`);
    },
  };
}

/** Runs `init` at a terminal; each question gets the next line. */
async function initAsking(cwd: string, argv: string[], lines: string[]) {
  let stderr = "";
  const { keyboard, next } = typing(lines);
  const code = await runCli(["init", ...argv], {
    cwd,
    env: {},
    keyboard,
    stdout: { write: () => assert.fail("init has no data to print") },
    stderr: {
      write(text) {
        stderr += text;
        if (text.includes("? [")) setTimeout(next, 0);
      },
    },
  });
  return { code, stderr };
}

Deno.test("init asks at a terminal for all that no flag says, and again when the answer is none", () =>
  withFolder(async (folder) => {
    const { code, stderr } = await initAsking(folder, [], [
      "shop",
      "x",
      "BA",
      "n",
      "perhaps",
      "yes",
      "",
    ]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(stderr.match(/^.*\? \[.*\]$/gm), [
      "Folder? [my-app]",
      "Template? [full]",
      "Template? [full]",
      "Create a git repository? [Y/n]",
      "Add settings for editors (.vscode)? [Y/n]",
      "Add settings for editors (.vscode)? [Y/n]",
      "Add notes for coding agents (AGENTS.md)? [Y/n]",
    ]);
    assert.match(stderr, /✓ Created shop: 12 files in /);
    assert.deepEqual((await readdir(join(folder, "shop"))).sort(), [
      ...[".gitignore", ".vscode", "AGENTS.md", "README.md", "app", "deno.json", "package.json"],
      ...["tests", "tsconfig.json", "vitest.config.ts", "wrangler.jsonc"],
    ]);
    const flags = ["--no-git", "--no-editor", "--no-agents"];
    const asked = await initAsking(folder, ["other", "--template", "api", ...flags], []);
    assert.equal(asked.code, 0);
    assert.doesNotMatch(asked.stderr, /\? \[/);
    assert.deepEqual(await initAsking(folder, ["third", "--yes"], []).then(({ code }) => code), 0);
  }));

Deno.test("init creates nothing when the questions are not answered", () =>
  withFolder(async (folder) => {
    const { code, stderr } = await initAsking(folder, ["shop"], ["bare"]);
    assert.equal(code, 130);
    assert.match(stderr, /Nothing was created\./);
    assert.deepEqual(await readdir(folder), []);
  }));

Deno.test("init creates a git repository, unless it is told not to or stands in one", () =>
  withFolder(async (folder) => {
    const env = { PATH: Deno.env.get("PATH") ?? "" };
    const run = async (cwd: string, ...argv: string[]) => {
      let stderr = "";
      const stderrStream = { write: (text: string) => stderr += text };
      const stdout = { write: () => assert.fail() };
      const code = await runCli(["init", ...argv], { cwd, env, stdout, stderr: stderrStream });
      assert.equal(code, 0, stderr);
      return stderr;
    };
    assert.match(await run(folder, "one", "--template", "bare"), /✓ Created a git repository/);
    assert.ok((await readdir(join(folder, "one"))).includes(".git"));
    assert.doesNotMatch(await run(join(folder, "one"), "inner"), /repository/);
    assert.ok(!(await readdir(join(folder, "one", "inner"))).includes(".git"));
    await run(folder, "two", "--no-git");
    assert.ok(!(await readdir(join(folder, "two"))).includes(".git"));
    const without = await init(folder, ["three", "--git"]);
    assert.equal(without.code, 1);
    assert.match(without.stderr, /git is not on the PATH\.\nhint: Install git/);
  }));

Deno.test("init refuses a template that does not exist", async () => {
  const { code, stderr } = await init("/", ["app", "--template", "bar"]);
  assert.equal(code, 1);
  assert.match(stderr, /--template .*full, bare or api/);
});

Deno.test("init without a terminal wants a folder, and does not wait", () =>
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
