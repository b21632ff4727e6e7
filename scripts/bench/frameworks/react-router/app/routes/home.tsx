import { Link, useLoaderData } from "react-router";
import { issues } from "../issues";

export const meta = () => [{ title: "Issues" }];

export function loader() {
  return { issues };
}

export default function List() {
  const { issues } = useLoaderData<typeof loader>();
  return (
    <main>
      <h1>Issues</h1>
      <ul>
        {issues.map(({ id, title, state }) => (
          <li key={id}>
            <Link to={`/issues/${id}`} prefetch="intent">{title}</Link> <small>{state}</small>
          </li>
        ))}
      </ul>
    </main>
  );
}
