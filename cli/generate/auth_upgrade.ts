import { readMigrations } from "../migrate/migration_files.ts";
import { starterFiles } from "../templates/starter_files.ts";
import { CliError } from "../terminal/exit.ts";
import { type AuthUpgrade, authUpgrades } from "./auth_upgrades.ts";

const VERSION =
  /(?:INSERT INTO auth_schema \(version[^)]*\)\s+VALUES \(|UPDATE auth_schema SET version = )(\d+)/g;

function versionIn(sql: string): number | null {
  const versions = [...sql.matchAll(VERSION)].map(([, version]) => Number(version));
  return versions.length === 0 ? null : Math.max(...versions);
}

/** The version of the tables that this release of the command knows. */
export function currentVersion(): number {
  return versionIn(starterFiles["migrations/0001_auth.sql"]!)!;
}

/** The version of the tables that the migrations of a folder make; null when they make none. */
export async function readSchemaVersion(migrationsDir: string): Promise<number | null> {
  const migrations = await readMigrations(migrationsDir);
  return versionIn(migrations.map(({ sql }) => sql).join("\n"));
}

/**
 * One migration for everything that happened since the version found; null when nothing did.
 *
 * @throws {CliError} Exit code 1 when there are no tables, or newer ones.
 */
export function planAuthUpgrade(
  found: number | null,
  { current = currentVersion(), upgrades = authUpgrades } = {},
): AuthUpgrade | null {
  if (found === null) {
    throw new CliError("No migration makes the tables of @framework/auth.", {
      hint: "Run `framework generate auth` first.",
    });
  }
  if (found > current) {
    throw new CliError(
      `The tables are at version ${found}, and this release knows them up to version ${current}.`,
      { hint: "Update the packages of the framework." },
    );
  }
  const steps = upgrades.filter(({ version }) => version > found && version <= current);
  if (steps.length === 0) return null;
  return {
    version: current,
    up: steps.map(({ up }) => up).join("\n"),
    down: steps.toReversed().map(({ down }) => down).join("\n"),
  };
}
