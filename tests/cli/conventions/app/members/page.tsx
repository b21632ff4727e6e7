import { getUser } from "@framework/auth";
import type { LoaderArgs, PageProps } from "@framework/cli/runtime";

export async function loader({ context }: LoaderArgs<"/members">) {
  const users = await context.db.selectFrom("users").select("name").execute();
  return { names: users.map(({ name }) => String(name)) };
}

export default function Page({ data }: PageProps<"/members">) {
  return <p>{getUser()?.name} among {data.names.join(",")}</p>;
}
