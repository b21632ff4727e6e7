import { checkPassword, hashPassword } from "@framework/auth";
import type { SqlDatabase, SqlStatement } from "@framework/auth/storage";
import { minimumPasswordLength } from "../_components/site.ts";

/** Problem with a new password; undefined when it is good. */
export async function passwordProblem(password: string): Promise<string | undefined> {
  const problem = await checkPassword(password, { minLength: minimumPasswordLength });
  return problem?.message;
}

/** The statement that stores a user's password: a hash, never the password. */
export async function passwordStatement(
  database: SqlDatabase,
  { userId, password }: { userId: string; password: string },
): Promise<SqlStatement> {
  return database.prepare(
    `INSERT INTO passwords (user_id, hash) VALUES (?, ?)
     ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash`,
  ).bind(userId, await hashPassword(password));
}
