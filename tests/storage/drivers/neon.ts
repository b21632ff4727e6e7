import { neonConfig, Pool } from "@neondatabase/serverless";
import { postgres, postgresSchema } from "@framework/auth/postgres";
import { connect } from "node:net";
import process from "node:process";
import { createWebSocketStream, WebSocket, WebSocketServer } from "ws";
import { EMPTY_POSTGRES } from "../../support/empty_postgres.ts";
import { runCases } from "./cases.ts";

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
await pool.query(postgresSchema.up);
await runCases({ found: pool.constructor.name, call: "postgres" }, async () => {
  await pool.query(EMPTY_POSTGRES);
  return { handle: pool, database: postgres(pool, slow), close() {} };
});
await pool.end();
proxy.close();
