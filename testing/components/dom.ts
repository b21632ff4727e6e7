import { parseHTML } from "linkedom";

/** Element that a query finds: the part of the DOM that looking at a page needs. */
export interface RenderedElement {
  /** In upper case: `BUTTON`. */
  readonly tagName: string;
  /** The attribute `id`; empty without one. */
  readonly id: string;
  /** The attribute `class`; empty without one. */
  readonly className: string;
  /** The text in it and in what it contains, as it is written: spaces and lines are kept. */
  readonly textContent: string | null;
  /** Markup between its tags. */
  readonly innerHTML: string;
  /** It and what it contains, as markup. */
  readonly outerHTML: string;
  /** The element around it; null for `html`. */
  readonly parentElement: RenderedElement | null;
  /** The elements directly in it, without texts. */
  readonly children: ArrayLike<RenderedElement> & Iterable<RenderedElement>;
  /** Its classes, one by one. */
  readonly classList: { contains(name: string): boolean };
  /** Its attributes `data-…`, without that beginning and in camel case. */
  readonly dataset: Record<string, string | undefined>;
  /** An attribute as it is written; null when it has none of that name. */
  getAttribute(name: string): string | null;
  /** Returns true when it has an attribute, such as `disabled`. */
  hasAttribute(name: string): boolean;
  /** Returns true when a CSS selector selects it. */
  matches(selector: string): boolean;
  /** The nearest that a CSS selector selects, itself and upwards; null when there is none. */
  closest(selector: string): RenderedElement | null;
  /** The first below it that a CSS selector selects; null when there is none. */
  querySelector(selector: string): RenderedElement | null;
  /** All below it that a CSS selector selects, in the order of the page. */
  querySelectorAll(selector: string): ArrayLike<RenderedElement> & Iterable<RenderedElement>;
}

/** A parsed document, in which nothing runs. */
export interface RenderedDocument {
  /** The text of `<title>`. */
  readonly title: string;
  /** The element `html`. */
  readonly documentElement: RenderedElement;
  /** The element `body`, in which a component without one stands. */
  readonly body: RenderedElement;
}

const LABELABLE = "button, input, meter, output, progress, select, textarea";

/** Parses HTML, whole documents and parts of them, without running anything that stands in it. */
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

// What follows are properties of a browser's DOM that the queries read and the parser's lacks.

/** Options are selected as a page shows them at first: in a list for one choice, the last of those marked, else the first. */
function defineSelection(list: RenderedElement): void {
  const options = [...list.querySelectorAll("option")];
  const marked = options.filter((option) => option.hasAttribute("selected"));
  const chosen = list.hasAttribute("multiple")
    ? marked
    : [marked.at(-1) ?? options.find((option) => !option.hasAttribute("disabled"))];
  for (const option of options) define(option, { selected: chosen.includes(option) });
}

/** The label elements of a control: those that name it, and the one around it. */
function labelsOf(control: RenderedElement, root: RenderedElement): RenderedElement[] {
  return [...root.querySelectorAll("label")].filter((label) => {
    const target = label.getAttribute("for");
    if (target === null) return [...label.querySelectorAll(LABELABLE)][0] === control;
    // Of several elements with the same id the first one counts.
    return [...root.querySelectorAll("[id]")].find((element) => element.id === target) === control;
  });
}

// Stylesheets are not read: what counts is the attribute `hidden` and styles written on elements.
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
