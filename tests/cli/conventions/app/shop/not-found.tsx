import type { JSX } from "hono/jsx/jsx-runtime";

export default function NotFound(): JSX.Element {
  return <p>shop: not found</p>;
}
