// Four processes of the server that docs/databases.md shows, on one MariaDB to which things happen.
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { mariadb as asDatabase } from "@framework/auth/mariadb";
import { type Connection, createConnection } from "mysql2/promise";
import { findMariadb, mariadbHint } from "../../scripts/mariadb.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { createFaultyNetwork, type FaultyNetwork } from "../support/faulty_network.ts";
import { inMatrix } from "../support/matrix.ts";
import { type MariadbServer, startMariadb } from "../support/mariadb.ts";
import {
  assertFault,
  type Changes,
  type ServedProcesses,
  serveProcesses,
  type Told,
} from "../support/served_processes.ts";
import { createSmallDisk, mayMountDisks, type SmallDisk } from "../support/small_disk.ts";
import { until } from "../support/until.ts";

const programs = await findMariadb();

const PROCESSES = 4;
const CLIENTS = 12;

// Waiting is short here, so that the test is; FAULTS=documented takes the document's own figures.
const documentedTimes = Deno.env.get("FAULTS") === "documented";
const times = documentedTimes
  ? ""
  : ", { connectionTimeout: 700, statementTimeout: 700, requestTimeout: 1400 }";
const second = documentedTimes ? 1000 : 400;

/** The document's server for PostgreSQL, by its lines for MariaDB. */
const LINES: Changes = [
  [
    'import { postgres, upgradeTables } from "@framework/auth/postgres";',
    'import { mariadb } from "@framework/auth/mariadb";\nimport { upgradeTables } from "@framework/auth/storage";',
  ],
  ['import { Pool } from "pg";', 'import { createPool } from "mysql2/promise";'],
  [
    "const pool = new Pool({ connectionString: process.env.DATABASE_URL });",
    'const pool = createPool(process.env.DATABASE_URL ?? "mysql://app@localhost/app");',
  ],
  ["postgres(pool)", `mariadb(pool${times})`],
  ["await upgradeTables(database);", "await upgradeTables(mariadb(pool));"],
];

/** What a fault happens to. */
interface Place {
  mariadb: MariadbServer;
  network: FaultyNetwork;
  processes: ServedProcesses;
  told: Told;
}

interface Fault {
  name: string;
  /** Lets it happen, and ends it. */
  run(place: Place): Promise<void>;
  /** True when it ends processes of the application. */
  gone?: boolean;
  /** True when somebody must have been answered by a 503. */
  refuses?: boolean;
}

/** Waits until somebody more was answered by a 503. */
async function refusedSince({ told, processes }: Place): Promise<void> {
  const before = told.statuses.get(503) ?? 0;
  await until(
    () => Promise.resolve((told.statuses.get(503) ?? 0) > before),
    () => `Nobody is refused: ${JSON.stringify([...told.statuses])}\n${processes.said()}`,
  );
}

/** Ends the connections of the application. */
async function endConnections({ ask }: MariadbServer): Promise<void> {
  const rows = await ask("SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER = 'app'");
  // One that has ended meanwhile is an error.
  for (const { id } of rows) await ask(`KILL CONNECTION ${id}`).catch(() => {});
}

const FAULTS: Fault[] = [
  {
    name: "packets that are lost",
    async run({ network }) {
      network.losing = true;
      await pause(3 * second);
      network.losing = false;
    },
  },
  { name: "a restart", run: ({ mariadb }) => mariadb.restart("SIGTERM") },
  { name: "a crash", run: ({ mariadb }) => mariadb.restart("SIGKILL") },
  {
    name: "a pause",
    refuses: true,
    async run({ mariadb }) {
      const resume = mariadb.pause();
      await pause(6 * second);
      resume();
    },
  },
  {
    name: "the end of all connections",
    async run({ mariadb }) {
      for (let round = 0; round < 5; round++) {
        await endConnections(mariadb);
        await pause(50);
      }
    },
  },
  {
    name: "packets that are late",
    async run({ network }) {
      network.delay = documentedTimes ? 100 : 20;
      await pause(8 * second);
      network.delay = 0;
    },
  },
  {
    name: "packets that end their connection",
    async run({ network }) {
      network.resetting = 0.03;
      await pause(8 * second);
      network.resetting = 0;
    },
  },
  {
    name: "connections that others have taken",
    refuses: true,
    async run(place) {
      const { mariadb } = place;
      const [found] = await mariadb.ask("SELECT @@max_connections AS most");
      await mariadb.ask("SET GLOBAL max_connections = 30");
      const taken: Connection[] = [];
      let isFull = false;
      let refused: Promise<boolean> | undefined;
      let isRefused = false;
      try {
        // Whoever has lost a connection finds no other one.
        while (!isRefused) {
          await endConnections(mariadb);
          await Promise.all(Array.from({ length: 20 }, async () => {
            const way = { host: "127.0.0.1", port: mariadb.port, user: "taker" };
            await createConnection(way).then((connection) => {
              connection.on("error", () => {});
              taken.push(connection);
            }, (error: { errno?: number }) => isFull ||= error.errno === 1040);
          }));
          if (isFull) refused ??= refusedSince(place).then(() => isRefused = true);
          await pause(20);
        }
        await pause(3 * second);
      } finally {
        for (const connection of taken) connection.destroy();
        await mariadb.ask(`SET GLOBAL max_connections = ${found!.most}`);
      }
    },
  },
  {
    name: "the end of its processes by SIGKILL, one after the other",
    gone: true,
    async run({ processes }) {
      for (let round = 0; round < 2 * PROCESSES; round++) {
        await processes.kill(round % PROCESSES);
        await pause(second);
      }
    },
  },
];

/** Happens to a server of its own, whose disk is small. */
function fullDisk(disk: SmallDisk): Fault {
  return {
    name: "a disk that is full",
    refuses: true,
    async run(place) {
      const free = await disk.fill();
      try {
        await refusedSince(place);
        await pause(3 * second);
      } finally {
        await free();
      }
    },
  };
}

async function assertFaults(
  test: Deno.TestContext,
  faults: Fault[],
  disk?: SmallDisk,
): Promise<void> {
  const mariadb = await startMariadb(programs!, [], disk?.path);
  for (const name of ["app", "taker"]) {
    await mariadb.ask(`CREATE USER ${name}; GRANT ALL ON app.* TO ${name}`);
  }
  // On a slow machine a table takes longer to make than the short limits of a statement allow.
  await asDatabase(mariadb.pool).migrate!();
  const network = createFaultyNetwork(mariadb.port);
  const processes = await serveProcesses({
    count: PROCESSES,
    changes: LINES,
    env: { DATABASE_URL: `mysql://app@127.0.0.1:${network.port}/app` },
  });
  const count = async (users: string[]) => {
    const list = users.map((user) => `'${user}'`).join(", ");
    const [row] = await mariadb.ask(`SELECT COUNT(*) AS n FROM app.users WHERE id IN (${list})`);
    return Number(row!.n);
  };
  try {
    await processes.ready();
    for (const { name, run, gone = false, refuses = false } of faults) {
      await test.step(name, async () => {
        const { told, lasted, back } = await assertFault(
          processes,
          (told) => run({ mariadb, network, processes, told }),
          { clients: CLIENTS, count, gone },
        );
        assert.ok(!refuses || told.statuses.has(503), JSON.stringify([...told.statuses]));
        if (documentedTimes) {
          // deno-lint-ignore no-console -- asked for
          console.log(
            `${name}: ${Math.round(lasted)} ms, back after ${Math.round(back)} ms, slowest ${
              Math.round(told.slowest)
            } ms, ${JSON.stringify([...told.statuses])}, ${told.unknown.size} unknown`,
          );
        }
      });
    }
  } finally {
    await processes.stop();
    network.close();
    await mariadb.stop();
  }
}

const hint = programs === null ? ` [unavoidable: ${mariadbHint}]` : "";
const options = { ignore: programs === null, sanitizeOps: false, sanitizeResources: false };

Deno.test("docs/databases.md shows the lines for MariaDB that are tested", async () => {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "databases.md"));
  for (const [, line] of LINES.slice(1, 3)) assert.ok(guide.includes(line), line);
});

// With every command postgres_faults_test.ts has processes, and mariadb_server_test.ts what happens to a server of MariaDB.
if (inMatrix) {
  // Tracks: OP-01, OP-03, F10, F11, F20
  Deno.test({
    name: `processes of the documented server survive what happens to MariaDB${hint}`,
    ...options,
    fn: (test) => assertFaults(test, FAULTS),
  });

  const mounts = await mayMountDisks();
  const why = mounts ? hint : " [unavoidable: only root may mount a small disk]";
  // Tracks: OP-01, F20
  Deno.test({
    name: `processes of the documented server survive a full disk of MariaDB${why}`,
    ...options,
    ignore: programs === null || !mounts,
    async fn(test) {
      const disk = await createSmallDisk(220);
      try {
        await assertFaults(test, [fullDisk(disk)], disk);
      } finally {
        await disk.remove();
      }
    },
  });
}
