/**
 * Invitations to a team: making, sending, listing and revoking them.
 *
 * @module
 */

import type { RequestStore, Settings } from "../core/contracts.ts";
import { ownRedirect } from "../core/redirect.ts";
import { reportChange } from "../core/report.ts";
import { currentRequest } from "../core/request.ts";
import {
  ForbiddenError,
  InvalidEmailError,
  RateLimitedError,
  TenantNotFoundError,
  UnauthenticatedError,
} from "../errors.ts";
import { parseEmailAddress } from "../lib/email_address.ts";
import { wrongOption } from "../lib/options.ts";
import { createSecret, hashSecret } from "../lib/secret.ts";
import { lookOf } from "../pages/frame.ts";
import { invitationMail } from "../pages/team.ts";
import { limitHeaders, limitKey, secondsOf } from "../rate_limit/keys.ts";
import { limitsOf, mayBeMailed } from "../rate_limit/sign_in.ts";
import { createPace, deliver, deliverableAddress, type Pace } from "../sign_in/email/request.ts";
import { type InvitationRecord, teamGroup } from "../storage/teams.ts";
import { groupOf } from "../storage/storage.ts";
import type { OfTenant } from "../tenant/operations.ts";
import { INVITE, mayGive, mayTake, OWNER, teamRoles } from "./rights.ts";
import {
  actIn,
  type Acting,
  PART,
  personOf,
  requireFreshForOwner,
  requireRight,
  TEAM_PATH,
  teamOptionsOf,
  tenancyOf,
} from "./team.ts";

/** Path of the link, below `basePath`. */
export const JOIN_PATH = `${TEAM_PATH}/join`;

// A year: an invitation that nobody has taken up by then is forgotten, not open.
const MAX_AGE = 31_536_000;
const HOUR = 3600;
const DAY = 86_400;

/** Options for `invite()`. */
export interface InviteOptions extends OfTenant {
  /** Roles that the membership is to have. Default: the last one of the role list that is not the owner's. */
  roles?: readonly string[];
  /** Seconds for which the link works, at most a year. Default: as `teamPage()` says, a week. */
  expires?: number;
}

/** An invitation that is open, as those see it who may invite. */
export interface OpenInvitation {
  /** Its id, for `resendInvitation()` and `revokeInvitation()`. */
  id: string;
  /** Address to which it was sent. */
  email: string;
  /** Roles that the membership is to have. */
  roles: string[];
  /** Id of the user who invites. */
  invitedBy: string;
  /** Time at which it was sent. */
  createdAt: Date;
  /** Time until which its link works. */
  expiresAt: Date;
}

/** One pace for all: what sends nothing must last as long as what does. */
const paces = new WeakMap<object, Pace>();

function paceOf(settings: object): Pace {
  const pace = paces.get(settings) ?? createPace();
  paces.set(settings, pace);
  return pace;
}

/**
 * Counts an invitation for its inviter, over all teams: 20 in an hour. Who has been a member for less than a day has 5 in
 * an hour, and who owns the team as many for the day as `firstInvitations` says, since whoever wants to write to strangers
 * in our name makes an account and a team for it.
 */
async function limitInviter(
  { auth: { settings }, report }: RequestStore,
  { user: { id }, member }: Acting,
): Promise<void> {
  const limits = limitsOf(settings);
  if (limits === null) return;
  const now = settings.now();
  const firstDay = member.createdAt.getTime() + DAY * 1000;
  const isNew = firstDay > now;
  const { firstInvitations } = teamOptionsOf(settings, "invite");
  const [name, limit, window] = isNew && member.roles.includes(OWNER)
    ? ["first-invitations", firstInvitations, DAY] as const
    : ["invitations", isNew ? 5 : 20, HOUR] as const;
  const key = await limitKey({ name, identifier: id });
  const { allowed, resetAt } = await limits.storage
    .takeRateLimit(key, { limit, window: window * 1000, now });
  if (allowed) return;
  report({ type: "rate-limited", limiter: name, userId: id });
  const reset = secondsOf((isNew ? Math.min(resetAt, firstDay) : resetAt) - now, window);
  const headers = limitHeaders({ name, limit, window, remaining: 0, reset, allowed });
  throw new RateLimitedError(undefined, { headers });
}

/** Content of an invitation. */
interface Offer {
  email: string;
  roles: readonly string[];
  /** Seconds. */
  expires: number;
}

/**
 * Invites an address. Nothing is asked about it, so that the answer and its time are the same for strangers, members and
 * those who have left; the secret goes into the mail and nowhere else.
 */
export async function inviteTo(
  store: RequestStore,
  acting: Acting,
  { email, roles, expires }: Offer,
): Promise<void> {
  const { auth: { settings, origin }, env, request } = store;
  requireRight(store, acting, INVITE);
  if (!mayGive(settings, acting.member.roles, roles)) throw new ForbiddenError();
  await requireFreshForOwner(store, roles);
  const to = parseEmailAddress(email);
  if (to === null) throw new InvalidEmailError();
  await limitInviter(store, acting);
  const { send } = teamOptionsOf(settings, "invite");
  const { tenant, user } = acting;
  const pace = paceOf(settings);
  const within = await mayBeMailed({ store }, {
    of: "emailVerification",
    provider: "team",
    identifier: to.identity,
    apart: "invitation",
  });
  if (!within) return await pace.wait();
  const now = settings.now();
  const token = createSecret();
  const id = crypto.randomUUID();
  const invitation = {
    id,
    tenantId: tenant.id,
    emailIdentity: to.identity,
    email: to.address,
    hash: await hashSecret(token),
    roles: [...roles],
    invitedBy: user.id,
    createdAt: now,
    expiresAt: now + expires * 1000,
  };
  await reportChange(store, {
    events: [{ type: "member-invited", userId: user.id, tenantId: tenant.id, roles }],
    subject: id,
    happened: () => true,
  }, () => groupOf(settings.storage, teamGroup).putInvitation(invitation));
  const url = ownRedirect(settings.basePath + JOIN_PATH, origin(), { token });
  const address = deliverableAddress(to);
  const mail = {
    kind: "invitation",
    to: address,
    url,
    expires: new Date(now + expires * 1000),
    ...invitationMail(lookOf(store), {
      team: tenant.name,
      inviter: user.name ?? null,
      address,
      url,
      seconds: expires,
    }),
  };
  await pace.measure(() =>
    deliver(
      { from: "", send: async () => void await send(mail, { env, request }) },
      { ...mail, identifier: mail.to, token, ends: false },
      { context: { store }, mailer: "sendMail() of teamPage()" },
    )
  );
}

/** The role of an invitation that names none. */
export function defaultRoles(store: RequestStore): string[] {
  const least = teamRoles(store.auth.settings).findLast(({ id }) => id !== OWNER);
  return least === undefined ? [] : [least.id];
}

/** The caller of an operation, acting in a team. */
async function caller(operation: string, { tenantId }: OfTenant): Promise<[RequestStore, Acting]> {
  const store = currentRequest(operation);
  const { settings } = store.auth;
  teamOptionsOf(settings, operation);
  const user = await personOf(store);
  if (user === null) throw new UnauthenticatedError();
  if (tenantId === undefined) return [store, await actIn(store, user, null)];
  const tenant = await tenancyOf(settings).storage.get(tenantId);
  if (tenant === null) throw new TenantNotFoundError();
  return [store, await actIn(store, user, tenant.slug)];
}

/**
 * Invites somebody into a team, in the name of the user who is signed in: a link by mail, which makes its reader a member
 * once their address is proved. The answer and its time are the same for every address, and what the inviter may do is
 * asked again when the link is used. A new invitation of an address ends the one before.
 *
 * @param email Address.
 * @param options `roles` of the membership; `expires`, in seconds; `tenantId`, by default the tenant of this request.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {ForbiddenError} Without the permission "team:invite" there, or for a role that permits more than the inviter's.
 * @throws {ReauthenticationRequiredError} For the role of the owner, when the inviter has not signed in of late.
 * @throws {InvalidEmailError} For what is no address.
 * @throws {RateLimitedError} After 20 invitations in an hour; on the first day of a membership after 5 in an hour, and for
 * an owner after 20, or as many as `firstInvitations` of `teamPage()` says. It says when to go on.
 * @throws {EmailNotSentError} When the mail could not be sent.
 * @throws {TenantNotFoundError} When there is no such team, or the user is no member.
 * @throws {ConfigurationError} Without `teamPage()` among the providers, or for a wrong option.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import {
 *   createAuth,
 *   createMemoryStorage,
 *   createUser,
 *   invite,
 *   startSession,
 *   teamPage,
 * } from "@framework/auth";
 * import {
 *   addMember,
 *   createMemoryTenantMembers,
 *   createMemoryTenantStorage,
 *   defineTenancy,
 * } from "@framework/auth/tenant";
 * import { deepEqual } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * await storage.create({ slug: "acme", name: "Acme Ltd" });
 * const sent: string[] = [];
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   tenancy: defineTenancy({ strategy: "path", storage, members: createMemoryTenantMembers() }),
 *   providers: [teamPage({ sendMail: ({ to, subject }) => void sent.push(`${to}: ${subject}`) })],
 * });
 * const request = new Request("http://localhost/t/acme/", { method: "POST" });
 * await auth.run(request, {}, undefined, async () => {
 *   const { id } = await createUser({ name: "Ada" });
 *   await addMember(id, { roles: ["owner"] });
 *   await startSession(id);
 *   await invite("grace@example.com", { roles: ["member"] });
 *   return new Response();
 * });
 * deepEqual(sent, ["grace@example.com: Join Acme Ltd"]);
 * ```
 */
export async function invite(email: string, options: InviteOptions = {}): Promise<void> {
  const [store, acting] = await caller("invite", options);
  const { expires } = teamOptionsOf(store.auth.settings, "invite");
  await inviteTo(store, acting, {
    email,
    roles: options.roles ?? defaultRoles(store),
    expires: readAge(options.expires, expires),
  });
}

/** Checks the lifetime of an invitation. */
export function readAge(value: unknown, standard: number): number {
  if (value === undefined) return standard;
  if (typeof value === "number" && Number.isInteger(value) && value >= 60 && value <= MAX_AGE) {
    return value;
  }
  throw wrongOption("expires", value, `whole seconds from 60 to ${MAX_AGE}`);
}

function shown(record: InvitationRecord): OpenInvitation {
  const { id, email, roles, invitedBy, createdAt, expiresAt } = record;
  return {
    id,
    email,
    roles,
    invitedBy,
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
  };
}

/** Reads the open invitations of a team. */
export async function readInvitations(
  store: RequestStore,
  acting: Acting,
  after: string | undefined,
): Promise<{ invitations: OpenInvitation[]; cursor: string | null }> {
  requireRight(store, acting, INVITE);
  const { storage, now } = store.auth.settings;
  const found = await groupOf(storage, teamGroup).listInvitations(acting.tenant.id, {
    now: now(),
    limit: PART + 1,
    ...(after !== undefined && { after }),
  });
  const part = found.slice(0, PART);
  const cursor = found.length > PART ? part.at(-1)!.emailIdentity : null;
  return { invitations: part.map(shown), cursor };
}

/** Options for `listInvitations()`. */
export interface ListOpenInvitationsOptions extends OfTenant {
  /** Cursor from the previous page. Default: the beginning. */
  cursor?: string;
}

/**
 * The open invitations of a team, 20 at a time, for who may invite. None of them tells its link.
 *
 * @param options `tenantId`, by default the tenant of this request, and `cursor`.
 * @returns The invitations by address, and the cursor of the next page, which is null after the last one.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {ForbiddenError} Without the permission "team:invite" there.
 * @throws {TenantNotFoundError} When there is no such team, or the user is no member.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { listInvitations } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * async function addresses(): Promise<string[]> {
 *   return (await listInvitations()).invitations.map(({ email }) => email);
 * }
 * equal(typeof addresses, "function");
 * ```
 */
export async function listInvitations(
  options: ListOpenInvitationsOptions = {},
): Promise<{ invitations: OpenInvitation[]; cursor: string | null }> {
  const [store, acting] = await caller("listInvitations", options);
  return await readInvitations(store, acting, options.cursor);
}

/** Sends an invitation anew: with a new link, and in the name of who asks for it. */
export async function resendFrom(
  store: RequestStore,
  acting: Acting,
  id: string,
): Promise<boolean> {
  requireRight(store, acting, INVITE);
  const { settings } = store.auth;
  const found = await findOpen(store, acting, id);
  if (found === null) return false;
  const { expires } = teamOptionsOf(settings, "resendInvitation");
  await inviteTo(store, acting, { email: found.email, roles: found.roles, expires });
  return true;
}

async function findOpen(
  { auth: { settings } }: RequestStore,
  { tenant }: Acting,
  id: string,
): Promise<InvitationRecord | null> {
  return await groupOf(settings.storage, teamGroup)
    .findInvitation(tenant.id, id, settings.now());
}

/**
 * Sends an open invitation once more, with a new link: that of before ends. It is then of the user who is signed in.
 *
 * @param id Its id, from `listInvitations()`.
 * @param options `tenantId`, by default the tenant of this request.
 * @returns False when there is none.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {ForbiddenError} Without the permission "team:invite" there, or for a role that permits more than one's own.
 * @throws {RateLimitedError} As `invite()` does.
 * @throws {EmailNotSentError} When the mail could not be sent.
 * @throws {TenantNotFoundError} When there is no such team, or the user is no member.
 *
 * @example
 * ```ts
 * import { listInvitations, resendInvitation } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * async function remind(): Promise<void> {
 *   for (const { id } of (await listInvitations()).invitations) await resendInvitation(id);
 * }
 * equal(typeof remind, "function");
 * ```
 */
export async function resendInvitation(id: string, options: OfTenant = {}): Promise<boolean> {
  const [store, acting] = await caller("resendInvitation", options);
  return await resendFrom(store, acting, id);
}

/** Tests if who acts may end an invitation: one of their own, or to roles that they could give. */
export function mayRevoke(
  settings: Settings,
  { member, user }: Acting,
  { invitedBy, roles }: Pick<OpenInvitation, "invitedBy" | "roles">,
): boolean {
  return invitedBy === user.id || mayTake(settings, member.roles, roles);
}

/** Ends an open invitation. */
export async function revokeFrom(
  store: RequestStore,
  acting: Acting,
  id: string,
): Promise<boolean> {
  requireRight(store, acting, INVITE);
  const { settings } = store.auth;
  const found = await findOpen(store, acting, id);
  if (found === null) return false;
  if (!mayRevoke(settings, acting, found)) throw new ForbiddenError();
  return await groupOf(settings.storage, teamGroup).removeInvitation(acting.tenant.id, id);
}

/**
 * Ends an open invitation: its link opens nothing any more.
 *
 * @param id Its id, from `listInvitations()`.
 * @param options `tenantId`, by default the tenant of this request.
 * @returns False when there is none.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {ForbiddenError} Without the permission "team:invite" there, or for somebody else's to a role that permits more
 * than one's own.
 * @throws {TenantNotFoundError} When there is no such team, or the user is no member.
 *
 * @example
 * ```ts
 * import { listInvitations, revokeInvitation } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * async function revokeAll(): Promise<void> {
 *   for (const { id } of (await listInvitations()).invitations) await revokeInvitation(id);
 * }
 * equal(typeof revokeAll, "function");
 * ```
 */
export async function revokeInvitation(id: string, options: OfTenant = {}): Promise<boolean> {
  const [store, acting] = await caller("revokeInvitation", options);
  return await revokeFrom(store, acting, id);
}
