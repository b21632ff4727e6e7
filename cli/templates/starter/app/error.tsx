import type { ErrorPageProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import { Notice } from "./_components/notice.tsx";

export const metadata = { title: "This did not work" };

/** Stands in place of a page that failed. Visitors learn the number under which the log has the rest. */
export default function ErrorPage({ error }: ErrorPageProps): JSX.Element {
  return <Notice title={metadata.title} text={`${error.message} Request ${error.requestId}`} />;
}
