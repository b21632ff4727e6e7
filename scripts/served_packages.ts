/**
 * Looks at packages as a registry serves them: whether they are those that were built, and have what users and their
 * tools read.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { extract } from "tar";
import type { PackedPackage } from "./npm.ts";
import { packageProblems } from "./npm_checks.ts";
import type { Manifest } from "./npm_manifest.ts";
import { integrityOf, tagOf } from "./publish.ts";
import type { BillOfMaterials } from "./sbom.ts";
import { exists, listFiles, repositoryRoot } from "./workspace.ts";

/** What a registry tells of a package. */
export interface Packument {
  "dist-tags": Record<string, string>;
  versions: Record<
    string,
    Manifest & { dist: { integrity: string; shasum: string; tarball: string } }
  >;
}

/** Asks a registry about a package. */
export async function readPackument(registry: string, name: string): Promise<Packument> {
  const response = await fetch(`${registry}${name.replace("/", "%2f")}`);
  if (!response.ok) throw new Error(`The registry answers ${response.status} for ${name}.`);
  return await response.json();
}

/** Fields of a manifest that a registry serves as they were published. */
const FIELDS = [
  ...["description", "keywords", "license", "repository", "type", "sideEffects", "engines", "bin"],
  ...["main", "types", "exports", "dependencies", "bundleDependencies", "peerDependencies"],
  "peerDependenciesMeta",
];

/**
 * Everything that is wrong with a package as a registry serves it, one line each.
 *
 * @param packed The package that was published.
 * @param options.registry Address with a final slash.
 * @param options.repository Address of the source, without which there is no provenance. Default: not looked at.
 * @param options.bill Its bill of materials.
 */
export async function servedProblems(
  packed: PackedPackage,
  { registry, repository, bill }: {
    registry: string;
    repository?: string;
    bill: BillOfMaterials;
  },
): Promise<string[]> {
  const { folder, manifest: { name, version }, manifest } = packed;
  const problems: string[] = [];
  function expect(holds: boolean, problem: string): void {
    if (!holds) problems.push(`${name} ${version}: ${problem}`);
  }
  const packument = await readPackument(registry, name);
  const tag = tagOf(version);
  expect(packument["dist-tags"][tag] === version, `is not what ${tag} leads to`);
  const served = packument.versions[version];
  if (served === undefined) return [`${name} ${version}: is not served`];
  for (const field of FIELDS) {
    expect(isDeepStrictEqual(served[field], manifest[field]), `serves another field "${field}"`);
  }
  if (repository !== undefined) {
    const source = { type: "git", url: `git+${repository}.git`, directory: folder };
    expect(isDeepStrictEqual(served["repository"], source), `does not name ${repository}`);
  }

  const response = await fetch(served.dist.tarball);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const digest = (algorithm: string) => createHash(algorithm).update(bytes).digest("hex");
  const own = await Deno.readFile(packed.tarball);
  expect(integrityOf(bytes) === integrityOf(own), "serves another tarball than was built");
  expect(served.dist.integrity === integrityOf(own), "tells another digest than the tarball has");
  expect(served.dist.shasum === digest("sha1"), "tells another SHA-1 than the tarball has");
  const { component } = bill.metadata;
  const named = Object.fromEntries(component.hashes.map(({ alg, content }) => [alg, content]));
  expect(named["SHA-256"] === digest("sha256"), "its bill of materials has another SHA-256");
  expect(named["SHA-512"] === digest("sha512"), "its bill of materials has another SHA-512");
  expect(component.version === version, "its bill of materials is of another version");

  const place = await Deno.makeTempDir({ prefix: "framework-served-" });
  try {
    const file = join(place, "package.tgz");
    await Deno.writeFile(file, bytes);
    const unpacked = join(place, "unpacked");
    await Deno.mkdir(unpacked);
    await extract({ file, cwd: unpacked, strip: 1 });
    for (const one of manifest.bundleDependencies ?? []) {
      const files = await listFiles(join(unpacked, "node_modules", one));
      expect(files.some((path) => /^licen[cs]e/i.test(path)), `has ${one} without its licence`);
    }
    const modules = join(unpacked, "node_modules");
    if (await exists(modules)) await Deno.remove(modules, { recursive: true });
    for (const problem of await packageProblems(unpacked, manifest, repositoryRoot)) {
      expect(false, problem);
    }
    const license = await Deno.readTextFile(join(unpacked, "LICENSE"));
    expect(license.includes("Permission is hereby granted"), "has another licence than it says");
  } finally {
    await Deno.remove(place, { recursive: true });
  }
  return problems;
}
