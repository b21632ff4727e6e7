import assert from "node:assert/strict";
import { join } from "node:path";
import { list } from "tar";
import { checksum, writeArchive, writeChecksums } from "./archives.ts";

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-archives-" });
  try {
    await Deno.writeTextFile(join(folder, "framework"), "program", { mode: 0o755 });
    await Deno.writeTextFile(join(folder, "LICENSE"), "MIT");
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("writeArchive() packs the files that are named, and the same bytes at another time", () =>
  inFolder(async (folder) => {
    const [first, second] = [join(folder, "a.tar.gz"), join(folder, "b.tar.gz")];
    await writeArchive(first, { folder, files: ["framework", "LICENSE"] });
    await Deno.utime(join(folder, "framework"), new Date(0), new Date(0));
    await writeArchive(second, { folder, files: ["LICENSE", "framework"] });
    assert.equal(await checksum(first), await checksum(second));
    const entries = new Map<string, number>();
    await list({
      file: first,
      onReadEntry: ({ path, mode }) => entries.set(path, (mode ?? 0) & 0o111),
    });
    assert.deepEqual([...entries], [["LICENSE", 0], ["framework", 0o111]]);
  }));

Deno.test("writeChecksums() lists each archive with its SHA-256, sorted", () =>
  inFolder(async (folder) => {
    const text = await Deno.readTextFile(await writeChecksums(folder, ["framework", "LICENSE"]));
    const sums = await Promise.all(["MIT", "program"].map(async (content) => {
      const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(content));
      return new Uint8Array(bytes).toHex();
    }));
    assert.equal(text, `${sums[0]}  LICENSE\n${sums[1]}  framework\n`);
  }));
