import { getUser } from "@framework/auth";
import type { JSX } from "hono/jsx/jsx-runtime";
import { siteName } from "./_components/site.ts";

export const metadata = {
  title: siteName,
  description: "Accounts, sessions and protected pages, running at the edge.",
};

/** The public front page. */
export default function HomePage(): JSX.Element {
  const user = getUser();
  return (
    <>
      <section class="hero">
        <h1>Your product starts here</h1>
        <p class="lead">
          Accounts, sessions, a protected dashboard and an API: running at the edge, with a database
          beside it. Everything below is a handful of small files in <code>app/</code>.
        </p>
        <p class="actions">
          {user ? <a class="button" href="/dashboard">Go to your dashboard</a> : (
            <>
              <a class="button" href="/signup">Create an account</a>
              <a class="button outline" href="/signin">Sign in</a>
            </>
          )}
        </p>
      </section>
      <section aria-labelledby="inside">
        <h2 id="inside">What is inside</h2>
        <ul class="cards">
          <li>
            <h3>Sign-in</h3>
            <p>
              E-mail and password, a session in the database, a cookie that scripts cannot read.
            </p>
            <code>app/auth/</code>
          </li>
          <li>
            <h3>Protected pages</h3>
            <p>A middleware file guards its folder and everything below it.</p>
            <code>app/dashboard/middleware.ts</code>
          </li>
          <li>
            <h3>Roles</h3>
            <p>The admin page answers administrators only; everyone else gets a 403.</p>
            <code>app/admin/</code>
          </li>
          <li>
            <h3>API</h3>
            <p>One exported function for each method.</p>
            <code>app/api/me/route.ts</code>
          </li>
          <li>
            <h3>Database</h3>
            <p>Plain SQL migrations, typed queries.</p>
            <code>migrations/</code>
          </li>
          <li>
            <h3>Tests</h3>
            <p>The whole application in process, signed in as anyone you like.</p>
            <code>tests/app.test.ts</code>
          </li>
        </ul>
      </section>
    </>
  );
}
