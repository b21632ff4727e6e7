import type {
  ActionArgs,
  HeadersArgs,
  LoaderArgs,
  MetadataArgs,
  PageProps,
  Schema,
} from "@framework/cli/runtime";
import { href } from "@framework/cli/href";

type Path = "/probe/list";

// As zod has the types of { page: z.coerce.number(), sort: z.enum([…]).optional(), tag: z.array(z.string()).optional() }.
export declare const search: Schema<
  { page: unknown; sort?: "new" | "old"; tag?: string[] },
  { page: number; sort?: "new" | "old"; tag?: string[] }
>;

export function loader({ searchParams }: LoaderArgs<Path>) {
  const page: number = searchParams.page;
  // @ts-expect-error the schema has no such name
  searchParams.sorted;
  // @ts-expect-error the schema makes a number of it
  const text: string = searchParams.page;
  return { page, text, next: href("/probe/list", { query: { page: page + 1 } }) };
}

export function action({ searchParams }: ActionArgs<Path>) {
  return { sort: searchParams.sort };
}

export const metadata = ({ searchParams }: MetadataArgs<Path>) => ({
  title: searchParams.page.toFixed(),
});

export const headers = ({ searchParams }: HeadersArgs<Path>) => ({
  "x-page": searchParams.page.toFixed(),
});

export default function Page({ searchParams, actionData }: PageProps<Path>) {
  const tags: string[] = searchParams.tag ?? [];
  const sort: "new" | "old" | undefined = actionData?.sort;
  return <p title={`${tags} ${sort}`} />;
}

export const links: string[] = [
  href("/probe/list", { query: { page: 2 } }),
  href("/probe/list", { query: { page: 2, sort: "new", "tag[]": ["a"] }, hash: "top" }),
  // @ts-expect-error the query has a value that is needed
  href("/probe/list"),
  // @ts-expect-error the page is missing
  href("/probe/list", { query: { sort: "new" } }),
  // @ts-expect-error neither "new" nor "old"
  href("/probe/list", { query: { page: 2, sort: "newest" } }),
  // @ts-expect-error the schema has no such name
  href("/probe/list", { query: { page: 2, sorted: "new" } }),
  // @ts-expect-error a list is named tag[]
  href("/probe/list", { query: { page: 2, tag: ["a"] } }),
  // @ts-expect-error the page is a number
  href("/probe/list", { query: { page: "two" } }),
];
