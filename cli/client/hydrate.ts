import { type ComponentChild, type ComponentType, h, hydrate } from "preact";
import { decodeProps } from "./props.ts";

/** Parts of an element that are used here: the compiler has no browser types. */
export interface PageElement {
  readonly lastChild: { nodeType: number; data?: string; remove(): void } | null;
  readonly innerHTML: string;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<Control>;
}

/** A form's control. */
interface Control {
  type: string;
  value: string;
  defaultValue: string;
  checked: boolean;
  defaultChecked: boolean;
  dispatchEvent(event: unknown): void;
}

interface Browser {
  document: { querySelectorAll(selector: string): Iterable<PageElement>; baseURI: string };
  customElements: {
    get(name: string): unknown;
    define(name: string, element: unknown): void;
  };
  HTMLElement: new () => PageElement;
  MutationObserver: new (changed: () => void) => {
    observe(target: unknown, options: { childList: boolean }): void;
    disconnect(): void;
  };
  Event: new (type: string, options: { bubbles: boolean }) => unknown;
  location: { origin: string };
}

const browser = globalThis as unknown as Browser;

const KEY: unique symbol = Symbol.for("framework.islands");
/** The islands that wait for their script, and the loaded scripts. */
interface Page {
  modules: Map<string, Record<string, unknown>>;
  waiting: Set<PageElement>;
}
const shared = globalThis as { [KEY]?: Page };
/** State of the page. */
export const page: Page = shared[KEY] ??= { modules: new Map(), waiting: new Set() };

/**
 * Hydrates the islands of one client file, those in the page and those that are added later.
 *
 * @param address Address of the script, by which its islands name it.
 * @param module What the client file exports.
 * @throws {TypeError} Outside of a browser, which has custom elements.
 *
 * @example
 * ```ts
 * import { hydrateIslands } from "@framework/cli/client";
 * import { throws } from "node:assert/strict";
 *
 * // The build writes: import * as counter from "./app/_components/counter.tsx";
 * const counter = { Counter: () => null };
 * throws(() => hydrateIslands(import.meta.url, counter), TypeError); // this is no browser
 * ```
 */
export function hydrateIslands(address: string, module: Record<string, unknown>): void {
  page.modules.set(new URL(address).pathname, module);
  defineElement();
  for (const element of [...page.waiting]) tryHydrate(element);
}

function defineElement(): void {
  if (browser.customElements.get("framework-island")) return;
  browser.customElements.define(
    "framework-island",
    class extends browser.HTMLElement {
      connectedCallback(): void {
        whenComplete(this, () => {
          page.waiting.add(this);
          tryHydrate(this);
        });
      }
    },
  );
}

/**
 * Waits until an element has been received completely: the mark at the end of its content is then
 * present.
 */
function whenComplete(element: PageElement, act: () => void): void {
  if (takeEnd(element)) return act();
  const observer = new browser.MutationObserver(() => {
    if (!takeEnd(element)) return;
    observer.disconnect();
    act();
  });
  observer.observe(element, { childList: true });
}

function takeEnd({ lastChild }: PageElement): boolean {
  if (lastChild?.nodeType !== 8 || lastChild.data !== "/") return false;
  lastChild.remove();
  return true;
}

function tryHydrate(element: PageElement): void {
  const address = new URL(element.getAttribute("src") ?? "", browser.location.origin).pathname;
  const module = page.modules.get(address);
  if (!module) return;
  page.waiting.delete(element);
  const component = module[element.getAttribute("name") ?? ""] as ComponentType;
  const props = decodeProps(element.getAttribute("props") ?? "{}");
  const slot = element.querySelector("framework-slot");
  if (slot !== null) props["children"] = keep(slot.innerHTML);
  const typed = readTyped(element);
  hydrate(h(component, props), element as never);
  for (const restore of typed) restore();
}

/** Keeps markup that only the server can render; it reappears when the component shows it again. */
function keep(html: string): ComponentChild {
  return h("framework-slot", {
    style: "display:contents",
    dangerouslySetInnerHTML: { __html: html },
  });
}

/** Reads text that was entered before the script ran; the component receives it as an input event. */
function readTyped(element: PageElement): (() => void)[] {
  return [...element.querySelectorAll("input, textarea, select")].flatMap((control) => {
    const { type, value, checked } = control;
    if (type === "file" || type === "hidden" || isUntouched(control)) return [];
    return () => {
      if (control.value !== value) control.value = value;
      if (control.checked !== checked) control.checked = checked;
      control.dispatchEvent(new browser.Event("input", { bubbles: true }));
    };
  });
}

function isUntouched(control: Control): boolean {
  if (control.type.startsWith("select")) {
    const { options } = control as unknown as {
      options: Iterable<{ selected: boolean; defaultSelected: boolean }>;
    };
    const all = [...options];
    const hasDefault = all.some((option) => option.defaultSelected);
    return all.every(({ selected, defaultSelected }, index) =>
      selected === (hasDefault ? defaultSelected : index === 0)
    );
  }
  if (control.type === "checkbox" || control.type === "radio") {
    return control.checked === control.defaultChecked;
  }
  return control.value === control.defaultValue;
}
