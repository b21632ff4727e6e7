import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError } from "../terminal/exit.ts";
import { readWranglerJson, runWrangler, wranglerMessage } from "../tools/run.ts";

/** A text as SQL literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Joins statements to one text, each terminated. */
export function joinStatements(statements: string[]): string {
  return statements.map((statement) => `${statement};\n`).join("");
}

/** Rows of one statement. */
export type Rows = Record<string, unknown>[];

/** The platform's database, accessed through the project's wrangler. */
export interface RemoteConnection {
  /** Runs statements and returns the rows of each. */
  query(sql: string): Promise<Rows[]>;
  /** Runs a file of statements; when one fails, the platform rolls all of them back. */
  execute(sql: string): Promise<void>;
}

/** Options for {@linkcode connectRemote}. */
export interface RemoteOptions {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of the platform's file. */
  platformFile: string;
  /** Binding of the database. */
  binding: string;
  env: Record<string, string | undefined>;
  signal: AbortSignal;
  /** Further arguments, such as `--env staging`. Default: none. */
  args?: string[];
}

/**
 * Connects to the platform's database by `wrangler d1 execute --remote`.
 *
 * @param options The project and its database.
 */
export function connectRemote(options: RemoteOptions): RemoteConnection {
  const { root, platformFile, binding, env, signal, args: further = [] } = options;
  const common = ["--remote", "--json", "--yes", "--config", platformFile, ...further];
  async function run(args: string[]): Promise<unknown> {
    const result = await runWrangler(
      ["d1", "execute", binding, ...common, ...args],
      // The platform continues what it has received, so waiting for the result is worthwhile.
      { root, env, signal, shielded: true },
    );
    const json = readWranglerJson(result.stdout);
    if (result.code === 0 && Array.isArray(json)) return json;
    const message = wranglerMessage(result) || "wrangler exited without a message.";
    const lacksAccess = /CLOUDFLARE_API_TOKEN|authenticat|log ?in/i.test(message);
    const hint = lacksAccess ? "Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN." : undefined;
    throw new CliError(message, { hint });
  }
  return {
    async query(sql) {
      const results = await run(["--command", sql]) as { results?: Rows }[];
      return results.map((result) => result.results ?? []);
    },
    async execute(sql) {
      const folder = await mkdtemp(join(tmpdir(), "framework-migration-"));
      try {
        const file = join(folder, "migration.sql");
        await writeFile(file, sql, { mode: 0o600 });
        await run(["--file", file]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Lifetime of a lock that is not released, in seconds. Each file renews it. */
const LOCK_SECONDS = 900;

/** Lock for migrating the platform's database. */
export interface RemoteLock {
  /** Rows that the first statements returned. */
  rows: Rows[];
  /** A statement that fails, together with its file, once another process has taken over the lock. */
  fence: string;
  release(): Promise<void>;
}

/**
 * Acquires the lock: the one row that only one process can hold.
 *
 * @param connection The database.
 * @param options `owner` is an id of this run; `before` and `after` are statements to run in the same request.
 * @throws {CliError} Exit code 1 when another process holds it.
 */
export async function lockRemote(
  connection: RemoteConnection,
  { owner, before, after }: { owner: string; before: string[]; after: string[] },
): Promise<RemoteLock> {
  const me = quoteText(owner);
  const results = await connection.query(
    [
      ...before,
      "CREATE TABLE IF NOT EXISTS framework_migration_lock(id INTEGER PRIMARY KEY CHECK (id = 1), owner TEXT NOT NULL, expires_at INTEGER NOT NULL)",
      `INSERT INTO framework_migration_lock (id, owner, expires_at) VALUES (1, ${me}, unixepoch() + ${LOCK_SECONDS}) ` +
      "ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at WHERE expires_at < unixepoch()",
      "SELECT owner, expires_at - unixepoch() AS seconds FROM framework_migration_lock",
      ...after,
    ].join(";\n"),
  );
  const holder = results[before.length + 2]?.[0];
  if (holder?.["owner"] !== owner) {
    throw new CliError("Another process is migrating the remote database.", {
      hint: `Wait until it has finished. If it was killed, its lock expires in ${
        holder?.["seconds"] ?? LOCK_SECONDS
      } seconds.`,
    });
  }
  return {
    rows: results.slice(before.length + 3),
    fence:
      // The owner is null, which the column refuses, when the lock is no longer ours.
      `INSERT INTO framework_migration_lock (id, owner, expires_at) VALUES (1, ` +
      `(SELECT owner FROM framework_migration_lock WHERE owner = ${me}), unixepoch() + ${LOCK_SECONDS}) ` +
      "ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at",
    async release() {
      await connection.query(`DELETE FROM framework_migration_lock WHERE owner = ${me}`);
    },
  };
}
