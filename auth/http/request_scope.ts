import type { Settings } from "../config/settings.ts";
import { type AuthError, isAuthError } from "../errors/auth_error.ts";
import { createReport } from "../events/report.ts";
import { createCookiesOut } from "../request/cookies_out.ts";
import { createRequestAuth } from "../request/request_auth.ts";
import { type RequestStore, runWithRequest } from "../request/request_store.ts";
import { errorResponse } from "./error_response.ts";
import { finishResponse } from "./finish_response.ts";
import type { RequestInfo } from "./request_info.ts";

/** One request while it is answered. */
export interface RequestScope {
  /** What travels with it. */
  store: RequestStore;
  /** Its name in the log. */
  requestId: string;
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

/** Sets up what belongs to one request. */
export function openScope(options: RequestScopeOptions): RequestScope {
  const { request, env, settings, info, renew } = options;
  const requestId = info.requestId ?? crypto.randomUUID();
  const cookiesOut = createCookiesOut();

  function waitUntil(work: Promise<unknown>): void {
    const watched = work.catch((error) => {
      settings.logger.error("background-work-failed", { requestId, error });
    });
    info.waitUntil?.(watched);
  }

  const auth = createRequestAuth({ request, settings, cookiesOut, waitUntil, renew, requestId });
  const report = createReport({ settings, requestId, address: info.clientAddress, waitUntil });
  return {
    store: { request, env, waitUntil, auth, cookiesOut, report, slots: new Map() },
    requestId,
  };
}

const DEVELOPER_ERRORS = new Set(["CONFIGURATION", "OUTSIDE_REQUEST", "HEADERS_SENT"]);

/** An error that the client is to be told about, as opposed to one that the developer must see. */
function isAnswerable(error: unknown): error is AuthError {
  return isAuthError(error) && !DEVELOPER_ERRORS.has(error.code);
}

/** Does the work with the request at hand, answers the library's errors and adds the cookies. */
export function answerInScope(
  { store, requestId }: RequestScope,
  work: () => Promise<Response>,
): Promise<Response> {
  return runWithRequest(store, async () => {
    try {
      return finishResponse(await work(), store);
    } catch (error) {
      if (!isAnswerable(error)) throw error;
      if (error.status >= 500) {
        store.auth.settings.logger.error("request-failed", { requestId, code: error.code, error });
      }
      return finishResponse(errorResponse(error, store.request, { requestId }), store);
    }
  });
}
