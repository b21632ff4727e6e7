import {
  type ActionArgs,
  errorProps,
  fieldProps,
  type LoaderArgs,
  type PageProps,
  redirect,
} from "@framework/cli/runtime";
import { z } from "zod";

export const input = z.object({
  title: z.string().min(3, "Please write at least three letters."),
  password: z.string(),
  tags: z.array(z.string()).default([]),
  file: z.file().max(100, "The file is too large.").optional(),
});

export function loader({ context }: LoaderArgs) {
  return { flash: context.flash.take(), tags: context.cookies.get("tags") };
}

export async function action(
  { context }: ActionArgs<"/notes">,
) {
  const { title, tags, file } = context.input;
  context.cookies.set("tags", tags.join(", "));
  context.flash.set(`${title}: ${await file?.text() ?? "no file"}`);
  return redirect("/notes");
}

export default function NotesPage({ data, form }: PageProps<"/notes">) {
  return (
    <form method="post" enctype="multipart/form-data">
      {data.flash && <p id="flash">{data.flash.text}</p>}
      <p id="tags">{data.tags}</p>
      <input {...fieldProps(form, "title")} />
      <p {...errorProps(form, "title")} />
      <p {...errorProps(form, "file")} />
      <input {...fieldProps(form, "password", { type: "password" })} />
      <button type="submit">Save</button>
    </form>
  );
}
