import type { ContextAuth } from "../request/context_auth.ts";
import type { Storage } from "../storage/storage.ts";
import type { RequestInfo } from "./request_info.ts";
import type { Settings } from "./contracts.ts";

/** Under which `Auth` tells its settings to the library, of which an application may hold two copies. */
export const SETTINGS: unique symbol = Symbol.for("framework.auth.settings");

/** What knows its settings. */
export interface WithSettings<Env> {
  /** The checked options in an environment. */
  [SETTINGS](env: Env): Settings;
}

/**
 * The settings of what `createAuth()` made.
 *
 * @throws {TypeError} For anything else.
 */
export function settingsOf<Env>(auth: object, env: Env): Settings {
  const read = (auth as Partial<WithSettings<Env>>)[SETTINGS];
  if (read === undefined) throw new TypeError("Cannot read this: createAuth() did not make it");
  return read(env);
}

/** What {@linkcode Auth.run} gives to the application. */
export interface RunContext {
  /** The operations on the session, as promises. */
  readonly auth: ContextAuth;
}

/** The library, set up for one application. */
export interface Auth<Env> {
  /**
   * Answers a request for an endpoint of the library; null for any other path.
   *
   * @throws {ConfigurationError} For the host to report. Other errors of the library are answered.
   */
  handle(request: Request, env: Env, info?: RequestInfo): Promise<Response | null>;
  /**
   * Runs the application's own work with the session of the request, and adds the cookies to its
   * response. Errors of this library that the work throws are answered; all others pass.
   */
  run(
    request: Request,
    env: Env,
    info: RequestInfo | undefined,
    next: (context: RunContext) => Response | Promise<Response>,
  ): Promise<Response>;
  /**
   * Refuses a request that would change something and that another site's page made the browser send. Call
   * it before handling unsafe methods of your own; the endpoints of the library do it themselves. As
   * `assertSameOrigin()`, with what the options say about the own address and trusted origins.
   *
   * @throws {CrossSiteRequestError} When the request is refused, which is reported.
   * @throws {RequestError} `HOST_NOT_ALLOWED`, for a host that is not in `allowedHosts`.
   * @throws {ConfigurationError} When nothing says what the own address is.
   */
  assertSameOrigin(request: Request, env: Env, info?: RequestInfo): void;
  /** Users and sessions. */
  storage(env: Env): Storage;
}
