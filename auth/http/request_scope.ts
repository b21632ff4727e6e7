import type { Settings } from "../config/settings.ts";
import { type AuthError, isAuthError } from "../errors/auth_error.ts";
import { createReport, type Occurrence, type Report } from "../events/report.ts";
import { createCookiesOut } from "../request/cookies_out.ts";
import { createRequestAuth } from "../request/request_auth.ts";
import { type RequestStore, runWithRequest } from "../request/request_store.ts";
import { clientAddress } from "./client_address.ts";
import { errorResponse } from "./error_response.ts";
import { finishResponse } from "./finish_response.ts";
import type { RequestInfo } from "./request_info.ts";

/** One request while it is answered. */
export interface RequestScope {
  /** What travels with it. */
  store: RequestStore;
  /** Its name in the log. Most requests never need it. */
  requestId(): string;
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
  const cookiesOut = createCookiesOut();
  let name = info.requestId;
  let reportNow: Report | undefined;

  function requestId(): string {
    return name ??= crypto.randomUUID();
  }

  function waitUntil(work: Promise<unknown>): void {
    const watched = work.catch((error) => {
      settings.logger.error("background-work-failed", { requestId: requestId(), error });
    });
    info.waitUntil?.(watched);
  }

  function address(): string | null {
    return clientAddress(request, info, settings);
  }

  function report(occurrence: Occurrence): void {
    reportNow ??= createReport({
      settings,
      requestId: requestId(),
      address,
      waitUntil,
    });
    reportNow(occurrence);
  }

  const auth = createRequestAuth({
    request,
    info,
    settings,
    cookiesOut,
    waitUntil,
    renew,
    requestId,
  });
  return {
    store: { request, env, address, waitUntil, auth, cookiesOut, report, slots: new Map() },
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
  work: () => Response | Promise<Response>,
): Promise<Response> {
  const { theme } = store.auth.settings.pages;
  return runWithRequest(store, async () => {
    try {
      const response = await work();
      return finishResponse(theme ? await theme(response, store.request) : response, store);
    } catch (error) {
      if (!isAnswerable(error)) throw error;
      const named = { requestId: requestId() };
      if (error.status >= 500) {
        store.auth.settings.logger.error("request-failed", { ...named, code: error.code, error });
      }
      const response = errorResponse(error, store.request, named);
      return finishResponse(theme ? await theme(response, store.request) : response, store);
    }
  });
}
