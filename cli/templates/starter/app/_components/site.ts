/** The name that visitors see. */
export const siteName = "{{name}}";

/** Long beats complicated: a few words are easy to remember and hard to guess. */
export const minimumPasswordLength = 15;

/** The one value of a parameter that somebody may have written twice. */
export function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
