import { hasPermission } from "@framework/auth";
import { href } from "@framework/cli/href";
import type { Database, LoaderArgs, PageProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Selectable } from "kysely";
import { Day } from "../_components/day.tsx";
import { siteName } from "../_components/site.ts";

export const metadata = { title: `Admin · ${siteName}` };

type Message = Selectable<Database["messages"]>;

/** The newest messages. */
export async function loader({ context: { db } }: LoaderArgs<"/admin">) {
  const messages = await db.selectFrom("messages")
    .select(["id", "email", "text", "at"]).orderBy("id", "desc").limit(20).execute();
  return { messages };
}

/** The page of who looks after the site: support reads messages, administrators look after users too. */
export default function AdminPage({ data }: PageProps<"/admin">): JSX.Element {
  return (
    <>
      <h1>Admin</h1>
      <section aria-labelledby="messages">
        <h2 id="messages">Messages</h2>
        {data.messages.length === 0 && (
          <p>
            None yet: write one at <a href={href("/contact")}>/contact</a>.
          </p>
        )}
        <ul class="list">
          {data.messages.map(({ id, email, text, at }: Message) => (
            <li key={id}>
              <span>
                {text}
                <small>
                  {email}, <Day at={at} />
                </small>
              </span>
            </li>
          ))}
        </ul>
      </section>
      {hasPermission("users:manage") && (
        <section aria-labelledby="users">
          <h2 id="users">Users</h2>
          <p>Find somebody, end sessions, change roles, or see what happened lately.</p>
          <p class="actions">
            <a class="button go" href="/auth/admin">Look after users</a>
            <a class="button" href={href("/admin/activity")}>What happened lately</a>
          </p>
        </section>
      )}
    </>
  );
}
