import type { Auth, ContextAuth } from "@framework/auth";
import type { Kysely } from "kysely";
import type { Cookies } from "./cookies.ts";
import type { Flash } from "./flash.ts";
import type { InvalidForm } from "./invalid_input.ts";
import type {
  ActionSchemaOf,
  ComponentFile,
  Database,
  DataOf,
  Env,
  LayoutDataOf,
  OuterValuesOf,
  ParamsOf,
  RoutePath,
  SearchOf,
  ValuesOf,
} from "./register.ts";
import type { SearchParams } from "./router.ts";
import type { InputOf } from "./schema.ts";

export type { Params, SearchParams } from "./router.ts";

/**
 * Context of one request: `RequestContext<"/t/[tenant]">` for the files of the folder
 * `app/t/[tenant]`, `RequestContext` for code of no particular folder. The second type argument is
 * the schema of the input of a route: `typeof input`.
 */
export interface RequestContext<
  // deno-lint-ignore no-explicit-any -- of no particular folder.
  Path extends RoutePath = any,
  Schema = unknown,
  Values = ValuesOf<Path>,
> {
  /** Bindings, variables and secrets of the platform. */
  readonly env: Env;
  /**
   * Query builder over the database binding that `framework.config.ts` names; created at the first
   * use.
   */
  readonly db: Kysely<Database>;
  /**
   * Authentication of the request: `getUser()`, `requireAuth()`, `hasRole()` and the other
   * operations, as promises.
   */
  readonly auth: ContextAuth;
  /** Values of the path's dynamic segments. */
  readonly params: ParamsOf<Path>;
  /**
   * Input that the schema of the file, its export `input`, has accepted. Until the action or the
   * method of the route runs, and without a schema, it is undefined.
   */
  readonly input: InputOf<Schema>;
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
  get<Key extends keyof Values & string>(key: Key): Values[Key];
  /** Stores a value for code that runs later in the same request. */
  set<Key extends keyof Values & string>(key: Key, value: Values[Key]): void;
}

/**
 * Arguments of a `loader`: `LoaderArgs<"/t/[tenant]">`. The layout of a folder whose page exports
 * `search` has `LoaderArgs<"/t/[tenant]", SearchParams>`.
 */
// deno-lint-ignore no-explicit-any -- of no particular folder.
export interface LoaderArgs<Path extends RoutePath = any, Search = SearchOf<Path, "page">> {
  /** Values of the path's dynamic segments, decoded. */
  params: ParamsOf<Path>;
  /**
   * Query of the URL, as the schema that the page exports as `search` has made it. Without one, and
   * in layouts, it has texts: `?tag=a&tag=b` is `{ tag: ["a", "b"] }`.
   */
  searchParams: Search;
  /** The request, with the query in its URL. */
  request: Request;
  /** Environment, database and authentication. */
  context: RequestContext<Path>;
}

/**
 * Arguments of a page's `action`. When the page exports a schema as `input`, the body has been read,
 * and `context.input` is what the schema made of it.
 */
export interface ActionArgs<
  // deno-lint-ignore no-explicit-any -- of no particular folder.
  Path extends RoutePath = any,
  Schema = ActionSchemaOf<Path>,
> extends Pick<LoaderArgs<Path>, "params" | "searchParams" | "request"> {
  /** Environment, database, authentication and input. */
  context: RequestContext<Path, Schema>;
}

/** Props of a page: `PageProps<"/t/[tenant]">` for `app/t/[tenant]/page.tsx`. */
// deno-lint-ignore no-explicit-any -- of no particular folder.
export interface PageProps<Path extends RoutePath = any> {
  /** Result of `loader`. */
  data: DataOf<Path, "page">;
  /** Result of `action`, when this is the response to a form post. */
  actionData?: DataOf<Path, "page", "action"> | undefined;
  /**
   * Results of the loaders of the layouts around the page, in one object; of two fields of one name
   * the nearer layout's counts. Results that are not objects are left out.
   */
  layoutData: LayoutDataOf<Path, "page">;
  /**
   * Values and errors of the form, when this is the response (422) to one that `input` or
   * `invalid()` refused.
   */
  form?: InvalidForm | undefined;
  /** Values of the path's dynamic segments, decoded. */
  params: ParamsOf<Path>;
  /** Query of the URL, as `loader` has it. */
  searchParams: SearchOf<Path, "page">;
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
// deno-lint-ignore no-explicit-any -- of no particular folder.
export interface ErrorPageProps<Path extends RoutePath = any> {
  /** Public part of the error. */
  error: PageError;
  /**
   * Results of the loaders of the layouts around the error page, in one object, as for a page. The
   * page of a layout that failed is one of a folder further out.
   */
  layoutData: LayoutDataOf<Path, "page">;
  /** Values of the path's dynamic segments; empty when no route matches the path. */
  params: ParamsOf<Path>;
  /** Query of the URL that failed, as texts. */
  searchParams: SearchParams;
}

/** Props of a layout: `LayoutProps<"/t/[tenant]">` for `app/t/[tenant]/layout.tsx`. */
// deno-lint-ignore no-explicit-any -- of no particular folder.
export interface LayoutProps<Path extends RoutePath = any> {
  /** The page, inside the layouts below this one. */
  // deno-lint-ignore no-explicit-any -- hono's type of children is not exported.
  children: any;
  /** Result of the layout's own `loader`. */
  data: DataOf<Path, "layout">;
  /** Results of the loaders of the layouts around this one, in one object, as for a page. */
  layoutData: LayoutDataOf<Path, "layout">;
  /** Values of the path's dynamic segments, including those below the layout's folder. */
  params: ParamsOf<Path>;
}

/**
 * Argument of `metadata`, when it is a function: `MetadataArgs<"/t/[tenant]">` for a page,
 * `MetadataArgs<"/t/[tenant]", "layout">` for a layout.
 */
// deno-lint-ignore no-explicit-any -- of no particular folder.
export interface MetadataArgs<Path extends RoutePath = any, File extends ComponentFile = "page">
  extends LoaderArgs<Path, SearchOf<Path, File>> {
  /** Result of the file's own `loader`. */
  data: DataOf<Path, File>;
  /** Results of the loaders of the layouts around it, in one object. */
  layoutData: LayoutDataOf<Path, File>;
}

/**
 * Arguments of a page's or layout's `headers`, when it is a function, with the same type arguments
 * as {@linkcode MetadataArgs}.
 */
// deno-lint-ignore no-explicit-any -- of no particular folder.
export interface HeadersArgs<Path extends RoutePath = any, File extends ComponentFile = "page">
  extends MetadataArgs<Path, File> {
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
 * parameters a list of those of each page, or a function that returns it:
 * `Prerender<"/posts/[slug]">`.
 */
// deno-lint-ignore no-explicit-any -- of no particular folder.
export type Prerender<Path extends RoutePath = any> =
  | true
  | readonly ParamsOf<Path>[]
  | (() => readonly ParamsOf<Path>[] | Promise<readonly ParamsOf<Path>[]>);

/** Execution context of a worker. */
export interface ExecutionContext {
  /**
   * Keeps the worker alive until the work has ended, after the response has been sent; about 30
   * seconds at most.
   */
  waitUntil(work: Promise<unknown>): void;
}

/** Context of a handler of a queue or a cron job: its third argument. */
export interface BackgroundContext extends ExecutionContext {
  /**
   * Query builder over the database binding that `framework.config.ts` names, as `context.db` of a
   * request; created at the first use.
   */
  readonly db: Kysely<Database>;
  /**
   * Returns the authentication of the project, for `auth.deliver(env)` of an outbox and `resealSecrets(auth, env)`. Nobody is
   * signed in here.
   *
   * @throws {Error} When the project has no `app/auth`.
   */
  getAuth(): Auth<unknown>;
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
export type QueueHandler<Body = unknown> = (
  messages: readonly QueueMessage<Body>[],
  env: Env,
  context: BackgroundContext,
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
export type ScheduledHandler = (
  controller: ScheduledController,
  env: Env,
  context: BackgroundContext,
) => void | Promise<void>;

/** A method that a route.ts exports. Any result but a `Response` becomes JSON. */
export type RouteHandler<
  // deno-lint-ignore no-explicit-any -- of no particular folder.
  Path extends RoutePath = any,
  Schema = unknown,
> = (
  request: Request,
  context: RequestContext<Path, Schema>,
) => unknown;

/**
 * Middleware: the export `middleware` of a middleware.ts. It runs once for each request.
 * `Middleware<"/t/[tenant]", { team: Team }>` stores a team with `context.set("team", …)` before it
 * calls `next`; `context.get("team")` of the files in and below the folder has its type.
 */
// deno-lint-ignore no-explicit-any ban-types -- of no particular folder; stores nothing.
export interface Middleware<Path extends RoutePath = any, Values extends object = {}> {
  (
    request: Request,
    next: (request?: Request) => Promise<Response>,
    context: RequestContext<Path, unknown, OuterValuesOf<Path> & Values>,
  ): Response | Promise<Response>;
  /** Never set; makes the type of the stored values known to the types of other files. */
  readonly stores?: Values;
}
