import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { mariadbSchema } from "@framework/auth/mariadb";
import { postgresSchema } from "@framework/auth/storage-postgres";
import { authSchema } from "@framework/auth/storage";
import { framework, withProject } from "../../tests/support/command_line.ts";
import { authStatements, authTables, SCHEMA_DIALECTS, SCHEMA_TOOLS } from "./auth_schema.ts";

const schemas = { sqlite: authSchema, postgresql: postgresSchema, mysql: mariadbSchema };

// A step that a schema does not express and that is not printed either would be missed at run time.
Deno.test("authTables() and authStatements() have whatever the schema of @framework/auth has", () => {
  for (const dialect of SCHEMA_DIALECTS) {
    const { up, steps } = schemas[dialect];
    const texts = [up, ...steps.map((step) => step.up)];
    const all = texts.flatMap((text) => text.replaceAll(/^--.*$/gm, "").split(/;\s*\n/))
      .map((text) => text.trim()).filter((text) => text !== "" && !/^BEGIN NOT ATOMIC/.test(text));
    for (const tool of SCHEMA_TOOLS) {
      const tables = authTables(tool, dialect);
      const statements = authStatements(tool, dialect);
      for (const statement of all) {
        const named =
          /^(?:CREATE (?:TABLE|INDEX)(?: IF NOT EXISTS)?|ALTER TABLE \w+ ADD COLUMN) (\w+)/
            .exec(statement)?.[1];
        if (named !== undefined) {
          assert.ok(
            tables.includes(`"${named}"`) || statements.includes(` ${named} `) ||
              tables.includes(`  ${named} `),
            named,
          );
        } else if (!/^(?:INSERT INTO|UPDATE) auth_schema /.test(statement)) {
          const again = statement.replace("TRIGGER IF NOT EXISTS", "OR REPLACE TRIGGER");
          assert.ok(statements.includes(again), statement);
        }
      }
      assert.match(
        statements,
        new RegExp(`SELECT ${authSchema.version}, 1, .*WHERE NOT EXISTS`, "s"),
      );
      assert.match(statements, new RegExp(`SET version = ${authSchema.version}, compatible = 1 `));
    }
  }
});

Deno.test("authTables() say of MariaDB how each text is compared, or authStatements() refuse the tables", () => {
  const texts = mariadbSchema.up.match(/^ {2}`?\w+`? (?:MEDIUMTEXT|VARCHAR)/gm)!;
  const drizzle = authTables("drizzle", "mysql");
  assert.equal(drizzle.match(/: text\("/g)!.length, texts.length);
  assert.match(drizzle, /" CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"/);
  const prisma = authTables("prisma", "mysql");
  assert.equal(prisma.match(/ @db\.(?:MediumText|VarChar\(\d+\))/g)!.length, texts.length);
  const [, first] = authStatements("prisma", "mysql").split("\n");
  assert.match(first!, /COLLATION_NAME <> 'utf8mb4_nopad_bin'\) THEN SIGNAL SQLSTATE '45000'/);
  // The server cuts a message off after that.
  assert.ok(/MESSAGE_TEXT = '(.+?)'/.exec(first!)![1]!.length <= 128);
});

Deno.test("authStatements() bring the tables of an older release up to date, and run again without a change", () => {
  using database = new DatabaseSync(":memory:");
  database.exec(authSchema.up);
  // As a migrator has left them: with the columns of this release, and what it does not know of the one before.
  database.exec(
    `DROP TRIGGER user_roles_of_new; DROP TRIGGER user_roles_of_known; DROP INDEX users_by_name;
UPDATE auth_schema SET version = 4; INSERT INTO users (id, role) VALUES ('ada', 'admin')`,
  );
  const key = () => database.prepare("SELECT key FROM auth_schema").get()!["key"];
  const before = key();
  for (const _ of ["first", "again"]) {
    database.exec(authStatements("prisma", "sqlite"));
    assert.deepEqual(
      { ...database.prepare("SELECT version, compatible FROM auth_schema").get() },
      { version: authSchema.version, compatible: 1 },
    );
    assert.equal(key(), before);
    const roles = database.prepare("SELECT role FROM user_roles WHERE user_id = 'ada'").all();
    assert.deepEqual(roles.map(({ role }) => role), ["admin"]);
  }
  // A later release's is left as it is.
  database.exec("UPDATE auth_schema SET version = 99");
  database.exec(authStatements("prisma", "sqlite"));
  assert.equal(database.prepare("SELECT version FROM auth_schema").get()!["version"], 99);
});

Deno.test("generate auth --schema prints the tables, anywhere, and writes nothing", () =>
  withProject({}, async (root) => {
    const drizzle = await framework(root, "generate", "auth", "--schema", "drizzle");
    assert.equal(drizzle.code, 0, drizzle.stderr);
    assert.match(
      drizzle.stdout,
      /export const users = sqliteTable\("users", \{\n\s+id: text\("id"\)\.primaryKey\(\),/,
    );
    const prisma = await framework(
      root,
      ...["generate", "auth", "--schema", "prisma", "--dialect", "postgresql"],
    );
    assert.match(
      prisma.stdout,
      /model Session \{\n\s+id String @id\n\s+tokenHash String @unique @map\("token_hash"\)\n/,
    );
    const sql = await framework(root, "generate", "auth", "--schema", "drizzle", "--sql");
    assert.match(sql.stdout, /^--> statement-breakpoint$/m);
    assert.deepEqual([...Deno.readDirSync(root)], []);
  }));

Deno.test("generate auth refuses options that go without --schema, or not with it", () =>
  withProject({}, async (root) => {
    for (
      const [args, says] of [
        [["auth", "--sql"], /--sql cannot be used without --schema\..*\n.*drizzle or prisma/],
        [["auth", "--dialect", "sqlite"], /--dialect cannot be used without --schema/],
        [["auth", "--schema", "prisma", "--upgrade"], /--upgrade cannot be used with --schema/],
        [["auth", "--schema", "prisma", "--force"], /--force cannot be used with --schema/],
        [["auth", "--schema", "knex"], /knex/],
        [["page", "about", "--schema", "prisma"], /--schema cannot be used with page/],
      ] as const
    ) {
      const { code, stderr } = await framework(root, "generate", ...args);
      assert.equal(code, 1, stderr);
      assert.match(stderr, says);
    }
  }));
