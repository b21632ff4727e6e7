import { failedPage } from "../http/failed_page.ts";
import { PAGE_ENDPOINTS } from "../http/page_endpoints.ts";
import { showSignInPage } from "../http/sign_in_page.ts";
import type { PageTheme } from "../http/theme.ts";
import type { Theme } from "../http/contracts.ts";

/** The built-in pages, in plain looks. */
export const DEFAULT_PAGES: Theme = {
  endpoints: PAGE_ENDPOINTS,
  signIn: showSignInPage,
  failure: failedPage,
};

/**
 * The built-in pages in the colours of the platform, for `pages.theme` of `createAuth()`: an application that
 * has its own pages, or none, imports no theme and carries none. Applications by convention have this one
 * unless they name another. {@linkcode pageTheme} makes one with a name, colours and texts.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, defaultTheme } from "@framework/auth";
 * import { match } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { theme: defaultTheme } });
 * const response = await auth.handle(new Request("http://localhost/auth/signin"), {});
 * match(await response!.text(), /<title>Sign in<\/title>/);
 * ```
 */
export const defaultTheme: PageTheme = { kind: "page-theme", definition: DEFAULT_PAGES };
