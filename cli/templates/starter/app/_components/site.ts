/** The name that visitors see. */
export const siteName = "{{name}}";

/** The colour of buttons, links and the icon, on the pages here and below `/auth` and in the mails. */
export const brandColor = "#0f766e";
