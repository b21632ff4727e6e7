import type { InvalidForm } from "./invalid_input.ts";

/** Options for {@linkcode fieldProps}. */
export interface FieldOptions {
  /** Type of the control. Default: `text`. The value of a `password` or `file` is never sent back. */
  type?: string | undefined;
  /**
   * Value as long as nothing was sent, such as that of the record which the form edits; for
   * `checkbox` and `radio` the value that the control sends.
   */
  value?: string | undefined;
  /** State of a `checkbox` or `radio` as long as nothing was sent. Default: not checked. */
  checked?: boolean | undefined;
  /** Id of the element with a hint, which is read out with the field. */
  hint?: string | undefined;
}

/** Attributes of a control, from {@linkcode fieldProps}. */
export interface FieldProps {
  /** Id for the label; that of a `checkbox` or `radio` ends with its value. */
  id: string;
  /** Name of the field. */
  name: string;
  /** Type of an `input`. */
  type?: string;
  /** Value of an `input`. */
  value?: string;
  /** State of a `checkbox` or `radio`. */
  checked?: boolean;
  /** Text of a `textarea`. */
  children?: string;
  /** Present when the field has an error. */
  "aria-invalid"?: "true";
  /** Ids of the hint and of the error. */
  "aria-describedby"?: string;
}

/** Attributes and text of an element for the errors of a field, from {@linkcode errorProps}. */
export interface ErrorProps {
  /** Id that the field's `aria-describedby` names. */
  id: string;
  /** Present when there is no error. */
  hidden?: true;
  /** The errors. */
  children?: string;
}

/**
 * Returns the attributes of a form control: its name, its id for the label, what was sent, and the
 * connection to its error for assistive technology (WCAG 2.2, 3.3.1).
 *
 * @param form Prop `form` of the page; undefined until a form was refused.
 * @param name Name of the field; `tags[]` for a list.
 * @param options Type, first value and hint. `type: "textarea"` is for a `textarea`, `type: "select"` for a
 * `select`, whose options show what `form.values` holds.
 * @example
 * ```tsx
 * import { errorProps, fieldProps, type PageProps } from "@framework/cli/runtime";
 * import { match } from "node:assert/strict";
 *
 * function Page({ form }: Pick<PageProps, "form">) {
 *   return (
 *     <form method="post">
 *       <label for="email">Email</label>
 *       <input {...fieldProps(form, "email", { type: "email" })} required />
 *       <p {...errorProps(form, "email")} />
 *     </form>
 *   );
 * }
 *
 * const form = { message: "", fields: { email: ["Enter an address."] }, values: { email: "ada@" } };
 * match(String(Page({ form })), /value="ada@" aria-invalid="true" aria-describedby="email-error"/);
 * match(String(Page({ form: undefined })), /<p id="email-error" hidden=""><\/p>/);
 * ```
 */
export function fieldProps(
  form: InvalidForm | undefined,
  name: string,
  { type = "text", value, checked = false, hint }: FieldOptions = {},
): FieldProps {
  const isInvalid = errorsOf(form, name).length > 0;
  const describedBy = [hint, isInvalid ? `${idOf(name)}-error` : undefined].filter(Boolean);
  const isChoice = type === "checkbox" || type === "radio";
  return {
    id: isChoice && value !== undefined ? `${idOf(name)}-${idOf(value)}` : idOf(name),
    name,
    ...(type === "textarea" || type === "select" ? {} : { type }),
    ...(isChoice
      ? choice(form, name, { value, checked })
      : shown(type, sent(form, name)[0] ?? value)),
    ...(isInvalid ? { "aria-invalid": "true" } : {}),
    ...(describedBy.length > 0 ? { "aria-describedby": describedBy.join(" ") } : {}),
  };
}

function choice(
  form: InvalidForm | undefined,
  name: string,
  { value, checked }: { value: string | undefined; checked: boolean },
): Partial<FieldProps> {
  // Browsers send "on" for a control without a value, and nothing for one that is not checked.
  const isChecked = form === undefined ? checked : sent(form, name).includes(value ?? "on");
  return { ...(value === undefined ? {} : { value }), ...(isChecked ? { checked: true } : {}) };
}

function shown(type: string, value: string | undefined): Partial<FieldProps> {
  if (value === undefined || ["password", "file", "select"].includes(type)) return {};
  // HTML drops the first line break of a textarea.
  return type === "textarea" ? { children: value.replace(/^\r?\n/, "\n$&") } : { value };
}

/**
 * Returns the attributes and the text of the element that shows the errors of a field: hidden while
 * there are none. {@linkcode fieldProps} refers to it.
 *
 * @param form Prop `form` of the page.
 * @param name Name of the field, as {@linkcode fieldProps} takes it.
 * @example
 * ```ts
 * import { errorProps } from "@framework/cli/runtime";
 * import { deepEqual } from "node:assert/strict";
 *
 * const form = { message: "", fields: { "tags[1]": ["Too long."] }, values: {} };
 * deepEqual(errorProps(form, "tags[]"), { id: "tags-error", children: "Too long." });
 * deepEqual(errorProps(form, "title"), { id: "title-error", hidden: true });
 * ```
 */
export function errorProps(form: InvalidForm | undefined, name: string): ErrorProps {
  const errors = errorsOf(form, name);
  const id = `${idOf(name)}-error`;
  return errors.length === 0 ? { id, hidden: true } : { id, children: errors.join(" ") };
}

function errorsOf(form: InvalidForm | undefined, name: string): string[] {
  const own = withoutBrackets(name);
  return Object.entries(form?.fields ?? {}).flatMap(([field, messages]) =>
    field === own || (own !== name && field.startsWith(`${own}[`)) ? messages : []
  );
}

/** Returns the values of a field; own properties only, whatever the field's name. */
function sent(form: InvalidForm | undefined, name: string): string[] {
  const values = form?.values ?? {};
  return Object.hasOwn(values, name) ? [values[name]!].flat() : [];
}

function withoutBrackets(name: string): string {
  return name.endsWith("[]") ? name.slice(0, -2) : name;
}

/** Returns a name as an id; `aria-describedby` separates ids by spaces. */
function idOf(name: string): string {
  return withoutBrackets(name).replace(/\s/g, "-");
}
