import type { Settings } from "../config/settings.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { finishSession } from "../request/change_session.ts";
import {
  type EndpointContext,
  type EndpointEntry,
  jsonResponse,
  safeCallback,
} from "./endpoint.ts";
import { describeProviders } from "../providers/list_providers.ts";
import { knownErrorMessage } from "./error_messages.ts";
import { prefersJson } from "./negotiate.ts";
import { errorPage, signOutPage } from "./other_pages.ts";
import { readFields } from "./read_fields.ts";
import { ownRedirect, redirectResponse } from "./redirect_guard.ts";
import { endOtherSessions, endOwnSession, listOwnSessions } from "./session_endpoints.ts";
import { settleRedirect } from "./settle_redirect.ts";
import { showSignInPage } from "./sign_in_page.ts";
import { updateSession } from "./update_session_endpoint.ts";

/** The endpoints of one application: path below `basePath`, then method. */
export type EndpointTable = ReadonlyMap<string, ReadonlyMap<string, EndpointEntry>>;

/** Of an `error` parameter only a known code is passed on. */
function knownError(url: URL): string | null {
  const code = url.searchParams.get("error");
  return knownErrorMessage(code) === null ? null : code;
}

function callbackOf(context: EndpointContext): string | null {
  return safeCallback(context.url.searchParams.get("callbackUrl"), context);
}

async function showSignIn(context: EndpointContext): Promise<Response> {
  const { settings: { basePath, pages }, origin } = context.store.auth;
  const callbackUrl = callbackOf(context);
  const error = knownError(context.url);
  if (pages.signIn !== `${basePath}/signin`) {
    return redirectResponse(ownRedirect(pages.signIn, origin(), { callbackUrl, error }), 302);
  }
  return await showSignInPage(context, { callbackUrl, error });
}

function showSignOut(context: EndpointContext): Response {
  const { settings, origin } = context.store.auth;
  const { basePath, pages, trustedOrigins } = settings;
  const callbackUrl = callbackOf(context);
  if (pages.signOut !== `${basePath}/signout`) {
    return redirectResponse(ownRedirect(pages.signOut, origin(), { callbackUrl }), 302);
  }
  return signOutPage({ basePath, callbackUrl, formOrigins: trustedOrigins });
}

async function signOut(context: EndpointContext): Promise<Response> {
  const { request, auth } = context.store;
  const fields = await readFields(request, { optional: true });
  const session = await finishSession(context.store);
  const redirectTo = await settleRedirect(fields.get("callbackUrl"), context) ??
    ownRedirect("/", auth.origin());
  if (prefersJson(request)) return jsonResponse({ redirectTo, session });
  return redirectResponse(redirectTo, 303);
}

async function showSession(context: EndpointContext): Promise<Response> {
  const state = await context.store.auth.load();
  return jsonResponse(state.status === "valid" ? state.session : null);
}

function listProviders(context: EndpointContext): Response {
  return jsonResponse(describeProviders(context.store.auth.settings));
}

function showError(context: EndpointContext): Response {
  const { settings, origin } = context.store.auth;
  const error = knownError(context.url);
  if (settings.pages.error !== `${settings.basePath}/error`) {
    return redirectResponse(ownRedirect(settings.pages.error, origin(), { error }), 302);
  }
  return errorPage(error, settings.pages.signIn);
}

const ENDPOINTS: readonly EndpointEntry[] = [
  { path: "/signin", method: "GET", endpoint: showSignIn },
  { path: "/signout", method: "GET", endpoint: showSignOut },
  { path: "/signout", method: "POST", endpoint: signOut },
  { path: "/session", method: "GET", endpoint: showSession },
  { path: "/session", method: "POST", endpoint: updateSession },
  { path: "/providers", method: "GET", endpoint: listProviders },
  { path: "/error", method: "GET", endpoint: showError },
];

const SESSION_LIST: readonly EndpointEntry[] = [
  { path: "/sessions", method: "GET", endpoint: listOwnSessions },
  { path: "/sessions", method: "DELETE", endpoint: endOtherSessions },
  { path: "/sessions/*", method: "DELETE", endpoint: endOwnSession },
];

/**
 * The endpoints of an application: those that every one has, and what the ways to sign in bring along.
 * Several may bring one and the same endpoint, such as the list of accounts.
 *
 * @throws {ConfigurationError} When two different ones want the same place.
 */
export function createEndpointTable({ modules, strategy }: Settings): EndpointTable {
  const table = new Map<string, Map<string, EndpointEntry>>();
  const entries = [...ENDPOINTS, ...strategy.list === null ? [] : SESSION_LIST];
  for (const { endpoints } of modules) entries.push(...endpoints);
  for (const entry of entries) {
    const methods = table.get(entry.path) ?? new Map<string, EndpointEntry>();
    const there = methods.get(entry.method);
    if (there !== undefined && there.endpoint !== entry.endpoint) {
      throw new ConfigurationError(
        `Two providers answer ${entry.method} ${entry.path}: give one of them another id`,
        { field: "providers" },
      );
    }
    table.set(entry.path, methods.set(entry.method, entry));
  }
  return table;
}

/** The methods that a path answers, as the Allow header writes them. */
export function allowedMethods(methods: ReadonlyMap<string, EndpointEntry>): string {
  const names = [...methods.keys()];
  if (methods.has("GET")) names.splice(names.indexOf("GET") + 1, 0, "HEAD");
  return names.join(", ");
}
