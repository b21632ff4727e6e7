import type { JSX } from "hono/jsx/jsx-runtime";

export default function Unauthorized(): JSX.Element {
  return <p>site: sign in</p>;
}
