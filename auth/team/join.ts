/**
 * Acceptance of an invitation.
 *
 * @module
 */

import type { EndpointContext, RequestStore } from "../core/contracts.ts";
import { doneResponse, ownRedirect } from "../core/redirect.ts";
import { reportChange } from "../core/report.ts";
import { forgetOwn, isOf, prefersJson } from "../core/request.ts";
import {
  ForbiddenError,
  InvitationError,
  isAuthError,
  UnauthenticatedError,
  UserExistsError,
} from "../errors.ts";
import { readFields } from "../lib/body.ts";
import { parseEmailAddress } from "../lib/email_address.ts";
import { hashSecret, isSecret } from "../lib/secret.ts";
import { lookOf, pageResponse } from "../pages/frame.ts";
import { endedInvitationPage, invitationPage, joinedPage } from "../pages/team.ts";
import { beginSession, finishSession } from "../session/mint.ts";
import { proveMailbox, readLeftBehind } from "../sign_in/first_proof.ts";
import { askSignIn, goOn, toSecondStep, wayOn } from "../sign_in/sign_in.ts";
import { accountGroup } from "../storage/accounts.ts";
import { groupOf } from "../storage/storage.ts";
import { type InvitationRecord, teamGroup } from "../storage/teams.ts";
import { createSignInRecord } from "../storage/user_record.ts";
import type { Account } from "../types/callbacks.ts";
import type { Tenant } from "../types/tenant.ts";
import type { User } from "../types/user.ts";
import { JOIN_PATH } from "./invitations.ts";
import { INVITE, mayGive, mayInTeam, teamRoles } from "./rights.ts";
import { enterTeam, personOf, TEAM_PATH, tenancyOf } from "./team.ts";

/** An invitation that holds at this moment. */
interface OpenedInvitation {
  invitation: InvitationRecord;
  tenant: Tenant;
  inviter: User;
  token: string;
}

/**
 * Visitor behind the link: signed in as the invited address and having proved it; without having proved it; as somebody else;
 * not signed in although the address has an account; or nobody yet.
 */
type Visitor =
  | { kind: "same" | "unproved" | "other"; user: User }
  | { kind: "known" | "new"; user: null };

/**
 * Looks at an invitation and consumes nothing. Whoever made it must still be there and may still give all of this: a right
 * that was lost since invites nobody, and a role that permits more since is judged by what it permits now.
 *
 * @throws {InvitationError} When it does not hold, the same for every reason.
 */
async function openInvitation(
  { auth: { settings } }: RequestStore,
  token: string | null | undefined,
): Promise<OpenedInvitation> {
  if (!isSecret(token)) throw new InvitationError();
  const { storage, now } = settings;
  const invitation = await groupOf(storage, teamGroup)
    .readInvitation(await hashSecret(token), now());
  if (invitation === null) throw new InvitationError();
  const { tenantId, invitedBy, roles } = invitation;
  const tenancy = tenancyOf(settings);
  const [tenant, member, inviter] = await Promise.all([
    tenancy.storage.get(tenantId),
    tenancy.members.get(tenantId, invitedBy),
    storage.getActiveUser(invitedBy),
  ]);
  const holds = tenant !== null && tenant.suspendedAt === undefined && member !== null &&
    inviter !== null && mayInTeam(settings, member.roles, INVITE) &&
    // Who has left and come back since has invited nobody.
    member.createdAt.getTime() <= invitation.createdAt &&
    mayGive(settings, member.roles, roles);
  if (!holds) throw new InvitationError();
  return { invitation, tenant, inviter, token };
}

async function visitorOf(store: RequestStore, identity: string): Promise<Visitor> {
  const { storage } = store.auth.settings;
  const user = await personOf(store);
  const holder = await groupOf(storage, accountGroup).getUserByEmail(identity);
  if (user === null) return { kind: holder === null ? "new" : "known", user };
  // The address alone says nothing: who signed up with it first need not be who reads its mail.
  const isSame = holder?.id === user.id &&
    parseEmailAddress(user.email ?? "")?.identity === identity;
  return { kind: !isSame ? "other" : user.emailVerified ? "same" : "unproved", user };
}

function addressOf({ auth }: RequestStore, token: string): string {
  return ownRedirect(auth.settings.basePath + JOIN_PATH, auth.origin(), { token });
}

/** The page behind the link, for this visitor. */
async function showPage(
  context: EndpointContext,
  opened: OpenedInvitation,
  status: number,
): Promise<Response> {
  const { store } = context;
  const { auth: { settings, origin } } = store;
  const { invitation, tenant, inviter, token } = opened;
  const visitor = await visitorOf(store, invitation.emailIdentity);
  // What is on an unproved account ends: tokens that nothing ends would go on.
  const isStuck = visitor.kind === "unproved" && !settings.strategy.revocable;
  const look = lookOf(store);
  const roles = teamRoles(settings);
  const action = settings.basePath + JOIN_PATH;
  const callbackUrl = addressOf(store, token);
  const page = invitationPage(look, {
    action,
    token,
    team: tenant.name,
    inviter: inviter.name ?? null,
    roles: invitation.roles.map((id) => roles.find((role) => role.id === id)?.name ?? id),
    address: invitation.email,
    visitor: isStuck ? "stuck" : visitor.kind,
    user: visitor.user?.email ?? visitor.user?.name ?? visitor.user?.id ?? null,
    ends: visitor.kind === "unproved" ? await readLeftBehind(store, visitor.user.id) : null,
    signIn: ownRedirect(settings.pages.signIn, origin(), { callbackUrl }),
    account: `${settings.basePath}/account`,
  });
  return withoutReferrer(pageResponse(look, page, { status }));
}

/** The address of these pages holds the token; the next page must not hear of it. */
function withoutReferrer(response: Response): Response {
  response.headers.set("referrer-policy", "no-referrer");
  return response;
}

function answerEnded(context: EndpointContext, error: unknown): Response {
  const { store } = context;
  if (!isAuthError(error) || error.code !== "INVALID_INVITATION" || prefersJson(store.request)) {
    throw error;
  }
  const look = lookOf(store);
  return withoutReferrer(pageResponse(look, endedInvitationPage(look), { status: error.status }));
}

/** `GET /team/join`: where the link leads, a page with a button. It changes nothing, however often the link is followed. */
export async function showInvitation(context: EndpointContext): Promise<Response> {
  try {
    const opened = await openInvitation(context.store, context.url.searchParams.get("token"));
    return await showPage(context, opened, 200);
  } catch (error) {
    return answerEnded(context, error);
  }
}

/**
 * Begins the acceptance: this is its moment. Under its new id nobody revokes it who has it from a list, but it stays, so that
 * whoever meets a fault behind this may follow the link again.
 */
async function begin(
  { auth: { settings } }: RequestStore,
  opened: OpenedInvitation,
): Promise<void> {
  const { hash } = opened.invitation;
  const holds = await groupOf(settings.storage, teamGroup)
    .renameInvitation(hash, crypto.randomUUID(), settings.now());
  if (!holds) throw new InvitationError();
}

/** Consumes an invitation whose membership is there: of any number at once, one does. */
async function take(
  { auth: { settings } }: RequestStore,
  opened: OpenedInvitation,
): Promise<boolean> {
  const { hash } = opened.invitation;
  return await groupOf(settings.storage, teamGroup).takeInvitation(hash, settings.now());
}

/** Adds the membership; false for who is a member already, who keeps the roles they have. */
async function addMember(
  store: RequestStore,
  { invitation, tenant }: OpenedInvitation,
  userId: string,
): Promise<boolean> {
  const { auth: { settings } } = store;
  const { roles, invitedBy } = invitation;
  const member = { tenantId: tenant.id, userId, roles, createdAt: new Date(settings.now()) };
  return await reportChange(
    store,
    {
      events: [{ type: "member-added", userId, tenantId: tenant.id, invitedBy }],
      since: member.createdAt.getTime(),
    },
    () => tenancyOf(settings).members.add(member),
  );
}

/** Completes the acceptance of a user who is there. */
async function complete(
  store: RequestStore,
  opened: OpenedInvitation,
  userId: string,
): Promise<void> {
  const isAdded = await addMember(store, opened, userId);
  // Another request of this user may have been first with either.
  if (!await take(store, opened) && !isAdded) throw new InvitationError();
}

/** Makes the user of the invited mailbox, who has it, and signs in. */
async function joinAsNew(context: EndpointContext, opened: OpenedInvitation): Promise<Response> {
  const { store } = context;
  const { auth: { settings } } = store;
  const { invitation: { emailIdentity }, tenant } = opened;
  const { email } = opened.invitation;
  const at = settings.now();
  // Databases know lower case in ASCII alone, as at every sign-in by mail.
  const address = /[^ -~]/.test(email) ? emailIdentity : email;
  const given = { id: crypto.randomUUID(), email: address, emailVerified: new Date(at) };
  const owner = createSignInRecord(given, at, "teamPage()");
  const { id: userId } = owner.user;
  const provider = "team";
  const account: Account = { provider, providerAccountId: emailIdentity, type: "email" };
  const elsewhere = await askSignIn(context, {
    user: { ...owner.user },
    account: { ...account },
    email: { verificationRequest: false },
  });
  if (elsewhere !== null) {
    store.report({ type: "sign-in-failed", code: "ACCESS_DENIED", provider, userId });
    return wayOn(elsewhere, context);
  }
  const { basePath } = settings;
  const callbackUrl = `${basePath}${TEAM_PATH}?team=${tenant.slug}&done=welcome`;
  await begin(store, opened);
  const begun = await beginSession(store, userId, {
    provider,
    account,
    owner,
    save: {},
    callbackUrl,
    // Before the second factor is asked for, which may be required of members.
    joins: () =>
      addMember(store, opened, userId).catch((error) => {
        store.report({ type: "sign-up", userId, provider });
        throw error;
      }),
  }).catch((error) => toSecondStep(error, context));
  await take(store, opened);
  enterTeam(store, tenant);
  return begun instanceof Response ? begun : await goOn(context, begun, callbackUrl);
}

/** Proves the address with the link, ends what was on its account before anybody had, and joins. */
async function joinUnproved(
  context: EndpointContext,
  opened: OpenedInvitation,
  userId: string,
): Promise<Response> {
  const { store } = context;
  const { auth: { settings } } = store;
  const { emailIdentity } = opened.invitation;
  await proveMailbox(store, {
    userId,
    // The session of this browser may be of whoever has signed up with the address of somebody else.
    keepOwn: false,
    first: true,
    async write() {
      await begin(store, opened);
      return await groupOf(settings.storage, accountGroup)
        .proveEmail(userId, { emailIdentity, at: settings.now() });
    },
  });
  await complete(store, opened, userId);
  if (isOf(await store.auth.load(), userId)) await forgetOwn(store.auth);
  const signIn = ownRedirect(settings.pages.signIn, store.auth.origin(), {
    callbackUrl: `${settings.basePath}${TEAM_PATH}?team=${opened.tenant.slug}`,
  });
  if (prefersJson(store.request)) return wayOn(signIn, context);
  const look = lookOf(store);
  return pageResponse(look, joinedPage(look, { team: opened.tenant.name, signIn }));
}

/** `POST /team/join`: accepts the invitation. */
export async function acceptInvitation(context: EndpointContext): Promise<Response> {
  const { store } = context;
  const { auth: { settings, origin } } = store;
  const fields = await readFields(store.request, { optional: false });
  try {
    const opened = await openInvitation(store, fields.get("token"));
    const visitor = await visitorOf(store, opened.invitation.emailIdentity);
    if (visitor.kind === "new") return withoutReferrer(await joinAsNew(context, opened));
    const isProvable = visitor.kind === "unproved" && settings.strategy.revocable;
    if (isProvable) return withoutReferrer(await joinUnproved(context, opened, visitor.user.id));
    // Never a way into an account that is there: its owner signs in first, with every factor.
    if (visitor.kind !== "same") {
      if (!prefersJson(store.request)) return await showPage(context, opened, 403);
      throw visitor.user === null ? new UnauthenticatedError() : new ForbiddenError();
    }
    await begin(store, opened);
    await complete(store, opened, visitor.user.id);
    enterTeam(store, opened.tenant);
    const parameters = { team: opened.tenant.slug, done: "joined" };
    const target = ownRedirect(settings.basePath + TEAM_PATH, origin(), parameters);
    const state = await store.auth.load();
    const session = state.status === "valid" ? state.session : {};
    return withoutReferrer(wayOn(target, context, session));
  } catch (error) {
    // The address has got an account at this very moment.
    const isOvertaken = error instanceof UserExistsError;
    return answerEnded(context, isOvertaken ? new InvitationError() : error);
  }
}

/** `POST /team/join/switch`: signs out, and leads back to the link by the sign-in page. */
export async function switchAccount(context: EndpointContext): Promise<Response> {
  const { store } = context;
  const { settings, origin } = store.auth;
  const fields = await readFields(store.request, { optional: false });
  const token = fields.get("token");
  if (!isSecret(token)) return answerEnded(context, new InvitationError());
  await finishSession(store);
  // The page itself says whether there is an account to sign in to.
  const redirectTo = ownRedirect(settings.basePath + JOIN_PATH, origin(), { token });
  return withoutReferrer(doneResponse(context, { redirectTo }, redirectTo));
}
