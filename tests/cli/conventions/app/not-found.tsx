import type { JSX } from "hono/jsx/jsx-runtime";

export const metadata = { title: "Nothing here" };

export default function NotFound(): JSX.Element {
  return <p>site: not found</p>;
}
