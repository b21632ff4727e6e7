import { createRoute } from "honox/factory";

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

export const POST = createRoute(async (c) => {
  const { title } = await c.req.parseBody();
  if (title !== "") return c.redirect("/");
  c.status(422);
  return c.render(form("Please enter a title."), { title: "New issue" });
});

export default createRoute((c) => c.render(form(), { title: "New issue" }));
