import type { ContentSources } from "./csp.ts";
import type { Metadata } from "./metadata.ts";
import type { RoutePath } from "./register.ts";
import type {
  ActionArgs,
  ErrorPageProps,
  HeadersArgs,
  LayoutProps,
  LoaderArgs,
  MetadataArgs,
  PageHeaders,
  PageProps,
  Prerender,
  RequestContext,
  RouteHandler,
  SearchParams,
} from "./types.ts";

/**
 * Exports of a page.tsx in a folder. The generated types hold each file of `app/` against such a
 * contract, so that a file copied from another folder without a change of its types is an error.
 */
export interface PageFile<Path extends RoutePath> {
  /** Renders the page. */
  default: (props: PageProps<Path>) => unknown;
  /** Loads its data. */
  loader?: (args: LoaderArgs<Path>) => unknown;
  /** Handles POST, PUT, PATCH and DELETE. */
  action?: (args: ActionArgs<Path>) => unknown;
  /** Title, description and other metadata. */
  metadata?: Metadata | ((args: MetadataArgs<Path>) => Metadata | Promise<Metadata>);
  /** Pages that the build writes as static files. */
  prerender?: Prerender<Path>;
  /** Headers of the response. */
  headers?: PageHeaders | ((args: HeadersArgs<Path>) => PageHeaders | Promise<PageHeaders>);
  /** Sources that its content security policy adds. */
  csp?: ContentSources | ((args: HeadersArgs<Path>) => ContentSources | Promise<ContentSources>);
}

/** Exports of a layout.tsx in a folder. */
export interface LayoutFile<Path extends RoutePath> {
  /** Renders what is around the pages. */
  default: (props: LayoutProps<Path>) => unknown;
  /** Loads its data. */
  loader?: (args: LoaderArgs<Path, SearchParams>) => unknown;
  /** Title, description and other metadata. */
  metadata?: Metadata | ((args: MetadataArgs<Path, "layout">) => Metadata | Promise<Metadata>);
  /** Headers of the response. */
  headers?:
    | PageHeaders
    | ((args: HeadersArgs<Path, "layout">) => PageHeaders | Promise<PageHeaders>);
  /** Sources that the content security policy of its pages adds. */
  csp?:
    | ContentSources
    | ((args: HeadersArgs<Path, "layout">) => ContentSources | Promise<ContentSources>);
}

/** Exports of an error.tsx, not-found.tsx, unauthorized.tsx or forbidden.tsx in a folder. */
export interface ErrorPageFile<Path extends RoutePath> {
  /** Renders the error. */
  default: (props: ErrorPageProps<Path>) => unknown;
}

/** Exports of a route.ts in a folder. */
export type RouteFile<Path extends RoutePath> = {
  [Method in "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS"]?:
    // deno-lint-ignore no-explicit-any -- its input is its own.
    RouteHandler<Path, any>;
};

/** Exports of a middleware.ts in a folder. */
export interface MiddlewareFile<Path extends RoutePath> {
  /** Runs before the routes of its folder and below. */
  middleware: (
    request: Request,
    next: (request?: Request) => Promise<Response>,
    // deno-lint-ignore no-explicit-any -- what it stores itself is its own.
    context: RequestContext<Path, unknown, any>,
  ) => Response | Promise<Response>;
}
