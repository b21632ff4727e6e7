import { ConfigurationError } from "../errors/configuration_error.ts";
import { finishSession } from "../request/change_session.ts";
import { jsonResponse } from "./endpoint.ts";
import { describeProviders } from "../providers/list_providers.ts";
import { isMethod } from "../providers/provider.ts";
import { prefersJson } from "./negotiate.ts";
import { readFields } from "./read_fields.ts";
import { ownRedirect, redirectResponse } from "./redirect_guard.ts";
import { settleRedirect } from "./settle_redirect.ts";
import { updateSession } from "./update_session_endpoint.ts";
import type { EndpointTable } from "./dispatch.ts";
import type { EndpointContext, EndpointEntry, Settings } from "./contracts.ts";

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
 * The endpoints of an application: those that every one has, and what its pages and ways to sign in bring along.
 * Several may bring one and the same endpoint, as the account page brings those for programs.
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
