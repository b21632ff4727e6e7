import { neonConfig, Pool } from "@neondatabase/serverless";
import { postgres, postgresSchema, upgradeTables } from "@framework/auth/postgres";
import assert from "node:assert/strict";
import { connect } from "node:net";
import process from "node:process";
import { createWebSocketStream, WebSocket, WebSocketServer } from "ws";
import { postgresTables, runCases } from "./cases.ts";

// In front of the server, as Neon's own proxy: what a WebSocket brings goes to its port.
const server = new URL(process.argv[3]!);
const proxy = new WebSocketServer({ host: "127.0.0.1", port: 0 });
proxy.on("connection", (socket) => {
  const stream = createWebSocketStream(socket);
  const connection = connect(Number(server.port), server.hostname);
  stream.on("error", () => connection.destroy());
  connection.on("error", () => stream.destroy());
  stream.pipe(connection).pipe(stream);
});
await new Promise((resolve) => proxy.once("listening", resolve));
const { port } = proxy.address() as { port: number };
neonConfig.webSocketConstructor = WebSocket;
neonConfig.wsProxy = () => `127.0.0.1:${port}/v1`;
neonConfig.useSecureWebSocket = false;
neonConfig.pipelineConnect = false; // only for servers that ask for a password

const pool = new Pool({ connectionString: server.href, max: 10 });
const slow = { connectionTimeout: 120_000, statementTimeout: 120_000, requestTimeout: 0 };
await upgradeTables(postgres(pool, slow));

// A connection that is lost within a batch takes all of it along, and the next one has another connection.
await pool.query("CREATE TABLE halves (half INTEGER)");
const few = new Pool({ connectionString: server.href, max: 2 });
const database = postgres(few, slow);
const insert = database.prepare("INSERT INTO halves VALUES (?1)");
const count = database.prepare("SELECT count(*) AS n FROM halves");
const lose = database.prepare("SELECT pg_terminate_backend(pg_backend_pid())");
for (let round = 0; round < 5; round++) {
  await assert.rejects(
    database.batch([insert.bind(1), lose, insert.bind(2)]),
    { code: "STORAGE_UNAVAILABLE" },
  );
  await database.batch([insert.bind(1), insert.bind(2)]);
  assert.deepEqual(await count.first(), { n: 2 * (round + 1) });
}
// Connections that are lost while nobody uses them end no process, and what reads is asked again.
await Promise.all([count.first(), count.first()]);
await pool.query(
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
);
assert.deepEqual(await count.first(), { n: 10 });
await few.end();

const make = postgresTables((sql) => pool.query(sql));
await runCases({
  bare: { found: pool.constructor.name, call: "postgres" },
  schema: postgresSchema,
  async open(tables) {
    await make(tables);
    return { handle: pool, database: postgres(pool, slow), close() {} };
  },
});
await pool.end();
proxy.close();
