import { errorProps, fieldProps, Form } from "@framework/cli/form";
import type { PageProps } from "@framework/cli/runtime";
import { z } from "zod";

export const input = z.object({ name: z.string().min(2, "Too short.") });
export const action = () => ({ saved: true });

async function Slow() {
  await new Promise((resolve) => setTimeout(resolve, 50));
  return <p class="slow">Slow</p>;
}

export default async function Page({ form, actionData }: PageProps<"/late">) {
  await Promise.resolve();
  return (
    <>
      <Slow />
      {actionData && <p id="saved">Saved</p>}
      <Form>
        <input {...fieldProps(form, "name")} />
        <p {...errorProps(form, "name")} />
        <button type="submit">Send</button>
      </Form>
    </>
  );
}
