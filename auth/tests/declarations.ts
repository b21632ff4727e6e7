import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
// The formatter begins every declaration of a module at the start of a line.
const DECLARATION =
  /^(?:export )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type) +([\w$]+)/;

/** Code of each declaration of the library's modules by its name, without comments. */
async function readDeclarations(): Promise<[name: string, code: string][]> {
  const files = (await readdir(ROOT, { recursive: true })).filter((file) =>
    /(?<!_test)\.ts$/.test(file) && !/^(?:tests|node_modules)[\\/]/.test(file)
  );
  const texts = await Promise.all(files.map((file) => readFile(ROOT + file, "utf8")));
  return texts.flatMap((text) =>
    text.replace(/\/\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "")
      .split(/^(?=\w)/m).flatMap((code): [string, string][] => {
        const name = DECLARATION.exec(code)?.[1];
        return name === undefined ? [] : [[name, code]];
      })
  );
}

/**
 * Names the declarations of the library whose code matches, whatever file they stand in: a rule about who may do
 * something outlives a move.
 *
 * @param pattern With the flag `g` a declaration is named once for each match.
 * @returns Names of functions, classes and constants, sorted.
 */
export async function declarationsWith(pattern: RegExp): Promise<string[]> {
  const found = (await readDeclarations()).flatMap(([name, code]) =>
    (code.match(pattern) ?? []).slice(0, pattern.global ? Infinity : 1).map(() => name)
  );
  return found.sort();
}
