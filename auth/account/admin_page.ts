/**
 * The pages of administrators.
 *
 * @module
 */

import type {
  Endpoint,
  EndpointContext,
  EndpointEntry,
  Look,
  SignInMethod,
} from "../core/contracts.ts";
import type { Provider } from "../core/provider.ts";
import { doneResponse, ownRedirect } from "../core/redirect.ts";
import { reportChange } from "../core/report.ts";
import { gateOf } from "../core/request.ts";
import {
  ForbiddenError,
  ReauthenticationRequiredError,
  RedirectError,
  RequestError,
  UserChangedError,
} from "../errors.ts";
import { readFields } from "../lib/body.ts";
import { markup } from "../lib/html.ts";
import { checkKeys, isOptions, wrongOption } from "../lib/options.ts";
import { lookOf, type PageBar, pageResponse, say } from "../pages/frame.ts";
import { form, heading, link, note, section } from "../pages/parts.ts";
import type { PageText } from "../pages/texts.ts";
import {
  isPermission,
  PERMISSION_PATTERNS,
  type Rbac,
  rolesOf,
  TEAM_SCOPE,
  withSiteRoles,
} from "../rbac/permissions.ts";
import { endNamed } from "../session/end_everything.ts";
import { endUserSessions } from "../session/user_sessions.ts";
import { deleteUser, disableUser, enableUser, setUserRoles } from "../session/users.ts";
import { directoryGroup } from "../storage/directory.ts";
import { sessionListGroup } from "../storage/sessions.ts";
import { groupOf } from "../storage/storage.ts";
import type { UnchangedUser } from "../storage/users.ts";
import type { UserAdministeredEvent } from "../types/events.ts";
import type { User } from "../types/user.ts";
import { addressOf, userHeader, userList, userSections } from "./admin_sections.ts";
import { listAllUsers } from "./list_users.ts";
import { isFresh, otherPlaces, type PlacedModule, providersOf, signInAddress } from "./sections.ts";
import { holdsAllOf, readUserDetails, type UserDetails } from "./user_details.ts";

/** Options for {@linkcode adminPage}. */
export interface AdminPageOptions {
  /** Permission that administrators have, such as "users:manage". A role of a tenant never gives it here. */
  permission: string;
}

/** Path of the list, below `basePath`. */
const ADMIN_PATH = "/admin";

/** An administrator, read from storage, with the rules. */
interface Administrator {
  admin: User;
  rbac: Rbac;
  /** Their roles as they are stored. */
  held: string[];
}

function readOptions(options: unknown): AdminPageOptions {
  if (!isOptions(options)) {
    throw wrongOption(
      "adminPage()",
      options,
      'an object: adminPage({ permission: "users:manage" })',
    );
  }
  checkKeys(options, ["permission"], "");
  const { permission } = options;
  if (!isPermission(permission) || permission.endsWith(":own")) {
    throw wrongOption("permission", permission, `a permission: ${PERMISSION_PATTERNS}`);
  }
  return { permission };
}

/** Path of the page of a user, for a link and for the way back from the sign-in. */
function userPath({ store: { auth } }: EndpointContext, id: string): string {
  return addressOf(`${auth.settings.basePath}${ADMIN_PATH}/user`, { id });
}

/**
 * Administrator of this request. The rights are those of the stored user: the session may be older than they are, and in
 * a tenant holds the roles there.
 */
async function requireAdministrator(
  context: EndpointContext,
  permission: string,
): Promise<Administrator> {
  const { store: { auth }, url } = context;
  const { rbac, storage } = auth.settings;
  const state = await auth.load();
  const stored = state.status === "valid"
    ? await storage.getActiveUser(state.session.user.id)
    : null;
  if (stored === null) {
    const isPage = context.store.request.method === "GET";
    const path = auth.settings.basePath + ADMIN_PATH;
    throw new RedirectError(
      signInAddress(context, null, isPage ? url.pathname + url.search : path),
    );
  }
  const admin = withSiteRoles(rbac!, stored);
  if (!rbac!.permits(admin, permission)) {
    throw new ForbiddenError(undefined, { requiredPermission: permission });
  }
  return { admin, rbac: rbac!, held: rolesOf(stored) };
}

/** Tests that an administrator may change an account: another one, whose rights are no more than their own. */
function mayChange({ admin, rbac }: Administrator, user: User): boolean {
  return user.id !== admin.id && holdsAllOf(rbac, admin, user);
}

/** Roles that a user can have: those of teams come by a membership. */
function siteRolesOf(rbac: Rbac): string[] {
  const roles = rbac.toJSON().roles.map(([id]) => id);
  return rbac.teamRoles === undefined ? roles : roles.filter((id) => !id.startsWith(TEAM_SCOPE));
}

/** Roles that an administrator may give and take away: those without a right that they lack. */
function rolesToGive({ admin, rbac }: Administrator): string[] {
  return siteRolesOf(rbac).filter((role) => holdsAllOf(rbac, admin, { id: "", role }));
}

async function requireUser({ store }: EndpointContext, id: string | null): Promise<UserDetails> {
  const details = id === null ? null : await readUserDetails(store, id);
  if (details === null) throw new RequestError(undefined, { code: "NOT_FOUND" });
  return details;
}

// The only notes that the pages show when their address names them.
const NOTES: ReadonlyMap<string | null, PageText> = new Map([
  ["saved", "Your changes are saved."],
  ["disabled", "The account is blocked."],
  ["enabled", "The account is unblocked."],
  ["recovered", "The account is unblocked. Only a link by email opens it now."],
  ["session-ended", "That device is signed out."],
  ["sessions-ended", "All devices are signed out."],
  ["reset-sent", "The link is on its way."],
  ["deleted", "The account is deleted."],
]);

/** `GET /admin`. */
function showUsers(permission: string): Endpoint {
  return async function showUserList(context) {
    const { store, store: { auth: { settings } }, url: { searchParams } } = context;
    const { admin, rbac } = await requireAdministrator(context, permission);
    const look = lookOf(store);
    const [search, role] = ["search", "role"].map((name) => searchParams.get(name)?.trim() ?? "");
    const after = searchParams.get("after");
    const list = await listAllUsers(settings, { search, role: role || undefined, after });
    const done = NOTES.get(searchParams.get("done"));
    const path = settings.basePath + ADMIN_PATH;
    const roles = siteRolesOf(rbac);
    const view = { path, list, search: search!, role: role!, isLater: after !== null, roles };
    return pageResponse(look, {
      title: say(look, "Users"),
      bar: barOf(context, look, admin),
      body: markup`${done !== undefined && note("good", markup`<p>${say(look, done)}</p>`)}${
        userList(look, view)
      }`,
    });
  };
}

function barOf({ store: { auth } }: EndpointContext, look: Look, admin: User): PageBar {
  const { basePath, pages } = auth.settings;
  const asks = pages.signOut !== `${basePath}/signout`;
  const links = otherPlaces(look, auth, { here: "admin", user: admin });
  return { signOut: { path: pages.signOut, asks }, sections: [], links };
}

/** `GET /admin/user`. */
function showUser(permission: string): Endpoint {
  return async function showUserPage(context) {
    const { store, store: { auth: { settings } }, url: { searchParams } } = context;
    const administrator = await requireAdministrator(context, permission);
    const details = await requireUser(context, searchParams.get("id"));
    const { user } = details;
    const look = lookOf(store);
    const reauthenticate = signInAddress(
      context,
      new ReauthenticationRequiredError().code,
      userPath(context, user.id),
    );
    const fixed = user.id === administrator.admin.id
      ? say(look, "This is your own account. Another administrator can change it here.")
      : !mayChange(administrator, user)
      ? say(look, "This account has rights that you don’t have, so you can’t change it.")
      : !await isFresh(context)
      ? say(look, "To make changes, {signIn}.", {
        signIn: link(reauthenticate, say(look, "sign in again")),
      })
      : null;
    const methods = providersOf(context, () => true);
    const view = {
      path: settings.basePath + ADMIN_PATH,
      details,
      fixed,
      roles: rolesToGive(administrator),
      canReset: !!user.email && methods.some(({ sendReset }) => sendReset !== undefined),
      canEnd: settings.strategy.revocable,
      names: new Map(methods.map(({ id, name }) => [id, name])),
      methods,
    };
    const about = { admin: administrator.admin, user, back: userPath(context, user.id) };
    const further = fixed !== null || details.disabledAt !== null ? [] : await Promise.all(
      settings.modules.map((module) =>
        "userSection" in module ? module.userSection?.(store, look, about) ?? null : null
      ),
    );
    const sections = userSections(look, view, further.filter((one) => one !== null));
    const done = NOTES.get(searchParams.get("done"));
    return pageResponse(look, {
      title: markup`${user.name || user.email || user.id}`,
      bar: { ...barOf(context, look, administrator.admin), sections },
      body: markup`${userHeader(look, view)}${
        done !== undefined && note("good", markup`<p>${say(look, done)}</p>`)
      }${fixed !== null && note("plain", markup`<p>${fixed}</p>`)}${
        sections.map(({ id, title, lead, content }) => section(id, title, { lead, content }))
      }`,
    });
  };
}

/** The subject of a form, once it may be done. */
interface Change extends Administrator {
  context: EndpointContext;
  user: User;
  /** True for one who is blocked. */
  isBlocked: boolean;
  fields: ReadonlyMap<string, string>;
  /** The administrator and the user as they were read. */
  unchanged: readonly UnchangedUser[];
}

/** Checks that a change may be made: by a fresh proof, of another account without more rights. */
async function assertChange(
  context: EndpointContext,
  administrator: Administrator,
  user: User,
): Promise<void> {
  if (!mayChange(administrator, user)) throw new ForbiddenError();
  if (!await isFresh(context)) {
    const { code } = new ReauthenticationRequiredError();
    throw new RedirectError(signInAddress(context, code, userPath(context, user.id)));
  }
  await gateOf(context.store.auth.settings)?.assertFresh(context.store);
}

/** A change that was made, as the event tells it. */
type Done = Pick<UserAdministeredEvent, "action" | "added" | "removed">;

// Others change the same people at the same moment: each time one of them has got through.
const TRIES = 5;

/** An endpoint that changes an account, reports it and leads back. */
function onUser(permission: string, change: (change: Change) => Promise<Done | null>): Endpoint {
  return async function changeUser(context) {
    const { store } = context;
    await requireAdministrator(context, permission);
    const fields = await readFields(store.request, { optional: false });

    /** Decides about what is stored now, and changes it only where that still holds. */
    async function attempt(): Promise<[Administrator, User, Done | null]> {
      const administrator = await requireAdministrator(context, permission);
      const { user, disabledAt } = await requireUser(context, fields.get("id") ?? null);
      const isBlocked = disabledAt !== null;
      await assertChange(context, administrator, user);
      const unchanged = [
        { userId: administrator.admin.id, roles: administrator.held, active: true },
        { userId: user.id, roles: rolesOf(user) },
      ];
      return [
        administrator,
        user,
        await change({ ...administrator, context, user, isBlocked, fields, unchanged }),
      ];
    }

    async function changeAtLast(tries: number): ReturnType<typeof attempt> {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof UserChangedError) || tries === 1) throw error;
        return await changeAtLast(tries - 1);
      }
    }

    const [{ admin }, user, done] = await changeAtLast(TRIES);
    if (done !== null) {
      store.report({ type: "user-administered", userId: user.id, actorId: admin.id, ...done });
    }
    const { auth } = store;
    const action = done?.action ?? null;
    const path = auth.settings.basePath + ADMIN_PATH;
    const note = action === "roles-changed" ? "saved" : action ?? "session-ended";
    return doneResponse(
      context,
      { action, added: done?.added ?? [], removed: done?.removed ?? [] },
      action === "deleted"
        ? ownRedirect(path, auth.origin(), { done: note })
        : ownRedirect(`${path}/user`, auth.origin(), { id: user.id, done: note }),
    );
  };
}

/** The roles that the page showed, and the user has by the form. */
function readRoles(fields: ReadonlyMap<string, string>): { shown: string[]; chosen: string[] } {
  let shown: unknown;
  try {
    shown = JSON.parse(fields.get("shown") ?? "");
  } catch {
    shown = null;
  }
  if (!Array.isArray(shown) || !shown.every((role) => typeof role === "string")) {
    throw new RequestError("Fill in every required field");
  }
  return { shown, chosen: shown.filter((_, index) => fields.has(`role-${index}`)) };
}

async function changeRoles({ user, fields, unchanged, ...administrator }: Change): Promise<Done> {
  const { shown, chosen } = readRoles(fields);
  const theirs = new Set(rolesToGive(administrator));
  const held = rolesOf(user);
  // A box that the page did not offer changes nothing, and neither does a role that it did not show.
  const gone = held.filter((role) =>
    theirs.has(role) && shown.includes(role) && !chosen.includes(role)
  );
  const added = chosen.filter((role) => theirs.has(role) && !held.includes(role));
  const { role = null, roles = [] } = user;
  await setUserRoles(user.id, {
    role: role !== null && gone.includes(role) ? null : role,
    roles: [...roles.filter((one) => !gone.includes(one)), ...added],
  }, { unchanged });
  return { action: "roles-changed", added, removed: gone };
}

async function endSession({ context: { store }, user, fields }: Change): Promise<Done | null> {
  const { storage } = store.auth.settings;
  const sessionId = fields.get("session");
  if (sessionId === undefined) {
    await endUserSessions(store, user.id, {});
    return { action: "sessions-ended" };
  }
  // One that is no more, or another user's: nothing has happened that a trail could tell of.
  const ended = await reportChange(
    store,
    { events: [{ type: "session-revoked", userId: user.id, sessionId }] },
    () => groupOf(storage, sessionListGroup).deleteSessionById(user.id, sessionId),
  );
  return ended ? { action: "session-ended" } : null;
}

const NO_ADDRESS = "This account has no address that a link could be sent to";

function sendersOf(context: EndpointContext): readonly SignInMethod[] {
  return providersOf(context, ({ sendReset }) => sendReset !== undefined);
}

async function sendReset({ context, user }: Change): Promise<Done> {
  for (const method of sendersOf(context)) {
    if (await method.sendReset!(context, user)) return { action: "reset-sent" };
  }
  throw new RequestError(NO_ADDRESS);
}

/** Lets a user in again whose account was stolen, by a link to a new password: the ways in that a thief may have end first. */
async function recover({ context, user, isBlocked, unchanged }: Change): Promise<Done> {
  // A page that was open for long must not end what the owner has set up since.
  if (!isBlocked) throw new UserChangedError();
  if (!user.emailVerified || sendersOf(context).length === 0) throw new RequestError(NO_ADDRESS);
  // First, while nobody can sign in.
  const what = ["password", "passkeys", "accounts"] as const;
  await endNamed(context.store, { userId: user.id, what });
  await enableUser(user.id, { unchanged });
  return { action: "recovered" };
}

/** `GET /admin/user/delete`: a question, since a link alone must not delete anything. */
function askDeletion(permission: string): Endpoint {
  return async function askUserDeletion(context) {
    const administrator = await requireAdministrator(context, permission);
    const { user } = await requireUser(context, context.url.searchParams.get("id"));
    await assertChange(context, administrator, user);
    const look = lookOf(context.store);
    const { basePath } = context.store.auth.settings;
    const title = say(look, "Delete this account?");
    const text = say(
      look,
      "This cannot be undone: the account of {address} is deleted with its passkeys, connected accounts and memberships, and its sessions end.",
      { address: markup`<b><bdi>${user.email ?? user.name ?? user.id}</bdi></b>` },
    );
    const question = form({
      action: `${basePath}${ADMIN_PATH}/user/delete`,
      hidden: { id: user.id },
      content: markup`<button class="bad">${say(look, "Delete account")}</button>\n`,
    });
    // The filled button is the way back: red text is enough for what cannot be undone.
    return pageResponse(look, {
      title,
      body: markup`${heading(title, text)}${question}<a class="button go" href="${
        userPath(context, user.id)
      }"><span>${say(look, "Keep it")}</span></a>\n`,
    });
  };
}

/**
 * The pages `/auth/admin`, on which administrators find users by id, name, address or role, see one with sessions, ways to
 * sign in and activity, and block, unblock, give back a stolen account, sign out, send a link to a new password, change roles, and delete. They work
 * without scripts. Changes take a sign-in of the last ten minutes, and the second factor where there is one. Nobody changes
 * their own account here, or one with rights that they lack, or gives a role with such rights; each change is an event
 * `user-administered` with both ids.
 *
 * It stands among the providers, and needs a database and `rbac`. Applications that do not import it do not bundle it.
 *
 * @param options `permission`: the one that administrators have. A role of a tenant never gives it here.
 * @throws {ConfigurationError} When the permission is none, or there is no `rbac` or no database.
 *
 * @example
 * ```ts
 * import { adminPage, createAuth, createMemoryStorage, defineRBAC } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   rbac: defineRBAC({ roles: [{ id: "admin", name: "Administrator", permissions: ["*"] }] }),
 *   providers: [adminPage({ permission: "users:manage" })],
 * });
 * const response = await auth.handle(new Request("http://localhost/auth/admin"), {});
 * equal(response?.headers.get("location"), "http://localhost/auth/signin?callbackUrl=%2Fauth%2Fadmin");
 * ```
 */
export function adminPage(options: AdminPageOptions): Provider {
  const { permission } = readOptions(options);
  const changes: Readonly<Record<string, Endpoint>> = {
    "/roles": onUser(permission, changeRoles),
    "/sessions/end": onUser(permission, endSession),
    "/reset": onUser(permission, sendReset),
    "/disable": onUser(permission, async ({ user, unchanged }) => {
      await disableUser(user.id, { unchanged });
      return { action: "disabled" };
    }),
    "/enable": onUser(permission, async ({ user, unchanged }) => {
      await enableUser(user.id, { unchanged });
      return { action: "enabled" };
    }),
    "/recover": onUser(permission, recover),
    "/delete": onUser(permission, async ({ user, unchanged }) => {
      await deleteUser(user.id, { unchanged });
      return { action: "deleted" };
    }),
  };
  const endpoints: EndpointEntry[] = [
    { path: ADMIN_PATH, method: "GET", endpoint: showUsers(permission) },
    { path: `${ADMIN_PATH}/user`, method: "GET", endpoint: showUser(permission) },
    { path: `${ADMIN_PATH}/user/delete`, method: "GET", endpoint: askDeletion(permission) },
    ...Object.entries(changes).map(([path, endpoint]): EndpointEntry => ({
      path: `${ADMIN_PATH}/user${path}`,
      method: "POST",
      endpoint,
    })),
  ];
  const definition: PlacedModule = {
    id: "admin",
    place: {
      path: ADMIN_PATH,
      title: "Users",
      isOpenTo: ({ rbac }, user) => rbac!.permits(withSiteRoles(rbac!, user), permission),
    },
    endpoints: () => endpoints,
    check(settings) {
      if (!settings.hasDatabase) {
        throw wrongOption(
          "database",
          undefined,
          "a database, which the pages of administrators need",
        );
      }
      if (settings.rbac === null) {
        throw wrongOption("rbac", undefined, `roles, one of which permits "${permission}"`);
      }
      // Says at once when the storage cannot list users.
      groupOf(settings.storage, directoryGroup);
    },
  };
  return { kind: "provider", definition };
}
