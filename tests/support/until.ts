/** Time limit on a slow machine for what a quick one does at once. */
export const CEILING = 300_000;

/**
 * Asks again and again until something holds; what it throws counts as no.
 *
 * @param holds What is asked.
 * @param missing Says what did not come, when it has not in five minutes.
 */
export async function until(holds: () => Promise<boolean>, missing: () => string): Promise<void> {
  const end = performance.now() + CEILING;
  let last: unknown;
  while (performance.now() < end) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(missing(), { cause: last });
}
