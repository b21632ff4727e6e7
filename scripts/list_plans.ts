/**
 * Reads the lists of administrators and teams over tables of the size that an application has after years:
 * `scripts/plans.ts` says that no statement reads a whole table, this that a page of a list costs what is on it, also
 * where half of the trail is somebody's, or none of it for years.
 *
 * @module
 */

import { postgres, postgresSchema } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import {
  apiKeyGroup,
  auditGroup,
  authSchema,
  createSqlStorage,
  directoryGroup,
  type DirectoryRange,
  groupOf,
  type SqlDatabase,
  teamGroup,
} from "@framework/auth/storage";
import { createSqlTenantMembers } from "@framework/auth/tenant";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import pg from "pg";
import { startPostgres } from "../tests/support/postgres.ts";
import { record, type Sent } from "./plans.ts";

/** Entries of a page. */
export const PAGE = 25;

type Read = (database: SqlDatabase) => Promise<unknown>;

const users = (range: DirectoryRange): Read => (database) =>
  groupOf(createSqlStorage(database), directoryGroup).pageUsers(range, PAGE);
const trail = (asked: Record<string, string>): Read => (database) =>
  groupOf(createSqlStorage(database), auditGroup)
    .listEntries({ from: "", to: "g", order: "newest", limit: PAGE, ...asked });
const keys = (database: SqlDatabase) => groupOf(createSqlStorage(database), apiKeyGroup);

/** The lists: of what there is much, of what there is little, and of what has not been for long. */
export const LISTS: Readonly<Record<string, Read>> = {
  "newest users": users({ by: "creation", after: null }),
  "newest users, a later page": users({ by: "creation", after: { createdAt: 3000, id: "u3000" } }),
  "users with everybody's role": users({ by: "role", role: "all", after: "" }),
  "users with everybody's role, a later page": users({ by: "role", role: "all", after: "u3000" }),
  "users with a rare role": users({ by: "role", role: "rare", after: "" }),
  "users by an address": users({ by: "address", prefix: "u3", after: "" }),
  "users by an address, a later page": users({
    by: "address",
    prefix: "u",
    after: "u3000@example.com",
  }),
  "users by a name": users({ by: "name", prefix: "user 3", after: null }),
  "users by a name, a later page": users({
    by: "name",
    prefix: "user",
    after: { name: "user 300", id: "u300" },
  }),
  "newest entries": trail({}),
  "entries of a user": trail({ userId: "u77" }),
  "entries of a user of long ago": trail({ userId: "early" }),
  "entries of who acts often": trail({ actorId: "busy" }),
  "entries of who acted long ago": trail({ actorId: "early" }),
  "entries of who acted long ago, since then": trail({
    actorId: "early",
    from: "0".repeat(28) + "ffff",
  }),
  "entries of a frequent type": trail({ type: "sign-in" }),
  "entries of a type of long ago": trail({ type: "early" }),
  "entries of no type": trail({ type: "none" }),
  "entries of a type, the oldest first": trail({ type: "late", order: "oldest" }),
  "members of a large team": (database) =>
    createSqlTenantMembers(database).listOfTenant("large", { limit: PAGE }),
  "members of a large team, a later page": (database) =>
    createSqlTenantMembers(database).listOfTenant("large", { limit: PAGE, cursor: "u3000" }),
  "teams of a user": (database) =>
    createSqlTenantMembers(database).listOfUser("u400", { limit: PAGE }),
  "invitations of a team": (database) =>
    groupOf(createSqlStorage(database), teamGroup)
      .listInvitations("large", { now: 1, limit: PAGE }),
  "keys of a team": (database) => keys(database).listApiKeys({ tenantId: "t7" }),
  "keys of a user": (database) => keys(database).listApiKeys({ userId: "u7" }),
};

/** Rows as an application has them; `series(n)` is a table of the numbers from 1 to n, in a column i. */
function fill(count: number, series: (count: number) => string, hex: string): string[] {
  // Of the first fifth: somebody who acted and was acted upon, and what happened, never since; the reverse is "late".
  const early = (before: string, after: string) =>
    `CASE WHEN i <= ${Math.floor(count / 5)} THEN ${before} ELSE ${after} END`;
  const all = series(count);
  return [
    `INSERT INTO users (id, email, email_identity, name, created_at, updated_at)
      SELECT 'u' || i, 'u' || i || '@example.com', 'u' || i || '@example.com', 'User ' || i, i, i FROM ${all}`,
    `INSERT INTO user_roles (role, user_id) SELECT 'all', 'u' || i FROM ${all}`,
    `INSERT INTO user_roles (role, user_id) SELECT 'rare', 'u' || i FROM ${series(5)}`,
    `INSERT INTO audit_entries (id, at, type, user_id, actor_id, text)
      SELECT ${hex}, i,
        ${early("'early'", `CASE WHEN i > ${count} * 0.8 THEN 'late' ELSE 'sign-in' END`)},
        ${early("'early'", "'u' || (i % 900)")}, ${early("'early'", "'busy'")}, '{}' FROM ${all}`,
    `INSERT INTO audit_people (entry_id, part, user_id, salt, text)
      SELECT ${hex}, 'user', 'u' || i, '', '{}' FROM ${all}`,
    `INSERT INTO tenant_members (tenant_id, user_id, created_at)
      SELECT CASE i % 2 WHEN 0 THEN 'large' ELSE 't' || i END, 'u' || i, i FROM ${all}`,
    `INSERT INTO tenant_invitations (id, tenant_id, email_identity, email, hash, invited_by, created_at, expires_at)
      SELECT 'i' || i, CASE i % 2 WHEN 0 THEN 'large' ELSE 't' || i END, 'v' || i, 'v' || i, 'h' || i, 'u' || i, i, 9e15
      FROM ${all}`,
    `INSERT INTO api_keys (id, user_id, name, hash, created_by, created_at)
      SELECT 'k' || i, 'u' || i, 'Key', 'hash', 'u' || i, i FROM ${all}`,
    `INSERT INTO api_keys (id, tenant_id, name, hash, created_by, created_at)
      SELECT 'y' || i, 't' || (i / 5), 'Key', 'hash', 'u1', i FROM ${all}`,
    "ANALYZE",
  ];
}

/** Statements that each list sends, and what `explain` says of one. */
async function explainLists<Told>(
  database: SqlDatabase,
  explain: (sent: Sent) => Promise<Told>,
): Promise<Map<string, Told[]>> {
  const told = new Map<string, Told[]>();
  for (const [name, read] of Object.entries(LISTS)) {
    const sent = new Map<string, Sent>();
    await read(record(database, sent));
    const all: Told[] = [];
    for (const one of sent.values()) all.push(await explain(one));
    told.set(name, all);
  }
  return told;
}

/** The plan of each statement of the lists over SQLite, a line for each table. */
export async function listPlansOnSqlite(count: number): Promise<Map<string, string[]>> {
  using file = new DatabaseSync(":memory:");
  const series = (rows: number) =>
    `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT i FROM n)`;
  file.exec(`${authSchema.up}; PRAGMA foreign_keys = OFF`);
  for (const sql of fill(count, series, "printf('%032x', i)")) file.exec(sql);
  return await explainLists(sqlite(file), async ({ sql, values }) => {
    return await Promise.resolve(
      file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values as SQLInputValue[])
        .map(({ detail }) => String(detail)).join("\n"),
    );
  });
}

/** A part of a plan of PostgreSQL, as far as it is read here. */
interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Node[];
}

/** Rows that a part of a plan has read of its table, also those that it read in vain. */
function rowsOf(node: Node): number {
  return node["Relation Name"] === undefined ? 0 : node["Actual Loops"] *
    (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) +
      (node["Rows Removed by Index Recheck"] ?? 0));
}

/** The parts of a plan that read tables, one in a line, and how many rows they have read in all. */
function readPlan(plan: Node): { rows: number; lines: string[] } {
  const own = rowsOf(plan);
  const line = `${plan["Node Type"]} ${plan["Relation Name"]} ${plan["Index Name"] ?? ""}: ${own}`;
  const parts = (plan.Plans ?? []).map(readPlan);
  return {
    rows: parts.reduce((sum, { rows }) => sum + rows, own),
    lines: [
      ...plan["Relation Name"] === undefined ? [] : [line],
      ...parts.flatMap(({ lines }) => lines),
    ],
  };
}

/** Rows that PostgreSQL reads for each list, and the plan; of seven times the worst. */
export async function listReadsOnPostgres(
  count: number,
  bin: string,
): Promise<Map<string, { rows: number; plan: string }[]>> {
  const server = await startPostgres(bin);
  try {
    const { admin, pool } = server;
    await admin.query(postgresSchema.up);
    // Foreign keys hold by the way the rows are made; to check each takes longer than all the rest.
    await admin.query("SET session_replication_role = replica");
    const series = (rows: number) => `generate_series(1, ${rows}) AS i`;
    for (const sql of fill(count, series, "lpad(to_hex(i), 32, '0')")) await admin.query(sql);
    return await explainLists(postgres(pool, { statementTimeout: 120_000 }), async (sent) => {
      const numbered = sent.sql.replace(/\?(\d+)/g, "$$$1");
      const values = sent.values.map((value) =>
        typeof value === "string" ? pg.escapeLiteral(value) : String(value)
      );
      let most = { rows: -1, plan: "" };
      await admin.query(`PREPARE list AS ${numbered}`);
      // From the sixth time on PostgreSQL may take a plan for any values.
      for (let time = 1; time <= 7; time++) {
        const { rows } = await admin.query(
          `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE list (${values.join(", ")})`,
        );
        const { rows: read, lines } = readPlan(rows[0]["QUERY PLAN"][0].Plan);
        if (read > most.rows) most = { rows: read, plan: [`time ${time}`, ...lines].join("\n") };
      }
      await admin.query("DEALLOCATE list");
      return most;
    });
  } finally {
    await server.stop();
  }
}
