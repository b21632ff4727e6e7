import { getUser, hasPermission } from "@framework/auth";
import { href } from "@framework/cli/href";
import type { JSX } from "hono/jsx/jsx-runtime";
import { siteName } from "./site.ts";

/** Name of the site, and what the visitor can do next. */
export function SiteHeader(): JSX.Element {
  const user = getUser();
  return (
    <header class="site-header">
      <a class="brand" href={href("/")}>
        <img src="/favicon.svg" width="28" height="28" alt="" />
        <span>{siteName}</span>
      </a>
      <nav aria-label="Main">
        {user
          ? (
            <>
              <a href={href("/dashboard")}>Dashboard</a>
              {hasPermission("messages:read") && <a href={href("/admin")}>Admin</a>}
              <a href="/auth/account">Account</a>
              <form method="post" action="/auth/signout">
                <button type="submit" class="small">Sign out</button>
              </form>
            </>
          )
          : (
            <>
              <a href="/auth/signin?callbackUrl=/dashboard">Sign in</a>
              <a class="button go small" href="/auth/signup?callbackUrl=/dashboard">
                Create account
              </a>
            </>
          )}
      </nav>
    </header>
  );
}
