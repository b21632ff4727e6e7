import { HtmlEscapedCallbackPhase, resolveCallback } from "hono/utils/html";
import { TestingError } from "../errors.ts";

/** Something that JSX makes of a component: its text is the HTML, at once or after waiting. */
export interface Renderable {
  /** The HTML; a promise where a component waits for something. */
  toString(): string | Promise<string>;
}

/**
 * The HTML of an element, whatever in it had to be waited for.
 *
 * @throws {TestingError} `NOT_RENDERABLE` for anything but JSX.
 */
export async function toHtml(element: Renderable): Promise<string> {
  // A fragment of nothing, `false && <Card />` and the like render nothing.
  if (element === null || element === undefined || typeof element === "boolean") return "";
  const text = await element.toString();
  if (typeof element === "object" && text === "[object Object]") {
    throw new TestingError(
      "NOT_RENDERABLE",
      "render() was given an object that is not JSX of hono. Pass an element such as <Card />, and " +
        'check that jsxImportSource is "hono/jsx".',
    );
  }
  const resolved = await resolveCallback(text, HtmlEscapedCallbackPhase.Stringify, false, {});
  return String(resolved);
}
