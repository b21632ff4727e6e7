import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError } from "../terminal/exit.ts";
import { writeFiles } from "./write.ts";

const files = { "a.txt": "A", "b/c/d.txt": "D", ".dev.vars": "SECRET=1" };
const calm = { signal: new AbortController().signal };

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "framework-write-"));
  try {
    await test(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function everything(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).sort();
}

const written = [".dev.vars", "a.txt", "b", "b/c", "b/c/d.txt"];

Deno.test("writeFiles() makes a new folder, parents included", () =>
  withFolder(async (folder) => {
    const target = join(folder, "x/y");
    await writeFiles(target, files, calm);
    assert.deepEqual(await everything(target), written);
    assert.deepEqual(await readdir(join(folder, "x")), ["y"]);
    assert.equal(await readFile(join(target, "b/c/d.txt"), "utf8"), "D");
  }));

Deno.test("writeFiles() lets nobody else read .dev.vars, and everybody the folder", () =>
  withFolder(async (folder) => {
    const target = join(folder, "x");
    await writeFiles(target, files, calm);
    assert.equal((await stat(join(target, ".dev.vars"))).mode & 0o777, 0o600);
    await mkdir(join(folder, "usual"));
    assert.equal((await stat(target)).mode, (await stat(join(folder, "usual"))).mode);
  }));

Deno.test("writeFiles() fills an empty folder in place, a .git in it does not count", () =>
  withFolder(async (folder) => {
    await mkdir(join(folder, ".git"));
    const { ino } = await stat(folder);
    await writeFiles(folder, files, calm);
    assert.deepEqual(await everything(folder), [".dev.vars", ".git", ...written.slice(1)]);
    assert.equal((await stat(folder)).ino, ino);
  }));

Deno.test("writeFiles() refuses a used folder and names what is in the way", () =>
  withFolder(async (folder) => {
    for (const name of ["e", "d", "c", "b", ".git"]) await writeFile(join(folder, name), "");
    await assert.rejects(
      writeFiles(folder, files, calm),
      (error) =>
        error instanceof CliError && error.exitCode === 1 &&
        error.message === `${folder} is not empty: it holds b, c, d and 1 more.`,
    );
    assert.deepEqual(await everything(folder), [".git", "b", "c", "d", "e"]);
  }));

Deno.test("writeFiles() refuses a file and a link to nowhere", () =>
  withFolder(async (folder) => {
    await writeFile(join(folder, "file"), "");
    await symlink(join(folder, "gone"), join(folder, "link"));
    for (const name of ["file", "link"]) {
      await assert.rejects(writeFiles(join(folder, name), files, calm), {
        message: `${join(folder, name)} exists and is not a folder.`,
      });
    }
    await assert.rejects(writeFiles(join(folder, "file", "x"), files, calm), CliError);
    assert.deepEqual(await everything(folder), ["file", "link"]);
  }));

// Tracks: F43
Deno.test("writeFiles() leaves nothing behind when a file cannot be written", () =>
  withFolder(async (folder) => {
    const bad = { "a": "A", "a/b": "a folder where a file is" };
    await assert.rejects(
      writeFiles(join(folder, "x", "y"), bad, calm),
      (error) => error instanceof CliError && /^y cannot be written: /.test(error.message),
    );
    assert.deepEqual(await readdir(folder), []);
    await assert.rejects(writeFiles(folder, bad, calm), CliError);
    assert.deepEqual(await readdir(folder), []);
  }));

// Tracks: F43
Deno.test("writeFiles() leaves nothing behind when interrupted", () =>
  withFolder(async (folder) => {
    const interruption = AbortSignal.abort();
    await assert.rejects(writeFiles(join(folder, "x"), files, { signal: interruption }), {
      name: "AbortError",
    });
    assert.deepEqual(await readdir(folder), []);
  }));
