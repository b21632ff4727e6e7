import { sqlite } from "@framework/auth/sqlite";
import { authSchema } from "@framework/auth/storage";
import { Database } from "bun:sqlite";
import { runCases } from "./cases.ts";

await runCases({ found: "Database", call: "sqlite" }, async () => {
  const file = new Database(":memory:");
  file.exec(authSchema.up);
  return { handle: file, database: sqlite(file), close: () => file.close() };
});
