import type { JSX } from "hono/jsx/jsx-runtime";
import { Notice } from "./_components/notice.tsx";

/** Stands in place of a page that this user may not see. */
export default function ForbiddenPage(): JSX.Element {
  return <Notice title="Not for you" text="You are not allowed to see this page." />;
}
