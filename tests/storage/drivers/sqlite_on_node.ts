import { sqlite, type SqliteDatabase } from "@framework/auth/sqlite";
import { authSchema } from "@framework/auth/storage";
import { createRequire } from "node:module";
import process from "node:process";
import { runCases } from "./cases.ts";

// The second argument is a folder that has better-sqlite3; without it, it is node:sqlite, which Node 20 does not have.

type Driver = new (file: string) => SqliteDatabase & { close(): void };

const folder = process.argv[3];
const Database: Driver = folder
  ? createRequire(`${folder}/`)("better-sqlite3")
  : (await import("node:sqlite")).DatabaseSync;

await runCases({
  bare: { found: Database.name, call: "sqlite" },
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
