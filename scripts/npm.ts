/**
 * Builds the npm packages: `npm/<member>/` unpacked and one `.tgz` each in `npm/tarballs/`.
 *
 * Usage: `deno task npm [--force] [--repository URL]`
 *
 * `deno publish --dry-run` has to accept the source first (types, slow types). `deno pack` then
 * makes JavaScript and declarations of each member, and this program completes what it leaves out
 * (see npm_manifest.ts), checks the result (npm_checks.ts) and writes a tarball whose bytes depend
 * on nothing but the source. While the source hash is the same, nothing is built again.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { create, extract } from "tar";
import { groupEntries, writeBundles } from "./npm_bundles.ts";
import { packageProblems } from "./npm_checks.ts";
import { writeDocuments } from "./npm_documents.ts";
import { completeManifest, type Manifest, type PackageAdditions, sorted } from "./npm_manifest.ts";
import { nestPackages } from "./npm_nested.ts";
import { packageSpecifiers } from "./npm_specifiers.ts";
import { stageMembers, UNCHECKED } from "./npm_stage.ts";
import { run } from "./run_command.ts";
import { sourceHash } from "./source_hash.ts";
import {
  exists,
  listFiles,
  type Member,
  readJson,
  readWorkspace,
  type Workspace,
} from "./workspace.ts";

/** One built package. */
export interface PackedPackage {
  /** Folder of the member and of the unpacked package below `npm/`. */
  folder: string;
  manifest: Manifest;
  /** Absolute path of the tarball. */
  tarball: string;
}

/** The packages of one state of the source. */
export interface Build {
  /** Source hash that the packages were built from. */
  hash: string;
  packages: PackedPackage[];
  /** False when they were there already. */
  built: boolean;
  /** Source files that no entry reaches; they are in no package. */
  unreached: string[];
}

/** Options for a build. */
export interface BuildOptions {
  workspace?: Workspace;
  /** Folder of the packages and of `tarballs`, below the root. Default: `npm`. */
  into?: string;
  /** Builds also what is current. Default: false. */
  force?: boolean;
  /** Has `deno publish --dry-run` judge the source first. Default: true. */
  gate?: boolean;
  /** Address of the source, for the manifests; see `completeManifest()`. Default: none. */
  repository?: string | undefined;
  /** Hears of each package that Deno has packed, with how many are packed, and how many there are. */
  onPacked?: ((name: string, packed: number, all: number) => void) | undefined;
}

/**
 * Builds the packages when the source has changed since the last build. Safe to call from several
 * processes at once: one builds, the others wait for it.
 *
 * @throws {Error} naming what is wrong with the source or with a package.
 */
export async function buildPackages(options: BuildOptions = {}): Promise<Build> {
  const workspace = options.workspace ?? await readWorkspace();
  const into = options.into ?? join(workspace.root, "npm");
  const tarballs = join(into, "tarballs");
  await Deno.mkdir(tarballs, { recursive: true });
  using lock = await Deno.open(join(tarballs, "lock"), { create: true, write: true });
  await lock.lock(true);
  const hash = await sourceHash(workspace);
  const stamp = join(tarballs, "built.json");
  const gate = options.gate ?? true;
  const { repository } = options;
  const last = await readJson(stamp).catch(() => ({} as Record<string, unknown>));
  if (gate && (last.hash !== hash || !last.gated || options.force)) await checkSource(workspace);
  const current = last.hash === hash && last.repository === repository && !options.force &&
    await areThere(workspace, into);
  let unreached = (last.unreached ?? []) as string[];
  if (!current) {
    await Deno.remove(stamp).catch(() => {});
    unreached = await packAll(workspace, { into, repository, onPacked: options.onPacked });
  }
  if (!current || gate) {
    const gated = gate || (current && last.gated === true);
    await Deno.writeTextFile(stamp, JSON.stringify({ hash, gated, unreached, repository }));
  }
  return { hash, packages: await readPackages(workspace, into), built: !current, unreached };
}

/**
 * Checks for what publishing to JSR would refuse; types by a program of the entries alone, which is
 * quicker.
 */
async function checkSource({ root, members }: Workspace): Promise<void> {
  const entries = members.flatMap(({ path, exports }) =>
    Object.values(exports).map((entry) => join(path, entry))
  );
  await run(Deno.execPath(), ["check", "--quiet", ...entries], { cwd: root });
  const publish = ["publish", "--dry-run", "--allow-dirty", "--quiet", "--no-check"];
  await run(Deno.execPath(), publish, { cwd: root });
}

async function areThere(workspace: Workspace, into: string): Promise<boolean> {
  for (const member of workspace.members) {
    if (!await exists(tarballPath(into, member))) return false;
    if (!await exists(join(into, member.folder, "package.json"))) return false;
  }
  return true;
}

/**
 * The packages of the last build.
 *
 * @param workspace What was built.
 * @param into Folder that it was built into. Default: `npm`, below the root.
 */
export async function readPackages(
  workspace: Workspace,
  into: string = join(workspace.root, "npm"),
): Promise<PackedPackage[]> {
  return await Promise.all(workspace.members.map(async (member) => ({
    folder: member.folder,
    manifest: await readJson(
      join(into, member.folder, "package.json"),
    ) as Manifest,
    tarball: tarballPath(into, member),
  })));
}

function tarballPath(into: string, member: Member): string {
  const name = member.name.replace("@", "").replace("/", "-");
  return join(into, "tarballs", `${name}-${member.version}.tgz`);
}

/** @returns The source files that no entry reaches. */
async function packAll(
  workspace: Workspace,
  { into, repository, onPacked }: Pick<BuildOptions, "repository" | "onPacked"> & { into: string },
): Promise<string[]> {
  const additions = await readJson(
    join(workspace.root, "npm", "packages.json"),
  ) as unknown as Record<string, PackageAdditions>;
  await using stage = await stageMembers(workspace);
  // By one process: those that pack would install side by side into one folder.
  await run(Deno.execPath(), ["install", "--frozen=false", "--quiet"], {
    cwd: stage.workspace.root,
  });
  let packed = 0;
  const folders = await Promise.all(stage.workspace.members.map(async (member) => {
    const folder = await unpackMember(member, into);
    onPacked?.(member.name, ++packed, workspace.members.length);
    return folder;
  }));
  const problems: string[] = [];
  const unreached: string[] = [];
  for (const [index, member] of workspace.members.entries()) {
    const folder = folders[index]!;
    const added = additions[member.folder];
    if (!added) throw new Error(`npm/packages.json has no entry "${member.folder}".`);
    for (const file of await removeUnreached(folder)) unreached.push(`${member.folder}/${file}`);
    await completeDeclarations(folder);
    await writeDocuments(folder, { workspace, member: member.folder, repository });
    if (added.bundled) await writeBundles(folder, groupEntries(member, added.bundled.apart));
    const manifest = completeManifest(member, await packageSpecifiers(folder), {
      workspace,
      additions: added,
      repository,
    });
    for (const problem of await packageProblems(folder, manifest, workspace.root)) {
      problems.push(`${member.name}: ${problem}`);
    }
    if (added.nested) {
      const { names, dependencies } = await nestPackages(
        folder,
        added.nested,
        stage.workspace.root,
      );
      manifest.bundleDependencies = names;
      manifest.dependencies = sorted({ ...manifest.dependencies, ...dependencies });
    }
    await Deno.writeTextFile(
      join(folder, "package.json"),
      JSON.stringify(manifest, null, 2) + "\n",
    );
    await writeTarball(folder, manifest, tarballPath(into, member));
  }
  if (problems.length > 0) {
    throw new Error(`The packages are not fit to publish:\n${problems.join("\n")}`);
  }
  return unreached;
}

/** Removes what `deno pack` took along as it is: TypeScript that no entry imports. */
async function removeUnreached(folder: string): Promise<string[]> {
  const files = (await listFiles(folder)).filter((file) =>
    /\.tsx?$/.test(file) && !file.endsWith(".d.ts")
  );
  for (const file of files) await Deno.remove(join(folder, file));
  return files;
}

/** Has Deno pack a member, and unpacks that into a fresh folder. */
async function unpackMember(member: Member, into: string): Promise<string> {
  const folder = join(into, member.folder);
  const packed = `${tarballPath(into, member)}.packed`;
  // Source maps would carry absolute paths.
  await run(
    Deno.execPath(),
    ["pack", "--allow-dirty", "--no-source-maps", "--output", packed],
    { cwd: member.path },
  );
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  await extract({ file: packed, cwd: folder, strip: 1 });
  await Deno.remove(packed);
  for (const file of await listFiles(folder)) {
    if (!/\.(?:js|ts)$/.test(file)) continue;
    const text = await Deno.readTextFile(join(folder, file));
    await Deno.writeTextFile(join(folder, file), text.replace(UNCHECKED, ""));
  }
  return folder;
}

/** Makes a module of each declaration file: without any export TypeScript would call it a script. */
async function completeDeclarations(folder: string): Promise<void> {
  for (const file of await listFiles(folder)) {
    if (!file.endsWith(".d.ts")) continue;
    const text = (await Deno.readTextFile(join(folder, file))).replace(/^#!.*\n?/, "");
    const isModule = /^(\/\*[\s\S]*?\*\/\s*)?(import|export)\b/m.test(text);
    await Deno.writeTextFile(
      join(folder, file),
      isModule ? text : `${text.trimEnd()}\nexport {};\n`.trimStart(),
    );
  }
}

/** Writes the folder as npm does: below `package/`, sorted, with npm's one date and plain modes. */
async function writeTarball(folder: string, manifest: Manifest, file: string): Promise<void> {
  const files = await listFiles(folder);
  const programs = Object.values(manifest.bin ?? {});
  for (const name of files) {
    await Deno.chmod(join(folder, name), programs.includes(name) ? 0o755 : 0o644);
  }
  await create({
    file,
    cwd: folder,
    prefix: "package",
    gzip: { level: 9 },
    portable: true,
    noDirRecurse: true,
    mtime: npmDate,
  }, files);
}

/** The date that npm gives every packed file. */
export const npmDate: Date = new Date("1985-10-26T08:15:00.000Z");

/** Says of each package what it weighs. */
export async function describePackages(build: Build): Promise<string[]> {
  return await Promise.all(build.packages.map(async ({ folder, manifest, tarball }) => {
    const bytes = await Deno.readFile(tarball);
    const sum = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
    const size = `${(bytes.length / 1000).toFixed(1)} kB`;
    return `npm/${folder}  ${manifest.name} ${manifest.version}  ${size}  sha256 ${sum}…`;
  }));
}

if (import.meta.main) {
  const started = performance.now();
  try {
    const { values } = parseArgs({
      options: { force: { type: "boolean", default: false }, repository: { type: "string" } },
    });
    const build = await buildPackages(values);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const lines = await describePackages(build);
    process.stdout.write(`${lines.join("\n")}\n`);
    process.stdout.write(
      build.built ? `Built in ${seconds} s.\n` : `Current: nothing to build (${seconds} s).\n`,
    );
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    Deno.exit(1);
  }
}
