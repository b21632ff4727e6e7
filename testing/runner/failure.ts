import { processError } from "@vitest/utils/error";

/**
 * Adds to the message of a failed expectation the difference between what was expected and what
 * was found, which vitest's reporters print and other runners do not.
 */
export function explainFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { actual, expected, showDiff } = error as unknown as Record<string, unknown>;
  // processError rewrites the values of what it is given, which stay as they are on the error.
  const { diff } = processError({ actual, expected, showDiff });
  // Deno prints the message, then all but the first line of the stack.
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  error.stack = [`${error.name}: ${error.message.split("\n", 1)[0]}`, ...frames].join("\n");
  if (typeof diff === "string" && diff !== "") error.message += `\n\n${diff}`;
  return error;
}
