import { errorProps, fieldProps, type InvalidForm } from "@framework/cli/form";
import type { JSX } from "hono/jsx/jsx-runtime";

/** Properties of {@link Field}. */
export interface FieldProps {
  /** The form as it was refused: what was typed, and what is wrong with it. */
  form: InvalidForm | undefined;
  /** Name under which the form sends the value. */
  name: string;
  label: string;
  type: "text" | "email" | "password";
  /** Autofill token for browsers and password managers. */
  autocomplete: string;
  value?: string | undefined;
}

/** A labelled input; its error is read out together with it. */
export function Field(
  { form, name, label, type, autocomplete, value }: FieldProps,
): JSX.Element {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input {...fieldProps(form, name, { type, value })} autocomplete={autocomplete} required />
      <p class="problem" {...errorProps(form, name)} />
    </div>
  );
}
