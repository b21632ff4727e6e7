import type { LayoutProps, LoaderArgs } from "@framework/cli/runtime";

export function loader({ context }: LoaderArgs<"/probe">) {
  const started: number = context.get("started");
  return { started, name: "outer", list: [1] };
}

export default function Layout({ children, data, layoutData }: LayoutProps<"/probe">) {
  const started: number = data.started;
  // @ts-expect-error no layout around it loads anything
  layoutData.started;
  return <div data-started={started}>{children}</div>;
}
