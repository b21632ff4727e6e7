import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join, relative, sep } from "node:path";

/** Media types of built files, by their ending. */
export const contentTypes: Readonly<Record<string, string>> = {
  ".avif": "image/avif",
  ".css": "text/css; charset=utf-8",
  ".gif": "image/gif",
  ".ico": "image/x-icon",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".map": "application/json",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".ogg": "audio/ogg",
  ".otf": "font/otf",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".wav": "audio/wav",
  ".webm": "video/webm",
  ".webp": "image/webp",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
};

/** Files that the bundler makes, and whose import is no address. */
const built = [".css", ".js", ".map"];

/** Files whose import is their address: images, fonts, audio, video and documents. */
const addressed = Object.keys(contentTypes).filter((ending) => !built.includes(ending));

/**
 * Content security policy of an SVG, which may contain scripts: opened by itself it is a document of
 * the application's origin. In an `<img>` no script of it runs anyway.
 */
export const imagePolicy =
  "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; sandbox";

/** Files whose import is their text. */
const texts = [".md", ".txt"];

/**
 * esbuild's loaders for imported files that are no code, by their ending: `file` where the import is
 * the address, `text` where it is the text.
 *
 * @example
 * ```ts
 * import { importLoaders } from "@framework/cli/testing";
 * import { equal } from "node:assert/strict";
 *
 * equal(importLoaders[".svg"], "file");
 * equal(importLoaders[".txt"], "text");
 * ```
 */
export const importLoaders: Record<string, string> = Object.fromEntries([
  ...addressed.map((ending) => [ending, "file"]),
  ...texts.map((ending) => [ending, "text"]),
]);

const cssModule = ".module.css";

/**
 * Returns the file name from which esbuild derives the class names of a CSS module. Worker, scripts
 * and stylesheets are separate bundles and must agree on them, so that they depend on nothing but
 * the file's path in the project.
 *
 * @param file Absolute path.
 * @param root Absolute path of the project.
 */
export function cssModuleName(file: string, root: string): string {
  const path = relative(root, file).split(sep).join("/");
  const base = path.slice(path.lastIndexOf("/") + 1, -cssModule.length);
  const name = base.replace(/[^A-Za-z0-9]+/g, "_").replace(/^(?=\d)/, "_");
  return `${name}_${createHash("sha256").update(path).digest("hex").slice(0, 6)}${cssModule}`;
}

/**
 * Lists the names that a CSS module exports: its classes and animations. It reads selectors only,
 * because a dot in a value begins a number or an extension.
 *
 * @param css Text of the file.
 */
export function cssModuleExports(css: string): string[] {
  const plain = css
    .replace(/\/\*[^]*?\*\//g, " ")
    .replace(/"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\burl\([^)]*\)/g, '""')
    .replace(/:global\([^)]*\)/g, "");
  const names = new Set<string>();
  for (const [, prelude = ""] of plain.matchAll(/([^{};]*)\{/g)) {
    const rule = prelude.trim();
    const animation = /^@(?:-\w+-)?keyframes\s+(\S+)$/.exec(rule)?.[1];
    if (animation !== undefined) names.add(animation);
    if (rule.startsWith("@") && !rule.startsWith("@scope")) continue;
    for (const [, name = ""] of rule.matchAll(className)) names.add(name.replace(/\\(.)/g, "$1"));
  }
  return [...names].filter((name) => name !== '""');
}

const className = /\.(-?(?:[A-Za-z_\u0080-\uffff]|\\.)(?:[\w\u0080-\uffff-]|\\.)*)/g;

/**
 * Returns a module for an imported file in tests that run in process, in the place of the bundler's:
 * the address of an image is its path in the project, so that no test changes with a file's content.
 *
 * @param file Absolute path.
 * @returns null for a file that the runtime imports itself.
 *
 * @example
 * ```ts
 * import { importedSource } from "@framework/cli/testing";
 * import { equal } from "node:assert/strict";
 *
 * equal(importedSource("/project/app/page.tsx"), null);
 * ```
 */
export function importedSource(file: string): string | null {
  if (file.endsWith(cssModule)) {
    const base = cssModuleName(file, projectOf(file)).slice(0, -cssModule.length);
    const names = cssModuleExports(readFileSync(file, "utf8"));
    return moduleSource(names.map((name) => [name, `${base}_${name}`]));
  }
  const ending = extname(file).toLowerCase();
  if (ending === ".css") return "export default {};";
  if (ending === ".json") return jsonSource(JSON.parse(readFileSync(file, "utf8")));
  if (texts.includes(ending)) {
    return `export default ${JSON.stringify(readFileSync(file, "utf8"))};`;
  }
  if (!addressed.includes(ending)) return null;
  return `export default ${
    JSON.stringify(`/${relative(projectOf(file), file).split(sep).join("/")}`)
  };`;
}

/** Returns the nearest folder around a file that is a project. */
function projectOf(file: string): string {
  const markers = ["package.json", "deno.json", "wrangler.jsonc", "wrangler.json"];
  for (let folder = dirname(file);; folder = dirname(folder)) {
    if (markers.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return dirname(file);
  }
}

function jsonSource(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return `export default ${JSON.stringify(value)};`;
  }
  return moduleSource(Object.entries(value));
}

/**
 * Returns a module that exports values by their names and, as an object, by default.
 *
 * @param entries Names, which may be reserved words or no identifiers, with values that JSON has.
 */
export function moduleSource(entries: readonly (readonly [string, unknown])[]): string {
  const named = entries.filter(([name]) => name !== "default");
  return [
    ...entries.map(([, value], index) => `const v${index} = ${JSON.stringify(value)};`),
    `export { ${
      named.map(([name]) =>
        `v${entries.findIndex(([each]) => each === name)} as ${JSON.stringify(name.toWellFormed())}`
      ).join(", ")
    } };`,
    `export default { ${
      entries.map(([name], index) => `[${JSON.stringify(name)}]: v${index}`).join(", ")
    } };`,
    "",
  ].join("\n");
}
