import assert from "node:assert/strict";
import { cureOf, mariadbDialect } from "./mariadb_dialect.ts";
import type { SqlDatabase } from "./sql_database.ts";
import { createSqlExecutor } from "./sql_executor.ts";

const { failureOf } = mariadbDialect;

/** An error as mysql2 throws it. */
function serverError(errno: number, message: string = "refused", sql: string = ""): Error {
  return Object.assign(new Error(message), { errno, sql, code: "ER_SOMETHING", sqlState: "HY000" });
}

const FOR = "SET STATEMENT sql_mode = 'x' FOR ";

Deno.test("mariadbDialect tells by key and table what is taken, and whose owner is gone", () => {
  const duplicate = (key: string, sql: string) =>
    failureOf(serverError(1062, `Duplicate entry 'ada' for key '${key}'`, FOR + sql));
  assert.equal(duplicate("PRIMARY", "INSERT INTO users (id) …"), "user-taken");
  assert.equal(duplicate("email_identity", "UPDATE users SET …"), "user-taken");
  assert.equal(duplicate("PRIMARY", "INSERT INTO passkeys (id) …"), "account-taken");
  // A value is anybody's, and may read like another error.
  const named = serverError(
    1062,
    "Duplicate entry 'Trigger 'a' has an error in its body: 'b' for key 'PRIMARY'",
    `${FOR}INSERT INTO users (id) …`,
  );
  assert.equal(failureOf(named), "user-taken");
  assert.equal(cureOf(named), null);
  const noUser = (message: string, table: string) =>
    failureOf(
      serverError(
        message.startsWith("Col") ? 1048 : 1364,
        message,
        `${FOR}INSERT INTO ${table} (id)`,
      ),
    );
  for (const table of ["accounts", "passkeys"]) {
    assert.equal(noUser("Column 'user_id' cannot be null", table), "account-taken");
    assert.equal(noUser("Field 'user_id' doesn't have a default value", table), "account-taken");
  }
  for (
    const table of [
      "sessions",
      "accounts",
      "passkeys",
      "verifications",
      "account_activity",
      "audit_people",
    ]
  ) {
    const message =
      `Cannot add or update a child row: a foreign key constraint fails (\`app\`.\`${table}\`, ` +
      "CONSTRAINT `x_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE)";
    assert.equal(failureOf(serverError(1452, message)), "owner-gone");
  }
});

Deno.test("mariadbDialect leaves the constraints of the application to the application", () => {
  for (
    const error of [
      serverError(1062, "Duplicate entry 'a' for key 'PRIMARY'", "INSERT INTO invites VALUES (?)"),
      serverError(1062, "Duplicate entry 'a' for key 'slug'", "UPDATE users SET slug = ?"),
      serverError(
        1048,
        "Column 'user_id' cannot be null",
        "INSERT INTO posts (user_id) VALUES (?)",
      ),
      serverError(1048, "Column 'name' cannot be null", "INSERT INTO accounts (name) VALUES (?)"),
      serverError(
        1452,
        "a foreign key constraint fails (`app`.`posts`, CONSTRAINT `a` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`))",
      ),
      serverError(
        1452,
        "a foreign key constraint fails (`app`.`sessions`, CONSTRAINT `a` FOREIGN KEY (`tenant_id`) REFERENCES `tenants` (`id`))",
      ),
      serverError(1451, "Cannot delete or update a parent row"),
      serverError(4025, "CONSTRAINT `positive` failed for `app`.`posts`"),
    ]
  ) assert.equal(failureOf(error), "constraint", error.message);
});

// Tracks: F10, F11
Deno.test("mariadbDialect tells what may have been done, what was not, and what fails again", () => {
  const other = (fields: object, message = "failed") =>
    failureOf(Object.assign(new Error(message), fields));
  for (const errno of [1213, 1205, 1020, 1710, 1290, 1836]) {
    assert.equal(failureOf(serverError(errno)), "undone", String(errno));
  }
  for (const errno of [1053, 1317, 1927]) assert.equal(failureOf(serverError(errno)), "lost");
  for (const code of ["PROTOCOL_CONNECTION_LOST", "ECONNRESET", "EPIPE", "ETIMEDOUT"]) {
    assert.equal(other({ code }), "lost", code);
  }
  assert.equal(other({}, "Can't add new command when connection is in closed state"), "lost");
  for (const errno of [1040, 1203, 1969, 1114, 1021, 1045]) {
    assert.equal(failureOf(serverError(errno)), "unavailable", String(errno));
  }
  for (const code of ["ECONNREFUSED", "ENOENT", "NO_CONNECTION"]) {
    assert.equal(other({ code }), "unavailable", code);
  }
  assert.equal(other({}, "Pool is closed."), "unavailable");
  // Only triggers name the table: the statement was prepared while MariaDB had not read them.
  const noRoles = (sql: string) =>
    serverError(1146, "Table 'app.user_roles' doesn't exist", FOR + sql);
  assert.equal(failureOf(noRoles("UPDATE users SET …")), "undone");
  assert.equal(failureOf(noRoles("SELECT * FROM user_roles")), "tables-missing");
  for (const errno of [1146, 1054]) assert.equal(failureOf(serverError(errno)), "tables-missing");
  for (const error of [serverError(1064), serverError(1406), new Error("x"), "x", null]) {
    assert.equal(failureOf(error), null);
  }
});

Deno.test("the library tries a transaction that MariaDB undid six times, and one whose answer is lost three times", async () => {
  const triesOf = async (errno: number) => {
    let tries = 0;
    const database: SqlDatabase = {
      dialect: mariadbDialect,
      prepare: () => assert.fail("there is no statement"),
      batch: () => (tries++, Promise.reject(serverError(errno))),
    };
    const { repeat, batch } = createSqlExecutor(database);
    await assert.rejects(repeat("try", () => batch([])), { code: "STORAGE_UNAVAILABLE" });
    return tries;
  };
  assert.deepEqual(await Promise.all([triesOf(1213), triesOf(1927)]), [6, 3]);
});
