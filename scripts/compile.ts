/**
 * Compiles the command `framework` into one file per platform, with `deno compile`, and packs each
 * with the licence into an archive below `compiled/`, beside a list of checksums.
 *
 * Usage: `deno task compile [--target TARGET]… [--dry-run]`
 *
 * Deno fetches the runtime part of such a file from its own release server (or takes the one that
 * `DENORT_BIN` names). Where that cannot be had nothing is written and the exit code is 1; see
 * `deno task compile:portable` for machines without network. The file unpacks its modules once into
 * the user's cache, because the project's tools run in a process of their own, which reads them.
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { writeArchive, writeChecksums } from "./archives.ts";
import { collectCommand, collectLicences } from "./command_files.ts";
import { permissions } from "./compile_permissions.ts";
import { capture, run } from "./run_command.ts";
import { repositoryRoot } from "./workspace.ts";

/** The platforms; those of Windows and macOS are built and not tested. */
export const targets: readonly string[] = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
];

/** Options for `deno compile`, except for its output and its target. */
export const compileOptions: readonly string[] = [
  "--no-config",
  "--no-lock",
  "--no-check",
  "--no-remote",
  "--no-npm",
  "--self-extracting",
  "--app-name=framework",
  "--include=driver.js",
  ...permissions,
];

/** Findings of a dry run. */
export interface DryRun {
  /** Modules that would be embedded. */
  files: string[];
  /** Output of `deno compile`, its table of embedded files included. */
  report: string;
  /** Bytes of the modules. */
  bytes: number;
}

/** Has Deno put the file together around itself in place of the runtime part, and throws it away. */
export async function dryRun(): Promise<DryRun> {
  return await inFolder(async (folder) => {
    const { files } = await collectCommand(folder);
    const { stderr } = await run(
      Deno.execPath(),
      ["compile", ...compileOptions, "--output", join(folder, "framework"), "main.js"],
      { cwd: folder, env: { DENORT_BIN: Deno.execPath() } },
    );
    let bytes = 0;
    for (const file of files) bytes += (await Deno.stat(join(folder, file))).size;
    return { files, report: stderr, bytes };
  });
}

/**
 * Compiles for each target.
 *
 * @param options.output Folder of the archives.
 * @returns Names of the archives.
 * @throws {Error} when one target cannot be compiled, or `DENORT_BIN` is set for several; then nothing is written.
 */
export async function compile(
  options: { targets: readonly string[]; output: string },
): Promise<string[]> {
  if (process.env["DENORT_BIN"] !== undefined && options.targets.length > 1) {
    throw new Error(
      "DENORT_BIN names the runtime part of one platform, and would be put into the command for each: choose that " +
        "platform with --target.",
    );
  }
  return await inFolder(async (folder) => {
    const { version } = await collectCommand(join(folder, "command"));
    const archives: string[] = [];
    for (const target of options.targets) {
      if (!targets.includes(target)) {
        throw new Error(`"${target}" is no target. Choose from: ${targets.join(", ")}.`);
      }
      const program = target.includes("windows") ? "framework.exe" : "framework";
      const place = join(folder, target);
      await Deno.mkdir(place);
      await compileOne(join(folder, "command"), { target, output: join(place, program), version });
      const licences = await collectLicences(place);
      const archive = `framework-${version}-${target}.tar.gz`;
      await writeArchive(join(folder, archive), { folder: place, files: [program, ...licences] });
      archives.push(archive);
    }
    await Deno.mkdir(options.output, { recursive: true });
    for (const archive of archives) {
      await Deno.copyFile(join(folder, archive), join(options.output, archive));
    }
    await writeChecksums(options.output, archives);
    return archives;
  });
}

async function compileOne(
  folder: string,
  { target, output, version }: { target: string; output: string; version: string },
): Promise<void> {
  const { code, stdout, stderr } = await capture(
    Deno.execPath(),
    ["compile", ...compileOptions, "--target", target, "--output", output, "main.js"],
    { cwd: folder },
  );
  if (code !== 0) {
    throw new Error(
      `${stdout}${stderr}`.trim() +
        `\nThe command was not compiled for ${target}, and nothing was written. Deno ${Deno.version.deno} ` +
        "needs the runtime part of that platform: let this machine reach Deno's release server, or name a " +
        "denort of the same version in DENORT_BIN. Without either, `deno task compile:portable` makes " +
        "one file for machines like this one.",
    );
  }
  if (target !== Deno.build.target) return;
  // A `deno` in place of the runtime part ignores what it carries, and answers with its own version.
  const said = (await capture(output, ["--version"])).stdout.trim();
  if (said !== version) {
    throw new Error(`The compiled command says "${said}", not "${version}". Look at DENORT_BIN.`);
  }
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "framework-compile-" });
  try {
    return await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  try {
    const { values } = parseArgs({
      options: {
        target: { type: "string", multiple: true },
        "dry-run": { type: "boolean", default: false },
      },
    });
    if (values["dry-run"]) {
      const { files, report, bytes } = await dryRun();
      process.stdout.write(`${report}\n${files.length} modules, ${bytes} bytes\n`);
    } else {
      const output = join(repositoryRoot, "compiled");
      const archives = await compile({ targets: values.target ?? targets, output });
      process.stdout.write(
        [...archives, "SHA256SUMS"].map((name) => `compiled/${name}\n`).join(""),
      );
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    Deno.exit(1);
  }
}
