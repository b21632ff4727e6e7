import { dirname } from "node:path";

/**
 * Does something while no other process does it that asks with the same file.
 *
 * @param path File that is made for this, with the folders above it.
 * @param work What to do. Others may have done it before.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await Deno.mkdir(dirname(path), { recursive: true });
  using file = await Deno.open(path, { create: true, write: true });
  await file.lock(true);
  return await work();
}
