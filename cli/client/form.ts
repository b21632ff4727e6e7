import { renderForm } from "./islands.ts";
import { jsx } from "./jsx.ts";
import type { JSX } from "./jsx_types.ts";

/** Attributes of a {@linkcode Form}. */
export type FormProps = JSX.IntrinsicElements["form"] & {
  /** Message when no answer came. Default: an English one. */
  offline?: string;
};

/**
 * Renders a form that posts in place, with `method="post"` unless another is given. The page loads a
 * script for it; in a client component it is an ordinary form, and `useForm()` posts in place.
 *
 * @param props Attributes of the form, and `offline`, the message when no answer came.
 *
 * @example
 * ```tsx
 * import { Form } from "@framework/cli/form";
 * import { equal } from "node:assert/strict";
 *
 * const form = <Form action="/members" offline="Keine Verbindung."><button>Join</button></Form>;
 * equal(
 *   String(form),
 *   '<form method="post" action="/members" data-enhance="Keine Verbindung."><button>Join</button></form>',
 * );
 * ```
 */
export function Form(props: FormProps): JSX.Element {
  const { offline = "", ...attributes } = props;
  return jsx(() => renderForm({ method: "post", ...attributes }, offline), {});
}
