import type { ErrorPageProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";

export default function ErrorPage({ error }: ErrorPageProps): JSX.Element {
  return <p>error {error.status} {error.code} {error.message}</p>;
}
