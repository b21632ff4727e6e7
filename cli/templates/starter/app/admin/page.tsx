import { hasPermission } from "@framework/auth";
import type { LoaderArgs, PageProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../env.ts";
import { Day } from "../_components/day.tsx";
import { siteName } from "../_components/site.ts";

export const metadata = { title: `Admin · ${siteName}` };

interface Member {
  id: string;
  email: string | null;
  name: string | null;
  role: string | null;
}

interface Message {
  id: number;
  email: string;
  text: string;
  at: number;
}

/** The newest messages, and for administrators the newest accounts. */
export async function loader({ context: { db } }: LoaderArgs<Env>) {
  const messages: Message[] = await db.selectFrom("messages")
    .select(["id", "email", "text", "at"]).orderBy("id", "desc").limit(20).execute();
  if (!hasPermission("users:read")) return { messages, members: [] };
  const members: Member[] = await db.selectFrom("users").select(["id", "email", "name", "role"])
    .orderBy("created_at", "desc").orderBy("id", "desc").limit(100).execute();
  return { messages, members };
}

/** Admin page, for some roles only. */
export default function AdminPage({ data }: PageProps<typeof loader>): JSX.Element {
  return (
    <>
      <h1>Admin</h1>
      <section aria-labelledby="messages">
        <h2 id="messages">Messages</h2>
        {data.messages.length === 0 && (
          <p>
            None yet: write one at <a href="/contact">/contact</a>.
          </p>
        )}
        <ul class="list">
          {data.messages.map(({ id, email, text, at }) => (
            <li key={id}>
              <span>
                {text}
                <small>
                  {email}, <Day at={new Date(at)} />
                </small>
              </span>
            </li>
          ))}
        </ul>
      </section>
      {data.members.length > 0 && (
        <section aria-labelledby="members">
          <h2 id="members">Members</h2>
          <div class="scroll" tabindex={0} role="region" aria-labelledby="members">
            <table>
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Email</th>
                  <th scope="col">Role</th>
                </tr>
              </thead>
              <tbody>
                {data.members.map((member) => (
                  <tr key={member.id}>
                    <td>{member.name ?? "–"}</td>
                    <td>{member.email ?? "–"}</td>
                    <td>{member.role ?? "member"}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p>
            <a href="/admin/activity">What happened lately</a>
          </p>
        </section>
      )}
    </>
  );
}
