import assert from "node:assert/strict";
import { copyDatabase, copyTables, createDatabaseImage } from "./sqlite.ts";
import { createStored, readStored } from "./stored.ts";

const SQL = `
CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT, shown TEXT GENERATED ALWAYS AS (upper(name)) STORED) WITHOUT ROWID;
CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT REFERENCES users (id), data BLOB, big INTEGER);
CREATE TABLE log (text TEXT);
CREATE INDEX notes_by_user ON notes (user_id);
CREATE VIEW names AS SELECT shown FROM users;
CREATE TRIGGER noted AFTER INSERT ON notes BEGIN INSERT INTO log VALUES ('note'); END;
CREATE VIRTUAL TABLE found USING fts5(text);
INSERT INTO users (id, name) VALUES ('ada', 'Ada');
INSERT INTO notes (id, user_id, data, big) VALUES (7, 'ada', x'00ff', 9007199254740993);
INSERT INTO found VALUES ('milk and bread');
`;

Deno.test("copyTables() copies schema and rows, as copyDatabase() does", () => {
  const original = createDatabaseImage([{ name: "0001.sql", sql: SQL }]).open();
  const written = createDatabaseImage([]).open();
  copyTables(original, written);
  const copy = copyDatabase(original);
  const read = (database: typeof original) => {
    const stored = createStored();
    stored.databases.set("DB", database);
    return readStored(stored, 0);
  };
  assert.deepEqual(
    read(written)["DB.log"],
    [{ text: "note" }].map((row) => Object.assign(Object.create(null), row)),
  );
  assert.deepEqual(read(written)["DB.notes"], read(original)["DB.notes"]);
  for (const database of [written, copy]) {
    assert.equal(database.prepare("SELECT shown FROM names").get()?.["shown"], "ADA");
    assert.ok(database.prepare("SELECT text FROM found WHERE found MATCH 'bread'").get());
    assert.throws(() => database.exec("INSERT INTO notes (user_id) VALUES ('eve')"), /FOREIGN KEY/);
    database.exec("INSERT INTO notes (user_id) VALUES ('ada')");
    const ids = database.prepare("SELECT id FROM notes").all().map(({ id }) => id);
    assert.deepEqual(ids, [7, 8]);
    assert.equal(database.prepare("SELECT count(*) AS count FROM log").get()?.["count"], 2);
  }
  assert.equal(original.prepare("SELECT count(*) AS count FROM notes").get()?.["count"], 1);
  for (const database of [original, written, copy]) database.close();
});
