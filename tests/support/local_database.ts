import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";

/** Opens the one local D1 database of the application in `root`. */
export function openLocalDatabase(root: string): DatabaseSync {
  const folder = join(root, ".wrangler/state/v3/d1/miniflare-D1DatabaseObject");
  const files = [...Deno.readDirSync(folder)].map(({ name }) => name)
    .filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  const [file] = files;
  if (file === undefined || files.length > 1) {
    throw new Error(`Expected one database in ${folder}, found ${files.join(", ") || "none"}`);
  }
  const database = new DatabaseSync(join(folder, file));
  // The worker that runs over it writes too, and SQLite refuses a second writer at once unless it is told to wait.
  database.exec("PRAGMA busy_timeout = 10000");
  // The worker does not wait: a commit of this handle that waits for the disk would be an outage to it.
  database.exec("PRAGMA synchronous = OFF");
  return database;
}

/** Everything that the database of the application in `root` holds, as text. */
export function dumpLocalDatabase(root: string): string {
  const database = openLocalDatabase(root);
  try {
    const tables = database.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    ).all();
    return tables.map(({ name }) =>
      JSON.stringify({ name, rows: database.prepare(`SELECT * FROM "${name}"`).all() })
    ).join("\n");
  } finally {
    database.close();
  }
}
