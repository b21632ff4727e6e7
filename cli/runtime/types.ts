import type { ContextAuth } from "@framework/auth";
import type { Kysely } from "kysely";
import type { DataResult } from "./results.ts";
import type { Params } from "./router.ts";

export type { Params } from "./router.ts";

/** The query of a page's address; a name that occurs more than once holds a list. */
export type SearchParams = Record<string, string | string[]>;

/** What application code is given for one request. */
export interface RequestContext<Env = Record<string, unknown>, P = Record<string, string>> {
  /** The platform's bindings and secrets. */
  readonly env: Env;
  /** Query builder over the database binding that `framework.config.ts` names; made on first use. */
  // deno-lint-ignore no-explicit-any -- the schema is the application's; `Kysely<Schema>` can be assigned from it.
  readonly db: Kysely<any>;
  /** Who is asking: `getUser()`, `requireAuth()`, `hasRole()` and the others, as promises. */
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
  /** What the path's dynamic segments held, decoded. */
  params: P;
  /** The request as it came, with the query in its address. */
  request: Request;
  /** The environment, the database and who is asking. */
  context: RequestContext<Env, P>;
}

/** What a page's `action` is given; the request's body has not been read. */
export type ActionArgs<Env = Record<string, unknown>, P = Record<string, string>> = LoaderArgs<
  Env,
  P
>;

/** What a component sees of a loader's or action's result: no `Response`, and the value inside `data()`. */
// deno-lint-ignore no-explicit-any -- any function, whatever it takes.
export type ResultOf<F> = F extends (...args: any[]) => infer R
  ? Exclude<Awaited<R>, Response> extends infer T ? T extends DataResult<infer V> ? V : T : never
  : undefined;

/**
 * Props of a page: `PageProps<typeof loader, typeof action>`.
 */
export interface PageProps<L = undefined, A = undefined, P = Record<string, string>> {
  /** What `loader` returned. */
  data: ResultOf<L>;
  /** What `action` returned, when this is the answer to a form post. */
  actionData?: ResultOf<A> | undefined;
  /** What the path's dynamic segments held, decoded. */
  params: P;
  /** The query of the address: `?tag=a&tag=b` is `{ tag: ["a", "b"] }`. */
  searchParams: SearchParams;
}

/** What an error page shows of an error. */
export interface PageError {
  /** In production, of an unexpected error: a sentence that tells nothing of it. */
  message: string;
  /** Status of the response. */
  status: number;
  /** Stable name of the condition, as in `NOT_FOUND`, `FORBIDDEN`, `INTERNAL_ERROR`. */
  code: string;
  /** Names the request in the log. */
  requestId: string;
  /** Where an unexpected error comes from; in development only. */
  stack?: string;
}

/** Props of an error page: error.tsx, not-found.tsx, unauthorized.tsx, forbidden.tsx. */
export interface ErrorPageProps<P = Params> {
  /** What may be shown of the error. */
  error: PageError;
  /** What the path's dynamic segments held; empty where no route answers the path. */
  params: P;
  /** The query of the address that failed. */
  searchParams: SearchParams;
}

/** Props of a layout: `LayoutProps<typeof loader>`. */
export interface LayoutProps<L = undefined, P = Record<string, string>> {
  /** The page, inside the layouts between. */
  // deno-lint-ignore no-explicit-any -- hono's type of children is not exported.
  children: any;
  /** What the layout's own `loader` returned. */
  data: ResultOf<L>;
  /** What the path's dynamic segments held, also those below the layout's folder. */
  params: P;
}

/** What stands in the head of a page. Of a page and its layouts the nearest to the page wins, field by field. */
export interface Metadata {
  /** What the window, search engines and bookmarks call the page: `<title>`. */
  title?: string;
  /** What search engines show below the title: `<meta name="description">`. */
  description?: string;
  /** For search engines, as in `noindex`. */
  robots?: string;
  /** The one address of a page that has several. */
  canonical?: string;
  /** What others show of a link to the page, as in `{ title, image, type }`; each becomes `og:<name>`. */
  openGraph?: Record<string, string>;
}

/** What `metadata` is called with, when it is a function: `MetadataArgs<typeof loader>`. */
export interface MetadataArgs<L = undefined, P = Params, Env = Record<string, unknown>>
  extends LoaderArgs<Env, P> {
  /** What the file's own `loader` returned. */
  data: ResultOf<L>;
}

/** What a page's or layout's `headers` is called with, when it is a function. */
export interface HeadersArgs<Env = Record<string, unknown>, P = Params, D = unknown>
  extends LoaderArgs<Env, P> {
  /** What the file's own `loader` returned. */
  data: D;
  /** For a policy of your own: the value behind `nonce-` that the framework's inline scripts carry in this response. */
  readonly nonce: string;
}

/** Headers of a page's response; null takes a default header away. The page's own win over those of its layouts. */
export type PageHeaders = Record<string, string | null>;

/** What the platform hands to a worker besides request and environment. */
export interface ExecutionContext {
  /**
   * Keeps the worker alive until the work has ended, after the response has gone; about 30 seconds
   * at most.
   */
  waitUntil(work: Promise<unknown>): void;
}

/** A message of a queue, as the platform delivers it. */
export interface QueueMessage<Body = unknown> {
  /**
   * Made by the platform, and the same in every delivery: by it a handler knows what it has done
   * already.
   */
  readonly id: string;
  /** When it was sent. */
  readonly timestamp: Date;
  /** What was sent, as the sender's content type gives it back. */
  readonly body: Body;
  /** How often it has been delivered, this time included: it counts from 1. */
  readonly attempts: number;
  /** Done: it is not delivered again. Without `ack` and `retry` it is done when the handler returns. */
  ack(): void;
  /** Not done: it is delivered again, after `delaySeconds` if given. */
  retry(options?: { delaySeconds?: number }): void;
}

/** Messages of one queue, as the platform delivers them. */
export interface MessageBatch<Body = unknown> {
  /** Name of the queue, by which a worker of several tells them apart. */
  readonly queue: string;
  /**
   * The messages, in the order in which the platform gives them, which need not be that of sending.
   */
  readonly messages: readonly QueueMessage<Body>[];
}

/** What a file of `app/queues` exports as `queue`. When it throws, all messages are delivered again. */
export type QueueHandler<Env = Record<string, unknown>, Body = unknown> = (
  messages: readonly QueueMessage<Body>[],
  env: Env,
  ctx: ExecutionContext,
) => void | Promise<void>;

/** Which of a worker's schedules is due. */
export interface ScheduledController {
  /** The expression, as in `0 3 * * *`. */
  readonly cron: string;
  /** Milliseconds since 1970. */
  readonly scheduledTime: number;
}

/** What a file of `app/cron` exports as `scheduled`, beside the `schedule` of cron expressions that it runs at. */
export type ScheduledHandler<Env = Record<string, unknown>> = (
  controller: ScheduledController,
  env: Env,
  ctx: ExecutionContext,
) => void | Promise<void>;

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
