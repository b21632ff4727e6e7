import {
  type BenchOptions,
  contendersOf,
  measureContest,
  ratioGoal,
  timesTable,
  timingOf,
} from "../contest.ts";
import { PERMISSION_KINDS, ROLE_COUNTS } from "../programs/permissions.ts";
import type { Goal, Section, Table } from "../report.ts";
import type { RuntimeName } from "../runtimes.ts";
import { worstBursts } from "../worst_burst.ts";

const ALL: readonly RuntimeName[] = ["Node", "Deno", "workerd"];
const RULES = "the library: its rules";

/** Measures questions about permissions. */
export async function measurePermissions(options: BenchOptions): Promise<Section> {
  const names = ROLE_COUNTS.flatMap((count) =>
    PERMISSION_KINDS.map((kind) => `${count} roles: ${kind}`)
  );
  const times = await measureContest(
    { program: "permissions.ts", names, runtimes: ALL, lanes: 1, milliseconds: 25 },
    options,
  );
  const goals = ALL.flatMap((runtime): Goal[] => {
    const time = (count: number, kind: string) =>
      timingOf(times, runtime, `${count} roles: ${kind}`);
    return [
      ratioGoal(
        `${runtime}: 1,000 roles, the library's rules over a lookup in a set`,
        [time(1000, RULES), time(1000, "a lookup in a set")],
        { is: "at most", limit: 2 },
      ),
      ratioGoal(
        `${runtime}: 1,000 roles, hasPermission() over a set of the request`,
        [time(1000, "the library: hasPermission()"), time(1000, "a set of the request, by hand")],
        { is: "at most", limit: 2 },
      ),
      ratioGoal(
        `${runtime}: 1,000 roles, CASL over the library's rules`,
        [time(1000, "CASL, an ability made before"), time(1000, RULES)],
        { is: "at least", limit: 1 },
      ),
      ratioGoal(
        `${runtime}: the library's rules, 1,000 roles over ten`,
        [time(1000, RULES), time(10, RULES)],
        { is: "at most", limit: 1.5 },
      ),
    ];
  });
  return {
    name: "permissions",
    title: "A question about a permission",
    about:
      "Of somebody whose role has nine others below it, with three permissions each. CPU time of one question.",
    tables: ROLE_COUNTS.map((count) =>
      timesTable(times, {
        title: `${count.toLocaleString("en-US")} roles`,
        names: PERMISSION_KINDS.map((kind) => `${count} roles: ${kind}`),
        base: `${count} roles: ${RULES}`,
        unit: "ns",
        label: (name) => name.slice(name.indexOf(":") + 2),
      })
    ),
    goals,
  };
}

async function burstTable(peers: string): Promise<Table> {
  const bursts = await worstBursts(peers);
  return {
    title: "Let through within ten seconds, of ten",
    columns: ["at the worst moments"],
    rows: Object.entries(bursts).map(([name, value]) => ({ name, figures: [{ value, unit: "" }] })),
  };
}

/** Measures checks of the limiter. */
export async function measureLimiter(options: BenchOptions): Promise<Section> {
  const names = Object.keys(await contendersOf("limiter.ts"));
  const times = await measureContest({ program: "limiter.ts", names, runtimes: ALL }, options);
  const table = (what: string) =>
    timesTable(times, {
      title: what[0]!.toUpperCase() + what.slice(1),
      names: names.filter((name) => name.startsWith(what)),
      base: `${what}: the library, by key`,
      unit: "ns",
      label: (name) => name.slice(what.length + 2),
    });
  return {
    name: "limiter",
    title: "A check of the limiter",
    about:
      "In memory, with 10,000 addresses. CPU time. The library's is exact: no span of the window's length ever " +
      "holds more than the limit, where the fixed windows of the peer let twice as many through.",
    tables: [table("let through"), table("refused"), await burstTable(options.peers)],
    goals: ALL.map((runtime) =>
      ratioGoal(
        `${runtime}: rate-limiter-flexible over the library, by key`,
        [
          timingOf(times, runtime, "let through: rate-limiter-flexible"),
          timingOf(times, runtime, "let through: the library, by key"),
        ],
        { is: "at least", limit: 1 },
      )
    ),
  };
}
