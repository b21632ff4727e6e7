import type { Order } from "./contender.ts";
import type { Participant } from "./runtimes.ts";

/** Timing of a contender. */
export interface Timing {
  /** Median of the rounds, in microseconds for one time. */
  microseconds: number;
  /** Half of the range between the quartiles, as a part of the median. */
  noise: number;
  /** Timing of each round. */
  rounds: readonly number[];
}

/** Amount of measuring. */
export interface CompeteOptions {
  rounds: number;
  /** Number of concurrent jobs. */
  lanes: number;
  /** Milliseconds that one contender has in one round. Default 40. */
  milliseconds?: number;
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}

/** Median and noise of what was measured. */
export function summarize(measured: readonly number[]): Timing {
  const sorted = measured.toSorted((a, b) => a - b);
  const median = quantile(sorted, 0.5);
  const range = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  return { microseconds: median, noise: median === 0 ? 0 : range / 2 / median, rounds: measured };
}

/**
 * Ratio of a contender's time to another's: the median of the rounds, in each of which both had
 * their turn.
 */
export function ratioOf(above: Timing, below: Timing): number {
  const ratios = above.rounds.map((time, round) => time / below.rounds[round]!);
  return quantile(ratios.toSorted((a, b) => a - b), 0.5);
}

/** Warms a contender up, and finds how many jobs fill its time in a round. */
async function calibrate(
  participant: Participant,
  { lanes, milliseconds = 40 }: CompeteOptions,
): Promise<Order> {
  let jobs = lanes;
  let spent = 0;
  for (;;) {
    const { microseconds } = await participant.carryOut({ jobs, lanes });
    spent += microseconds;
    const wanted = Math.max(
      lanes,
      Math.round(jobs * milliseconds * 1000 / Math.max(microseconds, 1)),
    );
    // Five rounds' worth, by when the compilers have seen what there is to see.
    if (spent > milliseconds * 5000) return { jobs: wanted, lanes };
    jobs = Math.min(wanted, jobs * 10);
  }
}

/**
 * Has contenders work in interleaved rounds, one at a time and each round in another order, so that whatever else
 * the machine does meets all of them alike.
 */
export async function compete(
  participants: readonly Participant[],
  options: CompeteOptions,
): Promise<Map<string, Timing>> {
  const orders = new Map<string, Order>();
  for (const participant of participants) {
    orders.set(participant.name, await calibrate(participant, options));
  }
  const measured = new Map<string, number[]>(participants.map(({ name }) => [name, []]));
  for (let round = 0; round < options.rounds; round++) {
    const first = round % participants.length;
    for (const one of [...participants.slice(first), ...participants.slice(0, first)]) {
      const order = orders.get(one.name)!;
      const { microseconds, batch } = await one.carryOut(order);
      measured.get(one.name)!.push(microseconds / order.jobs / batch);
    }
  }
  return new Map([...measured].map(([name, times]) => [name, summarize(times)]));
}
