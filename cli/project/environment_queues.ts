import { basename } from "node:path";
import { CliError, ExitCode } from "../terminal/exit.ts";
import type { Platform } from "./platform.ts";

/**
 * Finds the files of the queues that only an environment of the platform's file names: `mails-staging` and `staging-mails`
 * of the environment `staging` are the messages of `app/queues/mails.ts`.
 *
 * @param queues Files of `app/queues` by the name of the queue.
 * @param platform The platform's file.
 * @returns The same files by the further names.
 * @throws {CliError} Exit code 2 when no file fits a queue.
 */
export function environmentQueues(
  queues: Record<string, string>,
  platform: Platform,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [environment, section] of Object.entries(asSection(platform.raw["env"]))) {
    const { consumers } = asSection(asSection(section)["queues"]);
    for (const consumer of Array.isArray(consumers) ? consumers : []) {
      const { queue } = asSection(consumer);
      if (typeof queue !== "string" || Object.hasOwn(queues, queue)) continue;
      const name = namesOf(queue, environment).find((each) => Object.hasOwn(queues, each));
      if (name === undefined) throw unhandled(queue, environment, platform);
      found[queue] = queues[name]!;
    }
  }
  return found;
}

function namesOf(queue: string, environment: string): string[] {
  return [`-${environment}`, `_${environment}`].filter((end) => queue.endsWith(end))
    .map((end) => queue.slice(0, -end.length))
    .concat(
      [`${environment}-`, `${environment}_`].filter((start) => queue.startsWith(start))
        .map((start) => queue.slice(start.length)),
    );
}

function unhandled(queue: string, environment: string, { file }: Platform): CliError {
  return new CliError(
    `${
      basename(file)
    } names a consumer of "${queue}" in env.${environment}, and nothing handles its messages.`,
    {
      exitCode: ExitCode.config,
      hint:
        `Write app/queues/${queue}.ts, or name the queue after the file and the environment, as in "mails-${environment}".`,
    },
  );
}

function asSection(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Record<string, unknown>
    : {};
}
