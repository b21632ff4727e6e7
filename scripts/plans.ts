/**
 * Explains every statement that the library and the starter send, over tables of the size that an application has
 * after years: `deno run -A scripts/plans.ts [--users 1000000] [--sessions 5000000]`. A statement that reads a whole
 * table is an error.
 *
 * @module
 */

import { authSchema, createSqlStorage, type SqlDatabase } from "@framework/auth/storage";
import type { SqlStatement, SqlValue } from "@framework/auth/storage";
import { postgres, postgresSchema } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import { createSqlRateLimitStorage } from "@framework/auth/rate-limit";
import { Kysely } from "kysely";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { parseArgs } from "node:util";
import { SQL_STORAGE_CASES, type SqlCase } from "../auth/tests/sql_storage_cases.ts";
import { setRounds } from "../testing/storage/race.ts";
import { SQL_TENANT_CASES } from "../auth/tests/tenant_stores.ts";
import { createD1Dialect } from "../cli/runtime/d1_dialect.ts";
import { type PostgresServer, startPostgres } from "../tests/support/postgres.ts";
import { findPostgres, postgresHint } from "./postgres.ts";
import { starterFolder } from "./templates.ts";

/** Numbers of rows. */
export interface Size {
  users: number;
  sessions: number;
}

/** A statement as it was sent. */
export interface Sent {
  sql: string;
  values: SqlValue[];
}

/** Statement that reads a whole table, and the table. */
export interface Scan {
  sql: string;
  plan: string;
}

/** Gives a database that keeps the first of each statement that is sent to it. */
export function record(database: SqlDatabase, sent: Map<string, Sent>): SqlDatabase {
  interface Recorded extends SqlStatement, Sent {
    inner: SqlStatement;
  }
  function wrap(sql: string, values: SqlValue[], inner: SqlStatement): Recorded {
    const keep = () => void (sent.has(sql) || sent.set(sql, { sql, values }));
    return {
      ...{ sql, values, inner },
      bind: (...given) => wrap(sql, given, inner.bind(...given)),
      first: <T>() => (keep(), inner.first<T>()),
      all: <T>() => (keep(), inner.all<T>()),
      run: () => (keep(), inner.run()),
    };
  }
  return {
    ...(database.dialect && { dialect: database.dialect }),
    prepare: (sql) => wrap(sql, [], database.prepare(sql)),
    batch(statements, options) {
      for (const one of statements as Recorded[]) {
        if (!sent.has(one.sql)) sent.set(one.sql, { sql: one.sql, values: one.values });
      }
      return database.batch((statements as Recorded[]).map(({ inner }) => inner), options);
    },
  };
}

const LIMITS: SqlCase = async (database) => {
  const limits = createSqlRateLimitStorage(database);
  // The second is refused, and one in a hundred sweeps.
  for (const now of [1_000_007, 1_000_007]) {
    const { hit } = await limits.takeRateLimit("k", { limit: 1, window: 1000, now });
    await limits.refundRateLimit("k", hit ?? "none");
  }
  await createSqlStorage(database).sweep(1, 1);
};

/** Cases of the library that send its statements, besides those of its storage. */
export const MORE_CASES: Readonly<Record<string, SqlCase>> = {
  ...SQL_TENANT_CASES,
  "limits are taken, given back and swept": LIMITS,
};

/** The statements of the library, as its conformance cases have it send them; each case begins with empty tables. */
async function libraryStatements(
  database: SqlDatabase,
  empty: () => unknown,
): Promise<Sent[]> {
  const sent = new Map<string, Sent>();
  setRounds(2);
  for (const run of Object.values({ ...SQL_STORAGE_CASES, ...MORE_CASES })) {
    await empty();
    await run(record(database.direct ?? database, sent)).catch((error) => {
      throw new Error("A case of the library fails", { cause: error });
    });
  }
  return [...sent.values()];
}

// Whatever is a user's goes with the users; quicker than TRUNCATE for a few rows.
const EMPTY = [
  "users",
  "api_keys",
  "audit_entries",
  "audit_seals",
  "tenants",
  "tenant_members",
  "tenant_invitations",
  "verifications",
  "rate_limits",
  "revocations",
  "pending_sign_ups",
  "auth_outbox",
  "webhook_endpoints",
]
  .map((table) => `DELETE FROM ${table}`).join("; ");

// What the starter's code calls by these names where it asks the database.
const NAMES = {
  requireAuth: () => ({ id: "u500" }),
};

/** The statements that the starter's own files send: texts, and what they say to the query builder. */
export async function starterStatements(): Promise<Sent[]> {
  const sent: Sent[] = [];
  using file = new DatabaseSync(":memory:");
  const db = new Kysely<never>({ dialect: createD1Dialect(sqlite(file)) });
  for await (const path of files(join(starterFolder, "app"))) {
    const text = await Deno.readTextFile(path);
    for (const [, sql] of text.matchAll(/\.prepare\(\s*[`"]([^`"]+)[`"]/g)) {
      sent.push({ sql: sql!, values: [...sql!.matchAll(/\?/g)].map(() => "u500") });
    }
    for (const [, chain] of text.matchAll(/\bdb\s*(\.selectFrom\([\s\S]*?)\.execute/g)) {
      const build = new Function("db", ...Object.keys(NAMES), `return db${chain}.compile()`);
      const { sql, parameters } = build(db, ...Object.values(NAMES));
      sent.push({ sql, values: parameters });
    }
  }
  return sent;
}

async function* files(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* files(path);
    else if (/(?<!_test|\.test)\.tsx?$/.test(name)) yield path;
  }
}

/** Rows as an application has them; `series(n)` is a table of the numbers from 1 to n, in a column i. */
function fill(size: Size, series: (count: number) => string): string[] {
  const { users, sessions } = size;
  const now = Date.now();
  const some = Math.max(50, Math.floor(users / 3));
  // One in five has ended.
  const end = (count: number) => `${now} + CAST(i - ${count} / 5 AS BIGINT) * 1000`;
  return [
    `INSERT INTO users (id, email, email_identity, created_at, updated_at)
      SELECT 'u' || i, 'u' || i || '@example.com', 'u' || i || '@example.com', i, i FROM ${
      series(users)
    }`,
    `UPDATE users SET name = 'User ' || (created_at % 5000)`,
    `INSERT INTO user_roles (role, user_id) SELECT CASE i % 3 WHEN 0 THEN 'admin' ELSE 'role' || (i % 3) END, 'u' || i FROM ${
      series(users)
    }`,
    `INSERT INTO audit_entries (id, at, type, user_id, actor_id, text)
      SELECT 'e' || i, i, 'type' || (i % 900), 'u' || i, 'u' || (i % 900), '{}' FROM ${
      series(users)
    }`,
    `INSERT INTO audit_people (entry_id, part, user_id, salt, text)
      SELECT 'e' || (i / 2 + 1), CASE i % 2 WHEN 0 THEN 'user' ELSE 'actor' END, 'u' || i, '', '{}' FROM ${
      series(users)
    }`,
    `INSERT INTO auth_outbox (id, destination, type, text, at, tries, due_at, failure)
      SELECT 'evt' || i, 'crm', 'sign-up', '{}', i, 0, CASE i % 3 WHEN 0 THEN NULL ELSE i END,
        CASE i % 3 WHEN 0 THEN 'no answer' ELSE NULL END FROM ${series(users)}`,
    `INSERT INTO webhook_endpoints (id, tenant_id, url, secret, created_at)
      SELECT 'wh' || i, 't' || (i % ${some} + 1), 'https://a.example/', '', i FROM ${
      series(users)
    }`,
    `INSERT INTO audit_seals SELECT i, 1, '', '', '' FROM ${series(some)}`,
    `INSERT INTO sessions (id, token_hash, user_id, created_at, authenticated_at, refreshed_at, expires_at)
      SELECT 's' || i, 'h' || i, 'u' || (i % ${users} + 1), i, i, i, ${end(sessions)} FROM ${
      series(sessions)
    }`,
    `INSERT INTO accounts (provider, provider_account_id, user_id, type, created_at, updated_at)
      SELECT 'code', i || '', 'u' || i, 'oauth', i, i FROM ${series(users)}`,
    `INSERT INTO verifications (purpose, hash, identifier, user_id, created_at, expires_at)
      SELECT 'email', 'v' || i, 'u' || i || '@example.com', 'u' || i, i, ${end(users)} FROM ${
      series(users)
    }`,
    `INSERT INTO passkeys (id, user_id, user_handle, public_key, counter, device_type, backed_up, created_at)
      SELECT 'k' || i, 'u' || i, 'handle', 'key', 0, 'singleDevice', 0, i FROM ${series(some)}`,
    `INSERT INTO known_browsers SELECT 'b' || i, 'u' || i, i, ${end(users)} FROM ${series(users)}`,
    `INSERT INTO password_hashes SELECT 'u' || i, 'hash', i FROM ${series(users)}`,
    `INSERT INTO pending_sign_ups (token_hash, email_identity, email, password_hash, browser_hash, created_at, expires_at)
      SELECT 't' || i, 'n' || i, 'n' || i, 'hash', 'b' || i, i, ${end(some)} FROM ${series(some)}`,
    `INSERT INTO second_factors SELECT 'u' || i, 'secret', i, 0, 0, i FROM ${series(users)}`,
    `INSERT INTO recovery_codes SELECT 'c' || i, 'u' || (i % ${users} + 1), i FROM ${
      series(users)
    }`,
    `INSERT INTO trusted_browsers SELECT 'd' || i, 'u' || i, NULL, i, ${end(users)} FROM ${
      series(users)
    }`,
    `INSERT INTO session_factors SELECT 's' || i, 'u' || i, 'totp', i, ${end(users)} FROM ${
      series(users)
    }`,
    `INSERT INTO api_keys (id, user_id, name, hash, created_by, created_at)
      SELECT 'k' || i, 'u' || i, 'Key', 'hash', 'u' || i, i FROM ${series(some)}`,
    `INSERT INTO api_keys (id, tenant_id, name, hash, created_by, created_at)
      SELECT 'y' || i, 't' || i, 'Key', 'hash', 'u' || i, i FROM ${series(some)}`,
    `INSERT INTO account_activity (id, user_id, type, at)
      SELECT 'a' || i, 'u' || i, 'sign-in', i FROM ${series(users)}`,
    `INSERT INTO rate_limits SELECT 'r' || i, '', ${end(users)} FROM ${series(users)}`,
    `INSERT INTO revocations (kind, id, revoked_at, expires_at)
      SELECT 'session', 's' || i, i, ${end(some)} FROM ${series(some)}`,
    `INSERT INTO tenants (id, slug, name, created_at, updated_at)
      SELECT 't' || i, 'team-' || i, 'Team', i, i FROM ${series(some)}`,
    `INSERT INTO tenant_members (tenant_id, user_id, created_at)
      SELECT 't' || (i % 20 + 1), 'u' || i, i FROM ${series(some)}`,
    `INSERT INTO tenant_invitations (id, tenant_id, email_identity, email, hash, invited_by, created_at, expires_at)
      SELECT 'i' || i, 't' || (i % 20 + 1), 'v' || i, 'v' || i, 'h' || i, 'u' || i, i, ${end(some)}
      FROM ${series(some)}`,
  ];
}

/** The starter's tables beside the library's, with rows. */
async function starterTables(size: Size, series: (count: number) => string): Promise<string[]> {
  const folder = join(starterFolder, "migrations");
  return [
    await Deno.readTextFile(join(folder, "0002_application.sql")),
    `INSERT INTO messages (email, text, at) SELECT 'a', 'b', i FROM ${series(size.users)}`,
  ];
}

/**
 * Returns true when SQLite reads a table as a whole. A table in the order that is wanted anyway ends with
 * the limit.
 */
function scanInSqlite(sql: string, steps: string[]): boolean {
  const ordered = /\bLIMIT\b/i.test(sql) && !steps.some((step) => /TEMP B-TREE/.test(step));
  // A page of a list begins at its first entry, and not at the beginning of the index.
  if (steps.some((step) => /^SEARCH users .*\(<expr><\?\)$/.test(step))) return true;
  // What an inner query gives is no table; how that one reads its own is a step as well.
  const inner = steps.map((step) => /^CO-ROUTINE (.+)$/.exec(step)?.[1]).filter(Boolean);
  return !ordered && steps.some((step) => {
    const [, name] = /^SCAN (\(.+\)|\S+)/.exec(step) ?? [];
    return name !== undefined && !["CONSTANT", "auth_schema", ...inner].includes(name);
  });
}

/** Explains the statements over SQLite. */
export async function explainOnSqlite(size: Size): Promise<{ count: number; scans: Scan[] }> {
  using empty = new DatabaseSync(":memory:");
  const own = sqlite(empty);
  empty.exec(authSchema.up);
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table'";
  const known = new Set(empty.prepare(tables).all().map(({ name }) => String(name)));
  const statements = await libraryStatements(own, () => {
    // To make the tables anew for each case would take longer than the cases.
    for (const { name } of empty.prepare(tables).all()) {
      if (!known.has(String(name))) empty.exec(`DROP TABLE ${name}`);
    }
    empty.exec(EMPTY);
  });
  using file = new DatabaseSync(":memory:");
  const series = (count: number) =>
    `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n)`;
  file.exec(authSchema.up);
  for (const sql of [...fill(size, series), ...await starterTables(size, series), "ANALYZE"]) {
    file.exec(sql);
  }
  const scans: Scan[] = [];
  const all = [...statements, ...await starterStatements()];
  for (const { sql, values } of all) {
    const bound = values.map((value) => typeof value === "boolean" ? Number(value) : value);
    const steps = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...bound as SQLInputValue[])
      .map(({ detail }) => String(detail));
    if (scanInSqlite(sql, steps)) scans.push({ sql, plan: steps.join("\n") });
  }
  return { count: all.length, scans };
}

/** Returns true when PostgreSQL reads a table as a whole, or goes through an index from its beginning. */
function scanInPostgres(sql: string, plan: string): boolean {
  // Without a condition the end of an index is all that is asked for.
  const isBounded = /\bWHERE\b/i.test(sql);
  return /Seq Scan on (?!auth_schema)/.test(plan) ||
    isBounded && /Index (?:Only )?Scan[^\n]*(?:\n(?!\s*Index Cond)|$)/.test(plan);
}

/** Explains the statements over PostgreSQL. */
async function explainOnPostgres(
  size: Size,
  bin: string,
): Promise<{ count: number; scans: Scan[] }> {
  const server = await startPostgres(bin);
  try {
    const { admin, pool } = server;
    await admin.query(postgresSchema.up);
    const statements = await libraryStatements(
      postgres(pool, { connectionTimeout: 120_000, statementTimeout: 120_000 }),
      () => admin.query(EMPTY),
    );
    return { count: statements.length, scans: await scansOfPostgres(server, statements, size) };
  } finally {
    await server.stop();
  }
}

/**
 * Explains statements over PostgreSQL, twice: as it knows the tables, and when much of that is no longer true.
 *
 * @param server One with the library's tables, whose rows others replace.
 */
export async function scansOfPostgres(
  { admin }: PostgresServer,
  statements: readonly Sent[],
  size: Size,
): Promise<Scan[]> {
  const { rows: tables } = await admin.query(
    "SELECT string_agg(tablename, ', ') AS names FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'auth_schema'",
  );
  await admin.query(`TRUNCATE ${tables[0].names} CASCADE`);
  // Foreign keys hold by the way the rows are made; to check each takes longer than all the rest.
  await admin.query("SET session_replication_role = replica");
  for (const sql of fill(size, (count) => `generate_series(1, ${count}) AS i`)) {
    await admin.query(sql);
  }
  await admin.query("SET session_replication_role = DEFAULT; ANALYZE");
  const scans: Scan[] = [];
  for (const age of ["as they are", "after most rows have gone"]) {
    if (age !== "as they are") {
      await admin.query(
        "DELETE FROM rate_limits; DELETE FROM verifications; DELETE FROM known_browsers",
      );
    }
    for (const { sql, values } of statements) {
      if (!/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)/i.test(sql)) continue;
      const { rows } = await admin.query(`EXPLAIN ${sql.replace(/\?(\d+)/g, "$$$1")}`, [...values]);
      const plan = rows.map((row: Record<string, string>) => row["QUERY PLAN"]).join("\n");
      if (scanInPostgres(sql, plan)) scans.push({ sql, plan: `${age}\n${plan}` });
    }
  }
  return scans;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      users: { type: "string", default: "1000000" },
      sessions: { type: "string", default: "5000000" },
    },
  });
  const size = { users: Number(values.users), sessions: Number(values.sessions) };
  const bin = await findPostgres();
  if (bin === null) throw new Error(postgresHint);
  const results = {
    sqlite: await explainOnSqlite(size),
    postgres: await explainOnPostgres(size, bin),
  };
  for (const [name, { count, scans }] of Object.entries(results)) {
    process.stdout.write(`${name}: ${count} statements, ${scans.length} read a whole table\n`);
    for (const { sql, plan } of scans) process.stdout.write(`\n${sql}\n${plan}\n`);
  }
  if (Object.values(results).some(({ scans }) => scans.length > 0)) process.exit(1);
}
