/**
 * Impersonation: administrators who act for a user, for a while and for a reason.
 *
 * @module
 */

import type {
  AccountSection,
  Endpoint,
  EndpointContext,
  EndpointModule,
  Look,
  RequestStore,
  Settings,
} from "../core/contracts.ts";
import type { Provider } from "../core/provider.ts";
import { jsonResponse, ownRedirect, redirectResponse, safeCallback } from "../core/redirect.ts";
import { currentRequest, gateOf, prefersJson } from "../core/request.ts";
import {
  ConfigurationError,
  ForbiddenError,
  isAuthError,
  RateLimitedError,
  ReauthenticationRequiredError,
  RedirectError,
  RequestError,
} from "../errors.ts";
import { readFields } from "../lib/body.ts";
import { type Html, markup } from "../lib/html.ts";
import { checkKeys, isOptions, wrongOption } from "../lib/options.ts";
import { createSecret, hashSecret } from "../lib/secret.ts";
import { duration, lookOf, moment, say } from "../pages/frame.ts";
import { field, form, icon, note, row, rowButton, rows, submit } from "../pages/parts.ts";
import { isPermission, PERMISSION_PATTERNS } from "../rbac/permissions.ts";
import { limitHeaders, limitKey, secondsOf } from "../rate_limit/keys.ts";
import { limitsOf } from "../rate_limit/sign_in.ts";
import { findActor } from "../session/actor.ts";
import { requireRecentUser } from "../session/require.ts";
import { IMPERSONATION_PURPOSE, impersonationGroup } from "../storage/impersonations.ts";
import type { StoredSecret } from "../storage/secrets.ts";
import { groupOf } from "../storage/storage.ts";
import type { User } from "../types/user.ts";
import {
  bindImpersonation,
  endImpersonating,
  impersonatingIn,
  type ImpersonationPayload,
  mayActFor,
  mayImpersonate,
  reasonOf,
  secretsOf,
  takeRow,
  writeImpersonationCookie,
} from "./impersonated_request.ts";
import { signInAddress } from "./sections.ts";

const PATH = "/impersonation";
/** Times that the form offers, in seconds. */
const TIMES = [900, 1800, 3600];

/** Options for {@linkcode impersonation}. */
export interface ImpersonationOptions {
  /** Permission of administrators who may act for users, such as "users:impersonate". A role of a tenant never gives it. */
  permission: string;
}

/** Options for {@linkcode impersonate}. */
export interface ImpersonateOptions {
  /** Reason, 1 to 200 characters, such as the number of a ticket. The user can read it while it lasts. */
  reason: string;
  /** Seconds after which it ends, 60 to 3,600. Default 900. */
  for?: number;
}

/** Configuration of an application's impersonation. */
interface ImpersonationModule extends EndpointModule {
  impersonation: { permission: string };
}

function configOf({ modules }: Settings, operation: string): { permission: string } {
  const found = modules.find((module): module is ImpersonationModule => "impersonation" in module);
  if (found !== undefined) return found.impersonation;
  throw new ConfigurationError(
    `${operation}() needs impersonation({ permission }) among the providers`,
    { field: "providers" },
  );
}

function readOptions(options: unknown): ImpersonationOptions {
  if (!isOptions(options)) {
    throw wrongOption(
      "impersonation()",
      options,
      'an object: impersonation({ permission: "users:impersonate" })',
    );
  }
  checkKeys(options, ["permission"], "");
  const { permission } = options;
  if (!isPermission(permission) || permission.endsWith(":own")) {
    throw wrongOption("permission", permission, `a permission: ${PERMISSION_PATTERNS}`);
  }
  return { permission };
}

// Something to read, and no character that controls or that nobody sees.
const REASON = /^(?=.*[\p{L}\p{N}])[^\p{Cc}\p{Cf}]{1,200}$/u;

function readHow(
  { reason, for: seconds = 900 }: ImpersonateOptions,
): { reason: string; seconds: number } {
  if (typeof reason !== "string" || !REASON.test(reason)) {
    throw new RequestError("Give a reason of 1 to 200 characters");
  }
  if (!Number.isInteger(seconds) || seconds < 60 || seconds > 3600) {
    throw new RequestError("Choose a time of one minute to one hour");
  }
  return { reason: reason.trim(), seconds };
}

/** Counts the impersonations of an administrator: 20 in an hour, for each is a line in somebody's activity. */
async function limitBeginning(
  { auth: { settings }, report }: RequestStore,
  actor: User,
): Promise<void> {
  const limits = limitsOf(settings);
  if (limits === null) return;
  const now = settings.now();
  const [name, limit, window] = ["impersonations", 20, 3600] as const;
  const { allowed, resetAt } = await limits.storage.takeRateLimit(
    await limitKey({ name, identifier: actor.id }),
    { limit, window: window * 1000, now },
  );
  if (allowed) return;
  report({ type: "rate-limited", limiter: name, userId: actor.id });
  const reset = secondsOf(resetAt - now, window);
  throw new RateLimitedError(undefined, {
    headers: limitHeaders({ name, limit, window, remaining: 0, reset, allowed }),
  });
}

/**
 * Ends all impersonations of a session but the newest: by their rows, for a browser may have kept the cookie of one, and begun
 * several at once.
 */
async function keepNewest(store: RequestStore, actorId: string, sessionId: string): Promise<void> {
  const { storage, now } = store.auth.settings;
  const listed = await groupOf(storage, impersonationGroup).listImpersonations({ actorId }, now());
  const others = listed.filter((one) => one.sessionId === sessionId).slice(1);
  for (const { hash } of others) await takeRow(store, hash);
}

/** Begins to act for a user, see {@linkcode impersonate}. */
async function beginImpersonation(
  store: RequestStore,
  userId: string,
  options: ImpersonateOptions,
): Promise<Date> {
  const { auth, auth: { settings } } = store;
  const { permission } = configOf(settings, "impersonate");
  const { reason, seconds } = readHow(options);
  const state = await auth.load();
  // Nobody acts for somebody in the name of a third.
  if (findActor(store) !== null) throw new ForbiddenError();
  requireRecentUser(state, { throwError: true }, store);
  await gateOf(settings)?.assertFresh(store);
  if (state.status !== "valid") throw new ForbiddenError();
  const { storage, now } = settings;
  const [actor, user] = await Promise.all([
    storage.getActiveUser(state.session.user.id),
    storage.getActiveUser(userId),
  ]);
  if (actor === null || !mayImpersonate(settings, actor, permission)) {
    throw new ForbiddenError(undefined, { requiredPermission: permission });
  }
  if (user === null) throw new RequestError(undefined, { code: "NOT_FOUND" });
  if (!await mayActFor(settings, actor, user)) throw new ForbiddenError();
  await limitBeginning(store, actor);
  await endImpersonating(store);
  const secret = createSecret();
  const expiresAt = Math.min(now() + seconds * 1000, state.session.expires.getTime());
  await secretsOf(settings).putSecret({
    purpose: IMPERSONATION_PURPOSE,
    hash: await hashSecret(secret),
    identifier: actor.id,
    userId: user.id,
    payload: JSON.stringify({ reason } satisfies ImpersonationPayload),
    sessionId: state.id,
    createdAt: now(),
    expiresAt,
  });
  await keepNewest(store, actor.id, state.id);
  const maxAge = Math.ceil((expiresAt - now()) / 1000);
  writeImpersonationCookie(store, { value: secret, maxAge });
  store.report({
    type: "impersonation-started",
    userId: user.id,
    actorId: actor.id,
    reason,
  });
  return new Date(expiresAt);
}

/** Ends what a request is in; false when it is in none. */
async function end(store: RequestStore): Promise<User | null> {
  await store.auth.load();
  const ended = await endImpersonating(store);
  if (ended === null) return null;
  store.report({
    type: "impersonation-ended",
    userId: ended.user.id,
    actorId: ended.actor.id,
  });
  return ended.user;
}

/**
 * Lets the administrator of this request act for a user, from the next request of their browser on: there `getUser()` is the
 * user, and `getActor()` the administrator. It takes the permission of {@linkcode impersonation}, a sign-in of the last ten
 * minutes, and the second factor where there is one; and no right, on the site or in a team of the user, that the
 * administrator lacks, which is asked again at each request.
 *
 * It ends after the time, with the session of the administrator, by {@linkcode stopImpersonating}, by the user on the account
 * page, and with a new password of the user. Meanwhile nothing of the account changes: the endpoints and operations of the
 * library refuse with 403 what only the owner does.
 *
 * @param userId Id of the user.
 * @param options `reason`: 1 to 200 characters; `for`: seconds, 60 to 3,600, default 900.
 * @returns Time at which it ends.
 * @throws {ForbiddenError} Without the permission, for somebody with more rights, and while acting for somebody already.
 * @throws {ReauthenticationRequiredError} When the administrator has not signed in of late.
 * @throws {SecondFactorRequiredError} When the administrator's second factor is to be proved anew.
 * @throws {RequestError} When there is no such user, or the reason or the time is wrong.
 * @throws {RateLimitedError} For the twenty-first within an hour.
 * @throws {ConfigurationError} Without `impersonation()` among the providers.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, defineRBAC, getActor, getUser } from "@framework/auth";
 * import { impersonate, impersonation, startSession } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   rbac: defineRBAC({ roles: [{ id: "admin", name: "Administrator", permissions: ["*"] }] }),
 *   providers: [impersonation({ permission: "users:impersonate" })],
 * });
 * const url = "http://localhost/support";
 * const browser = new Map<string, string>();
 * async function visit(work: () => Promise<unknown>): Promise<unknown> {
 *   const cookie = [...browser].map((pair) => pair.join("=")).join("; ");
 *   const request = new Request(url, { method: "POST", headers: { cookie } });
 *   const response = await auth.run(request, {}, undefined, async () => Response.json(await work() ?? null));
 *   for (const line of response.headers.getSetCookie()) {
 *     const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
 *     browser.set(name!, value!);
 *   }
 *   return await response.json();
 * }
 *
 * await visit(async () => {
 *   await createUser({ id: "ada", name: "Ada", role: "admin" });
 *   await createUser({ id: "bob", name: "Bob" });
 *   await startSession("ada");
 * });
 * await visit(() => impersonate("bob", { reason: "Ticket 17", for: 600 }));
 * const seen = await visit(() => Promise.resolve([getUser()?.name, getActor()?.name]));
 * deepEqual(seen, ["Bob", "Ada"]);
 * ```
 */
export async function impersonate(userId: string, options: ImpersonateOptions): Promise<Date> {
  return await beginImpersonation(currentRequest("impersonate"), userId, options);
}

/**
 * Ends the impersonation that this request is in: from the next request on the administrator acts as themselves.
 *
 * @returns False when it is in none.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, stopImpersonating } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
 *   equal(await stopImpersonating(), false);
 *   return new Response();
 * });
 * ```
 */
export async function stopImpersonating(): Promise<boolean> {
  return await end(currentRequest("stopImpersonating")) !== null;
}

/** `POST /impersonation`. */
function startEndpoint(): Endpoint {
  return async function startImpersonation(context) {
    const { store, store: { auth, request } } = context;
    const fields = await readFields(request, { optional: false });
    const userId = fields.get("id") ?? "";
    const seconds = fields.get("for") ?? "900";
    try {
      const expires = await beginImpersonation(store, userId, {
        reason: fields.get("reason") ?? "",
        for: /^\d{1,5}$/.test(seconds) ? Number(seconds) : NaN,
      });
      if (prefersJson(request)) return jsonResponse({ expires });
    } catch (error) {
      const isProof = isAuthError(error) &&
        (error.code === "REAUTHENTICATION_REQUIRED" || error.code === "UNAUTHENTICATED");
      if (!isProof || prefersJson(request)) throw error;
      const { code } = new ReauthenticationRequiredError();
      throw new RedirectError(signInAddress(context, code, pathOf(context, userId)));
    }
    const next = safeCallback(fields.get("callbackUrl"), context) ??
      ownRedirect("/", auth.origin());
    return redirectResponse(next, 303);
  };
}

/** Path of the page of a user, where there is one. */
function pathOf({ store: { auth: { settings } } }: EndpointContext, id: string): string {
  const { basePath, modules } = settings;
  if (!modules.some((module) => module.id === "admin")) return "/";
  return `${basePath}/admin/user?${new URLSearchParams({ id })}`;
}

/** Ends one of those that a user may see: of the user, or by the user. */
async function endListed(store: RequestStore, user: User, id: string): Promise<boolean> {
  const { settings } = store.auth;
  const listed = await listOf(settings, user.id);
  const found = [...listed.of, ...listed.by].find(({ hash }) => hash === id);
  if (found === undefined || await takeRow(store, id) === null) return false;
  store.report({ type: "impersonation-ended", userId: found.userId!, actorId: user.id });
  return true;
}

/** `POST /impersonation/end`: the one of this request, else one that is listed. */
async function endImpersonation(context: EndpointContext): Promise<Response> {
  const { store, store: { auth, request } } = context;
  const fields = await readFields(request, { optional: true });
  const ended = await end(store);
  if (ended !== null) {
    if (prefersJson(request)) return jsonResponse({ ended: true });
    return redirectResponse(ownRedirect(pathOf(context, ended.id), auth.origin()), 303);
  }
  const state = await auth.load();
  if (state.status !== "valid") throw new RedirectError(signInAddress(context));
  const isOver = await endListed(store, state.session.user, fields.get("id") ?? "");
  if (prefersJson(request)) return jsonResponse({ ended: isOver });
  const path = `${auth.settings.basePath}/account`;
  return redirectResponse(ownRedirect(path, auth.origin()), 303);
}

/** Those of a user and those by a user, as far as they last. */
async function listOf(
  { storage, now }: Settings,
  userId: string,
): Promise<{ of: StoredSecret[]; by: StoredSecret[] }> {
  const { listImpersonations } = groupOf(storage, impersonationGroup);
  const [of, by] = await Promise.all([
    listImpersonations({ userId }, now()),
    listImpersonations({ actorId: userId }, now()),
  ]);
  return { of, by };
}

/** Section of the account page: who acts for the user now, and for whom the user acts. */
async function accountSection(
  store: RequestStore,
  look: Look,
  { id: userId }: User,
): Promise<AccountSection> {
  const { settings } = store.auth;
  const { of, by } = await listOf(settings, userId);
  const isOwner = impersonatingIn(store) === null;

  /** Name of a user, or of an administrator, whose address is not the user's business. */
  async function nameOf(id: string | null, isAdministrator: boolean): Promise<string> {
    const user = id === null ? null : await settings.storage.getUser(id);
    return user?.name || (isAdministrator ? null : user?.email) || id || "";
  }

  const items = await Promise.all([...of, ...by].map(async (one) => {
    const isOf = one.userId === userId;
    const name = await nameOf(isOf ? one.identifier : one.userId, isOf);
    const named = markup`<bdi>${name}</bdi>`;
    return row({
      mark: icon("person"),
      title: isOf
        ? say(look, "{name} is signed in as you", { name: named })
        : say(look, "You act for {name}", { name: named }),
      detail: markup`<bdi>${reasonOf(one)}</bdi> · ${
        say(look, "Until {date}", { date: moment(look, new Date(one.expiresAt)) })
      }`,
      actions: [
        isOwner && form({
          action: `${settings.basePath}${PATH}/end`,
          hidden: { id: one.hash },
          content: rowButton(say(look, "End access"), { object: name }),
        }),
      ],
    });
  }));
  const none = markup`<li><span class="quiet">${
    say(look, "No one from support is signed in as you.")
  }</span></li>\n`;
  return {
    id: "impersonation",
    title: say(look, "Access by our support"),
    lead: say(
      look,
      "To help you, our support can use the app as you. They can’t change how you sign in.",
    ),
    content: rows(items.length === 0 ? [none] : items),
  };
}

/** Section of the page of a user, for administrators who may act for them. */
function userSection(permission: string) {
  return async function showImpersonation(
    { auth: { settings } }: RequestStore,
    look: Look,
    { admin, user }: { admin: User; user: User },
  ): Promise<AccountSection | null> {
    if (!mayImpersonate(settings, admin, permission)) return null;
    const head = { id: "impersonate", title: say(look, "Sign in as this user") };
    if (!await mayActFor(settings, admin, user)) {
      // Rights on the site that the administrator lacks close the whole page of the user, which says so itself.
      const why = say(
        look,
        "This user has rights in a team that you don’t have, so you can’t sign in as them.",
      );
      return { ...head, content: markup`<div class="box"><p class="quiet">${why}</p></div>\n` };
    }
    const options = TIMES.map((seconds) =>
      markup`<option value="${seconds}">${duration(look, seconds)}</option>`
    );
    return {
      ...head,
      lead: say(
        look,
        "See the app as they do. You can’t change how they sign in, and they can see that you were there, and why.",
      ),
      content: form({
        action: settings.basePath + PATH,
        hidden: { id: user.id },
        kind: "box",
        content: [
          field({
            id: "reason",
            label: say(look, "Reason, such as a ticket number"),
            required: true,
            attributes: markup` maxlength="200"`,
          }),
          markup`<div class="field"><label for="for">${
            say(look, "Time")
          }</label><select id="for" name="for">${options}</select></div>\n`,
          submit(say(look, "Sign in as this user")),
        ],
      }),
    };
  };
}

/** Content of the note above the pages: who acts, until when, and the button that ends it; null where nobody does. */
function bannerContent(store: RequestStore, look: Look): Html | null {
  const impersonating = impersonatingIn(store);
  if (impersonating === null) return null;
  const { user, row } = impersonating;
  const name = markup`<bdi>${user.name || user.email || user.id}</bdi>`;
  return markup`<p>${
    say(look, "You act for {name} until {date}. What you do is recorded.", {
      name,
      date: moment(look, new Date(row.expiresAt)),
    })
  }</p>
${
    form({
      action: `${store.auth.settings.basePath}${PATH}/end`,
      content: markup`<p><button>${say(look, "Stop")}</button></p>\n`,
    })
  }`;
}

/** Note above the built-in pages. */
function banner(store: RequestStore, look: Look): Html | null {
  const content = bannerContent(store, look);
  return content && note("plain", content);
}

/**
 * Writes the note that an administrator acts for the user of this request, with the button that ends it, for the pages of
 * the application: a `<div class="impersonation">` with a paragraph and a form, without style or script, in the language of
 * the visitor.
 *
 * @returns Null where nobody acts for the user.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, impersonationBanner } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/"), {}, undefined, () => {
 *   equal(impersonationBanner(), null);
 *   return new Response();
 * });
 * ```
 */
export function impersonationBanner(): string | null {
  const store = currentRequest("impersonationBanner");
  const content = bannerContent(store, lookOf(store));
  // No class of the built-in pages, which the application's own styles may know as something else.
  return content && markup`<div class="impersonation" role="status">\n${content}</div>\n`.markup;
}

/**
 * Lets administrators act for users by {@linkcode impersonate} and on the page of {@linkcode adminPage}, for at most an hour
 * and for a reason that the user can read meanwhile. A note above every page says so, and ends it.
 *
 * It stands among the providers, and needs a database, `rbac`, and with signed tokens a revocation store. Applications that
 * do not import it do not bundle it.
 *
 * @param options `permission`: the one of administrators who may act for users. A role of a tenant never gives it.
 * @throws {ConfigurationError} When the permission is none, or something that it needs is not configured.
 *
 * @example
 * ```ts
 * import { adminPage, createAuth, createMemoryStorage, defineRBAC, impersonation } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   rbac: defineRBAC({ roles: [{ id: "admin", name: "Administrator", permissions: ["*"] }] }),
 *   providers: [
 *     adminPage({ permission: "users:manage" }),
 *     impersonation({ permission: "users:impersonate" }),
 *   ],
 * });
 * const request = new Request("http://localhost/auth/impersonation", {
 *   method: "POST",
 *   headers: { "content-type": "application/json", accept: "application/json" },
 *   body: JSON.stringify({ id: "bob", reason: "Ticket 17" }),
 * });
 * equal((await auth.handle(request, {}))?.status, 401);
 * ```
 */
export function impersonation(options: ImpersonationOptions): Provider {
  const { permission } = readOptions(options);
  const definition: ImpersonationModule = {
    id: "impersonation",
    impersonation: { permission },
    endpoints: () => [
      { path: PATH, method: "POST", endpoint: startEndpoint() },
      { path: `${PATH}/end`, method: "POST", endpoint: endImpersonation },
    ],
    accountSection,
    userSection: userSection(permission),
    banner,
    check(settings) {
      if (!settings.hasDatabase) {
        throw wrongOption("database", undefined, "a database, which impersonation() needs");
      }
      if (settings.rbac === null) {
        throw wrongOption("rbac", undefined, `roles, one of which permits "${permission}"`);
      }
      if (!settings.strategy.revocable) {
        throw new ConfigurationError(
          "impersonation() ends with the session of the administrator, which needs a revocation store with signed tokens: " +
            "configure session.revocation",
          { field: "session.revocation" },
        );
      }
      bindImpersonation(settings, permission);
      // Says at once when the storage cannot list them.
      groupOf(settings.storage, impersonationGroup);
    },
  };
  return { kind: "provider", definition };
}
