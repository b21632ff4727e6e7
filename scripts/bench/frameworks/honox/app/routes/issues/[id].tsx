import { createRoute } from "honox/factory";
import { findIssue } from "../../issues";

export default createRoute((c) => {
  const issue = findIssue(c.req.param("id") ?? "");
  if (issue === undefined) return c.notFound();
  return c.render(
    <main>
      <h1>{issue.title}</h1>
      <p>{issue.state}</p>
      <p>{issue.text}</p>
    </main>,
    { title: "Issue" },
  );
});
