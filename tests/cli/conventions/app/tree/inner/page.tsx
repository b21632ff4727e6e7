import type { LoaderArgs, Metadata, MetadataArgs, PageProps } from "@framework/cli/runtime";

export const metadata = ({ data }: MetadataArgs<typeof loader>): Metadata => ({
  title: `Tree ${data.header}`,
});

export async function loader({ request }: LoaderArgs) {
  const started = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { took: `${started}-${Date.now()}`, header: request.headers.get("x-from-middleware") };
}

export default function Page({ data }: PageProps<typeof loader>) {
  return <p data-took={data.took}>{data.header}</p>;
}
