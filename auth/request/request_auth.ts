import type { Settings } from "../config/settings.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { ownOrigin } from "../http/own_origin.ts";
import { type PresentedToken, readPresentedToken } from "../session/presented_token.ts";
import { resolveSession } from "../session/resolve_session.ts";
import { createSessionJar } from "../session/session_jar.ts";
import type { SessionState, ValidSession } from "../session/session_state.ts";
import { type MintedSession, type MintOptions, mintSession } from "../sign_in/mint_session.ts";
import type { CookiesOut } from "./cookies_out.ts";

/** How a session begins, besides for whom. */
export type StartOptions = Pick<MintOptions, "owner" | "account" | "profile">;

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

/** Whether a token came as a cookie, so that a cookie answers it. */
function isCookie(presented: PresentedToken): boolean {
  return presented.found !== "none" && presented.source === "cookie";
}

/** Makes the session of one request; it reads nothing yet. */
export function createRequestAuth(options: RequestAuthOptions): RequestAuth {
  const { request, settings, cookiesOut, waitUntil, requestId } = options;
  let reading: Promise<SessionState> | undefined;
  let known: SessionState | undefined;
  let failure: { error: unknown } | undefined;
  let address: string | undefined;
  let consulted = false;
  const { presented, cookieNames } = readPresentedToken(request, {
    cookieName: settings.cookie.name,
    bearer: settings.bearer,
  });
  const jar = createSessionJar({ cookie: settings.cookie, names: cookieNames, cookiesOut, origin });

  function origin(): string {
    address ??= ownOrigin(new URL(request.url), settings.address);
    return address;
  }

  function settleCookie(state: SessionState): void {
    if (state.status === "valid") {
      // A client with a token of its own cannot be given another one in passing.
      if (state.renewed && isCookie(presented)) writeCookie(state);
    } else if (state.status !== "none" && isCookie(presented)) {
      jar.clear();
    }
  }

  function writeCookie({ token, session }: ValidSession): void {
    jar.write({ token, milliseconds: session.expires.getTime() - settings.now() });
  }

  async function read(): Promise<SessionState> {
    try {
      const state = await resolveSession(presented, settings, { renew: options.renew, waitUntil });
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

  /** The session that is to end: the one that this request has begun, or the one that it came with. */
  function presentToken(): string | undefined {
    if (known?.status === "valid") return known.token;
    return presented.found === "one" ? presented.token : undefined;
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
    async start(userId, how = {}) {
      cookiesOut.assertOpen();
      const replaces = presentToken();
      const minted = await mintSession(settings, {
        ...how,
        userId,
        userAgent: request.headers.get("user-agent"),
        waitUntil,
        ...(replaces !== undefined && { replaces }),
      });
      jar.write({ token: minted.token, milliseconds: minted.lifetime });
      known = minted;
      return minted;
    },
    async update() {
      cookiesOut.assertOpen();
      const token = presentToken();
      if (token === undefined) return await load();
      const source = presented.found === "none" ? "cookie" : presented.source;
      const how = { renew: true, update: true, waitUntil };
      const state = await resolveSession({ found: "one", token, source }, settings, how);
      settleCookie(state);
      known = state;
      return state;
    },
    async end() {
      cookiesOut.assertOpen();
      const token = presentToken();
      if (token !== undefined) await settings.strategy.end(token);
      jar.clear();
      known = { status: "none" };
    },
  };
}
