"use client";
import { Form, useForm } from "@framework/cli/form";
import { useRef } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";

interface Labels {
  text: string;
  count: number;
}

/** What handlers are given; what must not compile says so. */
export function Events({ text, count }: Labels): JSX.Element {
  const { onSubmit } = useForm();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const button: HTMLElement | null = event.submitter;
          const data = new FormData(event.currentTarget, button);
          // @ts-expect-error -- elements is no text
          const text: string = event.currentTarget.elements;
          return void [data, text];
        }}
      />
      <form onSubmit={(event: SubmitEvent) => event.preventDefault()} />
      <form onSubmit={(event: Event) => event.preventDefault()} />
      <form onSubmit={(event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
        event.currentTarget.reset();
      }} />
      <form onSubmit={onSubmit} />
      <form onSubmit={async () => await Promise.resolve()} />
      {/* @ts-expect-error -- a click is no submission */}
      <form onSubmit={(event: MouseEvent) => event.preventDefault()} />
      <input
        ref={input}
        type="number"
        onInput={(event) => void (event.currentTarget.valueAsNumber + count)}
        onChange={({ currentTarget }) => void currentTarget.checked}
        onKeyDown={(event) => {
          // @ts-expect-error -- a key has no wheel
          return void [event.key, event.deltaY];
        }}
      />
      <select onChange={(event) => void event.currentTarget.selectedOptions} />
      <button type="button" onClick={(event) => void (event.clientX + event.currentTarget.name.length)}>
        {text}
      </button>
      <div onPointerDown={(event) => void event.currentTarget.setPointerCapture(event.pointerId)} />
      {/* @ts-expect-error -- a click is no text */}
      <button type="button" onClick="go()" />
      <Form offline="No connection" data-kind="a" class="b" onSubmit={(event) => event.submitter} />
      {/* @ts-expect-error -- the message is a text */}
      <Form offline={1} />
      <own-element any={1} onOwn={() => {}} />
    </>
  );
}
