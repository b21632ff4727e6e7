import { type Context, createContext, useContext } from "hono/jsx";
import { Fragment, jsxDEV as jsx } from "hono/jsx/jsx-dev-runtime";
import { raw } from "hono/utils/html";
import { type AppAssets, assetName, assetsFolder, formScript } from "./assets.ts";
import { encodeProps, isMarkup } from "./props.ts";

/** Origin of a client component. */
interface ClientComponent {
  /** File name, such as `app/_components/counter.tsx`. */
  file: string;
  /** Name of the export. */
  name: string;
}

/** State that the islands of one document share. */
export interface DocumentIslands {
  /** Addresses of the built scripts and stylesheets. */
  assets: AppAssets;
  /** Client files that the document uses so far. */
  files: Set<string>;
  /** True once the document's head has been sent; later islands bring their own scripts. */
  sent: boolean;
  /** File of the page, for messages. */
  page?: string;
}

type Component = (props: Record<string, unknown>) => unknown;

interface Surroundings {
  document: DocumentIslands;
  /** True when the surrounding island renders this part in the browser anyway. */
  inside: boolean;
}

interface Islands {
  /** The client components, and what is rendered in the place of others. */
  clients: WeakMap<Component, ClientComponent | Component>;
  /** Context that tells an island its surroundings, by the `createContext` of each copy of hono. */
  surroundings: WeakMap<typeof createContext, Context<Surroundings | null>>;
}

const KEY: unique symbol = Symbol.for("framework.islands.server");
const shared = globalThis as { [KEY]?: Islands };

// On the global object, so that two copies of this module in one process, as in test runners, share
// it. A context is of one copy of hono: `framework dev` loads another one when an edit needs more of it.
const { clients, surroundings: contexts }: Islands = shared[KEY] ??= {
  clients: new WeakMap(),
  surroundings: new WeakMap(),
};
const surroundings: Context<Surroundings | null> = contexts.get(createContext) ??
  createContext<Surroundings | null>(null);
contexts.set(createContext, surroundings);

/** Registers every function that a client file exports as a client component. */
export function registerClient(file: string, module: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(module)) {
    if (typeof value === "function") clients.set(value as Component, { file, name });
  }
}

/** Has JSX render another component in the place of one, with the same props. */
export function replaceComponent(component: unknown, by: Component): void {
  clients.set(component as Component, by);
}

/**
 * Provides the islands below an element with their document, which collects the files that it must
 * load.
 *
 * @param document Its assets; `files` is filled while the element is rendered.
 * @param node What JSX made.
 * @returns What is to be rendered in its place.
 *
 * @example
 * ```tsx
 * import { withIslands } from "@framework/cli/testing";
 * import { equal } from "node:assert/strict";
 *
 * const islands = { assets: { scripts: {}, styles: {} }, files: new Set<string>(), sent: false };
 * equal(String(withIslands(islands, <p>Hello</p>)), "<p>Hello</p>");
 * equal(islands.files.size, 0); // nothing of it runs in the browser
 * ```
 */
export function withIslands(document: DocumentIslands, node: unknown): unknown {
  return inSurroundings({ document, inside: false }, node);
}

function inSurroundings(value: Surroundings, children: unknown): unknown {
  return jsx(surroundings.Provider as never, { value, children });
}

/**
 * Returns what is rendered in the place of a component, for a client component its island when a document is being
 * rendered; undefined for all others.
 */
export function wrapIsland(tag: unknown): Component | undefined {
  const client = clients.get(tag as Component);
  if (!client || typeof client === "function") return client;
  return (props) => renderIsland(tag as Component, props, client);
}

/**
 * Renders a client component in an element that its script finds and hydrates. Markup in `children`
 * is rendered on the server only: the browser keeps it unchanged.
 */
function renderIsland(
  component: Component,
  props: Record<string, unknown>,
  client: ClientComponent,
): unknown {
  const around = useContext(surroundings);
  if (around === null || around.inside) return jsx(component as never, props);
  const { document } = around;
  const { children, ...data } = props;
  const hasSlot = isMarkup(children);
  const given = hasSlot
    ? {
      ...data,
      children: jsx("framework-slot", { style, children: inSurroundings(around, children) }),
    }
    : props;
  const [src, ...imports] = scriptsOf(document.assets, client.file);
  const late = document.sent && !document.files.has(client.file);
  document.files.add(client.file);
  const island = jsx("framework-island", {
    src,
    name: client.name,
    props: encodeProps(hasSlot ? data : props, describe(client, document)),
    style,
    children: [
      inSurroundings({ document, inside: true }, jsx(component as never, given)),
      // The browser may find the element while its content is still arriving: this marks the end.
      raw("<!--/-->"),
    ],
  });
  return late
    ? jsx(Fragment, { children: [island, raw(scriptTags([[src!, ...imports]]))] })
    : island;
}

/** Renders a form, marked for the script unless a client component around it has it to itself. */
export function renderForm(props: Record<string, unknown>, offline: string): unknown {
  const around = useContext(surroundings);
  if (around?.inside) return jsx("form", props);
  const form = jsx("form", { ...props, "data-enhance": offline });
  if (around === null) return form;
  const { document } = around;
  const late = document.sent && !document.files.has(formScript);
  document.files.add(formScript);
  if (!late) return form;
  return jsx(Fragment, {
    children: [form, raw(scriptTags([scriptsOf(document.assets, formScript)]))],
  });
}

const style = "display:contents";

function describe({ file, name }: ClientComponent, { page }: DocumentIslands): string {
  return `${name === "default" ? "" : `<${name}> `}(${file})${page ? ` on ${page}` : ""}`;
}

function scriptsOf({ scripts }: AppAssets, file: string): string[] {
  return scripts[file] ?? [`${assetsFolder}/${assetName(file)}.js`];
}

/**
 * Returns the markup that loads the islands' scripts in a document's head; empty without islands.
 *
 * @param document The islands that were rendered so far: those below {@linkcode withIslands}.
 *
 * @example
 * ```ts
 * import { islandScripts } from "@framework/cli/testing";
 * import { equal } from "node:assert/strict";
 *
 * const assets = { scripts: {}, styles: {} };
 * equal(islandScripts({ assets, files: new Set(), sent: false }), "");
 * ```
 */
export function islandScripts({ assets, files }: DocumentIslands): string {
  return scriptTags([...files].map((file) => scriptsOf(assets, file)));
}

function scriptTags(scripts: readonly string[][]): string {
  const imports = new Set(scripts.flatMap(([, ...rest]) => rest));
  return [...imports].map((href) => `<link rel="modulepreload" href="${href}"/>`).join("") +
    scripts.map(([src]) => `<script type="module" async src="${src}"></script>`).join("");
}
