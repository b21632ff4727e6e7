import type { ContextAuth } from "@framework/auth";
import type { Kysely } from "kysely";
import type { Cookies } from "./cookies.ts";
import type { Flash } from "./flash.ts";
import type { InvalidForm } from "./invalid_input.ts";
import type { DataResult } from "./results.ts";
import type { Params } from "./router.ts";
import type { InputOf } from "./schema.ts";

export type { Params } from "./router.ts";

/** Query of a page's URL; a name that occurs more than once has a list. */
export type SearchParams = Record<string, string | string[]>;

/**
 * Context of one request. The third type argument is the schema of the input: `typeof input`.
 */
export interface RequestContext<
  Env = Record<string, unknown>,
  P = Record<string, string>,
  S = unknown,
> {
  /** Bindings, variables and secrets of the platform. */
  readonly env: Env;
  /**
   * Query builder over the database binding that `framework.config.ts` names; created at the first
   * use.
   */
  // deno-lint-ignore no-explicit-any -- the schema is the application's; `Kysely<Schema>` can be assigned from it.
  readonly db: Kysely<any>;
  /**
   * Authentication of the request: `getUser()`, `requireAuth()`, `hasRole()` and the other
   * operations, as promises.
   */
  readonly auth: ContextAuth;
  /** Values of the path's dynamic segments. */
  readonly params: P;
  /**
   * Input that the schema of the file, its export `input`, has accepted. Until the action or the
   * method of the route runs, and without a schema, it is undefined.
   */
  readonly input: InputOf<S>;
  /** Cookies of the request and the response. */
  readonly cookies: Cookies;
  /** Message for the next page, over a redirect. */
  readonly flash: Flash;
  /** Id of this request in the log. */
  readonly requestId: string;
  /**
   * True when the browser asks ahead of a visit that may never come: for what counts visits, marks as read, or costs
   * much.
   */
  readonly isPrefetch: boolean;
  /** Keeps the worker alive for work that continues after the response. */
  waitUntil(work: Promise<unknown>): void;
  /** Returns a value that middleware stored with `set`. */
  get<T = unknown>(key: string): T | undefined;
  /** Stores a value for code that runs later in the same request. */
  set(key: string, value: unknown): void;
}

/** Arguments of a page's or layout's `loader`. */
export interface LoaderArgs<Env = Record<string, unknown>, P = Record<string, string>> {
  /** Values of the path's dynamic segments, decoded. */
  params: P;
  /** The request, with the query in its URL. */
  request: Request;
  /** Environment, database and authentication. */
  context: RequestContext<Env, P>;
}

/**
 * Arguments of a page's `action`. With a schema, `ActionArgs<Env, Params, typeof input>`, the body
 * has been read, and `context.input` is what the schema made of it.
 */
export interface ActionArgs<
  Env = Record<string, unknown>,
  P = Record<string, string>,
  S = unknown,
> extends Pick<LoaderArgs<Env, P>, "params" | "request"> {
  /** Environment, database, authentication and input. */
  context: RequestContext<Env, P, S>;
}

/**
 * Result of a loader or action as a component receives it: without `Response`, and unwrapped from
 * `data()`.
 */
// deno-lint-ignore no-explicit-any -- any function, whatever it takes.
export type ResultOf<F> = F extends (...args: any[]) => infer R
  ? Exclude<Awaited<R>, Response> extends infer T ? T extends DataResult<infer V> ? V : T : never
  : undefined;

/**
 * Props of a page: `PageProps<typeof loader, typeof action>`.
 */
export interface PageProps<L = undefined, A = undefined, P = Record<string, string>> {
  /** Result of `loader`. */
  data: ResultOf<L>;
  /** Result of `action`, when this is the response to a form post. */
  actionData?: ResultOf<A> | undefined;
  /**
   * Values and errors of the form, when this is the response (422) to one that `input` or
   * `invalid()` refused.
   */
  form?: InvalidForm | undefined;
  /** Values of the path's dynamic segments, decoded. */
  params: P;
  /** Query of the URL: `?tag=a&tag=b` is `{ tag: ["a", "b"] }`. */
  searchParams: SearchParams;
}

/** Public part of an error, for an error page. */
export interface PageError {
  /** Message; in production, a generic sentence for an unexpected error. */
  message: string;
  /** Status of the response. */
  status: number;
  /** Stable name of the condition, such as `NOT_FOUND`, `FORBIDDEN` or `INTERNAL_ERROR`. */
  code: string;
  /** Id of the request in the log. */
  requestId: string;
  /** Stack of an unexpected error; in development only. */
  stack?: string;
}

/** Props of an error page: error.tsx, not-found.tsx, unauthorized.tsx, forbidden.tsx. */
export interface ErrorPageProps<P = Params> {
  /** Public part of the error. */
  error: PageError;
  /** Values of the path's dynamic segments; empty when no route matches the path. */
  params: P;
  /** Query of the URL that failed. */
  searchParams: SearchParams;
}

/** Props of a layout: `LayoutProps<typeof loader>`. */
export interface LayoutProps<L = undefined, P = Record<string, string>> {
  /** The page, inside the layouts below this one. */
  // deno-lint-ignore no-explicit-any -- hono's type of children is not exported.
  children: any;
  /** Result of the layout's own `loader`. */
  data: ResultOf<L>;
  /** Values of the path's dynamic segments, including those below the layout's folder. */
  params: P;
}

/** Argument of `metadata`, when it is a function: `MetadataArgs<typeof loader>`. */
export interface MetadataArgs<L = undefined, P = Params, Env = Record<string, unknown>>
  extends LoaderArgs<Env, P> {
  /** Result of the file's own `loader`. */
  data: ResultOf<L>;
}

/** Arguments of a page's or layout's `headers`, when it is a function. */
export interface HeadersArgs<Env = Record<string, unknown>, P = Params, D = unknown>
  extends LoaderArgs<Env, P> {
  /** Result of the file's own `loader`. */
  data: D;
  /** Nonce of the framework's inline scripts in this response, for your own content security policy. */
  readonly nonce: string;
}

/**
 * Headers of a page's response; null removes a default header. The page's own override those of its
 * layouts.
 */
export type PageHeaders = Record<string, string | null>;

/**
 * Export `prerender` of a page that the build writes as a static file: true, or for a path with
 * parameters a list of those of each page, or a function that returns it.
 */
export type Prerender<P = Params> =
  | true
  | readonly P[]
  | (() => readonly P[] | Promise<readonly P[]>);

/** Execution context of a worker. */
export interface ExecutionContext {
  /**
   * Keeps the worker alive until the work has ended, after the response has been sent; about 30
   * seconds at most.
   */
  waitUntil(work: Promise<unknown>): void;
}

/** A message of a queue, as the platform delivers it. */
export interface QueueMessage<Body = unknown> {
  /** Id from the platform, the same in every delivery, by which a handler recognizes repeated work. */
  readonly id: string;
  /** Time of sending. */
  readonly timestamp: Date;
  /** Content of the message, as the sender's content type decodes it. */
  readonly body: Body;
  /** Number of deliveries, this one included, from 1. */
  readonly attempts: number;
  /**
   * Acknowledges the message: it is not delivered again. Without `ack` and `retry`, it is
   * acknowledged when the handler returns.
   */
  ack(): void;
  /** Requests another delivery, after `delaySeconds` if given. */
  retry(options?: { delaySeconds?: number }): void;
}

/** Messages of one queue, as the platform delivers them. */
export interface MessageBatch<Body = unknown> {
  /** Name of the queue, for workers with several. */
  readonly queue: string;
  /** Messages in the platform's order, which may differ from the sending order. */
  readonly messages: readonly QueueMessage<Body>[];
}

/**
 * Handler of a queue: the export `queue` of a file of `app/queues`. When it throws, all messages
 * are delivered again.
 */
export type QueueHandler<Env = Record<string, unknown>, Body = unknown> = (
  messages: readonly QueueMessage<Body>[],
  env: Env,
  ctx: ExecutionContext,
) => void | Promise<void>;

/** Schedule that is due. */
export interface ScheduledController {
  /** Cron expression, such as `0 3 * * *`. */
  readonly cron: string;
  /** Milliseconds since 1970. */
  readonly scheduledTime: number;
}

/**
 * Handler of a cron job: the export `scheduled` of a file of `app/cron`, next to the `schedule` of
 * cron expressions that it runs at.
 */
export type ScheduledHandler<Env = Record<string, unknown>> = (
  controller: ScheduledController,
  env: Env,
  ctx: ExecutionContext,
) => void | Promise<void>;

/** A method that a route.ts exports. Any result but a `Response` becomes JSON. */
export type RouteHandler<
  Env = Record<string, unknown>,
  P = Record<string, string>,
  S = unknown,
> = (
  request: Request,
  context: RequestContext<Env, P, S>,
) => unknown;

/** Middleware: the export `middleware` of a middleware.ts. It runs once for each request. */
export type Middleware<Env = Record<string, unknown>> = (
  request: Request,
  next: (request?: Request) => Promise<Response>,
  context: RequestContext<Env>,
) => Response | Promise<Response>;
