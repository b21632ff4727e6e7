import assert from "node:assert/strict";
import { StorageUnavailableError } from "../errors.ts";
import { mariadb, type MariadbPool } from "./mariadb.ts";
import { postgres } from "./postgres.ts";
import type { PostgresPool } from "./postgres_pool.ts";
import { createSqlStorage } from "./sql.ts";
import type { SqlDatabase } from "./sql_database.ts";

/** Errors of a server that lets nobody in, as the drivers throw them. */
const REFUSALS: readonly [name: string, error: object, open: (error: Error) => SqlDatabase][] = [
  ["PostgreSQL", { code: "28P01" }, ofPostgres],
  ["PostgreSQL", { code: "28000" }, ofPostgres],
  ["MariaDB", { code: "ER_ACCESS_DENIED_ERROR", errno: 1045, sqlState: "28000" }, ofMariadb],
  ["MariaDB", { code: "ER_DBACCESS_DENIED_ERROR", errno: 1044, sqlState: "42000" }, ofMariadb],
];

function ofPostgres(error: Error): SqlDatabase {
  const pool: PostgresPool = { connect: () => Promise.reject(error) };
  return postgres(pool);
}

function ofMariadb(error: Error): SqlDatabase {
  const pool = { getConnection: () => Promise.reject(error), execute() {}, on() {} };
  return mariadb(pool as unknown as MariadbPool);
}

Deno.test("a server that refuses the login is told as that, and not as one that does not answer", async () => {
  for (const [name, fields, open] of REFUSALS) {
    const cause = Object.assign(new Error("Access denied"), fields);
    const database = open(cause);
    const asked = [
      () => createSqlStorage(database).getUser("ada"),
      () => database.migrate!(),
      () => database.prepare("SELECT 1").first(),
    ];
    for (const ask of asked) {
      await assert.rejects(ask, (error) => {
        assert.ok(error instanceof StorageUnavailableError, String(error));
        assert.match(error.message, new RegExp(`^${name} refused the login: check the user`));
        assert.equal(error.cause, cause);
        return true;
      });
    }
  }
});
