import { StorageUnavailableError } from "@framework/auth/storage";

/** Argument of `open()` of {@linkcode testStorage}. */
export interface StorageTools {
  /**
   * Makes one exchange with the store, which is lost where a case says so: before the store was asked, alone or with all
   * that come after it, or after it did its work and before its answer came. A storage that sends each of its statements or commands by this is tested
   * with interruptions too.
   *
   * @param work Exchange: a statement, a batch, a commit.
   * @returns What the store answered.
   * @throws {StorageUnavailableError} When the exchange is lost.
   */
  trip<T>(work: () => T | Promise<T>): Promise<T>;
}

/** Exchanges of a storage with its store, which can be lost. */
export interface Trips extends StorageTools {
  /** Number of exchanges so far. */
  readonly count: number;
  /**
   * Has one exchange lost, or all from one on.
   *
   * @param at Number of exchanges that come before it.
   */
  lose(at: number, when: Loss): void;
  /** Has no exchange lost any more; false when there was none to lose. */
  heal(): boolean;
}

/**
 * Moment of a loss: before the store was asked, or after it did its work; or all from then on are lost before it was
 * asked, as when the connection is gone, and with it the answer to a `ROLLBACK`.
 */
export type Loss = "before" | "after" | "all";

// In the words of D1, which say to the library's own storages that the statement may be tried again.
const LOST = "Network connection lost (by the test)";

/** Makes exchanges, of which none is lost at first. */
export function createTrips(): Trips {
  let count = 0;
  let lost: { at: number; when: Loss } | undefined;
  let wasLost = false;
  return {
    get count() {
      return count;
    },
    async trip(work) {
      const index = count++;
      const isLost = lost?.when === "all" ? index >= lost.at : index === lost?.at;
      const when = isLost ? lost?.when : undefined;
      if (when !== undefined) wasLost = true;
      if (when === "before" || when === "all") throw new StorageUnavailableError(LOST);
      const answer = await work();
      if (when === "after") throw new StorageUnavailableError(LOST);
      return answer;
    },
    lose(at, when) {
      lost = { at: count + at, when };
      wasLost = false;
    },
    heal() {
      lost = undefined;
      return wasLost;
    },
  };
}
