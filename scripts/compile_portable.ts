/**
 * Makes `framework-portable`: one file that holds the command and this very Deno, for machines that
 * have neither a runtime nor a network.
 *
 * Usage: `deno task compile:portable`
 *
 * It is a shell script with an archive behind it, for this machine's own platform (Linux or macOS).
 * At its first start it unpacks itself into `$XDG_CACHE_HOME/framework/<checksum>/`, later ones
 * find that. The same permissions hold as for the compiled command. What does not build works before
 * a project's packages are installed: `init`, `generate`, `routes`, local migrations, `doctor`.
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { CONFIG_MODULE } from "../cli/config/define_config.ts";
import { checksum, writeArchive, writeChecksums } from "./archives.ts";
import { collectCommand, collectLicences } from "./command_files.ts";
import { permissions } from "./compile_permissions.ts";
import { repositoryRoot } from "./workspace.ts";

/** Import of a configuration file, for projects whose packages are not installed yet. */
const stand = { module: "config_module.js", map: "import_map.json" };

/**
 * Writes the file and `SHA256SUMS`.
 *
 * @param output Folder to write to.
 * @param options.level Effort of making it small, 1 to 9. Default: 9.
 * @returns Absolute path of the file.
 */
export async function compilePortable(
  output: string,
  { level = 9 }: { level?: number } = {},
): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "framework-portable-" });
  try {
    const { version, files } = await collectCommand(join(folder, "command"));
    await Deno.copyFile(Deno.execPath(), join(folder, "command", "deno"));
    await Deno.chmod(join(folder, "command", "deno"), 0o755);
    await Deno.writeTextFile(join(folder, "command", stand.module), CONFIG_MODULE);
    await Deno.writeTextFile(
      join(folder, "command", stand.map),
      JSON.stringify({ imports: { "@framework/cli": `./${stand.module}` } }),
    );
    const licences = await collectLicences(join(folder, "command"));
    const archive = join(folder, "archive.tar.gz");
    await writeArchive(archive, {
      folder: join(folder, "command"),
      files: [...files, ...Object.values(stand), ...licences, "deno"],
      level,
    });
    const name = `framework-portable-${version}-${Deno.build.target}`;
    await Deno.mkdir(output, { recursive: true });
    const path = join(output, name);
    await Deno.writeTextFile(path, header({ version, sum: await checksum(archive) }));
    await (await Deno.open(archive)).readable.pipeTo(
      (await Deno.open(path, { append: true })).writable,
    );
    await Deno.chmod(path, 0o755);
    await writeChecksums(output, [name]);
    return path;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * The script before the archive. Several first starts at once unpack side by side, and each file
 * gets to its place in one step, `deno` as the last: whoever finds it finds the rest.
 */
function header({ version, sum }: { version: string; sum: string }): string {
  const lines = [
    "#!/bin/sh",
    `# framework ${version} with Deno ${Deno.version.deno}. An archive follows the last line of this script.`,
    "set -eu",
    `place="\${XDG_CACHE_HOME:-$HOME/.cache}/framework/${sum}"`,
    'if [ ! -x "$place/deno" ]; then',
    "  umask 077",
    '  mkdir -p "$place"',
    '  work=$(mktemp -d "$place/.new.XXXXXX")',
    "  trap 'rm -rf \"$work\"' EXIT",
    '  if ! tail -n +LINE "$0" | gzip -dc 2>/dev/null | tar -xf - -C "$work" 2>/dev/null ||',
    '    [ ! -x "$work/deno" ]; then',
    '    echo "framework-portable is damaged: fetch it again, and compare its checksum." >&2',
    "    exit 1",
    "  fi",
    '  (cd "$work" && find . -type f ! -path ./deno) | while IFS= read -r file; do',
    '    mkdir -p "$place/${file%/*}"',
    '    mv -f "$work/$file" "$place/$file"',
    "  done",
    '  mv -f "$work/deno" "$place/deno"',
    '  rm -rf "$work"',
    "  trap - EXIT",
    "fi",
    `exec "$place/deno" run ${
      permissions.join(" ")
    } --no-config --no-lock --no-remote --import-map="$place/${stand.map}" "$place/main.js" "$@"`,
  ];
  return `${lines.join("\n")}\n`.replace("LINE", String(lines.length + 1));
}

if (import.meta.main) {
  const path = await compilePortable(join(repositoryRoot, "compiled"));
  const { size } = await Deno.stat(path);
  process.stdout.write(`${path}  ${(size / 1_000_000).toFixed(1)} MB\n`);
}
