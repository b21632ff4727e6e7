/**
 * `deviceBound()`, for the option `session.deviceBound`.
 *
 * @module
 */

import type {
  AccountSection,
  DeviceBoundDefinition,
  EndpointModule,
  Look,
  RequestStore,
} from "../../core/contracts.ts";
import { receiveFields } from "../../lib/body.ts";
import { ownRedirect, pathBelow, signInPath } from "../../core/redirect.ts";
import { prefersJson } from "../../core/request.ts";
import {
  ConfigurationError,
  isAuthError,
  type RedirectError,
  SessionUnboundError,
} from "../../errors.ts";
import { optionsOf, readFunction, wrongOption } from "../../lib/options.ts";
import { checkingPage, deviceSection } from "../../pages/device_bound.ts";
import { lookOf, pageResponse, say } from "../../pages/frame.ts";
import { deviceProofMail } from "../../pages/mails.ts";
import { rolesOf } from "../../rbac/permissions.ts";
import { deviceBindingGroup } from "../../storage/device_bindings.ts";
import { limitKey } from "../../rate_limit/keys.ts";
import { limitsOf } from "../../rate_limit/sign_in.ts";
import { groupOf } from "../../storage/storage.ts";
import type { AuthContext, DefaultEnv } from "../../types/application.ts";
import type { Awaitable } from "../../types/callbacks.ts";
import type { User } from "../../types/user.ts";
import { developmentMailEndpoints, readSendMail } from "../development_mail.ts";
import { mailOwner } from "../owner_mail.ts";
import { type DeviceEndpointOptions, PATHS, refreshEndpoint, startEndpoint } from "./endpoints.ts";
import { createChallenge } from "./proof.ts";
import { createBoundJwtStrategy } from "./jwt_strategy.ts";
import { type BoundStrategy, createBoundStrategy } from "./strategy.ts";
import { type BoundParts, isBound, isWithoutProof, SAFE } from "./token.ts";

/** A mail about a session that a wrong proof has ended, ready to be sent. */
export interface DeviceProofMail {
  /** Its subject, for mails that an application writes itself. */
  kind: "device-proof";
  /** The recipient: one plain address, its domain as A-labels. Use it as the only recipient, as it is. */
  to: string;
  /** Subject, in the language of the visitor. */
  subject: string;
  /** Plain text. */
  text: string;
  /** The same as HTML, in the looks of the application's theme. */
  html: string;
  /** The link in it, to the sign-in page. */
  url: string;
  /** The link does not end: the field is that of the other mails, so that one function sends them all. */
  expires: null;
}

/** Options for `deviceBound()`. */
export interface DeviceBoundConfig<Env = DefaultEnv> {
  /**
   * Tells the owner of an account by mail that wrong proofs have ended a session, whose cookie somebody has copied. What it
   * throws is logged, and fails nothing. Default: in development the mails go to the terminal and to `/auth/dev/mail`; in
   * production it must be given.
   */
  sendMail?(mail: DeviceProofMail, context: AuthContext<Env>): Awaitable<unknown>;
  /**
   * Seconds for which a copy of the cookies can open a session, 1 to 3,600: then the browser proves its device again.
   * Default 600.
   */
  maxAge?: number;
  /**
   * Says if a user must have a bound session, such as by role: any other is a visitor's, in browsers that cannot bind theirs
   * too. The user's `roles` are all roles of the site, that of `role` too. It is asked in each request and answers at once;
   * whatever is not `false` is a yes. Default: nobody must.
   */
  required?(user: User): boolean;
}

const KEYS = ["sendMail", "maxAge", "required"];
const LONGEST = 3600;
// Endpoints of the library that are only for who is signed in. All others are a visitor's too, such as a new sign-in.
const FOR_USERS = /^\/(?:account|session|passkeys|passkey\/register|second-factor\/setup)/;

/** Refuses a request without the proof of its device: by the page that tries again, where one was asked for. */
function refusal(store: RequestStore): SessionUnboundError {
  const { request, auth: { settings } } = store;
  if (request.method !== "GET" || prefersJson(request)) return new SessionUnboundError();
  return new SessionUnboundError(undefined, {
    page() {
      const look = lookOf(store);
      const page = checkingPage(look, { signOut: settings.pages.signOut });
      const response = pageResponse(look, page, { status: 401 });
      response.headers.set("refresh", "3");
      return response;
    },
  });
}

/** Path of a request below `basePath`; null for one of the application. */
function ownPath({ request, auth: { settings } }: RequestStore): string | null {
  return pathBelow(new URL(request.url).pathname, settings.basePath);
}

function leadsToSignIn({ auth: { settings, origin } }: RequestStore, response: Response): boolean {
  const location = response.headers.get("location");
  if (location === null) return false;
  const url = new URL(location, origin());
  const paths = [settings.pages.signIn, signInPath(settings)];
  return url.origin === origin() && paths.some((path) => path?.split("?", 1)[0] === url.pathname);
}

/** True when the session of a request lacks the proof of its device. Asked only when a visitor was refused. */
async function lacksProof({ auth }: RequestStore): Promise<boolean> {
  const { presented } = auth;
  // Under a name of before it is refreshed no more: its owner signs in anew.
  return presented.found === "one" && presented.before === undefined &&
    isWithoutProof(await auth.load().catch(() => null));
}

/** True for an error that a visitor meets where somebody must be signed in. */
function refusesVisitors(store: RequestStore, error: unknown): boolean {
  if (!isAuthError(error)) return false;
  if (error.code === "UNAUTHENTICATED") return true;
  return error.code === "REDIRECT" && leadsToSignIn(store, (error as RedirectError).toResponse());
}

/** The refusal in place of one that would lead a visitor to the sign-in. */
async function refusalFor(store: RequestStore, error: unknown): Promise<unknown> {
  return refusesVisitors(store, error) && await lacksProof(store) ? refusal(store) : error;
}

function withHeader(response: Response, value: string): Response {
  const name = "secure-session-registration";
  try {
    response.headers.append(name, value);
    return response;
  } catch {
    // Headers that cannot be changed, as of what fetch() gave.
    const copy = new Response(response.body, response);
    copy.headers.append(name, value);
    return copy;
  }
}

/**
 * Device-bound sessions (W3C Device Bound Session Credentials), for `session: { deviceBound: deviceBound() }`: a browser that
 * can makes a key that does not leave its device, and proves it every ten minutes. A copy of its cookies opens the session
 * until the next proof is due, and nothing from then on. Other browsers go on as before, and their sessions say
 * `bound: false`. No script is needed, and a check asks the database nothing more.
 *
 * A key is taken once, from the browser that signed in, within two minutes and over https; a session with a key is never one
 * without again. Without the proof a request is a visitor's: it meets a `SessionUnboundError`, a page that tries again, and
 * one that would change something is refused before it is read. The row of the session stays, so nobody is signed out while
 * the service is down; the third wrong proof ends it, and the owner is told. It needs the session strategy 'database', and
 * a session cookie without `domain`; for 'jwt' there is `deviceBoundJwt()`.
 *
 * @param config How owners are told, how often the device is proved, and who must have a bound session. Default: mails are
 * shown to the developer, 600 seconds, nobody.
 * @throws {ConfigurationError} When the configuration is wrong, or in production without `sendMail`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, deviceBound } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   baseUrl: "https://app.example",
 *   session: {
 *     deviceBound: deviceBound({
 *       sendMail: ({ to, subject, text }) => {},
 *       required: ({ roles = [] }) => roles.includes("admin"),
 *     }),
 *   },
 * });
 * const headers = { origin: "https://app.example" }; // as the browser sends it
 * const url = "https://app.example/auth/device/refresh";
 * const request = new Request(url, { method: "POST", headers });
 * equal((await auth.handle(request, {}))?.headers.has("secure-session-challenge"), true);
 * ```
 */
export function deviceBound<Env = DefaultEnv>(
  config?: DeviceBoundConfig<Env>,
): DeviceBoundDefinition {
  return defineBinding(config, {
    name: "deviceBound()",
    check: ({ storage }) => void groupOf<unknown>(storage, deviceBindingGroup),
    create(chosen, parts, bound) {
      if (chosen === null || chosen === "database") return createBoundStrategy(parts, bound);
      throw new ConfigurationError(
        "deviceBound() needs sessions in a database, whose row has the key: leave `session.strategy` out, or write " +
          "session: { strategy: jwtSessions, deviceBound: deviceBoundJwt() }",
        { field: "session.deviceBound" },
      );
    },
  });
}

/**
 * `deviceBound()` for sessions of the strategy 'jwt': the short cookie is the session's token, and the long one, which has
 * the public key, refreshes it and opens nothing. A registration ends the token of before. A bound session's claims are
 * those of its last refresh; its token must fit into one cookie of 3,800 characters.
 *
 * @param config As of `deviceBound()`.
 * @throws {ConfigurationError} When the configuration is wrong, in production without `sendMail`, and without a revocation
 * store that has `claim()`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, deviceBoundJwt, jwtSessions } from "@framework/auth";
 * import { createMemoryRevocationStore } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   baseUrl: "https://app.example",
 *   secret: "0123456789abcdef0123456789abcdef", // openssl rand -hex 32
 *   session: {
 *     strategy: jwtSessions,
 *     revocation: createMemoryRevocationStore(), // createSqlRevocationStore() in production
 *     deviceBound: deviceBoundJwt({ sendMail: ({ to, subject, text }) => {} }),
 *   },
 * });
 * const headers = { origin: "https://app.example" }; // as the browser sends it
 * const url = "https://app.example/auth/device/refresh";
 * const request = new Request(url, { method: "POST", headers });
 * equal((await auth.handle(request, {}))?.headers.has("secure-session-challenge"), true);
 * ```
 */
export function deviceBoundJwt<Env = DefaultEnv>(
  config?: DeviceBoundConfig<Env>,
): DeviceBoundDefinition {
  return defineBinding(config, {
    name: "deviceBoundJwt()",
    create(chosen, parts, bound) {
      if (typeof chosen === "object" && chosen !== null) {
        return createBoundJwtStrategy(chosen, parts, bound);
      }
      throw new ConfigurationError(
        "deviceBoundJwt() is for signed tokens: write strategy: jwtSessions beside it, or deviceBound() for sessions in a " +
          "database",
        { field: "session.deviceBound" },
      );
    },
  });
}

/** Parts in which the two strategies differ. */
interface BindingKind {
  name: string;
  check?: EndpointModule["check"];
  create(
    chosen: Parameters<DeviceBoundDefinition["create"]>[0],
    parts: Parameters<DeviceBoundDefinition["create"]>[1],
    bound: BoundParts,
  ): BoundStrategy;
}

function defineBinding<Env>(
  config: DeviceBoundConfig<Env> | undefined,
  kind: BindingKind,
): DeviceBoundDefinition {
  const { sendMail, maxAge = 600, required } = optionsOf(config ?? {}, kind.name, KEYS);
  readFunction(required, "required", "a function that is given the user");
  const mustBind = required as DeviceBoundConfig["required"];
  if (
    typeof maxAge !== "number" || !Number.isInteger(maxAge) || maxAge < 1 || maxAge > LONGEST
  ) {
    throw wrongOption("maxAge", maxAge, `whole seconds from 1 to ${LONGEST}`);
  }
  const send = readSendMail(sendMail, {
    provider: kind.name,
    reason: "by which owners learn that somebody has copied their session",
  }) as NonNullable<DeviceBoundConfig<unknown>["sendMail"]>;

  /** Tells the owner of an account, three times an hour at most: whoever knows the password could make it happen again. */
  async function tellOwner(store: RequestStore, userId: string): Promise<void> {
    const { settings, origin } = store.auth;
    const limits = limitsOf(settings);
    if (limits !== null) {
      const key = await limitKey({ name: "device-mail", identifier: userId });
      const rule = { limit: 3, window: 3600_000, now: settings.now() };
      if (!(await limits.storage.takeRateLimit(key, rule)).allowed) return;
    }
    const url = ownRedirect(settings.pages.signIn, origin());
    const written = deviceProofMail(lookOf(store), { at: new Date(settings.now()), url });
    const mailer = `sendMail() of ${kind.name}`;
    mailOwner(store, { userId, kind: "device-proof", url, written, mailer, send });
  }

  const createModule = (options: DeviceEndpointOptions): EndpointModule => ({
    id: "device-bound",
    // The browser sends both with the own origin, whosever page it shows. A sibling host can have them sent too, as the
    // addresses of a session of its own, and is told by its origin.
    endpoints: () => [
      { path: PATHS.start, method: "POST", endpoint: startEndpoint(options) },
      { path: PATHS.refresh, method: "POST", endpoint: refreshEndpoint(options) },
      ...developmentMailEndpoints(),
    ],
    async accountSection({ auth }: RequestStore, look: Look): Promise<AccountSection> {
      return {
        id: "device",
        title: say(look, "This device"),
        content: deviceSection(look, { bound: isBound(await auth.load()) }),
      };
    },
    check(settings) {
      kind.check?.(settings);
      const { domain } = settings.cookie;
      if (domain !== null) {
        throw wrongOption(
          "cookies.sessionToken.options.domain",
          domain,
          "no domain beside session.deviceBound: a browser proves its device to one host",
        );
      }
    },
  });

  return {
    kind: "device-bound",
    create(chosen, parts) {
      const offers = new WeakMap<RequestStore, string>();
      const { find, ...strategy } = kind.create(chosen, parts, {
        life: maxAge * 1000,
        required: mustBind && ((user) => mustBind({ ...user, roles: rolesOf(user) })),
        async offer(store, secret) {
          const challenge = await createChallenge(secret, "start", parts.now());
          const path = store.auth.settings.basePath + PATHS.start;
          offers.set(store, `(ES256);path="${path}";challenge="${challenge}"`);
        },
      });
      return {
        ...strategy,
        modules: [createModule({
          find,
          tellOwner: (store, userId) => store.waitUntil(tellOwner(store, userId)),
        })],
        refusalFor,
        offerOf: (store) => offers.get(store),
        around(store, work) {
          const { request, auth } = store;

          async function fail(error: unknown): Promise<never> {
            throw await refusalFor(store, error);
          }

          async function finish(response: Response): Promise<Response> {
            const isRefusal = response.status === 401 || leadsToSignIn(store, response);
            if (isRefusal && ownPath(store) === null && await lacksProof(store)) {
              throw refusal(store);
            }
            const offer = offers.get(store);
            if (offer === undefined || response.status === 101) return response;
            return withHeader(response, offer);
          }

          // Most responses are no refusal, and nothing waits for them.
          function settle(response: Response): Response | Promise<Response> {
            const { status } = response;
            const isOrdinary = status !== 401 && !(status >= 300 && status < 400);
            return isOrdinary && !offers.has(store) ? response : finish(response);
          }

          function answer(): Response | Promise<Response> {
            try {
              const given = work();
              return given instanceof Response ? settle(given) : given.then(settle, fail);
            } catch (error) {
              return fail(error);
            }
          }

          async function answerUnsafe(): Promise<Response> {
            const path = ownPath(store);
            if (path === null || FOR_USERS.test(path)) {
              // The session is asked for when the last byte is here, see `receiveFields()`; other bodies are the application's.
              if (path !== null) await receiveFields(request);
              await auth.tenant?.preload();
              if (isWithoutProof(await auth.load())) throw refusal(store);
            }
            const response = await answer();
            // A token lets in the user of before until it is made anew, which this endpoint does.
            if (path === "/session" && isWithoutProof(await auth.load())) throw refusal(store);
            return response;
          }

          const isUnsafe = !SAFE.has(request.method) && auth.presented.found === "one";
          return isUnsafe ? answerUnsafe() : answer();
        },
      };
    },
  };
}
