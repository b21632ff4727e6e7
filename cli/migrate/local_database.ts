import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../platform/wrangler_file.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";

const UNIQUE_KEY = "miniflare-D1DatabaseObject";
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Returns the file in which miniflare and wrangler store a local D1 database. The name is an
 * internal detail of miniflare 4 (`durableObjectNamespaceIdFromName`); a test compares it with the
 * real one.
 *
 * @param platform The platform's file.
 * @param binding Binding of the database.
 * @param root Absolute path of the project.
 * @throws {CliError} Exit code 2 when the platform's file declares no such database.
 *
 * @example
 * ```ts
 * import { localDatabasePath } from "@framework/cli/project";
 * import { match } from "node:assert/strict";
 *
 * const database = {
 *   binding: "DB",
 *   databaseName: "app",
 *   databaseId: undefined,
 *   previewDatabaseId: undefined,
 *   migrationsDir: undefined,
 *   migrationsTable: "d1_migrations",
 * };
 * const platform = { file: "/project/wrangler.jsonc", d1Databases: [database] };
 * const path = localDatabasePath(platform, "DB", "/project");
 * match(path, /\.wrangler.state.v3.d1.miniflare-D1DatabaseObject.[0-9a-f]{64}\.sqlite$/);
 * ```
 */
export function localDatabasePath(
  platform: Pick<Platform, "d1Databases" | "file">,
  binding: string,
  root: string,
): string {
  const id = localDatabaseId(platform, binding);
  const key = createHash("sha256").update(UNIQUE_KEY).digest();
  const name = createHmac("sha256", key).update(id).digest().subarray(0, 16);
  const check = createHmac("sha256", key).update(name).digest().subarray(0, 16);
  const file = `${name.toString("hex")}${check.toString("hex")}.sqlite`;
  return join(root, ".wrangler", "state", "v3", "d1", UNIQUE_KEY, file);
}

/**
 * Returns the id under which miniflare and wrangler store a local D1 database.
 *
 * @param platform The platform's file.
 * @param binding Binding of the database.
 * @throws {CliError} Exit code 2 when the platform's file declares no such database.
 */
export function localDatabaseId(
  platform: Pick<Platform, "d1Databases" | "file">,
  binding: string,
): string {
  const entry = findDatabase(platform, binding);
  return entry.previewDatabaseId ?? entry.databaseId ?? entry.binding;
}

/**
 * Finds the entry of a database in the platform file.
 *
 * @param platform The platform's file.
 * @param binding Binding of the database.
 * @throws {CliError} Exit code 2 when there is none.
 */
export function findDatabase(
  platform: Pick<Platform, "d1Databases" | "file">,
  binding: string,
): Platform["d1Databases"][number] {
  const entry = platform.d1Databases.find((database) => database.binding === binding);
  if (entry !== undefined) return entry;
  const others = platform.d1Databases.map((database) => database.binding);
  throw new CliError(
    `${basename(platform.file)} declares no D1 database with the binding ${binding}` +
      (others.length === 0 ? "." : ` (found: ${others.join(", ")}).`),
    {
      exitCode: ExitCode.config,
      hint: others.length === 0
        ? "Run framework doctor --fix, which adds it where there are migrations, or add " +
          `"d1_databases": [{ "binding": "${binding}", "database_name": "app" }] yourself.`
        : "Set `database` in framework.config.ts to the right binding.",
    },
  );
}

/**
 * Opens a local database, for writing; makes the file when it does not exist.
 *
 * The journal mode stays as it is: workerd sets its own when it opens the file.
 *
 * @param path Absolute path.
 * @throws {CliError} Exit code 1 when the file cannot be opened.
 */
export async function openLocalDatabase(path: string): Promise<DatabaseSync> {
  await mkdir(dirname(path), { recursive: true });
  return await open(path, false);
}

/**
 * Opens a local database for reading.
 *
 * @param path Absolute path.
 * @returns Undefined when the file does not exist.
 * @throws {CliError} Exit code 1 when the file cannot be opened.
 */
export async function readLocalDatabase(path: string): Promise<DatabaseSync | undefined> {
  return existsSync(path) ? await open(path, true) : undefined;
}

/** Opens an empty database in memory. */
export async function openMemoryDatabase(): Promise<DatabaseSync> {
  return await open(":memory:", false);
}

async function open(path: string, readOnly: boolean): Promise<DatabaseSync> {
  const { DatabaseSync } = await importSqlite();
  try {
    const database = new DatabaseSync(path, { readOnly });
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    throw new CliError(`The local database ${path} could not be opened: ${reason(error)}.`, {
      hint: "Check that the folder is writable and the disk is not full.",
      cause: error,
    });
  }
}

/** Imports `node:sqlite` without Node's warning that it is experimental, which users cannot act on. */
async function importSqlite(): Promise<typeof import("node:sqlite")> {
  const emitWarning = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!String(rest[0]).includes("ExperimentalWarning")) emitWarning(warning, ...rest);
  }) as typeof process.emitWarning;
  try {
    return await import("node:sqlite");
  } catch (error) {
    throw new CliError(
      `Node 22.13 or newer, or Deno, is required for its SQLite: ${reason(error)}.`,
      {
        exitCode: ExitCode.config,
        hint: "Install Node 22.13 or newer (https://nodejs.org).",
        cause: error,
      },
    );
  } finally {
    process.emitWarning = emitWarning;
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
