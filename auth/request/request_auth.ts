import type { Settings } from "../config/settings.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { ownOrigin } from "../http/own_origin.ts";
import { readSessionToken, resolveSession, type SessionState } from "../session/resolve_session.ts";
import { clearedCookieLines, sessionCookieLine } from "../session/session_cookie.ts";
import { hashSessionToken } from "../session/token.ts";
import { type MintedSession, mintSession } from "../sign_in/mint_session.ts";
import type { UserRecord } from "../storage/storage.ts";
import type { CookiesOut } from "./cookies_out.ts";

/** The session of one request: read at most once, and changed by what the request does. */
export interface RequestAuth {
  /** The options of the application. */
  readonly settings: Settings;
  /** Whether anything has asked who is signed in; the response then depends on it. */
  readonly consulted: boolean;
  /** The origin of the application. */
  origin(): string;
  /** Reads the session unless it was read, and tells what is known. */
  load(): Promise<SessionState>;
  /** Reads the session before application code runs; a failure waits for whoever asks. */
  preload(): Promise<void>;
  /** What is known, at once. */
  state(operation: string): SessionState;
  /** Begins a session for a user, in place of the present one. */
  start(userId: string, owner?: UserRecord): Promise<MintedSession>;
  /** Ends the present session. */
  end(): Promise<void>;
}

/** What a {@linkcode RequestAuth} is made of. */
export interface RequestAuthOptions {
  /** The request. */
  request: Request;
  /** The options of the application. */
  settings: Settings;
  /** Where cookies go. */
  cookiesOut: CookiesOut;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
  /** Whether the end of the session may be moved. */
  renew: boolean;
  /** Names the request in the log. */
  requestId: string;
}

/** Makes the session of one request; it reads nothing yet. */
export function createRequestAuth(options: RequestAuthOptions): RequestAuth {
  const { request, settings, cookiesOut, waitUntil, requestId } = options;
  let reading: Promise<SessionState> | undefined;
  let known: SessionState | undefined;
  let failure: { error: unknown } | undefined;
  let address: string | undefined;
  let consulted = false;

  function origin(): string {
    address ??= ownOrigin(new URL(request.url), settings.address);
    return address;
  }

  function settleCookie(state: SessionState): void {
    if (state.status === "valid" && state.renewed) {
      const milliseconds = state.session.expires.getTime() - settings.now();
      cookiesOut.set(
        sessionCookieLine(settings.cookie, { token: state.token, milliseconds }, origin),
      );
    }
    if (state.status === "expired" || state.status === "invalid") {
      for (const line of clearedCookieLines(settings.cookie, origin)) cookiesOut.set(line);
    }
  }

  async function read(): Promise<SessionState> {
    try {
      const state = await resolveSession(request, settings, { renew: options.renew, waitUntil });
      // Somebody may have signed in or out while the database was answering: that is newer.
      if (known !== undefined) return known;
      settleCookie(state);
      known = state;
      return state;
    } catch (error) {
      failure = { error };
      settings.logger.error("session-read-failed", { requestId, error });
      throw error;
    }
  }

  function load(): Promise<SessionState> {
    consulted = true;
    if (known !== undefined) return Promise.resolve(known);
    reading ??= read();
    return reading;
  }

  function presentToken(): string | undefined {
    if (known?.status === "valid") return known.token;
    const token = readSessionToken(request, settings.cookie.name);
    return token === null || token === "invalid" ? undefined : token;
  }

  return {
    settings,
    origin,
    load,
    get consulted() {
      return consulted;
    },
    async preload() {
      reading ??= read();
      await reading.catch(() => {});
    },
    state(operation) {
      consulted = true;
      if (known !== undefined) return known;
      if (failure !== undefined) throw failure.error;
      throw new ConfigurationError(
        `Cannot answer ${operation}() at once: this request reads no session. ` +
          `Write await context.auth.${operation}(), or let the session be read.`,
      );
    },
    async start(userId, owner) {
      cookiesOut.assertOpen();
      const replaces = presentToken();
      const minted = await mintSession(settings, {
        userId,
        userAgent: request.headers.get("user-agent"),
        waitUntil,
        ...(owner !== undefined && { owner }),
        ...(replaces !== undefined && { replaces }),
      });
      const { token, session, lifetime } = minted;
      cookiesOut.set(sessionCookieLine(settings.cookie, { token, milliseconds: lifetime }, origin));
      known = { status: "valid", session, token, renewed: false };
      return minted;
    },
    async end() {
      cookiesOut.assertOpen();
      const token = presentToken();
      if (token !== undefined) await settings.storage.deleteSession(hashSessionToken(token));
      for (const line of clearedCookieLines(settings.cookie, origin)) cookiesOut.set(line);
      known = { status: "none" };
    },
  };
}
