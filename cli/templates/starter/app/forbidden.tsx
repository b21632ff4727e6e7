import type { JSX } from "hono/jsx/jsx-runtime";
import { Notice } from "./_components/notice.tsx";

export const metadata = { title: "Not for you" };

/** Stands in place of a page that this user may not see. */
export default function ForbiddenPage(): JSX.Element {
  return <Notice title={metadata.title} text="You are not allowed to see this page." />;
}
