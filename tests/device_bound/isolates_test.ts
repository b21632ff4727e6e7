// Two isolates over one D1, and two processes over one PostgreSQL server.
import { postgresSchema } from "@framework/auth/postgres";
import { authSchema } from "@framework/auth/storage";
import { Miniflare } from "miniflare";
import { fileURLToPath } from "node:url";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { type BundledFile, bundleEntries } from "../support/bundle.ts";
import { type Child, startChild } from "../support/child.ts";
import { disposeMiniflare } from "../support/dispose_miniflare.ts";
import { inMatrix } from "../support/matrix.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { agreeOnDevices, ORIGIN, sendInTurn } from "./agreement.ts";

const ISOLATES = ["one", "two"] as const;
const bin = await findPostgres();
const hint = bin === null ? `: ${postgresHint}` : "";

interface Fetcher {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

const STRATEGIES = ["database", "jwt"] as const;

/** One of each for both strategies, whose workers and databases are apart. */
let miniflare: Miniflare | undefined;
let server: PostgresServer | undefined;
const processes: Child[] = [];
Deno.test.beforeAll(async () => {
  const entry = fileURLToPath(new URL("isolate.ts", import.meta.url));
  const [{ text }] = await bundleEntries([entry]) as [BundledFile];
  miniflare = new Miniflare({
    workers: STRATEGIES.flatMap((strategy) =>
      ISOLATES.map((name) => ({
        name: `${strategy}-${name}`,
        modules: [{ type: "ESModule" as const, path: "worker.js", contents: text }],
        compatibilityDate: "2026-07-01",
        compatibilityFlags: ["nodejs_compat"],
        d1Databases: { DB: strategy },
        bindings: { AUTH_SECRET: "s".repeat(32), STRATEGY: strategy },
      }))
    ),
  });
  if (bin === null || !inMatrix) return;
  server = await startPostgres(bin);
  await server.admin.query(postgresSchema.up);
  const connection = `postgres://framework@127.0.0.1:${server.port}/postgres`;
  const program = fileURLToPath(new URL("process.ts", import.meta.url));
  for (const _ of ISOLATES) {
    const args = ["run", "-A", "--no-check", program, connection, ...STRATEGIES];
    processes.push(startChild(Deno.execPath(), args, { cwd: Deno.cwd() }));
  }
});
Deno.test.afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await server?.stop();
  if (miniflare !== undefined) await disposeMiniflare(miniflare);
});

for (const strategy of STRATEGIES) {
  // Tracks: R181
  Deno.test({
    name:
      `two isolates agree on registrations, refreshes and wrong proofs at one moment (${strategy})`,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const names = ISOLATES.map((name) => `${strategy}-${name}`);
      const database = await miniflare!.getD1Database("DB", names[0]);
      const tables = authSchema.up.split(/;\n/).filter((sql) => sql.trim() !== "");
      await database.batch(tables.map((sql) => database.prepare(sql)));
      await agreeOnDevices(sendInTurn(names.map((name) => async (path, init) => {
        const worker = await miniflare!.getWorker(name) as unknown as Fetcher;
        return await worker.fetch(ORIGIN + path, init);
      })));
    },
  });

  if (!inMatrix) continue;
  // Tracks: R181
  Deno.test({
    name: `two processes agree on registrations, refreshes and wrong proofs (${strategy})${hint}`,
    ignore: bin === null,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const listens = new RegExp(`${strategy} listens on (\\d+)`);
      const ports = await Promise.all(processes.map((one) => one.waitFor(listens)));
      await agreeOnDevices(
        sendInTurn(
          ports.map(([, port]) => (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init)),
        ),
      );
    },
  });
}
