import { errorProps, fieldProps, Form } from "@framework/cli/form";
import { type ActionArgs, type PageProps, redirect } from "@framework/cli/runtime";
import { z } from "zod";

export const input = z.object({ name: z.string().min(2, "Too short."), which: z.string() });
export const action = ({ context }: ActionArgs<"/many">) => {
  context.flash.set(context.input.which);
  return redirect("/many");
};

export default function Page({ form }: PageProps<"/many">) {
  const of = (which: string) => form?.values["which"] === which ? form : undefined;
  return (
    <>
      {["a", "b"].map((id) => (
        <Form id={id}>
          <input type="hidden" name="which" value={id} />
          <input {...fieldProps(of(id), "name")} id={`${id}-name`} />
          <p {...errorProps(of(id), "name")} id={`${id}-error`} />
          <button type="submit">Send</button>
        </Form>
      ))}
      <Form class="nameless">
        <input type="hidden" name="which" value="c" />
        <input name="name" id="c-name" />
        <button type="submit">Send</button>
      </Form>
    </>
  );
}
