import { sqlite } from "@framework/auth/sqlite";
import { authSchema } from "@framework/auth/storage";
import { Database } from "bun:sqlite";
import process from "node:process";
import { runCases } from "./cases.ts";

await runCases({
  bare: { found: "Database", call: "sqlite" },
  schema: authSchema,
  async open(tables, path = ":memory:") {
    const [file, other] = [new Database(path), new Database(path)];
    file.exec(tables);
    return {
      handle: file,
      database: sqlite(file),
      ...path !== ":memory:" && { rival: sqlite(other) },
      close: () => [file, other].forEach((each) => each.close()),
    };
  },
});
