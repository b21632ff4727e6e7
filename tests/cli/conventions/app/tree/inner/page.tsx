import type { LoaderArgs, Metadata, MetadataArgs, PageProps } from "@framework/cli/runtime";

export const metadata = ({ data }: MetadataArgs<typeof loader>): Metadata => ({
  title: `Tree ${data.header}`,
});

export async function loader({ request }: LoaderArgs) {
  const started = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { started, header: request.headers.get("x-from-middleware") };
}

export default function Page({ data }: PageProps<typeof loader>) {
  return <p data-started={data.started}>{data.header}</p>;
}
