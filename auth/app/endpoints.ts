/**
 * The table of all endpoints, with those of the session and the list of providers.
 *
 * @module
 */

import type { EndpointContext, EndpointEntry, Settings } from "../core/contracts.ts";
import type { EndpointTable } from "../core/dispatch.ts";
import { isMethod } from "../core/provider.ts";
import { jsonResponse, ownRedirect, redirectResponse, settleRedirect } from "../core/redirect.ts";
import { prefersJson } from "../core/request.ts";
import { ConfigurationError } from "../errors.ts";
import { readFields } from "../lib/body.ts";
import { finishSession } from "../session/mint.ts";
import { updateSession } from "../session/user_sessions.ts";
import { describeProviders } from "../sign_in/sign_in.ts";

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

const ENDPOINTS: readonly EndpointEntry[] = [
  { path: "/signout", method: "POST", endpoint: signOut },
  { path: "/session", method: "GET", endpoint: showSession },
  { path: "/session", method: "POST", endpoint: updateSession },
  { path: "/providers", method: "GET", endpoint: listProviders },
];

/**
 * Builds the endpoint table of an application: the common endpoints, and those of its pages and
 * ways to sign in. Several may bring one and the same endpoint, as the account page brings those
 * for programs.
 *
 * @throws {ConfigurationError} When two different ones want the same place.
 */
export function createEndpointTable(settings: Settings): EndpointTable {
  const table = new Map<string, Map<string, EndpointEntry>>();
  const entries = [...settings.pages.theme?.endpoints ?? [], ...ENDPOINTS];
  for (const module of settings.modules) {
    entries.push(...isMethod(module) ? module.endpoints : module.endpoints(settings));
  }
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
