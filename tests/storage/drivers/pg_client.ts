import { postgres, postgresSchema } from "@framework/auth/postgres";
import process from "node:process";
import pg from "pg";
import { EMPTY_POSTGRES } from "../../support/empty_postgres.ts";
import { runCases } from "./cases.ts";

const client = new pg.Client(process.argv[3]);
const slow = { connectionTimeout: 120_000, statementTimeout: 120_000, requestTimeout: 0 };
const database = postgres(client, slow); // it connects by itself
await database.prepare("SELECT 1 AS one").first();
await client.query(postgresSchema.up);
await runCases({ found: "Client", call: "postgres" }, async () => {
  await client.query(EMPTY_POSTGRES);
  return { handle: client, database, close() {} };
});
await client.end();
