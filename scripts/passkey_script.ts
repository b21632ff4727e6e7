/**
 * Embeds the script of the passkey forms into `@framework/auth`: `deno task passkey-script`.
 *
 * @module
 */
import { build, stop } from "esbuild";
import { join } from "node:path";
import { repositoryRoot } from "./workspace.ts";

const folder = join(repositoryRoot, "auth", "sign_in", "passkey");

/** The module that holds the script. */
export const scriptModule: string = join(folder, "script_text.ts");

/** Makes the module's source. The same sources give the same text. */
export async function embedScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, "browser", "page.ts")],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    logLevel: "silent",
  });
  await stop();
  const text = outputFiles[0]!.text.trim();
  return "// Made by `deno task passkey-script` from passkey/browser. Do not edit.\n" +
    "// deno-fmt-ignore-file\n" +
    "/** The script of the passkey forms. */\n" +
    `export const PASSKEY_SCRIPT: string =\n  ${JSON.stringify(text)};\n`;
}

if (import.meta.main) await Deno.writeTextFile(scriptModule, await embedScript());
