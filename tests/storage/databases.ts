import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import type { Miniflare } from "miniflare";
import pg from "pg";
import { postgres, postgresSchema } from "@framework/auth/postgres";
import { runInWorkerd, startWorkerd, type Suite } from "../../auth/tests/conformance_in_workerd.ts";
import { type AskedSuite, SUITES } from "../../auth/tests/handle_cases.ts";
import { workspaceAlias } from "../../scripts/budgets.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { run } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { canHaveBetterSqlite3, installBetterSqlite3 } from "../support/better_sqlite3.ts";
import { disposeMiniflare } from "../support/dispose_miniflare.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { linkNpmPackages } from "../support/npm_packages.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { type Outcome, postgresTables, runSuites } from "./drivers/cases.ts";

/** A row of the table in docs/databases.md. */
export interface Database {
  /** Runs suites over the driver itself, each as a step, or each case with its suite's name. */
  run(test: Deno.TestContext, suites: readonly AskedSuite[]): Promise<void>;
  /** Why the machine cannot; null when it can. */
  hint: string | null;
  /** True when it runs in the matrix alone: it is compiled, or what it does another one or a test of its own does every day. */
  isRare?: boolean;
}

const DRIVERS = fileURLToPath(new URL("./drivers", import.meta.url));
const SLOW = { connectionTimeout: 120_000, statementTimeout: 120_000 };

/** Versions that were tried. */
export const VERSIONS = {
  "@cloudflare/workers-types": "5.20261117.1",
  "@electric-sql/pglite": "0.5.16",
  "@libsql/client": "0.18.0",
  "@neondatabase/serverless": "1.2.0",
  "@oven/bun-linux-x64": "1.4.5",
  "@types/better-sqlite3": "9.6.0",
  "@types/bun": "1.4.5",
  "@types/node": "24.19.2",
  "@types/pg": "8.23.1",
  "pg": "8.23.1",
  "postgres": "3.4.9",
  "ws": "8.23.0",
};

/** What a program is started with. */
interface Start {
  /** Path of the program that runs it, and its own arguments. Default: the oldest Node, none. */
  runtime?: string;
  flags?: readonly string[];
  /** Address of a server, or a folder. */
  argument?: string;
  suites?: readonly AskedSuite[];
}

/** Flags of a program that compiles megabytes and is soon over: to optimize them costs more than it gives. */
const QUICK_START = ["--liftoff-only"];

/** Programs of the drivers. */
const PROGRAMS = [
  "bun",
  "libsql",
  "neon",
  "pg_client",
  "pglite",
  "postgres_js",
  "postgres_js_lost",
  "sqlite_on_node",
] as const;

let built: Promise<string> | undefined;
let server: Promise<PostgresServer> | undefined;
let workerd: Promise<Miniflare> | undefined;

Deno.test.afterAll(async () => {
  await (await server)?.stop();
  if (workerd !== undefined) await disposeMiniflare(await workerd);
  if (built !== undefined) await Deno.remove(await built, { recursive: true });
});

/** Bundles all programs at once but for the drivers, beside which they lie: what they share is most of each. */
async function buildPrograms(): Promise<string> {
  const modules = await linkNpmPackages(VERSIONS);
  const folder = await Deno.makeTempDir({ prefix: "framework-drivers-" });
  await Deno.symlink(modules, join(folder, "node_modules"));
  const manifest = { private: true, type: "module", dependencies: VERSIONS };
  await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify(manifest));
  await esbuild.build({
    entryPoints: PROGRAMS.map((name) => join(DRIVERS, `${name}.ts`)),
    alias: await workspaceAlias(),
    absWorkingDir: repositoryRoot,
    bundle: true,
    splitting: true,
    platform: "neutral",
    format: "esm",
    external: ["node:*", "bun:*", ...Object.keys(VERSIONS)],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
  });
  await esbuild.stop();
  return folder;
}

/** Runs a program of the drivers, and returns what it prints. */
export async function runProgram(
  name: typeof PROGRAMS[number],
  { runtime, flags = [], argument = "", suites = [] }: Start = {},
): Promise<string> {
  const programs = await (built ??= buildPrograms());
  const folder = await Deno.makeTempDir({ prefix: `framework-${name}-` });
  try {
    const program = runtime ?? (await findNodes()).oldest;
    const args = [...flags, join(programs, `${name}.mjs`), folder, argument, suites.join(",")];
    return (await run(program, args)).stdout;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A suite as a step, which fails with what failed, and when it ran fewer cases than there are. */
async function tell(
  test: Deno.TestContext,
  outcomes: Record<string, Outcome>,
  suites: readonly AskedSuite[],
): Promise<void> {
  for (const suite of suites) {
    await test.step(suite, () => {
      const { passed, failures } = outcomes[suite]!;
      if (failures.length > 0) throw new Error(failures.join("\n"));
      const wanted = Object.keys(SUITES[suite]).length;
      if (passed !== wanted) throw new Error(`${passed} of ${wanted} cases ran`);
    });
  }
}

function byProgram(
  name: typeof PROGRAMS[number],
  start: () => Start | Promise<Start> = () => ({}),
): Database["run"] {
  return async (test, suites) => {
    const printed = await runProgram(name, { ...await start(), suites });
    await tell(test, JSON.parse(printed), suites);
  };
}

/** A program that is given a PostgreSQL server without tables, one after the other the same. */
export async function withServer(work: (address: string) => Promise<void>): Promise<void> {
  const { port } = await (server ??= startPostgres((await findPostgres())!));
  const address = `postgres://framework@127.0.0.1:${port}/postgres`;
  // The server's own connections may have been ended by a program.
  const client = new pg.Client(address);
  await client.connect();
  await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  await client.end();
  await work(address);
}

function overServer(name: typeof PROGRAMS[number]): Database["run"] {
  return (test, suites) =>
    withServer((argument) => byProgram(name, () => ({ argument }))(test, suites));
}

async function inPool(test: Deno.TestContext, suites: readonly AskedSuite[]): Promise<void> {
  const server = await startPostgres((await findPostgres())!);
  try {
    const make = postgresTables((sql) => server.admin.query(sql));
    const outcomes = await runSuites(suites, {
      bare: { found: server.pool.constructor.name, call: "postgres" },
      schema: postgresSchema,
      async open(tables) {
        await make(tables);
        return { handle: server.pool, database: postgres(server.pool, SLOW), close() {} };
      },
    });
    await tell(test, outcomes, suites);
  } finally {
    await server.stop();
  }
}

/** Workerd with D1 and durable objects for the suites, the same each time. */
export function ensureWorkerd(suites: readonly AskedSuite[]): Promise<Miniflare> {
  const kinds = ["d1Databases", "durableObjects"] as const;
  return workerd ??= startWorkerd(
    kinds.flatMap((kind) => suites.map((suite) => ({ suite, kind }))),
  );
}

function inWorkerd(kind: Suite["kind"]): Database["run"] {
  return async (test, suites) =>
    await runInWorkerd(
      test,
      suites.map((suite) => ({ suite, kind })),
      await ensureWorkerd(suites),
    );
}

const LINUX = Deno.build.os === "linux" && Deno.build.arch === "x86_64";
const withNode = nodeIsAvailable && LINUX ? null : "the registry has no Node for this machine";
const withPostgres = await findPostgres() === null ? postgresHint : withNode;

/** Every driver of the page, by its name in the table there. */
export const DATABASES: Readonly<Record<string, Database>> = {
  "D1": {
    hint: null,
    run: inWorkerd("d1Databases"),
  },
  "`node:sqlite`": {
    hint: withNode,
    // The oldest that has it fills numbered parameters by name only.
    run: async (test, suites) => {
      const nodes = await findNodes();
      for (const which of inMatrix ? ["supported", "newest"] as const : ["supported"] as const) {
        const start = () => ({ runtime: nodes[which] });
        await test.step(`the ${which} Node`, (inner) =>
          byProgram("sqlite_on_node", start)(inner, suites));
      }
    },
  },
  "better-sqlite3": {
    hint: withNode ??
      (await canHaveBetterSqlite3()
        ? null
        : "it is compiled, by what Debian's build-essential and libnode-dev hold"),
    isRare: true,
    run: byProgram("sqlite_on_node", async () => {
      const { oldest } = await findNodes();
      return { runtime: oldest, argument: await installBetterSqlite3(oldest) };
    }),
  },
  "`bun:sqlite`": {
    hint: withNode,
    run: byProgram("bun", async () => {
      const modules = await linkNpmPackages(VERSIONS);
      return { runtime: join(modules, "@oven/bun-linux-x64/bin/bun") };
    }),
  },
  "libSQL": { hint: withNode, run: byProgram("libsql") },
  "durable object": { hint: null, run: inWorkerd("durableObjects") },
  // postgres_test.ts has the same cases every day.
  "`Pool` of `pg`": { hint: withPostgres, isRare: true, run: inPool },
  // postgres_test.ts has what one connection does.
  "`Client` of `pg`": { hint: withPostgres, isRare: true, run: overServer("pg_client") },
  "postgres.js": { hint: withPostgres, run: overServer("postgres_js") },
  // Its pool is of the shape of that of `pg`.
  "Neon's driver": { hint: withPostgres, isRare: true, run: overServer("neon") },
  // Its transactions are those of postgres.js; postgres_database_test.ts has what is its own, without its long start.
  "PGlite": {
    hint: withNode,
    isRare: true,
    run: byProgram("pglite", () => ({ flags: QUICK_START })),
  },
};
