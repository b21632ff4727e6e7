/** The platform's `scheduler`. */
export interface Scheduler {
  /**
   * Waits.
   *
   * @param delay Milliseconds.
   * @param options `signal`: ends the wait, which then rejects with its reason.
   */
  wait(delay?: number, options?: { signal?: AbortSignal }): Promise<void>;
}

/**
 * Creates a `scheduler`. It waits in real time, as `setTimeout` does: the clock of a test moves only when the test says
 * so, which it cannot while it awaits the response.
 *
 * @see https://developers.cloudflare.com/workers/runtime-apis/scheduler/
 */
export function createScheduler(): Scheduler {
  return {
    wait(delay = 0, { signal } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      if (signal?.aborted) {
        reject(signal.reason);
        return promise;
      }
      const end = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", end);
        resolve();
      }, delay);
      signal?.addEventListener("abort", end, { once: true });
      return promise;
    },
  };
}
