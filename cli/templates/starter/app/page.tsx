import { getUser } from "@framework/auth";
import { href } from "@framework/cli/href";
import type { JSX } from "hono/jsx/jsx-runtime";
import { siteName } from "./_components/site.ts";

export const metadata = {
  title: siteName,
  description: "Accounts, sessions and protected pages, running at the edge.",
};

const cards: { title: string; text: string; file: string; href?: string }[] = [
  {
    title: "Ways to sign in",
    text: "Password, email link, passkey, and an identity provider: one small file each.",
    file: "app/auth/providers/",
    href: "/auth/signin",
  },
  {
    title: "Your account",
    text: "Password, passkeys, connected accounts, devices, and what happened lately.",
    file: "app/auth/providers/account.ts",
    href: "/auth/account",
  },
  {
    title: "Teams",
    text: "Members, roles and invitations by mail; each team at its own address.",
    file: "app/auth/providers/team.ts",
    href: "/auth/team",
  },
  {
    title: "Roles and administration",
    text: "Permissions decide who reads messages and who looks after users.",
    file: "app/auth/rbac.ts",
    href: href("/admin"),
  },
  {
    title: "Limits",
    text: "The contact form takes three messages in ten minutes.",
    file: "app/contact/page.tsx",
    href: href("/contact"),
  },
  {
    title: "Protected pages",
    text: "A middleware file guards its folder and everything below it.",
    file: "app/dashboard/middleware.ts",
    href: href("/dashboard"),
  },
  {
    title: "API and database",
    text: "One exported function for each method; plain SQL migrations, and queries typed by them.",
    file: "app/api/me/route.ts",
    href: href("/api/me"),
  },
  {
    title: "Errors",
    text: "Not found, not signed in, not allowed, failed: one file each.",
    file: "app/not-found.tsx",
    href: "/nothing-here",
  },
  {
    title: "Tests",
    text: "The whole application in process, signed in as anyone you like.",
    file: "tests/app.test.ts",
  },
];

/** The public front page. */
export default function HomePage(): JSX.Element {
  const user = getUser();
  return (
    <>
      <section class="hero">
        <h1>Your product starts here</h1>
        <p class="lead">
          Accounts, teams, roles and an API: running at the edge, with a database beside it.
          Everything below is a handful of small files in <code>app/</code>.
        </p>
        <p class="actions">
          {user ? <a class="button go" href={href("/dashboard")}>Go to your dashboard</a> : (
            <>
              <a class="button go" href="/auth/signup?callbackUrl=/dashboard">Create an account</a>
              <a class="button" href="/auth/signin?callbackUrl=/dashboard">Sign in</a>
            </>
          )}
        </p>
      </section>
      <section aria-labelledby="inside">
        <h2 id="inside">What is inside</h2>
        <ul class="cards">
          {cards.map(({ title, text, file, href }) => (
            <li key={title}>
              <h3>{href ? <a href={href}>{title}</a> : title}</h3>
              <p>{text}</p>
              <code>{file}</code>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
