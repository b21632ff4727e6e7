import type { JSX } from "hono/jsx/jsx-runtime";

export default function Loading(): JSX.Element {
  return <p>Please wait</p>;
}
