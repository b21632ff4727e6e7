import { createMemoryStorage, type SqlDatabase } from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import process from "node:process";
import { text } from "node:stream/consumers";
import { answer, type Command } from "../suite.ts";

// One program for Deno and Node: a command comes on standard input, its answer goes to standard output.

async function emptyDatabase(): Promise<SqlDatabase> {
  // Node 20 has no such module, and is not asked for this database.
  const { DatabaseSync } = await import("node:sqlite");
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  return sqlite(file);
}

const command = JSON.parse(await text(process.stdin)) as Command;
const answered = await answer(command, {
  memory: () => Promise.resolve(createMemoryStorage()),
  sqlite: emptyDatabase,
});
process.stdout.write(JSON.stringify(answered));
