import { parseHTML } from "linkedom";

/** Element found by a query: the part of the DOM interface that assertions need. */
export interface RenderedElement {
  /** Tag name in upper case, such as `BUTTON`. */
  readonly tagName: string;
  /** The attribute `id`; empty without one. */
  readonly id: string;
  /** The attribute `class`; empty without one. */
  readonly className: string;
  /** Text of the element and its descendants, whitespace included. */
  readonly textContent: string | null;
  /** Markup between its tags. */
  readonly innerHTML: string;
  /** Markup of the element with its tags. */
  readonly outerHTML: string;
  /** Parent element; null for `html`. */
  readonly parentElement: RenderedElement | null;
  /** Child elements, without text nodes. */
  readonly children: ArrayLike<RenderedElement> & Iterable<RenderedElement>;
  /** Class names of the element. */
  readonly classList: { contains(name: string): boolean };
  /** Attributes `data-…`, in camel case and without the prefix. */
  readonly dataset: Record<string, string | undefined>;
  /** Returns an attribute's value; null when the element has no such attribute. */
  getAttribute(name: string): string | null;
  /** Returns true when the element has the attribute, such as `disabled`. */
  hasAttribute(name: string): boolean;
  /** Returns true when the element matches a CSS selector. */
  matches(selector: string): boolean;
  /**
   * Returns the nearest element that matches a CSS selector, from this one upwards; null when there
   * is none.
   */
  closest(selector: string): RenderedElement | null;
  /** Returns the first descendant that matches a CSS selector; null when there is none. */
  querySelector(selector: string): RenderedElement | null;
  /** Returns all descendants that match a CSS selector, in document order. */
  querySelectorAll(selector: string): ArrayLike<RenderedElement> & Iterable<RenderedElement>;
}

/** Parsed document whose scripts do not run. */
export interface RenderedDocument {
  /** The text of `<title>`. */
  readonly title: string;
  /** The element `html`. */
  readonly documentElement: RenderedElement;
  /** The element `body`; it contains a component that renders none itself. */
  readonly body: RenderedElement;
}

const LABELABLE = "button, input, meter, output, progress, select, textarea";

/** Parses HTML, a whole document or a fragment, without running its scripts. */
export function parseDocument(html: string): RenderedDocument {
  const whole = /^\s*(<!doctype[^>]*>\s*)?<html[\s>]/i.test(html)
    ? html
    : `<!DOCTYPE html><html><head></head><body>${html}</body></html>`;
  const window = parseHTML(whole) as unknown as { document: RenderedDocument };
  const { document } = window;
  define(window, { getComputedStyle: computedStyle });
  const root = document.documentElement;
  for (const control of root.querySelectorAll(LABELABLE)) {
    if (control.tagName === "INPUT" && control.getAttribute("type") === "hidden") continue;
    define(control, { labels: labelsOf(control, root) });
  }
  for (const input of root.querySelectorAll("input")) {
    define(input, { checked: input.hasAttribute("checked") });
  }
  for (const list of root.querySelectorAll("select")) defineSelection(list);
  return document;
}

// The properties below exist in a browser's DOM, are read by the queries and are missing in the
// parser's DOM.

/**
 * Defines the initially selected options: in a single-choice list the last one marked `selected`,
 * otherwise the first.
 */
function defineSelection(list: RenderedElement): void {
  const options = [...list.querySelectorAll("option")];
  const marked = options.filter((option) => option.hasAttribute("selected"));
  const chosen = list.hasAttribute("multiple")
    ? marked
    : [marked.at(-1) ?? options.find((option) => !option.hasAttribute("disabled"))];
  for (const option of options) define(option, { selected: chosen.includes(option) });
}

/** Returns the labels of a control: those that refer to its id, and the one that contains it. */
function labelsOf(control: RenderedElement, root: RenderedElement): RenderedElement[] {
  return [...root.querySelectorAll("label")].filter((label) => {
    const target = label.getAttribute("for");
    if (target === null) return [...label.querySelectorAll(LABELABLE)][0] === control;
    // With duplicate ids, a label refers to the first element.
    return [...root.querySelectorAll("[id]")].find((element) => element.id === target) === control;
  });
}

// Stylesheets are not read: only the attribute `hidden` and inline styles count.
function computedStyle(element: RenderedElement): Record<string, unknown> {
  const style: Record<string, string> = { display: "block", content: "none", ...ownStyle(element) };
  let around: RenderedElement | null = element;
  while (around !== null && style["visibility"] === undefined) {
    const visibility = ownStyle(around)["visibility"];
    if (visibility !== undefined) style["visibility"] = visibility;
    around = around.parentElement;
  }
  if (element.hasAttribute("hidden")) style["display"] = "none";
  return { ...style, getPropertyValue: (name: string) => style[name] ?? "" };
}

function ownStyle(element: RenderedElement): Record<string, string> {
  const parts = (element.getAttribute("style") ?? "").split(";").map((part) => part.split(":"));
  const entries = parts.map((
    [name = "", ...value],
  ) => [name.trim().toLowerCase(), value.join(":")]);
  return Object.fromEntries(
    entries.filter(([name]) => name !== "").map(([name, value = ""]) => [name, value.trim()]),
  );
}

function define(target: object, properties: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  }
}
