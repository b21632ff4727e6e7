import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createImportedFiles } from "./imported_files.ts";

/** `(module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))`. */
const ADD = "AGFzbQEAAAABBwFgAn9/AX8DAgEABwcBA2FkZAAACgkBBwAgACABags=";

Deno.test("createImportedFiles() makes a module of WebAssembly by both of its names", async () => {
  const folder = await mkdtemp(join(tmpdir(), "imported-"));
  try {
    const file = join(folder, "add.wasm");
    await writeFile(file, Uint8Array.from(atob(ADD), (character) => character.charCodeAt(0)));
    const context = {
      resolve: (source: string) => Promise.resolve({ id: join(folder, source) }),
      addWatchFile: () => {},
    };
    const plugin = createImportedFiles(false);
    const ids = await Promise.all(
      ["./add.wasm", "./add.wasm?module"].map((source) =>
        plugin.resolveId.call(context, source, join(folder, "index.ts"), {})
      ),
    );
    assert.equal(ids[0], ids[1]);
    const source = plugin.load.call(context, ids[0]!)!;
    const { default: module } = await import(
      `data:text/javascript,${encodeURIComponent(source)}`
    );
    const { exports } = await WebAssembly.instantiate(module as WebAssembly.Module);
    assert.equal((exports["add"] as (a: number, b: number) => number)(2, 3), 5);
  } finally {
    await rm(folder, { recursive: true });
  }
});

Deno.test("createImportedFiles() leaves to the worker pool what that imports itself", async () => {
  const context = {
    resolve: (source: string) => Promise.resolve({ id: source }),
    addWatchFile: () => {},
  };
  for (const source of ["./add.wasm", "./add.wasm?module", "./about.txt"]) {
    const id = await createImportedFiles(true).resolveId.call(context, source, undefined, {});
    assert.equal(id, undefined, source);
  }
});
