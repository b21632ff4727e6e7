import { Hono } from "hono";
import { jsxRenderer } from "hono/jsx-renderer";
import { findIssue, issues } from "./issues";

const app = new Hono();

app.use(jsxRenderer(({ children, title }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>{title}</title>
    </head>
    <body>
      <nav>
        <a href="/">Issues</a> <a href="/new">New issue</a>
      </nav>
      {children}
    </body>
  </html>
)));

app.get("/", (c) =>
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
  ));

app.get("/issues/:id", (c) => {
  const issue = findIssue(c.req.param("id"));
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

const form = (error?: string) => (
  <main>
    <h1>New issue</h1>
    <form method="post">
      {error && <p role="alert">{error}</p>}
      <label>
        Title <input name="title" />
      </label>
      <button type="submit">Save</button>
    </form>
  </main>
);

app.get("/new", (c) => c.render(form(), { title: "New issue" }));
app.post("/new", async (c) => {
  const { title } = await c.req.parseBody();
  if (title !== "") return c.redirect("/");
  c.status(422);
  return c.render(form("Please enter a title."), { title: "New issue" });
});

export default app;
