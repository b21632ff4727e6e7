import {
  type ActionArgs,
  getContext,
  type HeadersArgs,
  type LoaderArgs,
  type MetadataArgs,
  type PageProps,
  redirect,
} from "@framework/cli/runtime";
import { href } from "@framework/cli/href";

type Path = "/probe/(group)/[id]";

export async function loader({ params, context }: LoaderArgs<Path>) {
  const id: string = params.id;
  // @ts-expect-error the folder is [id]
  params.name;
  const started: number = context.get("started");
  // @ts-expect-error no middleware stores it
  context.get("other");
  const key: string = context.env.AUTH_SECRET;
  const optional: string | undefined = context.env.MAIL_URL;
  // @ts-expect-error not in wrangler.jsonc nor in .dev.vars.example
  context.env.NOPE;
  const rows = await context.db.selectFrom("messages").select(["id", "text"]).execute();
  // @ts-expect-error no such column
  context.db.selectFrom("messages").select("txt");
  // @ts-expect-error no such table
  context.db.selectFrom("mesages");
  // @ts-expect-error a column without a default is missing
  context.db.insertInto("messages").values({ email: "a", text: "b" });
  context.db.insertInto("messages").values({ email: "a", text: "b", at: 1 });
  if (rows.length > 3) return redirect(href("/probe/[id]", { id }));
  return { id, started, key, optional, first: rows[0] };
}

export function action({ params }: ActionArgs<Path>) {
  return { saved: params.id };
}

export const metadata = ({ data, layoutData }: MetadataArgs<Path>) => ({
  title: `${data.id} ${layoutData.name.toFixed()}`,
});

export const headers = ({ data }: HeadersArgs<Path>) => ({ "x-id": data.id });

export default function Page({ data, actionData, layoutData, params }: PageProps<Path>) {
  const text: string | undefined = data.first?.text;
  // @ts-expect-error of the loader's fields none has this name
  data.nothing;
  const saved: string | undefined = actionData?.saved;
  // of two layouts the nearer one's field
  const name: number = layoutData.name;
  const list: number[] = layoutData.list;
  // @ts-expect-error no layout loads it
  layoutData.nothing;
  const id: string = params.id;
  const db = getContext().db;
  // @ts-expect-error no such table
  db.selectFrom("nope");
  return <p title={`${text} ${saved} ${name} ${list} ${id}`} />;
}

export const links: string[] = [
  href("/"),
  href("/contact", {
    query: { done: "sent", page: 2, tag: ["a", "b"], none: undefined },
    hash: "top",
  }),
  href("/probe/[id]", { id: 1 }, { query: { a: true } }),
  href("/probe/[id]/[...rest]", { id: "a", rest: ["b", 2] }),
  href("/probe/more/[[...path]]"),
  href("/probe/more/[[...path]]", { path: ["a"] }, { hash: "b" }),
  // @ts-expect-error no such route
  href("/contacts"),
  // @ts-expect-error a group is not a part of the address
  href("/probe/(group)/[id]", { id: "a" }),
  // @ts-expect-error the value is missing
  href("/probe/[id]"),
  // @ts-expect-error another name
  href("/probe/[id]", { name: "a" }),
  // @ts-expect-error one too many
  href("/probe/[id]", { id: "a", name: "b" }),
  // @ts-expect-error a list is needed
  href("/probe/[id]/[...rest]", { id: "a", rest: "b" }),
];
