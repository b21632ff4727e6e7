import { jsx, type JSXNode } from "hono/jsx";
import { StreamingContext, Suspense } from "hono/jsx/streaming";
import { raw } from "hono/utils/html";
import { type AppAssets, formHeader } from "../client/assets.ts";
import { type DocumentIslands, islandScripts, withIslands } from "../client/islands.ts";
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
  const islands: DocumentIslands = { assets: settings.assets, files: new Set(), sent: false };
  let node = jsx(component(page), props);
  if (loading) node = whileLoading(node, loading, request);
  for (const layout of layouts.toReversed()) {
    const { loaded, layoutData } = layout;
    const props = { data: loaded.data, layoutData, params: args.params };
    node = jsx(component(layout), props, node);
  }
  // Suspense requests it, for the script that inserts late content.
  const scripts = {
    get scriptNonce() {
      return security.nonce;
    },
  };
  const metadata = await readMetadata(rendering);
  const rendered = await renderTree(
    jsx(StreamingContext.Provider, { value: scripts }, withIslands(islands, node) as JSXNode),
    // A loader's request has the headers of the form, and another method.
    args.request.headers.has(formHeader),
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

function whileLoading(
  node: JSXNode,
  loading: ManifestModule,
  { args, late }: PageRequest,
): JSXNode {
  // The status has been sent when a late page fails, so the error is shown in its place.
  function Page(): string | Promise<string> {
    const html = node.toString();
    if (typeof html === "string") return raw(html);
    return html.catch(async (error: unknown) => raw(await late.render(error)));
  }
  return jsx(
    Suspense,
    { fallback: jsx(component(loading), { params: args.params }) },
    jsx(Page, {}),
  );
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
