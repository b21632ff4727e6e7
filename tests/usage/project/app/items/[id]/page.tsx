import { type LoaderArgs, notFound, type PageProps } from "@framework/cli/runtime";
import { Card } from "../../_components/card.tsx";

export async function loader({ params, context }: LoaderArgs<"/items/[id]">) {
  const item = await context.db
    .selectFrom("items")
    .selectAll()
    .where("id", "=", params.id)
    .executeTakeFirst();
  return { title: (item ?? notFound()).title as string };
}

export default function ItemPage({ data }: PageProps<"/items/[id]">) {
  return (
    <main>
      <Card title={data.title} />
    </main>
  );
}
