/**
 * Languages of the built-in pages and mails, one import each, for `languages` of `pageTheme()`. English is always
 * there.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, pageTheme } from "@framework/auth";
 * import { french, german } from "@framework/auth/languages";
 * import { match } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   pages: { theme: pageTheme({ languages: [german, french] }) },
 * });
 * const request = new Request("http://localhost/auth/signin", { headers: { "accept-language": "fr" } });
 * match(await (await auth.handle(request, {}))!.text(), /<html lang="fr">/);
 * ```
 *
 * @module
 */

export { french } from "./pages/languages/french.ts";
export { german } from "./pages/languages/german.ts";
export { spanish } from "./pages/languages/spanish.ts";
export type { PageLanguage } from "./pages/language.ts";
export type { PageText } from "./pages/texts.ts";
