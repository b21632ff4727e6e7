"use client";
import { errorProps, fieldProps, type InvalidForm, useForm } from "@framework/cli/form";

export function NewIssue({ form: initial }: { form?: InvalidForm | undefined }) {
  const { form, pending, onSubmit } = useForm(initial);
  return (
    <form method="post" onSubmit={onSubmit} aria-busy={pending}>
      {form && <p role="alert">{form.message}</p>}
      <input {...fieldProps(form, "title", { value: "First" })} />
      <p {...errorProps(form, "title")} />
      <input {...fieldProps(form, "done", { type: "checkbox", checked: true })} />
      <input {...fieldProps(form, "password", { type: "password" })} />
      <button type="submit">{pending ? "Saving…" : "Save"}</button>
    </form>
  );
}
