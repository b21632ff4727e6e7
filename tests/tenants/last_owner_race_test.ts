// Two owners who give the role up at once, each over a connection of their own.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SqlDatabase } from "@framework/auth";
import pg from "pg";
import { postgres, postgresSchema } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema } from "@framework/auth/storage";
import { createSqlTenantMembers } from "@framework/auth/tenant";
import { findPostgres } from "../../scripts/postgres.ts";
import { inMatrix } from "../support/matrix.ts";
import { startPostgres } from "../support/postgres.ts";

const bin = await findPostgres();
const people = ["ada", "bob"];
const addPeople =
  "INSERT INTO users (id, created_at, updated_at) VALUES ('ada', 0, 0), ('bob', 0, 0)";

async function checkRace(databases: SqlDatabase[]): Promise<void> {
  const stores = databases.map((database) => createSqlTenantMembers(database));
  for (let round = 0; round < 100; round++) {
    const tenantId = `t${round}`;
    for (const userId of people) {
      await stores[0]!.add({ tenantId, userId, roles: ["owner"], createdAt: new Date(0) });
    }
    const done = await Promise.all(
      people.map((userId, index) =>
        stores[index]!.giveUp!(tenantId, userId, {
          role: "owner",
          roles: (round + index) % 2 === 0 ? null : ["editor"],
        })
      ),
    );
    assert.equal(done.filter((one) => one).length, 1, `round ${round}`);
    const { members } = await stores[0]!.listOfTenant(tenantId);
    assert.equal(members.filter(({ roles }) => roles.includes("owner")).length, 1);
  }
}

// Tracks: R182, F02
Deno.test("of two owners over two connections of SQLite one stays, 100 times", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-owners-" });
  const files = people.map(() => new DatabaseSync(join(folder, "app.db")));
  try {
    files[0]!.exec(`${authSchema.up}${addPeople}`);
    await checkRace(files.map((file) => sqlite(file)));
  } finally {
    for (const file of files) file.close();
    await Deno.remove(folder, { recursive: true });
  }
});

// postgres_test.ts has three at once over one pool.
if (inMatrix) {
  // Tracks: R182, F02
  Deno.test({
    name: "of two owners over two pools of PostgreSQL one stays, 100 times",
    ignore: bin === null,
    async fn() {
      const server = await startPostgres(bin!);
      const other = new pg.Pool(server.pool.options);
      try {
        await server.pool.query(`${postgresSchema.up};${addPeople}`);
        await checkRace([postgres(server.pool), postgres(other)]);
      } finally {
        await other.end();
        await server.stop();
      }
    },
  });
}
