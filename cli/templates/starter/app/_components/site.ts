/** The name that visitors see. */
export const siteName = "{{name}}";

/** The one value of a parameter that somebody may have written twice. */
export function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
