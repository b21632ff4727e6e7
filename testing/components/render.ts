import { beginAtCallers } from "../errors.ts";
import { queries as library } from "@testing-library/dom";
import { readPage } from "../context/page.ts";
import { parseDocument, type RenderedDocument, type RenderedElement } from "./dom.ts";
import type { Queries } from "./queries.ts";
import { type Renderable, toHtml } from "./to_html.ts";

/** Rendered component with Testing Library's queries over all of it. */
export type RenderResult = Queries & {
  /** The HTML as the component wrote it. */
  html: string;
  /** Element that contains the rendered component: `body`. */
  container: RenderedElement;
  /** The document; the component's own when it renders `<html>`. */
  document: RenderedDocument;
};

/**
 * Renders a `hono/jsx` component to HTML as a worker would, asynchronous components included, and
 * parses the result. Also parses a response, such as a page with its layouts and loaders from
 * `ctx.fetch`. Scripts do not run, and stylesheets are not read; `@framework/testing/browser` has
 * both.
 *
 * @param element JSX element, such as `<Card title="x" />`, or a response that contains a page.
 * @throws What the component throws; {@linkcode TestingError} `NOT_RENDERABLE` for anything else than JSX,
 * `BODY_READ` for a response that has been read before.
 * @example
 * ```tsx
 * import { render } from "@framework/testing/components";
 * import assert from "node:assert/strict";
 *
 * function Field({ label }: { label: string }) {
 *   return <label>{label} <input name="field" required /></label>;
 * }
 *
 * const view = await render(<Field label="Email" />);
 * assert.equal(view.getByRole("textbox", { name: "Email" }).getAttribute("name"), "field");
 * assert.equal(view.queryByText("Password"), null);
 * ```
 */
export async function render(
  element: Renderable | Response | Promise<Renderable | Response>,
): Promise<RenderResult> {
  const given = await element;
  const html = given instanceof Response ? await readPage(given, "render()") : await toHtml(given);
  const document = parseDocument(html);
  return { html, document, container: document.body, ...queriesOf(document) };
}

/**
 * Returns the same queries, limited to one element and its descendants.
 *
 * @param element An element that a query found.
 * @example
 * ```tsx
 * import { render, within } from "@framework/testing/components";
 * import assert from "node:assert/strict";
 *
 * const view = await render(
 *   <>
 *     <nav><a href="/">Home</a></nav>
 *     <main><a href="/more">More</a></main>
 *   </>,
 * );
 * const link = within(view.getByRole("main")).getByRole("link");
 * assert.equal(link.getAttribute("href"), "/more");
 * ```
 */
export function within(element: RenderedElement): Queries {
  const names = Object.keys(library).filter((name) => /^(get|query)/.test(name));
  return Object.fromEntries(names.map((name) => {
    const query = Reflect.get(library, name) as (root: unknown, ...args: unknown[]) => unknown;
    return [name, (...args: unknown[]) => query(element, ...args)];
  })) as unknown as Queries;
}

// Queries over the whole document include its title.
function queriesOf(document: RenderedDocument): Queries {
  return within(document.documentElement);
}

beginAtCallers(render);
