import { requirePermission } from "@framework/auth";
import { getContext } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import { Day } from "../../_components/day.tsx";
import { siteName } from "../../_components/site.ts";

export const metadata = { title: `Activity · ${siteName}` };

/** Decides before the first byte is sent. */
export function loader(): null {
  requirePermission("users:manage");
  return null;
}

/** An asynchronous page: `loading.tsx` is sent at once, and this when the database has answered. */
export default async function ActivityPage(): Promise<JSX.Element> {
  const rows = await getContext().db.selectFrom("account_activity as activity")
    .innerJoin("users", "users.id", "activity.user_id")
    .select(["activity.id", "activity.type", "activity.at", "users.name", "users.email"])
    .orderBy("activity.at", "desc").limit(50).execute();
  return (
    <>
      <h1>What happened lately</h1>
      <ul class="plain">
        {rows.map(({ id, type, name, email, at }) => (
          <li key={id}>
            <Day at={at} hasTime /> {name ?? email ?? "Somebody"}: {type.replaceAll("-", " ")}
          </li>
        ))}
      </ul>
    </>
  );
}
