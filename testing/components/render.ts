import { queries as library } from "@testing-library/dom";
import { readPage } from "../context/read_page.ts";
import { parseDocument, type RenderedDocument, type RenderedElement } from "./dom.ts";
import type { Queries } from "./queries.ts";
import { type Renderable, toHtml } from "./to_html.ts";

/** Rendered component, with the queries of the Testing Library over all of it. */
export type RenderResult = Queries & {
  /** The HTML as the component wrote it. */
  html: string;
  /** The element that the component's own stand in: `body`. */
  container: RenderedElement;
  /** The document; that of a component that renders `<html>` is its own. */
  document: RenderedDocument;
};

/**
 * Renders a component of `hono/jsx` to HTML as a worker would, asynchronous components included, and
 * parses that. A response is parsed too: a page with its layouts and loaders is what `ctx.fetch` returns. Scripts do not run,
 * and stylesheets are not read; `@framework/testing/browser` has both.
 *
 * @param element What JSX made: `<Card title="x" />`; or a response with a page.
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
 * const view = await render(<Field label="E-mail" />);
 * assert.equal(view.getByRole("textbox", { name: "E-mail" }).getAttribute("name"), "field");
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
 * The same queries over one element and what stands in it.
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

// Of a whole document the title can be asked for too.
function queriesOf(document: RenderedDocument): Queries {
  return within(document.documentElement);
}
