import type { PageProps } from "@framework/cli/runtime";
import { href } from "@framework/cli/href";
import { issues } from "./_issues.ts";

export const metadata = { title: "Issues" };

export function loader() {
  return { issues };
}

export default function List({ data }: PageProps<"/">) {
  return (
    <main>
      <h1>Issues</h1>
      <ul>
        {data.issues.map(({ id, title, state }) => (
          <li>
            <a href={href("/issues/[id]", { id })}>{title}</a> <small>{state}</small>
          </li>
        ))}
      </ul>
    </main>
  );
}
