/**
 * Endpoints of API keys, and their section of the account page and of a team's.
 *
 * @module
 */

import type {
  AccountSection,
  Endpoint,
  EndpointContext,
  EndpointEntry,
  Look,
  RequestStore,
} from "../core/contracts.ts";
import { jsonResponse, ownRedirect, redirectResponse, safeCallback } from "../core/redirect.ts";
import { gateOf, prefersJson } from "../core/request.ts";
import {
  isAuthError,
  ReauthenticationRequiredError,
  RedirectError,
  RequestError,
  type SafeRedirect,
} from "../errors.ts";
import { readFields } from "../lib/body.ts";
import { apiKeyList, type ApiKeysView, type ApiKeyView, newKeyPage } from "../pages/api_keys.ts";
import { type Html, markup } from "../lib/html.ts";
import { lookOf, pageResponse, say } from "../pages/frame.ts";
import { link, note } from "../pages/parts.ts";
import { requireRecentUser } from "../session/require.ts";
import type { RateLimit } from "../storage/rate_limits.ts";
import type { User } from "../types/user.ts";
import { apiKeysOf } from "./options.ts";
import {
  type ApiKeyInfo,
  holderIn,
  listOwnApiKeys,
  type MadeApiKey,
  makeApiKey,
  revokeOwnApiKey,
  rotateOwnApiKey,
} from "./operations.ts";

const PATH = "/api-keys";
const DAY = 86_400_000;

/** Destination after a form: the page that it is on. */
function backOf(context: EndpointContext, fields: ReadonlyMap<string, string>): SafeRedirect {
  const { auth } = context.store;
  return safeCallback(fields.get("callbackUrl"), context) ??
    ownRedirect(`${auth.settings.basePath}/account`, auth.origin(), {});
}

/**
 * Runs an endpoint whose forms lead to the sign-in page where a fresh proof is missing, and back to their page where something
 * is to be filled in; programs get the error.
 *
 * @throws {RedirectError} To that page.
 * @throws {SecondFactorRequiredError} To the page that asks for the second factor.
 */
function provingAnew(endpoint: Endpoint): Endpoint {
  return async function answer(context) {
    const { auth, request } = context.store;
    try {
      return await endpoint(context);
    } catch (error) {
      const { code } = new ReauthenticationRequiredError();
      if (!isAuthError(error) || prefersJson(request)) throw error;
      if (error.code === "SECOND_FACTOR_REQUIRED") throw error;
      if (error.code === "BAD_REQUEST") {
        const fields = await readFields(request, { optional: true });
        const { pathname, searchParams } = new URL(backOf(context, fields));
        const name = fields.get("name") ?? null;
        const shown = { ...Object.fromEntries(searchParams), error: error.code, keyName: name };
        throw new RedirectError(ownRedirect(pathname, auth.origin(), shown));
      }
      if (error.code !== code && error.status !== 401) throw error;
      const { basePath, pages } = auth.settings;
      const callbackUrl = `${basePath}/account`;
      throw new RedirectError(
        ownRedirect(pages.signIn, auth.origin(), { error: error.code, callbackUrl }),
      );
    }
  };
}

/** A limit as "60/3600": requests within seconds. */
function readLimit(text: string | undefined): RateLimit | null {
  if (text === undefined || text === "") return null;
  const [, limit, window] = /^(\d{1,4})\/(\d{1,8})$/.exec(text) ?? [];
  const rule = { limit: Number(limit), window: Number(window) };
  if (rule.limit >= 1 && rule.limit <= 1000 && rule.window >= 1 && rule.window <= 31_536_000) {
    return rule;
  }
  throw new RequestError(
    'A limit is such as "60/3600": at most 1,000 requests, within at most 31,536,000 seconds',
  );
}

/** The end of a key: a number of days of the form, or a time (RFC 3339). */
function readEnd(fields: ReadonlyMap<string, string>, now: number): Date | null {
  const days = fields.get("days") ?? "";
  const expires = fields.get("expires") ?? "";
  if (days === "" && expires === "") return null;
  const end = days === ""
    ? new Date(expires)
    : new Date(/^\d{1,4}$/.test(days) ? now + Number(days) * DAY : NaN);
  if (!Number.isNaN(end.getTime())) return end;
  throw new RequestError('The end of a key is a time such as "2030-01-01T00:00:00Z"');
}

/** Permissions of a form, whose boxes have names such as "can:posts:read", or of JSON: names with spaces between. */
function readPermissions(fields: ReadonlyMap<string, string>): string[] | undefined {
  const boxes = [...fields.keys()].filter((name) => name.startsWith("can:"));
  if (boxes.length > 0) return boxes.map((name) => name.slice("can:".length));
  return fields.get("permissions")?.split(" ").filter((one) => one !== "");
}

function tenantIn(text: string | null | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}

function shown(context: EndpointContext, made: MadeApiKey, next: SafeRedirect): Response {
  const { store } = context;
  if (prefersJson(store.request)) return jsonResponse(made);
  const look = lookOf(store);
  const { pathname, search, hash } = new URL(next);
  const { key, name, previousUntil } = made;
  return pageResponse(
    look,
    newKeyPage(look, { key, name, previousUntil, next: pathname + search + hash }),
  );
}

const list: Endpoint = async ({ store, url }) => {
  const tenantId = tenantIn(url.searchParams.get("tenant"));
  return jsonResponse({ keys: await listOwnApiKeys(store, { tenantId }) });
};

const make: Endpoint = /* @__PURE__ */ provingAnew(async (context) => {
  const { store } = context;
  const fields = await readFields(store.request, { optional: false });
  const permissions = readPermissions(fields);
  const made = await makeApiKey(store, {
    name: fields.get("name") ?? "",
    ...permissions !== undefined && { permissions },
    expires: readEnd(fields, store.auth.settings.now()),
    limit: readLimit(fields.get("limit")),
    tenantId: tenantIn(fields.get("tenant")),
  });
  return shown(context, made, backOf(context, fields));
});

const rotate: Endpoint = /* @__PURE__ */ provingAnew(async (context) => {
  const { store } = context;
  const fields = await readFields(store.request, { optional: false });
  const grace = fields.get("grace") ?? "86400";
  const made = await rotateOwnApiKey(store, fields.get("id") ?? "", {
    tenantId: tenantIn(fields.get("tenant")),
    grace: /^\d{1,6}$/.test(grace) ? Number(grace) : NaN,
  });
  if (made === null) throw new RequestError("There is no such API key", { code: "NOT_FOUND" });
  return shown(context, made, backOf(context, fields));
});

const revoke: Endpoint = /* @__PURE__ */ provingAnew(async (context) => {
  const { store } = context;
  const fields = await readFields(store.request, { optional: false });
  const tenantId = tenantIn(fields.get("tenant"));
  const revoked = await revokeOwnApiKey(store, fields.get("id") ?? "", { tenantId });
  if (prefersJson(store.request)) return jsonResponse({ revoked });
  return redirectResponse(backOf(context, fields), 303);
});

function apiKeyEndpoints(): EndpointEntry[] {
  return [
    { path: PATH, method: "GET", endpoint: list },
    { path: PATH, method: "POST", endpoint: make },
    { path: `${PATH}/rotate`, method: "POST", endpoint: rotate },
    { path: `${PATH}/revoke`, method: "POST", endpoint: revoke },
  ];
}

/** The endpoints. */
export const API_KEY_ENDPOINTS: readonly EndpointEntry[] = /* @__PURE__ */ apiKeyEndpoints();

/** Tests for a proof of late, with the second factor where there is one. */
async function isFresh(store: RequestStore): Promise<boolean> {
  try {
    requireRecentUser(await store.auth.load(), { throwError: true }, store);
    await gateOf(store.auth.settings)?.assertFresh(store);
    return true;
  } catch (error) {
    if (isAuthError(error)) return false;
    throw error;
  }
}

async function sectionOf(
  store: RequestStore,
  look: Look,
  { keys, tenant, back, allows }: {
    keys: (ApiKeyInfo & Pick<ApiKeyView, "maker">)[];
    tenant: string | null;
    back: string;
    allows(permission: string): boolean;
  },
): Promise<AccountSection> {
  const { basePath, now, pages } = store.auth.settings;
  const { permissions } = apiKeysOf(store.auth.settings, "accountPage");
  const view: ApiKeysView = {
    path: basePath + PATH,
    keys,
    permissions: permissions && [...permissions].filter(([permission]) => allows(permission)),
    fresh: await isFresh(store),
    signIn: ownRedirect(pages.signIn, store.auth.origin(), { callbackUrl: back }),
    now: now(),
    tenant,
    back,
    refused: new URL(store.request.url).searchParams.get("keyName"),
  };
  return {
    id: "api-keys",
    title: say(look, "API keys"),
    lead: say(
      look,
      "For programs that use your data without you. You can revoke each one on its own.",
    ),
    content: apiKeyList(look, view),
  };
}

/** Section of the account page, with the keys of its user. */
export async function apiKeySection(
  store: RequestStore,
  look: Look,
  user: User,
): Promise<AccountSection> {
  const { basePath, rbac } = store.auth.settings;
  return await sectionOf(store, look, {
    keys: await listOwnApiKeys(store),
    tenant: null,
    back: `${basePath}/account#api-keys`,
    allows: (permission) => rbac?.permits(user, permission) === true,
  });
}

/** Note about the keys of a member who is gone, which go on. */
function leftBehind(look: Look, keys: readonly ApiKeyInfo[]): Html {
  const names = keys.map(({ name }, index) => [index > 0 && ", ", markup`<bdi>${name}</bdi>`]);
  return note(
    "plain",
    markup`<p>${
      say(look, "Keys that they made still work: {names}. {link}", {
        names: markup`${names}`,
        link: link("#api-keys", say(look, "Look at the keys")),
      })
    }</p>`,
  );
}

/**
 * Section of the page of a team, with the keys of the team.
 *
 * @param about The member who sees it, the team, and the path of the page.
 * @returns Null for a member who may not manage the keys of the team.
 */
export async function teamKeySection(
  store: RequestStore,
  look: Look,
  { user, tenantId, back, removed }: {
    user: User;
    tenantId: string;
    back: string;
    removed: string | null;
  },
): Promise<AccountSection | null> {
  const { rbac, tenancy } = store.auth.settings;
  if (apiKeysOf(store.auth.settings, "teamPage").teamPermission === null) return null;
  try {
    const keys = await listOwnApiKeys(store, { tenantId });
    const member = await tenancy?.members?.get(tenantId, user.id);
    const holder = holderIn(user.id, tenancy?.rolesHere(member?.roles ?? []) ?? []);
    const seesEmail = rbac?.permits(holder, "team:manage") === true;
    const makers = new Map<string | null, string | undefined>();
    for (const id of new Set(keys.map(({ createdBy }) => createdBy))) {
      const maker = id === null ? null : await store.auth.settings.storage.getUser(id);
      // Addresses are shown to who manages the members.
      makers.set(id, maker?.name || (seesEmail ? maker?.email : null) || undefined);
    }
    const left = removed === null ? [] : keys.filter(({ createdBy }) => createdBy === removed);
    const section = await sectionOf(store, look, {
      // Before somebody is removed it shows which keys they leave behind.
      keys: keys.map((key) => ({ ...key, maker: makers.get(key.createdBy) })),
      tenant: tenantId,
      back: `${back}#api-keys`,
      allows: (permission) =>
        !permission.endsWith(":own") && rbac?.permits(holder, permission) === true,
    });
    return left.length === 0 ? section : { ...section, notice: leftBehind(look, left) };
  } catch (error) {
    if (isAuthError(error) && error.code === "FORBIDDEN") return null;
    throw error;
  }
}
