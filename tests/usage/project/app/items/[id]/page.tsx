import { type LoaderArgs, notFound, type PageProps } from "@framework/cli/runtime";
import { Card } from "../../_components/card.tsx";

export async function loader({ params, context }: LoaderArgs<object, { id: string }>) {
  const item = await context.db
    .selectFrom("items")
    .selectAll()
    .where("id", "=", params.id)
    .executeTakeFirst();
  return { title: (item ?? notFound()).title as string };
}

export default function ItemPage({ data }: PageProps<typeof loader>) {
  return (
    <main>
      <Card title={data.title} />
    </main>
  );
}
