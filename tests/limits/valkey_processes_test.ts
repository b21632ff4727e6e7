// Several processes of the server that docs/databases.md shows, which share limits and revocations in one Valkey.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { findValkey, valkeyHint } from "../../scripts/valkey.ts";
import { createFaultyNetwork, type FaultyNetwork } from "../support/faulty_network.ts";
import { inMatrix } from "../support/matrix.ts";
import { assertFault, type Changes, post, serveProcesses } from "../support/served_processes.ts";
import { startValkey, type ValkeyServer } from "../support/valkey.ts";

const program = await findValkey();

const PROCESSES = inMatrix ? 4 : 2;
const CLIENTS = 8;
const LIMIT = 5;
const TIMEOUT = 700;

const LINES: Changes = [
  [
    'import { postgres, upgradeTables } from "@framework/auth/postgres";',
    `import { jwtSessions } from "@framework/auth";
import { createRateLimiter, createValkeyRateLimitStorage } from "@framework/auth/rate-limit";
import { sqlite } from "@framework/auth/sqlite";
import { createValkeyRevocationStore, upgradeTables } from "@framework/auth/storage";
import { createClient } from "redis";`,
  ],
  ['import { Pool } from "pg";', 'import { DatabaseSync } from "node:sqlite";'],
  [
    "const pool = new Pool({ connectionString: process.env.DATABASE_URL });",
    `const pool = new DatabaseSync(process.env.DATABASE_FILE!);
const client = createClient({ url: process.env.VALKEY_URL! });
client.on("error", () => {});
await client.connect();
const send = (command: string[]) => client.sendCommand(command);
const timeout = ${TIMEOUT};
const limiter = createRateLimiter(createValkeyRateLimitStorage(send, { timeout }), {
  name: "attempt",
  limit: ${LIMIT},
  window: 3600,
  by: "identifier",
});`,
  ],
  ["postgres(pool)", "sqlite(pool, { busyTimeout: 5000 })"],
  [
    "pages: { theme: defaultTheme },",
    `pages: { theme: defaultTheme },
  secret: "0123456789abcdef0123456789abcdef",
  session: {
    strategy: jwtSessions,
    revocation: createValkeyRevocationStore(send, { mayForget: 3600, timeout }),
  },`,
  ],
  [
    'app.get("/",',
    `app.post("/attempt/:key", async (c) => {
  const { success } = await limiter.check(c.req.raw, { identifier: c.req.param("key") });
  return c.text("", success ? 200 : 429);
});
app.get("/",`,
  ],
];

interface Fault {
  name: string;
  run(place: { valkey: ValkeyServer; network: FaultyNetwork }): Promise<void>;
  /** True when it happens every day; the others are of the matrix. */
  daily?: boolean;
  /** True when it ends processes of the application. */
  gone?: boolean;
}

const FAULTS: Fault[] = [
  {
    name: "packets that are lost",
    daily: true,
    async run({ network }) {
      // Of a lost packet nothing later arrives before it: answers would be those to other commands.
      network.stalled = true;
      await pause(3 * TIMEOUT);
      network.stalled = false;
    },
  },
  {
    name: "a pause",
    async run({ valkey }) {
      const resume = valkey.pause();
      await pause(3 * TIMEOUT);
      resume();
    },
  },
  {
    name: "packets that are late",
    async run({ network }) {
      network.delay = 50;
      await pause(5 * TIMEOUT);
      network.delay = 0;
    },
  },
  {
    name: "packets that end their connection",
    async run({ network }) {
      network.resetting = 0.03;
      await pause(5 * TIMEOUT);
      network.resetting = 0;
    },
  },
  { name: "the end of its processes by SIGKILL, one after the other", gone: true, async run() {} },
];

const why = program === null ? `: ${valkeyHint}` : "";

// Tracks: R043, R143, R056, F11
Deno.test({
  name: `processes that share a Valkey let nobody through or in for what happens to it${why}`,
  ignore: program === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const valkey = await startValkey(program!);
    const network = createFaultyNetwork(valkey.port);
    const folder = await Deno.makeTempDir({ prefix: "framework-valkey-" });
    const file = join(folder, "app.db");
    const processes = await serveProcesses({
      count: PROCESSES,
      changes: LINES,
      env: { DATABASE_FILE: file, VALKEY_URL: `redis://127.0.0.1:${network.port}` },
    });
    const { origins } = processes;
    const count = (users: string[]) => {
      using opened = new DatabaseSync(file, { readOnly: true });
      const marks = users.map(() => "?").join(", ");
      const row = opened.prepare(`SELECT COUNT(*) AS n FROM users WHERE id IN (${marks})`)
        .get(...users);
      return Promise.resolve(Number(row!.n));
    };
    try {
      await processes.ready();
      const faults = FAULTS.filter(({ daily }) => inMatrix || daily);
      for (const [index, { name, run, gone = false }] of faults.entries()) {
        await test.step(name, async () => {
          const admitted = new Map<string, number>();
          let over = false;
          // Attempts at the same limits come to all of them at once, before, meanwhile and after.
          const attempts = Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
            for (let round = 0; !over; round++) {
              const key = `${index}-${Math.floor(round / 4)}`;
              const origin = origins[(client + round) % PROCESSES]!;
              const { status } = await post(origin, `/attempt/${key}`);
              if (status === 200) admitted.set(key, (admitted.get(key) ?? 0) + 1);
              else assert.ok([429, 503, ...gone ? [0] : []].includes(status), String(status));
            }
          }));
          try {
            await assertFault(processes, async () => {
              await run({ valkey, network });
              for (let kill = 0; gone && kill < 2 * PROCESSES; kill++) {
                await processes.kill(kill % PROCESSES);
                await pause(TIMEOUT / 2);
              }
            }, { clients: CLIENTS, count, gone });
          } finally {
            over = true;
            await attempts;
          }
          assert.ok(admitted.size > 3, String(admitted.size));
          for (const [key, times] of admitted) assert.ok(times <= LIMIT, `${key}: ${times}`);
          assert.ok([...admitted.values()].includes(LIMIT));
        });
      }
    } finally {
      await processes.stop();
      network.close();
      await valkey.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
