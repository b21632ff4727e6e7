import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { checksumOf, createLedger, readLedger, recordChecksum, recordMigration } from "./ledger.ts";

function withDatabase(test: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(":memory:");
  try {
    test(database);
  } finally {
    database.close();
  }
}

Deno.test("readLedger() of an untouched database is empty and makes no table", () =>
  withDatabase((database) => {
    assert.deepEqual(readLedger(database, "d1_migrations"), []);
    assert.deepEqual(database.prepare("SELECT name FROM sqlite_master").all(), []);
  }));

Deno.test("createLedger() makes wrangler's table word for word", async () => {
  const wrangler = new URL(
    "../../node_modules/wrangler/wrangler-dist/cli.js",
    import.meta.url,
  );
  const source = await readFile(wrangler, "utf8");
  const statement = /return `(CREATE TABLE IF NOT EXISTS \$\{escapedTableName\}\([^`]*;)`/.exec(
    source,
  );
  const sql = statement?.[1]?.replace("${escapedTableName}", '"d1_migrations"');
  assert.ok(sql, "wrangler's statement is where it was");
  withDatabase((ours) => {
    withDatabase((theirs) => {
      createLedger(ours, "d1_migrations");
      theirs.exec(sql);
      const query = "SELECT sql FROM sqlite_master WHERE name = 'd1_migrations'";
      assert.deepEqual(ours.prepare(query).get(), theirs.prepare(query).get());
    });
  });
});

Deno.test("recordMigration() is read back with its checksum, in order of application", () =>
  withDatabase((database) => {
    createLedger(database, "d1_migrations");
    recordMigration(database, "d1_migrations", { name: "2.sql", sql: "B" });
    recordMigration(database, "d1_migrations", { name: "1 it's.sql", sql: "A" });
    const ledger = readLedger(database, "d1_migrations");
    assert.deepEqual(ledger.map(({ name }) => name), ["2.sql", "1 it's.sql"]);
    assert.equal(ledger[1]?.checksum, checksumOf("A"));
    assert.match(ledger[0]?.appliedAt ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  }));

Deno.test("recordChecksum() adopts what wrangler applied", () =>
  withDatabase((database) => {
    createLedger(database, "d1_migrations");
    database.exec("INSERT INTO d1_migrations (name) VALUES ('1.sql')");
    assert.equal(readLedger(database, "d1_migrations")[0]?.checksum, undefined);
    recordChecksum(database, { name: "1.sql", sql: "A" });
    assert.equal(readLedger(database, "d1_migrations")[0]?.checksum, checksumOf("A"));
  }));

Deno.test("createLedger() quotes the name of the table", () =>
  withDatabase((database) => {
    createLedger(database, 'odd"name; DROP TABLE x');
    recordMigration(database, 'odd"name; DROP TABLE x', { name: "1.sql", sql: "A" });
    assert.equal(readLedger(database, 'odd"name; DROP TABLE x').length, 1);
  }));

Deno.test("checksumOf() does not depend on line ends", () => {
  assert.equal(checksumOf("a\r\nb"), checksumOf("a\nb"));
  assert.notEqual(checksumOf("a\nb"), checksumOf("a b"));
});
