/**
 * Replaces `@framework/cli/form` in the scripts of client components. `framework build` inserts it;
 * do not import it directly.
 *
 * @example
 * ```ts
 * import { fieldProps } from "@framework/cli/client/form";
 * import { deepEqual } from "node:assert/strict";
 *
 * // A component that renders again leaves what was typed.
 * deepEqual(fieldProps(undefined, "title", { value: "Old" }), {
 *   id: "title",
 *   name: "title",
 *   type: "text",
 *   defaultValue: "Old",
 * });
 * ```
 *
 * @module
 */
export { fieldProps, Form } from "./client/browser_form.ts";
export { useForm } from "./client/use_form.ts";
export { errorProps } from "./runtime/form.ts";
