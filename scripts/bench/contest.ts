import process from "node:process";
import { compete, ratioOf, type Timing } from "./compete.ts";
import { type Field, type Participant, type RuntimeName, startField } from "./runtimes.ts";
import type { Contenders } from "./contender.ts";
import type { Figure, Goal, Row, Table, Unit } from "./report.ts";

/** Options of every measurement. */
export interface BenchOptions {
  /** Rounds in which contenders are measured. */
  rounds: number;
  /** Folder of the installed peers. */
  peers: string;
  /** Users of the large databases, of which each has five sessions. */
  users: number;
}

/** Contenders of one program, in several runtimes. */
export interface Contest {
  /** Name of the file in the folder `programs`. */
  program: string;
  /** Names of its contenders. */
  names: readonly string[];
  runtimes: readonly RuntimeName[];
  /** Number of concurrent jobs. Default 16. */
  lanes?: number;
  /** Milliseconds that a contender has in a round. Default 40. */
  milliseconds?: number;
  /** See {@linkcode FieldOptions}. */
  d1?: boolean;
  /** See {@linkcode FieldOptions}. */
  env?: Readonly<Record<string, string>>;
  /** Measures the wall in the place of CPU time, in processes: one job after the other. Default false. */
  wall?: boolean;
}

/** Timings of the contenders, by runtime and name; a peer that does not run there is missing. */
export type Times = Map<RuntimeName, Map<string, Timing>>;

/** The contender that everything is about: whatever else fails, this one must not. */
const OWN = /\bthe library\b/;

/** Prints what goes on, apart from the report. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The contenders of a program. */
export async function contendersOf(program: string): Promise<Contenders> {
  const url = new URL(`programs/${program}`, import.meta.url).href;
  return ((await import(url)) as { contenders: Contenders }).contenders;
}

/** The same contender by the clock on the wall: what it waits for, counts. */
function onTheWall({ name, carryOut }: Participant): Participant {
  return {
    name,
    async carryOut(order) {
      const outcome = await carryOut({ ...order, lanes: 1, each: true });
      return { ...outcome, microseconds: outcome.times!.reduce((sum, time) => sum + time, 0) };
    },
  };
}

/** Starts those that can be started and work once there. */
async function startAll(
  runtime: RuntimeName,
  { program, names, d1 = false, lanes = 16, env = {}, wall = false }: Contest,
  peers: string,
): Promise<Field> {
  const { participants: started, failed, close } = await startField(runtime, {
    program,
    names,
    peers,
    d1,
    env,
  });
  const participants = wall ? started.map(onTheWall) : started;
  const ready: typeof participants = [];
  const faults = [...failed];
  for (const participant of participants) {
    try {
      await participant.carryOut({ jobs: lanes, lanes });
      ready.push(participant);
    } catch (error) {
      faults.push({ name: participant.name, error });
    }
  }
  for (const { name, error } of faults) {
    if (OWN.test(name)) {
      await close();
      throw error;
    }
    progress(`  ${name} does not run on ${runtime}: ${String(error).slice(0, 300)}`);
  }
  return { participants: ready, failed, close };
}

/** Measures a contest, one runtime after the other. */
export async function measureContest(
  contest: Contest,
  { rounds, peers }: BenchOptions,
): Promise<Times> {
  const times: Times = new Map();
  const { lanes = 16, milliseconds } = contest;
  for (const runtime of contest.runtimes) {
    progress(`  ${contest.program} on ${runtime}`);
    const { participants, close } = await startAll(runtime, contest, peers);
    try {
      times.set(
        runtime,
        await compete(participants, {
          rounds,
          lanes,
          ...milliseconds !== undefined && { milliseconds },
        }),
      );
    } finally {
      await close();
    }
  }
  return times;
}

/** Timing of one contender; undefined when it did not run. */
export function timingOf(times: Times, runtime: RuntimeName, name: string): Timing | undefined {
  return times.get(runtime)?.get(name);
}

/** Timing of the fastest of the contenders whose names begin so; undefined when none did run. */
export function fastest(times: Times, runtime: RuntimeName, prefix: string): Timing | undefined {
  return [...times.get(runtime) ?? []]
    .filter(([name]) => name.startsWith(prefix))
    .map(([, timing]) => timing)
    .sort((a, b) => a.microseconds - b.microseconds)[0];
}

/** Options for a table. */
export interface TableOptions {
  title: string;
  names: readonly string[];
  base?: string;
  unit?: Unit;
  /** Label of a contender. Default: its name. */
  label?: (name: string) => string;
}

const PER_MICROSECOND: Partial<Record<Unit, number>> = { ns: 1000, "µs": 1, ms: 1 / 1000 };

/** A table with a column for each runtime. */
export function timesTable(
  times: Times,
  { title, names, base, unit = "µs", label = (name) => name }: TableOptions,
): Table {
  function figureOf(timing: Timing | undefined): Figure | null {
    if (timing === undefined) return null;
    return { value: timing.microseconds * PER_MICROSECOND[unit]!, unit, noise: timing.noise };
  }
  const rows: Row[] = names.map((name) => ({
    name: label(name),
    figures: [...times.values()].map((byName) => figureOf(byName.get(name))),
  }));
  return {
    title,
    columns: [...times.keys()],
    rows,
    ...base !== undefined && { base: label(base) },
  };
}

/** A goal for a ratio of two times: NaN, which reaches no goal, when one of them did not run. */
export function ratioGoal(
  what: string,
  [above, below]: readonly [Timing | undefined, Timing | undefined],
  goal: Pick<Goal, "is" | "limit">,
): Goal {
  const value = above && below ? ratioOf(above, below) : NaN;
  return { what, value, unit: "×", ...goal };
}
