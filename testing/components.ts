/**
 * Components of `hono/jsx` in tests: rendered to HTML, and looked at by role, label, text and test
 * id, by the rules of the Testing Library.
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
