import type { NewApiKey, User } from "@framework/auth";
import type { OutgoingMail } from "@framework/auth/convention";
import type { Kysely } from "kysely";
import type { FaultOptions, Faults } from "../faults/faults.ts";
import type { TestClock } from "./clock.ts";
import type { ContextCookies } from "./cookies.ts";
import type { EmailDelivery, IncomingEmail } from "./email_delivery.ts";
import type { EntrypointStub } from "./entrypoints.ts";
import type { FetchApplication } from "./handlers.ts";
import type { OnFetch } from "./outgoing.ts";
import type { QueueDelivery, QueuedMessage } from "./queue_delivery.ts";
import type { ScheduledEvent, ScheduledResult } from "./scheduled.ts";
import type { ConnectOptions, TestWebSocket } from "./test_socket.ts";

/** Options for `createTestContext()`. */
export interface TestContextOptions<Env = Record<string, unknown>> {
  /** Inserts test data into the migrated database before the test begins. */
  // deno-lint-ignore no-explicit-any -- the schema is the application's.
  seed?: (db: Kysely<any>) => unknown;
  /**
   * Bindings and variables that override those of the platform file and `.dev.vars`. What stands for a binding may be any
   * object, and for a service binding the class of the other worker's entrypoint.
   */
  env?: { [K in keyof NoInfer<Env>]?: NoInfer<Env>[K] | object };
  /** The project's folder. Default: the current one. */
  cwd?: string;
  /** Time of the test: milliseconds since 1970, or a date. Default: now. */
  clock?: number | Date;
  /**
   * Runtime of the application: this process, with doubles of the bindings, or workerd, with the
   * worker that `framework build` bundles and the platform's own bindings. Default: "process".
   */
  runtime?: "process" | "workerd";
  /**
   * Worker to test, for a project without `app/`: the path of its module, relative to the project's folder, or what the
   * module exports. The file that a build writes is one too. Default: `main` of the platform file.
   */
  worker?: string | Record<string, unknown>;
  /**
   * Environment of the platform file, below `env`, whose bindings and variables the worker has. Default: the top level.
   */
  environment?: string;
  /**
   * Application to test in the place of a project: a function that answers requests, or an object with `fetch`. It gets
   * `env` and a context as a worker does. Default: none.
   */
  handler?: FetchApplication;
  /**
   * `"module"` runs the worker's modules anew for this context, so that nothing in their variables is shared with another
   * one. Default: they are loaded once per process.
   */
  fresh?: "module";
  /** Way in which `withAuth` signs in. Default: by the library's authentication in `app/auth`. */
  auth?: TestAuth;
  /** Base of relative paths. Default "http://localhost". */
  origin?: string;
  /**
   * Also calls the application's own `sendVerificationRequest`; `onFetch` answers its requests.
   * Default: false; mails only go to `outbox`.
   */
  sendMail?: boolean;
}

/** Options for `withAuth()`: the user to sign in. */
export interface WithAuthOptions {
  /** Id of the user, who is created when the database does not have one with this id. */
  userId: string;
  /** Role of a newly created user. */
  role?: string;
  /** Roles of a newly created user. */
  roles?: string[];
  /** Email address of a newly created user. Default: none. */
  email?: string;
  /** Name of a newly created user. Default: none. */
  name?: string;
  /** Creates the user when it does not exist. Default: true. */
  create?: boolean;
  /**
   * Id (not slug) of a tenant that the user becomes a member of, or the id with the user's roles
   * there. Default: none.
   */
  tenant?: string | { id: string; roles?: string[] };
  /**
   * Counts the session as one that two factors have proved, for `requireSecondFactor()` and users who have turned it on.
   * Default: false.
   */
  secondFactor?: boolean;
  /**
   * Sends an API key of the user, or of a tenant, with each request in the place of a session; `true` for one that may do
   * all that the user may. The application needs `apiKeys()`. Default: a session.
   */
  apiKey?: boolean | (Omit<NewApiKey, "name"> & { name?: string });
  /**
   * Administrator who acts for the user, created as the user is. The application needs `impersonation()`. Default: the
   * user's own session.
   */
  impersonatedBy?: Pick<WithAuthOptions, "userId" | "role" | "roles" | "secondFactor"> & {
    /** Reason for the audit log. Default "Test". */
    reason?: string;
  };
  /**
   * Base URL of the new context's relative paths, such as the tenant's host. Default: the origin of
   * this context.
   */
  origin?: string;
}

/** Session that `TestAuth.signIn()` has begun, where the visitor does not have it already. */
export interface SignedInBy {
  /** Cookies by name, or lines of `Set-Cookie`. */
  cookies?: Record<string, string> | readonly string[];
  /** Headers of each request, such as `authorization`. */
  headers?: Record<string, string>;
}

/** Way in which `withAuth()` signs in at an application whose authentication is not the library's. */
export interface TestAuth {
  /**
   * Signs a user in.
   *
   * @param options The options of `withAuth()`.
   * @param visitor A context with the same data and no cookies; those that it has afterwards are the session.
   * @returns Cookies and headers that the visitor does not have already. Default: none.
   */
  signIn(
    options: WithAuthOptions,
    // deno-lint-ignore no-explicit-any -- the bindings are the application's.
    visitor: TestContext<any>,
  ): SignedInBy | void | Promise<SignedInBy | void>;
}

/** Request of a test. */
export interface TestRequestInit extends RequestInit {
  /**
   * `request.cf`: what the platform says of the visitor, such as `{ country: "DE" }`. Default: none in process, and the
   * emulator's own in workerd.
   */
  cf?: Record<string, unknown>;
}

/** Application under test, with its own database, cookies and clock. */
export interface TestContext<Env = Record<string, unknown>> {
  /**
   * Sends a request to the application, in this process. Redirects are not followed. Cookies are
   * stored, and requests with methods other than GET, HEAD and OPTIONS have the application's
   * `Origin` header unless `init` sets another.
   *
   * @param path Path with query, relative to the context's `origin` (a path also when it begins
   * with `//`), or an absolute URL.
   * @throws Unexpected errors of the application.
   */
  fetch(path: string, init?: TestRequestInit): Promise<Response>;
  /**
   * Opens a WebSocket as a page of the application does, with its cookies and its `Origin`. `fetch`
   * with `Upgrade: websocket` returns the response only.
   *
   * @param path Path with query, relative to the context's `origin`, or an absolute URL.
   * @param options Headers and subprotocols.
   * @throws {TestingError} `NO_SOCKET` when the application answers with any status but 101.
   * Unexpected errors of the application are thrown too.
   */
  connect(path: string, options?: ConnectOptions): Promise<TestWebSocket>;
  /**
   * Submits a form of a page that `fetch` returned, with its hidden fields, to its `action`. This
   * reads the page's body, and a body can be read only once.
   *
   * @param response The page.
   * @param fields Values to fill in, by field name: texts, and `File` objects, one or a list, for a file field of a
   * form with `enctype="multipart/form-data"`. Fields that the page has already filled in may be omitted. The name and
   * value of a button say that it is the one that is pressed.
   * @param selector CSS selector of the form. Default: the first form that has all of `fields`.
   * @throws {TestingError} `NO_FORM` when the page has no form or is a redirect, `NO_FIELD` when no form has all of
   * `fields`, `NO_FILES` for a file where the form sends none, `BODY_READ` when the page's body has already been read,
   * `OPTIONS` for what is no response.
   */
  submit(
    response: Response,
    fields?: Record<string, string | Blob | readonly Blob[]>,
    selector?: string,
  ): Promise<Response>;
  /**
   * Signs a user in with a real session in the database.
   *
   * @returns A context with the same database and clock, and its own cookies.
   * @throws {TestingError} `OPTIONS` for options without a user's id, or that do not go together.
   */
  withAuth(options: WithAuthOptions): Promise<TestContext<Env>>;
  /**
   * Runs a function as if within a request of a signed-in user, so that `getUser()` and similar
   * functions of `@framework/auth` work in the code that it calls. The application's roles,
   * callbacks and database are used.
   *
   * @param user The user; created when the database does not have it.
   * @returns The function's result.
   */
  runAs<T>(user: User, work: () => T | Promise<T>): Promise<T>;
  /**
   * Mails of the library that the application sent, newest last. Some are sent after the answer, such as the one of a
   * forgotten password, so that its time tells nothing: await `settled()` before.
   */
  readonly outbox: OutgoingMail[];
  /**
   * Waits for the work that requests handed to `waitUntil`, such as mails that are sent after the answer. `fetch` does not
   * wait for it, as no platform does: a response may be written by such work while the test reads it. With the runtime
   * "workerd" that work is in another process, and is not waited for.
   *
   * @throws Errors of that work, which `cleanup` does not throw once more.
   */
  settled(): Promise<void>;
  /**
   * Registers a handler for outgoing `fetch` calls of the application, or a list of MSW's handlers. A call that no handler
   * matches fails, and so does the request that made it, with an error that names the URL.
   */
  onFetch: OnFetch;
  /**
   * Has bindings, requests to other servers or the clock be faulty for the application, until they are healed. The test
   * itself, with `ctx.db`, `ctx.env` and `withAuth`, meets no fault. All contexts of one application meet the same.
   *
   * @param options Faults; those that are begun later come before those that run.
   * @throws {TestingError} `OPTIONS` for a value or a binding that does not exist; `RUNTIME` with the platform's own
   * bindings, in workerd and in the worker pool.
   */
  faults(options: FaultOptions): Faults;
  /**
   * Delivers messages to the worker's `queue` handler, as one batch. Without messages, those that wait in the queue: what
   * the worker has sent, and what a handler has asked to get again, when their delay has passed by the clock.
   *
   * @param name Name of the queue, as in the platform file.
   * @param messages Bodies with what else a message has. Default: those that wait.
   * @returns The outcome of each message, and what is delivered again or no more.
   * @throws Errors of the handler; its messages are delivered again all the same. {@linkcode TestingError} `NO_HANDLER`
   * when there is none, `OPTIONS` without a name, `RUNTIME` without messages in workerd and in the worker pool, before any were given: the platform
   * itself delivers what the worker sends.
   */
  queue(name: string, messages?: Iterable<QueuedMessage>): Promise<QueueDelivery>;
  /**
   * Runs the worker's `scheduled` handler.
   *
   * @param event Expression and planned time. Default: the only trigger of the platform file, now.
   * @throws Errors of the handler. {@linkcode TestingError} `NO_HANDLER` when there is none, `OPTIONS` when the expression
   * is not known.
   */
  scheduled(event?: ScheduledEvent): Promise<ScheduledResult>;
  /**
   * Delivers a mail to the worker's `email` handler.
   *
   * @param email Addresses of the envelope, and the message.
   * @returns What the handler has done with it.
   * @throws Errors of the handler. {@linkcode TestingError} `NO_HANDLER` when there is none.
   */
  email(email: IncomingEmail): Promise<EmailDelivery>;
  /**
   * Returns a stub of a named entrypoint, whose methods and `fetch` are called as by a service binding.
   *
   * @param name Name of the exported class.
   * @param options `props`: value of `this.ctx.props`.
   * @throws {TestingError} `NO_ENTRYPOINT` when the worker exports no such class.
   */
  entrypoint(name: string, options?: { props?: unknown }): EntrypointStub;
  /** Base of relative paths. */
  readonly origin: string;
  /**
   * Headers that this context sends with each request, unless the request has them: `authorization` with the key of
   * `withAuth({ apiKey })`, otherwise none.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The cookies that this context sends. */
  readonly cookies: ContextCookies;
  /** Query builder over the context's database. */
  // deno-lint-ignore no-explicit-any -- the schema is the application's; `Kysely<Schema>` can be assigned from it.
  readonly db: Kysely<any>;
  /** Bindings and variables of the application. */
  readonly env: Env;
  /** Clock for sessions, cookies and everything else that expires. */
  readonly clock: TestClock;
  /**
   * Waits for work passed to `waitUntil`, then closes the database. Calling it again does nothing.
   *
   * @throws Errors of that work.
   */
  cleanup(): Promise<void>;
  /** The same as `cleanup`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
