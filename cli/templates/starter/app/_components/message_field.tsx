"use client";

import { useState } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";

/** A field for a text that counts along. Without JavaScript it is the field with its limit. */
export function MessageField(
  { maxLength, value = "" }: { maxLength: number; value?: string | undefined },
): JSX.Element {
  const [left, setLeft] = useState(maxLength - value.length);
  return (
    <div class="field" onInput={({ target }: Event) => setLeft(maxLength - lengthOf(target))}>
      <label for="text">Message</label>
      <textarea
        id="text"
        name="text"
        rows={5}
        maxlength={maxLength}
        aria-describedby="text-hint"
        required
      >
        {value}
      </textarea>
      <p class="hint" id="text-hint">
        {left === maxLength ? `Up to ${maxLength} characters.` : `${left} characters left.`}
      </p>
    </div>
  );
}

function lengthOf(target: EventTarget | null): number {
  return target !== null && "value" in target ? String(target.value).length : 0;
}
