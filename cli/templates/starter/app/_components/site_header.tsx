import { getUser, hasPermission } from "@framework/auth";
import type { JSX } from "hono/jsx/jsx-runtime";
import { siteName } from "./site.ts";

/** Name of the site, and what the visitor can do next. */
export function SiteHeader(): JSX.Element {
  const user = getUser();
  return (
    <header class="site-header">
      <a class="brand" href="/">
        <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
          <rect width="32" height="32" rx="8" />
          <path d="M10 9h13M10 9v15M10 16h9" />
        </svg>
        <span>{siteName}</span>
      </a>
      <nav aria-label="Main">
        {user
          ? (
            <>
              <a href="/dashboard">Dashboard</a>
              {hasPermission("messages:read") && <a href="/admin">Admin</a>}
              <a href="/account">Account</a>
              <form method="post" action="/auth/signout">
                <button type="submit" class="quiet">Sign out</button>
              </form>
            </>
          )
          : (
            <>
              <a href="/signin">Sign in</a>
              <a class="button small" href="/signup">Create account</a>
            </>
          )}
      </nav>
    </header>
  );
}
