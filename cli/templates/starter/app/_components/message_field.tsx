"use client";

import type { ErrorProps, FieldProps } from "@framework/cli/form";
import { useState } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";

/** Properties of {@link MessageField}. */
export interface MessageFieldProps {
  /** Attributes of the text area, whose hint is `text-hint`, and of its error. */
  field: FieldProps;
  error: ErrorProps;
  maxLength: number;
}

/** A field for a text that counts along. Without JavaScript it is the field with its limit. */
export function MessageField({ field, error, maxLength }: MessageFieldProps): JSX.Element {
  const [left, setLeft] = useState(maxLength - (field.children ?? "").length);
  return (
    <div class="field" onInput={({ target }: Event) => setLeft(maxLength - lengthOf(target))}>
      <label for={field.id}>Message</label>
      <textarea {...field} rows={5} maxlength={maxLength} required />
      <p class="hint" id="text-hint">
        {left === maxLength ? `Up to ${maxLength} characters.` : `${left} characters left.`}
      </p>
      <p class="problem" {...error} />
    </div>
  );
}

function lengthOf(target: EventTarget | null): number {
  return target !== null && "value" in target ? String(target.value).length : 0;
}
