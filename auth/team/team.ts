/**
 * The team that a request is about, and the part among the providers.
 *
 * @module
 */

import type { EndpointContext, EndpointModule, RequestStore, Settings } from "../core/contracts.ts";
import { enterTenant, gateOf } from "../core/request.ts";
import { ownRedirect } from "../core/redirect.ts";
import {
  ConfigurationError,
  ForbiddenError,
  RedirectError,
  TenantNotFoundError,
} from "../errors.ts";
import { serializeCookie } from "../lib/cookie.ts";
import { SUSPENDED } from "../pages/team.ts";
import type { PageText } from "../pages/texts.ts";
import type { SendMail } from "../types/application.ts";
import type { Member, Tenancy, Tenant, TenantMembers } from "../types/tenant.ts";
import type { User } from "../types/user.ts";
import { requireRecentUser } from "../session/require.ts";
import { mayInTeam, OWNER } from "./rights.ts";

/** Path of the page, below `basePath`. */
export const TEAM_PATH = "/team";

/** Most members, teams or invitations that a page shows. */
export const PART = 20;

const NOT_MEMBER: PageText = "You are not a member of this team.";

/** The options of `teamPage()`, checked. */
export interface TeamOptions {
  /** Sends the mails. */
  send: SendMail<unknown>;
  /** Lifetime of an invitation in seconds. */
  expires: number;
  /** Most invitations of an owner on the first day of the membership. */
  firstInvitations: number;
  /** Decides who may make a team. */
  canCreate: boolean | ((user: User) => boolean | Promise<boolean>);
  /** Slugs that no team made by a user has. */
  reserved: ReadonlySet<string>;
}

/** The part among the providers. */
export interface TeamModule extends EndpointModule {
  /** Its options. */
  team: TeamOptions;
}

/** A team, and who acts in it. */
export interface Acting {
  /** The user, read from storage. */
  user: User;
  /** The team. */
  tenant: Tenant;
  /** The user's membership. */
  member: Member;
}

/**
 * The options of this application.
 *
 * @throws {ConfigurationError} When it has no `teamPage()`.
 */
export function teamOptionsOf(
  { modules }: Pick<Settings, "modules">,
  operation: string,
): TeamOptions {
  for (const module of modules) if ("team" in module) return (module as TeamModule).team;
  throw new ConfigurationError(
    `Cannot call ${operation}(): put teamPage({ sendMail }) among the \`providers\``,
    { field: "providers" },
  );
}

/** Tenants with their members, which `teamPage()` has checked. */
export function tenancyOf({ tenancy }: Pick<Settings, "tenancy">): Tenancy & {
  members: TenantMembers;
} {
  return tenancy as Tenancy & { members: TenantMembers };
}

/**
 * The user of the session, read from storage: a token may say what was true a day ago.
 *
 * @throws {RedirectError} To the sign-in page and back, when nobody is signed in.
 */
export async function requirePerson({ store, url }: EndpointContext): Promise<User> {
  const { auth, request } = store;
  const user = await personOf(store);
  if (user !== null) return user;
  const { basePath, pages } = auth.settings;
  const callbackUrl = request.method === "GET" ? url.pathname + url.search : basePath + TEAM_PATH;
  throw new RedirectError(ownRedirect(pages.signIn, auth.origin(), { callbackUrl }));
}

/** The user of the session; null for nobody. */
export async function personOf({ auth }: RequestStore): Promise<User | null> {
  const state = await auth.load();
  if (state.status !== "valid") return null;
  return await auth.settings.storage.getActiveUser(state.session.user.id);
}

/**
 * The team that a user acts in: the one that is named, else that of the request.
 *
 * @throws {TenantNotFoundError} When there is none, or the user is no member: whether a team exists is told to its
 * members, and so is that it is suspended.
 * @throws {SecondFactorRequiredError} When it requires a second factor that the session has not proved.
 */
export async function actIn(
  store: RequestStore,
  user: User,
  slug: string | null,
): Promise<Acting> {
  const { auth, auth: { settings } } = store;
  const { storage, members } = tenancyOf(settings);
  const tenant = slug === null ? await auth.tenant!.load() : await storage.getBySlug(slug);
  const member = tenant && await members.get(tenant.id, user.id);
  if (tenant === null || member === null) {
    throw new TenantNotFoundError((slug ?? tenant) === null ? undefined : NOT_MEMBER);
  }
  if (tenant.suspendedAt !== undefined) throw new TenantNotFoundError(SUSPENDED);
  await enterTenant(store, { tenantId: tenant.id, member });
  return { user, tenant, member };
}

/**
 * Requires a permission in the team.
 *
 * @throws {ForbiddenError} Without it.
 */
export function requireRight(
  { auth: { settings } }: RequestStore,
  { member }: Acting,
  permission: string,
): void {
  if (!mayInTeam(settings, member.roles, permission)) throw new ForbiddenError();
}

/**
 * Requires a fresh proof, with the second factor where there is one, of who makes an owner or takes that from one: whoever finds
 * a session that was left open must not give the team away.
 *
 * @param roles Roles that are given or taken.
 * @throws {ReauthenticationRequiredError} When the last proof is too old.
 * @throws {SecondFactorRequiredError} When the second factor is to be proved anew.
 */
export async function requireFreshForOwner(
  store: RequestStore,
  roles: readonly string[],
): Promise<void> {
  if (!roles.includes(OWNER)) return;
  requireRecentUser(await store.auth.load(), { throwError: true }, store);
  await gateOf(store.auth.settings)?.assertFresh(store);
}

/** Names the team for the requests to come, where a cookie does. */
export function enterTeam({ auth, cookiesOut }: RequestStore, { slug }: Tenant): void {
  const { naming } = tenancyOf(auth.settings);
  if (naming?.strategy !== "cookie") return;
  // It proves nothing, so a script may read it, and it needs no prefix.
  const secure = auth.origin().startsWith("https:");
  cookiesOut.set(serializeCookie(
    { name: naming.cookieName, value: slug, maxAge: 31_536_000 },
    { secure, httpOnly: true, sameSite: "lax", path: "/", domain: null },
  ));
}

/** Address at which the application shows a team; null where only a cookie or a header names it. */
export function homeOf({ auth }: RequestStore, { slug }: Tenant): string | null {
  const { naming } = tenancyOf(auth.settings);
  if (naming?.strategy === "path") return naming.pathPrefix + slug;
  if (naming?.strategy !== "subdomain") return null;
  const { protocol, port } = new URL(auth.origin());
  return `${protocol}//${slug}.${naming.baseDomain}${port === "" ? "" : `:${port}`}/`;
}
