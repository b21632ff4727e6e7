import type { User } from "@framework/auth";
import type { OutgoingMail } from "@framework/auth/convention";
import type { Kysely } from "kysely";
import type { TestClock } from "./clock.ts";
import type { ContextCookies } from "./cookies.ts";
import type { FetchHandler, FetchPattern, FetchRoute } from "./outgoing.ts";
import type { ConnectOptions, TestWebSocket } from "./test_socket.ts";

/** Options for `createTestContext()`. */
export interface TestContextOptions<Env = Record<string, unknown>> {
  /** Fills the fresh, migrated database before the test begins. */
  // deno-lint-ignore no-explicit-any -- the schema is the application's.
  seed?: (db: Kysely<any>) => unknown;
  /** Bindings and variables that win over those of the platform file and `.dev.vars`. */
  env?: Partial<Env>;
  /** The project's folder. Default: the current one. */
  cwd?: string;
  /** Time of the test: milliseconds since 1970, or a date. Default: now. Default: now. */
  clock?: number | Date;
  /**
   * Runtime of the application: this process, over doubles of the bindings; or workerd, which gets
   * the worker as `framework build` bundles it, and the platform's own bindings. Default "process".
   */
  runtime?: "process" | "workerd";
  /** Base of relative paths. Default "http://localhost". */
  origin?: string;
  /**
   * Calls the application's own `sendVerificationRequest` too; `onFetch` answers its requests.
   * Default false: mails end in `outbox`.
   */
  sendMail?: boolean;
}

/** Options for `withAuth()`: the user to sign in. */
export interface WithAuthOptions {
  /** Id of the user, who is created when the database has none of that id. */
  userId: string;
  /** Role of a user that is created. */
  role?: string;
  /** Roles of a user that is created. */
  roles?: string[];
  /** E-mail address of a user that is created. Default: none. */
  email?: string;
  /** Name of a user that is created. Default: none. */
  name?: string;
  /** Creates a user who does not exist. Default: true. Default: true. */
  create?: boolean;
  /**
   * Id of a tenant, not its slug, in which the user becomes a member; or that and the roles there. Default: none.
   */
  tenant?: string | { id: string; roles?: string[] };
  /**
   * Base of the new context's relative paths, such as the tenant's host. Default: the origin of
   * this context. Default: as before.
   */
  origin?: string;
}

/** The application under test, with a database, cookies and time of its own. */
export interface TestContext<Env = Record<string, unknown>> {
  /**
   * Sends a request to the application, in this process. Redirects are not followed. Cookies are
   * kept, and methods other than GET, HEAD and OPTIONS carry the application's `Origin`, unless the headers
   * say otherwise.
   *
   * @param path Path with query, relative to the context's `origin`, and a path also when it begins with `//`; or an
   * absolute address.
   * @throws The error with which the application failed when it expected none.
   */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /**
   * Opens a WebSocket as a page of the application does: with its cookies and its `Origin`. A request with
   * `Upgrade: websocket` by `fetch` shows the answer alone.
   *
   * @param path Path with query, relative to the context's `origin`; or an absolute address.
   * @param options Headers and subprotocols.
   * @throws {TestingError} `NO_SOCKET` when the application answers anything but 101; the error with which it failed.
   */
  connect(path: string, options?: ConnectOptions): Promise<TestWebSocket>;
  /**
   * Sends the form of a page that `fetch` returned, as its button does: with its hidden fields, to its own
   * address. The page's body is read by that, and a body can be read once.
   *
   * @param response The page.
   * @param fields What is typed. A value that the page has filled in already may be left out.
   * @param selector CSS selector of the form. Default: the first form that has all of `fields`.
   * @throws {TestingError} `NO_FORM` when there is none, `NO_FIELD` when no form has the fields that are typed, `BODY_READ` when
   * the page has been read before.
   */
  submit(
    response: Response,
    fields?: Record<string, string>,
    selector?: string,
  ): Promise<Response>;
  /**
   * Signs a user in by a real session in the database.
   *
   * @returns A context with the same database and time, and with cookies of its own.
   */
  withAuth(options: WithAuthOptions): Promise<TestContext<Env>>;
  /**
   * Runs a function as within a request of a user who is signed in, so that `getUser()` and its like of
   * `@framework/auth` work in what it calls. The application's roles, callbacks and database are used.
   *
   * @param user Who; a user whom the database lacks is created.
   * @returns What the function returns.
   */
  runAs<T>(user: User, work: () => T | Promise<T>): Promise<T>;
  /** The mails that the application sent for sign-in, the newest last. */
  readonly outbox: OutgoingMail[];
  /**
   * Answers what the application asks of other servers by `fetch`. A call that no handler answers fails, and
   * so does the request that made it, with an error that names the address.
   *
   * @param pattern Which calls.
   * @param handler Returns a response, or a value that becomes one of JSON.
   */
  onFetch(pattern: FetchPattern, handler: FetchHandler): FetchRoute;
  /** Base of relative paths. */
  readonly origin: string;
  /** The cookies that this context sends. */
  readonly cookies: ContextCookies;
  /** Query builder over the context's database. */
  // deno-lint-ignore no-explicit-any -- the schema is the application's; `Kysely<Schema>` can be assigned from it.
  readonly db: Kysely<any>;
  /** The bindings and variables that the application gets. */
  readonly env: Env;
  /** The time of sessions, cookies and everything else that expires. */
  readonly clock: TestClock;
  /**
   * Waits for work passed to `waitUntil`, then closes the database. Calling it again does nothing.
   *
   * @throws What failed in `waitUntil`.
   */
  cleanup(): Promise<void>;
  /** The same as `cleanup`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
