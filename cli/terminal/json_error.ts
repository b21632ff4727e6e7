import { CliError, ExitCode } from "./exit.ts";

/**
 * A failure as JSON: `{"error":{"code","message","hint"}}`, for commands that were asked for JSON.
 *
 * @param error What was thrown.
 * @returns Text whose `code` is the name of the exit code: `failure`, `config`, `build` or `deploy`.
 */
export function renderJsonError(error: unknown): string {
  const exitCode = error instanceof CliError ? error.exitCode : ExitCode.failure;
  const code = Object.entries(ExitCode).find(([, value]) => value === exitCode)?.[0] ?? "failure";
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof CliError ? error.hint : undefined;
  return JSON.stringify({ error: { code, message, ...(hint === undefined ? {} : { hint }) } });
}
