import { Fragment, jsx, type JSXNode, useContext } from "hono/jsx";
import { StreamingContext, Suspense } from "hono/jsx/streaming";
import { raw } from "hono/utils/html";
import { type AppAssets, formHeader } from "../client/assets.ts";
import {
  type DocumentIslands,
  islandScripts,
  replaceComponent,
  withIslands,
} from "../client/islands.ts";
import { createDocument } from "./document.ts";
import type { LoadedModule, PageRequest } from "./loaders.ts";
import type { ManifestModule } from "./manifest.ts";
import { type Metadata, type ResolvedMetadata, resolveMetadata } from "./metadata.ts";
import { renderTree, streamDocument } from "./stream.ts";
import type { SearchParams } from "./types.ts";

/** Parts of a document. */
export interface Rendering {
  /** The page, or the module that replaces it. */
  page: ManifestModule;
  /** The page's props. */
  props: Record<string, unknown>;
  /** Placeholder until the page is ready. Without it, the response waits. */
  loading?: ManifestModule | undefined;
  /** Layouts, outermost first. */
  layouts: LoadedModule[];
  request: PageRequest;
}

/** Renders a page in its layouts to a complete document: a stream when parts of it follow later. */
export async function renderDocument(rendering: Rendering): Promise<BodyInit> {
  const { page, props, loading, layouts, request } = rendering;
  const { args, security, late, settings } = request;
  // A loader's request has the headers of the form, and another method.
  const isWhole = args.request.headers.has(formHeader);
  const islands: DocumentIslands = {
    assets: settings.assets,
    files: new Set(),
    sent: false,
    page: page.file,
  };
  let node = jsx(component(page), props);
  if (loading) {
    const fallback = jsx(component(loading), { params: args.params });
    node = suspend({ fallback, children: node });
  }
  for (const layout of layouts.toReversed()) {
    const { loaded, layoutData } = layout;
    const props = { data: loaded.data, layoutData, params: args.params };
    node = jsx(component(layout), props, node);
  }
  const streaming: Streaming = {
    // Suspense requests it, for the script that inserts late content.
    get scriptNonce() {
      return security.nonce;
    },
    // The status has been sent when a late part fails, so the error is shown in its place.
    ...(!isWhole && { replace: async (error) => raw(await late.render(error)) }),
  };
  const metadata = await readMetadata(rendering);
  const rendered = await renderTree(
    jsx(StreamingContext.Provider, { value: streaming }, withIslands(islands, node) as JSXNode),
    isWhole,
  );
  const head = styleLinks(rendering, settings.assets) + islandScripts(islands);
  islands.sent = true;
  const document = createDocument(rendered.html, metadata, head);
  if (rendered.late.length === 0) return document;
  return streamDocument(document, rendered.late, late.report);
}

/**
 * Returns the stylesheets of everything that the document may show, each once; the page's come last
 * and take precedence.
 */
function styleLinks({ layouts, loading, page }: Rendering, { styles }: AppAssets): string {
  const files = [...layouts, ...(loading ? [loading] : []), page].map(({ file }) => file);
  const addresses = new Set(files.flatMap((file) => styles[file] ?? []));
  return [...addresses].map((href) => `<link rel="stylesheet" href="${href}"/>`).join("");
}

/** Context of a document, of which `Suspense` takes the nonce. */
interface Streaming {
  readonly scriptNonce: string;
  /** Renders what takes the place of a late part that failed; without it, the document fails. */
  replace?(error: unknown): Promise<unknown>;
}

/** Renders the content of a `Suspense`, and in its place the error when it fails late. */
function Part({ children }: { children?: unknown }): unknown {
  const { replace } = useContext(StreamingContext) as Streaming | null ?? {};
  const html: string | Promise<unknown> = jsx(Fragment, {}, children as JSXNode).toString();
  if (typeof html === "string") return raw(html);
  return replace ? html.catch(replace) : html;
}

// hono would leave the fallback for ever.
replaceComponent(Suspense, suspend);

function suspend({ children, ...props }: Record<string, unknown>): JSXNode {
  return jsx(Suspense, props, jsx(Part, {}, children as JSXNode));
}

async function readMetadata(
  { page, props, layouts, request }: Rendering,
): Promise<ResolvedMetadata> {
  const sources: [source: ManifestModule, data: object][] = [
    ...layouts.map((layout): [ManifestModule, object] => {
      return [layout, { data: layout.loaded.data, layoutData: layout.layoutData }];
    }),
    [page, props],
  ];
  const declared = [];
  for (const [{ file, module }, data] of sources) {
    const own = module["metadata"] as Metadata | ((args: object) => Metadata | Promise<Metadata>);
    const metadata = typeof own === "function" ? await own({ ...request.args, ...data }) : own;
    declared.push({ file, metadata });
  }
  return resolveMetadata(declared, request.args.request.url);
}

/** Returns the component that a file exports. */
// deno-lint-ignore ban-types -- hono's own parameter type.
export function component({ module }: ManifestModule): Function {
  // deno-lint-ignore ban-types -- checked when the application was created.
  return module["default"] as Function;
}

/** Reads the query of a URL in the form that pages receive. */
export function readSearch(url: string): SearchParams {
  if (!url.includes("?")) return {};
  const read = new Map<string, string | string[]>();
  for (const [name, value] of new URL(url).searchParams) {
    const before = read.get(name);
    read.set(name, before === undefined ? value : [before, value].flat());
  }
  // fromEntries defines own properties, so that a parameter named __proto__ is an ordinary one.
  return Object.fromEntries(read);
}
