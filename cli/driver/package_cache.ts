import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";

/** A bundle of packages, and what it was made of. */
export interface KeptPackages {
  /** What was asked of the packages. */
  source: string;
  /** The code of all packages. */
  code: string;
  map: string | null;
  /** esbuild's account of what went into it. */
  inputs: Record<string, { imports: { path: string }[]; format?: "esm" | "cjs" }>;
  /** State of the files that it was made of, by absolute path. */
  files: Record<string, string>;
}

interface Head extends Omit<KeptPackages, "code" | "map"> {
  key: string;
  codeLength: number;
  hasMap: boolean;
}

/**
 * Reads the bundle of packages that an earlier run kept: they are most of an application's code, and change least.
 *
 * @param file Absolute path of where it is kept.
 * @param key What else the bundle depends on: esbuild's version and its options.
 * @returns undefined when there is none, when it was made otherwise, or when it cannot be read.
 */
export async function readKeptPackages(
  file: string,
  key: string,
): Promise<KeptPackages | undefined> {
  try {
    const text = await readFile(file, "utf8");
    const end = text.indexOf("\n");
    const { key: kept, codeLength, hasMap, ...head } = JSON.parse(text.slice(0, end)) as Head;
    if (kept !== key) return undefined;
    const rest = text.slice(end + 1);
    return {
      ...head,
      code: rest.slice(0, codeLength),
      map: hasMap ? rest.slice(codeLength) : null,
    };
  } catch {
    return undefined;
  }
}

/** Keeps a bundle of packages for later runs. One that cannot be kept is made anew. */
export async function keepPackages(
  file: string,
  key: string,
  { code, map, ...packages }: KeptPackages,
): Promise<void> {
  const head: Head = { ...packages, key, codeLength: code.length, hasMap: map !== null };
  // Whoever reads it meanwhile gets the old one or the new one, never a part.
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(draft, `${JSON.stringify(head)}\n${code}${map ?? ""}`);
    await rename(draft, file);
  } catch {
    return;
  }
}
