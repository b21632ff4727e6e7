import { type Auth, issueSession } from "@framework/auth";
import type { SqlDatabase } from "@framework/auth/storage";

/** Numbers of rows of a database. */
export interface Size {
  users: number;
  sessions: number;
}

/** Way in which a database makes many rows by itself. */
export interface RowMaker {
  /** A table of the numbers from 1 to `count`, in a column `i`. */
  series(count: number): string;
  /** An expression for 43 characters that nobody knows before, as many as a hash has. */
  random: string;
}

/** SQLite's way. */
export const SQLITE_ROWS: RowMaker = {
  series: (count) =>
    `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n)`,
  random: "substr(hex(randomblob(22)), 1, 43)",
};

/** PostgreSQL's way. */
export const POSTGRES_ROWS: RowMaker = {
  series: (count) => `generate_series(1, ${count}) AS i`,
  random: "substr(md5(random()::text) || md5(random()::text), 1, 43)",
};

const DAY = 86_400_000;
const COLUMNS = "id, token_hash, user_id, created_at, authenticated_at, refreshed_at, expires_at";

/** Statements that make so many users and sessions, as many of each user. */
export function fillStatements({ users, sessions }: Size, { series, random }: RowMaker): string[] {
  // As if they had been made one millisecond after the other.
  const made = `${Date.now()} - i`;
  return [
    `INSERT INTO users (id, name, email, email_identity, created_at, updated_at)
      SELECT 'u' || i, 'User ' || i, 'u' || i || '@example.com', 'u' || i || '@example.com', ${made}, ${made}
      FROM ${series(users)}`,
    `INSERT INTO sessions (${COLUMNS})
      SELECT ${random}, ${random}, 'u' || (i % ${users} + 1), ${made}, ${made}, ${made}, ${made} + ${
      30 * DAY
    } FROM ${series(sessions)}`,
  ];
}

/** The statement that adds so many sessions which have ended, of users up to the given number. */
export function endedStatement(
  count: number,
  { users }: Pick<Size, "users">,
  { series, random }: RowMaker,
): string {
  return `INSERT INTO sessions (${COLUMNS})
    SELECT ${random}, ${random}, 'u' || (i % ${users} + 1), i, i, i, i FROM ${series(count)}`;
}

/** Somebody who is signed in by one of the many sessions. */
export interface Visitor {
  userId: string;
  /** The cookie of the session. */
  cookie: string;
}

/**
 * Gives sessions that lie everywhere between the others tokens that are known.
 *
 * @param count How many; at most as many as there are users.
 */
export async function knownVisitors(
  auth: Auth<unknown>,
  database: SqlDatabase,
  { users, count }: { users: number; count: number },
): Promise<Visitor[]> {
  const find = database.prepare(
    "SELECT id, token_hash FROM sessions WHERE user_id = ?1 ORDER BY created_at",
  );
  const remove = database.prepare("DELETE FROM sessions WHERE id = ?1");
  const move = database.prepare("UPDATE sessions SET token_hash = ?2 WHERE id = ?1");
  const visitors: Visitor[] = [];
  for (let index = 0; index < count; index++) {
    const userId = `u${Math.floor(index * users / count) + 1}`;
    const { cookies } = await issueSession(auth, userId, {});
    const { results } = await find.bind(userId).all<{ id: string; "token_hash": string }>();
    const made = results.pop()!;
    await remove.bind(made.id).run();
    await move.bind(results[0]!.id, made.token_hash).run();
    visitors.push({ userId, cookie: cookies[0]!.split(";")[0]! });
  }
  return visitors;
}
