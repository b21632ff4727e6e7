import type { LoaderArgs, Metadata, MetadataArgs, PageProps } from "@framework/cli/runtime";

export const metadata = ({ data }: MetadataArgs<"/tree/inner">): Metadata => ({
  title: `Tree ${data.header}`,
});

export async function loader({ request }: LoaderArgs<"/tree/inner">) {
  const started = Math.round(performance.now());
  await new Promise((resolve) => setTimeout(resolve, 100));
  return {
    took: `${started}-${Math.round(performance.now())}`,
    header: request.headers.get("x-from-middleware"),
  };
}

export default function Page({ data }: PageProps<"/tree/inner">) {
  return <p data-took={data.took}>{data.header}</p>;
}
