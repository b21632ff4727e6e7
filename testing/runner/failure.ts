import { processError } from "@vitest/utils/error";

/**
 * Adds the difference between expected and actual value to the message of a failed expectation,
 * which vitest's reporters print and other runners do not.
 */
export function explainFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { actual, expected, showDiff } = error as unknown as Record<string, unknown>;
  // processError changes the values that it is given, so it gets a copy.
  const { diff } = processError({ actual, expected, showDiff });
  // Deno prints the message, then the stack without its first line.
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  error.stack = [`${error.name}: ${error.message.split("\n", 1)[0]}`, ...frames].join("\n");
  if (typeof diff === "string" && diff !== "") error.message += `\n\n${diff}`;
  return error;
}
