import { type ActionArgs, data, type PageProps, redirect } from "@framework/cli/runtime";

export const metadata = { title: "Form" };

export async function action({ request }: ActionArgs<"/form">) {
  const name = String((await request.formData()).get("name") ?? "");
  if (name.length > 2) return redirect(`/form?saved=${encodeURIComponent(name)}`);
  return data({ name, problem: "Please write at least three letters." }, { status: 422 });
}

export default function Page({ actionData, searchParams }: PageProps<"/form">) {
  return (
    <form method="post">
      {searchParams["saved"] && <p id="saved">Saved {searchParams["saved"]}</p>}
      {actionData && <p id="problem">{actionData.problem}</p>}
      <input name="name" value={actionData?.name ?? ""} />
      <button type="submit">Save</button>
    </form>
  );
}
