/** The name that visitors see. */
export const siteName = "{{name}}";
