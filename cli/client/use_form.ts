import { useEffect, useRef, useState } from "hono/jsx";
import type { InvalidForm } from "../runtime/invalid_input.ts";
import { type FormElement, type FormSubmission, postForm } from "./form_post.ts";

/** Form of a client component, from {@linkcode useForm}. */
export interface FormState {
  /** Messages and values of a form that was refused; undefined until then. */
  form: InvalidForm | undefined;
  /** True while the form is being sent. */
  pending: boolean;
  /** Handler for the form's `onSubmit`. */
  onSubmit(event: Event): void;
}

/** Options for {@linkcode useForm}. */
export interface UseFormOptions {
  /** Message when no answer came. Default: an English one. */
  offline?: string;
  /**
   * Called when the action has answered 204, which keeps the page: shows the change. The form is then empty again, with
   * its first values. Default: nothing is shown.
   */
  onSaved?(sent: FormData): void;
}

/**
 * Sends the form of a client component in place: what the action refuses is shown without loading
 * the page again, a redirect is followed, and with 204 the page stays. Before the script has run, and without scripts, the
 * browser sends the form itself.
 *
 * @param initial Prop `form` of the page, which has the refused form when the page itself was sent.
 * @param options The message without a connection, and what happens when the page stays.
 * @example
 * ```tsx
 * "use client";
 * import { errorProps, fieldProps, useForm } from "@framework/cli/form";
 * import type { InvalidForm } from "@framework/cli/runtime";
 * import { match } from "node:assert/strict";
 *
 * function NewIssue({ form: initial }: { form?: InvalidForm | undefined }) {
 *   const { form, pending, onSubmit } = useForm(initial);
 *   return (
 *     <form method="post" onSubmit={onSubmit} aria-busy={pending}>
 *       {form && <p role="alert">{form.message}</p>}
 *       <label for="title">Title</label>
 *       <input {...fieldProps(form, "title")} />
 *       <p {...errorProps(form, "title")} />
 *       <button type="submit">{pending ? "Saving…" : "Save"}</button>
 *     </form>
 *   );
 * }
 *
 * match(String(<NewIssue />), /<form method="post"/);
 * ```
 */
export function useForm(
  initial?: InvalidForm,
  { offline, onSaved }: UseFormOptions = {},
): FormState {
  const [form, setForm] = useState(initial);
  const [pending, setPending] = useState(false);
  const sent = useRef<FormElement | null>(null);

  useEffect(() => {
    if (form !== initial) sent.current?.querySelector("[aria-invalid=true]")?.focus();
  }, [form]);

  function onSubmit(event: Event): void {
    const element = event.currentTarget as unknown as FormElement;
    sent.current = element;
    postForm(event as unknown as FormSubmission, element, {
      refusal: "fields",
      setPending,
      refuse(text) {
        // An action may have answered with a page and this status itself.
        if (!text.startsWith("{")) return false;
        setForm(JSON.parse(text) as InvalidForm);
        return true;
      },
      saved(fields) {
        setForm(undefined);
        element.reset?.();
        onSaved?.(fields);
      },
      fail() {
        const message = offline ?? "No answer came. Check your connection, and try again.";
        setForm({ message, fields: {}, values: form?.values ?? {} });
      },
    });
  }

  return { form, pending, onSubmit };
}
