/**
 * The way to sign in that a browser has used last, which the sign-in page marks.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import { readHostCookie, writeHostCookie } from "../session/cookie.ts";
import { MAX_COOKIE_AGE } from "../lib/cookie.ts";

const COOKIE = "framework.last";

/**
 * Keeps the id of the provider by which somebody has signed in, and nothing about who it was. An application with a
 * sign-in page of its own has no use for it.
 */
export function keepLastUsed(store: RequestStore, provider: string): void {
  const { pages, basePath } = store.auth.settings;
  if (pages.signIn !== `${basePath}/signin`) return;
  writeHostCookie(store, { name: COOKIE, value: provider, maxAge: MAX_COOKIE_AGE });
}

/** Reads the provider that this browser has used last; null for none, and for one that there is not. */
export function readLastUsed(store: RequestStore): string | null {
  const provider = readHostCookie(store, COOKIE);
  return provider !== null && store.auth.settings.providers.has(provider) ? provider : null;
}
