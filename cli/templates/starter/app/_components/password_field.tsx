"use client";

import { useState } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import { Field } from "./field.tsx";

/** A field for a new password that counts along. Without JavaScript it is the field with its hint. */
export function PasswordField(
  { minLength, error }: { minLength: number; error?: string | undefined },
): JSX.Element {
  const [length, setLength] = useState(0);
  const missing = minLength - length;
  const hint = length === 0
    ? `At least ${minLength} characters. A few words are easiest.`
    : missing > 0
    ? `${missing} more to go.`
    : "Long enough.";
  return (
    <div
      class={`strength ${length > 0 && missing <= 0 ? "good" : ""}`}
      style={`--share: ${Math.min(1, length / minLength)}`}
      onInput={(event: Event) => setLength(lengthOf(event))}
    >
      <Field
        name="password"
        label="Password"
        type="password"
        autocomplete="new-password"
        minLength={minLength}
        hint={hint}
        error={error}
      />
    </div>
  );
}

function lengthOf({ target }: Event): number {
  return target !== null && "value" in target ? [...String(target.value)].length : 0;
}
