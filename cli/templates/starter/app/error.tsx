import type { ErrorPageProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import { Notice } from "./_components/notice.tsx";

/** Stands in place of a page that failed. Visitors learn the number under which the log has the rest. */
export default function ErrorPage({ error }: ErrorPageProps): JSX.Element {
  return <Notice title="This did not work" text={`${error.message} Request ${error.requestId}`} />;
}
