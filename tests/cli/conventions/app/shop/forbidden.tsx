import type { ErrorPageProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";

export default function Forbidden({ params }: ErrorPageProps): JSX.Element {
  return <p>shop: not you, {params["id"]}</p>;
}
