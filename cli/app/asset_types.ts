import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { cssModuleExports, importLoaders } from "../build/asset_imports.ts";

/** Name of the file with the declarations of all imported files that are no code. */
const ambientFile = "assets.d.ts";

/**
 * Returns the declarations of imported images, fonts, texts and stylesheets: ambient ones by the
 * ending, and for each CSS module its names. The latter have the same path below the folder of types
 * as the module has in the project, where `rootDirs` of `tsconfig.json` finds them.
 *
 * @param header First line of a generated file.
 * @returns Texts by path, relative to the folder of types.
 */
export function assetTypes(
  { root, appDir }: { root: string; appDir: string },
  header: string,
): Record<string, string> {
  const modules = cssModulesIn(appDir).map((file): [string, string] => [
    `${relative(root, file)}.d.ts`,
    moduleText(readFileSync(file, "utf8"), header),
  ]);
  return { [ambientFile]: ambientText(header), ...Object.fromEntries(modules) };
}

/**
 * Removes the declarations of CSS modules that no longer exist: an import of one would still pass.
 *
 * @param folder Absolute path of the folder of types.
 * @param current Declarations that stay, relative to it.
 */
export async function removeStaleTypes(
  folder: string,
  current: Readonly<Record<string, string>>,
): Promise<void> {
  const stale = cssModulesIn(folder, ".module.css.d.ts")
    .filter((file) => !(relative(folder, file) in current));
  await Promise.all(stale.map((file) => rm(file, { force: true })));
}

function cssModulesIn(folder: string, ending = ".module.css"): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function ambientText(header: string): string {
  const values = Object.entries(importLoaders).map(([ending, loader]) => {
    const name = loader === "file" ? "address" : "text";
    return `declare module "*${ending}" {\n  const ${name}: string;\n  export default ${name};\n}\n`;
  });
  return [
    header,
    ...values,
    "/** Names of a CSS module. Those of a file below the application folder are declared beside it. */",
    'declare module "*.module.css" {',
    "  const names: Readonly<Record<string, string>>;",
    "  export default names;",
    "}\n",
    'declare module "*.css";\n',
  ].join("\n");
}

function moduleText(css: string, header: string): string {
  const names = cssModuleExports(css);
  const named = names.filter((name) => /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name));
  return [
    header,
    ...names.map((_, index) => `declare const v${index}: string;`),
    `export { ${
      named.filter((name) => name !== "default")
        .map((name) => `v${names.indexOf(name)} as ${name}`).join(", ")
    } };`,
    "declare const names: {",
    ...names.map((name) => `  readonly ${JSON.stringify(name)}: string;`),
    "};",
    "export default names;",
    "",
  ].join("\n");
}
