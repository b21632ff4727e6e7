import { basename } from "node:path";
import type { ProjectConfig } from "../config/load.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";

/**
 * Refuses a project whose database is PostgreSQL where only SQLite works.
 *
 * @param config The project.
 * @param what What does not work, as the beginning of a sentence.
 * @param hint What to do in its place.
 * @throws {CliError} Exit code 2.
 */
export function demandSqlite({ dialect, file }: ProjectConfig, what: string, hint: string): void {
  if (dialect === "sqlite") return;
  throw new CliError(
    `${what}, and ${basename(file ?? "framework.config.ts")} chooses PostgreSQL.`,
    { exitCode: ExitCode.config, hint },
  );
}
