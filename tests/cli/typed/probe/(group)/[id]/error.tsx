import type { ErrorPageProps } from "@framework/cli/runtime";

export default function ErrorPage(
  { layoutData, params, searchParams }: ErrorPageProps<"/probe/(group)/[id]">,
) {
  const name: number = layoutData.name;
  const list: number[] = layoutData.list;
  // @ts-expect-error no layout loads it
  layoutData.nothing;
  const query: string | string[] | undefined = searchParams["any"];
  return <p title={`${name} ${list} ${params.id} ${query}`} />;
}
