import { type BenchOptions, contendersOf, measureContest, timingOf } from "../contest.ts";
import { SIZES } from "../programs/growth.ts";
import type { Figure, Goal, Section } from "../report.ts";
import type { RuntimeName } from "../runtimes.ts";

const RUNTIMES: readonly RuntimeName[] = ["Node", "Deno"];
/** Things that grow in number, and the question about each. */
const KINDS = {
  sessions: "sessions, growth from 10² to 10⁶ beside that by hand",
  roles: "roles, growth from 10² to 10⁶ beside that by hand",
  keys: "keys, growth from 10² to 10⁶ beside that by hand",
};

/** Measures what numbers do to the cost of one question. */
export async function measureGrowth(options: BenchOptions): Promise<Section> {
  const names = Object.keys(await contendersOf("growth.ts"));
  const times = await measureContest(
    { program: "growth.ts", names, runtimes: RUNTIMES, milliseconds: 25 },
    options,
  );
  const time = (runtime: RuntimeName, size: number, kind: string) =>
    timingOf(times, runtime, `${size} ${kind}`)?.microseconds ?? NaN;
  const [few, many] = [SIZES[0]!, SIZES.at(-1)!];
  const growth = (runtime: RuntimeName, kind: string) =>
    time(runtime, many, kind) / time(runtime, few, kind);
  const goals = RUNTIMES.flatMap((runtime) =>
    Object.entries(KINDS).map(([kind, what]): Goal => ({
      what: `${runtime}: ${what}`,
      value: growth(runtime, `${kind}: the library`) / growth(runtime, `${kind}: by hand`),
      unit: "×",
      is: "at most",
      limit: 1.5,
    }))
  );
  return {
    name: "growth",
    title: "The same with a million",
    about:
      "One query with this many sessions in `node:sqlite`, roles, or keys of the limiter in memory; a thousand of " +
      "them, spread over all, are queried in turn. CPU time. Code by hand pays the same for a million entries: the " +
      "index is deeper, and the map exceeds the processor's caches.",
    tables: RUNTIMES.map((runtime) => ({
      title: runtime,
      columns: SIZES.map((size) => size.toLocaleString("en-US")),
      rows: Object.keys(KINDS).flatMap((kind) =>
        ["by hand", "the library"].map((who) => ({
          name: `${kind}: ${who}`,
          figures: SIZES.map((size): Figure => {
            const value = time(runtime, size, `${kind}: ${who}`) * 1000;
            return { value, unit: "ns" };
          }),
        }))
      ),
    })),
    goals,
  };
}
