import type { Logger } from "../config/logger.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { requestedUrl } from "../http/client_address.ts";
import { ownOrigin } from "../http/own_origin.ts";
import type { RequestInfo } from "../http/request_info.ts";
import {
  everyPresentedToken,
  presentedNames,
  readPresentedToken,
} from "../session/presented_token.ts";
import { resolveSession } from "../session/resolve_session.ts";
import { createSessionJar, type SessionJar } from "../session/session_jar.ts";
import type { SessionState } from "../session/session_state.ts";
import type { RequestTenant } from "../tenant/tenancy.ts";
import { type MintedSession, mintSession } from "../sign_in/mint_session.ts";
import type { CookiesOut } from "./cookies_out.ts";
import type { PresentedToken } from "../session/strategy.ts";
import type { RequestAuth, Settings, StartOptions } from "../http/contracts.ts";

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
  #origin: string | undefined;
  #jar: SessionJar | undefined;
  #consulted = false;

  constructor(options: RequestAuthOptions) {
    const { request, settings } = options;
    this.settings = settings;
    this.#options = options;
    this.presented = readPresentedToken(request, settings, this.origin);
    this.tenant = settings.tenancy?.open(request, () => this.#requestedUrl()) ?? null;
  }

  // May be taken out of the object.
  readonly origin = (): string => {
    return this.#origin ??= ownOrigin(() => this.#requestedUrl(), this.settings.address);
  };

  async load(): Promise<SessionState> {
    this.#consulted = true;
    const pending = this.#read();
    if (pending !== undefined) await pending;
    return this.#tell()!;
  }

  consulted(): boolean {
    return this.#consulted;
  }

  preload(): Promise<void> | undefined {
    return this.#read();
  }

  state(operation: string): SessionState {
    this.#consulted = true;
    const known = this.#tell();
    if (known !== undefined) return known;
    throw new ConfigurationError(
      `Cannot answer ${operation}() at once: this request reads no session. ` +
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
    this.#openJar().write({ token: minted.token, milliseconds: minted.lifetime });
    return this.#known = minted;
  }

  async update(): Promise<SessionState> {
    const { presented } = this;
    this.#options.cookiesOut.assertOpen();
    const token = this.#presentToken();
    if (token === undefined) return await this.load();
    const source = presented.found === "none" ? "cookie" : presented.source;
    const own = presented.found === "one" && presented.token === token;
    const state = await this.#resolve(own ? presented : { found: "one", token, source }, {
      renew: true,
      update: true,
    });
    this.#settleCookie(state);
    return this.#known = state;
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

  #requestedUrl(): URL {
    return requestedUrl(this.#options.request, this.#options.info, this.settings);
  }

  #openJar(): SessionJar {
    return this.#jar ??= createSessionJar({
      cookie: this.settings.cookie,
      names: presentedNames(this.#options.request, this.settings),
      cookiesOut: this.#options.cookiesOut,
      origin: this.origin,
    });
  }

  #settleCookie(state: SessionState): void {
    const { presented } = this;
    // A client with a token of its own cannot be given another one in passing.
    if (presented.found === "none" || presented.source !== "cookie") return;
    if (state.status !== "valid") {
      if (state.status !== "none") this.#openJar().forget();
    } else if (state.renewed) {
      const { token, session } = state;
      const milliseconds = session.expires.getTime() - this.settings.now();
      this.#openJar().write({ token, milliseconds });
    }
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

  /** What was read; undefined when nothing was. */
  #tell(): SessionState | undefined {
    if (this.#known === undefined && this.#failure !== undefined) throw this.#failure.error;
    return this.#known;
  }

  /** Reads, once: at once where nobody has to be asked, else by this promise, which never rejects. */
  #read(): Promise<void> | undefined {
    if ((this.#reading ?? this.#known ?? this.#failure) !== undefined) return this.#reading;
    const { renew } = this.#options;
    try {
      const found = this.#resolve(this.presented, { renew });
      if (found instanceof Promise) this.#reading = this.#await(found);
      else this.#settle(found);
    } catch (error) {
      this.#fail(error);
    }
    return this.#reading;
  }

  #resolve(
    presented: PresentedToken,
    how: { renew: boolean; update?: boolean },
  ): SessionState | Promise<SessionState> {
    const { settings, tenant } = this;
    const { waitUntil } = this.#options;
    const found = resolveSession(presented, settings, { ...how, waitUntil, tenant });
    const isMoving = how.renew && presented.found === "one" && presented.before !== undefined;
    return isMoving ? this.#exchange(found) : found;
  }

  /** Where sessions move to a cookie with the prefix, the browser gets a new token for it. */
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

/** Makes the session of one request. */
export function createRequestAuth(options: RequestAuthOptions): RequestAuth {
  return new OpenRequestAuth(options);
}
