import { type BenchOptions, progress } from "../contest.ts";
import type { Figure, Goal, Section } from "../report.ts";
import { type RuntimeName, startField } from "../runtimes.ts";

const RUNTIMES: readonly RuntimeName[] = ["Node", "Deno"];
const NAMES = [
  "by hand: node:crypto",
  "the library",
  "jose, jwtVerify",
  "Better Auth, cookie cache (jwt)",
];
const CHECKS = 100_000;
const LIMIT = 0.1;

/** Kilobytes of living objects that so many checks leave behind. */
async function left(runtime: RuntimeName, peers: string): Promise<Map<string, number>> {
  const program = "session_jwt.ts";
  const { participants, close } = await startField(runtime, {
    program,
    names: NAMES,
    peers,
    heap: true,
  });
  const bytes = new Map<string, number>();
  try {
    for (const { name, carryOut } of participants) {
      progress(`  ${CHECKS} checks on ${runtime}: ${name}`);
      const before = (await carryOut({ jobs: CHECKS / 5, lanes: 16 })).heap!;
      const after = (await carryOut({ jobs: CHECKS, lanes: 16 })).heap!;
      bytes.set(name, after - before);
    }
  } finally {
    await close();
  }
  return bytes;
}

const HOLDERS = [
  "by hand: a map",
  "the library, storage in memory",
  "the library, `node:sqlite` in memory",
];
const SESSIONS = 100_000;
/** Bytes of living objects for each session that is in a database, not here. */
const ELSEWHERE = 16;

/** Bytes that one of so many sessions takes, of living objects and of the whole process. */
async function heldOf(
  runtime: RuntimeName,
  peers: string,
): Promise<Map<string, { heap: number; resident: number }>> {
  const field = await startField(runtime, {
    program: "held.ts",
    names: HOLDERS,
    peers,
    heap: true,
  });
  const held = new Map<string, { heap: number; resident: number }>();
  try {
    for (const { error } of field.failed) throw error;
    for (const { name, carryOut } of field.participants) {
      progress(`  ${SESSIONS} sessions on ${runtime}: ${name}`);
      const before = await carryOut({ jobs: SESSIONS / 5, lanes: 16 });
      const after = await carryOut({ jobs: SESSIONS, lanes: 16 });
      held.set(name, {
        heap: (after.heap! - before.heap!) / SESSIONS,
        resident: (after.resident! - before.resident!) / SESSIONS,
      });
    }
  } finally {
    await field.close();
  }
  return held;
}

/** Measures what remains in memory after many checks, and what sessions take that are kept there. */
export async function measureMemory({ peers }: BenchOptions): Promise<Section> {
  const found = new Map<RuntimeName, Map<string, number>>();
  for (const runtime of RUNTIMES) found.set(runtime, await left(runtime, peers));
  const held = new Map<RuntimeName, Awaited<ReturnType<typeof heldOf>>>();
  for (const runtime of RUNTIMES) held.set(runtime, await heldOf(runtime, peers));
  const [byHand, inMemory, inSqlite] = HOLDERS as [string, string, string];
  const heap = (runtime: RuntimeName, name: string) => held.get(runtime)!.get(name)!.heap;
  return {
    name: "memory",
    title: "Memory after 100,000 checks, and of 100,000 sessions",
    about:
      "Living objects after 100,000 checks of a session in a token, over those after the first 20,000, each after a " +
      "forced collection. And what one of 100,000 sessions of 20,000 users takes that stays: living objects of JavaScript, " +
      "and the whole process, with the database in it.",
    tables: [{
      title: "Left behind",
      columns: [...RUNTIMES],
      rows: NAMES.map((name) => ({
        name,
        figures: RUNTIMES.map((runtime): Figure | null => {
          const bytes = found.get(runtime)!.get(name);
          return bytes === undefined ? null : { value: bytes / 1000, unit: "kB" };
        }),
      })),
    }, {
      title: "One session",
      columns: RUNTIMES.flatMap((runtime) => [`${runtime}: objects`, `${runtime}: process`]),
      rows: HOLDERS.map((name) => ({
        name,
        figures: RUNTIMES.flatMap((runtime): Figure[] => {
          const { heap, resident } = held.get(runtime)!.get(name)!;
          return [{ value: heap, unit: "B" }, { value: resident, unit: "B" }];
        }),
      })),
    }],
    goals: RUNTIMES.flatMap((runtime): Goal[] => [
      {
        what: `${runtime}: left behind by the library`,
        value: found.get(runtime)!.get("the library")! / 1000,
        unit: "kB",
        is: "at most",
        limit: LIMIT * 1000,
      },
      {
        what: `${runtime}: a session in the storage in memory over one in a map by hand`,
        value: heap(runtime, inMemory) / heap(runtime, byHand),
        unit: "×",
        is: "at most",
        limit: 1.5,
      },
      {
        what: `${runtime}: living objects of a session that is in SQLite`,
        value: heap(runtime, inSqlite) / 1000,
        unit: "kB",
        is: "at most",
        limit: ELSEWHERE / 1000,
      },
    ]),
  };
}
