/**
 * Writes for each npm package what it brings along: a bill of materials (SBOM) as CycloneDX 1.6, in `npm/sbom/`.
 *
 * Usage: `deno task sbom [--repository URL]`, with what `deno task npm` was given: other packages have other digests
 *
 * It lists the dependencies that an installation of the package alone has, in the releases of `deno.lock`, which are
 * those that the tests ran with. An installation may have later ones, within the ranges of the package.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { type Build, buildPackages, type PackedPackage } from "./npm.ts";
import { exists, readJson, repositoryRoot } from "./workspace.ts";

/** A package of `deno.lock`. */
interface Locked {
  integrity: string;
  /** Names, with a version where there are several. */
  dependencies?: string[];
}

interface Lock {
  specifiers: Record<string, string>;
  npm: Record<string, Locked>;
}

/** A package in a bill of materials. */
export interface Component {
  type: "library";
  "bom-ref": string;
  group?: string;
  name: string;
  version: string;
  purl: string;
  hashes: { alg: "SHA-256" | "SHA-512"; content: string }[];
  licenses: { license: { id: string } | { name: string } }[] | { expression: string }[];
}

/** A bill of materials: the fields of CycloneDX 1.6 that it has. */
export interface BillOfMaterials {
  bomFormat: "CycloneDX";
  specVersion: "1.6";
  serialNumber: string;
  version: 1;
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** Folder in which the licences of installed packages are read. */
const MODULES = join(repositoryRoot, "node_modules", ".deno");

/** The address of a package (package-url, type npm). */
function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** Name and version of a key of the lock file, which may go on with peers: `a@1.0.0_b@2.0.0`. */
function readKey(key: string): { name: string; version: string } {
  const [, name, version] = /^(@?[^@]+)@([^_]+)/.exec(key)!;
  return { name: name!, version: version! };
}

function licensesOf(license: string): Component["licenses"] {
  if (/ (?:OR|AND|WITH) /.test(license)) return [{ expression: license }];
  // What is no identifier of SPDX is a name.
  const isId = /^[A-Za-z0-9.+-]+$/.test(license) && license !== "UNLICENSED";
  return [{ license: isId ? { id: license } : { name: license } }];
}

async function readLicense(key: string): Promise<string> {
  const { name } = readKey(key);
  const folder = join(MODULES, key.replaceAll("/", "+"), "node_modules", name, "package.json");
  if (!await exists(folder)) throw new Error(`${key} is not installed: run deno ci.`);
  const { license } = await readJson(folder) as { license?: string | { type: string } };
  return typeof license === "object" ? license.type : license ?? "NOASSERTION";
}

async function componentOf(key: string, { integrity }: Locked): Promise<Component> {
  const { name, version } = readKey(key);
  const content = integrity.replace(/^sha512-/, "");
  return {
    ...named(name, version),
    hashes: [{ alg: "SHA-512", content: Uint8Array.fromBase64(content).toHex() }],
    licenses: licensesOf(await readLicense(key)),
  };
}

function named(
  name: string,
  version: string,
): Pick<Component, "type" | "bom-ref" | "group" | "name" | "version" | "purl"> {
  const purl = purlOf(name, version);
  const [scope, own] = name.startsWith("@") ? name.split("/") : [undefined, name];
  return {
    type: "library",
    "bom-ref": purl,
    ...scope !== undefined && { group: scope },
    name: own!,
    version,
    purl,
  };
}

async function ownComponent({ manifest, tarball }: PackedPackage): Promise<Component> {
  const bytes = await Deno.readFile(tarball);
  return {
    ...named(String(manifest.name), String(manifest.version)),
    hashes: (["SHA-256", "SHA-512"] as const).map((alg) => ({
      alg,
      content: createHash(alg.replace("-", "")).update(bytes).digest("hex"),
    })),
    licenses: licensesOf(String(manifest.license)),
  };
}

/** The key of what a package depends on, by the name or `name@version` that the lock file has there. */
function findLocked(lock: Lock, wanted: string): string {
  const keys = Object.keys(lock.npm);
  const found = keys.find((key) => key === wanted) ??
    keys.find((key) => readKey(key).name === wanted || key.startsWith(`${wanted}_`));
  if (found === undefined) throw new Error(`deno.lock has no ${wanted}.`);
  return found;
}

/** The release of a dependency that the repository is locked to; of what only others depend on, theirs. */
function lockedVersion(lock: Lock, name: string): string {
  const found = Object.entries(lock.specifiers).find(([key]) => key.startsWith(`npm:${name}@`));
  return found === undefined ? name : `${name}@${found[1]}`;
}

/**
 * The bill of materials of a package.
 *
 * @param packed The package.
 * @param build All packages: one may depend on another.
 */
export async function billOfMaterials(
  packed: PackedPackage,
  { packages }: Pick<Build, "packages">,
): Promise<BillOfMaterials> {
  const lock = await readJson(join(repositoryRoot, "deno.lock")) as unknown as Lock;
  const own = await ownComponent(packed);
  const components = new Map<string, Component>();
  const dependencies = new Map<string, string[]>();

  async function addLocked(key: string): Promise<string> {
    const locked = lock.npm[key]!;
    const component = await componentOf(key, locked);
    const ref = component["bom-ref"];
    if (components.has(ref)) return ref;
    components.set(ref, component);
    dependencies.set(ref, []);
    for (const wanted of locked.dependencies ?? []) {
      dependencies.get(ref)!.push(await addLocked(findLocked(lock, wanted)));
    }
    return ref;
  }

  async function addDependenciesOf({ manifest }: PackedPackage, ref: string): Promise<void> {
    const refs: string[] = [];
    const direct = Object.keys((manifest.dependencies ?? {}) as Record<string, string>);
    for (const name of direct) {
      const member = packages.find((other) => other.manifest.name === name);
      if (member === undefined) {
        refs.push(await addLocked(findLocked(lock, lockedVersion(lock, name))));
        continue;
      }
      const component = await ownComponent(member);
      refs.push(component["bom-ref"]);
      if (components.has(component["bom-ref"])) continue;
      components.set(component["bom-ref"], component);
      await addDependenciesOf(member, component["bom-ref"]);
    }
    dependencies.set(ref, refs);
  }

  await addDependenciesOf(packed, own["bom-ref"]);
  const byName = <T extends { "bom-ref": string }>(a: T, b: T) =>
    a["bom-ref"] < b["bom-ref"] ? -1 : 1;
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    // Of the tarball, so that the same source has the same bill.
    serialNumber: `urn:uuid:${uuidOf(own.hashes[0]!.content)}`,
    version: 1,
    metadata: { component: own },
    components: [...components.values()].sort(byName),
    dependencies: [...dependencies].sort(([a], [b]) => a < b ? -1 : 1)
      .map(([ref, dependsOn]) => ({ ref, dependsOn: dependsOn.toSorted() })),
  };
}

/** A UUID of version 8 (RFC 9562, 5.8) with the bits of a digest. */
function uuidOf(digest: string): string {
  const variant = (parseInt(digest[16]!, 16) & 3 | 8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}` +
    `${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { repository: { type: "string" } } });
  const build = await buildPackages(values);
  const folder = join(repositoryRoot, "npm", "sbom");
  await Deno.mkdir(folder, { recursive: true });
  for (const packed of build.packages) {
    const file = `${basename(packed.tarball, ".tgz")}.cdx.json`;
    const bill = await billOfMaterials(packed, build);
    await Deno.writeTextFile(join(folder, file), `${JSON.stringify(bill, null, 2)}\n`);
    process.stdout.write(`npm/sbom/${file}: ${bill.components.length} packages\n`);
  }
}
