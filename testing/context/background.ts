/** Work that the application handed to `waitUntil`. */
export interface Background {
  /** Tracks the promise until it settles. */
  add(work: Promise<unknown>): void;
  /** Waits for all work, including work added meanwhile, and throws the errors. */
  settle(): Promise<void>;
}

/**
 * Tracks background work, so that none of it outlives its context.
 *
 * @param isIntended Returns true for errors that nobody is to be told of. Default: for none.
 */
export function createBackground(
  isIntended: (error: unknown) => boolean = () => false,
): Background {
  const pending = new Set<Promise<void>>();
  const failures: unknown[] = [];
  return {
    add(work) {
      const tracked: Promise<void> = Promise.resolve(work).then(
        () => {},
        (error) => {
          if (!isIntended(error)) failures.push(error);
        },
      ).then(() => {
        pending.delete(tracked);
      });
      pending.add(tracked);
    },
    async settle() {
      while (pending.size > 0) await Promise.all(pending);
      const [first, ...others] = failures.splice(0);
      if (others.length > 0) {
        throw new AggregateError(
          [first, ...others],
          "Several promises that were passed to waitUntil() were rejected.",
        );
      }
      if (first !== undefined) throw first;
    },
  };
}
