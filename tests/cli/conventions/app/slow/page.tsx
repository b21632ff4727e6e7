import type { JSX } from "hono/jsx/jsx-runtime";
import { reader } from "./_reader.ts";

export const metadata = { title: "Slow" };

export default async function SlowPage(): Promise<JSX.Element> {
  while (!reader.hasFirstPart) await new Promise((resolve) => setTimeout(resolve, 10));
  return <p>Ready at last</p>;
}
