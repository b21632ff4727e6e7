import type { TestContext } from "../context/types.ts";

/** A user who asks: a context of `withAuth()`, or the headers that say who it is. */
export type GuardedUser = TestContext<unknown> | Readonly<Record<string, string>>;

/** Options for `assertGuarded()`. Routes are written `"/about"`, `"POST /contact"`, `"/t/[tenant]"` or `"/blog/*"`. */
export interface GuardedOptions {
  /** Routes for everybody, which are not asked. Default: none. */
  public?: readonly string[];
  /**
   * Routes for every signed-in user. Visitors and other sites must be refused there, and users where the path
   * names something of another one. Default: none.
   */
  signedIn?: readonly string[];
  /** Routes that no test can ask, such as those of a partner's signed requests. Default: none. */
  skip?: readonly string[];
  /**
   * Value of each dynamic part of the paths, by its name, or by the pattern up to it (`"/users/[id]"`) where one name
   * means several things: what the owner's requests name. `{ own, foreign }` for what belongs to somebody: `foreign`
   * is one of `other`, and the owner must be refused there.
   */
  params?: Readonly<Record<string, string | { own: string; foreign: string }>>;
  /**
   * Input by route, for those whose schema describes none: an object becomes JSON, for an action a form, for GET and
   * DELETE the query. Text, `URLSearchParams`, `FormData` and blobs are sent as they are.
   */
  inputs?: Readonly<Record<string, unknown>>;
  /** User who may use all routes. Default: the user of the context. */
  owner?: GuardedUser;
  /** A user without rights. Default: a new one, where the application has `app/auth`. */
  user?: GuardedUser;
  /** A user with the owner's rights in another tenant, or with the `foreign` things of `params`. Default: nobody. */
  other?: GuardedUser;
  /**
   * Others by name, such as a member or a key that may only read, with the routes that they may use beside those of
   * `signedIn`. Default: nobody.
   */
  roles?: Readonly<Record<string, { as: GuardedUser; may?: readonly string[] }>>;
  /**
   * Changes that need no guard, by the name in the message: `"DB.visits"`, `"DB.users.seen_at"`, `"CACHE.count:*"`,
   * `"mail"`. Default: what the library itself notes of requests.
   */
  ignore?: readonly string[];
  /** Page to which visitors are sent: a path, or an absolute URL. Default: the one of `app/auth`. */
  signIn?: string;
  /** Routes of a worker, or of another application without `app/`: `["GET /notes", "DELETE /notes/:id"]`. */
  routes?: readonly string[];
  /** OpenAPI document, whose operations are the routes. */
  openapi?: object;
  /** Base of the paths where no context has one. Default "http://localhost". */
  origin?: string;
}

/** Number of routes and requests that `assertGuarded()` has asked. */
export interface GuardedReport {
  /** Number of routes and methods that are not public. */
  routes: number;
  /** Number of requests. */
  requests: number;
}
