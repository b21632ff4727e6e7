import * as esbuild from "esbuild";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ModuleNames, placeOf, readModuleNames } from "./exports.ts";

function exportsOf(source: string, file = "a.tsx"): string[] | null {
  return readModuleNames(source, file)?.exports.map(({ name }) => name) ?? null;
}

Deno.test.each([
  ["export default function Page() {}", ["default"]],
  ["export async function* GET() {}\nexport class A {}\nexport abstract class B {}", [
    "GET",
    "A",
    "B",
  ]],
  ["export const GET = a, POST: Handler<A, B> = f<C, D>(), PUT = 1;", ["GET", "POST", "PUT"]],
  ["export const { GET, POST: post, ...rest } = h, [first, [second]] = l", [
    "GET",
    "post",
    "rest",
    "first",
    "second",
  ]],
  ["const a = 1; export { a, a as b, type C, a as default, a as 'd-e' };", [
    "a",
    "b",
    "default",
    "d-e",
  ]],
  ["export * as all from './x'; export * from './y';", ["all"]],
  ["export type A = { export: 1 }; export interface B {} export declare const c: 1;", []],
  ["export function GET(a: string): void;\nexport function GET(a?: string) {}", ["GET"]],
  ["export enum E { A }\nexport const enum F { B }", ["E", "F"]],
  ["// export const a = 1\n/* export const b = 1 */ export const c = 1", ["c"]],
  ["const text = `export const a ${`${{ b: '}' }.b}`} = 1`; export const c = /`'\"[/`]/;", ["c"]],
  ["const x = a / b; const y = 'export const z = 1'; export const w = c! / d / e;", ["w"]],
  ["if (a) /['\"`]/.test(b); export const c = 1;", ["c"]],
  ["const id = <T,>(x: T) => x; const g = <T extends A>(x: T) => x;\nexport const c = 1;", ["c"]],
  ["type F = <T>(x: T) => T;\nexport const c: Array<Promise<F>> = [];", ["c"]],
  ["namespace N { export const hidden = 1 } export const c = import.meta.url;", ["c"]],
  ["\ufeff#!/usr/bin/env deno\r\nexport const a = 1;\r\nexport const b = 2;", ["a", "b"]],
  ["export const aé = 1, größe = /é/, 𐐀b = 'é', $ = 1; export function nicht\u200c() {}", [
    "aé",
    "größe",
    "𐐀b",
    "$",
    "nicht\u200c",
  ]],
  ["export import a = B.c; export = d; export as namespace e;", []],
])("readModuleNames() of %o finds the values that are exported", (source, expected) => {
  assert.deepEqual(exportsOf(source), expected);
});

Deno.test("readModuleNames() is not misled by the text of JSX", () => {
  const source = `export default function Page({ items }: Props) {
  return (
    <>
      <p title='a "b"'>Don't stop: it's a { "brace" }, \`a backtick
        export const hidden = 1;
        // no comment, <List<Item> items={items} render={(item) => <b>{item.name}'s</b>} />
      </p>
      {items.map((item) => <Item key={item} {...item} icon=<i>'</i> />)}
    </>
  );
}
export const metadata = { title: "It's" };`;
  assert.deepEqual(exportsOf(source), ["default", "metadata"]);
});

Deno.test("readModuleNames() names imports and passed on modules with their places", () => {
  const source = [
    'import a, { type B } from "./a.ts";',
    'import "./b.css";',
    "import type { C } from 'c';",
    'const lazy = import("./lazy.ts");',
    'export * from "./d.ts";',
  ].join("\n");
  const { imports, stars } = readModuleNames(source, "a.ts") as ModuleNames;
  assert.deepEqual(imports.map(({ name }) => name), ["./a.ts", "./b.css", "c"]);
  assert.deepEqual(imports.map(({ at }) => placeOf(source, at)), [
    { line: 1, column: 27 },
    { line: 2, column: 8 },
    { line: 3, column: 24 },
  ]);
  assert.deepEqual(stars.map(({ name, at }) => [name, placeOf(source, at).line]), [["./d.ts", 5]]);
});

// Tracks: F45
Deno.test("readModuleNames() ends on hostile texts", () => {
  const size = 20_000;
  assert.equal(exportsOf("`${".repeat(size)), null);
  assert.deepEqual(exportsOf("export const a = " + "<a>{".repeat(size)), ["a"]);
  assert.equal(exportsOf("export const a = `"), null);
  for (
    const part of ["(", "/*", "= /[", "= <T>(", "export {", "export const {", "'", "<", "\\", "[,"]
  ) {
    const text = part.repeat(size);
    assert.deepEqual(exportsOf(`export const first = 1;\n${text}`)?.[0] ?? "first", "first");
  }
});

// esbuild runs as a child process that outlives the test.
const child = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "readModuleNames() agrees with esbuild about every file of this repository",
  child,
  async () => {
    const files = sources(fileURLToPath(new URL("../../", import.meta.url)));
    assert.ok(files.length > 300, `only ${files.length} files`);
    const { metafile, outputFiles } = await esbuild.build({
      entryPoints: files.map((path, index) => ({ in: path, out: String(index) })),
      outdir: "/exports",
      write: false,
      bundle: false,
      format: "esm",
      jsx: "automatic",
      metafile: true,
      logLevel: "silent",
    });
    const nameOf = (path: string) => path.replace(/^.*\//, "");
    const outputs = new Map(
      Object.entries(metafile.outputs).map(([path, output]) => [nameOf(path), output]),
    );
    const codes = new Map(outputFiles.map((file) => [nameOf(file.path), file]));
    for (const [index, file] of files.entries()) {
      const names = readModuleNames(readFileSync(file, "utf8"), file);
      const expected = outputs.get(`${index}.js`)?.exports ?? [];
      assert.deepEqual(names?.exports.map(({ name }) => name).sort(), [...expected].sort(), file);
      const code = codes.get(`${index}.js`)?.text ?? "";
      assert.equal((names?.stars.length ?? 0) > 0, /^export \* from/m.test(code), file);
    }
    await esbuild.stop();
  },
);

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return /^(node_modules|output|npm|coverage|\..*)$/.test(entry.name) ? [] : sources(path);
    }
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}
