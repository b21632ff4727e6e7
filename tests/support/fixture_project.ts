import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

const FIXTURE = fileURLToPath(new URL("../../testing/context/fixtures/project/", import.meta.url));
// As deep as the fixture, whose tsconfig.json names the files of the packages.
const COPIES = fileURLToPath(new URL("../output/projects/", import.meta.url));

/**
 * Copies the test kit's application into a folder of its own, for a file that builds it: builds write `.framework`, and
 * whoever clears that up must not take it from another process.
 *
 * @returns The folder, with a slash at its end, and its removal.
 */
export async function copyFixtureProject(): Promise<{ cwd: string; remove(): Promise<void> }> {
  await mkdir(COPIES, { recursive: true });
  const folder = await mkdtemp(COPIES);
  await cp(FIXTURE, folder, {
    recursive: true,
    filter: (path) => basename(path) !== ".framework",
  });
  return { cwd: `${folder}/`, remove: () => rm(folder, { recursive: true, force: true }) };
}
