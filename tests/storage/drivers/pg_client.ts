import { postgres, postgresSchema } from "@framework/auth/postgres";
import process from "node:process";
import pg from "pg";
import { postgresTables, runCases } from "./cases.ts";

const [client, other] = [new pg.Client(process.argv[3]), new pg.Client(process.argv[3])];
const slow = { connectionTimeout: 120_000, statementTimeout: 120_000, requestTimeout: 0 };
const [database, rival] = [postgres(client, slow), postgres(other, slow)]; // they connect by themselves
for (const each of [database, rival]) await each.prepare("SELECT 1 AS one").first();
const make = postgresTables((sql) => client.query(sql));
await runCases({
  bare: { found: "Client", call: "postgres" },
  schema: postgresSchema,
  async open(tables) {
    await make(tables);
    return { handle: client, database, rival, close() {} };
  },
});
await client.end();
await other.end();
