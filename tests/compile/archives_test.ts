// All of the compiled command but Deno's runtime part, in whose place stands a program of the same format.
import assert from "node:assert/strict";
import { join } from "node:path";
import { list } from "tar";
import { dryRun } from "../../scripts/compile.ts";
import { capture, run } from "../../scripts/run_command.ts";
import { readWorkspace, repositoryRoot } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { findStandIn, standInTargets } from "./stand_in.ts";

const version = (await readWorkspace()).members.find(({ folder }) => folder === "cli")!.version;

/** First bytes of a program, and where it says for which machine it is. */
const FORMATS: Record<
  string,
  { magic: number[]; machine: (view: DataView) => number; is: number }
> = {
  "aarch64-unknown-linux-gnu": {
    magic: [0x7f, 0x45, 0x4c, 0x46],
    machine: (view) => view.getUint16(18, true),
    is: 0xb7,
  },
  "x86_64-apple-darwin": {
    magic: [0xcf, 0xfa, 0xed, 0xfe],
    machine: (view) => view.getUint32(4, true),
    is: 0x01000007,
  },
  "aarch64-apple-darwin": {
    magic: [0xcf, 0xfa, 0xed, 0xfe],
    machine: (view) => view.getUint32(4, true),
    is: 0x0100000c,
  },
  "x86_64-pc-windows-msvc": {
    magic: [0x4d, 0x5a],
    machine: (view) => view.getUint16(view.getUint32(0x3c, true) + 4, true),
    is: 0x8664,
  },
};

/** Runs `compile()` with a runtime part, in a process of its own. */
function compileWith(part: string, targets: readonly string[], output: string) {
  const script = `import { compile } from "${new URL("../../scripts/compile.ts", import.meta.url)}";
    console.log(await compile(${JSON.stringify({ targets, output })}));`;
  return capture(Deno.execPath(), ["eval", script], { env: { DENORT_BIN: part } });
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-archives-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

let modules: string[];
Deno.test.beforeAll(async () => {
  modules = (await dryRun()).files;
});

/** A push sees the platform that differs most from the others, by its format and the name of the program. */
const chosen = standInTargets.filter((target) => inMatrix || target.includes("windows"));

for (const target of chosen) {
  Deno.test(`the archive for ${target} has a program of that platform with all modules inside, the licence, and its checksum`, () =>
    inFolder(async (folder) => {
      const { code, stderr } = await compileWith(await findStandIn(target), [target], folder);
      assert.equal(code, 0, stderr);
      const archive = `framework-${version}-${target}.tar.gz`;
      await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: folder });
      const sums = await Deno.readTextFile(join(folder, "SHA256SUMS"));
      assert.match(sums, new RegExp(`^[0-9a-f]{64}  ${archive.replaceAll(".", "\\.")}\\n$`));

      const program = target.includes("windows") ? "framework.exe" : "framework";
      const entries: [path: string, mode: number][] = [];
      await list({
        file: join(folder, archive),
        onReadEntry: ({ path, mode }) => entries.push([path, (mode ?? 0) & 0o111]),
      });
      const licences = [["LICENSE", 0], ["THIRD_PARTY_NOTICES.txt", 0]];
      assert.deepEqual(entries, [...licences, [program, 0o111]]);
      await run("tar", ["-xzf", archive], { cwd: folder });
      assert.equal(
        await Deno.readTextFile(join(folder, "LICENSE")),
        await Deno.readTextFile(join(repositoryRoot, "LICENSE")),
      );
      const notices = await Deno.readTextFile(join(folder, "THIRD_PARTY_NOTICES.txt"));
      assert.match(notices, /^Copyright \d{4}-\d{4} the Deno authors$/m);
      assert.match(notices, /^Copyright \d{4}, the V8 project authors\./m);

      const bytes = await Deno.readFile(join(folder, program));
      const { magic, machine, is } = FORMATS[target]!;
      assert.deepEqual([...bytes.subarray(0, magic.length)], magic);
      assert.equal(machine(new DataView(bytes.buffer)), is);
      const text = new TextDecoder("latin1").decode(bytes);
      assert.ok(modules.length > 50);
      for (const file of modules) assert.ok(text.includes(file.split("/").at(-1)!), file);
      assert.ok(text.includes(`VERSION = "${version}"`));
    }));
}

Deno.test("compile() takes no runtime part for several platforms, and writes nothing", () =>
  inFolder(async (folder) => {
    const output = join(folder, "out");
    const [one, other] = standInTargets.toReversed() as [string, string];
    const { code, stderr } = await compileWith(await findStandIn(one), [one, other], output);
    assert.equal(code, 1);
    assert.match(stderr, /DENORT_BIN names the runtime part of one platform.*--target/);
    await assert.rejects(() => Deno.stat(output), { name: "NotFound" });
  }));

Deno.test("compile() refuses a part in the format of another platform, and writes nothing", () =>
  inFolder(async (folder) => {
    const output = join(folder, "out");
    const part = await findStandIn("x86_64-pc-windows-msvc");
    const { code, stderr } = await compileWith(part, ["x86_64-apple-darwin"], output);
    assert.equal(code, 1);
    assert.match(stderr, /was not compiled for x86_64-apple-darwin, and nothing was written/);
    await assert.rejects(() => Deno.stat(output), { name: "NotFound" });
  }));
