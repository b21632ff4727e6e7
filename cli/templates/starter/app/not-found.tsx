import type { JSX } from "hono/jsx/jsx-runtime";
import { Notice } from "./_components/notice.tsx";

/** Answers addresses that nothing else answers, and `notFound()`. */
export default function NotFoundPage(): JSX.Element {
  return <Notice title="Nothing here" text="There is no page at this address." />;
}
