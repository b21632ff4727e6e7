import type { JSX } from "hono/jsx/jsx-runtime";

/** Properties of {@link Field}. */
export interface FieldProps {
  /** Name under which the form sends the value. */
  name: string;
  label: string;
  type: "text" | "email" | "password";
  /** Autofill token for browsers and password managers. */
  autocomplete: string;
  value?: string | undefined;
  hint?: string | undefined;
  error?: string | undefined;
  minLength?: number | undefined;
  autofocus?: boolean | undefined;
}

/** A labelled input; its hint and its error are read out together with it. */
export function Field(props: FieldProps): JSX.Element {
  const { name, label, type, autocomplete, value, hint, error, minLength, autofocus } = props;
  const describedBy = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        autocomplete={autocomplete}
        value={value}
        minlength={minLength}
        autofocus={autofocus}
        required
        aria-invalid={error ? "true" : undefined}
        aria-describedby={describedBy || undefined}
      />
      {hint && <p class="hint" id={`${name}-hint`}>{hint}</p>}
      {error && <p class="problem" id={`${name}-error`}>{error}</p>}
    </div>
  );
}
