// Processes of the server that docs/databases.md shows, on one PostgreSQL to which things happen.
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { createFaultyNetwork, type FaultyNetwork } from "../support/faulty_network.ts";
import { inMatrix } from "../support/matrix.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import {
  assertFault,
  type ServedProcesses,
  serveProcesses,
  type Told,
} from "../support/served_processes.ts";
import { createSmallDisk, mayMountDisks, type SmallDisk } from "../support/small_disk.ts";
import { until } from "../support/until.ts";

const bin = await findPostgres();

const DOCUMENTED = join(repositoryRoot, "tests/storage/documented/postgres_server.ts");
const PROCESSES = inMatrix ? 4 : 2;
const CLIENTS = 12;

// Waiting is short here, so that the test is; FAULTS=documented takes the document's own figures.
const documentedTimes = Deno.env.get("FAULTS") === "documented";
const times = documentedTimes
  ? ""
  : ", { connectionTimeout: 700, statementTimeout: 700, requestTimeout: 1400 }";
const second = documentedTimes ? 1000 : 400;

/** What a fault happens to. */
interface Place {
  postgres: PostgresServer;
  network: FaultyNetwork;
  processes: ServedProcesses;
  told: Told;
}

interface Fault {
  name: string;
  /** Lets it happen, and ends it. */
  run(place: Place): Promise<void>;
  /** True when it happens every day; the others are of the matrix. */
  daily?: boolean;
  /** True when it ends processes of the application. */
  gone?: boolean;
  /** True when somebody must have been answered by a 503. */
  refuses?: boolean;
}

const others =
  "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'framework' AND application_name <> 'taker'";

/** Waits until somebody more was answered by a 503. */
async function refusedSince({ told, processes }: Place): Promise<void> {
  const before = told.statuses.get(503) ?? 0;
  await until(
    () => Promise.resolve((told.statuses.get(503) ?? 0) > before),
    () => `Nobody is refused: ${JSON.stringify([...told.statuses])}\n${processes.said()}`,
  );
}

const FAULTS: Fault[] = [
  { name: "a restart", run: ({ postgres }) => postgres.restart() },
  { name: "a crash", daily: true, run: ({ postgres }) => postgres.restart("SIGQUIT") },
  {
    name: "a pause of all of its processes",
    async run({ postgres }) {
      const resume = await postgres.pause();
      await pause(6 * second);
      resume();
    },
  },
  {
    name: "packets that are lost",
    daily: true,
    async run({ network }) {
      network.losing = true;
      await pause(3 * second);
      network.losing = false;
    },
  },
  {
    name: "the end of all connections",
    daily: true,
    async run({ postgres: { admin } }) {
      for (let round = 0; round < 5; round++) {
        await admin.query(`SELECT pg_terminate_backend(pid) ${others}`);
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
      const { admin, port } = place.postgres;
      const taken: pg.Client[] = [];
      let isFull = false;
      let refused: Promise<boolean> | undefined;
      let isRefused = false;
      try {
        // Whoever has lost a connection finds no other one.
        while (!isRefused) {
          await admin.query(`SELECT pg_terminate_backend(pid) ${others}`);
          await Promise.all(Array.from({ length: 20 }, async () => {
            const client = new pg.Client({
              ...{ host: "127.0.0.1", port, user: "framework", database: "postgres" },
              application_name: "taker",
            });
            client.on("error", () => {});
            await client.connect().then(
              () => taken.push(client),
              (error: { code?: string }) => isFull ||= error.code === "53300",
            );
          }));
          if (isFull) refused ??= refusedSince(place).then(() => isRefused = true);
          await pause(20);
        }
        await pause(3 * second);
      } finally {
        await Promise.all(taken.map((client) => client.end()));
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
      // It ends by itself where it cannot write its log; whatever watches over it starts it again.
      await place.postgres.restart("SIGQUIT");
    },
  };
}

async function assertFaults(
  test: Deno.TestContext,
  faults: Fault[],
  disk?: SmallDisk,
): Promise<void> {
  const postgres = await startPostgres(bin!, disk?.path);
  const network = createFaultyNetwork(postgres.port);
  const processes = await serveProcesses({
    count: PROCESSES,
    changes: [
      ["postgres(pool)", `postgres(pool${times})`],
      // A process that starts has the default's time.
      ["await upgradeTables(database);", "await upgradeTables(postgres(pool));"],
    ],
    env: { DATABASE_URL: `postgres://framework@127.0.0.1:${network.port}/postgres` },
  });
  const count = async (users: string[]) => {
    const { rows } = await postgres.admin.query(
      "SELECT count(*) AS n FROM users WHERE id = ANY ($1)",
      [users],
    );
    return Number(rows[0].n);
  };
  try {
    await processes.ready();
    for (const { name, run, gone = false, refuses = false } of faults) {
      await test.step(name, async () => {
        const { told, lasted, back } = await assertFault(
          processes,
          (told) => run({ postgres, network, processes, told }),
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
    await postgres.stop();
  }
}

const hint = bin === null ? `: ${postgresHint}` : "";
const options = { ignore: bin === null, sanitizeOps: false, sanitizeResources: false };

// Tracks: OP-01, OP-03, F10, F11, F20
Deno.test({
  name: `processes of the documented server survive what happens to PostgreSQL${hint}`,
  ...options,
  fn: (test) => assertFaults(test, FAULTS.filter(({ daily }) => inMatrix || daily)),
});

if (inMatrix) {
  const mounts = await mayMountDisks();
  const why = mounts ? hint : " [unavoidable: only root may mount a small disk]";
  // Tracks: OP-01, F20
  Deno.test({
    name: `processes of the documented server survive a full disk of PostgreSQL${why}`,
    ...options,
    ignore: bin === null || !mounts,
    async fn(test) {
      const disk = await createSmallDisk(160);
      try {
        await assertFaults(test, [fullDisk(disk)], disk);
      } finally {
        await disk.remove();
      }
    },
  });
}

Deno.test("docs/databases.md shows the server that is tested", async () => {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "databases.md"));
  assert.ok(guide.includes(`\`\`\`ts ignore\n${await Deno.readTextFile(DOCUMENTED)}\`\`\``));
});
