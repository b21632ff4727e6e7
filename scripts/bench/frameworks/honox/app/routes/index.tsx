import { createRoute } from "honox/factory";
import { issues } from "../issues";

export default createRoute((c) =>
  c.render(
    <main>
      <h1>Issues</h1>
      <ul>
        {issues.map(({ id, title, state }) => (
          <li>
            <a href={`/issues/${id}`}>{title}</a> <small>{state}</small>
          </li>
        ))}
      </ul>
    </main>,
    { title: "Issues" },
  )
);
