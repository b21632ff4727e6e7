import type { VNode } from "preact";
import { type FieldOptions, fieldProps as serverProps } from "../runtime/form.ts";
import type { InvalidForm } from "../runtime/invalid_input.ts";
import { jsx } from "./browser_jsx.ts";

/**
 * `fieldProps()` for the browser, where an element's value is a first value: it would otherwise
 * replace what was typed whenever the component renders again.
 *
 * @param form Messages and values of a refused form.
 * @param name Name of the field.
 * @param options Type, first value and hint.
 *
 * @example
 * ```ts
 * import { fieldProps } from "@framework/cli/client/form";
 * import { equal } from "node:assert/strict";
 *
 * equal(fieldProps(undefined, "copy", { type: "checkbox", checked: true }).defaultChecked, true);
 * ```
 */
export function fieldProps(
  form: InvalidForm | undefined,
  name: string,
  options: FieldOptions = {},
): Record<string, unknown> {
  const { value, checked, ...props } = serverProps(form, name, options);
  const isChoice = options.type === "checkbox" || options.type === "radio";
  return {
    ...props,
    ...(value === undefined ? {} : { [isChoice ? "value" : "defaultValue"]: value }),
    ...(isChoice ? { defaultChecked: checked === true } : {}),
  };
}

/**
 * Form of `@framework/cli/form` in a client component: an ordinary one.
 *
 * @param props Its attributes.
 *
 * @example
 * ```ts
 * import { Form } from "@framework/cli/client/form";
 * import { equal } from "node:assert/strict";
 *
 * equal(Form({ action: "/members" }).type, "form");
 * ```
 */
export function Form({ offline: _offline, ...props }: Record<string, unknown>): VNode {
  return jsx("form", { method: "post", ...props });
}
