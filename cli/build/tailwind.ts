import { readFile } from "node:fs/promises";
import process from "node:process";
import type { EsbuildPlugin } from "../tools/bundler_and_emulator.ts";
import { findPackage, installCommand } from "../tools/packages.ts";
import { runPackage } from "../tools/run.ts";

/** An import of Tailwind, or of a stylesheet whose theme is referred to. */
const marker = /@import\s+(?:url\(\s*)?["']tailwindcss["'/]|@reference\s+["']/;

const program = "@tailwindcss/cli";

/**
 * Creates the esbuild plugin for stylesheets that import Tailwind 4, which the project's own
 * Tailwind compiles, as a process: its parts are native code, which this command is not allowed to
 * load under Deno. Other stylesheets cost nothing.
 *
 * @param root Absolute path of the project, in which names of classes are looked for.
 * @param optimize True to turn nested rules into plain ones.
 */
export function tailwind(root: string, optimize: boolean): EsbuildPlugin {
  return {
    name: "tailwind",
    setup(build) {
      build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
        const source = await readFile(path, "utf8");
        const at = source.search(marker);
        if (at === -1) return undefined;
        const fail = (text: string): object => ({
          errors: [{ text, location: placeOf(source, at, path) }],
        });
        if (findPackage(program, root) === undefined) {
          return fail(
            `The stylesheet imports Tailwind, and ${program} is not installed. ` +
              `Run \`${installCommand(program, root)}\`, and the same for tailwindcss.`,
          );
        }
        const args = ["--input", path, "--output", "-", ...(optimize ? ["--optimize"] : [])];
        const { code, stdout, stderr } = await runPackage(program, args, {
          bin: "tailwindcss",
          root,
          env: process.env,
          signal: new AbortController().signal,
        });
        if (code !== 0) return fail(reasonIn(stderr));
        return { contents: stdout, loader: "css" };
      });
    },
  };
}

/** Returns Tailwind's message, without its name, version and stack. */
function reasonIn(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "" && !/^≈ tailwindcss v|^at /.test(line));
  return `Tailwind: ${said.join(" ") || "its program failed."}`;
}

function placeOf(source: string, at: number, file: string): object {
  const before = source.slice(0, at).split("\n");
  const lineText = source.split("\n")[before.length - 1] ?? "";
  return { file, line: before.length, column: before.at(-1)?.length ?? 0, lineText };
}
