import fs from "node:fs";

/**
 * Disposes of a Miniflare with the folder that it made. By itself it leaves the removal to the background, where the
 * next test of the file would be told that it is a leak of its own.
 */
export async function disposeMiniflare(miniflare: { dispose(): Promise<void> }): Promise<void> {
  const { rm } = fs.promises;
  const removals: Promise<void>[] = [];
  fs.promises.rm = (...given) => {
    const removal = rm(...given);
    removals.push(removal);
    return removal;
  };
  try {
    await miniflare.dispose();
    await Promise.allSettled(removals);
  } finally {
    fs.promises.rm = rm;
  }
}
