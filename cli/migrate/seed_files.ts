import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Dialect } from "../config/define_config.ts";
import { CliError } from "../terminal/exit.ts";
import { importBundled } from "../tools/bundled_module.ts";
import type { Pool } from "./postgres_connection.ts";
import { splitPostgres } from "./postgres_statements.ts";
import type { SqlDatabase } from "./remote_database.ts";
import { type FileStatement, splitStatements } from "./statements.ts";

/** Data of an environment, in one of the two forms that a file of `seeds/` has. */
export type Seed =
  | { file: string; statements: FileStatement[] }
  | {
    file: string;
    /** Runs the default export of the file. */
    run(database: SqlDatabase, env: Record<string, unknown>): Promise<void>;
    /** Gives a file of SQLite, or a pool of PostgreSQL, the shape of a D1 binding, by the project's own packages. */
    wrap(handle: DatabaseSync | Pool): SqlDatabase;
  };

/**
 * Reads `seeds/<environment>.ts` or `.sql`.
 *
 * @param root Absolute path of the project.
 * @param environment Name of the environment.
 * @param dialect SQL of the project's database. Default: `sqlite`.
 * @throws {CliError} Exit code 1 when there is no such file, or when there are two; 2 when it cannot be compiled.
 */
export async function readSeed(
  root: string,
  environment: string,
  dialect: Dialect = "sqlite",
): Promise<Seed> {
  const found = [".ts", ".sql"].map((extension) => `seeds/${environment}${extension}`)
    .filter((file) => existsSync(join(root, file)));
  const [file] = found;
  if (file === undefined) throw missingSeed(root, environment);
  if (found.length > 1) {
    throw new CliError(`There are two files of the environment: ${found.join(" and ")}.`, {
      hint: "Remove one of them.",
    });
  }
  if (file.endsWith(".sql")) {
    const split = dialect === "postgres" ? splitPostgres : splitStatements;
    return { file, statements: split(readFileSync(join(root, file), "utf8")) };
  }
  const source = moduleOf(environment, dialect);
  const { seed, open, wrap } = await importBundled(root, source, file) as unknown as SeedModule;
  if (typeof seed !== "function") {
    throw new CliError(`${file} has no default export that is a function.`, {
      hint: "Add `export default async function seed(db) { … }`.",
    });
  }
  return {
    file,
    wrap,
    run: async (database, env) => void await seed(open(database), env),
  };
}

function missingSeed(root: string, environment: string): CliError {
  const folder = join(root, "seeds");
  const names = existsSync(folder)
    ? readdirSync(folder).flatMap((name) => /^([a-z][\w-]*)\.(?:ts|sql)$/.exec(name)?.[1] ?? [])
    : [];
  return new CliError(`There is no file seeds/${environment}.ts or seeds/${environment}.sql.`, {
    hint: `Run \`framework generate seed ${environment}\`${
      names.length === 0 ? "" : `, or choose one of: ${[...new Set(names)].sort().join(", ")}`
    }.`,
  });
}

interface SeedModule {
  seed: unknown;
  /** Opens the query builder of the project's own kysely, which the file's `sql` belongs to. */
  open(database: SqlDatabase): unknown;
  wrap(handle: DatabaseSync | Pool): SqlDatabase;
}

/** Text of a module with the file, and with what its database is opened by. */
function moduleOf(environment: string, dialect: Dialect): string {
  const isPostgres = dialect === "postgres";
  return `import seed from "../seeds/${environment}.ts";
import { createD1Dialect } from "@framework/cli/runtime";
import { Kysely${isPostgres ? ", PostgresDialect" : ""} } from "kysely";
${
    isPostgres
      ? `import { postgres } from "@framework/auth/postgres";
export const wrap = (pool) =>
  Object.assign(postgres(pool), { createDialect: () => new PostgresDialect({ pool }) });`
      : `import { sqlite } from "@framework/auth/sqlite";
export const wrap = (handle) => sqlite(handle, { wal: false });`
  }
export { seed };
export const open = (database) => new Kysely({ dialect: createD1Dialect(database) });
`;
}
