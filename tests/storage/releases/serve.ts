// A process in which a release serves: SQLite by a file, or PostgreSQL by a URL. It says where it listens.
//
// Usage: deno run -A tests/storage/releases/serve.ts VERSION PLACE
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";

const [version, place] = process.argv.slice(2);
const { createPostgresDatabase, createSqliteDatabase, worker } = await import(
  `./version_${version}.js`
) as typeof import("./application.ts");
function openFile(): DatabaseSync {
  const file = new DatabaseSync(place!);
  // The line that docs/databases.md has for the release whose tables have version 1, which waits for nobody.
  if (version === "1") file.exec("PRAGMA busy_timeout = 5000");
  return file;
}

const env = {
  AUTH_SECRET: "s".repeat(32),
  DB: place!.startsWith("postgres:")
    ? createPostgresDatabase(new pg.Pool({ connectionString: place }))
    : createSqliteDatabase(openFile()),
};
Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => process.stdout.write(`listens on ${port}\n`),
}, (request) => worker.fetch(request, env));
