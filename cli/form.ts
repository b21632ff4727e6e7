/**
 * Forms that post in place: the browser stays on the page while a form is sent, and shows what the
 * action refused with the focus on the first mistake. Without a script they are ordinary forms.
 *
 * @example A page; in a client component, use `useForm()`
 * ```tsx
 * import { errorProps, fieldProps, Form } from "@framework/cli/form";
 * import type { PageProps } from "@framework/cli/runtime";
 * import { match } from "node:assert/strict";
 *
 * export default function ContactPage({ form }: Pick<PageProps, "form">) {
 *   return (
 *     <Form>
 *       {form && <p role="alert">{form.message}</p>}
 *       <label for="email">Email</label>
 *       <input {...fieldProps(form, "email", { type: "email" })} />
 *       <p {...errorProps(form, "email")} />
 *       <button type="submit">Send</button>
 *     </Form>
 *   );
 * }
 *
 * match(String(<ContactPage form={undefined} />), /^<form method="post" data-enhance="">/);
 * ```
 *
 * @module
 */
export { Form, type FormProps } from "./client/form.ts";
export { type FormState, useForm, type UseFormOptions } from "./client/use_form.ts";
export {
  type ErrorProps,
  errorProps,
  type FieldOptions,
  type FieldProps,
  fieldProps,
} from "./runtime/form.ts";
export type { FormValues, InvalidForm } from "./runtime/invalid_input.ts";
