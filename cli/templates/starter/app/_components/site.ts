/** The name that visitors see. */
export const siteName = "{{name}}";

/** The colour of buttons, links and the icon, on the pages here and below `/auth` and in the mails. */
export const brandColor = "#0f766e";

/** The one value of a parameter that somebody may have written twice. */
export function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
