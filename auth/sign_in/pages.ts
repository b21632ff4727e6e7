/**
 * The built-in pages around a sign-in: their endpoints and their themes.
 *
 * @module
 */

import type { PageTheme } from "../core/url_options.ts";
import type {
  EndpointContext,
  EndpointEntry,
  Look,
  PlainForm,
  PublicError,
  RequestAuth,
  RequestStore,
  Settings,
  SignInField,
  SignInMethod,
  SignInPage,
  Theme,
} from "../core/contracts.ts";
import {
  ownRedirect,
  pathBelow,
  redirectResponse,
  returnPath,
  safeCallback,
  signInPath,
} from "../core/redirect.ts";
import { findRequest } from "../core/request.ts";
import { knownErrorMessage } from "../core/error_response.ts";
import { type Html, markup } from "../lib/html.ts";
import { DEFAULT_LOOK, lookOf, type Page, pageResponse, say, sayOwn } from "../pages/frame.ts";
import type { Hidden, Way } from "../pages/parts.ts";
import { type Confirmation, type EntryForm, type Problem, signInPage } from "../pages/sign_in.ts";
import {
  errorPage,
  errorText,
  failureResponse,
  limitedPage,
  noAccessPage,
  retryAfterOf,
  signedOutPage,
  signOutPage,
  waitText,
} from "../pages/trouble.ts";
import { keepLastUsed, readLastUsed } from "./last_used.ts";
import { userOf } from "../session/resolve.ts";
import type { User } from "../types/user.ts";
import { linkedAccountGroup } from "../storage/accounts.ts";
import { formOriginsOf } from "./oauth/provider.ts";
import { PROVIDER_MARKS } from "./provider_marks.ts";

/** Of an `error` parameter only a known code is passed on. */
function knownError(url: URL): string | null {
  const code = url.searchParams.get("error");
  return knownErrorMessage(code) === null ? null : code;
}

function callbackOf(context: EndpointContext): string | null {
  return safeCallback(context.url.searchParams.get("callbackUrl"), context);
}

/** `GET /signin`: the built-in page, or the way to the application's own. */
async function showSignIn(context: EndpointContext): Promise<Response> {
  const { settings: { basePath, pages }, origin } = context.store.auth;
  const callbackUrl = callbackOf(context);
  const error = knownError(context.url);
  if (pages.signIn !== `${basePath}/signin`) {
    return redirectResponse(ownRedirect(pages.signIn, origin(), { callbackUrl, error }), 302);
  }
  return await showSignInPage(context, { callbackUrl, error });
}

/** `GET /signout`: a question for who is signed in, and where to go for who is not. */
async function showSignOut(context: EndpointContext): Promise<Response> {
  const { store, store: { auth, auth: { settings, origin } } } = context;
  const { basePath, pages, trustedOrigins } = settings;
  const callbackUrl = callbackOf(context);
  if (pages.signOut !== `${basePath}/signout`) {
    return redirectResponse(ownRedirect(pages.signOut, origin(), { callbackUrl }), 302);
  }
  const look = lookOf(store);
  // Also while no session can be read: whoever has one can still end it in their browser.
  const isOut = await auth.load().then(({ status }) => status !== "valid", () => false);
  const page = isOut
    ? signedOutPage(look, { signIn: pages.signIn })
    : signOutPage(look, { action: `${basePath}/signout`, hidden: { callbackUrl } });
  return pageResponse(look, page, { formOrigins: trustedOrigins });
}

/** `GET /error`. */
function showError(context: EndpointContext): Response {
  const { store, store: { auth: { settings: { basePath, pages }, origin } } } = context;
  const code = knownError(context.url);
  if (pages.error !== `${basePath}/error`) {
    return redirectResponse(ownRedirect(pages.error, origin(), { error: code }), 302);
  }
  const look = lookOf(store);
  // Which ways there are is told where they are.
  const shown = isOfAccount(code) ? "RATE_LIMITED" : code;
  return pageResponse(look, errorPage(look, { code: shown, signIn: pages.signIn }));
}

/** The built-in pages at their addresses; a page of the application's own is redirected to. */
const PAGE_ENDPOINTS: readonly EndpointEntry[] = [
  { path: "/signin", method: "GET", endpoint: showSignIn },
  { path: "/signout", method: "GET", endpoint: showSignOut },
  { path: "/error", method: "GET", endpoint: showError },
];

/** Origins to which a redirect in answer to one of the forms may lead. */
export async function findFormOrigins(
  methods: readonly SignInMethod[],
  context: EndpointContext,
): Promise<Set<string>> {
  const { settings } = context.store.auth;
  const found = await Promise.all(methods.map((method) => formOriginsOf(method, settings)));
  return new Set([...settings.trustedOrigins, ...found.flat()]);
}

export function isProvider(method: SignInMethod): boolean {
  return "oauth" in method;
}

/** A provider as a button of the pages. */
export function wayOf({ id, name, logo }: SignInMethod, basePath: string): Way {
  const mark = logo ?? (Object.hasOwn(PROVIDER_MARKS, id) ? PROVIDER_MARKS[id] : undefined);
  return { name, logo: mark, action: `${basePath}/signin/${id}` };
}

/** True for the form of an address and nothing else. */
function asksAddress(fields: readonly SignInField[]): boolean {
  return fields.length === 1 && fields[0]!.type === "email";
}

/** Lists the sign-in forms of an application, with their paths and fields. */
function entriesOf(
  methods: readonly SignInMethod[],
  { basePath, forgotPassword, lastUsed }: {
    basePath: string;
    forgotPassword: string | null;
    /** The method that this browser has used last. */
    lastUsed: SignInMethod | undefined;
  },
): EntryForm[] {
  const entries: (EntryForm & { type: SignInMethod["type"] })[] = [];
  for (const { id, type, form, leads } of methods) {
    if (typeof form === "function") continue;
    const { fields = [], submit, action = `/signin/${id}` }: PlainForm = form;
    const forgot = fields.some((one) => one.type === "password") ? forgotPassword : null;
    // The form for an address leads on to a link too, where there are both.
    const isLast = id === lastUsed?.id || leads === true && lastUsed?.type === "email";
    entries.push({
      id,
      type,
      action: basePath + action,
      fields,
      submit,
      forgot,
      link: null,
      lastUsed: isLast ? "form" : null,
    });
  }
  const byMail = entries.find(({ type, fields }) => type === "email" && asksAddress(fields));
  const beside = entries.find((one) =>
    one !== byMail && one.fields.some(({ key, type }) => key === "email" && type === "email")
  );
  if (byMail === undefined || beside === undefined) return entries;
  // Never two fields for one address: the link is another button of the form that has the field.
  return entries.filter((one) => one !== byMail)
    .map((one) =>
      one !== beside ? one : {
        ...one,
        link: byMail.action,
        lastUsed: byMail.lastUsed === null ? one.lastUsed : "link",
      }
    );
}

/** A path of the application with the address to return to after sign-in. */
export function withCallback(path: string, callbackUrl: string | null): string {
  if (callbackUrl === null) return path;
  const url = new URL(path, "https://own.invalid");
  url.searchParams.set("callbackUrl", callbackUrl);
  return url.pathname + url.search + url.hash;
}

/**
 * A page with a field in whose list browsers offer passkeys, so that nobody types what they need not (WebAuthn Level 3,
 * 5.1.4): beside the page its scripts, none in an application without passkeys.
 */
export function withPasskeyList(
  { auth: { settings: { basePath, providers } } }: RequestStore,
  look: Look,
  { page, callbackUrl }: { page: Page; callbackUrl: string | null },
): { page: Page; scripts: string[] } {
  const method = [...providers.values()].find(({ type }) => type === "webauthn");
  if (typeof method?.form !== "function") return { page, scripts: [] };
  const list = method.form({
    look,
    alone: false,
    basePath,
    callbackUrl,
    values: new Map(),
    lastUsed: false,
    confirms: true,
    listOnly: true,
  });
  return {
    page: { ...page, body: markup`${page.body}${list}` },
    scripts: (method.scripts ?? []).map((path) => basePath + path),
  };
}

/** True for the codes of an account that nobody may guess at any more. */
function isOfAccount(code: string | null): boolean {
  return code === "RATE_LIMITED_ACCOUNT" || code === "RATE_LIMITED_PASSWORD";
}

/** The ways that strangers cannot close, of those that the application has; null for none. */
function wayOnText(
  look: Look,
  { providers, pages: { forgotPassword } }: Settings,
): Html | null {
  const methods = [...providers.values()];
  const resets = forgotPassword !== null || methods.some(({ opens }) => opens?.passwords);
  if (!methods.some(({ type }) => type === "email")) {
    return resets
      ? say(
        look,
        "There have been too many attempts to sign in to this account. Set a new password.",
      )
      : null;
  }
  return resets
    ? say(
      look,
      "There have been too many attempts to sign in to this account. Sign in by a link in an email, or set a new password.",
    )
    : say(
      look,
      "There have been too many attempts to sign in to this account. Sign in by a link in an email.",
    );
}

/** Part of the page for who is signed in and is asked for a fresh proof; null for every other visitor. */
async function confirmationOf(
  { store: { auth } }: EndpointContext,
  { callbackUrl, error }: SignInPage,
): Promise<Confirmation & { owner: User } | null> {
  if (error !== "REAUTHENTICATION_REQUIRED") return null;
  const state = await auth.load().catch(() => null);
  const user = state && userOf(state);
  if (user === null) return null;
  const { basePath, modules } = auth.settings;
  const { email = null, name = null } = user;
  return {
    owner: user,
    email,
    user: email ?? name,
    other: withCallback(`${basePath}/signin`, callbackUrl),
    // Not back to where the proof is asked for, which would lead here again.
    cancel: modules.some(({ id }) => id === "account") ? `${basePath}/account` : "/",
  };
}

/**
 * The ways by which somebody who is signed in can prove once more who they are: those that they have. All of them where that
 * cannot be read, as without a database, and where nothing is left.
 */
async function ownMethods(
  { auth: { settings: { storage, providers, hasDatabase } } }: RequestStore,
  { id, email = null }: User,
): Promise<SignInMethod[]> {
  const methods = [...providers.values()];
  const linked = hasDatabase ? storage.group?.(linkedAccountGroup) : null;
  const ways = await linked?.readWays(id).catch(() => null);
  if (ways == null) return methods;
  const byMail = email !== null && methods.some(({ type }) => type === "email");
  const own = methods.filter((method) => {
    const { id: provider, type, opens } = method;
    if (type === "oauth" || type === "oidc") return ways.accounts.includes(provider);
    if (type === "webauthn") return ways.passkeys;
    if (type === "email") return byMail;
    // Their page offers the link too. Of others nobody here knows who has a password.
    return !opens?.passwords || ways.password || byMail;
  });
  return own.length === 0 ? methods : own;
}

/** The built-in sign-in page. */
async function showSignInPage(
  context: EndpointContext,
  given: SignInPage,
): Promise<Response> {
  const { callbackUrl, error, limited = null, values = new Map(), status = 200 } = given;
  const { store } = context;
  const confirm = await confirmationOf(context, given);
  const { basePath, providers, pages: { forgotPassword, signUp: ownSignUp } } = store.auth.settings;
  const look = lookOf(store);
  const methods = confirm === null
    ? [...providers.values()]
    : await ownMethods(store, confirm.owner);
  const hidden: Hidden = { callbackUrl };
  const ofAccount = limited?.useEmail || isOfAccount(error);
  const wayOn = ofAccount ? wayOnText(look, store.auth.settings) : null;
  const code = ofAccount && wayOn === null ? "RATE_LIMITED" : error;
  const known = knownErrorMessage(code);
  const wait = limited && waitText(look, retryAfterOf(limited));
  const message = wayOn === null
    ? wait ?? (known === null ? null : sayOwn(look, known))
    : wait === null
    ? wayOn
    : markup`${wayOn} ${wait}`;
  const problem: Problem | null = message && { code: code ?? "", message };
  const leads = methods.some((method) => method.leads === true);
  const last = readLastUsed(store);
  const others = methods.filter((method) => !isProvider(method));
  const forms = entriesOf(others.filter(({ type }) => !leads || type !== "email"), {
    basePath,
    lastUsed: providers.get(last ?? ""),
    forgotPassword: forgotPassword && withCallback(forgotPassword, callbackUrl),
  });
  const alone = methods.length === 1;
  const own = others.map(({ id, form }) =>
    typeof form === "function"
      ? form({
        look,
        alone,
        basePath,
        callbackUrl,
        values,
        lastUsed: id === last,
        confirms: confirm !== null,
      })
      : null
  ).filter((one) => one !== null);
  const signUp = methods.find((method) => method.signUp !== undefined)?.signUp;
  const page = signInPage(look, {
    ways: methods.filter(isProvider).map((method) => ({
      ...wayOf(method, basePath),
      lastUsed: method.id === last,
    })),
    buttons: own,
    forms,
    hidden,
    values,
    problem,
    byLinkAlone: forms.length === 1 && !leads && asksAddress(forms[0]!.fields),
    confirm,
    signUp: signUp === undefined ? null : withCallback(ownSignUp ?? basePath + signUp, callbackUrl),
  });
  return pageResponse(look, page, {
    status,
    formOrigins: await findFormOrigins(methods, context),
    scripts: methods.flatMap(({ scripts = [] }) => scripts.map((path) => `${basePath}${path}`)),
  });
}

/** The user of a session that was read; null for none. Whoever refuses has read it, and a read of its own could fail too. */
function knownUser(auth: RequestAuth): User | null {
  try {
    return auth.consulted() ? userOf(auth.state("errorResponse")) : null;
  } catch {
    return null;
  }
}

/** The sign-in page, and back to the application's page or form that was refused; null where there is none. */
function signInAddress({ auth: { settings, origin }, request }: RequestStore): string | null {
  const path = signInPath(settings);
  if (path === null) return null;
  const isOwn = pathBelow(new URL(request.url).pathname, settings.basePath) !== null;
  const callbackUrl = isOwn ? null : returnPath(request, origin());
  return ownRedirect(path, origin(), { callbackUrl });
}

/**
 * Shows an error that has just happened. Who may not do something is told as whom they are signed in, since another account of
 * theirs may, who is not signed in is led to the sign-in page, and who tried too often is told when the next try is.
 */
export function showFailure(look: Look, error: PublicError, cause: unknown): Response {
  const store = findRequest();
  if (store === undefined) return failureResponse(look, error, cause);
  const { auth, auth: { settings } } = store;
  const seconds = error.status === 429 ? retryAfterOf(cause) : null;
  if (seconds !== null) {
    const page = limitedPage(look, { seconds, now: settings.now() });
    return pageResponse(look, page, { status: error.status });
  }
  const user = error.code === "FORBIDDEN" ? knownUser(auth) : null;
  if (user === null) {
    const signIn = error.status === 401 ? signInAddress(store) : null;
    return failureResponse(look, error, cause, signIn);
  }
  const { email, name } = user;
  const page = noAccessPage(look, {
    reason: errorText(look, error),
    user: email ?? name ?? null,
    signOut: settings.pages.signOut,
  });
  return pageResponse(look, page, { status: error.status });
}

/** The built-in pages, in plain looks. */
export const DEFAULT_PAGES: Theme = {
  endpoints: PAGE_ENDPOINTS,
  signIn: showSignInPage,
  failure: (error, _request, cause) => showFailure(DEFAULT_LOOK, error, cause),
  signedIn: keepLastUsed,
};

/**
 * The built-in pages in the colours of the platform, for `pages.theme` of `createAuth()`: an application that
 * has its own pages, or none, imports no theme and bundles none. Applications by convention have this one
 * unless they name another. {@linkcode pageTheme} makes one with a name, colours and texts.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, defaultTheme } from "@framework/auth";
 * import { match } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { theme: defaultTheme } });
 * const response = await auth.handle(new Request("http://localhost/auth/signin"), {});
 * match(await response!.text(), /<title>Sign in<\/title>/);
 * ```
 */
export const defaultTheme: PageTheme = { kind: "page-theme", definition: DEFAULT_PAGES };
