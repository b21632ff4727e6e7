/**
 * Options for addresses, pages and secrets.
 *
 * @module
 */

import { optionsAt, readList, readMade, wrongOption } from "../lib/options.ts";
import type { TrustedProxies } from "./client_address.ts";
import type { Pages, Theme } from "./contracts.ts";

/** Paths of pages that take the place of the built-in ones. */
export interface PagesConfig {
  /** Default `<basePath>/signin`. */
  signIn?: string;
  /** Default `<basePath>/signout`. */
  signOut?: string;
  /** Default `<basePath>/error`. */
  error?: string;
  /**
   * Page that tells a visitor to check their email for a sign-in link. Default
   * `<basePath>/verify-request`.
   */
  verifyRequest?: string;
  /** Page after the first sign-in of a new user. Default: the same as for everyone. */
  newUser?: string;
  /**
   * Page on which to create an account by `passwords()`, in place of `<basePath>/signup`. Default: the
   * built-in page.
   */
  signUp?: string;
  /**
   * Page behind the link in the mail of a sign-up by `passwords()`, which has the query parameter `token`.
   * Default: the built-in page.
   */
  confirmSignUp?: string;
  /**
   * Page on which to ask for a new password, linked from the sign-in page. Default: with `passwords()` the
   * built-in page, otherwise no link.
   */
  forgotPassword?: string;
  /**
   * Page behind the link to a new password of `passwords()`, which has the query parameter `token`.
   * Default: the built-in page.
   */
  resetPassword?: string;
  /**
   * Theme of the built-in pages: `defaultTheme`, or the result of `pageTheme()`. Default: in an
   * application by convention `defaultTheme`, by code no pages.
   */
  theme?: PageTheme;
}

const PATH_KEYS = [
  "signIn",
  "signOut",
  "error",
  "verifyRequest",
  "newUser",
  "signUp",
  "confirmSignUp",
  "forgotPassword",
  "resetPassword",
] as const;
const PROBE = "https://own.invalid";

/** True for a path of this application: it begins with one slash and no parser reads a host in it. */
export function isOwnPath(value: unknown): value is string {
  if (typeof value !== "string" || !/^\/(?![/\\])[\x21-\x7e]*$/.test(value)) return false;
  if (!URL.canParse(value, PROBE)) return false;
  const { origin, pathname } = new URL(value, PROBE);
  return origin === PROBE && !pathname.startsWith("//");
}

/** Checks `basePath`. */
export function readBasePath(value: unknown): string {
  if (value === undefined) return "/auth";
  if (typeof value === "string" && /^(?:\/[A-Za-z0-9._~-]+)+$/.test(value)) {
    if (new URL(value, PROBE).pathname === value) return value;
  }
  throw wrongOption("basePath", value, 'a path such as "/auth", without a slash at its end');
}

/** The pages of an application that says nothing about them. */
export function pagesBelow(basePath: string): Pages {
  return {
    signIn: `${basePath}/signin`,
    signOut: `${basePath}/signout`,
    error: `${basePath}/error`,
    verifyRequest: `${basePath}/verify-request`,
    newUser: null,
    forgotPassword: null,
    theme: null,
  };
}

/** Checks the `pages` block and fills in its defaults. */
export function readPages(value: unknown, basePath: string): Pages {
  const given = optionsAt(value, "pages", [...PATH_KEYS, "theme"]);
  const pages = pagesBelow(basePath);
  for (const name of PATH_KEYS) {
    const path = given[name];
    if (path === undefined) continue;
    if (!isOwnPath(path)) {
      throw wrongOption(`pages.${name}`, path, 'a path of this application such as "/login"');
    }
    pages[name] = path;
  }
  pages.theme = readTheme(given.theme);
  return pages;
}

/** The origin in a text that is nothing but an http(s) origin, or null. */
function originOf(value: unknown): string | null {
  if (typeof value !== "string" || !URL.canParse(value)) return null;
  const { href, origin, protocol } = new URL(value);
  const isBare = href === `${origin}/` && !value.includes("*");
  return isBare && /^https?:/.test(protocol) ? origin : null;
}

function hostOf(value: unknown): string | null {
  const isHost = typeof value === "string" && !/[/@?#\s]/.test(value);
  const origin = isHost ? originOf(`http://${value}`) : null;
  return origin === null ? null : new URL(origin).host;
}

/** Parses each item of a list; an item that yields nothing is an error. */
function readItems(
  value: unknown,
  field: string,
  { example, read, write }: {
    example: string;
    read: (item: unknown) => string | null;
    write: string;
  },
): ReadonlySet<string> {
  const items = readList(value, field, example).map((item, index) => {
    const known = read(item);
    if (known !== null) return known;
    throw wrongOption(`${field}[${index}]`, item, write);
  });
  return new Set(items);
}

/** Checks `baseUrl`; null when it is left out. */
export function readBaseUrl(value: unknown): string | null {
  if (value === undefined) return null;
  const origin = originOf(value);
  if (origin !== null) return origin;
  throw wrongOption("baseUrl", value, 'an origin such as "https://app.example", without a path');
}

/** Checks `trustedOrigins`. Wildcards are no origins: a pattern that matches a suffix matches an attacker. */
export function readTrustedOrigins(value: unknown): ReadonlySet<string> {
  return readItems(value, "trustedOrigins", {
    example: "https://admin.example",
    read: originOf,
    write: 'an exact origin such as "https://admin.example"',
  });
}

/** Checks `allowedHosts`; null when it is left out. */
export function readAllowedHosts(value: unknown): ReadonlySet<string> | null {
  if (value === undefined) return null;
  const hosts = readItems(value, "allowedHosts", {
    example: "app.example",
    read: hostOf,
    write: 'a host such as "app.example" or "localhost:8787"',
  });
  if (hosts.size > 0) return hosts;
  throw wrongOption("allowedHosts", value, "at least one host, or leave it out");
}

/** Checks `trustedProxies`; null when it is left out. */
export function readTrustedProxies(value: unknown): TrustedProxies | null {
  return readMade<TrustedProxies>(value, "trustedProxies", {
    kind: "trusted-proxies",
    write: 'trustProxies(["10.0.0.0/8"]) of @framework/auth',
  });
}

/**
 * The built-in pages with their looks: `defaultTheme`, or what `pageTheme()` returns. What does not import one
 * carries no page.
 */
export interface PageTheme {
  /** Tells a theme from other objects. */
  readonly kind: "page-theme";
  /** Definition for internal use. */
  readonly definition: unknown;
}

/** Checks `pages.theme`. */
function readTheme(value: unknown): Theme | null {
  const write = "defaultTheme, or pageTheme({ … })";
  const made = readMade<PageTheme>(value, "pages.theme", { kind: "page-theme", write });
  return made && made.definition as Theme;
}
