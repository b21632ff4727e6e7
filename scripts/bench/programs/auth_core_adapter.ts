/** One row by a statement that is prepared once; the values in the order of `?1`, `?2`. */
export type Prepare = (
  sql: string,
) => (...values: (string | number)[]) => Promise<Record<string, unknown> | undefined>;

/** The tables of {@linkcode createAuthCoreAdapter}. */
export const AUTH_CORE_TABLES: readonly string[] = [
  `CREATE TABLE authjs_users (id TEXT PRIMARY KEY, name TEXT, email TEXT UNIQUE, image TEXT,
    email_verified INTEGER)`,
  `CREATE TABLE authjs_sessions (token TEXT PRIMARY KEY, user_id TEXT NOT NULL, expires INTEGER NOT NULL)`,
];

// What Auth.js asks an adapter for, and a signed-in request does not need.
const UNUSED = [
  "createUser",
  "getUser",
  "getUserByEmail",
  "getUserByAccount",
  "updateUser",
  "linkAccount",
  "createSession",
  "deleteSession",
];

function refuse(): Promise<never> {
  return Promise.reject(new Error("Only sessions are read here"));
}

/** An adapter for Auth.js as one writes it by hand: prepared statements, and one join for a session. */
export function createAuthCoreAdapter(prepare: Prepare): Record<string, unknown> {
  const find = prepare(`SELECT s.token, s.expires, u.id, u.name, u.email, u.image, u.email_verified
    FROM authjs_sessions s JOIN authjs_users u ON u.id = s.user_id WHERE s.token = ?1`);
  const renew = prepare("UPDATE authjs_sessions SET expires = ?2 WHERE token = ?1 RETURNING token");
  return {
    ...Object.fromEntries(UNUSED.map((name) => [name, refuse])),
    async getSessionAndUser(token: string) {
      const row = await find(token);
      if (row === undefined) return null;
      const { id, name, email, image } = row;
      const verified = row.email_verified === null ? null : new Date(Number(row.email_verified));
      return {
        session: { sessionToken: token, userId: id, expires: new Date(Number(row.expires)) },
        user: { id, name, email, image, emailVerified: verified },
      };
    },
    async updateSession({ sessionToken, expires }: { sessionToken: string; expires?: Date }) {
      if (expires !== undefined) await renew(sessionToken, expires.getTime());
      return null;
    },
  };
}
