/**
 * Contracts that features are written against: the settings of an application, a request with its session, and
 * the parts that a way to sign in, a theme or a session strategy adds. Each names the others, so they are one
 * file. A feature's hook is one optional member here; an application that does not import the feature does not have it.
 */
import type { RateLimitedError } from "../errors.ts";
import type { CookiesOut } from "../lib/cookie.ts";
import type { Html, HtmlValue } from "../lib/html.ts";
import type { Logger } from "../lib/logger.ts";
import type { Rbac } from "../rbac/permissions.ts";
import type { PreparedEntry } from "../storage/audit.ts";
import type { OpenWays } from "../storage/accounts.ts";
import type { RateLimitConfig, RateLimitStorage } from "../storage/rate_limits.ts";
import type { SaveUserOptions } from "../storage/records.ts";
import type { Storage } from "../storage/storage.ts";
import type { DeliverMail } from "../types/application.ts";
import type { Account, AuthCallbacks, Profile } from "../types/callbacks.ts";
import type { AuthEvents, Occurrence, Report } from "../types/events.ts";
import type { Refusal, SessionState, ValidSession } from "../types/session.ts";
import type { Member, RequestTenant, Tenancy } from "../types/tenant.ts";
import type { User } from "../types/user.ts";
import type { RequestInfo } from "./client_address.ts";
import type {
  KeepTokens,
  LinkIntent,
  ProvenAtProvider,
  TransactionStore,
} from "./oauth_contracts.ts";
import type { AddressOptions } from "./origin.ts";
import type {
  MintedSession,
  MintOptions,
  PresentedToken,
  SessionStrategy,
  SessionStrategyDefinition,
  StrategyCookie,
  StrategyParts,
} from "./session_strategy.ts";

/** The options of an application, checked and complete. Made once per environment. */
export interface Settings {
  /** Path of the endpoints. */
  basePath: string;
  /** Session strategy, and what stands in for a database where it needs none. */
  strategy: SessionStrategy & StrategyExtras;
  /**
   * True when the Authorization header counts in place of the session cookie; an expression when only headers that match it
   * do, which are those with an API key.
   */
  bearer: boolean | RegExp;
  /** The session cookie. */
  cookie: StrategyCookie;
  /** Addresses of the pages, and their theme. */
  pages: Pages;
  /** The application's own address, as far as it is configured. */
  address: AddressOptions;
  /** Further origins whose pages may send requests, and to which redirects may lead. */
  trustedOrigins: ReadonlySet<string>;
  /** The ways to sign in by id, in order. */
  providers: ReadonlyMap<string, SignInMethod>;
  /** All parts that bring endpoints: the ways to sign in, and others such as the account page. */
  modules: readonly (SignInMethod | EndpointModule)[];
  /** Stores the tokens of providers; null when they are not stored. */
  providerTokens: KeepTokens | null;
  /**
   * Storage of users and sessions; without a database, a substitute whose operations throw. Opened
   * when it is first asked for.
   */
  readonly storage: Storage;
  /** The application's callbacks. */
  callbacks: AuthCallbacks;
  /** The application's listeners. */
  events: AuthEvents;
  /** Rate limits of the ways to sign in, which check it: an application without them has no code for it. */
  rateLimit: RateLimitConfig | false | undefined;
  /** Roles and permissions; null when there are none. */
  rbac: Rbac | null;
  /** Tenants; null when there are none. */
  tenancy: Tenancy | null;
  /** Secrets, the first of which seals and signs; empty without one. */
  secrets: readonly string[];
  /** True when there is a database. */
  hasDatabase: boolean;
  /** True for a SQL database, over which the library's own storage has every operation. */
  hasSqlDatabase: boolean;
  /** The clock, in milliseconds since 1970. */
  now: () => number;
  /** Calls the providers. */
  fetch: typeof fetch;
  /** Delivers mails in place of the providers' own; undefined for theirs. */
  deliver: DeliverMail | undefined;
  /** Log of events and failures. */
  logger: Logger;
}

/** A request with its session, as the operations of the library find it. */
export interface RequestStore {
  /** The request. */
  request: Request;
  /** The environment of the application. */
  env: unknown;
  /** Canonical address of the client; null when it is unknown. */
  address(): string | null;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
  /** The session. */
  auth: RequestAuth;
  /** Cookies of the response to come. */
  cookiesOut: CookiesOut;
  /** Logs an event and tells the application's listeners. */
  report: Report;
  /** Returns the name of the request in the log, made at the first call: most requests never need it. */
  requestId(): string;
  /** True while an answer is made that is kept for everybody, who must not find this request. Default: false. */
  isShared?: boolean;
  /** Throws where no session may begin: what it is for may not be there in the end. Default: it may. */
  hold?: (() => never) | undefined;
}

/** Options of a session that begins, apart from its user. */
export interface StartOptions extends Pick<MintOptions, "owner" | "save" | "account" | "profile"> {
  /** Proofs of this sign-in, as values of RFC 8176; "mfa" for two factors. Default: one factor. */
  amr?: readonly string[] | undefined;
  /** The request. Default: outside of one. */
  store?: RequestStore;
  /** Id of the provider, when a sign-in is what begins it. */
  provider?: string;
  /** Identifier as typed. Default: none. */
  identifier?: string | null | undefined;
  /** Destination that the visitor asks for, not checked. Default: none. */
  callbackUrl?: unknown;
  /**
   * Done when the user is stored, and before it is decided what the session must prove: where it fails, no session begins.
   * Default: nothing.
   */
  joins?: () => Promise<unknown>;
}

/** A session that is about to begin. */
export interface PendingSession extends StartOptions {
  /** The options of the application. */
  settings: Settings;
  /** Id of its user. */
  userId: string;
}

/** A tenant, as a second factor may be required there. */
export interface Entry {
  /** Id of the tenant. */
  tenantId: string;
  /** Membership of the user there; null for none. */
  member: Pick<Member, "roles"> | null;
}

/** Asks for a second factor. */
export interface Gate {
  /**
   * Decides if a session may begin: every session passes, whatever the way in. What it returns is called with the session,
   * before anybody is given it.
   *
   * @throws {SecondFactorRequiredError} When the second factor is to be proved first.
   */
  pass(pending: PendingSession): Promise<(minted: MintedSession) => Promise<void>>;
  /**
   * Refuses a session of a user with a second factor that has not proved it of late, before it makes a further one.
   *
   * @param begun For what a request before has begun, whose proof counts ten minutes longer then: true in the same session,
   * or the session of then, where the request that ends it may come without its cookie. Default: it begins with this request.
   * @throws {SecondFactorRequiredError} When the second factor is to be proved anew.
   */
  assertFresh(store: RequestStore, begun?: LinkIntent | true): Promise<void>;
  /**
   * Tells if a session may act in a tenant: undefined where it has proved a second factor, and where none is required of
   * its user there; else the refusal.
   */
  enters(state: ValidSession, entry: Entry, settings: Settings): Promise<Refusal | undefined>;
  /** Keeps what a session has proved where it goes on under another id. */
  keep(session: { from: string; to: string; userId: string }, settings: Settings): Promise<void>;
  /**
   * Requires the second factor of a request; who has none is to set it up.
   *
   * @throws {SecondFactorRequiredError} When this session has not proved it.
   */
  require(store: RequestStore): Promise<unknown>;
}

/** Admits API keys. */
export interface ApiKeyGate {
  /**
   * Admits the key of a request, of which nothing has been read before.
   *
   * @param counts True where keys count. Where they do not, a key that was admitted before is refused.
   * @returns Whose key was admitted: a user's or a team's; null without one.
   * @throws {ApiKeyError} When the key is none, or does not count here.
   * @throws {RateLimitedError} When its limit is reached, or there were too many wrong ones.
   */
  admit(store: RequestStore, counts: boolean): Promise<"user" | "team" | null>;
}

/** Gives up what others need, before a user goes; what it returns takes that back where the user then stays. */
export type Leave = () => Promise<() => Promise<void>>;

/** The session of one request: read at most once, and changed by the operations of the request. */
export interface RequestAuth {
  /** The options of the application. */
  readonly settings: Settings;
  /** The tenant of the request; null in an application without tenants. */
  readonly tenant: RequestTenant | null;
  /** The token that the request brings, verified or not. */
  readonly presented: PresentedToken;
  /** True once the session was read; the response then depends on it. */
  consulted(): boolean;
  /**
   * Has every later question about the session throw, unless one was asked before: the headers have gone with a
   * Cache-Control by which a cache gives the response to others.
   */
  refuseLater(policy: string): void;
  /** The origin of the application. */
  origin(): string;
  /** Reads the session unless it was read, and returns its state. */
  load(): Promise<SessionState>;
  /**
   * Reads the session before application code runs; a failure waits for the first who asks. Nothing is to be
   * awaited when it returns no promise.
   */
  preload(): Promise<void> | undefined;
  /** Returns the state that was read, at once. */
  state(operation: string): SessionState;
  /** Begins a session for a user, in place of the present one. */
  start(userId: string, options?: StartOptions): Promise<MintedSession>;
  /** Reads the user again and moves the expiry of the session. */
  update(): Promise<SessionState>;
  /** Gives the browser another token of its session. */
  adopt(state: ValidSession): void;
  /** Ends the present session. */
  end(): Promise<void>;
}

/** Arguments of an endpoint. */
export interface EndpointContext {
  /** The request and its session. */
  store: RequestStore;
  /** Address of the request, parsed once. */
  url: URL;
  /** Facts about the request that the host tells. */
  info: RequestInfo;
}

/** Answers one method at one path. */
export type Endpoint = (context: EndpointContext) => Response | Promise<Response>;

/** An endpoint with its path and method. */
export interface EndpointEntry {
  /** The path below `basePath`. Its last segment may be `*`, for any. */
  path: string;
  /** The method; GET answers HEAD too. */
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The function that answers. */
  endpoint: Endpoint;
  /** True for one that other sites' pages may call and that something else protects. Default false. */
  crossSite?: boolean;
}

/** One field of the sign-in form. */
export interface CredentialsField {
  /** Label of the field. */
  label: string;
  /** Type of its input. */
  type: "text" | "email" | "password";
  /** Text in the empty field. Default: none. */
  placeholder?: string;
  /** True when it must be filled in. Default false. */
  required?: boolean;
}

/** Values that the form of a sign-in method is rendered with. */
export interface SignInForm {
  /** Looks and language of the page. */
  look: Look;
  /** True when the page has no other way to sign in. */
  alone: boolean;
  /** Path of the endpoints. */
  basePath: string;
  /** Address to return to after sign-in; it has passed the redirect guard. */
  callbackUrl: string | null;
  /** Values that the visitor had typed, without secrets. */
  values: ReadonlyMap<string, string>;
  /** True when this browser has signed in by it the last time. */
  lastUsed: boolean;
  /** True when the page asks somebody who is signed in for a fresh proof: nobody signs up there. */
  confirms: boolean;
  /** True for the list of a field of another form alone, without a button of its own. Default false. */
  listOnly?: boolean;
}

/** A field of a form: its label, its name, and whether it must be filled in. */
export type SignInField = CredentialsField & { key: string; required: boolean };

/** A form that is sent to `/signin/<id>`, for the pages to render. */
export interface PlainForm {
  /** Its fields. Default: none. */
  fields?: readonly SignInField[];
  /** Label of its button. */
  submit: string;
  /** Path below `basePath` that it is sent to. Default: `/signin/<id>`. */
  action?: string;
}

/** A way to sign in, checked. It brings its endpoints along, so that nothing of an unused one is bundled. */
export interface SignInMethod {
  /** Type of the accounts that it proves. */
  type: Account["type"];
  /** Its id in addresses. */
  id: string;
  /** Its name on the sign-in page. */
  name: string;
  /** Its endpoints. */
  endpoints: readonly EndpointEntry[];
  /** Its part of the sign-in page: a form to render, or markup of its own. */
  form: PlainForm | ((form: SignInForm) => Html);
  /** Tells owners from those who guess, for a way to sign in that can be guessed at. Default: nothing does. */
  guard?: AccountGuard;
  /** Origins of other domains on which its passkeys are used. Default: none. */
  relatedOrigins?: readonly string[];
  /** Paths below `basePath` of scripts that its form needs. Default: none. */
  scripts?: readonly string[];
  /**
   * The provider's mark: shapes in the square from 0 to 24, without the `<svg>` around them. It is written into the
   * page as it is, so it must be a constant of the code. Default: the first letter of the name.
   */
  logo?: string;
  /**
   * True when its form asks for an address alone and the next page for the proof. The form of a way to sign in by mail
   * is then not shown beside it. Default false.
   */
  leads?: boolean;
  /** Path below `basePath` of the page on which visitors create an account. Default: there is none. */
  signUp?: string;
  /** Writes its section of the account page of a user. Default: it has none there. */
  accountSection?(store: RequestStore, look: Look, user: User): Promise<AccountSection>;
  /** Returns what it holds about the signed-in user, for the copy of their data. Default: nothing. */
  accountData?(store: RequestStore): Promise<Record<string, unknown>>;
  /**
   * Ways that it opens to users who have them, beside those that follow from its type: without any of them nobody
   * removes what they sign in with. Default: none.
   */
  opens?: Partial<Pick<OpenWays, "passkeys" | "passwords">>;
  /**
   * Told where a sign-in with the password of `passwords()` is complete, with the second factor where there is one.
   * Default: it is not told.
   */
  afterPassword?(store: RequestStore, userId: string): Promise<void>;
  /** Proves, after another first factor, that a user has what it signs in with. Default: it is no second factor. */
  factor?: FactorMethod;
  /**
   * Time at which whom it has just identified proved two factors to the provider, in milliseconds since 1970; null for one
   * factor. Default: one, whatever the provider says.
   */
  twoFactorsAt?(profile: Profile): number | null;
  /** The built-in pages, which an application has with this way to sign in unless it names a theme. Default: none. */
  pages?: Theme;
  /**
   * Sends the owner of an account a mail by which they choose a new password; false for a user without a mailbox that could
   * sign in by it. Default: it has no passwords.
   */
  sendReset?(context: EndpointContext, user: User): Promise<boolean>;
  /**
   * Checks the other options that it needs. What stands between a request and the settings is put there by it too.
   *
   * @throws {ConfigurationError} When one is missing.
   */
  check?(settings: Settings): void;
  /** Returns the listeners of the application together with its own. Default: the application's alone. */
  listen?(settings: Settings): AuthEvents;
}

/** A way to sign in as the second factor of somebody who has proved the first by another. */
export interface FactorMethod {
  /** Writes its form; null for a user who has nothing to prove with. */
  form(context: EndpointContext, question: FactorQuestion): Promise<Html | null>;
  /** Answers the script of the form, which asks what is to be proved. */
  ask(context: EndpointContext, userId: string): Promise<Response>;
  /**
   * Verifies what the form has sent.
   *
   * @returns Id of what was proved, and if the authenticator has verified its user in this very answer.
   * @throws {AuthError} When it is wrong, or another user's.
   */
  prove(
    context: EndpointContext,
    userId: string,
    credential: string,
  ): Promise<{ id: string; userVerified: boolean }>;
}

/** The page that asks for a second factor, for a form of it. */
export interface FactorQuestion {
  /** Id of the user. */
  userId: string;
  /** Path to which the form is sent. */
  action: string;
  /** Path at which its script asks what is to be proved. */
  options: string;
  /** Address to return to; it has passed the redirect guard. */
  callbackUrl: string | null;
}

/** A section of the account page. */
export interface AccountSection {
  /** Its id on the page. */
  id: string;
  /** Its heading. */
  title: Html;
  /** A sentence below the heading. Default: none. */
  lead?: Html;
  /** Its content. */
  content: HtmlValue;
  /** Note above all sections, for what the owner must see at once. Default: none. */
  notice?: Html | null;
}

/** Endpoints that are no way to sign in, such as those of the account page. */
export interface EndpointModule
  extends Pick<SignInMethod, "id" | "check" | "listen" | "accountSection" | "accountData"> {
  /** Returns its endpoints in an application of these settings. */
  endpoints(settings: Settings): readonly EndpointEntry[];
  /** Links accounts at providers to a signed-in user. Default: they are not linked. */
  linking?: Linking;
  /** Asks for a second factor. Default: nobody is asked for one. */
  gate?: Gate;
  /**
   * Makes an entry of the trail ready, which the storage keeps together with a change of a user. Default: changes leave no
   * trail.
   */
  trail?(store: RequestStore, change: { type: string; userId: string }): Promise<PreparedEntry>;
  /**
   * Has events be stored with the change that they tell of. The listener that is told of one of them afterwards need not store
   * it. Default: events are told, and not stored.
   */
  expect?(
    store: RequestStore,
    events: readonly (Occurrence & { subject?: string | undefined })[],
    since: number | undefined,
  ): ExpectedEvents;
  /** Delivers stored events, for `auth.deliver()`. Default: there is nothing to deliver. */
  deliver?(settings: Settings, options?: DeliverOptions): Promise<Delivered>;
  /** Refuses that users delete their account who are needed. Default: everybody can go. */
  letGo?(store: RequestStore, userId: string): Promise<Leave>;
  /** Removes what it keeps for a tenant that is deleted. Safe to repeat. Default: it keeps nothing. */
  endTenant?(settings: Settings, tenantId: string): Promise<void>;
  /** Admits API keys. Default: there are none. */
  keys?: ApiKeyGate;
  /** Writes a note above every page of the library, for this request; null for none. Default: there is none. */
  banner?(store: RequestStore, look: Look): Html | null;
  /**
   * Writes its section of the page on which an administrator sees a user whom they may change; null for one who may not see
   * it. Default: it has none there.
   */
  userSection?(
    store: RequestStore,
    look: Look,
    about: { admin: User; user: User; back: string },
  ): Promise<AccountSection | null>;
  /**
   * Writes its section of the page of a team, for a user who is a member there; null for one who may not see it. `removed` is
   * the id of a member who has just been removed, who may have left something behind. Default: it has none there.
   */
  teamSection?(
    store: RequestStore,
    look: Look,
    about: { user: User; tenantId: string; back: string; removed: string | null },
  ): Promise<AccountSection | null>;
}

/** Events that wait for their change. */
export interface ExpectedEvents {
  /**
   * Ends the wait, with which of the events have happened; null when the change has failed and nobody knows what of it was
   * made before. It does not fail.
   */
  end(happened: readonly boolean[] | null): Promise<void>;
}

/** Bounds of {@linkcode Delivered}. */
export interface DeliverOptions {
  /**
   * Maximum number of steps. An event that is shared out among its destinations is one, each delivery that is tried is one,
   * and so is each look for up to 20 that are due. Database and receivers are asked at most three times for each, and five
   * times more. Default 1,000; in a worker 300.
   */
  limit?: number;
  /** Seconds after which no further ones are begun. Default 20. */
  seconds?: number;
}

/** Outcome of `auth.deliver()`. */
export interface Delivered {
  /** Number of deliveries that have succeeded. */
  delivered: number;
  /** Number of deliveries that have failed and are tried again later. */
  failed: number;
  /** Number of deliveries that have failed for the last time. */
  dead: number;
  /** True when more are due than the bounds let through. */
  more: boolean;
}

/** A sign-in that has succeeded, for {@linkcode AccountGuard.remember}. */
export interface RememberedSignIn {
  /** Id of the user who has signed in. */
  userId: string;
  /** Identifier with which they have proved who they are; null for none. "" where only a secret is typed. */
  identifier: string | null;
  /** Address of the user, which counts when it is theirs and nobody else's; null for none. */
  email: string | null;
  /** Conditions under which the sign-in was stored. */
  conditions: Pick<SaveUserOptions, "proofBegunAt" | "unproved">;
}

/**
 * Tells owners of an account from those who guess at it. The ways to sign in that can be guessed at bring it along: an
 * application without them has no code for it.
 */
export interface AccountGuard {
  /** True when it writes to the owner about a sign-in in a browser that is not known. Default false. */
  tells?: boolean;
  /**
   * Names the browser of a request when somebody has signed in there with this identifier; else null.
   *
   * @param options `proved`: only for a user who has proved their mailbox. `userId`: only for this user; default any.
   */
  find(
    store: RequestStore,
    identifier: string,
    options: { proved: boolean; userId?: string },
  ): Promise<string | null>;
  /** Remembers the browser of a request in which a user has signed in. It never fails the sign-in. */
  remember(store: RequestStore, signIn: RememberedSignIn): Promise<void>;
  /** Forgets the browsers of a user. */
  forget(settings: Settings, userId: string): Promise<void>;
  /** Names an account for events, in the same way whether it exists or not. */
  tag(settings: Settings, identifier: string): Promise<string>;
}

/** Links an account at a provider to a signed-in user. */
export interface Linking {
  /**
   * Reads the user and the session that the account is to be linked to.
   *
   * @throws {ReauthenticationRequiredError} For a session that was left open.
   */
  begin(context: EndpointContext): Promise<LinkIntent>;
  /** Links the account that the provider has proved: for the session that asked for it, and for no other. */
  finish(
    context: EndpointContext,
    proven: ProvenAtProvider,
    intent: LinkIntent,
  ): Promise<Response>;
}

/** Content of the sign-in page. */
export interface SignInPage {
  /** Address to return to after sign-in; it has passed the redirect guard. */
  callbackUrl: string | null;
  /** Code of the error before; null, or an unknown one, shows nothing. */
  error: string | null;
  /** The limit that was reached. Default: none was. */
  limited?: RateLimitedError | null;
  /** Values that the visitor had typed, without secrets. */
  values?: ReadonlyMap<string, string>;
  /** Status of the response. Default 200. */
  status?: number;
}

/** The part of an error that clients may see. */
export interface PublicError {
  /** Status of the response. */
  status: number;
  /** Code, for programs. */
  code: string;
  /** Message, for people. */
  message: string;
  /** Name of the request in the log; none below status 500, where nothing was logged. */
  requestId?: string;
}

/** A colour in hexadecimal digits, such as "#3355e0". */
export type HexColor = `#${string}`;

/** Colours of one scheme, for what cannot derive them itself, such as a mail. */
export interface Palette {
  /** Background behind the card. */
  ground: HexColor;
  /** The card. */
  card: HexColor;
  /** Quiet areas on the card. */
  soft: HexColor;
  /** Lines around the card. */
  line: HexColor;
  /** Text. */
  text: HexColor;
  /** Less important text. */
  quiet: HexColor;
  /** Buttons. */
  fill: HexColor;
  /** Text on buttons. */
  on: HexColor;
  /** Links. */
  link: HexColor;
}

/** The looks of the built-in pages, in the language of one visitor. */
export interface Look {
  /** Name of the application; null for none. */
  name: string | null;
  /** Paths of its logo; null for none. */
  logo: { light: string; dark: string } | null;
  /** Links below the card. */
  links: readonly { label: string; href: string }[];
  /** Tag of the language (BCP 47). */
  language: string;
  /** Direction of its script. */
  direction: "ltr" | "rtl";
  /** True when another visitor may see another language. */
  varies: boolean;
  /** Returns a text of the pages in this language; undefined for one that stays English. */
  translate(text: string): string | undefined;
  /** Stylesheet after those of the pages; "" for none. */
  style: string;
  /** Colours and corners of mails; null for those of the library. */
  mail: { light: Palette; dark: Palette; radius: number } | null;
}

/** The built-in pages of a theme, as the endpoints use them. */
export interface Theme {
  /** Endpoints of the pages. */
  endpoints: readonly EndpointEntry[];
  /** Renders the sign-in page for a visitor who tries again. */
  signIn(context: EndpointContext, page: SignInPage): Promise<Response>;
  /** Renders the page for an error that has just happened. */
  failure(error: PublicError, request: Request, cause: unknown): Response;
  /** Returns the looks for the visitor who sends a request. Default: those of the library, in English. */
  look?(request: Request): Look;
  /** Notes in the browser by which provider somebody has signed in. Default: it is not noted. */
  signedIn?(store: RequestStore, provider: string): void;
  /** Completes the policy of a page with the hash of the theme's stylesheet; other responses pass as they are. */
  dress?(response: Response): Promise<Response>;
}

/** Addresses of the pages, checked, and their theme. */
export interface Pages {
  /** The sign-in page. */
  signIn: string;
  /** The sign-out page. */
  signOut: string;
  /** The error page. */
  error: string;
  /** The page on which a visitor waits for an email. */
  verifyRequest: string;
  /** The page for new users, or null. */
  newUser: string | null;
  /** The page on which to ask for a new password, or null. */
  forgotPassword: string | null;
  /** The application's own page on which to create an account. Default: the built-in one. */
  signUp?: string;
  /** The application's own page behind the link of a sign-up. Default: the built-in one. */
  confirmSignUp?: string;
  /** The application's own page on which to choose a new password. Default: the built-in one. */
  resetPassword?: string;
  /** The built-in pages, or null. */
  theme: Theme | null;
}

/** Parts that a session strategy brings along beside the sessions. */
export interface StrategyExtras {
  /** Stands in for a database where the strategy needs none. Default: it needs one. */
  readonly stateless?: Stateless;
  /** Parts with endpoints. Default: none. */
  readonly modules?: readonly EndpointModule[];
  /** Answers a request around the work on it. Default: the work alone answers. */
  around?(
    store: RequestStore,
    work: () => Response | Promise<Response>,
  ): Response | Promise<Response>;
  /** Offer to bind the session that a request has begun, where its headers go before `around()` ends. Default: none. */
  offerOf?(store: RequestStore): string | undefined;
  /** The error in place of one that the work on a request threw after `around()`. Default: that one. */
  refusalFor?(store: RequestStore, error: unknown): Promise<unknown>;
  /**
   * Refuses a session that is not bound to a device. Default: the strategy binds none.
   *
   * @throws {SessionUnboundError} When it is not.
   */
  assertBound?(state: SessionState): void;
}

/** Binding of sessions to devices as a value, so that applications bundle it only when they import it. */
export interface DeviceBoundDefinition {
  /** Tells it from other values. */
  readonly kind: "device-bound";
  /**
   * Makes the strategy that `session.strategy` names, with sessions that are bound to devices, which only the library does.
   *
   * @internal
   * @throws {ConfigurationError} When something that it needs is not configured.
   */
  create(
    chosen: "database" | SessionStrategyDefinition | null,
    parts: StrategyParts,
  ): SessionStrategy & StrategyExtras;
}

/** Stands in for a database where there is none. It comes with a session strategy that needs none. */
export interface Stateless {
  /** Makes a storage whose operations say that they need a database. */
  createStorage(): Storage;
  /** Sign-ins that are under way at a provider. */
  transactions: TransactionStore;
  /** Signs in the person whom a provider has identified. */
  signInByProvider(context: EndpointContext, proven: ProvenAtProvider): Promise<Response>;
  /** Makes rate limits that count in this process. */
  createRateLimits(): RateLimitStorage;
}
