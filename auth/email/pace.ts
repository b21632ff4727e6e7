/** Makes what sends no e-mail last as long as what sends one. */
export interface Pace {
  /** Does the work and takes its time as the usual one. */
  measure<T>(work: () => Promise<T>): Promise<T>;
  /** Waits for the usual time. */
  wait(): Promise<void>;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * Who may not sign in gets no e-mail, and must not be told apart by how soon the answer comes.
 *
 * @param clock Milliseconds; those of the platform by default.
 * @param sleep What waits; a timer by default.
 */
export function createPace(
  clock: () => number = () => performance.now(),
  sleep: (milliseconds: number) => Promise<void> = pause,
): Pace {
  let usual = 0;
  return {
    async measure(work) {
      const start = clock();
      const result = await work();
      // The mean of late ones, with a weight that forgets.
      const taken = clock() - start;
      usual = usual === 0 ? taken : usual * 0.8 + taken * 0.2;
      return result;
    },
    wait: () => sleep(usual),
  };
}
