/** Time limit on a slow machine for what a quick one does at once, in milliseconds. */
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

/**
 * Waits for what has no time limit of its own, as a program that is to close has none.
 *
 * @param what Name of it, for the error.
 * @param coming What is awaited.
 * @param limit Time limit in milliseconds. Default: two minutes.
 */
export async function within<T>(
  what: string,
  coming: Promise<T>,
  limit: number = 120_000,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${what} did not come within ${limit / 1000} s`)),
      limit,
    );
  });
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(timer);
  }
}
