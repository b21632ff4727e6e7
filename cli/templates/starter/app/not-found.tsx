import type { JSX } from "hono/jsx/jsx-runtime";
import { Notice } from "./_components/notice.tsx";

export const metadata = { title: "Nothing here" };

/** Answers addresses that nothing else answers, and `notFound()`. */
export default function NotFoundPage(): JSX.Element {
  return <Notice title={metadata.title} text="There is no page at this address." />;
}
