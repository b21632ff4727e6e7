import { HtmlEscapedCallbackPhase, resolveCallback } from "hono/utils/html";
import { TestingError } from "../errors.ts";

/** JSX element: its string conversion is the HTML, or a promise of it. */
export interface Renderable {
  /** Returns the HTML; a promise when a component is asynchronous. */
  toString(): string | Promise<string>;
}

/**
 * Renders an element to HTML and waits for its asynchronous components.
 *
 * @throws {TestingError} `NOT_RENDERABLE` for anything but JSX.
 */
export async function toHtml(element: Renderable): Promise<string> {
  // A fragment of nothing, `false && <Card />` and the like render nothing.
  if (element === null || element === undefined || typeof element === "boolean") return "";
  const text = await element.toString();
  if (typeof element !== "object" || text === "[object Object]") {
    const given = typeof element === "object" ? "an object" : `a ${typeof element}`;
    throw new TestingError(
      "NOT_RENDERABLE",
      `render() was given ${given} that is not a hono/jsx element. Pass an element such as <Card />, and ` +
        'check that jsxImportSource is "hono/jsx".',
    );
  }
  const resolved = await resolveCallback(text, HtmlEscapedCallbackPhase.Stringify, false, {});
  return String(resolved);
}
