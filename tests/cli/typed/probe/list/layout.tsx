import type { LayoutProps, LoaderArgs, SearchParams } from "@framework/cli/runtime";

// Other pages could have this layout too: it receives texts.
export function loader({ searchParams }: LoaderArgs<"/probe/list", SearchParams>) {
  const page: string | string[] | undefined = searchParams["page"];
  return { listed: page };
}

export default function Layout({ children }: LayoutProps<"/probe/list">) {
  return <div>{children}</div>;
}
