/**
 * The session of one request, and the scope in which it is answered.
 *
 * @module
 */

import { clientAddress, type RequestInfo, warnOfProxy } from "../core/client_address.ts";
import type { RequestAuth, RequestStore, Settings, StartOptions } from "../core/contracts.ts";
import { isAnswerable, respondToError } from "../core/error_response.ts";
import { ownOrigin, requestedUrl } from "../core/origin.ts";
import { createReport } from "../core/report.ts";
import { finishResponse, isPrefetch } from "../core/request.ts";
import type { MintedSession, PresentedToken } from "../core/session_strategy.ts";
import { ConfigurationError, HeadersSentError, isAuthError, RequestError } from "../errors.ts";
import { drainBody } from "../lib/body.ts";
import { type CookiesOut, createCookiesOut } from "../lib/cookie.ts";
import { type LogFields, type Logger, logUnexpected } from "../lib/logger.ts";
import { isWorkerPlatform, runWithRequest } from "../lib/runtime.ts";
import { executorGroup } from "../storage/sql_executor.ts";
import type { Report } from "../types/events.ts";
import type { SessionState, ValidSession } from "../types/session.ts";
import type { RequestTenant } from "../types/tenant.ts";
import {
  createSessionJar,
  everyPresentedToken,
  presentedNames,
  readPresentedToken,
  type SessionJar,
} from "./cookie.ts";
import { mintSession } from "./mint.ts";
import { resolveSession } from "./resolve.ts";

/** Options for {@linkcode RequestAuth}. */
export interface RequestAuthOptions {
  /** The request. */
  request: Request;
  /** Information from the host about the request. */
  info: RequestInfo;
  /** The options of the application. */
  settings: Settings;
  /** Destination of the cookies. */
  cookiesOut: CookiesOut;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
  /** Allows the expiry of the session to be moved. */
  renew: boolean;
  /** True for an endpoint of the library. */
  isEndpoint: boolean;
  /** Logs an error under the name of the request. */
  error: Logger["error"];
}

/**
 * The session of one request; it reads nothing yet. A class, since there is one for each request and most ask it
 * one thing: methods are there once, closures would be made each time, and AsyncLocalStorage keeps them all.
 */
class OpenRequestAuth implements RequestAuth {
  readonly settings: Settings;
  readonly tenant: RequestTenant | null;
  readonly #options: RequestAuthOptions;
  readonly presented: PresentedToken;
  #reading: Promise<void> | undefined;
  #known: SessionState | undefined;
  #failure: { error: unknown } | undefined;
  #named: string | undefined;
  #nobodys: string | undefined;
  #jar: SessionJar | undefined;
  #consulted = false;
  #policy: string | undefined;

  constructor(options: RequestAuthOptions) {
    const { request, settings } = options;
    this.settings = settings;
    this.#options = options;
    this.presented = readPresentedToken(request, settings, this.origin);
    this.tenant = settings.tenancy?.open(request, () => this.#requestedUrl()) ?? null;
  }

  // May be taken out of the object.
  readonly origin = (): string => {
    const { settings: { address, tenancy }, tenant } = this;
    if (address.isTenantHost === undefined || !tenant?.isNone()) return this.#address();
    // Whoever controls another host of the domain would be sent links, codes and passkeys by its name in `Host`.
    return this.#nobodys ??= ownOrigin(() => this.#requestedUrl(), {
      ...address,
      isTenantHost: undefined,
      isNobodys: ({ hostname }) =>
        hostname.replace(/\.$/, "").endsWith(`.${tenancy!.naming!.baseDomain}`),
    });
  };

  async load(): Promise<SessionState> {
    this.#consult();
    const pending = this.#read();
    if (pending !== undefined) await pending;
    return this.#tell()!;
  }

  consulted(): boolean {
    return this.#consulted;
  }

  refuseLater(policy: string): void {
    this.#policy = policy;
  }

  preload(): Promise<void> | undefined {
    return this.#read();
  }

  state(operation: string): SessionState {
    this.#consult();
    const known = this.#tell();
    if (known !== undefined) return known;
    const { session } = this.#options.info;
    const reason = typeof session === "string" ? session : "this request reads no session";
    throw new ConfigurationError(
      `Cannot answer ${operation}() at once: ${reason}. ` +
        `Write await context.auth.${operation}(), or let the session be read.`,
    );
  }

  async start(userId: string, how: StartOptions = {}): Promise<MintedSession> {
    const { request, cookiesOut, waitUntil } = this.#options;
    cookiesOut.assertOpen();
    const minted = await mintSession(this.settings, {
      ...how,
      userId,
      tenant: this.tenant,
      userAgent: request.headers.get("user-agent"),
      waitUntil,
      replaces: this.#presentToken(),
    });
    // The headers have gone in the meantime: its token reaches nobody.
    if (!cookiesOut.isOpen) await this.settings.strategy.end(minted.token);
    this.#openJar().write({ token: minted.token, milliseconds: minted.lifetime });
    return this.#known = minted;
  }

  async update(): Promise<SessionState> {
    const { presented } = this;
    const source = presented.found === "none" ? "cookie" : presented.source;
    // A client with a token of its own is given no cookie, also behind the headers.
    if (source === "cookie") this.#options.cookiesOut.assertOpen();
    const token = this.#presentToken();
    if (token === undefined) return await this.load();
    const own = presented.found === "one" && presented.token === token;
    const state = await this.#resolve(own ? presented : { found: "one", token, source }, {
      mayRenew: () => true,
      update: true,
    });
    this.#settleCookie(state);
    return this.#known = state;
  }

  adopt(state: ValidSession): void {
    const { token, session } = state;
    const milliseconds = session.expires.getTime() - this.settings.now();
    this.#openJar().write({ token, milliseconds });
    this.#known = state;
  }

  async end(): Promise<void> {
    const { request, cookiesOut } = this.#options;
    const { strategy } = this.settings;
    cookiesOut.assertOpen();
    const tokens = new Set(everyPresentedToken(request, this.settings));
    if (this.#known?.status === "valid") tokens.add(this.#known.token);
    await Promise.all([...tokens].map((token) => strategy.end(token)));
    this.#openJar().clear();
    this.#known = { status: "none" };
  }

  #consult(): void {
    if (this.#consulted) return;
    if (this.#policy !== undefined) {
      const error = new HeadersSentError(
        `Cannot tell who is signed in: the headers have gone, with "Cache-Control: ${this.#policy}". Call getUser() ` +
          "before you return the response, or send no-store",
      );
      this.#options.error("session-asked-after-headers", { error });
      throw error;
    }
    this.#consulted = true;
  }

  /** Own origin before the tenant is known: scheme and port, by which cookies have their names, are those of every tenant. */
  #address(): string {
    return this.#named ??= ownOrigin(() => this.#requestedUrl(), this.settings.address);
  }

  #requestedUrl(): URL {
    return requestedUrl(this.#options.request, this.#options.info, this.settings);
  }

  #openJar(): SessionJar {
    return this.#jar ??= createSessionJar({
      cookie: this.settings.cookie,
      names: presentedNames(this.#options.request, this.settings),
      cookiesOut: this.#options.cookiesOut,
      origin: () => this.#address(),
    });
  }

  #settleCookie(state: SessionState): void {
    const { presented } = this;
    // A client with a token of its own cannot be given another one in passing.
    if (presented.found === "none" || presented.source !== "cookie") return;
    if (state.status !== "valid") {
      if (state.status !== "none") this.#openJar().forget();
    } else if (state.renewed) this.adopt(state);
  }

  #settle(state: SessionState): void {
    // Somebody may have signed in or out while the database was answering: that is newer.
    if (this.#known !== undefined) return;
    this.#settleCookie(state);
    this.#known = state;
  }

  #fail(error: unknown): void {
    this.#failure = { error };
    this.#options.error("session-read-failed", { error });
  }

  /** State that was read; undefined before. */
  #tell(): SessionState | undefined {
    if (this.#known !== undefined) return this.#known;
    if (this.#failure !== undefined) throw this.#failure.error;
    return undefined;
  }

  /** Reads, once: at once where nobody has to be asked, else by this promise, which never rejects. */
  #read(): Promise<void> | undefined {
    if ((this.#reading ?? this.#known ?? this.#failure) !== undefined) return this.#reading;
    const { request, renew } = this.#options;
    try {
      const found = this.#resolve(this.presented, {
        mayRenew: () => renew && !isPrefetch(request),
      });
      if (found instanceof Promise) this.#reading = this.#await(found);
      else this.#settle(found);
    } catch (error) {
      this.#fail(error);
    }
    return this.#reading;
  }

  #resolve(
    presented: PresentedToken,
    how: { mayRenew: () => boolean; update?: boolean },
  ): SessionState | Promise<SessionState> {
    const { settings, tenant } = this;
    const { waitUntil, isEndpoint } = this.#options;
    const found = resolveSession(presented, settings, { ...how, waitUntil, tenant, isEndpoint });
    const isMoving = presented.found === "one" && presented.before !== undefined && how.mayRenew();
    return isMoving ? this.#exchange(found) : found;
  }

  /** Issues a new token for the cookie with the prefix, where sessions move to it. */
  async #exchange(found: SessionState | Promise<SessionState>): Promise<SessionState> {
    const state = await found;
    // After the headers the browser cannot be given anything.
    if (state.status !== "valid" || !this.#options.cookiesOut.isOpen) return state;
    const userAgent = this.#options.request.headers.get("user-agent");
    return await this.settings.strategy.exchange(state, userAgent);
  }

  async #await(found: Promise<SessionState>): Promise<void> {
    try {
      this.#settle(await found);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The session that is to end: the one that this request has begun, or the one that it came with. */
  #presentToken(): string | undefined {
    if (this.#known?.status === "valid") return this.#known.token;
    return this.presented.found === "one" ? this.presented.token : undefined;
  }
}

/** One request while it is answered. */
export interface RequestScope extends RequestStore {
  /** Logs an error under the name of the request: what the developer is to mend once, however many places meet it. */
  error: Logger["error"];
}

/** Options for {@linkcode RequestScope}. */
export interface RequestScopeOptions {
  /** The request. */
  request: Request;
  /** The environment of the application. */
  env: unknown;
  /** The options of the application. */
  settings: Settings;
  /** Information from the host about the request. */
  info: RequestInfo;
  /** Allows the expiry of the session to be moved. */
  renew: boolean;
  /** True for an endpoint of the library. Default: false. */
  isEndpoint?: boolean;
}

/** A class for the same reason as the session of a request. */
class OpenScope implements RequestScope {
  readonly request: Request;
  readonly env: unknown;
  readonly info: RequestInfo;
  readonly renew: boolean;
  readonly isEndpoint: boolean;
  readonly settings: Settings;
  readonly cookiesOut: CookiesOut = createCookiesOut();
  readonly auth: RequestAuth;
  #name: string | undefined;
  #report: Report | undefined;
  #told: string | undefined;

  constructor({ request, env, settings, info, renew, isEndpoint = false }: RequestScopeOptions) {
    this.request = request;
    this.env = env;
    this.info = info;
    this.renew = renew;
    this.isEndpoint = isEndpoint;
    this.settings = settings;
    this.#name = info.requestId;
    this.auth = new OpenRequestAuth(this);
  }

  // May be taken out of the object.
  readonly waitUntil = (work: Promise<unknown>): void => {
    const watched = work.catch((error) => this.error("background-work-failed", { error }));
    this.info.waitUntil?.(watched);
  };

  error(event: string, fields: LogFields): void {
    const { error } = fields;
    if (isAuthError(error) && !isAnswerable(error as unknown)) {
      if (this.#told === error.message) return;
      this.#told = error.message;
    }
    this.settings.logger.error(event, { requestId: this.requestId(), ...fields });
  }

  get report(): Report {
    return this.#report ??= createReport(this);
  }

  address(): string | null {
    const { request, settings } = this;
    const address = clientAddress(request, this.info, settings);
    warnOfProxy(request, address, settings);
    return address;
  }

  requestId(): string {
    return this.#name ??= crypto.randomUUID();
  }
}

/** Sets up what belongs to one request. */
export function openScope(options: RequestScopeOptions): RequestScope {
  return new OpenScope(options);
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
  const { pages: { theme }, storage, strategy } = scope.auth.settings;
  const looking = storage.group?.(executorGroup)?.checkTables(isWorkerPlatform());
  if (looking !== undefined) scope.waitUntil(looking);
  const dress = theme?.dress;
  return runWithRequest(scope, async () => {
    let response: Response;
    try {
      if (!scope.auth.settings.address.platformRoutesByHost) assertHostHeader(scope.request);
      const given = strategy.around?.(scope, () => work(scope)) ?? work(scope);
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
    return finishResponse(dress ? await dress(response) : response, scope);
  });
}

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Refuses a Host header that is more than a name and a port, where the address of a request is made from it: servers
 * join it with the path, so that "localhost/admin?" would take the path's place.
 *
 * @throws {RequestError} 400.
 */
function assertHostHeader({ headers }: Request): void {
  const host = headers.get("host");
  if (host === null || (HOST.test(host) && URL.canParse(`http://${host}`))) return;
  throw new RequestError("The Host header is not the name of a host");
}
