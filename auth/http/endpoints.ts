import type { Settings } from "../config/settings.ts";
import { finishSession } from "../request/change_session.ts";
import { credentialsEndpoint } from "../sign_in/credentials_endpoint.ts";
import { type Endpoint, type EndpointContext, jsonResponse, safeCallback } from "./endpoint.ts";
import { knownErrorMessage } from "./error_messages.ts";
import { prefersJson } from "./negotiate.ts";
import { errorPage, signOutPage } from "./other_pages.ts";
import { readFields } from "./read_fields.ts";
import { ownRedirect, redirectResponse } from "./redirect_guard.ts";
import { endOtherSessions, endOwnSession, listOwnSessions } from "./session_endpoints.ts";
import { settleRedirect } from "./settle_redirect.ts";
import { signInPage } from "./sign_in_page.ts";
import { updateSession } from "./update_session_endpoint.ts";

/** The endpoints of one application: path below `basePath`, whose last segment may be `*`, then method. */
export type EndpointTable = ReadonlyMap<string, ReadonlyMap<string, Endpoint>>;

/** Of an `error` parameter only a known code is passed on. */
function knownError(url: URL): string | null {
  const code = url.searchParams.get("error");
  return knownErrorMessage(code) === null ? null : code;
}

function callbackOf(context: EndpointContext): string | null {
  return safeCallback(context.url.searchParams.get("callbackUrl"), context);
}

function showSignIn(context: EndpointContext): Response {
  const { settings, origin } = context.store.auth;
  const { basePath, pages, providers, trustedOrigins } = settings;
  const callbackUrl = callbackOf(context);
  const error = knownError(context.url);
  if (pages.signIn !== `${basePath}/signin`) {
    return redirectResponse(ownRedirect(pages.signIn, origin(), { callbackUrl, error }), 302);
  }
  return signInPage({
    basePath,
    providers: providers.values(),
    callbackUrl,
    error,
    formOrigins: trustedOrigins,
  });
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
  await finishSession(context.store);
  const redirectTo = await settleRedirect(fields.get("callbackUrl"), context) ??
    ownRedirect("/", auth.origin());
  if (prefersJson(request)) return jsonResponse({ redirectTo });
  return redirectResponse(redirectTo, 303);
}

async function showSession(context: EndpointContext): Promise<Response> {
  const state = await context.store.auth.load();
  return jsonResponse(state.status === "valid" ? state.session : null);
}

function listProviders(context: EndpointContext): Response {
  const { providers } = context.store.auth.settings;
  return jsonResponse([...providers.values()].map(({ id, name, type }) => ({ id, name, type })));
}

function showError(context: EndpointContext): Response {
  const { settings, origin } = context.store.auth;
  const error = knownError(context.url);
  if (settings.pages.error !== `${settings.basePath}/error`) {
    return redirectResponse(ownRedirect(settings.pages.error, origin(), { error }), 302);
  }
  return errorPage(error);
}

/** The endpoints of an application. */
export function createEndpointTable(settings: Settings): EndpointTable {
  const table = new Map<string, ReadonlyMap<string, Endpoint>>([
    ["/signin", new Map([["GET", showSignIn]])],
    ["/signout", new Map<string, Endpoint>([["GET", showSignOut], ["POST", signOut]])],
    ["/session", new Map<string, Endpoint>([["GET", showSession], ["POST", updateSession]])],
    ["/providers", new Map([["GET", listProviders]])],
    ["/error", new Map([["GET", showError]])],
  ]);
  for (const provider of settings.providers.values()) {
    table.set(`/signin/${provider.id}`, new Map([["POST", credentialsEndpoint(provider)]]));
  }
  if (settings.strategy.list !== null) {
    table.set("/sessions", new Map([["GET", listOwnSessions], ["DELETE", endOtherSessions]]));
    table.set("/sessions/*", new Map([["DELETE", endOwnSession]]));
  }
  return table;
}

/** The methods that a path answers, as the Allow header writes them. */
export function allowedMethods(methods: ReadonlyMap<string, Endpoint>): string {
  const names = [...methods.keys()];
  if (methods.has("GET")) names.splice(names.indexOf("GET") + 1, 0, "HEAD");
  return names.join(", ");
}
