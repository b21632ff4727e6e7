import type { Settings } from "../config/settings.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { requestedUrl } from "../http/client_address.ts";
import { ownOrigin } from "../http/own_origin.ts";
import type { RequestInfo } from "../http/request_info.ts";
import {
  everyPresentedToken,
  type PresentedToken,
  readPresentedToken,
} from "../session/presented_token.ts";
import { resolveSession } from "../session/resolve_session.ts";
import { createSessionJar, type SessionJar } from "../session/session_jar.ts";
import type { SessionState } from "../session/session_state.ts";
import type { RequestTenant } from "../tenant/tenancy.ts";
import { type MintedSession, type MintOptions, mintSession } from "../sign_in/mint_session.ts";
import type { CookiesOut } from "./cookies_out.ts";

/** How a session begins, besides for whom. */
export type StartOptions = Pick<MintOptions, "owner" | "save" | "account" | "profile">;

/** The session of one request: read at most once, and changed by what the request does. */
export interface RequestAuth {
  /** The options of the application. */
  readonly settings: Settings;
  /** The tenant of the request; null in an application without tenants. */
  readonly tenant: RequestTenant | null;
  /** Whether anything has asked who is signed in; the response then depends on it. */
  consulted(): boolean;
  /** The origin of the application. */
  origin(): string;
  /** Reads the session unless it was read, and tells what is known. */
  load(): Promise<SessionState>;
  /**
   * Reads the session before application code runs; a failure waits for whoever asks. Nothing is to be
   * waited for when it gives no promise.
   */
  preload(): Promise<unknown> | undefined;
  /** What is known, at once. */
  state(operation: string): SessionState;
  /** Begins a session for a user, in place of the present one. */
  start(userId: string, options?: StartOptions): Promise<MintedSession>;
  /** Reads what is known about the user anew and moves the end of the session. */
  update(): Promise<SessionState>;
  /** Ends the present session. */
  end(): Promise<void>;
}

/** What a {@linkcode RequestAuth} is made of. */
export interface RequestAuthOptions {
  /** The request. */
  request: Request;
  /** What the host says about it. */
  info: RequestInfo;
  /** The options of the application. */
  settings: Settings;
  /** Where cookies go. */
  cookiesOut: CookiesOut;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
  /** Whether the end of the session may be moved. */
  renew: boolean;
  /** Names the request in the log. */
  requestId(): string;
}

/** Whether a token came as a cookie, so that a cookie answers it. */
function isCookie(presented: PresentedToken): boolean {
  return presented.found !== "none" && presented.source === "cookie";
}

/** What rejects has been noted, for whoever asks. */
function ignore(): void {}

/** Makes the session of one request; it reads nothing yet. */
export function createRequestAuth(options: RequestAuthOptions): RequestAuth {
  const { request, settings, cookiesOut, renew, waitUntil } = options;
  let reading: Promise<SessionState> | undefined;
  let known: SessionState | undefined;
  let failure: { error: unknown } | undefined;
  let address: string | undefined;
  let jar: SessionJar | undefined;
  let consulted = false;
  const where = { cookieName: settings.cookie.name, bearer: settings.bearer };
  const { presented, cookieNames } = readPresentedToken(request, where);
  const tenant = settings.tenancy?.open(request, requestedAddress) ?? null;

  function requestedAddress(): URL {
    return requestedUrl(request, options.info, settings);
  }

  function origin(): string {
    address ??= ownOrigin(requestedAddress(), settings.address);
    return address;
  }

  function openJar(): SessionJar {
    jar ??= createSessionJar({ cookie: settings.cookie, names: cookieNames, cookiesOut, origin });
    return jar;
  }

  function settleCookie(state: SessionState): void {
    if (state.status === "valid") {
      // A client with a token of its own cannot be given another one in passing.
      if (!state.renewed || !isCookie(presented)) return;
      const { token, session } = state;
      openJar().write({ token, milliseconds: session.expires.getTime() - settings.now() });
    } else if (state.status !== "none" && isCookie(presented)) {
      openJar().clear();
    }
  }

  function settle(state: SessionState): SessionState {
    // Somebody may have signed in or out while the database was answering: that is newer.
    if (known !== undefined) return known;
    settleCookie(state);
    known = state;
    return state;
  }

  function fail(error: unknown): never {
    failure = { error };
    settings.logger.error("session-read-failed", { requestId: options.requestId(), error });
    throw error;
  }

  /** Reads, once: at once where nobody has to be asked, else by this promise. */
  function read(): Promise<SessionState> | undefined {
    if (reading !== undefined || known !== undefined) return reading;
    try {
      const found = resolveSession(presented, settings, { renew, waitUntil, tenant });
      if (found instanceof Promise) reading = found.then(settle).catch(fail);
      else settle(found);
    } catch (error) {
      reading = Promise.reject(error).catch(fail);
    }
    return reading;
  }

  async function load(): Promise<SessionState> {
    consulted = true;
    const pending = read();
    return known ?? await pending!;
  }

  /** The session that is to end: the one that this request has begun, or the one that it came with. */
  function presentToken(): string | undefined {
    if (known?.status === "valid") return known.token;
    return presented.found === "one" ? presented.token : undefined;
  }

  return {
    settings,
    tenant,
    origin,
    load,
    consulted: () => consulted,
    preload: () => read()?.catch(ignore),
    state(operation) {
      consulted = true;
      if (known !== undefined) return known;
      if (failure !== undefined) throw failure.error;
      throw new ConfigurationError(
        `Cannot answer ${operation}() at once: this request reads no session. ` +
          `Write await context.auth.${operation}(), or let the session be read.`,
      );
    },
    async start(userId, how = {}) {
      cookiesOut.assertOpen();
      const replaces = presentToken();
      const minted = await mintSession(settings, {
        ...how,
        userId,
        tenant,
        userAgent: request.headers.get("user-agent"),
        waitUntil,
        ...(replaces !== undefined && { replaces }),
      });
      openJar().write({ token: minted.token, milliseconds: minted.lifetime });
      known = minted;
      return minted;
    },
    async update() {
      cookiesOut.assertOpen();
      const token = presentToken();
      if (token === undefined) return await load();
      const source = presented.found === "none" ? "cookie" : presented.source;
      const how = { renew: true, update: true, waitUntil, tenant };
      const state = await resolveSession({ found: "one", token, source }, settings, how);
      settleCookie(state);
      known = state;
      return state;
    },
    async end() {
      cookiesOut.assertOpen();
      const tokens = new Set(everyPresentedToken(request, where));
      if (known?.status === "valid") tokens.add(known.token);
      await Promise.all([...tokens].map((token) => settings.strategy.end(token)));
      openJar().clear();
      known = { status: "none" };
    },
  };
}
