import type { LayoutProps } from "@framework/cli/runtime";

export const metadata = { title: "Tree", description: "From the layout" };

export async function loader() {
  const started = Math.round(performance.now());
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { took: `${started}-${Math.round(performance.now())}` };
}

export default function Layout({ children, data }: LayoutProps<"/tree">) {
  return <section data-took={data.took}>{children}</section>;
}
