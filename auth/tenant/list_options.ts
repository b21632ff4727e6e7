import { wrongOption } from "../config/check.ts";
import type { ListOptions } from "./tenant.ts";

/** Checks which part of a list is wanted. */
export function readListOptions(options: ListOptions = {}): { cursor: string; limit: number } {
  const { cursor = "", limit = 50 } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw wrongOption("limit", limit, "a whole number from 1 to 100");
  }
  if (typeof cursor !== "string") throw wrongOption("cursor", cursor, "what the last part gave");
  return { cursor, limit };
}
