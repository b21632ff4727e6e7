import type { PageProps } from "@framework/cli/runtime";
export default function Page({ params, data, layoutData }: PageProps<"/probe/more/[[...path]]">) {
  const none: undefined = data;
  const name: string = layoutData.name;
  return <p>{params.path.length}{none}{name}</p>;
}
