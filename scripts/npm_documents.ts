/**
 * Puts the guides into a package beside its README, whose links lead to them in the repository and nowhere in an
 * installed package.
 *
 * @module
 */

import { dirname, join, posix, relative } from "node:path";
import { rewriteLinks } from "./markdown_links.ts";
import type { Workspace } from "./workspace.ts";

/** Folder of the guides, in the repository and in a package. */
export const DOCUMENTS_FOLDER = "docs";

/** Files outside of that folder that come along, by their path in the repository. */
const ALONGSIDE = ["SECURITY.md"];

/** Output folder of a package's documents. */
export interface DocumentsPlace {
  workspace: Pick<Workspace, "root" | "members">;
  /** Folder of the member, in the repository. */
  member: string;
  /** Address of the source, for what is not packed. Default: its text stays, without a link. */
  repository?: string | undefined;
}

/**
 * Writes what the README of an unpacked package links to, and what that links to, and makes all their links lead
 * to what is there: to the packed guides, to pages of the other packages, or to the repository.
 *
 * @param folder Absolute path of the unpacked package, which has its README.
 * @throws {Error} When a link leads to a file that the repository does not have.
 */
export async function writeDocuments(folder: string, place: DocumentsPlace): Promise<void> {
  const { workspace: { root, members }, member, repository } = place;
  const packed = new Map([[`${member}/README.md`, "README.md"]]);
  const readmes = new Map(members.map((one) => [`${one.folder}/README.md`, one.name]));

  /** Address for a link of one file to another, both by their paths in the repository. */
  function addressOf(target: string, from: string): string | null {
    const isGuide = posix.dirname(target) === DOCUMENTS_FOLDER && target.endsWith(".md");
    if (isGuide || ALONGSIDE.includes(target)) packed.set(target, target);
    const there = packed.get(target);
    if (there !== undefined) return relative(dirname(packed.get(from)!), there);
    const name = readmes.get(target);
    if (name !== undefined) return `https://www.npmjs.com/package/${name}`;
    return repository === undefined ? null : `${repository}/blob/HEAD/${target}`;
  }

  // Grows while it is gone through.
  for (const [from, to] of packed) {
    const text = await Deno.readTextFile(join(root, from));
    const linked = rewriteLinks(text, (address) => {
      if (/^(?:https?:|#)/.test(address)) return address;
      const [path = "", ...anchor] = address.split(/(?=#)/);
      const there = addressOf(posix.join(posix.dirname(from), path), from);
      return there === null ? null : there + anchor.join("");
    });
    await Deno.mkdir(dirname(join(folder, to)), { recursive: true });
    await Deno.writeTextFile(join(folder, to), linked);
  }
}
