/**
 * How long the body of a request for a page or route may be, as in `"50 MB"`: a KB has 1,024 bytes, an MB 1,024 KB, a
 * GB 1,024 MB. What a file exports as `bodyLimit`, written out.
 */
export type BodyLimit = `${number} KB` | `${number} MB` | `${number} GB`;

/** The limit of pages and routes that export none. */
export const defaultBodyLimit: BodyLimit = "1 MB";

const UNITS: Record<string, number> = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** The bytes of a limit; NaN for what is none. */
export function readBodyLimit(limit: unknown = defaultBodyLimit): number {
  if (typeof limit !== "string") return NaN;
  const [, count, unit] = /^(\d+(?:\.\d+)?) (KB|MB|GB)$/.exec(limit) ?? [];
  return Math.floor(Number(count) * (UNITS[unit ?? ""] ?? NaN));
}

/** Says what is wrong with a limit, as a sentence without the file's name; null when nothing is. */
export function wrongBodyLimit(limit: unknown): string | null {
  if (readBodyLimit(limit) > 0) return null;
  const found = typeof limit === "string" ? JSON.stringify(limit) : String(limit);
  return `exports the bodyLimit ${found}: write a text like "500 KB", "50 MB" or "1 GB"`;
}
