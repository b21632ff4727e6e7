"use client";
import { errorProps, fieldProps, useForm } from "@framework/cli/form";
import { useState } from "hono/jsx";

export function Comments({ texts }: { texts: string[] }) {
  const [shown, setShown] = useState(texts);
  const { form, onSubmit } = useForm(undefined, {
    onSaved: (sent) => setShown((before) => [...before, String(sent.get("text"))]),
  });
  return (
    <>
      <ul>{shown.map((text) => <li key={text}>{text}</li>)}</ul>
      <form method="post" onSubmit={onSubmit}>
        <input {...fieldProps(form, "text")} aria-label="Comment" />
        <p {...errorProps(form, "text")} />
        <button type="submit">Send</button>
      </form>
    </>
  );
}
