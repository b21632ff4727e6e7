import type { PageProps } from "@framework/cli/runtime";

export default function Page({ params, searchParams }: PageProps<"/docs/[[...rest]]">) {
  return <p>{JSON.stringify([params.rest, searchParams])}</p>;
}
