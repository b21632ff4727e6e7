import type { JSX } from "hono/jsx/jsx-runtime";

/** Stands in place of the page until it is ready; a browser without JavaScript keeps it. */
export default function Loading(): JSX.Element {
  return <p role="status">One moment …</p>;
}
