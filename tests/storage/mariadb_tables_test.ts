// The tables of MariaDB, by the real server: what they are, and the making of them.
import assert from "node:assert/strict";
import { mariadb, mariadbSchema } from "@framework/auth/mariadb";
import { StorageUnavailableError, upgradeTables } from "@framework/auth/storage";
import type { Pool } from "mysql2/promise";
import { KEYS } from "../../auth/storage/mariadb_text.ts";
import { withMigrate } from "../../auth/storage/upgrade.ts";
import { findMariadb, mariadbHint } from "../../scripts/mariadb.ts";
import { inMatrix } from "../support/matrix.ts";
import { type MariadbServer, startMariadb } from "../support/mariadb.ts";

const programs = await findMariadb();
const SLOW = { connectionTimeout: 120_000, statementTimeout: 120_000, requestTimeout: 0 };

/** The pool, whose connections count what they send, and end where it is over. */
function endingAfter(pool: Pool, count: number): Pool {
  let left = count;
  return new Proxy(pool, {
    get(target, name) {
      if (name !== "getConnection") return Reflect.get(target, name, target);
      return async () => {
        const taken = await target.getConnection();
        return new Proxy(taken, {
          get(connection, member) {
            const value: unknown = Reflect.get(connection, member, connection);
            if (typeof value !== "function") return value;
            return (...given: unknown[]) => {
              if ((member === "query" || member === "execute") && left-- <= 0) {
                connection.destroy();
                return Promise.reject(Object.assign(new Error("ended"), { code: "EPIPE" }));
              }
              return value.apply(connection, given);
            };
          },
        });
      };
    },
  });
}

async function tablesOf({ ask }: MariadbServer): Promise<string[]> {
  return (await ask("SHOW TABLES")).map((row) => String(Object.values(row)[0]));
}

/** Columns, keys and indexes of all tables, and the triggers. */
async function shapeOf({ ask }: MariadbServer): Promise<unknown> {
  return await Promise.all([
    `SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, COLLATION_NAME, IS_NULLABLE, COLUMN_DEFAULT, GENERATION_EXPRESSION
     FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'app' ORDER BY 1, 2`,
    `SELECT TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, NON_UNIQUE
     FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = 'app' ORDER BY 1, 2, 3`,
    `SELECT TABLE_NAME, REFERENCED_TABLE_NAME, DELETE_RULE
     FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = 'app' ORDER BY 1, 2, 3`,
    `SELECT TRIGGER_NAME, ACTION_STATEMENT FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = 'app' ORDER BY 1`,
  ].map((sql) => ask(sql)));
}

Deno.test({
  name: `the tables of MariaDB${programs === null ? ` [unavoidable: ${mariadbHint}]` : ""}`,
  ignore: programs === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const server = await startMariadb(programs!);
    const { pool, ask, empty } = server;
    try {
      await mariadb(pool, SLOW).migrate!();

      // Tracks: F32
      await test.step("every text of the tables is compared byte by byte, with its spaces at the end", async () => {
        const columns = await ask(
          `SELECT TABLE_NAME AS t, COLUMN_NAME AS c, COLLATION_NAME AS collation FROM information_schema.COLUMNS
           WHERE TABLE_SCHEMA = 'app' AND COLLATION_NAME IS NOT NULL`,
        );
        assert.ok(columns.length > 80);
        for (const { t, c, collation } of columns) {
          assert.equal(collation, "utf8mb4_nopad_bin", `${t}.${c}`);
        }
        // A key of the beginning alone, or of a text that is cut off, would make one of two.
        const keys = await ask(
          `SELECT TABLE_NAME AS t, COLUMN_NAME AS c, INDEX_NAME AS name, SUB_PART AS part, COLUMN_TYPE AS type
           FROM information_schema.STATISTICS JOIN information_schema.COLUMNS USING (TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME)
           WHERE TABLE_SCHEMA = 'app' AND NON_UNIQUE = 0 ORDER BY t, name, SEQ_IN_INDEX`,
        );
        assert.ok(keys.length > 30, String(keys.length));
        for (const { t, c, part, type } of keys) {
          assert.equal(part, null, `${t}.${c}`);
          assert.match(
            String(type),
            /^(?:varchar\((?:64|255|512|768)\)|bigint\(\d+\)|int\(\d+\))$/,
            `${t}.${c}`,
          );
        }
        // Removals find their rows by the primary key.
        const primary = Map.groupBy(
          keys.filter(({ name, t }) => name === "PRIMARY" && t !== "auth_schema"),
          ({ t }) => String(t),
        );
        const found = [...primary].map(([t, rows]) =>
          [t, rows.map(({ c }) => c).join(", ")] as const
        );
        const wanted = found.map(([t]) => [t, (KEYS.get(t) ?? "id").replaceAll("`", "")]);
        assert.deepEqual(found, wanted);
        assert.deepEqual([...KEYS.keys()].filter((t) => !primary.has(t)), []);
        assert.equal(primary.size, (await ask("SHOW TABLES")).length - 1);
      });

      // Tracks: F37, F38
      await test.step("processes that begin at once on an empty database find each other's tables", async () => {
        const alongside = [
          `CREATE TABLE IF NOT EXISTS notes (id INT PRIMARY KEY,
            user_id VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin REFERENCES users (id))`,
        ];
        for (let round = 0; round < (inMatrix ? 3 : 1); round++) {
          await empty();
          const databases = Array.from({ length: 6 }, () => mariadb(pool, SLOW));
          for (let again = 0; again < 2; again++) {
            const made = databases.map((database) => upgradeTables(database, { alongside }));
            for (const { to } of await Promise.all(made)) assert.equal(to, mariadbSchema.version);
            assert.deepEqual(await ask("SELECT version FROM auth_schema"), [{ version: 6 }]);
          }
        }
      });

      // Tracks: F37
      await test.step("tables whose making ends between any two statements are completed by the next call", async () => {
        await empty();
        await mariadb(pool).migrate!();
        await ask("INSERT INTO users (id, roles) VALUES ('ada', '[\"admin\"]')");
        assert.deepEqual(await ask("SELECT role FROM user_roles"), [{ role: "admin" }]);
        const whole = await shapeOf(server);
        let statements = 0;
        for (;; statements++) {
          // All of them take a minute.
          if (!inMatrix && statements % 67 !== 4) continue;
          await empty();
          const ended = withMigrate(mariadb(endingAfter(pool, statements)), 0);
          if (await ended.migrate!().then(() => true, () => false)) break;
          await mariadb(pool).migrate!();
          assert.deepEqual(await shapeOf(server), whole, `after ${statements} statements`);
        }
        assert.ok(statements > 40, `only ${statements} statements`);
      });

      await test.step("a table of the application's that has a name of the library's stays, and is named", async () => {
        await empty();
        await ask(
          "CREATE TABLE users (id INT PRIMARY KEY, name TEXT); INSERT INTO users VALUES (1, 'Ada')",
        );
        await assert.rejects(mariadb(pool).migrate!(), {
          name: "ConfigurationError",
          message: /has a table "users" that is not the library's/,
        });
        assert.deepEqual(await tablesOf(server), ["users"]);
      });

      await test.step("who waits in vain for the tables names the holder", async () => {
        await empty();
        const holder = await server.connect();
        await holder.query(
          "SELECT GET_LOCK(SHA2(CONCAT(DATABASE(), ' ', 'framework.auth tables'), 256), 0)",
        );
        const database = withMigrate(mariadb(pool), 100);
        await assert.rejects(database.migrate!(), (error) => {
          assert.ok(error instanceof StorageUnavailableError, String(error));
          assert.match(
            error.message,
            new RegExp(`connection ${holder.threadId} of MariaDB \\(root, .* has in hand`),
          );
          return true;
        });
        await holder.end();
        assert.deepEqual(await database.migrate!(), { from: null, to: mariadbSchema.version });
      });

      await test.step("mariadbSchema makes its tables by one text, and removes them again", async () => {
        await empty();
        await ask(mariadbSchema.up);
        assert.deepEqual(await ask("SELECT version FROM auth_schema"), [{ version: 6 }]);
        assert.deepEqual(await mariadb(pool).migrate!(), { from: 6, to: 6 });
        await ask(mariadbSchema.down);
        assert.deepEqual(await ask("SHOW TABLES"), []);
      });
    } finally {
      await server.stop();
    }
  },
});
