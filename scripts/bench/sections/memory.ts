import { type BenchOptions, progress } from "../contest.ts";
import type { Figure, Section } from "../report.ts";
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

/** Measures what remains in memory after many checks. */
export async function measureMemory({ peers }: BenchOptions): Promise<Section> {
  const found = new Map<RuntimeName, Map<string, number>>();
  for (const runtime of RUNTIMES) found.set(runtime, await left(runtime, peers));
  return {
    name: "memory",
    title: "Memory after 100,000 checks",
    about:
      "Living objects after 100,000 checks of a session in a token, over those after the first 20,000, each after a " +
      "forced collection.",
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
    }],
    goals: RUNTIMES.map((runtime) => ({
      what: `${runtime}: left behind by the library`,
      value: found.get(runtime)!.get("the library")! / 1000,
      unit: "kB",
      is: "at most",
      limit: LIMIT * 1000,
    })),
  };
}
