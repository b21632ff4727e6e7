import { readExportedTexts } from "../source/exported_literal.ts";

/**
 * Reads what a file exports as `schedule` without running it, so that a build can compare it with the platform's file.
 *
 * @param source Text of the file.
 * @returns The cron expressions; null unless it is a string or a list of strings, written there.
 */
export function readSchedule(source: string): string[] | null {
  return readExportedTexts(source, "schedule", { jsx: false });
}
