import { type ActionArgs, invalid, type PageProps, redirect } from "@framework/cli/runtime";
import { z } from "zod";
import { NewIssue } from "../_components/new_issue.tsx";

export const input = z.object({
  title: z.string().min(3, "Please write at least three letters."),
  done: z.stringbool().default(false),
  password: z.string().optional(),
});

export function action({ context }: ActionArgs<"/client">) {
  const { title, done } = context.input;
  if (title === "taken") invalid({ title: "There is one." }, "Taken.");
  if (title === "fail") throw new Error("The shelf fell down");
  context.flash.set(`${title} ${done}`);
  return redirect("/client");
}

export default ({ form }: PageProps<"/client">) => <NewIssue form={form} />;
