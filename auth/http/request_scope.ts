import { type LogFields, type Logger, logUnexpected } from "../config/logger.ts";
import { type AuthError, isAuthError } from "../errors/auth_error.ts";
import { createReport } from "../events/report.ts";
import { type CookiesOut, createCookiesOut } from "../request/cookies_out.ts";
import { createRequestAuth } from "../request/request_auth.ts";
import { runWithRequest } from "../request/running_request.ts";
import { SQL_PARTS, type SqlParts } from "../storage/sql_parts.ts";
import { clientAddress } from "./client_address.ts";
import { drainBody } from "./drain_body.ts";
import { assertHostHeader } from "./host_header.ts";
import { finishResponse } from "./finish_response.ts";
import { respondToError } from "./respond_to_error.ts";
import type { RequestInfo } from "./request_info.ts";
import type { Report } from "../events/events.ts";
import { isWorkerPlatform } from "../config/worker_platform.ts";
import type { RequestAuth, RequestStore, Settings } from "./contracts.ts";

/** One request while it is answered. */
export interface RequestScope extends RequestStore {
  /** Its name in the log. Most requests never need it. */
  requestId(): string;
  /** Logs an error under the name of the request: what the developer is to mend once, however many places meet it. */
  error: Logger["error"];
}

/** What a {@linkcode RequestScope} is made of. */
export interface RequestScopeOptions {
  /** The request. */
  request: Request;
  /** The environment of the application. */
  env: unknown;
  /** The options of the application. */
  settings: Settings;
  /** What the host says about the request. */
  info: RequestInfo;
  /** Whether the end of its session may be moved. */
  renew: boolean;
}

/** A class for the same reason as the session of a request. */
class OpenScope implements RequestScope {
  readonly request: Request;
  readonly env: unknown;
  readonly info: RequestInfo;
  readonly renew: boolean;
  readonly settings: Settings;
  readonly cookiesOut: CookiesOut = createCookiesOut();
  readonly auth: RequestAuth;
  #name: string | undefined;
  #report: Report | undefined;
  #told: string | undefined;

  constructor({ request, env, settings, info, renew }: RequestScopeOptions) {
    this.request = request;
    this.env = env;
    this.info = info;
    this.renew = renew;
    this.settings = settings;
    this.#name = info.requestId;
    this.auth = createRequestAuth(this);
  }

  // May be taken out of the object.
  readonly waitUntil = (work: Promise<unknown>): void => {
    const watched = work.catch((error) => this.error("background-work-failed", { error }));
    this.info.waitUntil?.(watched);
  };

  error(event: string, fields: LogFields): void {
    const { error } = fields;
    if (isAuthError(error) && DEVELOPER_ERRORS.has(error.code)) {
      if (this.#told === error.message) return;
      this.#told = error.message;
    }
    this.settings.logger.error(event, { requestId: this.requestId(), ...fields });
  }

  get report(): Report {
    return this.#report ??= createReport({
      settings: this.settings,
      requestId: this.requestId(),
      address: () => this.address(),
      waitUntil: this.waitUntil,
    });
  }

  address(): string | null {
    return clientAddress(this.request, this.info, this.settings);
  }

  requestId(): string {
    return this.#name ??= crypto.randomUUID();
  }
}

/** Sets up what belongs to one request. */
export function openScope(options: RequestScopeOptions): RequestScope {
  return new OpenScope(options);
}

const DEVELOPER_ERRORS = new Set(["CONFIGURATION", "OUTSIDE_REQUEST", "HEADERS_SENT"]);

/** An error that the client is to be told about, as opposed to one that the developer must see. */
function isAnswerable(error: unknown): error is AuthError {
  return isAuthError(error) && !DEVELOPER_ERRORS.has(error.code);
}

/** Sets a request up, does the work with it at hand, answers the library's errors and adds the cookies. */
export function answerInScope(
  open: () => RequestScope,
  work: (scope: RequestScope) => Response | Promise<Response>,
): Promise<Response> {
  let scope: RequestScope;
  try {
    scope = open();
  } catch (error) {
    // As of an asynchronous function: one around the other would cost every request a promise more.
    return Promise.reject(error);
  }
  const { pages: { theme }, storage } = scope.auth.settings;
  const looking = (storage as { [SQL_PARTS]?: SqlParts })[SQL_PARTS]
    ?.executor.checkTables(isWorkerPlatform());
  if (looking !== undefined) scope.waitUntil(looking);
  const dress = theme?.dress;
  return runWithRequest(scope, async () => {
    let response: Response;
    try {
      if (!scope.auth.settings.address.platformRoutesByHost) assertHostHeader(scope.request);
      const given = work(scope);
      // A response that is there is not waited for.
      response = given instanceof Response ? given : await given;
    } catch (error) {
      if (!isAnswerable(error)) {
        logUnexpected(scope, error, {});
        throw error;
      }
      if (error.status >= 500) scope.error("request-failed", { code: error.code, error });
      response = respondToError(error, scope.request, { requestId: scope.requestId(), theme });
    }
    if (!response.ok) await drainBody(scope.request, response);
    return finishResponse(dress ? await dress(response, scope.request) : response, scope);
  });
}
