// Migrates by the engine of `prisma migrate`, in the form that npm brings: the command loads the same one as a program
// from the internet. Arguments: the database, its address, the files of the schema and of further SQL.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from "@prisma/driver-adapter-utils";
import * as glue from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";

// Numbers of types, as pg_type has them.
const CHAR = 18;
const TEXT = 25;

const [dialect, url, schemaFile, sqlFile] = process.argv.slice(2);
const code = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm")
  .replace(/\.js$/, "_bg.wasm");
const { instance } = await WebAssembly.instantiate(readFileSync(code), {
  "./schema_engine_bg.js": glue,
});
glue.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

/**
 * What the engine's program does and the adapter does not: it sends a migration as it is, where the adapter splits it
 * at each `;`, those of functions too, and it reads columns of the type "char", which PostgreSQL's catalogs have.
 */
class AsProgram extends PrismaPg {
  async connect() {
    const connection = await super.connect();
    connection.executeScript = async (script) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(script);
      await client.end();
    };
    const { performIO, queryRaw } = connection;
    const chars = new WeakMap();
    connection.performIO = async (query) => {
      const { fields, rows } = await performIO.call(connection, query);
      chars.set(query, fields.map(({ dataTypeID }) => dataTypeID === CHAR));
      const known = fields.map((field) =>
        field.dataTypeID === CHAR ? { ...field, dataTypeID: TEXT } : field
      );
      return { fields: known, rows };
    };
    connection.queryRaw = async (query) => {
      const result = await queryRaw.call(connection, query);
      const found = chars.get(query);
      const types = result.columnTypes.map((type, at) =>
        found[at] ? ColumnTypeEnum.Character : type
      );
      return { ...result, columnTypes: types };
    };
    return connection;
  }
}

const factory = dialect === "sqlite"
  ? new PrismaLibSql({ url })
  : new AsProgram({ connectionString: url });
const content = readFileSync(schemaFile, "utf8");
const engine = await glue.SchemaEngine.new(
  { datamodels: [["schema.prisma", content]] },
  () => {},
  bindMigrationAwareSqlAdapterFactory(factory),
);
const files = [{ path: "schema.prisma", content }];
const filters = { externalTables: [], externalEnums: [] };

async function diff(from) {
  const to = { tag: "schemaDatamodel", files };
  const { stdout, exitCode } = await engine.diff({
    from,
    to,
    script: true,
    exitCode: true,
    filters,
  });
  return { sql: stdout, differs: exitCode !== 0 };
}

const { sql } = await diff({ tag: "empty" });
const texts = [["1_tables", sql], ["2_auth", readFileSync(sqlFile, "utf8")]];
const migrationsList = {
  baseDir: "migrations",
  lockfile: { path: "migration_lock.toml", content: `provider = "${dialect}"\n` },
  shadowDbInitScript: "",
  migrationDirectories: texts.map(([path, value]) => ({
    path,
    migrationFile: { path: "migration.sql", content: { tag: "ok", value } },
  })),
};
const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters });
const { differs, sql: difference } = await diff({ tag: "schemaDatasource", files, configDir: "." });
const report = { appliedMigrationNames, difference: differs ? difference : null };
process.stdout.write(JSON.stringify(report), () => process.exit());
