import type { JSX } from "hono/jsx/jsx-runtime";

export const metadata = { title: "Slow" };

export default async function SlowPage(): Promise<JSX.Element> {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return <p>Ready at last</p>;
}
