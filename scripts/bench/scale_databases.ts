import type { Auth } from "@framework/auth";
import { postgres, postgresSchema } from "@framework/auth/postgres";
import { authSchema, type SqlDatabase } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { type PostgresServer, startPostgres } from "../../tests/support/postgres.ts";
import { ensurePostgres, postgresHint } from "../postgres.ts";
import { progress } from "./contest.ts";
import {
  fillStatements,
  knownVisitors,
  POSTGRES_ROWS,
  type Size,
  SQLITE_ROWS,
  type Visitor,
} from "./many_sessions.ts";
import type { FilledPostgres } from "./programs/session_postgres.ts";
import { type FilledDatabase, type FilledDatabases, scaleAuth } from "./programs/scale.ts";

/** How many of the sessions are used at most. */
const VISITORS = 2000;

/** Databases with few and many rows, of both kinds. */
export interface ScaleDatabases extends AsyncDisposable {
  databases: FilledDatabases;
  /** The file that says where they are, for `BENCH_DATABASES`. */
  file: string;
}

async function visitorsOf(database: SqlDatabase, { users }: Size): Promise<Visitor[]> {
  const auth: Auth<unknown> = scaleAuth(database);
  return await knownVisitors(auth, database, { users, count: Math.min(users, VISITORS) });
}

async function fillSqlite(path: string, size: Size): Promise<Visitor[]> {
  using file = new DatabaseSync(path);
  file.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000");
  file.exec(authSchema.up);
  // Foreign keys hold by the way the rows are made.
  file.exec("PRAGMA foreign_keys = OFF");
  for (const sql of fillStatements(size, SQLITE_ROWS)) file.exec(sql);
  file.exec("ANALYZE");
  const visitors = await visitorsOf(sqlite(file, { wal: false }), size);
  file.exec("PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL");
  return visitors;
}

const KEYS = `SELECT conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint
  WHERE conrelid = 'sessions'::regclass AND contype IN ('p', 'u')`;
const INDEXES = `SELECT indexname AS name, indexdef AS text FROM pg_indexes
  WHERE tablename = 'sessions' AND indexname NOT IN (SELECT conname FROM pg_constraint)`;

/** Fills the tables while that of the sessions has no index, which takes a third of the time. */
async function fillAtOnce(pool: pg.Pool, size: Size): Promise<void> {
  const { rows: keys } = await pool.query(KEYS);
  const { rows: indexes } = await pool.query(INDEXES);
  for (const { name } of keys) await pool.query(`ALTER TABLE sessions DROP CONSTRAINT ${name}`);
  for (const { name } of indexes) await pool.query(`DROP INDEX ${name}`);
  for (const sql of fillStatements(size, POSTGRES_ROWS)) await pool.query(sql);
  for (const { name, text } of keys) {
    await pool.query(`ALTER TABLE sessions ADD CONSTRAINT ${name} ${text}`);
  }
  for (const { text } of indexes) await pool.query(text);
}

/** Makes a database on a server, with rows. */
export async function fillPostgres(
  { admin, port }: PostgresServer,
  name: string,
  size: Size,
): Promise<FilledPostgres> {
  await admin.query(`CREATE DATABASE ${name}`);
  const address = `postgres://framework@127.0.0.1:${port}/${name}`;
  const pool = new pg.Pool({ connectionString: address, max: 1 });
  try {
    await pool.query(postgresSchema.up);
    await pool.query("SET session_replication_role = replica; SET maintenance_work_mem = '512MB'");
    await fillAtOnce(pool, size);
    await pool.query("SET session_replication_role = origin");
    await pool.query("VACUUM ANALYZE");
    return { address, visitors: await visitorsOf(postgres(pool), size) };
  } finally {
    await pool.end();
  }
}

/** Makes the databases in a temporary folder; they are gone when what comes back is disposed of. */
export async function makeScaleDatabases(
  sizes: Record<"few" | "many", Size>,
): Promise<ScaleDatabases> {
  const bin = await ensurePostgres(progress);
  if (bin === null) throw new Error(postgresHint);
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const server = await startPostgres(bin);
  stack.defer(() => server.stop());
  async function fill(name: "few" | "many"): Promise<FilledDatabase> {
    const size = sizes[name];
    const counts = `${size.users.toLocaleString("en-US")} users and ${
      size.sessions.toLocaleString("en-US")
    } sessions`;
    const path = join(folder, `${name}.db`);
    progress(`  makes ${counts} in SQLite`);
    const inSqlite = await fillSqlite(path, size);
    progress(`  makes ${counts} in PostgreSQL`);
    const { address, visitors } = await fillPostgres(server, name, size);
    return {
      sqlite: path,
      postgres: address,
      users: size.users,
      visitors: { sqlite: inSqlite, postgres: visitors },
    };
  }
  const databases: FilledDatabases = { few: await fill("few"), many: await fill("many") };
  const file = join(folder, "databases.json");
  await Deno.writeTextFile(file, JSON.stringify(databases));
  const owned = stack.move();
  return { databases, file, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
