import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const STARTER = fileURLToPath(new URL("../../cli/templates/starter/", import.meta.url));
// Inside of the repository, where the names of the packages are known.
const COPIES = fileURLToPath(new URL("../output/projects/", import.meta.url));

/** A file of the copy: its text, or a change of the text that it has. */
export type SourceChange = string | ((text: string) => string);

/**
 * Copies the starter's sources into a folder of the repository, for tests that run it by the packages' own sources.
 *
 * @param changes Files to add, and changes of files, by their path; one after the other.
 * @throws {Error} When a change leaves its file as it is.
 */
export async function copyStarterSource(
  ...changes: Record<string, SourceChange>[]
): Promise<{ cwd: string; remove(): Promise<void> }> {
  await mkdir(COPIES, { recursive: true });
  const cwd = `${await mkdtemp(COPIES)}/`;
  for (const name of ["app", "migrations", "wrangler.jsonc", "framework.config.ts"]) {
    await cp(join(STARTER, name), join(cwd, name), { recursive: true });
  }
  await writeFile(join(cwd, ".dev.vars"), "AUTH_SECRET=a secret of at least thirty-two bytes\n");
  for (const name of await readdir(cwd, { recursive: true })) {
    if (!/\.(?:tsx?|jsonc)$/.test(name)) continue;
    const text = await readFile(join(cwd, name), "utf8");
    if (text.includes("{{name}}")) {
      await writeFile(join(cwd, name), text.replaceAll("{{name}}", "my-app"));
    }
  }
  for (const [name, change] of changes.flatMap(Object.entries<SourceChange>)) {
    const file = join(cwd, name);
    const before = typeof change === "string" ? "" : await readFile(file, "utf8");
    const text = typeof change === "string" ? change : change(before);
    if (text === before) throw new Error(`The change of ${name} changes nothing.`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return { cwd, remove: () => rm(cwd, { recursive: true, force: true }) };
}
