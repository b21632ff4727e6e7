import { issueSession, readSession } from "@framework/auth";
import { postgres } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { findPostgres } from "../postgres.ts";
import { scaleAuth } from "./programs/scale.ts";
import { makeScaleDatabases } from "./scale_databases.ts";

const ORIGIN = "https://app.example";

function requestWith(cookie: string): Request {
  return new Request(ORIGIN, { headers: { cookie } });
}

Deno.test({
  name: "makeScaleDatabases() makes the same rows in SQLite and in PostgreSQL",
  // On machines without it the other tests of PostgreSQL are skipped, too.
  ignore: await findPostgres() === null,
  async fn() {
    const few = { users: 5, sessions: 10 };
    const many = { users: 8, sessions: 40 };
    await using made = await makeScaleDatabases({ few, many });
    for (const [name, size] of Object.entries({ few, many })) {
      const { visitors, ...places } = made.databases[name as "few" | "many"];
      using file = new DatabaseSync(places.sqlite);
      const pool = new pg.Pool({ connectionString: places.postgres, max: 2 });
      const both = [[sqlite(file), visitors.sqlite], [postgres(pool), visitors.postgres]] as const;
      try {
        const { rows } = await pool.query(
          "SELECT indexname FROM pg_indexes WHERE tablename = 'sessions' ORDER BY indexname",
        );
        assert.deepEqual(rows.map((row: { indexname: string }) => row.indexname), [
          "sessions_by_end",
          "sessions_by_user",
          "sessions_pkey",
          "sessions_token_hash_key",
        ]);
        for (const [database, known] of both) {
          const found = await database.prepare("SELECT count(*) AS count FROM sessions").first();
          assert.equal(Number((found as { count: number }).count), size.sessions);
          const auth = scaleAuth(database);
          assert.equal(known.length, size.users);
          for (const { userId, cookie } of known) {
            assert.equal((await readSession(auth, requestWith(cookie), {}))?.user.id, userId);
          }
          await issueSession(auth, known[0]!.userId, {});
        }
      } finally {
        await pool.end();
      }
    }
  },
});
