import { execFile } from "node:child_process";
import { Buffer } from "node:buffer";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { findEsbuildBinary } from "../tools/packages.ts";
import type { SqlDatabase } from "./remote_database.ts";
import { type FileStatement, splitStatements } from "./statements.ts";

/** Data of an environment, in one of the two forms that a file of `seeds/` has. */
export type Seed =
  | { file: string; statements: FileStatement[] }
  | {
    file: string;
    /** Runs the default export of the file. */
    run(database: SqlDatabase, env: Record<string, unknown>): Promise<void>;
    /** Gives a file of SQLite the shape of a D1 binding, by the project's own packages. */
    wrap(handle: DatabaseSync): SqlDatabase;
  };

/**
 * Reads `seeds/<environment>.ts` or `.sql`.
 *
 * @param root Absolute path of the project.
 * @param environment Name of the environment.
 * @throws {CliError} Exit code 1 when there is no such file, or when there are two; 2 when it cannot be compiled.
 */
export async function readSeed(root: string, environment: string): Promise<Seed> {
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
    return { file, statements: splitStatements(readFileSync(join(root, file), "utf8")) };
  }
  const { seed, open, wrap } = await importSeed(root, environment);
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
  wrap(handle: DatabaseSync): SqlDatabase;
}

async function importSeed(root: string, environment: string): Promise<SeedModule> {
  const folder = join(root, ".framework");
  const entry = join(folder, `seed_${process.pid}.ts`);
  await mkdir(folder, { recursive: true });
  await writeFile(
    entry,
    `import seed from "../seeds/${environment}.ts";
import { sqlite } from "@framework/auth/sqlite";
import { createD1Dialect } from "@framework/cli/runtime";
import { Kysely } from "kysely";
export { seed };
export const wrap = (handle) => sqlite(handle, { wal: false });
export const open = (database) => new Kysely({ dialect: createD1Dialect(database) });
`,
  );
  try {
    const code = await bundle(entry, root, `seeds/${environment}.ts`);
    return await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
  } finally {
    await rm(entry, { force: true });
  }
}

function bundle(entry: string, root: string, file: string): Promise<string> {
  const args = [
    entry,
    "--bundle",
    "--format=esm",
    "--platform=node",
    "--target=node22.13",
    "--charset=utf8",
    "--log-level=error",
    "--color=false",
    `--define:import.meta.url=${JSON.stringify(pathToFileURL(join(root, file)).href)}`,
  ];
  return new Promise((resolve, reject) => {
    const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
    execFile(findEsbuildBinary(root), args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const reason = stderr.replace(/\n\n {2}You can mark the path[^]*?(?=\n\n|$)/g, "").trim();
      reject(
        new CliError(`${file} could not be read.\n${reason || error.message}`, {
          exitCode: ExitCode.config,
          hint: "Correct the position that is shown.",
          cause: error,
        }),
      );
    });
  });
}
