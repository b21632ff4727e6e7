import type { JSX as Hono } from "hono/jsx/jsx-runtime";

/** A global class, where the compiler has the types of browsers (`"lib": ["dom"]`). */
export type GlobalClass<Name extends string, Otherwise> = typeof globalThis extends
  Record<Name, { prototype: infer Class }> ? Class : Otherwise;

/** Class of an element, by its tag. */
export type ElementOf<Tag> = GlobalClass<
  Tag extends keyof ElementClasses ? ElementClasses[Tag] : "HTMLElement",
  EventTarget
>;

/** Names of the classes of elements with properties of their own, by tag. */
export type ElementClasses = {
  a: "HTMLAnchorElement";
  audio: "HTMLAudioElement";
  button: "HTMLButtonElement";
  canvas: "HTMLCanvasElement";
  details: "HTMLDetailsElement";
  dialog: "HTMLDialogElement";
  fieldset: "HTMLFieldSetElement";
  form: "HTMLFormElement";
  iframe: "HTMLIFrameElement";
  img: "HTMLImageElement";
  input: "HTMLInputElement";
  label: "HTMLLabelElement";
  meter: "HTMLMeterElement";
  option: "HTMLOptionElement";
  output: "HTMLOutputElement";
  progress: "HTMLProgressElement";
  select: "HTMLSelectElement";
  slot: "HTMLSlotElement";
  svg: "SVGSVGElement";
  textarea: "HTMLTextAreaElement";
  video: "HTMLVideoElement";
};

/** Class of an event where it is more precise than that of hono, by the name of the handler. */
export type EventOf<Name, Event> = Name extends `onSubmit${string}`
  ? GlobalClass<"SubmitEvent", Event>
  : Name extends "onToggle" | "onBeforeToggle" ? GlobalClass<"ToggleEvent", Event>
  : Event;

/** Type of an attribute: a handler with the class of its event and the element as `currentTarget`, or as declared. */
export type Attribute<Name, Declared, Tag> = Name extends `on${string}`
  ? NonNullable<Declared> extends (event: infer Event) => void ?
      | ((event: EventOf<Name, Event> & { readonly currentTarget: ElementOf<Tag> }) => void)
      | undefined
  : Declared
  : Declared;

/** Attributes of an element with typed handlers. */
export type WithHandlers<Attributes, Tag> = {
  [Name in keyof Attributes]: Attribute<Name, Attributes[Name], Tag>;
};

/** Attributes of elements as hono declares them, by tag. */
export type HonoElements = Hono.IntrinsicElements;

/** Types of JSX: those of hono, with the class of each event and its `currentTarget`. */
export declare namespace JSX {
  /** Result of a component. */
  export type Element = Hono.Element;
  /** Type of a tag. */
  export type ElementType = Hono.ElementType;
  /** Name of the property for what stands in an element. */
  export type ElementChildrenAttribute = Hono.ElementChildrenAttribute;
  /** Attributes of elements, by tag. */
  export type IntrinsicElements = {
    [Tag in keyof HonoElements]: WithHandlers<HonoElements[Tag], Tag>;
  };
  /** Attributes of every element and component. */
  export type IntrinsicAttributes = Hono.IntrinsicAttributes;
}
