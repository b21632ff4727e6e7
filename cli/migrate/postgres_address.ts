import { CliError, ExitCode } from "../terminal/exit.ts";
import type { Place } from "./plan.ts";

/** Address of a database, and what of it may be shown. */
export interface PostgresAddress {
  /** With the password. */
  url: string;
  /** Name of the database. */
  databaseName: string;
  /** `local` for one on this machine. */
  place: Place;
}

const HINT =
  "Set it, or write it to .dev.vars: DATABASE_URL=postgres://user:password@localhost:5432/app";

/**
 * Reads the address of a project's database.
 *
 * @param variables Those of the process, and of `.dev.vars`.
 * @throws {CliError} Exit code 2 when it is missing or no address. The value is not shown: a password is in it.
 *
 * @example
 * ```ts
 * import { readDatabaseUrl } from "@framework/cli/project";
 * import { deepEqual } from "node:assert/strict";
 *
 * const { databaseName, place } = readDatabaseUrl({ DATABASE_URL: "postgres://localhost/app" });
 * deepEqual([databaseName, place], ["app", "local"]);
 * ```
 */
export function readDatabaseUrl(
  variables: Readonly<Record<string, string | undefined>>,
): PostgresAddress {
  const { DATABASE_URL: url = "" } = variables;
  if (url === "") {
    throw new CliError("DATABASE_URL is not set, the address of the PostgreSQL database.", {
      exitCode: ExitCode.config,
      hint: HINT,
    });
  }
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new CliError("DATABASE_URL is no address of a PostgreSQL database.", {
      exitCode: ExitCode.config,
      hint: HINT,
    });
  }
  const { hostname, pathname, searchParams } = new URL(url);
  const host = searchParams.get("host") ?? hostname;
  const isLocal = /^(?:|localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|(?:\/|%2f).*)$/i.test(host);
  return {
    url,
    databaseName: decodeURIComponent(pathname.slice(1)),
    place: isLocal ? "local" : "remote",
  };
}
