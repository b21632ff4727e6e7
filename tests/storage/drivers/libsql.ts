import { createClient } from "@libsql/client";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema } from "@framework/auth/storage";
import process from "node:process";
import { runCases } from "./cases.ts";

await runCases({ found: "Sqlite3Client", call: "sqlite" }, async (name) => {
  const client = createClient({ url: `file:${process.argv[2]}/${name}` });
  await client.executeMultiple(`BEGIN; ${authSchema.up}; COMMIT`);
  return { handle: client, database: sqlite(client), close: () => client.close() };
});
