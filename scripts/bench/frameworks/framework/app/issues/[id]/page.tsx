import { type LoaderArgs, notFound, type PageProps } from "@framework/cli/runtime";
import { findIssue } from "../../_issues.ts";

export const metadata = { title: "Issue" };

export function loader({ params }: LoaderArgs<"/issues/[id]">) {
  return findIssue(params.id) ?? notFound();
}

export default function Detail({ data }: PageProps<"/issues/[id]">) {
  return (
    <main>
      <h1>{data.title}</h1>
      <p>{data.state}</p>
      <p>{data.text}</p>
    </main>
  );
}
