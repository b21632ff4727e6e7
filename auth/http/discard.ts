/** The most bytes that are read of a body that nobody wants. */
export const MAX_DISCARDED: number = 16 * 1024 * 1024;

/**
 * Reads a body to its end, and keeps nothing of it. What is longer than 16 MiB, or slower than the patience, is
 * cancelled.
 *
 * @param patience Milliseconds.
 * @throws What the platform throws when the other side goes away.
 */
export async function discard(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  patience: number = 5000,
): Promise<void> {
  const giveUp = (): Promise<void> => reader.cancel().catch(() => {});
  const timer = setTimeout(giveUp, patience);
  try {
    let left = MAX_DISCARDED;
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      left -= read.value.length;
      if (left < 0) return await giveUp();
    }
  } finally {
    clearTimeout(timer);
  }
}
