import type { Kysely } from "kysely";
import type { TestClock } from "./clock.ts";

/** What `createTestContext` takes. */
export interface TestContextOptions<Env = Record<string, unknown>> {
  /** Fills the fresh, migrated database before the test begins. */
  // deno-lint-ignore no-explicit-any -- the schema is the application's.
  seed?: (db: Kysely<any>) => unknown;
  /** Bindings and variables that win over those of the platform file and `.dev.vars`. */
  env?: Partial<Env>;
  /** The project's folder. Default: the current one. */
  cwd?: string;
  /** When the test happens: milliseconds since 1970, or a date. Default: now. */
  clock?: number | Date;
}

/** Who is to be signed in. */
export interface WithAuthOptions {
  /** Id of the user. */
  userId: string;
  /** Role of a user that is created. */
  role?: string;
  /** Roles of a user that is created. */
  roles?: string[];
  /** E-mail address of a user that is created. Default: none. */
  email?: string;
  /** Name of a user that is created. Default: none. */
  name?: string;
  /** Whether a user who does not exist is created. Default: true. */
  create?: boolean;
}

/** The application under test, with a database, cookies and time of its own. */
export interface TestContext<Env = Record<string, unknown>> {
  /**
   * Sends a request to the application, in this process. Redirects are not followed. Cookies are
   * kept, and methods other than GET, HEAD and OPTIONS carry the application's `Origin`, unless the headers
   * say otherwise.
   *
   * @param path Path with query, relative to `http://localhost`; or an absolute address.
   * @throws The error with which the application failed when it expected none.
   */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /**
   * Signs a user in by a real session in the database.
   *
   * @returns A context with the same database and time, and with cookies of its own.
   */
  withAuth(options: WithAuthOptions): Promise<TestContext<Env>>;
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
