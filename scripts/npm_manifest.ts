/**
 * Completes the package.json that `deno pack` writes: dependencies, peers, bin and description.
 *
 * `deno pack` leaves out sibling packages and packages that only declarations import, and writes
 * no bin, description, engines or peers.
 *
 * @module
 */

import { packageName } from "./npm_specifiers.ts";
import type { Member, Workspace } from "./workspace.ts";

/** Additions to a member's manifest for its bundles. */
export interface BundleAdditions {
  /** Entries that are loaded by themselves and share nothing with the others, such as those for browsers. */
  apart: string[];
}

/** Additions of `npm/packages.json` to one member. */
export interface PackageAdditions {
  description: string;
  keywords: string[];
  /** Supported Node versions. */
  node: string;
  /** Command name → packed file. */
  bin?: Record<string, string>;
  /** Packed files that do something when they are merely imported. */
  sideEffects?: string[];
  /** Bundles of the entries, in the place of the modules; see `writeBundles()`. Default: each module is packed. */
  bundled?: BundleAdditions;
  /** Packages that lie in its own `node_modules`; see `nestPackages()`. */
  nested?: string[];
  /** Packages that the application brings; those it can do without are optional. */
  peers?: Record<string, { range: string; optional?: boolean }>;
}

/** A package.json, as far as the build programs read it. */
export interface Manifest {
  name: string;
  version: string;
  bin?: Record<string, string>;
  exports: Record<string, string | Record<string, string>>;
  dependencies?: Record<string, string>;
  bundleDependencies?: string[];
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional: true }>;
  [field: string]: unknown;
}

/**
 * The complete package.json of one member.
 *
 * @param specifiers What the packed files import.
 * @param options.repository Address of the source, without which no registry accepts a provenance.
 * @throws {Error} when an import has no range in the root import map, or a peer is imported nowhere.
 */
export function completeManifest(
  member: Member,
  specifiers: string[],
  options: { workspace: Workspace; additions: PackageAdditions; repository?: string | undefined },
): Manifest {
  const { additions, repository, workspace } = options;
  const peers = additions.peers ?? {};
  const dependencies: Record<string, string> = {};
  for (const name of new Set(specifiers.map(packageName))) {
    if (name === null || name === member.name || name in peers) continue;
    dependencies[name] = dependencyRange(name, member, workspace);
  }
  const optional = Object.entries(peers).filter(([, peer]) => peer.optional);
  return {
    name: member.name,
    version: member.version,
    description: additions.description,
    keywords: additions.keywords,
    license: member.license,
    ...(repository !== undefined && {
      repository: { type: "git", url: `git+${repository}.git`, directory: member.folder },
    }),
    type: "module",
    sideEffects: additions.sideEffects ?? false,
    engines: { node: additions.node },
    ...(additions.bin && { bin: additions.bin }),
    main: packedFile(member.exports["."]!, ".js"),
    types: packedFile(member.exports["."]!, ".d.ts"),
    exports: packedExports(member),
    ...(Object.keys(dependencies).length > 0 && { dependencies: sorted(dependencies) }),
    ...(Object.keys(peers).length > 0 && {
      peerDependencies: sorted(
        Object.fromEntries(Object.entries(peers).map(([name, peer]) => [name, peer.range])),
      ),
    }),
    ...(optional.length > 0 && {
      peerDependenciesMeta: sorted(
        Object.fromEntries(optional.map(([name]) => [name, { optional: true as const }])),
      ),
    }),
  };
}

/** Packed name of a source file: `"./mod.ts"` → `"./mod.js"` or `"./mod.d.ts"`. */
export function packedFile(source: string, extension: ".js" | ".d.ts"): string {
  return source.replace(/\.tsx?$/, extension);
}

function packedExports(member: Member): Manifest["exports"] {
  const entries = Object.entries(member.exports).map(([entry, source]) =>
    [entry, { types: packedFile(source, ".d.ts"), default: packedFile(source, ".js") }] as const
  );
  return { ...Object.fromEntries(entries), "./package.json": "./package.json" };
}

function dependencyRange(name: string, member: Member, workspace: Workspace): string {
  const sibling = workspace.members.find((other) => other.name === name);
  // Siblings are released together: one version knows only its like.
  if (sibling) return sibling.version;
  for (const target of Object.values(workspace.imports)) {
    const prefix = `npm:${name}@`;
    if (target.startsWith(prefix)) return target.slice(prefix.length).split("/")[0]!;
  }
  throw new Error(
    `${member.name} imports "${name}", which the root deno.json does not list. ` +
      `Add it to "imports" with its version, or to "peers" in npm/packages.json.`,
  );
}

/** The same entries in the order of their names. */
export function sorted<Value>(record: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
