import { type ActionArgs, data, type PageProps, redirect } from "@framework/cli/runtime";

export const metadata = { title: "New issue" };

export async function action({ request }: ActionArgs<"/new">) {
  const title = String((await request.formData()).get("title") ?? "");
  return title === "" ? data({ error: "Please enter a title." }, { status: 422 }) : redirect("/");
}

export default function New({ actionData }: PageProps<"/new">) {
  return (
    <main>
      <h1>New issue</h1>
      <form method="post">
        {actionData && <p role="alert">{actionData.error}</p>}
        <label>
          Title <input name="title" />
        </label>
        <button type="submit">Save</button>
      </form>
    </main>
  );
}
