import { PGlite } from "@electric-sql/pglite";
import { postgres, postgresSchema, upgradeTables } from "@framework/auth/postgres";
import assert from "node:assert/strict";
import { postgresTables, runCases } from "./cases.ts";

const pglite = new PGlite();
const slow = { statementTimeout: 0, requestTimeout: 0 };
const flags = postgres(pglite, slow);
const made = await Promise.all([upgradeTables(flags), upgradeTables(postgres(pglite, slow))]);
for (const { to } of made) assert.equal(to, postgresSchema.version);
assert.deepEqual(await upgradeTables(flags), { from: made[0]!.to, to: made[0]!.to });

// What the driver itself refuses in a transaction leaves none open, behind which all others would wait.
await pglite.exec("CREATE TABLE flags (name TEXT, isOn BOOLEAN)");
const insert = flags.prepare("INSERT INTO flags VALUES (?1, ?2)");
await assert.rejects(flags.batch([insert.bind("a", null), insert.bind("b", 5)]), /boolean/);
assert.deepEqual((await flags.prepare("SELECT name FROM flags").all()).results, []);
// An application's own transaction comes between, not into the library's.
await Promise.all([
  flags.batch([insert.bind("c", null), insert.bind("d", null)]),
  pglite.transaction((own) => own.query("INSERT INTO flags VALUES ('e', true)")),
]);
const { rows } = await pglite.query<{ name: string }>("SELECT name FROM flags");
assert.deepEqual(rows.map(({ name }) => name).sort(), ["c", "d", "e"]);

const make = postgresTables((sql) => pglite.exec(sql));
await runCases({
  bare: { found: pglite.constructor.name, call: "postgres" },
  schema: postgresSchema,
  async open(tables) {
    await make(tables);
    return { handle: pglite, database: postgres(pglite, slow), close() {} };
  },
});
await pglite.close();
