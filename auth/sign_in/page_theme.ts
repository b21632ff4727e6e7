/**
 * Themes of an application's own.
 *
 * @module
 */

import type { Theme } from "../core/contracts.ts";
import type { PageTheme } from "../core/url_options.ts";
import { type PageThemeOptions, readPageTheme } from "../pages/theme.ts";
import { DEFAULT_PAGES, showFailure } from "./pages.ts";

/**
 * Creates a theme for `pages.theme` with the appearance, the texts and the languages of the built-in pages.
 * Applications that do not import it do not bundle it.
 *
 * @param options The application's name, logo, colours, corners, font, links, languages and texts.
 * @throws {ConfigurationError} When an option is wrong, such as a colour that is not hexadecimal, or a text with too
 * little contrast.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, pageTheme } from "@framework/auth";
 * import { german } from "@framework/auth/languages";
 * import { match } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   pages: {
 *     theme: pageTheme({
 *       name: "Example",
 *       logo: "/logo.svg",
 *       colors: { brand: "#0b6b4f" },
 *       links: { terms: "/terms", privacy: "/privacy" },
 *       languages: [german],
 *     }),
 *   },
 * });
 * const request = new Request("http://localhost/auth/signin", { headers: { "accept-language": "de" } });
 * const response = await auth.handle(request, {});
 * match(await response!.text(), /<title>Bei Example anmelden<\/title>/);
 * ```
 */
export function pageTheme(options: PageThemeOptions): PageTheme {
  const { look, dress } = readPageTheme(options);
  const definition: Theme = {
    ...DEFAULT_PAGES,
    look,
    dress,
    failure: (error, request, cause) => showFailure(look(request), error, cause),
  };
  return { kind: "page-theme", definition };
}
