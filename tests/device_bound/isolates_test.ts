// Two isolates over one D1, and two processes over one PostgreSQL server.
import { postgresSchema } from "@framework/auth/postgres";
import { authSchema } from "@framework/auth/storage";
import { Miniflare } from "miniflare";
import { fileURLToPath } from "node:url";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { type BundledFile, bundleEntries } from "../support/bundle.ts";
import { startChild } from "../support/child.ts";
import { disposeMiniflare } from "../support/dispose_miniflare.ts";
import { startPostgres } from "../support/postgres.ts";
import { agreeOnDevices, ORIGIN, sendInTurn } from "./agreement.ts";

const ISOLATES = ["one", "two"] as const;
const bin = await findPostgres();
const hint = bin === null ? `: ${postgresHint}` : "";

interface Fetcher {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

for (const strategy of ["database", "jwt"]) {
  // Tracks: R181
  Deno.test({
    name:
      `two isolates agree on registrations, refreshes and wrong proofs at one moment (${strategy})`,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const entry = fileURLToPath(new URL("isolate.ts", import.meta.url));
      const [{ text }] = await bundleEntries([entry]) as [BundledFile];
      const miniflare = new Miniflare({
        workers: ISOLATES.map((name) => ({
          name,
          modules: [{ type: "ESModule" as const, path: "worker.js", contents: text }],
          compatibilityDate: "2026-07-01",
          compatibilityFlags: ["nodejs_compat"],
          d1Databases: { DB: "auth" },
          bindings: { AUTH_SECRET: "s".repeat(32), STRATEGY: strategy },
        })),
      });
      try {
        const database = await miniflare.getD1Database("DB", "one");
        const tables = authSchema.up.split(/;\n/).filter((sql) => sql.trim() !== "");
        await database.batch(tables.map((sql) => database.prepare(sql)));
        await agreeOnDevices(sendInTurn(ISOLATES.map((name) => async (path, init) => {
          const worker = await miniflare.getWorker(name) as unknown as Fetcher;
          return await worker.fetch(ORIGIN + path, init);
        })));
      } finally {
        await disposeMiniflare(miniflare);
      }
    },
  });

  // Tracks: R181
  Deno.test({
    name: `two processes agree on registrations, refreshes and wrong proofs (${strategy})${hint}`,
    ignore: bin === null,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const server = await startPostgres(bin!);
      const connection = `postgres://framework@127.0.0.1:${server.port}/postgres`;
      const program = fileURLToPath(new URL("process.ts", import.meta.url));
      const processes = ISOLATES.map(() =>
        startChild(Deno.execPath(), ["run", "-A", "--no-check", program, connection, strategy], {
          cwd: Deno.cwd(),
        })
      );
      try {
        await server.admin.query(postgresSchema.up);
        const ports = await Promise.all(processes.map((one) => one.waitFor(/listens on (\d+)/)));
        await agreeOnDevices(
          sendInTurn(
            ports.map(([, port]) => (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init)),
          ),
        );
      } finally {
        await Promise.all(processes.map((one) => one.stop()));
        await server.stop();
      }
    },
  });
}
