import { postgres, postgresSchema } from "@framework/auth/postgres";
import process from "node:process";
import connect from "postgres";
import { postgresTables, runCases } from "./cases.ts";

const sql = connect(process.argv[3]!, { onnotice: () => {}, max: 10 });
const slow = { connectionTimeout: 120_000, statementTimeout: 120_000, requestTimeout: 0 };
const make = postgresTables((text) => sql.unsafe(text));
await runCases({
  bare: { found: "Function", call: "postgres" },
  schema: postgresSchema,
  async open(tables) {
    await make(tables);
    return { handle: sql, database: postgres(sql, slow), close() {} };
  },
});
await sql.end();
