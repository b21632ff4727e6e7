import { ratioOf, summarize, type Timing } from "../compete.ts";
import { type BenchOptions, contendersOf, progress } from "../contest.ts";
import type { Size } from "../many_sessions.ts";
import { AMOUNTS, KINDS, OPERATIONS, scaleName } from "../programs/scale.ts";
import type { Figure, Goal, Row, Section, Table } from "../report.ts";
import { type Participant, startField } from "../runtimes.ts";
import { makeScaleDatabases } from "../scale_databases.ts";
import { measureClusters } from "../clusters.ts";

const GROWTH = 1.3;
const FEW: Size = { users: 200, sessions: 1000 };
/** Milliseconds that one contender has in a round, and the fewest and most jobs in it. */
const MILLISECONDS = 250;
const FEWEST = 8;
const MOST = 5000;

/** Times of one operation in one database. */
interface Quantiles {
  half: Timing;
  most: Timing;
}

function quantileOf(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}

/** Has contenders work in interleaved rounds; of each the times within which half and 99 of 100 jobs are done. */
export async function measureQuantiles(
  participants: readonly Participant[],
  { rounds, milliseconds }: { rounds: number; milliseconds: number },
): Promise<Map<string, Quantiles>> {
  const jobs = new Map<string, number>();
  for (const { name, carryOut } of participants) {
    let times: number[] = [];
    for (const jobs of [FEWEST, FEWEST, 4 * FEWEST]) {
      times = (await carryOut({ jobs, lanes: 1, each: true })).times!;
    }
    const one = times.toSorted((a, b) => a - b)[times.length >> 1]!;
    const wanted = Math.round(milliseconds * 1000 / one);
    jobs.set(name, Math.min(MOST, Math.max(FEWEST, wanted)));
  }
  const measured = new Map(participants.map(({ name }) => [name, { half: [], most: [] } as {
    half: number[];
    most: number[];
  }]));
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    const first = round % participants.length;
    for (const one of [...participants.slice(first), ...participants.slice(0, first)]) {
      const { times } = await one.carryOut({ jobs: jobs.get(one.name)!, lanes: 1, each: true });
      if (round === 0) continue;
      const sorted = times!.toSorted((a, b) => a - b);
      measured.get(one.name)!.half.push(quantileOf(sorted, 0.5));
      measured.get(one.name)!.most.push(quantileOf(sorted, 0.99));
    }
  }
  return new Map(
    [...measured].map(([name, { half, most }]) => [
      name,
      { half: summarize(half), most: summarize(most) },
    ]),
  );
}

function countText({ sessions }: Size): string {
  return `${sessions.toLocaleString("en-US")} sessions`;
}

function figure({ microseconds, noise }: Timing): Figure {
  return microseconds < 1000
    ? { value: microseconds, unit: "µs", noise }
    : { value: microseconds / 1000, unit: "ms", noise };
}

function growthTable(kind: string, found: Map<string, Quantiles>, many: Size): Table {
  return {
    title: kind,
    columns: [FEW, many].flatMap((size) => [`${countText(size)}: half within`, "99 of 100 within"]),
    rows: Object.keys(OPERATIONS).map((operation): Row => ({
      name: operation,
      figures: AMOUNTS.flatMap((amount) => {
        const { half, most } = found.get(scaleName(kind, amount, operation))!;
        return [figure(half), figure(most)];
      }),
    })),
  };
}

function growthGoals(found: Map<string, Quantiles>): Goal[] {
  return KINDS.flatMap((kind) =>
    Object.keys(OPERATIONS).flatMap((operation) => {
      const [few, many] = AMOUNTS.map((amount) => found.get(scaleName(kind, amount, operation))!);
      const goal = { unit: "×", is: "at most", limit: GROWTH } as const;
      const what = `${kind}: ${operation}, many over few`;
      return [
        { what: `${what}, half within`, value: ratioOf(many!.half, few!.half), ...goal },
        { what: `${what}, 99 of 100 within`, value: ratioOf(many!.most, few!.most), ...goal },
      ];
    })
  );
}

/** Measures what millions of rows do to the time of an operation, and what four processes do to that of a server. */
export async function measureScale({ rounds, peers, users }: BenchOptions): Promise<Section> {
  const many: Size = { users, sessions: 5 * users };
  await using made = await makeScaleDatabases({ few: FEW, many });
  const names = Object.keys(await contendersOf("scale.ts"));
  const env = { BENCH_DATABASES: made.file };
  const field = await startField("Node", { program: "scale.ts", names, peers, env });
  let found: Map<string, Quantiles>;
  try {
    for (const { error } of field.failed) throw error;
    progress("  operations in few and many rows");
    found = await measureQuantiles(field.participants, { rounds, milliseconds: MILLISECONDS });
  } finally {
    await field.close();
  }
  const clusters = await measureClusters({ rounds, peers, databases: made.databases.many });
  return {
    name: "scale",
    title: "Millions of rows, and several processes",
    about:
      `In databases with ${FEW.users} users and ${countText(FEW)}, and with ${
        users.toLocaleString("en-US")
      } and ${countText(many)}: a file of \`node:sqlite\` ` +
      "and a PostgreSQL on this machine, each operation on Node in a process of its own, one job after the other, for up to 2,000 users " +
      "and sessions from all over the tables. The wall; with SQLite a commit waits for the disk, with PostgreSQL here it does not. A round " +
      "has few sweeps, of which 99 of 100 is the longest. What SQLite's cache of 2 MB does not hold it reads from the file, page by page: " +
      "with `PRAGMA mmap_size` above the size of the file, here 1.7 GB, the check of a session took 1.2 times what it takes among few.\n\n" +
      clusters.about,
    tables: [...KINDS.map((kind) => growthTable(kind, found, many)), ...clusters.tables],
    goals: [...growthGoals(found), ...clusters.goals],
  };
}
