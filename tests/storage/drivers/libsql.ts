import { createClient } from "@libsql/client";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema } from "@framework/auth/storage";
import process from "node:process";
import { runCases } from "./cases.ts";

await runCases({
  bare: { found: "Sqlite3Client", call: "sqlite" },
  schema: authSchema,
  async open(tables, path = `${process.argv[2]}/${crypto.randomUUID()}.db`) {
    const url = `file:${path}`;
    const [client, other] = [createClient({ url }), createClient({ url })];
    await client.executeMultiple(`BEGIN; ${tables}; COMMIT`);
    return {
      handle: client,
      database: sqlite(client),
      rival: sqlite(other),
      close: () => [client, other].forEach((each) => each.close()),
    };
  },
});
