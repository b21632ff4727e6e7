import { readMade } from "../config/check.ts";
import type { EndpointContext, EndpointEntry } from "./endpoint.ts";
import type { PublicError } from "./respond_to_error.ts";
import type { SignInPage } from "./sign_in_page.ts";

/**
 * The built-in pages with their looks: `defaultTheme`, or what `pageTheme()` returns. What does not import one
 * carries no page.
 */
export interface PageTheme {
  /** Tells a theme from other objects. */
  readonly kind: "page-theme";
  /** What it is made of, for the library. */
  readonly definition: unknown;
}

/** The same, as the endpoints use it. */
export interface Theme {
  /** The pages at their addresses. */
  endpoints: readonly EndpointEntry[];
  /** The sign-in page for a visitor who tries again. */
  signIn(context: EndpointContext, page: SignInPage): Promise<Response>;
  /** The page for an error that has just happened. */
  failure(error: PublicError): Response;
  /** Gives a page of the library the looks and the language of the application; others pass as they are. */
  dress?: (response: Response, request: Request) => Promise<Response>;
}

/** Checks `pages.theme`. */
export function readTheme(value: unknown): Theme | null {
  const write = "defaultTheme, or pageTheme({ … })";
  const made = readMade<PageTheme>(value, "pages.theme", { kind: "page-theme", write });
  return made && made.definition as Theme;
}
