import assert from "node:assert/strict";
import { ENDING, STAYING } from "./first_proof.ts";
import { postgresSchema } from "./schema.ts";
import { authSchema } from "./schema.ts";

/** The tables of a schema in which a user's id stands: by name, or as what refers to a user. */
function tablesOfUsers(schema: string): string[] {
  const tables = schema.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+) \(([\s\S]*?)\n\);/g);
  return [...tables].flatMap(([, name, columns]) =>
    /\buser_id\b|REFERENCES users\b/.test(columns!) ? [name!] : []
  );
}

// Tracks: R162, A-01
Deno.test("every table with a user's id says what becomes of it when the mailbox is proved first", () => {
  for (const { up } of [authSchema, postgresSchema]) {
    const tables = tablesOfUsers(up);
    assert.ok(tables.length >= 7, String(tables));
    assert.deepEqual(tables.toSorted(), [...ENDING, ...Object.keys(STAYING)].toSorted());
  }
  for (const reason of Object.values(STAYING)) assert.match(reason, /^stays, because \w+ \w+/);
  // The secret that is the proof must be there until the other statements have run.
  assert.equal(ENDING.at(-1), "verifications");
});

// Tracks: R162, A-01
Deno.test("a table of tomorrow that says nothing is found", () => {
  const tomorrow = `${authSchema.up}
CREATE TABLE badges (
  id TEXT PRIMARY KEY NOT NULL,
  owner TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE factors (
  user_id TEXT NOT NULL,
  secret TEXT NOT NULL
);
CREATE TABLE colours (
  id TEXT NOT NULL
);`;
  const known = new Set<string>([...ENDING, ...Object.keys(STAYING)]);
  const unsaid = tablesOfUsers(tomorrow).filter((table) => !known.has(table));
  assert.deepEqual(unsaid, ["badges", "factors"]);
});
