import type { SqlDatabase, SqlValue } from "../storage/sql_database.ts";
import statements from "./statements_version_1.json" with { type: "json" };

/**
 * Does what a server of the first release does with a user of its own, from sign-up to sign-out, in the statements
 * of that release.
 *
 * @param id Id of the user.
 */
export async function liveAsVersion1(database: SqlDatabase, id: string): Promise<void> {
  await database.batch((statements as [string, SqlValue[]][]).map(([sql, values]) => {
    const own = values.map((value) =>
      typeof value === "string" ? value.replace(/RUN|run(?=@)/g, id) : value
    );
    return database.prepare(sql).bind(...own);
  }));
}
