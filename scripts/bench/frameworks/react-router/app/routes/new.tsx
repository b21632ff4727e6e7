import { data, Form, redirect, useActionData } from "react-router";

export const meta = () => [{ title: "New issue" }];

export async function action({ request }: { request: Request }) {
  const title = String((await request.formData()).get("title") ?? "");
  return title === "" ? data({ error: "Please enter a title." }, { status: 422 }) : redirect("/");
}

export default function New() {
  const failed = useActionData<{ error: string }>();
  return (
    <main>
      <h1>New issue</h1>
      <Form method="post">
        {failed && <p role="alert">{failed.error}</p>}
        <label>
          Title <input name="title" />
        </label>
        <button type="submit">Save</button>
      </Form>
    </main>
  );
}
