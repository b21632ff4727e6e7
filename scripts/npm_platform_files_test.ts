import assert from "node:assert/strict";
import { join } from "node:path";
import { usePlatformFiles } from "./npm_platform_files.ts";

/** An unpacked package of these files. */
async function withPackage(
  files: Record<string, string>,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(join(folder, "crypto"));
    for (const [file, text] of Object.entries(files)) {
      await Deno.writeTextFile(join(folder, file), text);
    }
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const IMPORTS = {
  "#hash": { workerd: "./crypto/native.js", default: "./crypto/portable.js" },
};
const FILES = {
  "crypto/native.js": "export const a = 1;",
  "crypto/portable.js": "export const a = 2;",
  "crypto/hash.js": 'export { a } from "./portable.js";',
  "mod.js":
    'import { a } from "./crypto/portable.js";\nexport const text = `from "./portable.js"`;',
};

Deno.test("usePlatformFiles() writes the name in place of the default file, wherever it is imported", async () => {
  await withPackage(FILES, async (folder) => {
    await usePlatformFiles(folder, IMPORTS);
    const read = (file: string) => Deno.readTextFile(join(folder, file));
    assert.equal(await read("crypto/hash.js"), 'export { a } from "#hash";');
    assert.match(await read("mod.js"), /import \{ a \} from "#hash";\n.*from "\.\/portable\.js"/);
    assert.equal(await read("crypto/portable.js"), FILES["crypto/portable.js"]);
  });
});

Deno.test("usePlatformFiles() refuses a file that is not packed, and a name for what nobody imports", async () => {
  const { "crypto/native.js": _, ...without } = FILES;
  await withPackage(without, async (folder) => {
    await assert.rejects(usePlatformFiles(folder, IMPORTS), /native\.js, which is not packed/);
  });
  const { "crypto/hash.js": __, "mod.js": ___, ...unused } = FILES;
  await withPackage(unused, async (folder) => {
    await assert.rejects(usePlatformFiles(folder, IMPORTS), /Nothing imports \.\/crypto\/portable/);
  });
});
