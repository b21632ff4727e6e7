import { useLoaderData } from "react-router";
import { findIssue } from "../issues";

export const meta = () => [{ title: "Issue" }];

export function loader({ params }: { params: { id?: string } }) {
  const issue = findIssue(params.id ?? "");
  if (issue === undefined) throw new Response(null, { status: 404 });
  return issue;
}

export default function Detail() {
  const { title, state, text } = useLoaderData<typeof loader>();
  return (
    <main>
      <h1>{title}</h1>
      <p>{state}</p>
      <p>{text}</p>
    </main>
  );
}
