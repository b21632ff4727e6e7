import type { ContextAuth } from "@framework/auth";
import type { Kysely } from "kysely";
import type { DataResult } from "./results.ts";

/** What a path's dynamic segments held: a string for `[id]`, a list for `[...rest]`. */
export type Params = Record<string, string | string[]>;

/** The query of a page's address; a name that occurs more than once holds a list. */
export type SearchParams = Record<string, string | string[]>;

/** What application code is given for one request. */
export interface RequestContext<Env = Record<string, unknown>, P = Record<string, string>> {
  /** The platform's bindings and secrets. */
  readonly env: Env;
  /** Query builder over the database binding that `framework.config.ts` names; made on first use. */
  // deno-lint-ignore no-explicit-any -- the schema is the application's; `Kysely<Schema>` can be assigned from it.
  readonly db: Kysely<any>;
  /** Who is asking. */
  readonly auth: ContextAuth;
  /** What the path's dynamic segments held. */
  readonly params: P;
  /** Names this request in the log. */
  readonly requestId: string;
  /** Keeps the worker alive for work that goes on after the response. */
  waitUntil(work: Promise<unknown>): void;
  /** Reads what a middleware left with `set`. */
  get<T = unknown>(key: string): T | undefined;
  /** Leaves a value for what runs later in the same request. */
  set(key: string, value: unknown): void;
}

/** What a page's or layout's `loader` is given. */
export interface LoaderArgs<Env = Record<string, unknown>, P = Record<string, string>> {
  params: P;
  request: Request;
  context: RequestContext<Env, P>;
}

/** What a page's `action` is given; the request's body has not been read. */
export type ActionArgs<Env = Record<string, unknown>, P = Record<string, string>> = LoaderArgs<
  Env,
  P
>;

// deno-lint-ignore no-explicit-any -- any function, whatever it takes.
type AnyFunction = (...args: any[]) => unknown;

/** What a component sees of a loader's or action's result: no `Response`, and the value inside `data()`. */
export type ResultOf<F> = F extends AnyFunction ? Unwrap<Exclude<Awaited<ReturnType<F>>, Response>>
  : undefined;
type Unwrap<T> = T extends DataResult<infer V> ? V : T;

/**
 * Props of a page: `PageProps<typeof loader, typeof action>`.
 */
export interface PageProps<L = undefined, A = undefined, P = Record<string, string>> {
  /** What `loader` returned. */
  data: ResultOf<L>;
  /** What `action` returned, when this is the answer to a form post. */
  actionData?: ResultOf<A> | undefined;
  params: P;
  searchParams: SearchParams;
}

/** Props of a layout: `LayoutProps<typeof loader>`. */
export interface LayoutProps<L = undefined, P = Record<string, string>> {
  /** The page, inside the layouts between. */
  // deno-lint-ignore no-explicit-any -- hono's type of children is not exported.
  children: any;
  /** What the layout's own `loader` returned. */
  data: ResultOf<L>;
  params: P;
}

/** Title and description of a page, or a function that derives them from the page's data. */
export interface Metadata {
  title?: string;
  description?: string;
}

/** A method that a route.ts exports. What is not a `Response` becomes JSON. */
export type RouteHandler<Env = Record<string, unknown>, P = Record<string, string>> = (
  request: Request,
  context: RequestContext<Env, P>,
) => unknown;

/** What a middleware.ts exports as `middleware`. It runs once for each request. */
export type Middleware<Env = Record<string, unknown>> = (
  request: Request,
  next: (request?: Request) => Promise<Response>,
  context: RequestContext<Env>,
) => Response | Promise<Response>;
