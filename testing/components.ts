/**
 * Renders `hono/jsx` components to HTML and queries them by role, label, text and test id,
 * following the rules of Testing Library.
 *
 * @example
 * ```tsx
 * import { render } from "@framework/testing/components";
 * import assert from "node:assert/strict";
 *
 * const view = await render(<h1>Hello, Ada</h1>);
 * assert.equal(view.getByRole("heading", { level: 1 }).textContent, "Hello, Ada");
 * ```
 *
 * @module
 */

export { render, type RenderResult, within } from "./components/render.ts";
export type { Renderable } from "./components/to_html.ts";
export type { RenderedDocument, RenderedElement } from "./components/dom.ts";
export type {
  Matcher,
  MatchOptions,
  Queries,
  QueryForms,
  RoleOptions,
  SelectorOptions,
  TextOptions,
} from "./components/queries.ts";
