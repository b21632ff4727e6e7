import { data, type LayoutProps, type MetadataArgs } from "@framework/cli/runtime";

export function loader() {
  return data({ name: 1 }, { status: 201 });
}

export function metadata({ data, layoutData }: MetadataArgs<"/probe/(group)", "layout">) {
  return { title: `${data.name.toFixed()} ${layoutData.name.toUpperCase()}` };
}

export default function Layout({ children, data, layoutData }: LayoutProps<"/probe/(group)">) {
  const outer: string = layoutData.name;
  const own: number = data.name;
  return <div title={outer + own}>{children}</div>;
}
