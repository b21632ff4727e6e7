import type { PageProps } from "@framework/cli/runtime";

type Props = PageProps<undefined, undefined, { rest: string[] }>;

export default function Page({ params, searchParams }: Props) {
  return <p>{JSON.stringify([params.rest, searchParams])}</p>;
}
