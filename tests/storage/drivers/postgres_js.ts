import { postgres, postgresSchema } from "@framework/auth/postgres";
import process from "node:process";
import connect from "postgres";
import { EMPTY_POSTGRES } from "../../support/empty_postgres.ts";
import { runCases } from "./cases.ts";

const sql = connect(process.argv[3]!, { onnotice: () => {}, max: 10 });
const slow = { connectionTimeout: 120_000, statementTimeout: 120_000, requestTimeout: 0 };
await sql.unsafe(postgresSchema.up);
await runCases({ found: "Function", call: "postgres" }, async () => {
  await sql.unsafe(EMPTY_POSTGRES);
  return { handle: sql, database: postgres(sql, slow), close() {} };
});
await sql.end();
