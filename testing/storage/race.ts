let rounds = 20;
const RIVALS = 6;

/** Has each race run so many times; twice, once in each order, is enough for who looks at its statements alone. */
export function setRounds(count: number): void {
  rounds = count;
}

/**
 * Runs a race several times; in every other round the rivals start in the opposite order.
 *
 * @param most Number of rounds at most, for a race whose state takes long to make.
 */
export async function repeat(
  race: (round: number, start: typeof startAll) => Promise<void>,
  most: number = rounds,
): Promise<void> {
  for (let round = 0; round < Math.min(rounds, most); round++) {
    await race(round, (rivals) => startAll(round % 2 === 0 ? rivals : [...rivals].reverse()));
  }
}

function startAll(rivals: (() => Promise<unknown>)[]): Promise<unknown> {
  return Promise.all(rivals.map((rival) => rival()));
}

/** Several at once. */
export function rivals<T>(make: (index: number) => T, howMany: number = RIVALS): T[] {
  return Array.from({ length: howMany }, (_, index) => make(index));
}
