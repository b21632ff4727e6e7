import type { LoaderArgs, PageProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Env } from "../../env.ts";
import { siteName } from "../_components/site.ts";

export const metadata = { title: `Admin · ${siteName}` };

interface Member {
  id: string;
  email: string | null;
  name: string | null;
  role: string | null;
}

/** The newest hundred accounts. */
export async function loader({ context }: LoaderArgs<Env>): Promise<{ members: Member[] }> {
  const members = await context.db.selectFrom("users").select(["id", "email", "name", "role"])
    .orderBy("created_at", "desc").limit(100).execute();
  return { members };
}

/** A list that only administrators see. */
export default function AdminPage({ data }: PageProps<typeof loader>): JSX.Element {
  return (
    <>
      <h1>Members</h1>
      <div class="scroll" tabindex={0} role="region" aria-label="Members">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">E-mail</th>
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
    </>
  );
}
