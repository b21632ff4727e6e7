import { join } from "node:path";
import { startPostgres } from "../../../tests/support/postgres.ts";
import { ensurePostgres, postgresHint } from "../../postgres.ts";
import {
  type BenchOptions,
  contendersOf,
  fastest,
  measureContest,
  progress,
  ratioGoal,
  type Times,
  timesTable,
  timingOf,
} from "../contest.ts";
import type { Goal, Section } from "../report.ts";
import type { RuntimeName } from "../runtimes.ts";
import { fillPostgres } from "../scale_databases.ts";

const LIBRARY = "the library";
const REQUEST = "the library, a whole request";
const ALL: readonly RuntimeName[] = ["Node", "Deno", "workerd"];

function jwtGoals(times: Times): Goal[] {
  return ALL.flatMap((runtime) => {
    const own = timingOf(times, runtime, LIBRARY);
    return [
      ratioGoal(
        `${runtime}: token, the library over the fastest by hand`,
        [own, fastest(times, runtime, "by hand")],
        { is: "at most", limit: 1 },
      ),
      ratioGoal(
        `${runtime}: token, a whole request over the check`,
        [timingOf(times, runtime, REQUEST), own],
        { is: "at most", limit: runtime === "workerd" ? 1.5 : 1.2 },
      ),
      ratioGoal(
        `${runtime}: token, jose over the library`,
        [timingOf(times, runtime, "jose, jwtVerify"), own],
        { is: "at least", limit: 1 },
      ),
      ratioGoal(
        `${runtime}: token, Better Auth's fastest cookie cache over the library`,
        [fastest(times, runtime, "Better Auth"), own],
        { is: "at least", limit: 12 },
      ),
      ratioGoal(
        `${runtime}: token, Auth.js over the library`,
        [timingOf(times, runtime, "Auth.js core, session action"), own],
        { is: "at least", limit: 30 },
      ),
    ];
  });
}

function databaseGoals(times: Times): Goal[] {
  return (["Node", "Deno"] as const).flatMap((runtime) => {
    const own = timingOf(times, runtime, LIBRARY);
    return [
      ratioGoal(
        `${runtime}: SQLite, the library over by hand`,
        [own, timingOf(times, runtime, "by hand: cookie, SHA-256, join")],
        { is: "at most", limit: runtime === "Node" ? 1 : 1.2 },
      ),
      ratioGoal(
        `${runtime}: SQLite, a whole request over the check`,
        [timingOf(times, runtime, REQUEST), own],
        { is: "at most", limit: 1.2 },
      ),
      ...runtime === "Node"
        ? [ratioGoal(
          "Node: SQLite, Better Auth over the library",
          [timingOf(times, runtime, "Better Auth"), own],
          { is: "at least", limit: 40 },
        )]
        : [],
      ratioGoal(
        `${runtime}: SQLite, Auth.js over the library`,
        [timingOf(times, runtime, "Auth.js core, adapter by hand"), own],
        { is: "at least", limit: 8 },
      ),
    ];
  });
}

const IN_POSTGRES = { users: 2000, sessions: 10_000 };

/** Checks of a session in a PostgreSQL that runs for them; nobody's times where there is none. */
async function measurePostgres(names: readonly string[], options: BenchOptions): Promise<Times> {
  const bin = await ensurePostgres(progress);
  if (bin === null) {
    progress(`  ${postgresHint}`);
    return new Map();
  }
  const server = await startPostgres(bin);
  const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
  try {
    const file = join(folder, "sessions.json");
    const filled = await fillPostgres(server, "sessions", IN_POSTGRES);
    await Deno.writeTextFile(file, JSON.stringify(filled));
    return await measureContest({
      program: "session_postgres.ts",
      names,
      runtimes: ["Node", "Deno"],
      lanes: 1,
      wall: true,
      env: { BENCH_SESSIONS: file },
      // What is looked for is a part of the query.
      milliseconds: 150,
    }, options);
  } finally {
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Measures a request of somebody who is signed in. */
export async function measureSessions(options: BenchOptions): Promise<Section> {
  const names = Object.keys(await contendersOf("session_jwt.ts"));
  const jwt = await measureContest({ program: "session_jwt.ts", names, runtimes: ALL }, options);
  const inDatabase = Object.keys(await contendersOf("session_database.ts"));
  const database = await measureContest(
    { program: "session_database.ts", names: inDatabase, runtimes: ["Node", "Deno"] },
    options,
  );
  const inD1 = Object.keys(await contendersOf("session_d1.ts"));
  const d1 = await measureContest(
    {
      program: "session_d1.ts",
      names: inD1,
      runtimes: ["workerd"],
      lanes: 1,
      d1: true,
      // What is looked for is a tenth of the query.
      milliseconds: 150,
    },
    options,
  );
  const inPostgres = Object.keys(await contendersOf("session_postgres.ts"));
  const postgres = await measurePostgres(inPostgres, options);
  return {
    name: "sessions",
    title: "A signed-in request",
    about:
      "From a request that nobody has read before to the user's name, sixteen checks in flight; with D1 and PostgreSQL one after the other. " +
      "Before it is timed, each of ours and by hand has refused a token with another character, and with SQLite and " +
      "PostgreSQL, which have 10,000 sessions, one that has ended. CPU time of the process, in workerd with the database in it; with " +
      "PostgreSQL the wall. By hand it is asked by the very query that the library sends. A whole request is more than the check: what " +
      "the application calls can ask by `getUser()`, and the response gets the headers that keep it out of caches. The check in a scope " +
      "by hand is the least of that: `AsyncLocalStorage.run()` around the check, and a response with two headers.",
    tables: [
      timesTable(jwt, { title: "Session in a token", names, base: LIBRARY }),
      timesTable(database, {
        title: "Session in `node:sqlite`",
        names: inDatabase,
        base: LIBRARY,
      }),
      timesTable(d1, { title: "Session in D1", names: inD1, base: LIBRARY }),
      timesTable(postgres, { title: "Session in PostgreSQL", names: inPostgres, base: LIBRARY }),
    ],
    goals: [
      ...jwtGoals(jwt),
      ...databaseGoals(database),
      ratioGoal(
        "workerd: D1, the library over the join alone",
        [timingOf(d1, "workerd", LIBRARY), timingOf(d1, "workerd", "by hand: the join alone")],
        { is: "at most", limit: 1.05 },
      ),
      ...(["Node", "Deno"] as const).map((runtime) =>
        ratioGoal(
          `${runtime}: PostgreSQL, the library over the query alone`,
          [
            timingOf(postgres, runtime, LIBRARY),
            timingOf(postgres, runtime, "by hand: the query alone"),
          ],
          { is: "at most", limit: 1.15 },
        )
      ),
    ],
  };
}
