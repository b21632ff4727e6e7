/** One way to do a job. */
export interface Contender {
  name: string;
  /** Does the job once. */
  run(): unknown;
}

/** One way to answer a request. */
export interface RequestContender extends Contender {
  /** A request of somebody who is signed in. */
  request: Request;
  /** Does the job once, and throws when nobody is signed in. */
  run(request?: Request): unknown;
}

/** Timing of a contender. */
export interface Timing {
  name: string;
  /** Median of the rounds, in microseconds for one job. */
  microseconds: number;
  /** Half of the range between the quartiles, as a part of the median. */
  noise: number;
  /** Of each round, in order: what else the machine did then met all contenders of the round. */
  measured: number[];
}

/** Amount of measuring. */
export interface RoundOptions {
  rounds: number;
  /** Jobs of one contender in one round. */
  jobs: number;
  /** Clock in microseconds. Default: of the wall; CPU time is steadier on a busy machine. */
  clock?: () => number;
}

function quantile(sorted: number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}

/**
 * Ratio of one contender's time to another's: the median of the rounds, of which each is a pair.
 */
export function ratioOf({ measured }: Timing, other: Timing): number {
  const ratios = measured.map((microseconds, round) => microseconds / other.measured[round]!);
  return quantile(ratios.toSorted((a, b) => a - b), 0.5);
}

/**
 * Runs contenders in interleaved rounds, so that whatever else the machine does meets all of them alike,
 * each round in another order; a first round warms up and does not count.
 */
export async function runRounds(
  contenders: readonly Contender[],
  { rounds, jobs, clock = () => performance.now() * 1000 }: RoundOptions,
): Promise<Timing[]> {
  const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    const first = round % contenders.length;
    for (const { name, run } of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      const started = clock();
      for (let job = 0; job < jobs; job++) await run();
      if (round > 0) times.get(name)!.push((clock() - started) / jobs);
    }
  }
  return [...times].map(([name, measured]) => {
    const sorted = measured.toSorted((a, b) => a - b);
    const median = quantile(sorted, 0.5);
    const noise = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2 / median;
    return { name, microseconds: median, noise, measured };
  });
}
